//! Which redirects are followed, and what goes along.
#![cfg(not(target_arch = "wasm32"))]

use mcp_duet::client::redirect::judge;

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
        (307, "not a url", "https://a.test/", None),
    ] {
        assert_eq!(judge(status, from, to), follows, "{status} {from} -> {to}");
    }
}
