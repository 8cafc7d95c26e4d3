//! Every request and every notification, with its parameters.

use super::{
    BareParams, CallToolParams, CancelledParams, CompleteParams, CreateMessageParams, ElicitParams,
    ElicitationCompleteParams, GetPromptParams, InitializeParams, Json, LogMessageParams, Member, ModelError, Object,
    PaginatedParams, ProgressParams, ResourceParams, ResourceUpdatedParams, SetLevelParams, SubscriptionParams, Task,
    TaskParams,
};
use crate::protocol::json::{Key, Raw, Writer};
use crate::protocol::method;

macro_rules! methods {
    ($(#[$doc:meta])* $name:ident { $($variant:ident($params:ty) = $method:path,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub enum $name {
            $(
                #[doc = concat!("[`", stringify!($method), "`](crate::protocol::", stringify!($method), ")")]
                $variant($params),
            )*
            /// A method that the specification does not name.
            Other {
                /// Its name.
                method: String,
                /// Its parameters.
                params: Option<Json>,
            },
        }

        impl $name {
            /// The method.
            pub fn method(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $method,)*
                    Self::Other { method, .. } => method,
                }
            }

            /// Every method that has a variant of its own.
            pub const METHODS: &[&str] = &[$($method),*];

            pub(super) fn take(
                method: &str,
                params: Option<(Key<'_>, Raw<'_>)>,
                extra: &mut Object,
            ) -> Result<Self, ModelError> {
                Ok(match method {
                    $($method => Self::$variant(Member::take(params, "params", extra)?),)*
                    other => Self::Other { method: other.to_owned(), params: Member::take(params, "params", extra)? },
                })
            }

            pub(super) fn put(&self, out: &mut Writer) {
                out.name("method").string(self.method());
                match self {
                    $(Self::$variant(params) => Member::put(params, "params", out),)*
                    Self::Other { params, .. } => Member::put(params, "params", out),
                }
            }
        }
    };
}

methods! {
    /// What a request asks for; either side's. Which era has which, [`method`] says.
    Call {
        Initialize(InitializeParams) = method::INITIALIZE,
        Ping(Option<BareParams>) = method::PING,
        Discover(Option<BareParams>) = method::SERVER_DISCOVER,
        ListTools(Option<PaginatedParams>) = method::TOOLS_LIST,
        CallTool(CallToolParams) = method::TOOLS_CALL,
        ListResources(Option<PaginatedParams>) = method::RESOURCES_LIST,
        ListResourceTemplates(Option<PaginatedParams>) = method::RESOURCES_TEMPLATES_LIST,
        ReadResource(ResourceParams) = method::RESOURCES_READ,
        Subscribe(ResourceParams) = method::RESOURCES_SUBSCRIBE,
        Unsubscribe(ResourceParams) = method::RESOURCES_UNSUBSCRIBE,
        ListPrompts(Option<PaginatedParams>) = method::PROMPTS_LIST,
        GetPrompt(GetPromptParams) = method::PROMPTS_GET,
        Complete(CompleteParams) = method::COMPLETION_COMPLETE,
        SetLevel(SetLevelParams) = method::LOGGING_SET_LEVEL,
        Listen(SubscriptionParams) = method::SUBSCRIPTIONS_LISTEN,
        CreateMessage(CreateMessageParams) = method::SAMPLING_CREATE_MESSAGE,
        Elicit(ElicitParams) = method::ELICITATION_CREATE,
        ListRoots(Option<BareParams>) = method::ROOTS_LIST,
        GetTask(TaskParams) = method::TASKS_GET,
        GetTaskResult(TaskParams) = method::TASKS_RESULT,
        ListTasks(Option<PaginatedParams>) = method::TASKS_LIST,
        CancelTask(TaskParams) = method::TASKS_CANCEL,
    }
}

methods! {
    /// What a notification tells; either side's.
    Notice {
        Initialized(Option<BareParams>) = method::INITIALIZED,
        Cancelled(CancelledParams) = method::CANCELLED,
        Progress(ProgressParams) = method::PROGRESS,
        LogMessage(LogMessageParams) = method::LOG_MESSAGE,
        ToolsListChanged(Option<BareParams>) = method::TOOLS_LIST_CHANGED,
        PromptsListChanged(Option<BareParams>) = method::PROMPTS_LIST_CHANGED,
        ResourcesListChanged(Option<BareParams>) = method::RESOURCES_LIST_CHANGED,
        ResourceUpdated(ResourceUpdatedParams) = method::RESOURCES_UPDATED,
        RootsListChanged(Option<BareParams>) = method::ROOTS_LIST_CHANGED,
        ElicitationComplete(ElicitationCompleteParams) = method::ELICITATION_COMPLETE,
        SubscriptionAcknowledged(SubscriptionParams) = method::SUBSCRIPTIONS_ACKNOWLEDGED,
        TaskStatus(Task) = method::TASKS_STATUS,
    }
}

impl Default for Call {
    /// `ping`
    fn default() -> Self {
        Self::Ping(None)
    }
}
