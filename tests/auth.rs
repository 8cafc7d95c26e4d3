//! Authorization: each decision as a table.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::auth::challenge::{self, Challenge};
use mcp_duet::auth::reaction::{MAX_ATTEMPTS, Reaction, react};
use mcp_duet::auth::registration::{self, Candidates, Choice, Credentials, Description};
use mcp_duet::auth::request::{self, Form, Method};
use mcp_duet::auth::response::{self, Expected};
use mcp_duet::auth::scope::{self, Scopes};
use mcp_duet::auth::{Secrets, Step, Tokens, discovery, jwt, protection, uri};

fn parsed(header: &str) -> Vec<Challenge> {
    challenge::parse(header)
}

fn shape(header: &str) -> String {
    let one = |challenge: &Challenge| {
        let params: Vec<_> = challenge.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let token = challenge.token68.as_deref().map(|token| format!(" <{token}>")).unwrap_or_default();
        let bad = if challenge.malformed { " !" } else { "" };
        format!("{}[{}]{token}{bad}", challenge.scheme, params.join("|"))
    };
    parsed(header).iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn challenges_are_read_as_rfc_9110_writes_them() {
    for (header, expected) in [
        ("", ""),
        ("Bearer", "Bearer[]"),
        ("Bearer realm=\"a, b\", scope=\"x y\"", "Bearer[realm=a, b|scope=x y]"),
        ("bearer REALM = \"a\"", "bearer[realm=a]"),
        ("Bearer error=invalid_token", "Bearer[error=invalid_token]"),
        (
            "Basic realm=\"r\", Bearer scope=\"s\", DPoP algs=\"ES256\"",
            "Basic[realm=r] Bearer[scope=s] DPoP[algs=ES256]",
        ),
        ("Negotiate, Bearer a=b", "Negotiate[] Bearer[a=b]"),
        ("Negotiate abc==, Bearer a=b", "Negotiate[] <abc==> Bearer[a=b]"),
        ("Bearer a=\"say \\\"hi\\\" \\\\\"", "Bearer[a=say \"hi\" \\]"),
        (", ,Bearer a=b,,c=d,", "Bearer[a=b|c=d]"),
        ("Bearer a=b\tc=d", "Bearer[a=b|c=d]"),
        ("Bearer a=1, b=2, a=3", "Bearer[a=1|b=2] !"),
        ("Bearer a=\"open", "Bearer[a=open] !"),
        ("Bearer resource_metadata=https://a.test/x?y=1, b=2", "Bearer[resource_metadata=https://a.test/x?y=1|b=2] !"),
        ("Bearer é", "Bearer[] <é> !"),
        ("=x, Bearer a=b", "Bearer[a=b]"),
    ] {
        assert_eq!(shape(header), expected, "{header}");
    }
}

#[test]
fn a_parameter_given_twice_counts_once_and_is_noticed() {
    let header = "Bearer realm=\"o\", resource_metadata=\"https://rs.test/a\", error=\"invalid_token\", \
                  resource_metadata=\"https://rs.test/b\"";
    let challenges = parsed(header);
    let challenge = challenge::oauth(&challenges).unwrap();
    assert_eq!(challenge.get("resource_metadata"), Some("https://rs.test/a"));
    assert!(challenge.malformed);
}

#[test]
fn no_header_makes_the_parser_hang_or_panic() {
    let pieces = ["Bearer", " ", ",", "=", "\"", "\\", "a", "\u{7f}", "é", "\t", "=="];
    for a in pieces {
        for b in pieces {
            for c in pieces {
                for d in pieces {
                    parsed(&[a, b, c, d, a, c].concat());
                }
            }
        }
    }
    parsed(&"a=\"é\",".repeat(challenge::MAX_HEADER_BYTES));
}

#[test]
fn resource_metadata_is_looked_for_where_the_specification_says() {
    let known = "https://a.test/.well-known/oauth-protected-resource";
    for (server, named, expected) in [
        ("https://a.test/public/mcp", None, vec![format!("{known}/public/mcp"), known.to_owned()]),
        ("https://a.test/mcp/", None, vec![format!("{known}/mcp"), known.to_owned()]),
        ("https://a.test", None, vec![known.to_owned()]),
        ("https://a.test/", None, vec![known.to_owned()]),
        ("https://a.test/mcp?t=1#f", None, vec![format!("{known}/mcp?t=1"), known.to_owned()]),
        (
            "https://a.test/mcp",
            Some("https://a.test/custom.json"),
            vec!["https://a.test/custom.json".to_owned(), format!("{known}/mcp"), known.to_owned()],
        ),
        ("https://a.test/mcp", Some("http://evil.test/"), vec![format!("{known}/mcp"), known.to_owned()]),
        ("https://a.test", Some(known), vec![known.to_owned()]),
        ("a.test", None, vec![]),
    ] {
        assert_eq!(uri::resource_metadata_urls(server, named), expected, "{server}");
    }
}

#[test]
fn server_metadata_is_looked_for_in_the_order_of_the_specification() {
    for (issuer, expected) in [
        (
            "https://a.test",
            vec![
                "https://a.test/.well-known/oauth-authorization-server",
                "https://a.test/.well-known/openid-configuration",
            ],
        ),
        (
            "https://a.test/tenant1",
            vec![
                "https://a.test/.well-known/oauth-authorization-server/tenant1",
                "https://a.test/.well-known/openid-configuration/tenant1",
                "https://a.test/tenant1/.well-known/openid-configuration",
            ],
        ),
        ("nonsense", vec![]),
    ] {
        assert_eq!(uri::server_metadata_urls(issuer), expected, "{issuer}");
    }
}

#[test]
fn secrets_go_to_https_or_this_machine() {
    for (url, expected) in [
        ("https://a.test", true),
        ("HTTPS://a.test", true),
        ("http://a.test", false),
        ("http://localhost:3000/x", true),
        ("http://127.0.0.1:1", true),
        ("http://127.evil.test", false),
        ("http://[::1]:80/", true),
        ("http://localhost.evil.test", false),
        ("http://localhost@evil.test", false),
        ("https://user:secret@a.test", false),
        ("https:\\\\a.test", false),
        ("ftp://localhost", false),
        ("https://", false),
        ("https://a.test/a b", false),
    ] {
        assert_eq!(uri::is_secure(url), expected, "{url}");
    }
}

#[test]
fn a_resource_covers_its_own_addresses_only() {
    for (resource, server, expected) in [
        ("https://a.test", "https://a.test/mcp", true),
        ("https://A.test/mcp", "https://a.test/mcp", true),
        ("https://a.test:443/mcp", "https://a.test/mcp", true),
        ("https://a.test/mc", "https://a.test/mcp", false),
        ("https://a.test/mcp/", "https://a.test/mcp", true),
        ("https://a.test/mcp/x", "https://a.test/mcp", false),
        ("https://evil.test/mcp", "https://a.test/mcp", false),
        ("http://a.test/mcp", "https://a.test/mcp", false),
        ("https://a.test#x", "https://a.test/mcp", false),
    ] {
        assert_eq!(uri::covers(resource, server), expected, "{resource} {server}");
    }
}

#[test]
fn a_server_without_an_identifier_is_called_by_its_address() {
    for (address, expected) in [
        ("https://a.test", "https://a.test"),
        ("https://a.test/", "https://a.test"),
        ("https://a.test/#top", "https://a.test"),
        ("https://a.test:8443/", "https://a.test:8443"),
        ("https://a.test/?q", "https://a.test/?q"),
        ("https://a.test/mcp", "https://a.test/mcp"),
        ("https://a.test/mcp/", "https://a.test/mcp/"),
        ("https://A.test/Mcp#x", "https://A.test/Mcp"),
    ] {
        assert_eq!(uri::canonical(address), expected, "{address}");
    }
}

#[test]
fn forms_are_read_back_as_they_were_written() {
    let pairs = [("a b", "x&y=z"), ("ü", "100%+"), ("", "")];
    let text = uri::form(&pairs);
    assert_eq!(text, "a%20b=x%26y%3Dz&%C3%BC=100%25%2B&=");
    let back: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(uri::form_pairs(&text), back);
    assert_eq!(uri::form_pairs("a+b=%zz%4")[0], ("a b".to_owned(), "%zz%4".to_owned()));
}

#[test]
fn scopes_are_selected_united_and_never_lost() {
    let select = |challenged, supported, requested, configured, offered| {
        scope::select(&Scopes { challenged, supported, requested, configured, offered }, true)
    };
    for (found, expected) in [
        (select("", "", "", "", ""), ""),
        (select("a", "b c", "", "d", ""), "a"),
        (select("", "b c", "", "d", ""), "d"),
        (select("", "b c", "", "", ""), "b c"),
        (select("w", "z", "r", "", ""), "r w"),
        (select("", "z", "r", "", ""), "r"),
        (select("a a b", "", "b", "", ""), "b a"),
        (select("a", "", "", "", "a offline_access"), "a offline_access"),
        (select("", "", "", "", "offline_access"), ""),
        (scope::select(&Scopes { challenged: "a", offered: "offline_access", ..Scopes::default() }, false), "a"),
    ] {
        assert_eq!(found, expected);
    }
}

const METADATA: &str = r#"{"issuer":"https://as.test","authorization_endpoint":"https://as.test/authorize",
    "token_endpoint":"https://as.test/token","registration_endpoint":"https://as.test/register",
    "code_challenge_methods_supported":["S256"]}"#;

fn server() -> discovery::Server {
    discovery::server(METADATA.as_bytes(), "https://as.test").unwrap().unwrap()
}

#[test]
fn an_issuer_is_compared_exactly() {
    for (issuer, fine) in [
        ("https://as.test", true),
        ("https://as.test/", false),
        ("https://AS.test", false),
        ("https://as.test:443", false),
        ("https://as.test/http", false),
    ] {
        let read = discovery::server(METADATA.as_bytes(), issuer);
        assert_eq!(read.is_ok(), fine, "{issuer}");
        if let Err(failure) = read {
            assert_eq!(failure.step, Step::Server);
            assert!(failure.message.contains(issuer) && failure.message.contains("https://as.test"), "{failure:?}");
        }
    }
}

#[test]
fn server_metadata_is_checked_before_it_is_used() {
    for (document, expected) in [
        ("<html>", "None"),
        ("[]", "None"),
        ("{}", "None"),
        (r#"{"issuer":"https://as.test"}"#, "has no token_endpoint"),
        (r#"{"issuer":"https://as.test","token_endpoint":"http://as.test/token"}"#, "must be an https URL"),
        (
            r#"{"issuer":"https://as.test","token_endpoint":"https://as.test/t","authorization_endpoint":"javascript:x"}"#,
            "must be an https URL",
        ),
    ] {
        let read = discovery::server(document.as_bytes(), "https://as.test");
        assert!(format!("{read:?}").contains(expected), "{document}: {read:?}");
    }
}

#[test]
fn resource_metadata_is_checked_before_it_is_used() {
    let url = "https://rs.test/mcp";
    let good =
        r#"{"resource":"https://RS.test","authorization_servers":["https://as.test/t"],"scopes_supported":["a","b"]}"#;
    let read = discovery::resource(good.as_bytes(), url).unwrap().unwrap();
    assert_eq!(read.resource, "https://RS.test", "verbatim");
    assert_eq!((read.issuer.as_str(), read.scopes.as_str()), ("https://as.test/t", "a b"));
    for (document, expected) in [
        ("", "None"),
        (r#"{"a":1}"#, "None"),
        (r#"{"resource":"https://evil.test/mcp","authorization_servers":["https://as.test"]}"#, "another resource"),
        (r#"{"resource":"https://rs.test"}"#, "lists no authorization server"),
        (r#"{"resource":"https://rs.test","authorization_servers":["http://as.test"]}"#, "must be an https URL"),
    ] {
        let read = discovery::resource(document.as_bytes(), url);
        assert!(format!("{read:?}").contains(expected), "{document}: {read:?}");
    }
}

fn secrets() -> Secrets {
    Secrets { state: "st".to_owned(), verifier: "ver".to_owned(), challenge: "cha".to_owned(), jti: "j".to_owned() }
}

#[test]
fn pkce_is_refused_unless_the_metadata_offers_s256() {
    for (methods, fine) in [
        (r#"["S256"]"#, true),
        (r#"["plain","S256"]"#, true),
        (r#"["plain"]"#, false),
        (r#"["s256"]"#, false),
        ("null", false),
        ("\"S256\"", false),
    ] {
        let text = METADATA.replace(r#"["S256"]"#, methods);
        let server = discovery::server(text.as_bytes(), "https://as.test").unwrap().unwrap();
        let url =
            |assumed| request::authorization_url(&server, "c", "http://localhost/cb", "r", "", &secrets(), assumed);
        assert_eq!(url(false).is_ok(), fine, "{methods}");
        assert!(url(true).unwrap().contains("code_challenge_method=S256"), "{methods}");
        if let Err(failure) = url(false) {
            assert!(failure.message.contains("code_challenge_methods_supported"));
            assert!(failure.message.contains("https://as.test"));
        }
    }
}

#[test]
fn an_authorization_request_says_everything_verbatim() {
    let url = request::authorization_url(
        &discovery::Server { authorization_endpoint: Some("https://as.test/a?x=1#f".to_owned()), ..server() },
        "id",
        "http://localhost:1/cb",
        "https://RS.test",
        "a offline_access",
        &secrets(),
        false,
    );
    let url = url.unwrap();
    let expected = "https://as.test/a?x=1&response_type=code&client_id=id\
        &redirect_uri=http%3A%2F%2Flocalhost%3A1%2Fcb&code_challenge=cha&code_challenge_method=S256&state=st\
        &resource=https%3A%2F%2FRS.test&scope=a%20offline_access&prompt=consent";
    assert_eq!(url, expected);
}

fn credentials(id: &str, secret: Option<&str>) -> Credentials {
    Credentials { client_id: id.to_owned(), client_secret: secret.map(str::to_owned), ..Credentials::default() }
}

#[test]
fn a_client_is_chosen_in_the_order_of_the_specification() {
    let registered = credentials("pre", None);
    let bound = Credentials { issuer: Some("https://other.test".to_owned()), ..registered.clone() };
    let stored = Credentials { issuer: Some("https://as.test".to_owned()), ..credentials("dyn", Some("s")) };
    let foreign = Credentials { issuer: Some("https://other.test".to_owned()), ..stored.clone() };
    let old = Credentials { secret_expires_at: 99, ..stored.clone() };
    let plain = server();
    let reads = discovery::Server { reads_metadata_documents: true, ..server() };
    let closed = discovery::Server { registration_endpoint: None, ..server() };
    let url = Some("https://app.test/client.json");
    let none = Candidates { registered: None, stored: None, metadata_url: None };
    for (candidates, server, expected) in [
        (Candidates { registered: Some(&registered), stored: Some(&stored), metadata_url: url }, &reads, "pre"),
        (Candidates { registered: Some(&bound), ..none }, &plain, "error: the client pre is registered at"),
        (Candidates { metadata_url: url, stored: Some(&stored), ..none }, &reads, "https://app.test/client.json"),
        (Candidates { metadata_url: url, stored: Some(&stored), ..none }, &plain, "dyn"),
        (Candidates { stored: Some(&foreign), ..none }, &plain, "register"),
        (Candidates { stored: Some(&old), ..none }, &plain, "register"),
        (none, &plain, "register"),
        (none, &closed, "error: https://as.test registers no clients by itself"),
    ] {
        let found = match registration::choose(&candidates, server, 100) {
            Ok(Choice::Known(credentials)) => credentials.client_id,
            Ok(Choice::Register(endpoint)) => {
                assert_eq!(endpoint, "https://as.test/register");
                "register".to_owned()
            }
            Err(failure) => format!("error: {}", failure.message),
        };
        assert!(found.starts_with(expected), "{candidates:?}: {found}");
    }
}

#[test]
fn a_registration_says_which_kind_of_application_it_is() {
    for (redirect_uri, expected) in [
        ("http://localhost:3000/callback", "native"),
        ("http://127.0.0.1/cb", "native"),
        ("com.example.app:/cb", "native"),
        ("https://localhost/cb", "native"),
        ("https://app.test/cb", "web"),
    ] {
        assert_eq!(registration::application_type(redirect_uri), expected, "{redirect_uri}");
        let body = registration::body(&Description { name: "n", redirect_uri, scope: "", method: Method::None });
        assert!(body.contains(&format!("\"application_type\":\"{expected}\"")), "{body}");
        assert!(body.contains("refresh_token") && !body.contains("scope"), "{body}");
    }
}

#[test]
fn a_refused_registration_says_what_the_server_said() {
    let body = br#"{"error":"invalid_redirect_uri","error_description":"no localhost"}"#;
    let failure = registration::response(400, body, "https://as.test").unwrap_err();
    assert_eq!(failure.message, "https://as.test answered 400 (invalid_redirect_uri): no localhost");
    assert_eq!((failure.status, failure.error.as_deref()), (400, Some("invalid_redirect_uri")));
    for status in [200, 201] {
        let answer = br#"{"client_id":"c","client_secret":"s","redirect_uris":["https://elsewhere.test"]}"#;
        let credentials = registration::response(status, answer, "https://as.test").unwrap();
        assert_eq!(credentials.issuer.as_deref(), Some("https://as.test"));
        let stored = credentials.write();
        let raw = mcp_duet::protocol::json::Raw::parse(stored.as_bytes()).unwrap();
        assert_eq!(Credentials::read(raw), Some(credentials));
    }
    assert!(registration::response(201, b"{}", "https://as.test").unwrap_err().message.contains("no client_id"));
}

#[test]
fn the_issuer_of_a_response_follows_the_four_rows() {
    let issuer = "https://as.test";
    for (advertised, iss, expected) in [
        (true, Some(issuer), true),
        (true, None, false),
        (false, Some(issuer), true),
        (false, None, true),
        (true, Some("https://as.test/"), false),
        (false, Some("https://as.test/"), false),
        (true, Some("https://AS.test"), false),
        (true, Some("https://as.test:443"), false),
    ] {
        assert_eq!(response::accepts_issuer(advertised, iss, issuer), expected, "{advertised} {iss:?}");
    }
}

#[test]
fn a_response_is_trusted_only_after_state_and_issuer() {
    let code = |query: &str, sends_issuer| {
        let expected = Expected { issuer: "https://as.test", sends_issuer, state: "s 1" };
        response::code(&format!("http://localhost/cb?{query}"), &expected)
    };
    assert_eq!(code("code=c%2F1&state=s+1&iss=https%3A%2F%2Fas.test", true).unwrap(), "c/1");
    assert_eq!(code("code=c&state=s%201", false).unwrap(), "c");
    for (query, sends_issuer, expected) in [
        ("code=c&state=s+2", false, "must carry the state"),
        ("code=c", false, "must carry the state"),
        ("code=c&state=s+1", true, "must carry iss"),
        ("code=c&state=s+1&iss=https%3A%2F%2Fas.test%2F", false, "exactly, got https://as.test/"),
        ("code=c&state=s+1&iss=https%3A%2F%2Fas.test&iss=https%3A%2F%2Fas.test", true, "iss more than once"),
        ("code=c&code=d&state=s+1", false, "code more than once"),
        ("error=access_denied&error_description=no&state=s+1", false, "refused the authorization (access_denied): no"),
        ("state=s+1", false, "has no code"),
        ("", false, "must carry the state"),
    ] {
        let message = code(query, sends_issuer).unwrap_err().message;
        assert!(message.contains(expected), "{query}: {message}");
    }
    let mixed_up = code("error=access_denied&error_description=visit+evil&state=s+1&iss=x", false).unwrap_err();
    assert!(!mixed_up.message.contains("evil") && mixed_up.error.is_none(), "{mixed_up:?}");
}

#[test]
fn a_token_answer_is_read_with_care() {
    let read = |status, body: &str| response::tokens(status, body.as_bytes(), "https://as.test", "a b", 1_000);
    let tokens =
        read(200, r#"{"access_token":"t","token_type":"bearer","expires_in":60,"refresh_token":"r"}"#).unwrap();
    assert_eq!(tokens.requested, "a b");
    assert_eq!((tokens.expires_at, tokens.refresh_token.as_deref()), (Some(61_000), Some("r")));
    let stored = tokens.write();
    let raw = mcp_duet::protocol::json::Raw::parse(stored.as_bytes()).unwrap();
    assert_eq!(Tokens::read(raw), Some(tokens));
    for (written, expected) in
        [("60", Some(61_000)), ("\"60\"", Some(61_000)), ("0", None), ("-1", None), ("null", None)]
    {
        let body = format!(r#"{{"access_token":"t","expires_in":{written}}}"#);
        assert_eq!(read(200, &body).unwrap().expires_at, expected, "{written}");
    }
    for (status, body, expected) in [
        (400, r#"{"error":"invalid_grant","error_description":"old"}"#, "answered 400 (invalid_grant): old"),
        (500, "<html>", "answered 500 (no OAuth error)"),
        (200, "{}", "has no access_token"),
        (200, r#"{"access_token":"a\r\nb"}"#, "no header can carry"),
        (200, r#"{"access_token":"t","token_type":"mac"}"#, "neither Bearer nor DPoP"),
    ] {
        let failure = read(status, body).unwrap_err();
        assert!(failure.message.contains(expected), "{body}: {failure:?}");
    }
}

#[test]
fn a_token_is_renewed_ahead_of_its_end_and_not_at_once() {
    for (seconds, renewed_after) in [(3600, 3_570_000), (300, 270_000), (10, 9_000), (1, 900)] {
        let answer = format!(r#"{{"access_token":"t","expires_in":{seconds}}}"#);
        let tokens = response::tokens(200, answer.as_bytes(), "https://as.test", "", 5).unwrap();
        assert_eq!(tokens.renew_at, Some(5 + renewed_after), "{seconds}");
        let stored = tokens.write();
        let raw = mcp_duet::protocol::json::Raw::parse(stored.as_bytes()).unwrap();
        assert_eq!(Tokens::read(raw), Some(tokens));
    }
    let endless = response::tokens(200, br#"{"access_token":"t"}"#, "https://as.test", "", 5).unwrap();
    assert_eq!((endless.expires_at, endless.renew_at), (None, None));
}

#[test]
fn a_client_authenticates_as_both_sides_can() {
    let offering = |methods: &str| discovery::Server { auth_methods: methods.to_owned(), ..server() };
    let with = |method| Credentials { method: Some(method), ..credentials("c", Some("s")) };
    for (credentials, offered, has_key, expected) in [
        (credentials("c", None), "client_secret_basic", false, Method::None),
        (credentials("c", Some("s")), "", false, Method::Basic),
        (credentials("c", Some("s")), "client_secret_post", false, Method::Post),
        (credentials("c", Some("s")), "client_secret_post client_secret_basic", false, Method::Basic),
        (with(Method::Post), "client_secret_basic", false, Method::Post),
        (credentials("c", None), "", true, Method::PrivateKeyJwt),
    ] {
        assert_eq!(request::method(&credentials, &offering(offered), has_key), expected, "{credentials:?} {offered}");
    }
}

#[test]
fn secrets_are_sent_in_the_way_of_the_method() {
    let form = Form::new("client_credentials");
    let client = credentials("c:1", Some("s/2"));
    let of = |method| request::authenticated(&form, &client, method, Some("j.w.t"));
    let grant = "grant_type=client_credentials";
    // "c%3A1:s%2F2" in base64
    assert_eq!(of(Method::Basic), (grant.to_owned(), Some("Basic YyUzQTE6cyUyRjI=".to_owned())));
    assert_eq!(of(Method::Post), (format!("{grant}&client_id=c%3A1&client_secret=s%2F2"), None));
    assert_eq!(of(Method::None), (format!("{grant}&client_id=c%3A1"), None));
    let (body, header) = of(Method::PrivateKeyJwt);
    assert!(body.contains("client_assertion=j.w.t") && !body.contains("secret") && header.is_none(), "{body}");
}

#[test]
fn only_a_refusal_that_authorizing_can_mend_leads_to_it() {
    let had = Tokens { requested: "a b".to_owned(), ..Tokens::default() };
    let short = |scope: &str| format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    for (status, header, tokens, attempts, expected) in [
        (401, None, None, 0, Reaction::Authorize),
        (401, Some("Bearer".to_owned()), Some(&had), 0, Reaction::Authorize),
        (401, None, None, 1, Reaction::Report),
        (403, None, None, 0, Reaction::Report),
        (403, Some("Bearer error=\"invalid_token\"".to_owned()), Some(&had), 0, Reaction::Report),
        (403, Some(short("c")), Some(&had), 0, Reaction::Authorize),
        (403, Some(short("c")), Some(&had), MAX_ATTEMPTS, Reaction::Report),
        (403, Some(short("a")), Some(&had), 0, Reaction::Report),
        (400, Some(short("c")), None, 0, Reaction::Report),
    ] {
        let reaction = react(status, header.as_deref(), tokens, attempts, true);
        assert_eq!(reaction, expected, "{status} {header:?} {attempts}");
    }
    let bound = Tokens { is_dpop: true, ..had.clone() };
    let asks = "Bearer realm=\"r\", DPoP error=\"use_dpop_nonce\", algs=\"ES256\"";
    for (header, tokens, has_nonce, expected) in [
        (asks, Some(&bound), true, Reaction::Repeat),
        (asks, Some(&bound), false, Reaction::Authorize),
        (asks, Some(&had), true, Reaction::Authorize),
        (asks, None, true, Reaction::Authorize),
        ("DPoP error=\"invalid_token\", error_description=\"use_dpop_nonce\"", Some(&bound), true, Reaction::Authorize),
    ] {
        assert_eq!(react(401, Some(header), tokens, 0, has_nonce), expected, "{header} {has_nonce}");
    }
}

#[test]
fn proofs_and_assertions_have_the_claims_that_are_due() {
    assert_eq!(jwt::base64url(&[0xFB, 0xFF, 0xFE, 1]), "-__-AQ");
    let decoded = |text: &str| {
        let standard = text.replace('-', "+").replace('_', "/");
        let padded = format!("{standard}{}", "=".repeat((4 - standard.len() % 4) % 4));
        String::from_utf8(mcp_duet::protocol::base64::decode(&padded).unwrap()).unwrap()
    };
    let parts = |input: &str| input.split('.').map(decoded).collect::<Vec<_>>();
    let proof = jwt::Proof {
        jwk: r#"{"kty":"EC"}"#,
        method: "POST",
        url: "https://rs.test/mcp?a=1#f",
        jti: "j",
        nonce: "",
        token_hash: "h",
    };
    assert_eq!(
        parts(&jwt::dpop_proof(&proof, 5_999)),
        [
            r#"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC"}}"#,
            r#"{"jti":"j","htm":"POST","htu":"https://rs.test/mcp","iat":5,"ath":"h"}"#,
        ]
    );
    assert_eq!(
        parts(&jwt::client_assertion("ES256", "", "c", "https://as.test", "j", 5_000)),
        [
            r#"{"alg":"ES256","typ":"JWT"}"#,
            r#"{"iss":"c","sub":"c","aud":"https://as.test","jti":"j","iat":5,"exp":305}"#,
        ]
    );
}

#[test]
fn a_resource_server_takes_only_tokens_that_are_meant_for_it() {
    use mcp_duet::auth::protection::{Presented, Scheme, Verified, judge};
    let resource = "https://rs.test/mcp";
    let good = Verified { audience: resource, scopes: "a b", expires_at: Some(2) };
    for (presented, status, error) in [
        (Presented::Token(good), 0, ""),
        (Presented::Token(Verified { expires_at: None, audience: "x https://rs.test/mcp", ..good }), 0, ""),
        (Presented::Nothing, 401, "Bearer scope=\"a\", resource_metadata="),
        (Presented::Refused("it is no token"), 401, "error=\"invalid_token\", error_description=\"it is no token\""),
        (Presented::Token(Verified { expires_at: Some(1), ..good }), 401, "expired"),
        (Presented::Token(Verified { audience: "", ..good }), 401, "another resource"),
        (Presented::Token(Verified { audience: "https://rs.test/mcp/", ..good }), 401, "another resource"),
        (Presented::Token(Verified { scopes: "b", ..good }), 403, "insufficient_scope"),
    ] {
        let (found, header) = judge(resource, Scheme::Bearer, "a", &presented, 1_000).unwrap_or_default();
        assert_eq!(found, status, "{presented:?}");
        assert!(header.contains(error), "{header}");
        let (found, header) = judge(resource, Scheme::Dpop, "a", &presented, 1_000).unwrap_or_default();
        assert_eq!(found, status, "{presented:?}");
        assert!(header.contains(&error.replace("Bearer", "DPoP")), "{header}");
    }
}

#[test]
fn a_resource_server_publishes_and_challenges() {
    use mcp_duet::auth::protection::Scheme;
    assert_eq!(
        protection::metadata("https://rs.test/mcp", &["https://as.test"], &["a"], false),
        r#"{"resource":"https://rs.test/mcp","authorization_servers":["https://as.test"],"scopes_supported":["a"],"bearer_methods_supported":["header"]}"#
    );
    assert!(
        protection::metadata("https://rs.test/mcp", &[], &[], true)
            .contains(r#""dpop_bound_access_tokens_required":true"#)
    );
    let url = protection::metadata_url("https://rs.test/mcp").unwrap();
    assert_eq!(url, "https://rs.test/.well-known/oauth-protected-resource/mcp");
    assert!(protection::metadata_url("http://127.0.0.1:8080/mcp").is_some());
    for resource in ["http://rs.test/mcp", "rs.test", "ftp://rs.test", ""] {
        assert_eq!(protection::metadata_url(resource), None, "{resource}");
    }
    let header = protection::challenge(Scheme::Bearer, &url, "a b", "insufficient_scope", "say \"please\"\r\n");
    let challenges = parsed(&header);
    let challenge = challenge::oauth(&challenges).unwrap();
    assert_eq!(challenge.get("resource_metadata"), Some(url.as_str()));
    assert_eq!(challenge.get("scope"), Some("a b"));
    assert_eq!(challenge.get("error_description"), Some("say please"));
    assert!(!challenge.malformed);
    for (header, expected) in [
        ("Bearer abc.d_e-~+/=", Some((Scheme::Bearer, "abc.d_e-~+/="))),
        ("bearer  abc", Some((Scheme::Bearer, "abc"))),
        ("DPoP abc", Some((Scheme::Dpop, "abc"))),
        ("Bearer", None),
        ("Bearer a b", None),
        ("Basic abc", None),
    ] {
        assert_eq!(protection::presented(header), expected, "{header}");
    }
}
