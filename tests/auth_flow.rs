//! Authorization: the flow against a scripted world.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::auth::registration::Credentials;
use mcp_duet::auth::{
    Answer, Failure, Flow, Grant, Input, Output, Secrets, Setup, SigningKey, Start, Step, Tokens, uri,
};
use std::collections::BTreeMap;

const RESOURCE: &str = "https://rs.test/.well-known/oauth-protected-resource/mcp";
const SERVER: &str = "https://as.test/.well-known/oauth-authorization-server";
const NOW: u64 = 1_000_000;

struct World {
    /// By method and URL; each request takes the first answer, the last one stays.
    answers: BTreeMap<String, Vec<Answer>>,
    stored: BTreeMap<String, String>,
    /// What was asked for, in order, with the body and the headers that matter.
    log: Vec<String>,
    iss: Option<&'static str>,
    code: &'static str,
    resume: Option<String>,
    /// In place of the second of several authorization servers.
    choice: Option<String>,
}

fn answer(status: u16, body: &str) -> Answer {
    Answer { status, body: body.as_bytes().to_vec(), dpop_nonce: None }
}

fn metadata(issuer: &str, more: &str) -> String {
    format!(
        r#"{{"issuer":"{issuer}","authorization_endpoint":"{issuer}/authorize","token_endpoint":"{issuer}/token",
        "registration_endpoint":"{issuer}/register","code_challenge_methods_supported":["S256"]{more}}}"#
    )
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            answers: BTreeMap::new(),
            stored: BTreeMap::new(),
            log: vec![],
            iss: None,
            code: "c",
            resume: None,
            choice: None,
        };
        world.set(
            "GET",
            RESOURCE,
            200,
            r#"{"resource":"https://rs.test/mcp","authorization_servers":["https://as.test"]}"#,
        );
        world.set("GET", SERVER, 200, &metadata("https://as.test", ""));
        world.set("POST", "https://as.test/register", 201, r#"{"client_id":"dyn"}"#);
        world.set("POST", "https://as.test/token", 200, r#"{"access_token":"at","refresh_token":"rt"}"#);
        world
    }

    fn set(&mut self, method: &str, url: &str, status: u16, body: &str) {
        self.answers.insert(format!("{method} {url}"), vec![answer(status, body)]);
    }

    fn run(&mut self, setup: &Setup, start: Start) -> Result<Tokens, Failure> {
        let (flow, output) = Flow::begin(setup.clone(), start);
        self.drive(flow, output)
    }

    fn drive(&mut self, mut flow: Flow, mut output: Output) -> Result<Tokens, Failure> {
        for _ in 0..50 {
            let input = match output {
                Output::Done(tokens) => return Ok(*tokens),
                Output::Failed(failure) => return Err(failure),
                Output::Request { method, url, headers, body } => {
                    let extra: Vec<_> =
                        headers.iter().filter(|(name, _)| matches!(*name, "authorization" | "dpop")).collect();
                    self.log.push(format!("{method} {url} {}{extra:?}", body.unwrap_or_default()));
                    match self.answers.get_mut(&format!("{method} {url}")) {
                        Some(list) if list.len() > 1 => Input::Answer(list.remove(0)),
                        Some(list) if list[0].status == 0 => Input::Unreachable("offline".to_owned()),
                        Some(list) => Input::Answer(list[0].clone()),
                        None => Input::Answer(answer(404, "")),
                    }
                }
                Output::Choose { issuers } => Input::Chosen(self.choice.clone().unwrap_or_else(|| issuers[1].clone())),
                Output::Load { key } => Input::Loaded(self.stored.get(&key).map(|text| text.as_bytes().to_vec())),
                Output::Store { key, value } => {
                    self.stored.insert(key, value);
                    Input::Stored
                }
                Output::Redirect { url, resume } => {
                    self.log.push(url.clone());
                    self.resume = Some(resume);
                    let pairs = uri::form_pairs(url.split_once('?').unwrap().1);
                    let state = &pairs.iter().find(|(name, _)| name == "state").unwrap().1;
                    let iss = self.iss.map(|iss| format!("&iss={iss}")).unwrap_or_default();
                    Input::Redirected(format!("http://localhost/cb?code={}&state={state}{iss}", self.code))
                }
                Output::Sign { key, algorithm, input } => {
                    assert_eq!(input.split('.').count(), 2);
                    self.log.push(format!("sign {key:?} {algorithm}"));
                    Input::Signed("signature".to_owned())
                }
            };
            output = flow.handle(input, NOW);
        }
        panic!("the flow does not end: {:#?}", self.log);
    }

    fn has(&self, text: &str) -> bool {
        self.log.iter().any(|line| line.contains(text))
    }

    fn count(&self, text: &str) -> usize {
        self.log.iter().filter(|line| line.contains(text)).count()
    }
}

fn setup() -> Setup {
    Setup {
        server_url: "https://rs.test/mcp".to_owned(),
        grant: Grant::AuthorizationCode,
        registered: None,
        metadata_url: None,
        client_name: "test".to_owned(),
        redirect_uri: "http://localhost/cb".to_owned(),
        scope: String::new(),
        assumed_s256: vec![],
        chooses_server: false,
        key_algorithm: String::new(),
        key_id: String::new(),
        dpop_key: String::new(),
    }
}

fn start() -> Start {
    let secrets = Secrets {
        state: "st".to_owned(),
        verifier: "v3r".to_owned(),
        challenge: "cha".to_owned(),
        jti: "jti".to_owned(),
    };
    Start { secrets, ..Start::default() }
}

fn challenged(header: &str) -> Start {
    Start { challenge: Some(header.to_owned()), ..start() }
}

fn held(refresh_token: &str) -> Tokens {
    Tokens {
        access_token: "old".to_owned(),
        refresh_token: Some(refresh_token.to_owned()),
        requested: "a".to_owned(),
        issuer: "https://as.test".to_owned(),
        client_id: "dyn".to_owned(),
        ..Tokens::default()
    }
}

#[test]
fn a_first_login_discovers_registers_redirects_and_exchanges_the_code() {
    let mut world = World::new();
    let tokens = world.run(&setup(), challenged("Bearer scope=\"a b\"")).unwrap();
    assert_eq!((tokens.access_token.as_str(), tokens.requested.as_str()), ("at", "a b"));
    assert_eq!((tokens.issuer.as_str(), tokens.client_id.as_str()), ("https://as.test", "dyn"));
    assert_eq!(world.log.len(), 5, "{:#?}", world.log);
    assert!(world.stored["client https://as.test"].contains("dyn"));
    assert!(world.log[3].contains("scope=a%20b") && world.log[3].contains("resource=https%3A%2F%2Frs.test%2Fmcp"));
    let exchange = "grant_type=authorization_code&code=c&redirect_uri=http%3A%2F%2Flocalhost%2Fcb\
        &code_verifier=v3r&resource=https%3A%2F%2Frs.test%2Fmcp&client_id=dyn";
    assert!(world.log[4].contains(exchange), "{}", world.log[4]);
}

#[test]
fn a_client_registers_with_every_scope_that_it_may_come_to_need() {
    let mut world = World::new();
    world.set(
        "GET",
        RESOURCE,
        200,
        r#"{"resource":"https://rs.test/mcp","authorization_servers":["https://as.test"],"scopes_supported":["b","c"]}"#,
    );
    world.run(&setup(), challenged("Bearer scope=\"a b\"")).unwrap();
    assert!(world.log[2].contains(r#""scope":"a b c""#), "{}", world.log[2]);
    assert!(world.log[3].contains("scope=a%20b"), "{}", world.log[3]);
}

#[test]
fn an_application_chooses_among_the_listed_authorization_servers() {
    let mut world = World::new();
    let listed = r#"{"resource":"https://rs.test/mcp",
        "authorization_servers":["http://not.secure","https://as.test","https://other.test"]}"#;
    world.set("GET", RESOURCE, 200, listed);
    world.set(
        "GET",
        "https://other.test/.well-known/oauth-authorization-server",
        200,
        &metadata("https://other.test", ""),
    );
    world.set("POST", "https://other.test/register", 201, r#"{"client_id":"dyn"}"#);
    world.set("POST", "https://other.test/token", 200, r#"{"access_token":"at"}"#);
    assert_eq!(world.run(&setup(), start()).unwrap().issuer, "https://as.test", "the first one that may have secrets");
    let choosing = Setup { chooses_server: true, ..setup() };
    assert_eq!(world.run(&choosing, start()).unwrap().issuer, "https://other.test");
    world.choice = Some("https://evil.test".to_owned());
    let failure = world.run(&choosing, start()).unwrap_err();
    assert!(failure.message.contains("one that https://rs.test/mcp lists"), "{failure:?}");
    assert!(!world.has("evil.test"));
}

#[test]
fn the_redirect_uri_is_ours_whatever_the_registration_says() {
    let mut world = World::new();
    let body = r#"{"client_id":"dyn","redirect_uris":["https://as.test/default"]}"#;
    world.set("POST", "https://as.test/register", 201, body);
    world.run(&setup(), start()).unwrap();
    let ours = "redirect_uri=http%3A%2F%2Flocalhost%2Fcb";
    assert!(world.log.iter().any(|line| line.starts_with("https://as.test/authorize?") && line.contains(ours)));
    assert!(world.log.iter().any(|line| line.starts_with("POST https://as.test/token ") && line.contains(ours)));
    assert!(!world.has("default"), "{:#?}", world.log);
}

#[test]
fn a_stored_registration_is_used_again_at_its_issuer_only() {
    let mut world = World::new();
    world.run(&setup(), start()).unwrap();
    world.run(&setup(), start()).unwrap();
    assert_eq!(world.count("/register"), 1);
    world.set("GET", RESOURCE, 200, r#"{"resource":"https://rs.test/mcp","authorization_servers":["https://b.test"]}"#);
    let elsewhere = "https://b.test/.well-known/oauth-authorization-server";
    world.set("GET", elsewhere, 200, &metadata("https://b.test", ""));
    world.set("POST", "https://b.test/register", 201, r#"{"client_id":"second"}"#);
    world.set("POST", "https://b.test/token", 200, r#"{"access_token":"at2"}"#);
    let tokens = world.run(&setup(), Start { tokens: Some(held("rt")), ..start() }).unwrap();
    assert_eq!(tokens.client_id, "second");
    assert_eq!(world.count("grant_type=refresh_token"), 0, "another issuer's refresh token is not sent");
    assert!(!world.log.iter().any(|line| line.contains("b.test") && line.contains("dyn")));
}

#[test]
fn a_registered_client_is_shown_to_no_other_issuer_than_its_first() {
    let registered = Some(Credentials { client_id: "dyn".to_owned(), ..Credentials::default() });
    let setup = Setup { registered, ..setup() };
    let mut world = World::new();
    let tokens = world.run(&setup, start()).unwrap();
    world.set("GET", RESOURCE, 200, r#"{"resource":"https://rs.test/mcp","authorization_servers":["https://b.test"]}"#);
    let elsewhere = "https://b.test/.well-known/oauth-authorization-server";
    world.set("GET", elsewhere, 200, &metadata("https://b.test", ""));
    let failure = world.run(&setup, Start { tokens: Some(tokens), ..start() }).unwrap_err();
    assert_eq!(failure.step, Step::Registration);
    assert!(failure.message.contains("https://as.test") && failure.message.contains("https://b.test"), "{failure:?}");
}

#[test]
fn a_challenge_that_leads_nowhere_falls_back_to_the_well_known_addresses() {
    let mut world = World::new();
    let header = "Bearer resource_metadata=\"https://rs.test/a\", resource_metadata=\"https://rs.test/b\"";
    world.run(&setup(), challenged(header)).unwrap();
    assert!(world.log[0].starts_with("GET https://rs.test/a ") && world.log[1].starts_with(&format!("GET {RESOURCE}")));
    assert!(!world.has("https://rs.test/b"));
}

#[test]
fn another_resource_or_issuer_ends_the_flow_at_once() {
    let mut world = World::new();
    world.set(
        "GET",
        RESOURCE,
        200,
        r#"{"resource":"https://evil.test/mcp","authorization_servers":["https://as.test"]}"#,
    );
    assert_eq!(world.run(&setup(), start()).unwrap_err().step, Step::Resource);
    assert_eq!(world.log.len(), 1);
    let mut world = World::new();
    world.set("GET", SERVER, 200, &metadata("https://honest.test", ""));
    assert_eq!(world.run(&setup(), start()).unwrap_err().step, Step::Server);
    assert_eq!(world.log.len(), 2, "no other address is tried");
}

#[test]
fn a_server_without_any_metadata_is_asked_as_in_2025_03_26() {
    let mut world = World::new();
    world.answers.clear();
    world.set("POST", "https://rs.test/register", 201, r#"{"client_id":"dyn"}"#);
    world.set("POST", "https://rs.test/token", 200, r#"{"access_token":"at"}"#);
    let tokens = world.run(&setup(), start()).unwrap();
    assert_eq!(tokens.issuer, "https://rs.test");
    assert!(world.has("https://rs.test/authorize?response_type=code"));
    for url in [RESOURCE, "https://rs.test/.well-known/oauth-authorization-server"] {
        let mut world = World::new();
        world.answers.clear();
        world.set("GET", url, 0, "");
        let failure = world.run(&setup(), start()).unwrap_err();
        assert_eq!(failure.step, Step::Resource, "an outage is no evidence");
    }
}

#[test]
fn refreshing_comes_before_asking_the_user() {
    let mut world = World::new();
    world
        .stored
        .insert("client https://as.test".to_owned(), r#"{"client_id":"dyn","issuer":"https://as.test"}"#.to_owned());
    world.set("POST", "https://as.test/token", 200, r#"{"access_token":"new"}"#);
    let tokens = world.run(&setup(), Start { tokens: Some(held("rt1")), ..start() }).unwrap();
    assert_eq!((tokens.access_token.as_str(), tokens.refresh_token.as_deref()), ("new", Some("rt1")));
    assert!(world.has("grant_type=refresh_token&refresh_token=rt1&resource=https%3A%2F%2Frs.test%2Fmcp&client_id=dyn"));
    assert!(!world.has("/authorize"));
}

#[test]
fn the_resource_is_sent_as_it_was_published_in_every_request() {
    for (url, published, sent) in [
        ("https://rs.test/mcp", Some("https://rs.test"), "https%3A%2F%2Frs.test"),
        ("https://rs.test/mcp", Some("https://rs.test/"), "https%3A%2F%2Frs.test%2F"),
        ("https://rs.test/mcp", Some("https://RS.test/mcp"), "https%3A%2F%2FRS.test%2Fmcp"),
        ("https://rs.test/", None, "https%3A%2F%2Frs.test"),
        ("https://rs.test/mcp#x", None, "https%3A%2F%2Frs.test%2Fmcp"),
    ] {
        let mut world = World::new();
        world.answers.remove(&format!("GET {RESOURCE}"));
        if let Some(resource) = published {
            let document = format!(r#"{{"resource":"{resource}","authorization_servers":["https://as.test"]}}"#);
            world.set("GET", "https://rs.test/.well-known/oauth-protected-resource", 200, &document);
        } else {
            world.set(
                "GET",
                "https://rs.test/.well-known/oauth-authorization-server",
                200,
                &metadata("https://rs.test", ""),
            );
            world.set("POST", "https://rs.test/register", 201, r#"{"client_id":"dyn"}"#);
            world.set("POST", "https://rs.test/token", 200, r#"{"access_token":"at","refresh_token":"rt"}"#);
        }
        let setup = Setup { server_url: url.to_owned(), ..setup() };
        let tokens = world.run(&setup, start()).unwrap();
        world.run(&setup, Start { tokens: Some(tokens), ..start() }).unwrap();
        for request in ["/authorize?", "grant_type=authorization_code", "grant_type=refresh_token"] {
            let line = world.log.iter().find(|line| line.contains(request)).unwrap();
            let pairs = line.split(['?', '&', ' ']).filter(|pair| pair.starts_with("resource="));
            assert_eq!(pairs.collect::<Vec<_>>(), [format!("resource={sent}")], "{line}");
        }
    }
}

#[test]
fn an_issuer_that_hides_s256_is_taken_at_the_applications_word() {
    let hidden = metadata("https://as.test", "").replace(r#","code_challenge_methods_supported":["S256"]"#, "");
    for (assumed, works) in [(vec![], false), (vec!["https://other.test"], false), (vec!["https://as.test"], true)] {
        let mut world = World::new();
        world.set("GET", SERVER, 200, &hidden);
        let assumed_s256 = assumed.into_iter().map(str::to_owned).collect();
        let result = world.run(&Setup { assumed_s256, ..setup() }, start());
        assert_eq!(result.is_ok(), works, "{result:?}");
        assert_eq!(world.has("code_challenge_method=S256"), works);
    }
}

#[test]
fn only_invalid_grant_gives_a_refresh_token_up() {
    for (status, body, asks) in [
        (400, r#"{"error":"invalid_grant"}"#, true),
        (500, "", false),
        (429, "", false),
        (0, "", false),
        (400, r#"{"error":"invalid_request"}"#, false),
    ] {
        let mut world = World::new();
        world.stored.insert("client https://as.test".to_owned(), r#"{"client_id":"dyn"}"#.to_owned());
        world.set("POST", "https://as.test/token", status, body);
        if asks {
            let list = world.answers.get_mut("POST https://as.test/token").unwrap();
            list.push(answer(200, r#"{"access_token":"new"}"#));
        }
        let result = world.run(&setup(), Start { tokens: Some(held("rt")), ..start() });
        assert_eq!(result.is_ok(), asks, "{status} {body}");
        assert_eq!(world.has("/authorize"), asks, "{status} {body}");
    }
}

#[test]
fn a_refresh_token_that_somebody_else_used_first_gives_way_to_their_tokens() {
    let fresh = Tokens { access_token: "theirs".to_owned(), ..held("rt2") };
    for (stored, asks) in [
        (fresh.write(), false),
        (held("rt").write(), true),
        ("{}".to_owned(), true),
        ("nonsense".to_owned(), true),
        (String::new(), true),
    ] {
        let mut world = World::new();
        world.stored.insert("client https://as.test".to_owned(), r#"{"client_id":"dyn"}"#.to_owned());
        world.stored.insert("tokens https://rs.test/mcp".to_owned(), stored.clone());
        let good = answer(200, r#"{"access_token":"new"}"#);
        let refusal = answer(400, r#"{"error":"invalid_grant"}"#);
        world.answers.insert("POST https://as.test/token".to_owned(), vec![refusal, good]);
        let tokens = world.run(&setup(), Start { tokens: Some(held("rt")), ..start() }).unwrap();
        assert_eq!(tokens.access_token, if asks { "new" } else { "theirs" }, "{stored}");
        assert_eq!(world.has("/authorize"), asks, "{stored}");
    }
}

#[test]
fn more_scopes_need_the_user_and_keep_those_of_before() {
    let mut world = World::new();
    let header = "Bearer error=\"insufficient_scope\", scope=\"b\"";
    let tokens = world.run(&setup(), Start { tokens: Some(held("rt")), ..challenged(header) }).unwrap();
    assert_eq!(tokens.requested, "a b");
    assert!(world.has("scope=a%20b") && !world.has("grant_type=refresh_token"));
}

#[test]
fn the_code_stays_here_when_the_response_is_anothers() {
    for (more, iss, fine) in [
        ("", None, true),
        ("", Some("https://as.test/"), false),
        (r#","authorization_response_iss_parameter_supported":true"#, None, false),
        (r#","authorization_response_iss_parameter_supported":true"#, Some("https://as.test"), true),
    ] {
        let mut world = World::new();
        world.iss = iss;
        world.set("GET", SERVER, 200, &metadata("https://as.test", more));
        assert_eq!(world.run(&setup(), start()).is_ok(), fine, "{more} {iss:?}");
        assert_eq!(world.has("POST https://as.test/token"), fine);
    }
}

#[test]
fn a_flow_goes_on_after_the_page_was_gone() {
    let mut world = World::new();
    world.run(&setup(), start()).unwrap();
    let before = world.log.pop().unwrap();
    let resume = world.resume.take().unwrap();
    let mut flow = Flow::resume(setup(), resume.as_bytes()).unwrap();
    let output = flow.handle(Input::Redirected("http://localhost/cb?code=c&state=st".to_owned()), NOW);
    assert_eq!(world.drive(flow, output).unwrap().access_token, "at");
    assert_eq!(world.log.pop().unwrap(), before);
    let mut flow = Flow::resume(setup(), resume.as_bytes()).unwrap();
    let output = flow.handle(Input::Redirected("http://localhost/cb?code=c&state=other".to_owned()), NOW);
    assert!(matches!(output, Output::Failed(_)));
    assert!(Flow::resume(setup(), b"{}").is_none());
}

#[test]
fn a_client_on_its_own_behalf_shows_its_secret_or_signs() {
    let registered =
        Credentials { client_id: "c".to_owned(), client_secret: Some("s".to_owned()), ..Credentials::default() };
    let mut world = World::new();
    let setup = Setup { grant: Grant::ClientCredentials, registered: Some(registered.clone()), ..setup() };
    world.run(&setup, start()).unwrap();
    assert!(world.has("grant_type=client_credentials&resource") && world.has("Basic Yzpz"), "{:#?}", world.log);
    let registered = Some(Credentials { client_secret: None, ..registered });
    let setup = Setup { registered, key_algorithm: "ES256".to_owned(), ..setup };
    let mut world = World::new();
    world.run(&setup, start()).unwrap();
    assert!(world.has("sign Client ES256") && world.has(".signature"), "{:#?}", world.log);
}

#[test]
fn an_identity_assertion_is_exchanged_then_shown() {
    let grant = Grant::IdentityAssertion {
        token_endpoint: "https://idp.test/token".to_owned(),
        client: Credentials { client_id: "idc".to_owned(), ..Credentials::default() },
        subject_token: "id-token".to_owned(),
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token".to_owned(),
    };
    let registered = Some(Credentials { client_id: "c".to_owned(), ..Credentials::default() });
    let mut world = World::new();
    world.set("POST", "https://idp.test/token", 200, r#"{"access_token":"jag","token_type":"N_A"}"#);
    world.run(&Setup { grant, registered, ..setup() }, start()).unwrap();
    assert!(world.has("audience=https%3A%2F%2Fas.test&resource=https%3A%2F%2Frs.test%2Fmcp"));
    assert!(world.has("POST https://as.test/token") && world.has("assertion=jag"), "{:#?}", world.log);
    assert!(!world.has("as.test/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"));
}

#[test]
fn a_workload_shows_its_assertion_without_a_client_of_its_own() {
    let mut world = World::new();
    let setup = Setup { grant: Grant::JwtBearer { assertion: "j.w.t".to_owned() }, ..setup() };
    world.run(&setup, start()).unwrap();
    assert!(world.has("assertion=j.w.t&resource=") && !world.has("client_id") && !world.has("/register"));
}

#[test]
fn a_proof_is_repeated_once_with_the_nonce() {
    let key = r#"{"kty":"EC","crv":"P-256","x":"x","y":"y"}"#;
    let setup = Setup { dpop_key: key.to_owned(), ..setup() };
    let refusal = Answer { dpop_nonce: Some("n1".to_owned()), ..answer(400, r#"{"error":"use_dpop_nonce"}"#) };
    let mut world = World::new();
    let good = answer(200, r#"{"access_token":"at","token_type":"DPoP"}"#);
    world.answers.insert("POST https://as.test/token".to_owned(), vec![refusal.clone(), good]);
    assert!(world.run(&setup, start()).unwrap().is_dpop);
    assert_eq!(world.count(&format!("sign {:?} ES256", SigningKey::Dpop)), 2);
    let mut world = World::new();
    world.answers.insert("POST https://as.test/token".to_owned(), vec![refusal.clone(), refusal]);
    assert_eq!(world.run(&setup, start()).unwrap_err().error.as_deref(), Some("use_dpop_nonce"));
    let mut world = World::new();
    assert!(world.run(&setup, start()).unwrap_err().message.contains("bearer token where a DPoP token"));
    let mut world = World::new();
    world.set("POST", "https://as.test/token", 200, r#"{"access_token":"at","token_type":"DPoP"}"#);
    let failure = world.run(&self::setup(), start()).unwrap_err();
    assert!(failure.message.contains("a DPoP token where a bearer token"), "{failure:?}");
}

/// A refusal that repeats every secret of these tests, in the way that some servers tell what they were sent.
const INDISCREET: &str = r#"{"error":"invalid_request","error_description":"got secret-code secret-verifier secret-refresh secret-of-client secret-assertion secret-subject secret-of-idp"}"#;

#[test]
fn no_failure_holds_a_secret() {
    let secrets = Secrets { verifier: "secret-verifier".to_owned(), ..start().secrets };
    let held = held("secret-refresh");
    let client = Credentials {
        client_id: "dyn".to_owned(),
        client_secret: Some("secret-of-client".to_owned()),
        ..Credentials::default()
    };
    let of = |grant: Grant| Setup { grant, registered: Some(client.clone()), ..setup() };
    let identity = Grant::IdentityAssertion {
        token_endpoint: "https://idp.test/token".to_owned(),
        client: Credentials { client_secret: Some("secret-of-idp".to_owned()), ..client.clone() },
        subject_token: "secret-subject".to_owned(),
        subject_token_type: "t".to_owned(),
    };
    let assertion = Grant::JwtBearer { assertion: "secret-assertion".to_owned() };
    for (setup, tokens, sent) in [
        (of(Grant::AuthorizationCode), None, vec!["secret-code", "secret-verifier"]),
        (of(Grant::AuthorizationCode), Some(held), vec!["secret-refresh"]),
        (of(Grant::ClientCredentials), None, vec![]),
        (of(assertion), None, vec!["secret-assertion"]),
        (of(identity), None, vec!["secret-subject", "secret-of-idp"]),
    ] {
        for body in [INDISCREET, "secret-code is nonsense", ""] {
            let mut world = World::new();
            world.code = "secret-code";
            world.set("POST", "https://as.test/token", 400, body);
            world.set("POST", "https://idp.test/token", 400, body);
            let failure =
                world.run(&setup, Start { secrets: secrets.clone(), tokens: tokens.clone(), ..start() }).unwrap_err();
            assert_eq!((failure.step, failure.status), (Step::Token, 400));
            for secret in &sent {
                assert!(world.has(secret), "{secret} was sent: {:#?}", world.log);
                assert!(!failure.message.contains(secret), "{failure:?}");
            }
            let is_identity = matches!(setup.grant, Grant::IdentityAssertion { .. });
            assert!(is_identity || !failure.message.contains("secret-of-client"), "{failure:?}");
        }
    }
}

#[test]
fn an_insecure_server_gets_no_token() {
    let setup = Setup { server_url: "http://rs.test/mcp".to_owned(), ..setup() };
    let (_, output) = Flow::begin(setup, start());
    assert!(matches!(output, Output::Failed(Failure { step: Step::Resource, .. })));
}
