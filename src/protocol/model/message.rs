//! Whole messages.

use super::{Call, Json, ModelError, Notice, Nullable, Number, Object, Token, Wire};
use crate::protocol::json::{Raw, Writer};

record! {
    /// A request's answer.
    ResultResponse {
        jsonrpc: String = "jsonrpc",
        id: Token = "id",
        /// The type that the request's method promises reads it.
        result: Json = "result",
    }

    /// A request's refusal.
    ErrorResponse {
        jsonrpc: String = "jsonrpc",
        /// Missing where the request's was not readable.
        id: Option<Token> = "id",
        error: ErrorObject = "error",
    }

    /// What went wrong.
    ErrorObject {
        code: Number = "code",
        message: String = "message",
        data: Nullable = "data",
    }
}

/// A request; inside `inputRequests` it has neither `jsonrpc` nor an id.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Request {
    /// `jsonrpc`
    pub jsonrpc: Option<String>,
    /// `id`
    pub id: Option<Token>,
    /// `method` and `params`
    pub call: Call,
    /// Members that the specification does not name.
    pub extra: Object,
}

/// A notification.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Notification {
    /// `jsonrpc`
    pub jsonrpc: Option<String>,
    /// `method` and `params`
    pub notice: Notice,
    /// Members that the specification does not name.
    pub extra: Object,
}

impl Request {
    /// A message of its own.
    pub fn new(id: impl Into<Token>, call: Call) -> Self {
        Self { jsonrpc: Some("2.0".to_owned()), id: Some(id.into()), call, extra: Object::default() }
    }

    /// A question inside a result.
    pub fn question(call: Call) -> Self {
        Self { call, ..Self::default() }
    }
}

impl Notification {
    /// A message of its own.
    pub fn new(notice: Notice) -> Self {
        Self { jsonrpc: Some("2.0".to_owned()), notice, extra: Object::default() }
    }
}

macro_rules! envelope {
    ($name:ident, $payload:ident: $kind:ty, $($member:ident = $key:literal),*) => {
        impl Wire for $name {
            fn read(value: Raw<'_>) -> Result<Self, ModelError> {
                use super::Member;
                let method = value.get_str("method").ok_or_else(|| ModelError::new("a string").at("method"))?;
                let mut extra = Object::default();
                let mut params = None;
                $(let mut $member = None;)*
                for (key, member) in value.members() {
                    match &*key.name() {
                        "method" => {}
                        "params" => params = Some((key, member)),
                        $($key => $member = Some((key, member)),)*
                        _ => extra.push_read(key, member),
                    }
                }
                Ok(Self {
                    $($member: Member::take($member, $key, &mut extra)?,)*
                    $payload: <$kind>::take(&method, params, &mut extra)?,
                    extra,
                })
            }

            fn write(&self, out: &mut Writer) {
                use super::Member;
                out.open_object();
                $(self.$member.put($key, out);)*
                self.$payload.put(out);
                self.extra.write_members(out);
                out.close_object();
            }
        }
    };
}

envelope!(Request, call: Call, jsonrpc = "jsonrpc", id = "id");
envelope!(Notification, notice: Notice, jsonrpc = "jsonrpc");

/// Any message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Message {
    /// With a method and an id.
    Request(Box<Request>),
    /// With a method and no id.
    Notification(Notification),
    /// With a result.
    Result(ResultResponse),
    /// With an error.
    Error(ErrorResponse),
}

impl Wire for Message {
    fn read(value: Raw<'_>) -> Result<Self, ModelError> {
        let has = |name| value.get(name).is_some();
        if has("method") {
            if has("id") {
                Wire::read(value).map(Box::new).map(Self::Request)
            } else {
                Wire::read(value).map(Self::Notification)
            }
        } else if value.get_present("error").is_some() {
            Wire::read(value).map(Self::Error)
        } else {
            Wire::read(value).map(Self::Result)
        }
    }

    fn write(&self, out: &mut Writer) {
        match self {
            Self::Request(message) => message.write(out),
            Self::Notification(message) => message.write(out),
            Self::Result(message) => message.write(out),
            Self::Error(message) => message.write(out),
        }
    }
}
