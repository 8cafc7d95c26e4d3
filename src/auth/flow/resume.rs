//! A flow that waits for the user, as text: a redirect takes the page away, and the flow with it.

use super::{Flow, State};
use crate::auth::registration::Credentials;
use crate::auth::setup::{Secrets, Setup, Start};
use crate::protocol::json::{Raw, Writer};

impl Flow {
    /// All that the rest of the flow needs.
    pub(super) fn resumable(&self) -> String {
        let secrets = &self.start.secrets;
        let mut out = Writer::new();
        out.open_object();
        for (name, value) in [
            ("issuer", &self.server.issuer),
            ("token_endpoint", &self.server.token_endpoint),
            ("auth_methods", &self.server.auth_methods),
            ("resource", &self.resource.resource),
            ("scope", &self.scopes),
            ("redirect_uri", &self.setup.redirect_uri),
            ("state", &secrets.state),
            ("verifier", &secrets.verifier),
            ("jti", &secrets.jti),
        ] {
            out.name(name).string(value);
        }
        out.name("sends_issuer").raw(if self.server.sends_issuer { "true" } else { "false" });
        out.name("client").raw(&self.client.write()).close_object();
        out.finish()
    }

    /// The flow as it was when it gave the redirect; it takes [`super::Input::Redirected`] next.
    /// `None` if the text is none of its own.
    pub fn resume(mut setup: Setup, text: &[u8]) -> Option<Self> {
        let raw = Raw::parse(text).ok()?;
        let text = |name: &str| raw.get_str(name).map(|text| text.into_owned());
        let client = raw.get("client").and_then(Credentials::read)?;
        setup.redirect_uri = text("redirect_uri")?;
        let secrets = Secrets {
            state: text("state")?,
            verifier: text("verifier")?,
            jti: [&text("jti")?, "-resumed"].concat(),
            ..Secrets::default()
        };
        let mut flow = Self::empty(setup, Start { secrets, ..Start::default() });
        flow.server.issuer = text("issuer")?;
        flow.server.token_endpoint = text("token_endpoint")?;
        flow.server.auth_methods = text("auth_methods")?;
        flow.server.sends_issuer = raw.get("sends_issuer")?.as_bool()?;
        flow.resource.resource = text("resource")?;
        flow.scopes = text("scope")?;
        flow.client = client;
        flow.state = State::Redirecting;
        Some(flow)
    }
}
