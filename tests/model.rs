//! The typed model against the specification's schemas and examples, and against what peers really send.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod spec;

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::model::*;
use mcp_duet::protocol::version::ProtocolVersion;
use proptest::prelude::*;
use spec::{EXAMPLES, VERSIONS, revision, same};
use std::collections::BTreeSet;

type Pass = fn(&str) -> Result<String, ModelError>;

fn pass<T: Wire>(text: &str) -> Result<String, ModelError> {
    T::from_json(text).map(|value| value.to_json())
}

/// The model's type for each of the specification's; `None` for what is no type of a message.
fn model(name: &str, version: ProtocolVersion) -> Option<Pass> {
    Some(match name {
        "Annotations" => pass::<Annotations>,
        "AudioContent"
        | "ContentBlock"
        | "EmbeddedResource"
        | "ImageContent"
        | "ResourceLink"
        | "TextContent"
        | "ToolUseContent"
        | "ToolResultContent"
        | "SamplingMessageContentBlock" => pass::<Content>,
        "BlobResourceContents" | "TextResourceContents" | "ResourceContents" => pass::<ResourceContents>,
        "BooleanSchema"
        | "EnumSchema"
        | "LegacyTitledEnumSchema"
        | "MultiSelectEnumSchema"
        | "NumberSchema"
        | "PrimitiveSchemaDefinition"
        | "SingleSelectEnumSchema"
        | "StringSchema"
        | "TitledMultiSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "UntitledSingleSelectEnumSchema" => pass::<FieldSchema>,
        "CallToolRequestParams" => pass::<CallToolParams>,
        "CallToolResult" => pass::<CallToolResult>,
        "CancelledNotificationParams" => pass::<CancelledParams>,
        "ClientCapabilities" => pass::<ClientCapabilities>,
        "CompleteRequestParams" => pass::<CompleteParams>,
        "CompleteResult" => pass::<CompleteResult>,
        "CreateMessageRequestParams" => pass::<CreateMessageParams>,
        "CreateMessageResult" => pass::<CreateMessageResult>,
        "CreateTaskResult" => pass::<CreateTaskResult>,
        "Cursor" => pass::<String>,
        "DiscoverResult" => pass::<DiscoverResult>,
        "ElicitRequestFormParams" | "ElicitRequestParams" | "ElicitRequestURLParams" => pass::<ElicitParams>,
        "ElicitResult" => pass::<ElicitResult>,
        "EmptyResult"
        | "Result"
        | "CacheableResult"
        | "PaginatedResult"
        | "SubscriptionsListenResult"
        | "GetTaskPayloadResult" => pass::<EmptyResult>,
        "Error" => pass::<ErrorObject>,
        "GetPromptRequestParams" => pass::<GetPromptParams>,
        "GetPromptResult" => pass::<GetPromptResult>,
        "GetTaskResult" | "CancelTaskResult" | "Task" | "TaskStatusNotificationParams" => pass::<Task>,
        "HeaderMismatchError"
        | "JSONRPCError"
        | "JSONRPCErrorResponse"
        | "MissingRequiredClientCapabilityError"
        | "UnsupportedProtocolVersionError"
        | "URLElicitationRequiredError" => pass::<Message>,
        "Icon" => pass::<Icon>,
        "Implementation" => pass::<Implementation>,
        "InitializeRequestParams" => pass::<InitializeParams>,
        "InitializeResult" => pass::<InitializeResult>,
        "InputRequests" => pass::<InputRequests>,
        "InputRequiredResult" => pass::<InputRequiredResult>,
        "InputResponses" => pass::<InputResponses>,
        "InternalError" | "InvalidParamsError" | "InvalidRequestError" | "MethodNotFoundError" | "ParseError" => {
            // The examples are the error objects, in this revision's schema as in its files.
            pass::<ErrorObject>
        }
        "JSONRPCMessage" | "JSONRPCRequest" | "JSONRPCNotification" | "JSONRPCResponse" | "JSONRPCResultResponse"
            if name != "JSONRPCMessage" || version != ProtocolVersion::V2025_03_26 =>
        {
            pass::<Message>
        }
        "JSONRPCBatchRequest" | "JSONRPCBatchResponse" => pass::<Vec<Message>>,
        "ListPromptsResult" => pass::<ListPromptsResult>,
        "ListResourceTemplatesResult" => pass::<ListResourceTemplatesResult>,
        "ListResourcesResult" => pass::<ListResourcesResult>,
        "ListRootsResult" => pass::<ListRootsResult>,
        "ListTasksResult" => pass::<ListTasksResult>,
        "ListToolsResult" => pass::<ListToolsResult>,
        "LoggingLevel" => pass::<LoggingLevel>,
        "LoggingMessageNotificationParams" => pass::<LogMessageParams>,
        "MetaObject"
        | "NotificationMetaObject"
        | "RequestMetaObject"
        | "ResultMetaObject"
        | "JSONObject"
        | "SubscriptionsListenResultMetaObject" => pass::<Object>,
        "ModelHint" => pass::<ModelHint>,
        "ModelPreferences" => pass::<ModelPreferences>,
        "NotificationParams" | "RequestParams" => pass::<BareParams>,
        "PaginatedRequestParams" => pass::<PaginatedParams>,
        "ProgressNotificationParams" => pass::<ProgressParams>,
        "ProgressToken" | "RequestId" => pass::<Token>,
        "Prompt" => pass::<Prompt>,
        "PromptArgument" => pass::<PromptArgument>,
        "PromptMessage" => pass::<PromptMessage>,
        "PromptReference" | "ResourceTemplateReference" | "ResourceReference" => pass::<Reference>,
        "ReadResourceRequestParams"
        | "ResourceRequestParams"
        | "SubscribeRequestParams"
        | "UnsubscribeRequestParams" => pass::<ResourceParams>,
        "ReadResourceResult" => pass::<ReadResourceResult>,
        "RelatedTaskMetadata" => pass::<RelatedTaskMetadata>,
        "Resource" => pass::<Resource>,
        "ResourceTemplate" => pass::<ResourceTemplate>,
        "ResourceUpdatedNotificationParams" => pass::<ResourceUpdatedParams>,
        "ResultType" => pass::<ResultType>,
        "Role" => pass::<Role>,
        "Root" => pass::<Root>,
        "SamplingMessage" => pass::<SamplingMessage>,
        "ServerCapabilities" => pass::<ServerCapabilities>,
        "SetLevelRequestParams" => pass::<SetLevelParams>,
        "SubscriptionFilter" => pass::<SubscriptionFilter>,
        "SubscriptionsAcknowledgedNotificationParams" | "SubscriptionsListenRequestParams" => {
            pass::<SubscriptionParams>
        }
        "TaskMetadata" => pass::<TaskMetadata>,
        "TaskStatus" => pass::<TaskStatus>,
        "Tool" => pass::<Tool>,
        "ToolAnnotations" => pass::<ToolAnnotations>,
        "ToolChoice" => pass::<ToolChoice>,
        "ToolExecution" => pass::<ToolExecution>,
        // Bases, unions over messages and free-form values have no type of their own.
        "Annotated"
        | "BaseMetadata"
        | "Icons"
        | "InputRequest"
        | "InputResponse"
        | "InputResponseRequestParams"
        | "JSONArray"
        | "JSONValue"
        | "Notification"
        | "PaginatedRequest"
        | "Request"
        | "TaskAugmentedRequestParams"
        | "ClientResult"
        | "ServerResult"
        | "JSONRPCMessage" => return None,
        "ClientRequest" | "ServerRequest" => pass::<Request>,
        "ClientNotification" | "ServerNotification" => pass::<Notification>,
        _ if name.ends_with("ResultResponse") => pass::<Message>,
        _ if name.ends_with("Request") => pass::<Request>,
        _ if name.ends_with("Notification") => pass::<Notification>,
        _ => panic!("the model has no type for {name}"),
    })
}

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_example_of_the_specification_comes_back_as_it_was_and_is_valid() {
    let modern = revision(ProtocolVersion::V2026_07_28);
    let mut count = 0;
    for (name, examples) in raw(EXAMPLES).members() {
        let name = name.name();
        let schema = modern.schema(&name);
        let pass = model(&name, modern.version).unwrap_or_else(|| panic!("{name} has examples and no type"));
        for (file, example) in examples.members() {
            let written = pass(example.as_text()).unwrap_or_else(|error| panic!("{name}/{}: {error}", file.name()));
            assert!(same(example, raw(&written)), "{name}/{}: {written}", file.name());
            assert_eq!(schema.validate(raw(&written)), Ok(()), "{name}/{}", file.name());
            count += 1;
        }
    }
    assert_eq!(count, 129);
}

#[test]
fn messages_made_up_from_every_type_of_every_revision_come_back_as_they_were_and_are_valid() {
    let mut types = BTreeSet::new();
    for version in VERSIONS {
        let revision = revision(version);
        for name in revision.names() {
            let Some(pass) = model(name, version) else { continue };
            let schema = revision.schema(name);
            types.insert(name);
            for seed in 0..12 {
                let made = revision.make(name, seed);
                let written = pass(&made).unwrap_or_else(|error| panic!("{version} {name}: {error}: {made}"));
                assert!(same(raw(&made), raw(&written)), "{version} {name}:\nmade    {made}\nwritten {written}");
                if let Err(violations) = schema.validate(raw(&written)) {
                    panic!("{version} {name}: {violations:?}: {written}");
                }
            }
        }
    }
    assert!(types.len() > 150, "only {} types", types.len());
}

#[test]
fn every_method_of_every_revision_has_its_parameters_type() {
    for version in VERSIONS {
        let revision = revision(version);
        for name in revision.names() {
            let method = revision.properties(name).into_iter().find(|(member, _)| member == "method");
            let Some(method) = method.and_then(|(_, schema)| schema.get_str("const")) else { continue };
            assert!(
                Call::METHODS.contains(&&*method) || Notice::METHODS.contains(&&*method),
                "{method} of {version} has no variant"
            );
        }
    }
}

/// Reads and writes; whatever comes back must be what went in.
fn comes_back<T: Wire>(text: &str) -> T {
    let value = T::from_json(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = value.to_json();
    assert!(same(raw(text), raw(&written)), "\nread    {text}\nwritten {written}");
    value
}

#[test]
fn what_the_specification_does_not_know_is_kept() {
    // CD-01: one unknown variant must not fail its whole message.
    let result: CallToolResult = comes_back(
        r#"{"content":[{"type":"hologram","x":1},{"type":"text","text":"a","annotations":{"audience":["system"],"priority":7}},{"type":"text"},{"text":"untyped"},5],"isError":false,"x-own":[1]}"#,
    );
    assert!(matches!(&result.content[0], Content::Unknown(json) if json.as_text() == r#"{"type":"hologram","x":1}"#));
    let Content::Text(text) = &result.content[1] else { panic!("a text") };
    let annotations = text.annotations.as_ref().unwrap();
    assert_eq!(annotations.audience, Some(vec![Role::Other("system".into())]));
    assert_eq!(annotations.priority.as_ref().and_then(Number::as_i64), Some(7));
    assert!(result.content[2..].iter().all(|content| matches!(content, Content::Unknown(_))));
    assert_eq!(result.extra.get("x-own").map(Json::as_text), Some("[1]"));

    let annotations: Annotations = comes_back(r#"{"priority":"high","audience":"user"}"#);
    assert_eq!((annotations.priority, annotations.audience), (None, None));
    let message: PromptMessage = comes_back(r#"{"role":"tool","content":{"type":"text","text":""}}"#);
    assert_eq!(message.role.as_str(), "tool");
    let result: CreateMessageResult =
        comes_back(r#"{"role":"assistant","content":{"type":"text","text":""},"model":"m","stopReason":"refusal"}"#);
    assert_eq!(result.stop_reason, Some(StopReason::Other("refusal".into())));
    let capabilities: ServerCapabilities = comes_back(r#"{"tools":{"list":true},"x":{}}"#);
    assert!(capabilities.tools.unwrap().extra.get("list").is_some());
    comes_back::<ClientCapabilities>(r#"{"elicitation":{"form":{}},"roots":5}"#);
    let both: ResourceContents = comes_back(r#"{"uri":"a:b","text":"t","blob":"AA=="}"#);
    assert!(both.text.is_some() && both.blob.is_some());
    comes_back::<ResourceContents>(r#"{"uri":"a:b"}"#);
    let icon: Icon = comes_back(r#"{"src":"a:b","theme":"sepia"}"#);
    assert_eq!(icon.theme, Some(IconTheme::Other("sepia".into())));
    let elicit: ElicitParams = comes_back(r#"{"mode":"voice","message":"m"}"#);
    assert!(matches!(elicit, ElicitParams::Unknown(_)));
    let request: Request = comes_back(r#"{"jsonrpc":"2.0","id":1,"method":"com.example/x","params":{"a":[1e400]}}"#);
    assert!(matches!(request.call, Call::Other { .. }));
}

#[test]
fn null_counts_as_absent_where_a_member_is_optional() {
    // CD-01
    let tool = Tool::from_json(r#"{"name":"a","inputSchema":{},"description":null,"annotations":null,"icons":null}"#);
    let tool = tool.unwrap();
    assert_eq!((&tool.description, &tool.annotations, &tool.icons), (&None, &None, &None));
    assert_eq!(tool.to_json(), r#"{"name":"a","inputSchema":{}}"#);
    let list = ListToolsResult::from_json(r#"{"tools":[],"nextCursor":null}"#).unwrap();
    assert_eq!(list.next_cursor, None);
    let result = CallToolResult::from_json(r#"{"content":[],"isError":null}"#).unwrap();
    assert_eq!(result.is_error, None);
    // Where null is a value, it stays one.
    for value in ["null", "0", "false", r#""""#, "[]"] {
        let result: CallToolResult = comes_back(&format!(r#"{{"content":[],"structuredContent":{value}}}"#));
        assert_eq!(result.structured_content.0.unwrap().as_text(), value);
    }
    let task = r#"{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}"#;
    assert_eq!(comes_back::<Task>(task).ttl, Nullable(Some(Json::default())));
}

#[test]
fn carried_values_keep_their_text() {
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    for value in [
        "12345678901234567890123",
        "-0.0",
        "1e400",
        "1.10",
        r#""\ud800""#,
        r#"{"__proto__":{"constructor":1},"b":1,"a":2,"b":3}"#,
        r#"{ "spaced" : [ 1 , 2 ] }"#,
        &deep,
    ] {
        let text = format!(
            r#"{{"name":"a","arguments":{{"x":{value}}},"_meta":{{"traceparent":"00-a-b-01","com.example/x":{value}}},"requestState":"s","other":{value}}}"#
        );
        let params = CallToolParams::from_json(&text).unwrap();
        assert_eq!(params.arguments.as_ref().unwrap().get("x").unwrap().as_text(), value);
        assert_eq!(params.meta.as_ref().unwrap().get("com.example/x").unwrap().as_text(), value);
        assert_eq!(params.to_json().matches(value).count(), 3, "{value}");
    }
    for id in ["0", "12345678901234567890", r#""""#, r#""req-\u03b1""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(comes_back::<Request>(&text).id.unwrap().as_text(), id);
        assert_eq!(Request::from_json(&text).unwrap().to_json(), text);
    }
}

#[test]
fn what_a_type_cannot_do_without_is_named_with_its_path() {
    for (text, expected) in [
        ("[]", "the value does not fit the model: expected an object"),
        ("{", "the value does not fit the model: expected JSON"),
        ("{}", "tools does not fit the model: expected this member"),
        (r#"{"tools":{}}"#, "tools does not fit the model: expected an array"),
        (r#"{"tools":[{"name":"a"}]}"#, "tools.0.inputSchema does not fit the model: expected this member"),
        (r#"{"tools":[{"name":7,"inputSchema":{}}]}"#, "tools.0.name does not fit the model: expected a string"),
    ] {
        assert_eq!(ListToolsResult::from_json(text).unwrap_err().to_string(), expected, "{text}");
    }
    for (text, path) in [
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping","params":{}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, "params"),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "method"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "result"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "id"),
    ] {
        match Message::from_json(text) {
            Err(error) => assert_eq!(error.path, path, "{text}"),
            // An id that may not be one is no id: the envelope's own rules are `jsonrpc`'s.
            Ok(message) => assert!(path.is_empty(), "{text}: {message:?}"),
        }
    }
}

#[test]
fn values_are_built_with_the_names_of_the_specification() {
    let mut arguments = Object::default();
    arguments.insert("city", Json::from("北京"));
    let request = Request::new(
        1,
        Call::CallTool(CallToolParams { name: "get_weather".into(), arguments: Some(arguments), ..Default::default() }),
    );
    assert_eq!(
        request.to_json(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"北京"}}}"#
    );
    let result = CallToolResult { content: vec![Content::text("sunny")], ..Default::default() };
    assert_eq!(result.to_json(), r#"{"content":[{"type":"text","text":"sunny"}]}"#);
    assert_eq!(Number::try_from(0.5).unwrap().as_text(), "0.5");
    assert!(Number::try_from(f64::NAN).is_err());
    let notification = Notification::new(Notice::ToolsListChanged(None));
    assert_eq!(notification.to_json(), r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
}

proptest! {
    #[test]
    fn damaged_messages_never_panic(name in 0_usize..2_000, seed in 0_u64..50, cut in 0_usize..400, byte: u8) {
        let revision = revision(VERSIONS[name % VERSIONS.len()]);
        let names: Vec<_> = revision.names().collect();
        let name = names[name % names.len()];
        let mut text = revision.make(name, seed).into_bytes();
        let at = cut % text.len();
        text[at] = byte;
        let text = String::from_utf8_lossy(&text);
        if let Some(pass) = model(name, revision.version) {
            // Whatever could be read can be read again, and says the same.
            if let Ok(written) = pass(&text) {
                prop_assert_eq!(pass(&written), Ok(written.clone()));
            }
        }
    }
}
