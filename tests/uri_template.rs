//! URI templates: the tables of RFC 6570, and what the server makes of a URI.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_duet::protocol::uri_template::{MAX_EXPRESSIONS, MAX_URI_BYTES, UriTemplate, Value};

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn list(values: &[&str]) -> Value {
    Value::List(values.iter().map(ToString::to_string).collect())
}

/// The values of RFC 6570, section 3.2.
fn values() -> Vec<(&'static str, Value)> {
    let map = |pairs: &[(&str, &str)]| {
        Value::Map(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    };
    vec![
        ("count", list(&["one", "two", "three"])),
        ("dom", list(&["example", "com"])),
        ("dub", text("me/too")),
        ("hello", text("Hello World!")),
        ("half", text("50%")),
        ("var", text("value")),
        ("who", text("fred")),
        ("base", text("http://example.com/home/")),
        ("path", text("/foo/bar")),
        ("list", list(&["red", "green", "blue"])),
        ("keys", map(&[("semi", ";"), ("dot", "."), ("comma", ",")])),
        ("v", text("6")),
        ("x", text("1024")),
        ("y", text("768")),
        ("empty", text("")),
        ("empty_keys", map(&[])),
        ("empty_list", list(&[])),
    ]
}

/// Every row of RFC 6570, sections 3.2.1 to 3.2.9, without those of one operator twice.
const EXPANSIONS: &[(&str, &str)] = &[
    // 3.2.1
    ("{count}", "one,two,three"),
    ("{count*}", "one,two,three"),
    ("{/count}", "/one,two,three"),
    ("{/count*}", "/one/two/three"),
    ("{;count}", ";count=one,two,three"),
    ("{;count*}", ";count=one;count=two;count=three"),
    ("{?count}", "?count=one,two,three"),
    ("{?count*}", "?count=one&count=two&count=three"),
    ("{&count*}", "&count=one&count=two&count=three"),
    // 3.2.2
    ("{var}", "value"),
    ("{hello}", "Hello%20World%21"),
    ("{half}", "50%25"),
    ("O{empty}X", "OX"),
    ("O{undef}X", "OX"),
    ("{x,y}", "1024,768"),
    ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("?{x,empty}", "?1024,"),
    ("?{x,undef}", "?1024"),
    ("?{undef,y}", "?768"),
    ("{var:3}", "val"),
    ("{var:30}", "value"),
    ("{list}", "red,green,blue"),
    ("{list*}", "red,green,blue"),
    ("{keys}", "semi,%3B,dot,.,comma,%2C"),
    ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    // 3.2.3
    ("{+var}", "value"),
    ("{+hello}", "Hello%20World!"),
    ("{+half}", "50%25"),
    ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
    ("{+base}index", "http://example.com/home/index"),
    ("O{+empty}X", "OX"),
    ("O{+undef}X", "OX"),
    ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("up{+path}{var}/here", "up/foo/barvalue/here"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"),
    ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{+path:6}/here", "/foo/b/here"),
    ("{+list}", "red,green,blue"),
    ("{+keys}", "semi,;,dot,.,comma,,"),
    ("{+keys*}", "semi=;,dot=.,comma=,"),
    // 3.2.4
    ("{#var}", "#value"),
    ("{#hello}", "#Hello%20World!"),
    ("{#half}", "#50%25"),
    ("foo{#empty}", "foo#"),
    ("foo{#undef}", "foo"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("{#path:6}/here", "#/foo/b/here"),
    ("{#list*}", "#red,green,blue"),
    ("{#keys}", "#semi,;,dot,.,comma,,"),
    ("{#keys*}", "#semi=;,dot=.,comma=,"),
    // 3.2.5
    ("{.who}", ".fred"),
    ("{.who,who}", ".fred.fred"),
    ("{.half,who}", ".50%25.fred"),
    ("www{.dom*}", "www.example.com"),
    ("X{.var}", "X.value"),
    ("X{.empty}", "X."),
    ("X{.undef}", "X"),
    ("X{.var:3}", "X.val"),
    ("X{.list}", "X.red,green,blue"),
    ("X{.list*}", "X.red.green.blue"),
    ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
    ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
    ("X{.empty_keys}", "X"),
    ("X{.empty_keys*}", "X"),
    // 3.2.6
    ("{/who}", "/fred"),
    ("{/half,who}", "/50%25/fred"),
    ("{/who,dub}", "/fred/me%2Ftoo"),
    ("{/var}", "/value"),
    ("{/var,empty}", "/value/"),
    ("{/var,undef}", "/value"),
    ("{/var,x}/here", "/value/1024/here"),
    ("{/var:1,var}", "/v/value"),
    ("{/list}", "/red,green,blue"),
    ("{/list*}", "/red/green/blue"),
    ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
    ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
    ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    // 3.2.7
    ("{;who}", ";who=fred"),
    ("{;half}", ";half=50%25"),
    ("{;empty}", ";empty"),
    ("{;v,empty,who}", ";v=6;empty;who=fred"),
    ("{;v,bar,who}", ";v=6;who=fred"),
    ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"),
    ("{;x,y,undef}", ";x=1024;y=768"),
    ("{;hello:5}", ";hello=Hello"),
    ("{;list}", ";list=red,green,blue"),
    ("{;list*}", ";list=red;list=green;list=blue"),
    ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
    ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    // 3.2.8
    ("{?who}", "?who=fred"),
    ("{?half}", "?half=50%25"),
    ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="),
    ("{?x,y,undef}", "?x=1024&y=768"),
    ("{?var:3}", "?var=val"),
    ("{?list}", "?list=red,green,blue"),
    ("{?list*}", "?list=red&list=green&list=blue"),
    ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
    ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
    // 3.2.9
    ("{&who}", "&who=fred"),
    ("{&half}", "&half=50%25"),
    ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ("{&var:3}", "&var=val"),
    ("{&list}", "&list=red,green,blue"),
    ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
];

#[test]
fn expansion_follows_the_tables_of_the_rfc() {
    for (template, expected) in EXPANSIONS {
        let parsed = UriTemplate::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
        assert_eq!(parsed.expand(&values()), *expected, "{template}");
    }
}

#[test]
fn literals_are_copied_and_encoded_only_where_they_must_be() {
    for (template, expected) in [
        ("a%41%2fb", "a%41%2fb"),
        ("docs://北京/{var}", "docs://%E5%8C%97%E4%BA%AC/value"),
        ("a b%", "a%20b%25"),
        ("x:!$&'()*+,;=@[]", "x:!$&'()*+,;=@[]"),
    ] {
        assert_eq!(UriTemplate::parse(template).unwrap().expand(&values()), expected, "{template}");
    }
}

#[test]
fn a_bad_template_is_refused_with_the_place_and_what_was_expected() {
    for (template, expected) in [
        ("{/id*", "expected '}' after '{' at byte 0"),
        ("/id*}", "expected '{' before '}' at byte 4"),
        ("a{b{c}", "expected '}' after '{' at byte 1"),
        ("{}", "expected a variable name of letters, digits, '_' and inner '.' at byte 1"),
        ("{?}", "expected a variable name of letters, digits, '_' and inner '.' at byte 2"),
        ("{a,}", "expected a variable name of letters, digits, '_' and inner '.' at byte 3"),
        ("{var:prefix}", "expected a length from 1 to 9999 at byte 5"),
        ("{var:0}", "expected a length from 1 to 9999 at byte 5"),
        ("{var:03}", "expected a length from 1 to 9999 at byte 5"),
        ("{var:+3}", "expected a length from 1 to 9999 at byte 5"),
        ("{var:10000}", "expected a length from 1 to 9999 at byte 5"),
    ] {
        assert_eq!(UriTemplate::parse(template).unwrap_err().to_string(), expected, "{template}");
    }
    for template in [
        "{/?id}",
        "{hello:2*}",
        "{??hello}",
        "{!hello}",
        "{with space}",
        "{=path}",
        "{$var}",
        "{|var*}",
        "{*keys?}",
        "{?empty=default,var}",
        "{-prefix|/-/|var}",
        "/people/{~thing}",
        "/{default-graph-uri}",
        "{.a..b}",
        "{a.}",
        "{%4}",
        "{größe}",
    ] {
        assert!(UriTemplate::parse(template).is_err(), "{template}");
    }
    let most = "{a}/".repeat(MAX_EXPRESSIONS);
    assert!(UriTemplate::parse(&most).is_ok());
    assert!(UriTemplate::parse(&(most + "{a}")).is_err());
}

/// What a URI gives, as `name=value` joined by spaces; lists in brackets.
fn matched(template: &str, uri: &str) -> Option<String> {
    let values = UriTemplate::parse(template).unwrap().match_uri(uri)?;
    let show = |(name, value): (String, Value)| match value {
        Value::Text(text) => format!("{name}={text}"),
        Value::List(items) => format!("{name}=[{}]", items.join("|")),
        Value::Map(_) => panic!("matching gives no maps"),
    };
    Some(values.into_iter().map(show).collect::<Vec<_>>().join(" "))
}

#[test]
fn a_uri_gives_the_values_of_the_template() {
    for (template, uri, expected) in [
        ("test://a", "test://a", Some("")),
        ("test://a", "test://b", None),
        ("test://a", "test://ab", None),
        ("test://item/{id}", "test://item/7", Some("id=7")),
        ("test://item/{id}", "test://item/", None),
        ("test://item/{id}", "test://item/7/8", None),
        ("test://item/{id}", "test://item/7?x", None),
        ("test://item/{id}/data", "test://item/7/data", Some("id=7")),
        // Percent-encoding, in the template and in the URI.
        ("test://item/{id}", "test://item/a%20b", Some("id=a b")),
        ("test://item/{id}", "test://item/%E5%8C%97%E4%BA%AC", Some("id=北京")),
        ("test://item/{id}", "test://item/北京", Some("id=北京")),
        ("docs://北京/{id}", "docs://%e5%8c%97%E4%BA%AC/1", Some("id=1")),
        ("docs://%7Eme/{id}", "docs://~me/%7e", Some("id=~")),
        ("test://item/{id}", "test://item/a%2Fb", Some("id=a/b")),
        ("test://item/{id}", "test://item/%2e%2e%2Fsecret", Some("id=../secret")),
        ("test://item/{id}", "test://item/100%", Some("id=100%")),
        ("test://item/{id}", "test://item/a+b", Some("id=a+b")),
        ("test://item/{id}", "test://item/%FF", None),
        ("test://item/{id}", "test://item/user@host:80;v=1,2", Some("id=user@host:80;v=1,2")),
        // A percent-encoded slash is no slash of the template.
        ("test://a/b/{id}", "test://a%2Fb/1", None),
        // Several expressions: the longest reading that lets the rest match.
        ("repo://{owner}/{name}/{+path}", "repo://me/it/src/lib.rs", Some("owner=me name=it path=src/lib.rs")),
        ("{scheme}://{host}/{x}", "http://h/1", Some("scheme=http host=h x=1")),
        ("f://{a}-{b}", "f://1-2-3", Some("a=1-2 b=3")),
        ("f://{+path}/x/{y}", "f://a/x/b/x/c", Some("path=a/x/b y=c")),
        ("f://{x}/{x}", "f://1/1", Some("x=1")),
        ("f://{x}/{x}", "f://1/2", None),
        ("f://{x,y}", "f://1,2", Some("x=1 y=2")),
        ("f://{x,y}", "f://1", Some("x=1")),
        ("f://{x,y}", "f://1,2,3", None),
        // Reserved expansion.
        ("file://{+path}", "file:///etc/hosts?a#b", Some("path=/etc/hosts?a#b")),
        ("file:///{path}", "file:///etc/hosts", None),
        // Operators with a character of their own may be missing.
        ("f://a{/b}", "f://a", Some("")),
        ("f://a{/b}", "f://a/", Some("b=")),
        ("f://a{/b}", "f://a/x", Some("b=x")),
        ("f://a{/b}", "f://a/x/y", None),
        ("f://a{/b*}", "f://a/x/y%2Fz", Some("b=[x|y/z]")),
        ("f://a{/b,c}", "f://a/x/y", Some("b=x c=y")),
        ("f://a{/b,c*}", "f://a/x/y/z", Some("b=x c=[y|z]")),
        ("f://a{/b}/c", "f://a/c", Some("")),
        ("f://a{.ext}", "f://a.tar.gz", Some("ext=tar.gz")),
        ("f://a{.ext*}", "f://a.tar.gz", Some("ext=[tar|gz]")),
        ("f://{name}{.ext}", "f://a", Some("name=a")),
        ("f://a{#part}", "f://a#b/c?d", Some("part=b/c?d")),
        ("f://a{;x,y}", "f://a;x=1;y=2", Some("x=1 y=2")),
        ("f://a{;x}/b", "f://a;x=1/b", Some("x=1")),
        // Queries.
        ("f://a{?q,page}", "f://a", Some("")),
        ("f://a{?q,page}", "f://a?", Some("")),
        ("f://a{?q,page}", "f://a?q=x&page=2", Some("q=x page=2")),
        ("f://a{?q,page}", "f://a?page=2&q=x", Some("page=2 q=x")),
        ("f://a{?q,page}", "f://a?page=2", Some("page=2")),
        ("f://a{?q}", "f://a?q=a=b/c?d%26", Some("q=a=b/c?d&")),
        ("f://a{?q}", "f://a?q", Some("q=")),
        ("f://a{?q}", "f://a?other=1", None),
        ("f://a{?q}", "f://a?q=1&q=2", None),
        ("f://a{?q*}", "f://a?q=1&q=2", Some("q=[1|2]")),
        ("f://a?fixed=1{&x}", "f://a?fixed=1&x=2", Some("x=2")),
        ("f://a{?q}{&page}", "f://a?q=1&page=2", Some("q=1 page=2")),
        ("f://a{?q}{#part}", "f://a?q=1#top", Some("q=1 part=top")),
        // Prefixes.
        ("f://{x:3}", "f://北京市", Some("x=北京市")),
        ("f://{x:3}", "f://abcd", None),
    ] {
        assert_eq!(matched(template, uri).as_deref(), expected, "{template} against {uri}");
    }
}

#[test]
fn what_expansion_writes_gives_the_values_back() {
    for template in ["t://{id}", "t://{+id}", "t://a{/id}", "t://a{?id}", "t://a{;id}", "t://a{.id}", "t://a{#id}"] {
        let template = UriTemplate::parse(template).unwrap();
        for value in ["a", "a b", "北京", "a/b", "../..", "100%", "?#&=", "+", "😀", "a,b"] {
            let uri = template.expand(&[("id", text(value))]);
            assert_eq!(template.match_uri(&uri), Some(vec![("id".into(), text(value))]), "{uri}");
        }
    }
}

#[test]
fn a_uri_that_is_too_long_matches_nothing() {
    let template = UriTemplate::parse("t://{+id}").unwrap();
    let longest = format!("t://{}", "a".repeat(MAX_URI_BYTES - 4));
    assert!(template.match_uri(&longest).is_some());
    assert_eq!(template.match_uri(&(longest + "a")), None);
}

#[test]
fn a_template_made_to_backtrack_is_decided_at_once() {
    let template = UriTemplate::parse(&"{+a}x".repeat(MAX_EXPRESSIONS)).unwrap();
    let uri = "x".repeat(MAX_URI_BYTES - 1) + "y";
    assert_eq!(template.match_uri(&uri), None);
}

#[test]
fn the_variables_are_named_in_order() {
    let template = UriTemplate::parse("t://{a}/{+b:3,c.d*}{?e}{&f}").unwrap();
    assert_eq!(template.variables().collect::<Vec<_>>(), ["a", "b", "c.d", "e", "f"]);
}
