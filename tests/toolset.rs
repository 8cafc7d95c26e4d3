//! Many servers as one list of tools: what is decided without connecting to any.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use mcp_duet::protocol::json::Raw;
use mcp_duet::toolset::naming::{MAX_NAME, Server, name_tools, sanitize};
use mcp_duet::toolset::{canonical, config, elicitation, environment, shape};
use proptest::prelude::*;

fn raw(text: &str) -> Raw<'_> {
    Raw::parse(text.as_bytes()).unwrap()
}

#[test]
fn results_are_shaped_as_the_vectors_say() {
    let vectors = raw(include_str!("toolset/results.json"));
    let mut count = 0;
    for vector in vectors.elements() {
        let result = vector.get_str("result").unwrap();
        let shaped = shape::write(raw(&result));
        let shaped = raw(&shaped);
        let name = vector.get_str("name").unwrap();
        assert_eq!(shaped.get_str("text"), vector.get_str("text"), "{name}");
        for member in ["isError", "images", "links", "others"] {
            let expected = canonical::write(vector.get(member).unwrap());
            assert_eq!(shaped.get(member).unwrap().as_text(), expected, "{name}: {member}");
        }
        count += 1;
    }
    assert!(count > 20);
}

proptest! {
    #[test]
    fn a_double_is_written_so_that_it_comes_back(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
        let text = canonical::write(raw(&format!("{number:e}")));
        prop_assert_eq!(text.parse::<f64>().unwrap(), number);
        prop_assert_eq!(canonical::write(raw(&text)), text.clone(), "settles at once");
        let shortest = format!("{number:?}");
        prop_assert!(text.len() <= shortest.len().max(25), "{} and {}", text, shortest);
        let digits = |text: &str| {
            let mantissa = text.split('e').next().unwrap();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            digits.trim_matches('0').to_owned()
        };
        prop_assert_eq!(digits(&text), digits(&format!("{number:e}")), "the digits are those of the standard library");
    }

    #[test]
    fn the_nearest_double_of_any_text_is_that_of_the_standard_library(
        whole in "(0|[1-9][0-9]{0,30})", part in "[0-9]{1,40}", exponent in -360_i32..330
    ) {
        let text = format!("{whole}.{part}e{exponent}");
        let number: f64 = text.parse().unwrap();
        let written = canonical::write(raw(&text));
        if number.is_finite() {
            prop_assert_eq!(written.parse::<f64>().unwrap(), number, "{} gave {}", text, written);
        } else {
            prop_assert_eq!(written, text);
        }
    }

    #[test]
    fn any_text_is_written_so_that_it_comes_back(text in any::<String>()) {
        let quoted = serde_json::to_string(&text).unwrap();
        let written = canonical::write(raw(&quoted));
        prop_assert_eq!(raw(&written).as_str().unwrap(), text);
    }

    #[test]
    fn no_configuration_panics(text in "[\\[\\]{}\",:/*a-c \n\\\\]{0,60}") {
        let _ = config::parse(&text);
    }
}

#[test]
fn numbers_of_any_length_are_read_as_the_nearest_double() {
    let half = "9007199254740993".to_owned() + "." + &"0".repeat(5_000);
    for (text, expected) in [
        (format!("{half}0"), "9007199254740992"),
        (format!("{half}1"), "9007199254740994"),
        (format!("0.{}1", "0".repeat(5_000)), "0"),
        (format!("{}e-5000", "1".repeat(5_001)), "1.1111111111111112"),
        ("1e99999999999999999999".to_owned(), "1e99999999999999999999"),
        ("1e-99999999999999999999".to_owned(), "0"),
        ("2.4703282292062327e-324".to_owned(), "0"),
        ("2.4703282292062328e-324".to_owned(), "5e-324"),
        ("2.2250738585072011e-308".to_owned(), "2.225073858507201e-308"),
        ("1.7976931348623158e308".to_owned(), "1.7976931348623157e+308"),
        ("1.7976931348623159e308".to_owned(), "1.7976931348623159e308"),
        ("0.4e309".to_owned(), "0.4e309"),
        ("9.5e-7".to_owned(), "9.5e-7"),
    ] {
        assert_eq!(canonical::write(raw(&text)), expected, "{}", &text[..text.len().min(40)]);
    }
    let long = "0.".to_owned() + &"123456789".repeat(100_000);
    assert_eq!(canonical::write(raw(&long)), "0.12345678912345678");
}

#[test]
fn what_lies_too_deep_stays_as_it_was_written() {
    let levels = canonical::MAX_DEPTH + 10;
    let text = format!("{}{{\"b\":1,  \"a\":2}}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(canonical::write(raw(&text)), text);
    let abyss = "[".repeat(200_000) + &"]".repeat(200_000);
    assert_eq!(canonical::write(raw(&abyss)), abyss);
}

fn servers(text: &str) -> String {
    config::write(&config::parse(text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

const LOCAL: &str = r#"{"name":"a","transport":"stdio","command":"x","args":["1","2"],"env":{"K":"v"},"cwd":"/w","disabled":false,"timeouts":{}}"#;
const REMOTE: &str =
    r#"{"name":"a","transport":"http","url":"https://a.test/mcp","headers":{"A":"b"},"disabled":false,"timeouts":{}}"#;

#[test]
fn the_shapes_that_editors_write_say_the_same() {
    let local = r#"{"command":"x","args":["1","2"],"env":{"K":"v"},"cwd":"/w"}"#;
    let remote = r#"{"url":"https://a.test/mcp","headers":{"A":"b"}}"#;
    for (entry, expected) in [
        (local, LOCAL),
        (r#"{"command":["x","1","2"],"environment":{"K":"v"},"dir":"/w","type":"local","enabled":true}"#, LOCAL),
        (r#"{"command":["x","1"],"args":["2"],"env":{"K":"v","gone":null},"cwd":"/w","type":"stdio"}"#, LOCAL),
        (remote, REMOTE),
        (r#"{"serverUrl":"https://a.test/mcp","headers":{"A":"b"},"alwaysAllow":[]}"#, REMOTE),
        (r#"{"httpUrl":"https://a.test/mcp","headers":{"A":"b"},"trust":false}"#, REMOTE),
        (r#"{"type":"http","url":"https://a.test/mcp","headers":{"A":"b"},"command":null}"#, REMOTE),
    ] {
        let expected = ["[", expected, "]"].concat();
        for whole in [
            format!(r#"{{"mcpServers":{{"a":{entry}}}}}"#),
            format!(r#"{{"inputs":[],"servers":{{"a":{entry}}}}}"#),
            format!(r#"{{"$schema":"x","mcp":{{"a":{entry}}}}}"#),
            format!(r#"{{"editor.fontSize":12,"mcp":{{"inputs":[],"servers":{{"a":{entry}}}}}}}"#),
            format!(r#"{{"$schema":"x","version":1,"inputs":[],"a":{entry}}}"#),
            format!("{{// servers\n\"mcpServers\":{{/* one\n */\"a\":{entry},}},\n}}"),
            format!(r#"{{"mcpServers":{{"a":5,"a":{entry}}}}}"#),
        ] {
            assert_eq!(servers(&whole), expected, "{whole}");
        }
    }
}

#[test]
fn servers_are_sorted_by_name_and_may_have_any() {
    let text = r#"{"mcpServers":{"b":{"url":"https://b.test"},"mcp":{"command":"x"},"Ä":{"command":"y"},"a":{"command":"z"}}}"#;
    let names: Vec<_> = config::parse(text).unwrap().into_iter().map(|listed| listed.name).collect();
    assert_eq!(names, ["a", "b", "mcp", "Ä"]);
    // Without a wrapper, a server may have a wrapper's name.
    let names: Vec<_> = config::parse(r#"{"mcp":{"command":"x"},"b":{"url":"http://b"}}"#)
        .unwrap()
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["b", "mcp"]);
}

#[test]
fn an_entry_of_a_list_is_named_by_its_id_or_by_where_it_is() {
    for (entry, name) in [
        (r#"{"serverId":"mine","name":"other","command":"x"}"#, "mine"),
        (r#"{"name":"other","command":"x"}"#, "other"),
        (r#"{"url":"https://user:secret@a.test:8080/mcp?token=secret"}"#, "a.test:8080"),
        (r#"{"command":"/usr/bin/my-server","args":["--key","secret"]}"#, "my-server"),
        (r#"{"command":"npx","args":["-y","@scope/server-everything@1.2.3"]}"#, "server-everything"),
        (r#"{"command":["uvx","mcp-server-time","--x"]}"#, "mcp-server-time"),
        (r#"{"command":"uv","args":["tool","run","mcp-server-fetch"]}"#, "mcp-server-fetch"),
        (r#"{"command":"node","args":["./dist/main.js"]}"#, "main"),
        (r#"{"command":"C:\\bin\\server.exe"}"#, "server"),
        (r#"{"command":"python3","args":["-m","weather"]}"#, "weather"),
        (r#"{"command":"npx"}"#, "npx"),
        ("{}", "server"),
        ("5", "server"),
    ] {
        let list = config::parse(&format!("[{entry}]")).unwrap();
        assert_eq!(list[0].name, name, "{entry}");
    }
    let list = config::parse(r#"[{"command":"x"},{"serverId":"x-2","command":"y"},{"command":"x"}]"#).unwrap();
    let mut names: Vec<_> = list.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["x", "x-2", "x-3"]);
}

#[test]
fn what_is_wrong_is_named_with_its_path_and_without_its_value() {
    for (text, message) in [
        ("", "not JSON: expected a JSON value at byte 0"),
        (r#"{"mcpServers":{"#, "not JSON: expected a member name in double quotes at byte 15"),
        ("5", "expected an object with servers, or a list of them, got a number"),
        (r#"{"mcpServers":[]}"#, "mcpServers: expected an object with servers by name, got an array"),
        (r#"{"command":"x"}"#, "expected servers by name, got one server; put it into a list or give it a name"),
    ] {
        assert_eq!(config::parse(text).unwrap_err().to_string(), message, "{text}");
    }
    for (entry, message) in [
        ("5", "servers.a: expected an object with url or command, got a number"),
        ("{}", "servers.a: expected url or command, got neither"),
        (r#"{"url":"https://a.test","command":"x"}"#, "servers.a: expected either url or command, got both"),
        (r#"{"url":"file:///etc"}"#, "servers.a.url: expected a URL that begins with http:// or https://"),
        (r#"{"url":"https://"}"#, "servers.a.url: expected a URL that begins with http:// or https://"),
        (r#"{"url":5}"#, "servers.a.url: expected a string, got a number"),
        (
            r#"{"url":"https://a.test","headers":{"A":["secret"]}}"#,
            "servers.a.headers.A: expected a string, got an array",
        ),
        (
            r#"{"url":"https://a.test","headers":{"A b":"secret"}}"#,
            "servers.a.headers.A b: this is no name of a header",
        ),
        (r#"{"command":""}"#, "servers.a.command: expected the name of a program"),
        (r#"{"command":[]}"#, "servers.a.command: expected the name of a program"),
        (r#"{"command":["x",5]}"#, "servers.a.command[1]: expected a string, got a number"),
        (r#"{"command":{}}"#, "servers.a.command: expected a string or an array of strings, got an object"),
        (r#"{"command":"x","args":"y"}"#, "servers.a.args: expected an array of strings, got a string"),
        (r#"{"command":"x","args":["y",null]}"#, "servers.a.args[1]: expected a string, got null"),
        (r#"{"command":"x","env":["secret"]}"#, "servers.a.env: expected an object of strings, got an array"),
        (r#"{"command":"x","env":{"K":{"secret":1}}}"#, "servers.a.env.K: expected a string, got an object"),
        (r#"{"command":"x","cwd":5}"#, "servers.a.cwd: expected a string, got a number"),
        (r#"{"command":"x","disabled":"yes"}"#, "servers.a.disabled: expected a boolean, got a string"),
        (r#"{"command":"x","timeoutMs":0}"#, "servers.a.timeoutMs: expected a whole number above 0"),
        (r#"{"command":"x","timeouts":{"listMs":"1"}}"#, "servers.a.timeouts.listMs: expected a whole number above 0"),
        (r#"{"command":"x","timeouts":5}"#, "servers.a.timeouts: expected an object, got a number"),
    ] {
        // One bad entry costs no other.
        let text = format!(r#"{{"servers":{{"a":{entry},"b":{{"command":"x"}}}}}}"#);
        let list = config::parse(&text).unwrap();
        assert_eq!(list[0].entry.as_ref().unwrap_err().to_string(), message, "{entry}");
        assert!(list[1].entry.is_ok(), "{entry}");
        assert!(!config::write(&list).contains("secret"), "{entry}");
    }
    let list = config::parse("[{},5]").unwrap();
    assert_eq!(
        list[1].entry.as_ref().unwrap_err().to_string(),
        "[1]: expected an object with url or command, got a number"
    );
}

#[test]
fn an_entry_may_be_off_and_have_a_budget_of_its_own() {
    for (members, disabled, timeouts) in [
        (r#""disabled":true"#, "true", "{}"),
        (r#""enabled":false"#, "true", "{}"),
        (r#""enabled":true,"disabled":false"#, "false", "{}"),
        (r#""timeoutMs":500"#, "false", r#"{"connectMs":500,"handshakeMs":500,"listMs":500}"#),
        // Some editors count seconds, others milliseconds.
        (r#""timeout":60"#, "false", r#"{"connectMs":60000,"handshakeMs":60000,"listMs":60000}"#),
        (r#""timeout":5000"#, "false", r#"{"connectMs":5000,"handshakeMs":5000,"listMs":5000}"#),
        (r#""timeoutMs":500,"timeouts":{"listMs":7}"#, "false", r#"{"connectMs":500,"handshakeMs":500,"listMs":7}"#),
    ] {
        let text = servers(&format!(r#"{{"servers":{{"a":{{"command":"x",{members}}}}}}}"#));
        assert!(text.contains(&format!(r#""disabled":{disabled},"timeouts":{timeouts}}}"#)), "{members}: {text}");
    }
}

#[test]
fn headers_take_variables_from_the_environment_that_is_given() {
    let environment = raw(r#"{"TOKEN":"s3cret","EMPTY":"","BREAK":"a\r\nEvil: 1"}"#);
    for (value, expected) in [
        ("plain $TOKEN {TOKEN} $", Ok("plain $TOKEN {TOKEN} $")),
        ("Bearer ${TOKEN}", Ok("Bearer s3cret")),
        ("${env:TOKEN}${TOKEN}", Ok("s3crets3cret")),
        ("${TOKEN:-other}", Ok("s3cret")),
        ("${EMPTY:-other}", Ok("other")),
        ("${EMPTY}", Ok("")),
        ("${GONE:-}", Ok("")),
        ("${GONE:-a:-b}", Ok("a:-b")),
        ("${GONE", Ok("${GONE")),
        ("${TOKEN} ${GONE}", Err("the header A needs the variable GONE, which is not set")),
        ("${input:key}", Err("the header A needs the variable input:key, which is not set")),
        ("${BREAK}", Err("the header A has a line break in its value")),
    ] {
        let headers = format!(r#"{{"A":{}}}"#, mcp_duet::protocol::json::quote(value));
        let expanded = environment::expand_headers(raw(&headers), environment);
        let expected = expected.map(|text| format!(r#"{{"A":{}}}"#, mcp_duet::protocol::json::quote(text)));
        assert_eq!(expanded, expected.map_err(str::to_owned), "{value}");
    }
    let headers = raw(r#"{"A":"${TOKEN}","B":"x","C":"${GONE}","D":"${GONE:-x}"}"#);
    assert_eq!(environment::shape(headers, environment), r#"{"A":"expanded","B":"plain","C":"unset","D":"expanded"}"#);
}

fn names(servers: &[(&str, &str)]) -> Vec<(usize, usize, String)> {
    let servers: Vec<_> = servers.iter().map(|(name, tools)| Server { name, tools: raw(tools) }).collect();
    name_tools(&servers).0.into_iter().map(|tool| (tool.server, tool.tool, tool.name)).collect()
}

fn tools(names: &[&str]) -> String {
    let tools: Vec<_> =
        names.iter().map(|name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)).collect();
    format!("[{}]", tools.join(","))
}

#[test]
fn tools_have_names_that_providers_take_whoever_answered_first() {
    let (one, two) = (tools(&["get", "查天气", "a.b/c"]), tools(&["get"]));
    let found = names(&[("weather", &one), ("9 lives", &two)]);
    let only: Vec<_> = found.iter().map(|(server, tool, name)| (*server, *tool, name.as_str())).collect();
    assert_eq!(only, [(1, 0, "_9_lives_get"), (0, 0, "weather_get"), (0, 1, "weather____"), (0, 2, "weather_a_b_c")]);
    let mut swapped = names(&[("9 lives", &two), ("weather", &one)]);
    for tool in &mut swapped {
        tool.0 = 1 - tool.0;
    }
    assert_eq!(swapped, found);
    assert_eq!(sanitize(""), "_");
    assert_eq!(sanitize("-a"), "_-a");
}

#[test]
fn names_that_would_be_one_are_told_apart_by_what_they_are() {
    let long = "l".repeat(300);
    let all = tools(&["a.b", "a/b", "a b", "a.b", &long, &format!("{long}!")]);
    let found = names(&[("s", &all)]);
    let mut only: Vec<_> = found.iter().map(|(_, _, name)| name.clone()).collect();
    assert_eq!(only[0], "s_a_b");
    for name in &only {
        assert!(
            name.len() <= MAX_NAME
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        );
    }
    // The mark of a tool stays when others come and go.
    let fewer = names(&[("s", &tools(&["a.b", "a b"]))]);
    assert_eq!(fewer[1].2, only[2]);
    only.sort();
    only.dedup();
    assert_eq!(only.len(), 6);
    // Two servers whose names meet.
    let found = names(&[("s", &tools(&["t_x"])), ("s_t", &tools(&["x"]))]);
    assert_eq!(found[0].2, "s_t_x");
    assert!(found[1].2.starts_with("s_t_x_") && found[1].2.len() == "s_t_x_".len() + 6);
}

#[test]
fn a_bad_tool_costs_no_other_and_is_reported() {
    // CD-02
    let list = raw(
        r#"[{"name":"a","inputSchema":{"type":"object"}},null,{"name":"b"},{"name":"c","inputSchema":{"type":"object"}}]"#,
    );
    let (named, left_out) = name_tools(&[Server { name: "s", tools: list }, Server { name: "t", tools: Raw::NULL }]);
    assert_eq!(named.iter().map(|tool| (tool.tool, tool.name.as_str())).collect::<Vec<_>>(), [(0, "s_a"), (3, "s_c")]);
    let reasons: Vec<_> = left_out.iter().map(|one| (one.fault.index, one.fault.reason)).collect();
    assert_eq!(reasons, [(1, "expected an object"), (2, "expected inputSchema to be an object")]);
}

#[test]
fn a_tool_that_opens_an_interface_says_so() {
    for (members, description, interface) in [
        (r#""description":"d""#, "d", None),
        (r#""title":"T""#, "T", None),
        (r#""annotations":{"title":"A"}"#, "A", None),
        ("\"x\":1", "", None),
        (
            r#""description":"d","_meta":{"ui":{"resourceUri":"ui://a"}}"#,
            "d\n\nOpens an interactive interface for the user.",
            Some("ui://a"),
        ),
        (r#""_meta":{"ui/resourceUri":"ui://b"}"#, "Opens an interactive interface for the user.", Some("ui://b")),
        (
            r#""_meta":{"io.modelcontextprotocol/ui-resource-uri":"ui://c"}"#,
            "Opens an interactive interface for the user.",
            Some("ui://c"),
        ),
        (r#""description":"d","_meta":{"ui":{"resourceUri":5},"ui/resourceUri":""}"#, "d", None),
    ] {
        let list = format!(r#"[{{"name":"a","inputSchema":{{"type":"object"}},{members}}}]"#);
        let (named, _) = name_tools(&[Server { name: "s", tools: raw(&list) }]);
        assert_eq!(
            (named[0].description.as_str(), named[0].interface.as_deref()),
            (description, interface),
            "{members}"
        );
    }
}

#[test]
fn a_question_is_shown_as_form_or_as_a_page_of_the_web() {
    // CD-11
    for (params, expected) in [
        (
            r#"{"message":"m","requestedSchema":{"type":"object"}}"#,
            Ok(r#"{"id":"e1","mode":"form","message":"m","schema":{"type":"object"}}"#),
        ),
        (
            r#"{"mode":"form","message":"m","requestedSchema":{}}"#,
            Ok(r#"{"id":"e1","mode":"form","message":"m","schema":{}}"#),
        ),
        (
            r#"{"mode":"url","message":"m","url":"https://a.test/x?y"}"#,
            Ok(r#"{"id":"e1","mode":"url","message":"m","url":"https://a.test/x?y"}"#),
        ),
        (r#"{"mode":"url","message":"m","url":"javascript:alert(1)"}"#, Err("url")),
        (r#"{"mode":"url","message":"m","url":"/relative"}"#, Err("url")),
        (r#"{"mode":"url","message":"m","url":"https:///x"}"#, Err("url")),
        (r#"{"mode":"url","message":"m","url":"https://a.test/\n"}"#, Err("url")),
        (r#"{"mode":"url","message":"m"}"#, Err("url")),
        (r#"{"mode":"voice","message":"m"}"#, Err("mode")),
        (r#"{"message":"m"}"#, Err("requestedSchema")),
    ] {
        match (elicitation::to_request("e1", raw(params)), expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected),
            (Err(reason), Err(word)) => assert!(reason.contains(word), "{reason}"),
            (got, _) => panic!("{params} gave {got:?}"),
        }
    }
}

#[test]
fn tools_that_are_not_for_models_are_not_named() {
    let tools = r#"[
        {"name":"a","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}},
        {"name":"b","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app","model"]}}},
        {"name":"c","inputSchema":{"type":"object"},"_meta":{"ui":{}}},
        {"name":"d","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":"model"}}}
    ]"#;
    let (named, left_out) = name_tools(&[Server { name: "s", tools: raw(tools) }]);
    let named: Vec<_> = named.iter().map(|named| (named.tool, named.name.as_str())).collect();
    assert_eq!(named, [(1, "s_b"), (2, "s_c")]);
    assert!(left_out.is_empty());
}

#[test]
fn only_a_clear_answer_accepts_or_declines() {
    for (answer, expected) in [
        (r#"{"ok":true,"data":{"a":1e400}}"#, r#"{"action":"accept","content":{"a":1e400}}"#),
        (r#"{"ok":true}"#, r#"{"action":"accept"}"#),
        (r#"{"ok":true,"data":[1]}"#, r#"{"action":"accept"}"#),
        (r#"{"ok":false,"reason":"declined"}"#, r#"{"action":"decline"}"#),
        (r#"{"ok":false,"reason":"cancelled"}"#, r#"{"action":"cancel"}"#),
        (r#"{"ok":false,"reason":"expired","data":{}}"#, r#"{"action":"cancel"}"#),
        (r#"{"ok":false}"#, r#"{"action":"cancel"}"#),
        (r#"{"ok":"true","data":{}}"#, r#"{"action":"cancel"}"#),
        ("null", r#"{"action":"cancel"}"#),
        ("5", r#"{"action":"cancel"}"#),
    ] {
        assert_eq!(elicitation::to_result(raw(answer)), expected, "{answer}");
    }
}
