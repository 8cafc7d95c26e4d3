//! Authorization behind the mailbox: `pkg-template/lib/auth-flow.js` is the driver.
//!
//! All of it is cold, so outputs are JSON: `{"do": "request" | "choose" | "load" | "store" | "redirect" |
//! "sign" | "done" | "failed", …}` with the names of [`Output`]'s fields.

use super::{error, mailbox};
use crate::auth::jwt::{self, Proof};
use crate::auth::protection::{Presented, Scheme, Verified};
use crate::auth::reaction::{self, Reaction};
use crate::auth::{Answer, Failure, Flow, Input, Output, Setup, SigningKey, Start, Step, Tokens, protection, uri};
use crate::protocol::json::{Raw, Writer};
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// One authorization.
#[wasm_bindgen]
pub struct AuthFlow {
    flow: RefCell<Flow>,
}

#[wasm_bindgen]
impl AuthFlow {
    /// Begins and posts the first output. The mailbox holds `{"setup", "start"}`, or
    /// `{"setup", "resume"}` to go on with a redirect's record; then nothing is posted.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT`
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<Self, JsValue> {
        let begun = mailbox::take(length, |text| {
            let raw = Raw::parse(text).ok()?;
            let setup = Setup::read(raw.get("setup")?.text())?;
            if let Some(record) = raw.get_str("resume") {
                return Some((Flow::resume(setup, record.as_bytes())?, None));
            }
            let (flow, output) = Flow::begin(setup, Start::read(raw.get("start")?.text())?);
            Some((flow, Some(output)))
        });
        match begun {
            Some((flow, output)) => {
                if let Some(output) = output {
                    post(&output);
                }
                Ok(Self { flow: RefCell::new(flow) })
            }
            None => Err(error::mcp_error("INVALID_ARGUMENT", "the authorization's options cannot be read")),
        }
    }

    /// What came of the last output; posts the next one. Kinds: 1 answer (the mailbox holds
    /// DPoP-Nonce, NUL and the body), 2 unreachable (why), 3 loaded (what is stored, empty if
    /// nothing is), 4 stored, 5 redirected (the URL), 6 signed (base64url), 7 chosen (the issuer).
    pub fn handle(&self, kind: u32, status: u16, length: usize, now: f64) {
        let input = mailbox::take(length, |bytes| {
            let text = || String::from_utf8_lossy(bytes).into_owned();
            match kind {
                1 => {
                    let mut parts = bytes.splitn(2, |byte| *byte == 0);
                    let nonce = parts.next().map(|nonce| String::from_utf8_lossy(nonce).into_owned());
                    let body = parts.next().unwrap_or_default().to_vec();
                    Input::Answer(Answer { status, body, dpop_nonce: nonce.filter(|nonce| !nonce.is_empty()) })
                }
                2 => Input::Unreachable(text()),
                3 => Input::Loaded(Some(bytes.to_vec()).filter(|text| !text.is_empty())),
                4 => Input::Stored,
                5 => Input::Redirected(text()),
                6 => Input::Signed(text()),
                _ => Input::Chosen(text()),
            }
        });
        let output = self.flow.borrow_mut().handle(input, now as u64);
        post(&output);
    }
}

/// What to do about a refused request: 0 report, 1 authorize, 2 repeat. The mailbox holds the tokens that
/// it carried as JSON, NUL and the value of `WWW-Authenticate`; either may be empty.
#[wasm_bindgen(js_name = authReact)]
pub fn react(status: u16, length: usize, attempts: u32, has_nonce: bool) -> u32 {
    mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (tokens, header) = text.split_once('\0').unwrap_or((&text, ""));
        let tokens = Raw::parse(tokens.as_bytes()).ok().and_then(Tokens::read);
        let header = Some(header).filter(|header| !header.is_empty());
        match reaction::react(status, header, tokens.as_ref(), attempts, has_nonce) {
            Reaction::Report => 0,
            Reaction::Authorize => 1,
            Reaction::Repeat => 2,
        }
    })
}

/// Posts the signing input of a proof. The mailbox holds the key, method, URL, `jti`, nonce and
/// token hash with NULs in between.
#[wasm_bindgen(js_name = authProof)]
pub fn proof(length: usize, now: f64) {
    let input = mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\0');
        let mut part = || parts.next().unwrap_or_default();
        let proof = Proof { jwk: part(), method: part(), url: part(), jti: part(), nonce: part(), token_hash: part() };
        jwt::dpop_proof(&proof, now as u64)
    });
    mailbox::post(&[&input], &[]);
}

/// Posts a resource server's metadata and its address. The mailbox holds the resource, the
/// issuers with spaces in between and the scopes, with NULs in between.
#[wasm_bindgen(js_name = authMetadata)]
pub fn metadata(length: usize, requires_dpop: bool) {
    let (document, url) = mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\0');
        let resource = parts.next().unwrap_or_default();
        let mut words = || parts.next().unwrap_or_default().split_ascii_whitespace().collect::<Vec<_>>();
        let (servers, scopes) = (words(), words());
        let document = protection::metadata(resource, &servers, &scopes, requires_dpop);
        (document, protection::metadata_url(resource).unwrap_or_default())
    });
    mailbox::post(&[&document, &url], &[]);
}

/// Decides about a request to a protected resource; posts the status (0 lets it pass) and a
/// `WWW-Authenticate` value. The mailbox holds the resource, `DPoP` or the scheme `Bearer`, the
/// scopes that are needed, what was presented (empty, `token`, or why it must not pass), and of a
/// token its audience, its scopes and the seconds at which it ends or nothing, with NULs in between.
#[wasm_bindgen(js_name = authJudge)]
pub fn judge(length: usize, now: f64) {
    let verdict = mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\0');
        let mut part = || parts.next().unwrap_or_default();
        let resource = part();
        let scheme = if part() == "DPoP" { Scheme::Dpop } else { Scheme::Bearer };
        let required = part();
        let presented = match part() {
            "" => Presented::Nothing,
            "token" => Presented::Token(Verified { audience: part(), scopes: part(), expires_at: part().parse().ok() }),
            why => Presented::Refused(why),
        };
        protection::judge(resource, scheme, required, &presented, now as u64)
    });
    let (status, header) = verdict.unwrap_or_default();
    mailbox::post(&[&header], &[u32::from(status)]);
}

/// Posts the scheme and the token of an `Authorization` value, the token empty if it has no
/// well-formed one.
#[wasm_bindgen(js_name = authPresented)]
pub fn presented(length: usize) {
    let (scheme, token) = mailbox::take(length, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let (scheme, token) = protection::presented(&text).unwrap_or_default();
        (scheme, token.to_owned())
    });
    mailbox::post(&[scheme.as_str(), &token], &[]);
}

/// Posts the addresses at which an issuer's metadata may be, in the order to try.
#[wasm_bindgen(js_name = authServerUrls)]
pub fn server_urls(length: usize) {
    let urls = mailbox::take(length, |bytes| uri::server_metadata_urls(&String::from_utf8_lossy(bytes)));
    mailbox::post(&urls.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
}

fn post(output: &Output) {
    let mut out = Writer::new();
    out.open_object().name("do");
    match output {
        Output::Request { method, url, headers, body } => {
            out.string("request").name("method").string(method).name("url").string(url);
            out.name("headers").open_object();
            for (name, value) in headers {
                out.name(name).string(value);
            }
            out.close_object();
            if let Some(body) = body {
                out.name("body").string(body);
            }
        }
        Output::Choose { issuers } => {
            out.string("choose").name("issuers").open_array();
            for issuer in issuers {
                out.string(issuer);
            }
            out.close_array();
        }
        Output::Load { key } => {
            out.string("load").name("key").string(key);
        }
        Output::Store { key, value } => {
            out.string("store").name("key").string(key).name("value").string(value);
        }
        Output::Redirect { url, resume } => {
            out.string("redirect").name("url").string(url).name("resume").string(resume);
        }
        Output::Sign { key, algorithm, input } => {
            out.string("sign").name("key").string(match key {
                SigningKey::Client => "client",
                SigningKey::Dpop => "dpop",
            });
            out.name("algorithm").string(algorithm).name("input").string(input);
        }
        Output::Done(tokens) => {
            out.string("done").name("tokens").raw(&tokens.write());
        }
        Output::Failed(Failure { step, message, error, status }) => {
            out.string("failed").name("step").string(Step::as_str(*step)).name("message").string(message);
            out.name("status").integer(i64::from(*status));
            if let Some(error) = error {
                out.name("error").string(error);
            }
        }
    }
    out.close_object();
    mailbox::post(&[out.as_str()], &[]);
}
