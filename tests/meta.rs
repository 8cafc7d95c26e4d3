//! The rules for `_meta` keys.
#![cfg(not(target_arch = "wasm32"))]

use mcp_duet::protocol::meta::{self, check_key, is_reserved_prefix};

#[test]
fn keys_follow_the_rules_for_names() {
    for good in [
        "a",
        "a1",
        "progressToken",
        "traceparent",
        "a-b_c.d",
        "A",
        "7",
        "",
        "com.example/",
        "com.example/a",
        "com.example-corp.x2/some_key",
        "ui/resourceUri",
        "com.example.mcp/key",
        "mcp/key",
    ] {
        assert_eq!(check_key(good), Ok(()), "{good}");
    }
    for (bad, about) in [
        ("-a", "name"),
        ("a-", "name"),
        (".", "name"),
        ("_", "name"),
        ("a b", "name"),
        ("größe", "name"),
        ("a\n", "name"),
        ("com.example/a/b", "label"),
        ("com.example/_a", "name"),
        ("/a", "label"),
        (".com/a", "label"),
        ("com./a", "label"),
        ("com..example/a", "label"),
        ("1com/a", "label"),
        ("com.example-/a", "label"),
        ("com.ex_ample/a", "label"),
        ("com.größe/a", "label"),
        ("https://a/b", "label"),
    ] {
        let reason = check_key(bad).expect_err(bad);
        assert!(reason.contains(about), "{bad}: {reason}");
    }
}

#[test]
fn reserved_prefixes_are_refused_but_the_official_one() {
    assert!(is_reserved_prefix("io.modelcontextprotocol"));
    assert_eq!(check_key("io.modelcontextprotocol/ui"), Ok(()));
    for reserved in ["dev.mcp", "org.modelcontextprotocol.api", "com.mcp.tools"] {
        assert!(is_reserved_prefix(reserved));
        let reason = check_key(&format!("{reserved}/mine")).expect_err(reserved);
        assert!(reason.contains("reserved"), "{reserved}: {reason}");
    }
    for free in ["com.example.mcp", "mcp", "modelcontextprotocol", "com.mcpx"] {
        assert!(!is_reserved_prefix(free), "{free}");
    }
    for defined in [meta::PROTOCOL_VERSION, meta::SUBSCRIPTION_ID, meta::RELATED_TASK] {
        assert_eq!(check_key(defined), Ok(()));
    }
    for key in meta::TRACE_CONTEXT {
        assert_eq!(check_key(key), Ok(()));
    }
}
