//! Asking the person (2026-07-28, client/elicitation).

use super::{Json, Map, ModelError, Nullable, Number, Object, Record, TaskMetadata, Wire};
use crate::protocol::json::{Raw, Writer};

open_enum! {
    /// What the person did.
    ElicitAction { Accept = "accept", Decline = "decline", Cancel = "cancel", }
}

record! {
    /// Asks for a form to be filled in. Since 2025-06-18.
    ElicitFormParams {
        /// `form`, which need not be said.
        mode: Option<String> = "mode",
        message: String = "message",
        requested_schema: RequestedSchema = "requestedSchema",
        /// 2025-11-25 only.
        task: Option<TaskMetadata> = "task",
        meta: Option<Object> = "_meta",
    }

    /// Asks for a URL to be visited. Since 2025-11-25.
    ElicitUrlParams {
        message: String = "message",
        url: String = "url",
        /// 2025-11-25 only, and required there.
        elicitation_id: Option<String> = "elicitationId",
        /// 2025-11-25 only.
        task: Option<TaskMetadata> = "task",
        meta: Option<Object> = "_meta",
    }

    /// The fields of a form: a flat object of simple types.
    RequestedSchema {
        schema: Option<String> = "$schema",
        kind: String = "type",
        properties: Map<FieldSchema> = "properties",
        required: Option<Vec<String>> = "required",
    }

    /// One field: a text, a number, yes or no, one or many of a list.
    FieldSchema {
        kind: Option<String> = "type",
        title: Option<String> = "title",
        description: Option<String> = "description",
        min_length: Option<Number> = "minLength",
        max_length: Option<Number> = "maxLength",
        format: Option<String> = "format",
        minimum: Option<Number> = "minimum",
        maximum: Option<Number> = "maximum",
        /// Choices without titles.
        choices: Option<Vec<String>> = "enum",
        /// The titles of `enum`, in the way of 2025-06-18.
        choice_names: Option<Vec<String>> = "enumNames",
        /// Choices with titles, of which one is taken. Since 2025-11-25.
        one_of: Option<Vec<Choice>> = "oneOf",
        /// Choices of which many are taken. Since 2025-11-25.
        items: Option<Choices> = "items",
        min_items: Option<Number> = "minItems",
        max_items: Option<Number> = "maxItems",
        default: Nullable = "default",
    }

    /// The choices of which many are taken.
    Choices {
        kind: Option<String> = "type",
        choices: Option<Vec<String>> = "enum",
        any_of: Option<Vec<Choice>> = "anyOf",
    }

    /// One choice.
    Choice {
        value: String = "const",
        title: String = "title",
    }

    /// The result of `elicitation/create`.
    ElicitResult {
        action: ElicitAction = "action",
        /// The fields, after a form was accepted.
        content: Option<Object> = "content",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `notifications/elicitation/complete`. 2025-11-25 only.
    ElicitationCompleteParams {
        elicitation_id: String = "elicitationId",
        meta: Option<Object> = "_meta",
    }
}

/// Parameters of `elicitation/create`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ElicitParams {
    /// `form`
    Form(ElicitFormParams),
    /// `url`
    Url(ElicitUrlParams),
    /// A mode that the specification does not name.
    Unknown(Json),
}

impl Default for ElicitParams {
    /// An empty form.
    fn default() -> Self {
        Self::Form(ElicitFormParams::default())
    }
}

impl Wire for ElicitParams {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        match value.get_str("mode").as_deref() {
            Some("url") => Record::read_members(value, "mode").map(Self::Url),
            Some("form") | None => Wire::read(value).map(Self::Form),
            Some(_) => Ok(Self::Unknown(Json::from(value))),
        }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Form(params) => params.write(out),
            Self::Url(params) => {
                out.open_object().name("mode").string("url");
                params.write_members(out);
                out.close_object();
            }
            Self::Unknown(json) => json.write(out),
        }
    }
}
