//! Regular expressions of `pattern`: the dialect, what is refused, and that time stays linear.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::json::{Raw, quote};
use mcp_duet::protocol::schema::{Schema, SchemaError};
use proptest::prelude::*;

fn compile(pattern: &str) -> Result<Schema, SchemaError> {
    Schema::compile(Raw::parse(format!(r#"{{"pattern":{}}}"#, quote(pattern)).as_bytes()).unwrap())
}

fn matches(pattern: &str, text: &str) -> bool {
    let schema = compile(pattern).unwrap_or_else(|error| panic!("{error}"));
    schema.validate(Raw::parse(quote(text).as_bytes()).unwrap()).is_ok()
}

#[test]
fn every_construct_matches_what_ecma_262_says() {
    for (pattern, matching, failing) in [
        ("abc", &["abc", "xabcx"][..], &["ab", "", "acb"][..]),
        ("", &["", "x"], &[]),
        ("^abc$", &["abc"], &["xabc", "abcx", "abc\n"]),
        ("^$", &[""], &["x", "\n"]),
        ("a|bc|", &["", "a", "bc"], &[]),
        ("^(a|bc)$", &["a", "bc"], &["", "abc", "b"]),
        ("^a|b$", &["ax", "xb"], &["xa", "bx"]),
        ("^(?:a|b)(?<name>c|d)$", &["ac", "bd"], &["ab", "cd"]),
        ("^a*$", &["", "aaa"], &["b", "aab"]),
        ("^a+?$", &["a", "aaa"], &["", "b"]),
        ("^a?b??$", &["", "a", "b", "ab"], &["aa", "ba", "bb"]),
        ("^a{3}$", &["aaa"], &["aa", "aaaa"]),
        ("^a{2,}$", &["aa", "aaaaa"], &["a", ""]),
        ("^a{1,3}$", &["a", "aa", "aaa"], &["", "aaaa"]),
        ("^a{0,2}b$", &["b", "ab", "aab"], &["aaab"]),
        ("^a{0}b$", &["b"], &["ab"]),
        ("^(ab){2}$", &["abab"], &["ab", "aabb"]),
        ("^(a*)*$", &["", "aaa"], &["b"]),
        ("^(a|b)*?c$", &["c", "abac"], &["ab"]),
        ("^a{x}$", &["a{x}"], &["aaaa"]),
        ("^{a}$", &["{a}"], &["a"]),
        ("^a{,2}$", &["a{,2}"], &["a", "aa"]),
        ("^.$", &["a", "北", "🐲"], &["", "\n", "\r", "\u{2028}", "ab"]),
        ("^[abc]$", &["a", "c"], &["d", "", "[", "ab"]),
        ("^[^abc]$", &["d", "\n", "北"], &["a"]),
        ("^[a-cx-z]$", &["b", "y"], &["d", "-"]),
        ("^[-a]$", &["-", "a"], &["b"]),
        ("^[a-]$", &["-", "a"], &["b"]),
        ("^[\\w-.]$", &["-", ".", "x"], &["+"]),
        ("^[\\]\\\\^]$", &["]", "\\", "^"], &["["]),
        ("^[]$", &[], &["", "a"]),
        ("^[^]$", &["a", "\n"], &["", "ab"]),
        ("^[\\b]$", &["\u{8}"], &["b"]),
        ("^[α-ω🐲]$", &["β", "🐲"], &["a", "Ω"]),
        ("^\\d\\D$", &["1a"], &["11", "a1", "١a"]),
        ("^\\w\\W$", &["_ ", "a-", "Zé"], &["aa", "éa"]),
        ("^\\s\\S$", &[" a", "\u{a0}b", "\u{feff}c", "\u{2003}d", "\n\u{200b}"], &["aa", "  "]),
        ("^[^\\d\\s]$", &["a"], &["1", " "]),
        ("^[\\D]$", &["a"], &["1"]),
        ("\\bfoo\\b", &["foo", "a foo b", "é foo"], &["food", "afoo"]),
        ("\\Boo\\B", &["food"], &["foo", "oo"]),
        ("^\\t\\n\\v\\f\\r\\0$", &["\t\n\u{b}\u{c}\r\0"], &[]),
        ("^\\cA\\cz$", &["\u{1}\u{1a}"], &[]),
        ("^\\x41\\u0042\\u{43}\\u{1F432}\\ud83d\\udc32$", &["ABC🐲🐲"], &[]),
        ("^\\.\\*\\/\\-\\_\\@$", &[".*/-_@"], &["a*/-_@"]),
        ("^\\p{L}+$", &["Straße", "北京", "λ"], &["1", "a b", "\u{301}"]),
        ("^\\p{Letter}\\p{gc=Nd}\\p{General_Category=Number}$", &["a1½", "é٣3"], &["a½1"]),
        ("^\\P{L}$", &["1", " "], &["a", "é"]),
        ("^[\\p{L}\\p{M}' -]+$", &["O'Neil", "Jean-Luc e\u{301}"], &["a1"]),
        ("^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{4,}$", &["Abc1", "1bcD!"], &["abc1", "Abcd", "Ab1", "Abc 1"]),
        ("^(?!\\s*$).+", &["a", " a"], &["", "  "]),
        ("^(?!a|b)c?", &["c", "d", ""], &["a", "bc"]),
    ] {
        for text in matching {
            assert!(matches(pattern, text), "{pattern} must match {text:?}");
        }
        for text in failing {
            assert!(!matches(pattern, text), "{pattern} must not match {text:?}");
        }
    }
}

#[test]
fn what_is_not_supported_or_not_valid_is_refused_with_the_pattern_and_the_reason() {
    for (pattern, reason) in [
        ("a(?=b)", "lookaround"),
        ("(?<=a)b", "lookaround"),
        ("(?<!a)b", "lookaround"),
        ("^(?=a)b|c", "one of several alternatives"),
        ("(a)\\1", "back references"),
        ("(?<x>a)\\k<x>", "back references"),
        ("(?i)a", "flags"),
        ("(?i:a)", "flags"),
        ("(?P<x>a)", "flags"),
        ("\\p{Script=Greek}", "\\p"),
        ("\\p{Lu}", "\\p"),
        ("\\pL", "\\p"),
        ("(", "not closed"),
        ("(?", "flags"),
        ("a)", "')' too many"),
        ("[a", "not closed"),
        ("[", "not closed"),
        ("[z-a]", "out of order"),
        ("*a", "nothing to repeat"),
        ("a**", "nothing to repeat"),
        ("a++", "nothing to repeat"),
        ("^*", "nothing to repeat"),
        ("a{2,1}", "out of order"),
        ("\\", "an escape"),
        ("\\Z", "an escape"),
        ("\\a", "an escape"),
        ("[\\B]", "an escape"),
        ("\\x4", "hexadecimal"),
        ("\\u12", "hexadecimal"),
        ("\\u{110000}", "beyond"),
        ("\\u{12", "hexadecimal"),
        ("\\c1", "\\c"),
        ("\\00", "an escape"),
    ] {
        match compile(pattern).map(|_| ()) {
            Err(SchemaError::Pattern { pattern: named, reason: given }) => {
                assert_eq!(named, pattern);
                assert!(given.contains(reason), "{pattern}: {given}");
            }
            other => panic!("{pattern}: {other:?}"),
        }
    }
}

#[test]
fn catastrophic_patterns_take_linear_time() {
    // CD-10
    // A backtracking matcher would need 2^50000 tries.
    let text = format!("{}!", "a".repeat(50_000));
    for pattern in ["(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        assert!(!matches(pattern, &text), "{pattern}");
    }
}

proptest! {
    #[test]
    fn no_pattern_panics(pattern in "(\\PC|[\\[\\](){}*+?|^$\\\\.,0-9a-c-]){0,20}", text in "[a-c0-9\\-{}\\PC]{0,10}") {
        if let Ok(schema) = compile(&pattern) {
            let _ = schema.validate(Raw::parse(quote(&text).as_bytes()).unwrap());
        }
    }

    #[test]
    fn an_escaped_text_matches_itself_alone(text in "\\PC{1,10}", other in "\\PC{1,10}") {
        let escaped: String = text
            .chars()
            .map(|character| if character.is_ascii_punctuation() { format!("\\{character}") } else { character.to_string() })
            .collect();
        let pattern = format!("^{escaped}$");
        prop_assert!(matches(&pattern, &text));
        prop_assert_eq!(matches(&pattern, &other), text == other);
    }

    #[test]
    fn counted_repetition_counts(least in 0_usize..6, more in 0_usize..6, count in 0_usize..14) {
        let pattern = format!("^(?:ab){{{least},{}}}$", least + more);
        prop_assert_eq!(matches(&pattern, &"ab".repeat(count)), (least..=least + more).contains(&count));
    }
}
