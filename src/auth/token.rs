//! Tokens as they are kept.

use crate::protocol::json::{Raw, Writer};

/// The tokens for one resource.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tokens {
    /// What a request carries.
    pub access_token: String,
    /// Whether it is bound to a key (RFC 9449) instead of a bearer token.
    pub is_dpop: bool,
    /// What gets the next one.
    pub refresh_token: Option<String>,
    /// When the access token ends, in milliseconds since 1970.
    pub expires_at: Option<u64>,
    /// When to renew it ahead of its end, in milliseconds since 1970.
    pub renew_at: Option<u64>,
    /// The scopes that were asked for; a step-up keeps them.
    pub requested: String,
    /// Who issued them; they are worth nothing anywhere else.
    pub issuer: String,
    /// The client that they were issued to.
    pub client_id: String,
}

impl Tokens {
    /// Reads what [`Tokens::write`] wrote.
    pub fn read(raw: Raw<'_>) -> Option<Self> {
        let text = |name: &str| raw.get_str(name).map(|text| text.into_owned());
        let time = |name: &str| raw.get(name).and_then(Raw::as_i64).and_then(|at| u64::try_from(at).ok());
        Some(Self {
            access_token: text("access_token")?,
            is_dpop: text("token_type").is_some_and(|of| of == "DPoP"),
            refresh_token: text("refresh_token"),
            expires_at: time("expires_at"),
            renew_at: time("renew_at"),
            requested: text("requested").unwrap_or_default(),
            issuer: text("issuer")?,
            client_id: text("client_id").unwrap_or_default(),
        })
    }

    /// The text to store: one JSON object.
    pub fn write(&self) -> String {
        let mut out = Writer::new();
        out.open_object().name("access_token").string(&self.access_token);
        out.name("token_type").string(if self.is_dpop { "DPoP" } else { "Bearer" });
        if let Some(token) = &self.refresh_token {
            out.name("refresh_token").string(token);
        }
        for (name, at) in [("expires_at", self.expires_at), ("renew_at", self.renew_at)] {
            if let Some(at) = at {
                out.name(name).integer(i64::try_from(at).unwrap_or(i64::MAX));
            }
        }
        for (name, value) in [("requested", &self.requested), ("issuer", &self.issuer), ("client_id", &self.client_id)]
        {
            out.name(name).string(value);
        }
        out.close_object();
        out.finish()
    }
}
