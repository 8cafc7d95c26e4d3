//! Sampling and roots; deprecated by SEP-2577 in 2026-07-28, and in use.

use super::{Content, Json, ModelError, Number, Object, Role, TaskMetadata, Tool, Wire};
use crate::protocol::json::{Kind, Raw, Writer};

open_enum! {
    /// Which servers' context a model is to see.
    IncludeContext { None = "none", ThisServer = "thisServer", AllServers = "allServers", }

    /// How a model uses tools.
    ToolChoiceMode { Auto = "auto", Required = "required", None = "none", }

    /// Why a model stopped.
    StopReason {
        EndTurn = "endTurn",
        StopSequence = "stopSequence",
        MaxTokens = "maxTokens",
        ToolUse = "toolUse",
    }
}

record! {
    /// Parameters of `sampling/createMessage`.
    CreateMessageParams {
        messages: Vec<SamplingMessage> = "messages",
        model_preferences: Option<ModelPreferences> = "modelPreferences",
        system_prompt: Option<String> = "systemPrompt",
        include_context: Option<IncludeContext> = "includeContext",
        temperature: Option<Number> = "temperature",
        max_tokens: Number = "maxTokens",
        stop_sequences: Option<Vec<String>> = "stopSequences",
        metadata: Option<Json> = "metadata",
        /// Since 2025-11-25.
        tools: Option<Vec<Tool>> = "tools",
        /// Since 2025-11-25.
        tool_choice: Option<ToolChoice> = "toolChoice",
        /// 2025-11-25 only.
        task: Option<TaskMetadata> = "task",
        meta: Option<Object> = "_meta",
    }

    /// How the model uses tools.
    ToolChoice {
        mode: Option<ToolChoiceMode> = "mode",
    }

    /// One message of a conversation with a model.
    SamplingMessage {
        role: Role = "role",
        content: SamplingContent = "content",
        meta: Option<Object> = "_meta",
    }

    /// Which model the server would like.
    ModelPreferences {
        hints: Option<Vec<ModelHint>> = "hints",
        /// From 0 to 1.
        cost_priority: Option<Number> = "costPriority",
        /// From 0 to 1.
        speed_priority: Option<Number> = "speedPriority",
        /// From 0 to 1.
        intelligence_priority: Option<Number> = "intelligencePriority",
    }

    /// A model, or a family of models.
    ModelHint {
        name: Option<String> = "name",
    }

    /// What the model said.
    CreateMessageResult {
        role: Role = "role",
        content: SamplingContent = "content",
        model: String = "model",
        stop_reason: Option<StopReason> = "stopReason",
        meta: Option<Object> = "_meta",
    }

    /// The result of `roots/list`.
    ListRootsResult {
        roots: Vec<Root> = "roots",
        meta: Option<Object> = "_meta",
    }

    /// A place that the server may work on.
    Root {
        uri: String = "uri",
        name: Option<String> = "name",
        meta: Option<Object> = "_meta",
    }
}

/// The content of a message in sampling: one piece, or a list of them since 2025-11-25.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SamplingContent {
    /// One piece.
    One(Box<Content>),
    /// A list.
    Many(Vec<Content>),
}

impl Default for SamplingContent {
    /// No pieces.
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl SamplingContent {
    /// The pieces.
    pub fn pieces(&self) -> &[Content] {
        match self {
            Self::One(content) => std::slice::from_ref(content),
            Self::Many(list) => list,
        }
    }
}

impl Wire for SamplingContent {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        match value.kind() {
            Kind::Array => Vec::read(value).map(Self::Many),
            Kind::Object => Content::read(value).map(Box::new).map(Self::One),
            _ => Err(ModelError::new("a piece of content or an array of them")),
        }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::One(content) => content.write(out),
            Self::Many(list) => list.write(out),
        }
    }
}
