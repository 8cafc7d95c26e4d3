//! Why an authorization did not come about.

/// The step of the flow that failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// Finding the protected resource's metadata.
    Resource,
    /// Finding the authorization server's metadata.
    Server,
    /// Becoming or being a client of the authorization server.
    Registration,
    /// The authorization request and its response.
    Authorization,
    /// A request to the token endpoint.
    Token,
}

impl Step {
    /// The step as it is named in errors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resource => "resource",
            Self::Server => "server",
            Self::Registration => "registration",
            Self::Authorization => "authorization",
            Self::Token => "token",
        }
    }
}

/// A failed authorization. Holds no token, code, secret or verifier.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// Where it failed.
    pub step: Step,
    /// What was expected and what came.
    pub message: String,
    /// The OAuth error code that the server gave, such as `invalid_grant`.
    pub error: Option<String>,
    /// The HTTP status that it came with; 0 where there was none.
    pub status: u16,
}

impl Failure {
    pub(crate) fn new(step: Step, message: &[&str]) -> Self {
        Self { step, message: message.concat(), error: None, status: 0 }
    }
}
