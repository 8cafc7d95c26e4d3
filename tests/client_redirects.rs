//! Which redirects are followed, and what goes along.
#![cfg(not(target_arch = "wasm32"))]

use mcp_duet::client::redirect::{judge, resolve};

#[test]
fn credentials_stay_with_their_origin_and_methods_stay_what_they_are() {
    let endpoint = "https://a.test/mcp";
    for (status, from, to, follows) in [
        (307, endpoint, "https://a.test/other", Some(true)),
        (308, endpoint, "https://a.test/", Some(true)),
        (301, endpoint, "https://a.test/mcp/", Some(true)),
        (302, endpoint, "https://a.test?x", Some(true)),
        (303, endpoint, "https://a.test/other", None),
        (300, endpoint, "https://a.test/other", None),
        (200, endpoint, "https://a.test/other", None),
        (307, endpoint, "https://b.test/mcp", Some(false)),
        (307, endpoint, "https://a.test:8443/mcp", Some(false)),
        (307, endpoint, "https://a.test.evil.test/mcp", Some(false)),
        (307, endpoint, "https://a.test@evil.test/mcp", Some(false)),
        (307, endpoint, "http://a.test/mcp", None),
        (307, endpoint, "file:///etc/passwd", None),
        (307, endpoint, "javascript:alert(1)", None),
        (307, endpoint, "", None),
        (307, "http://a.test/mcp", "https://a.test/mcp", Some(false)),
        (307, "http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp", Some(false)),
        (307, "http://a.test:80/mcp", "http://A.test/", Some(true)),
        (307, "not a url", "https://a.test/", None),
    ] {
        assert_eq!(judge(status, from, to), follows, "{status} {from} -> {to}");
    }
}

#[test]
fn a_reference_leads_to_a_place_of_the_same_origin_or_nowhere() {
    let endpoint = "https://a.test/one/mcp?x=1#y";
    for (reference, url) in [
        ("/messages?sessionId=1", Some("https://a.test/messages?sessionId=1")),
        ("messages", Some("https://a.test/one/messages")),
        ("./messages", Some("https://a.test/one/./messages")),
        ("?s=1", Some("https://a.test/one/mcp?s=1")),
        ("//a.test/m", Some("https://a.test/m")),
        ("https://a.test/m", Some("https://a.test/m")),
        ("HTTPS://A.TEST:443/m", Some("HTTPS://A.TEST:443/m")),
        ("/消息?城=北京", Some("https://a.test/消息?城=北京")),
        ("/m?next=https://b.test", Some("https://a.test/m?next=https://b.test")),
        ("", None),
        ("http://a.test/m", None),
        ("https://a.test:8443/m", None),
        ("https://b.test/m", None),
        ("//b.test/m", None),
        ("https://a.test@b.test/m", None),
        ("https://b.test\\@a.test/m", None),
        ("\\\\b.test/m", None),
        ("/\\b.test/m", None),
        ("/\t/b.test/m", None),
        ("https://b.test\n/m", None),
        (" https://b.test/m", None),
        ("ftp://a.test/m", None),
        ("https:b.test/m", None),
        ("https:/b.test/m", None),
        ("https:///b.test/m", None),
        ("javascript:alert(1)", None),
        ("data:text/plain,x", None),
    ] {
        assert_eq!(resolve(endpoint, reference).as_deref(), url, "{reference:?}");
    }
    assert_eq!(resolve("http://a.test", "/m").as_deref(), Some("http://a.test/m"));
    assert_eq!(resolve("http://a.test", "m").as_deref(), Some("http://a.test/m"));
    assert_eq!(resolve("http://a.test:80/x", "http://a.test/m").as_deref(), Some("http://a.test/m"));
    assert_eq!(resolve("not a url", "/m"), None);
}
