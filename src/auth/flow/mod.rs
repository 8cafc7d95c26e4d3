//! One authorization, from a challenge to tokens.
//!
//! [`Flow::begin`] gives the first [`Output`], [`Flow::handle`] takes what came of it and
//! gives the next one, until [`Output::Done`] or [`Output::Failed`]. Discovery is done anew
//! every time, because the resource may have changed its authorization server.

use super::challenge::{self, Challenge};
use super::discovery::{Resource, Server};
use super::failure::{Failure, Step};
use super::jwt;
use super::registration::{self, Candidates, Choice, Credentials, Description};
use super::request::{self, Form};
use super::response::{self, Expected};
use super::scope::{self, Scopes};
use super::setup::{Grant, Setup, Start};
use super::token::Tokens;
use super::uri;
use crate::protocol::json::Raw;
use exchange::{Exchange, Purpose};

mod discover;
mod exchange;
mod resume;

/// Which key signs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SigningKey {
    /// The client's own, for `private_key_jwt`.
    Client,
    /// The one that tokens are bound to.
    Dpop,
}

/// What the flow wants.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Output {
    /// An HTTP request without cookies, that follows no redirect to another origin; answered by
    /// [`Input::Answer`] or [`Input::Unreachable`].
    Request {
        /// `GET` or `POST`
        method: &'static str,
        /// Verbatim.
        url: String,
        /// Names and values.
        headers: Vec<(&'static str, String)>,
        /// The body of a `POST`.
        body: Option<String>,
    },
    /// One of these issuers; answered by [`Input::Chosen`].
    Choose {
        /// As the resource lists them.
        issuers: Vec<String>,
    },
    /// What is stored under that key; answered by [`Input::Loaded`].
    Load {
        /// `client` and the issuer, or `tokens` and the MCP server's URL, with a space in between.
        key: String,
    },
    /// A registration to store; answered by [`Input::Stored`].
    Store {
        /// `client` and the issuer, with a space in between.
        key: String,
        /// One JSON object.
        value: String,
    },
    /// A URL to open for the user; answered by [`Input::Redirected`].
    Redirect {
        /// The authorization request.
        url: String,
        /// What [`Flow::resume`] takes if the flow is gone when the user comes back. Secret.
        resume: String,
    },
    /// A signature; answered by [`Input::Signed`].
    Sign {
        /// The key.
        key: SigningKey,
        /// Its algorithm, as JOSE calls it.
        algorithm: String,
        /// What to sign.
        input: String,
    },
    /// The tokens.
    Done(Box<Tokens>),
    /// There are none.
    Failed(Failure),
}

/// The answer to a request.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Answer {
    /// The status; 0 for a redirect that was not followed.
    pub status: u16,
    /// As much of the body as [`super::discovery::MAX_DOCUMENT_BYTES`] and one byte.
    pub body: Vec<u8>,
    /// `DPoP-Nonce`
    pub dpop_nonce: Option<String>,
}

/// What came of an output.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Input {
    /// An HTTP answer.
    Answer(Answer),
    /// There was none; why.
    Unreachable(String),
    /// An issuer.
    Chosen(String),
    /// What is stored, if anything is.
    Loaded(Option<Vec<u8>>),
    /// It is stored.
    Stored,
    /// The URL that the user came back with.
    Redirected(String),
    /// The base64url of the signature.
    Signed(String),
}

#[derive(Clone, Debug)]
enum State {
    /// Asking for resource metadata; what is left to try.
    Resource(Vec<String>),
    Choosing,
    /// Asking for server metadata; what is left to try.
    Server(Vec<String>),
    Loading,
    Registering,
    Storing,
    Redirecting,
    Token(Box<Exchange>),
    /// Asking whether somebody else refreshed first.
    Recalling,
    Ended,
}

/// The machine.
#[derive(Clone, Debug)]
pub struct Flow {
    setup: Setup,
    start: Start,
    challenge: Option<Challenge>,
    resource: Resource,
    /// Whether protected resource metadata was found; without it, the rules of 2025-03-26 hold.
    is_published: bool,
    /// Whether every address was answered, if only with a refusal.
    is_reachable: bool,
    server: Server,
    scopes: String,
    /// Who the client is at that server, once that is known.
    client: Credentials,
    /// Refreshing did not work.
    is_stale: bool,
    signatures: u32,
    state: State,
}

impl Flow {
    /// Starts; gives the first output.
    pub fn begin(setup: Setup, start: Start) -> (Self, Output) {
        let challenges = start.challenge.as_deref().map(challenge::parse).unwrap_or_default();
        let challenge = challenge::oauth(&challenges).cloned();
        let mut flow = Self { challenge, ..Self::empty(setup, start) };
        if !uri::is_secure(&flow.setup.server_url) {
            let message = ["tokens are sent to https URLs only, got ", &flow.setup.server_url];
            let failure = Failure::new(Step::Resource, &message);
            return (flow, Output::Failed(failure));
        }
        let named = flow.challenge.as_ref().and_then(|challenge| challenge.get("resource_metadata"));
        let urls = uri::resource_metadata_urls(&flow.setup.server_url, named);
        let output = flow.next_resource(urls);
        (flow, output)
    }

    fn empty(setup: Setup, start: Start) -> Self {
        Self {
            setup,
            start,
            challenge: None,
            resource: Resource::default(),
            is_published: false,
            is_reachable: true,
            server: Server::default(),
            scopes: String::new(),
            client: Credentials::default(),
            is_stale: false,
            signatures: 0,
            state: State::Ended,
        }
    }

    /// What came of the last output, and when, in milliseconds since 1970; gives the next one.
    pub fn handle(&mut self, input: Input, now: u64) -> Output {
        let state = std::mem::replace(&mut self.state, State::Ended);
        let output = match (state, input) {
            (State::Resource(urls), input) => self.on_resource(urls, input),
            (State::Choosing, Input::Chosen(issuer)) => self.on_chosen(issuer),
            (State::Server(urls), input) => self.on_server(urls, input),
            (State::Loading, Input::Loaded(stored)) => self.on_loaded(stored.as_deref(), now),
            (State::Registering, input) => self.on_registered(input),
            (State::Storing, Input::Stored) => self.grant(now),
            (State::Redirecting, Input::Redirected(url)) => self.on_redirected(&url, now),
            (State::Token(exchange), input) => self.on_exchange(*exchange, input, now),
            (State::Recalling, Input::Loaded(stored)) => self.on_recalled(stored.as_deref(), now),
            _ => Err(Failure::new(Step::Authorization, &["the flow was told something that it did not ask for"])),
        };
        output.unwrap_or_else(Output::Failed)
    }

    fn load(&mut self) -> Output {
        self.state = State::Loading;
        Output::Load { key: self.client_key() }
    }

    fn client_key(&self) -> String {
        ["client ", &self.server.issuer].concat()
    }

    fn on_loaded(&mut self, stored: Option<&[u8]>, now: u64) -> Result<Output, Failure> {
        self.scopes = self.selected_scopes();
        if matches!(self.setup.grant, Grant::JwtBearer { .. }) && self.setup.registered.is_none() {
            return self.grant(now);
        }
        let stored = stored.and_then(|text| Raw::parse(text).ok()).and_then(Credentials::read);
        let registered = self.bound();
        let candidates = Candidates {
            registered: registered.as_ref(),
            stored: stored.as_ref(),
            metadata_url: self.setup.metadata_url.as_deref(),
        };
        match registration::choose(&candidates, &self.server, jwt::seconds(now))? {
            Choice::Known(client) => {
                self.client = client;
                self.grant(now)
            }
            Choice::Register(url) => {
                // Servers hold a client to the scopes that it registered with; a step-up needs the others.
                let scopes = scope::union(&self.scopes, &self.resource.scopes);
                let body = registration::body(&Description {
                    name: &self.setup.client_name,
                    redirect_uri: &self.setup.redirect_uri,
                    scope: &scopes,
                    method: request::registered_method(&self.server),
                });
                self.state = State::Registering;
                let headers = vec![("content-type", "application/json".to_owned()), accept()];
                Ok(Output::Request { method: "POST", url, headers, body: Some(body) })
            }
        }
    }

    /// The registered client; one without an issuer belongs to the one that it first had tokens from.
    fn bound(&self) -> Option<Credentials> {
        let mut registered = self.setup.registered.clone()?;
        let tokens = self.start.tokens.as_ref().filter(|tokens| tokens.client_id == registered.client_id);
        registered.issuer = registered.issuer.or_else(|| tokens.map(|tokens| tokens.issuer.clone()));
        Some(registered)
    }

    fn selected_scopes(&self) -> String {
        let tokens = self.start.tokens.as_ref();
        let scopes = Scopes {
            challenged: self.challenge.as_ref().and_then(|challenge| challenge.get("scope")).unwrap_or_default(),
            supported: &self.resource.scopes,
            requested: tokens.map_or("", |tokens| &tokens.requested),
            configured: &self.setup.scope,
            offered: &self.server.scopes,
        };
        scope::select(&scopes, self.setup.grant == Grant::AuthorizationCode)
    }

    fn on_registered(&mut self, input: Input) -> Result<Output, Failure> {
        let issuer = self.server.issuer.clone();
        let answer = answered(input, Step::Registration, &issuer)?;
        self.client = registration::response(answer.status, &answer.body, &issuer)?;
        self.state = State::Storing;
        Ok(Output::Store { key: self.client_key(), value: self.client.write() })
    }

    /// Asks for tokens, now that the client is known.
    fn grant(&mut self, now: u64) -> Result<Output, Failure> {
        let resource = &self.resource.resource;
        if let Some(form) = self.refresh() {
            return Ok(self.exchange(Purpose::Refresh, form, now));
        }
        let form = match &self.setup.grant {
            Grant::AuthorizationCode => return self.redirect(),
            Grant::ClientCredentials => request::client_credentials_form(&self.scopes, resource),
            Grant::JwtBearer { assertion } => request::jwt_bearer_form(assertion, &self.scopes, resource),
            Grant::IdentityAssertion { token_endpoint, subject_token, subject_token_type, .. } => {
                if !uri::is_secure(token_endpoint) {
                    let message = ["the identity provider must be an https URL, got ", token_endpoint];
                    return Err(Failure::new(Step::Token, &message));
                }
                let issuer = &self.server.issuer;
                let form = request::exchange_form(subject_token, subject_token_type, issuer, resource, &self.scopes);
                return Ok(self.exchange(Purpose::Identity, form, now));
            }
        };
        Ok(self.exchange(Purpose::Tokens, form, now))
    }

    /// A refresh where it can help: same issuer and client, and no scope that the token never had.
    fn refresh(&self) -> Option<Form> {
        let tokens = self.start.tokens.as_ref().filter(|_| !self.is_stale)?;
        let refresh_token = tokens.refresh_token.as_deref()?;
        let challenge = self.challenge.as_ref();
        let is_short = challenge.and_then(|challenge| challenge.get("error")) == Some("insufficient_scope");
        let is_ours = tokens.issuer == self.server.issuer && tokens.client_id == self.client.client_id;
        let wanted = challenge.and_then(|challenge| challenge.get("scope")).unwrap_or_default();
        if is_short || !is_ours || !scope::includes(&tokens.requested, wanted) {
            return None;
        }
        Some(request::refresh_form(refresh_token, &self.resource.resource))
    }

    fn redirect(&mut self) -> Result<Output, Failure> {
        let url = request::authorization_url(
            &self.server,
            &self.client.client_id,
            &self.setup.redirect_uri,
            &self.resource.resource,
            &self.scopes,
            &self.start.secrets,
            self.setup.assumed_s256.contains(&self.server.issuer),
        )?;
        let resume = self.resumable();
        self.state = State::Redirecting;
        Ok(Output::Redirect { url, resume })
    }

    fn on_redirected(&mut self, callback: &str, now: u64) -> Result<Output, Failure> {
        let expected = Expected {
            issuer: &self.server.issuer,
            sends_issuer: self.server.sends_issuer,
            state: &self.start.secrets.state,
        };
        let code = response::code(callback, &expected)?;
        let (redirect_uri, verifier) = (&self.setup.redirect_uri, &self.start.secrets.verifier);
        let form = request::code_form(&code, redirect_uri, verifier, &self.resource.resource);
        Ok(self.exchange(Purpose::Tokens, form, now))
    }
}

fn accept() -> (&'static str, String) {
    ("accept", "application/json".to_owned())
}

fn get(url: String) -> Output {
    Output::Request { method: "GET", url, headers: vec![accept()], body: None }
}

fn answered(input: Input, step: Step, from: &str) -> Result<Answer, Failure> {
    match input {
        Input::Answer(answer) => Ok(answer),
        Input::Unreachable(why) => Err(Failure::new(step, &[from, " could not be reached: ", &why])),
        _ => Err(Failure::new(step, &["the flow was told something that it did not ask for"])),
    }
}
