//! What a host has to do.

use crate::protocol::error::ErrorObject;

/// One thing to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Output {
    /// Post this message to the View.
    Post(String),
    /// Send the sandbox proxy its document.
    Load,
    /// Send this request to the server and give [`super::Host::settle`] what comes of it.
    Forward {
        /// The number to settle it by.
        call: u32,
        /// Its method.
        method: &'static str,
        /// Its parameters, an object as JSON, without a progress token.
        params: String,
        /// Whether the View wants to know how far it has got.
        progress: bool,
    },
    /// Ask the application and give [`super::Host::settle`] what it says.
    Ask {
        /// The number to settle it by.
        call: u32,
        /// The View's request, one of `protocol::apps::HOST_ANSWERS`.
        method: &'static str,
        /// Its parameters, checked, an object as JSON.
        params: String,
    },
    /// Nobody waits for that call any longer.
    Cancel(u32),
    /// Get the server's list of tools and give it to [`super::Host::tools`].
    ListTools,
    /// The View is initialized.
    Initialized {
        /// Its `appInfo`, as JSON.
        app_info: String,
        /// Its `appCapabilities`, as JSON.
        app_capabilities: String,
    },
    /// The View's content has another size, in CSS pixels; an axis that has none stays as it is.
    Size {
        /// Its width.
        width: Option<u32>,
        /// Its height.
        height: Option<u32>,
    },
    /// The display mode in force is another one.
    DisplayMode(&'static str),
    /// The View logs something: the parameters of `notifications/message` as JSON.
    Log(String),
    /// The View would like to be closed.
    TeardownRequested,
    /// The tools that the View provides have changed.
    ToolsChanged,
    /// What the application asked the View is answered: a result as JSON, or why there is none.
    Answered {
        /// The application's number.
        call: u32,
        /// What came of it.
        answer: Result<String, Unanswered>,
    },
    /// How far what the application asked has got: `progress`, `total` and `message` as JSON.
    Progress {
        /// The application's number.
        call: u32,
        /// An object as JSON.
        params: String,
    },
    /// Something was not as it should be: for people who write hosts and Views.
    Warning(String),
    /// Call [`super::Host::handle_timeout`] at this time, in milliseconds; replaces what was said before.
    Wait(u64),
    /// The sandbox page does not answer: it is not there, is another page, or may not be framed. [`Output::Closed`] follows.
    Silent,
    /// It is over; remove the frame.
    Closed,
}

/// What came of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// A result, an object as JSON.
    Result(String),
    /// The application or the person refused.
    Denied,
    /// A JSON-RPC error.
    Error(ErrorObject),
}

/// Why what the application asked the View has no result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Unanswered {
    /// The View answers with an error, or provides no such thing.
    Error(ErrorObject),
    /// There is no View to answer: what is the matter.
    Closed(&'static str),
    /// It did not answer in time.
    TimedOut,
}
