//! A token request: sign what has to be signed, send it, repeat it once with a nonce.

use super::{Flow, Input, Output, SigningKey, State, accept, answered};
use crate::auth::failure::{Failure, Step};
use crate::auth::jwt::{self, Proof};
use crate::auth::registration::Credentials;
use crate::auth::request::{self, Form, Method};
use crate::auth::response;
use crate::auth::setup::Grant;
use crate::auth::token::Tokens;
use crate::auth::uri;
use crate::protocol::json::Raw;

/// A secret has at least this many bytes; shorter ones could be any word of a message.
const SHORTEST_SECRET: usize = 8;

/// What the answer is for.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    Tokens,
    Refresh,
    /// An assertion of the identity provider, with which tokens are asked for then.
    Identity,
}

/// What is awaited.
#[derive(Clone, Debug)]
enum Wanted {
    Assertion(String),
    Proof(String),
    Answer,
}

#[derive(Clone, Debug)]
pub(super) struct Exchange {
    purpose: Purpose,
    endpoint: String,
    form: Form,
    method: Method,
    assertion: Option<String>,
    proof: Option<String>,
    nonce: Option<String>,
    wanted: Wanted,
}

impl Exchange {
    /// A refusal without what the server repeats in it of the request's secrets.
    fn silenced(&self, client: &Credentials, mut refusal: Vec<u8>) -> Vec<u8> {
        // The first pair is the kind of grant; addresses are no secrets, and short values are words.
        let sent = self.form.pairs.iter().skip(1).map(|(_, value)| value);
        let secrets = sent.chain(&client.client_secret).chain(&self.assertion);
        for secret in secrets.filter(|secret| secret.len() >= SHORTEST_SECRET && !uri::is_secure(secret)) {
            let secret = secret.as_bytes();
            while let Some(at) = refusal.windows(secret.len()).position(|part| part == secret) {
                refusal.splice(at..at + secret.len(), *b"***");
            }
        }
        refusal
    }
}

impl Flow {
    /// Where a request for that goes, and as whom.
    fn party(&self, purpose: &Purpose) -> (&str, &Credentials) {
        match (purpose, &self.setup.grant) {
            (Purpose::Identity, Grant::IdentityAssertion { token_endpoint, client, .. }) => (token_endpoint, client),
            _ => (&self.server.token_endpoint, &self.client),
        }
    }

    pub(super) fn exchange(&mut self, purpose: Purpose, form: Form, now: u64) -> Output {
        let has_key = !self.setup.key_algorithm.is_empty();
        let (endpoint, client) = self.party(&purpose);
        let endpoint = endpoint.to_owned();
        let method = match purpose {
            Purpose::Identity => {
                let method = if client.client_secret.is_some() { Method::Post } else { Method::None };
                client.method.unwrap_or(method)
            }
            // An assertion speaks for itself where the workload has no client.
            _ if client.client_id.is_empty() => Method::None,
            _ => request::method(client, &self.server, has_key),
        };
        let wanted = Wanted::Answer;
        let (assertion, proof, nonce) = (None, None, None);
        self.proceed(Exchange { purpose, endpoint, form, method, assertion, proof, nonce, wanted }, now)
    }

    fn jti(&mut self) -> String {
        self.signatures += 1;
        [&self.start.secrets.jti, "-", &self.signatures.to_string()].concat()
    }

    /// Asks for what is still missing.
    fn proceed(&mut self, mut exchange: Exchange, now: u64) -> Output {
        let with_proof = !self.setup.dpop_key.is_empty() && !matches!(exchange.purpose, Purpose::Identity);
        let output = if exchange.method == Method::PrivateKeyJwt && exchange.assertion.is_none() {
            let algorithm = self.setup.key_algorithm.clone();
            let jti = self.jti();
            let client_id = &self.party(&exchange.purpose).1.client_id;
            let audience = &self.server.issuer;
            let input = jwt::client_assertion(&algorithm, &self.setup.key_id, client_id, audience, &jti, now);
            exchange.wanted = Wanted::Assertion(input.clone());
            Output::Sign { key: SigningKey::Client, algorithm, input }
        } else if with_proof && exchange.proof.is_none() {
            let jti = self.jti();
            let proof = Proof {
                jwk: &self.setup.dpop_key,
                method: "POST",
                url: &exchange.endpoint,
                jti: &jti,
                nonce: exchange.nonce.as_deref().unwrap_or_default(),
                token_hash: "",
            };
            let input = jwt::dpop_proof(&proof, now);
            exchange.wanted = Wanted::Proof(input.clone());
            Output::Sign { key: SigningKey::Dpop, algorithm: "ES256".to_owned(), input }
        } else {
            let (_, client) = self.party(&exchange.purpose);
            let assertion = exchange.assertion.as_deref();
            let (body, header) = request::authenticated(&exchange.form, client, exchange.method, assertion);
            let mut headers = vec![("content-type", request::FORM_TYPE.to_owned()), accept()];
            headers.extend(header.map(|value| ("authorization", value)));
            headers.extend(exchange.proof.clone().map(|value| ("dpop", value)));
            exchange.wanted = Wanted::Answer;
            Output::Request { method: "POST", url: exchange.endpoint.clone(), headers, body: Some(body) }
        };
        self.state = State::Token(Box::new(exchange));
        output
    }

    pub(super) fn on_exchange(&mut self, mut exchange: Exchange, input: Input, now: u64) -> Result<Output, Failure> {
        match (&exchange.wanted, input) {
            (Wanted::Assertion(signed), Input::Signed(signature)) => {
                exchange.assertion = Some([signed, ".", &signature].concat());
                Ok(self.proceed(exchange, now))
            }
            (Wanted::Proof(signed), Input::Signed(signature)) => {
                exchange.proof = Some([signed, ".", &signature].concat());
                Ok(self.proceed(exchange, now))
            }
            (Wanted::Answer, input) => self.on_tokens(exchange, input, now),
            _ => Err(Failure::new(Step::Token, &["the flow was told something that it did not ask for"])),
        }
    }

    fn on_tokens(&mut self, exchange: Exchange, input: Input, now: u64) -> Result<Output, Failure> {
        let mut answer = answered(input, Step::Token, &exchange.endpoint)?;
        if answer.status != 200 {
            answer.body = exchange.silenced(self.party(&exchange.purpose).1, answer.body);
        }
        if matches!(exchange.purpose, Purpose::Identity) {
            let assertion = response::exchanged(answer.status, &answer.body, &exchange.endpoint)?;
            let form = request::jwt_bearer_form(&assertion, &self.scopes, "");
            return Ok(self.exchange(Purpose::Tokens, form, now));
        }
        let requested = match (&exchange.purpose, &self.start.tokens) {
            (Purpose::Refresh, Some(tokens)) => &tokens.requested,
            _ => &self.scopes,
        };
        match response::tokens(answer.status, &answer.body, &self.server.issuer, requested, now) {
            Ok(mut tokens) => {
                let is_asked = exchange.proof.is_some();
                if is_asked != tokens.is_dpop {
                    let (got, asked) = if is_asked { ("bearer", "DPoP") } else { ("DPoP", "bearer") };
                    let message =
                        [&self.server.issuer, " gave a ", got, " token where a ", asked, " token was asked for"];
                    return Err(Failure::new(Step::Token, &message));
                }
                tokens.client_id.clone_from(&self.client.client_id);
                if let (Purpose::Refresh, Some(old)) = (&exchange.purpose, &self.start.tokens) {
                    // Without a new refresh token the old one stays good (RFC 6749 §6).
                    tokens.refresh_token = tokens.refresh_token.or_else(|| old.refresh_token.clone());
                }
                Ok(Output::Done(Box::new(tokens)))
            }
            Err(failure) => {
                let error = failure.error.as_deref();
                let is_refresh = matches!(exchange.purpose, Purpose::Refresh);
                if error == Some("use_dpop_nonce") && exchange.nonce.is_none() && answer.dpop_nonce.is_some() {
                    // An assertion is good for one request as well.
                    let again = Exchange { nonce: answer.dpop_nonce, assertion: None, proof: None, ..exchange };
                    return Ok(self.proceed(again, now));
                }
                if is_refresh && error == Some("invalid_grant") {
                    self.state = State::Recalling;
                    return Ok(Output::Load { key: ["tokens ", &self.setup.server_url].concat() });
                }
                Err(failure)
            }
        }
    }

    /// Only the refresh token that is current is given up: another page or process may have got its successor.
    pub(super) fn on_recalled(&mut self, stored: Option<&[u8]>, now: u64) -> Result<Output, Failure> {
        let stored = stored.and_then(|text| Raw::parse(text).ok()).and_then(Tokens::read);
        let used = self.start.tokens.as_ref().map(|tokens| &tokens.access_token);
        if let Some(tokens) = stored.filter(|tokens| Some(&tokens.access_token) != used) {
            return Ok(Output::Done(Box::new(tokens)));
        }
        self.is_stale = true;
        self.grant(now)
    }
}
