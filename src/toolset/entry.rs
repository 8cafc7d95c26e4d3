//! One server of a configuration.

use super::config::{Budget, ConfigError, Entry, Location, expected};
use crate::protocol::json::{Kind, Raw, Writer};

/// The members under which a URL is written.
const URLS: [&str; 3] = ["url", "serverUrl", "httpUrl"];

/// A budget below this is one in seconds, as some editors write it: nobody gives a server less than a second.
const SECONDS_BELOW: i64 = 1_000;

/// What starts a program that its first argument names.
const RUNNERS: [&str; 11] = ["npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno", "uvx", "uv", "docker"];

/// Words of a runner that name nothing.
const RUNNER_WORDS: [&str; 5] = ["run", "exec", "dlx", "tool", "x"];

/// A path in a configuration.
#[derive(Clone)]
pub(super) struct Place(String);

impl Place {
    pub(super) fn root(path: &str) -> Self {
        Self(path.to_owned())
    }

    pub(super) fn member(&self, name: &str) -> Self {
        Self(if self.0.is_empty() { name.to_owned() } else { [&self.0, ".", name].concat() })
    }

    pub(super) fn element(&self, index: usize) -> Self {
        Self([&self.0, "[", &index.to_string(), "]"].concat())
    }

    pub(super) fn text(&self) -> String {
        self.0.clone()
    }

    fn expected(&self, what: &str, value: Raw<'_>) -> ConfigError {
        expected(self.text(), what, value.kind())
    }

    fn wrong(&self, reason: &str) -> ConfigError {
        ConfigError { path: self.text(), reason: reason.to_owned() }
    }
}

/// Whether the value says where a server is.
pub(super) fn is_entry(value: Raw<'_>) -> bool {
    value.is_object()
        && (URLS.iter().any(|name| value.get_str(name).is_some())
            || value.get("command").is_some_and(|command| matches!(command.kind(), Kind::String | Kind::Array)))
}

/// Reads an entry.
pub(super) fn read(name: &str, value: Raw<'_>, place: &Place) -> Result<Entry, ConfigError> {
    if !value.is_object() {
        return Err(place.expected("an object with url or command", value));
    }
    let url = URLS.into_iter().find(|name| value.get_present(name).is_some());
    let location = match (url, value.get_present("command")) {
        (Some(member), None) => read_remote(value, member, place)?,
        (None, Some(command)) => read_local(value, command, place)?,
        (Some(_), Some(_)) => return Err(place.wrong("expected either url or command, got both")),
        (None, None) => return Err(place.wrong("expected url or command, got neither")),
    };
    let disabled =
        read_bool(value, "disabled", place)? == Some(true) || read_bool(value, "enabled", place)? == Some(false);
    Ok(Entry { name: name.to_owned(), location, disabled, budget: read_budget(value, place)? })
}

fn read_remote(value: Raw<'_>, member: &str, place: &Place) -> Result<Location, ConfigError> {
    let url = read_string(value, member, place)?.unwrap_or_default();
    let lower = url.to_ascii_lowercase();
    let host = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    if !host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) {
        return Err(place.member(member).wrong("expected a URL that begins with http:// or https://"));
    }
    let headers = read_texts(value, &["headers"], place)?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if let Some((name, _)) = headers.iter().find(|(name, _)| name.is_empty() || !name.bytes().all(is_token)) {
        return Err(place.member("headers").member(name).wrong("this is no name of a header"));
    }
    Ok(Location::Remote { url, headers })
}

fn read_local(value: Raw<'_>, command: Raw<'_>, place: &Place) -> Result<Location, ConfigError> {
    let mut words = Vec::new();
    let own = place.member("command");
    match command.kind() {
        Kind::String => words.push(command.as_str().unwrap_or_default().into_owned()),
        Kind::Array => words = read_strings(command, &own)?,
        _ => return Err(own.expected("a string or an array of strings", command)),
    }
    if let Some(args) = value.get_present("args") {
        words.extend(read_strings(args, &place.member("args"))?);
    }
    let mut words = words.into_iter();
    let command = words.next().unwrap_or_default();
    if command.is_empty() {
        return Err(own.wrong("expected the name of a program"));
    }
    let env = read_texts(value, &["env", "environment"], place)?;
    let cwd = match read_string(value, "cwd", place)? {
        None => read_string(value, "dir", place)?,
        cwd => cwd,
    };
    Ok(Location::Local { command, args: words.collect(), env, cwd })
}

fn read_string(value: Raw<'_>, name: &str, place: &Place) -> Result<Option<String>, ConfigError> {
    value
        .get_present(name)
        .map(|member| {
            let text = member.as_str().ok_or_else(|| place.member(name).expected("a string", member))?;
            Ok(text.into_owned())
        })
        .transpose()
}

fn read_bool(value: Raw<'_>, name: &str, place: &Place) -> Result<Option<bool>, ConfigError> {
    value
        .get_present(name)
        .map(|member| member.as_bool().ok_or_else(|| place.member(name).expected("a boolean", member)))
        .transpose()
}

fn read_strings(value: Raw<'_>, place: &Place) -> Result<Vec<String>, ConfigError> {
    if value.kind() != Kind::Array {
        return Err(place.expected("an array of strings", value));
    }
    let read = |(index, element): (usize, Raw<'_>)| {
        let text = element.as_str().ok_or_else(|| place.element(index).expected("a string", element))?;
        Ok(text.into_owned())
    };
    value.elements().enumerate().map(read).collect()
}

/// An object of texts under the first of the names that is there. Numbers and booleans count as their text; null is absent.
fn read_texts(value: Raw<'_>, names: &[&str], place: &Place) -> Result<Vec<(String, String)>, ConfigError> {
    let found = names.iter().find_map(|name| Some((name, value.get_present(name)?)));
    let Some((name, object)) = found else { return Ok(Vec::new()) };
    let place = place.member(name);
    if !object.is_object() {
        return Err(place.expected("an object of strings", object));
    }
    let mut out: Vec<(String, String)> = Vec::new();
    for (key, value) in object.members() {
        let name = key.name().into_owned();
        let text = match value.kind() {
            Kind::String => value.as_str().unwrap_or_default().into_owned(),
            Kind::Number | Kind::Bool => value.as_text().to_owned(),
            Kind::Null => continue,
            _ => return Err(place.member(&name).expected("a string", value)),
        };
        out.retain(|(other, _)| *other != name);
        out.push((name, text));
    }
    Ok(out)
}

/// `timeouts: {connectMs, handshakeMs, listMs}`; `timeoutMs` or `timeout` is for each phase.
fn read_budget(value: Raw<'_>, place: &Place) -> Result<Budget, ConfigError> {
    let millis = |value: Raw<'_>, name: &str, place: &Place| {
        let Some(member) = value.get_present(name) else { return Ok(None) };
        match member.as_i64() {
            Some(number @ 1..) => {
                let is_seconds = name == "timeout" && number < SECONDS_BELOW;
                Ok(Some(if is_seconds { number * 1_000 } else { number }.unsigned_abs()))
            }
            _ => Err(place.member(name).wrong("expected a whole number above 0")),
        }
    };
    let whole = match millis(value, "timeoutMs", place)? {
        None => millis(value, "timeout", place)?,
        whole => whole,
    };
    let own = value.get_present("timeouts").unwrap_or(Raw::EMPTY_OBJECT);
    let inside = place.member("timeouts");
    if !own.is_object() {
        return Err(inside.expected("an object", own));
    }
    Ok(Budget {
        connect: millis(own, "connectMs", &inside)?.or(whole),
        handshake: millis(own, "handshakeMs", &inside)?.or(whole),
        list: millis(own, "listMs", &inside)?.or(whole),
    })
}

/// A name for an entry that has none: the same one whenever the entry is the same, and nothing secret in it.
pub(super) fn derived_name(value: Raw<'_>) -> String {
    let url = URLS.iter().find_map(|name| value.get_str(name));
    if let Some(url) = url {
        let rest = url.split_once(':').map_or(&*url, |(_, rest)| rest.trim_start_matches('/'));
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // What stands before an @ is a password.
        return named(host.rsplit('@').next().unwrap_or_default());
    }
    let mut words: Vec<String> = Vec::new();
    for member in ["command", "args"] {
        let Some(member) = value.get(member) else { continue };
        words.extend(member.as_str().map(std::borrow::Cow::into_owned));
        words.extend(member.elements().filter_map(|word| Some(word.as_str()?.into_owned())));
    }
    let program = base_name(words.first().map_or("", String::as_str)).to_owned();
    if !RUNNERS.contains(&program.as_str()) && !program.starts_with("python") {
        return named(&program);
    }
    let is_name = |word: &&String| !word.starts_with('-') && !RUNNER_WORDS.contains(&word.as_str());
    named(words.iter().skip(1).find(is_name).map_or(program.as_str(), |word| base_name(word)))
}

fn named(name: &str) -> String {
    if name.is_empty() { "server".to_owned() } else { name.to_owned() }
}

/// The last part of a path or of a package's name, without version and ending.
fn base_name(word: &str) -> &str {
    let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = last.split('@').next().unwrap_or_default();
    [".js", ".mjs", ".cjs", ".ts", ".py", ".exe", ".cmd"].iter().find_map(|end| last.strip_suffix(end)).unwrap_or(last)
}

/// The members of an entry, apart from its name.
pub(super) fn write(out: &mut Writer, entry: &Entry) {
    let texts = |out: &mut Writer, name: &str, pairs: &[(String, String)]| {
        out.name(name).open_object();
        for (name, value) in pairs {
            out.name(name).string(value);
        }
        out.close_object();
    };
    match &entry.location {
        Location::Remote { url, headers } => {
            out.name("transport").string("http").name("url").string(url);
            texts(out, "headers", headers);
        }
        Location::Local { command, args, env, cwd } => {
            out.name("transport").string("stdio").name("command").string(command).name("args").open_array();
            for arg in args {
                out.string(arg);
            }
            out.close_array();
            texts(out, "env", env);
            if let Some(cwd) = cwd {
                out.name("cwd").string(cwd);
            }
        }
    }
    out.name("disabled").raw(if entry.disabled { "true" } else { "false" });
    out.name("timeouts").open_object();
    let Budget { connect, handshake, list } = entry.budget;
    for (name, millis) in [("connectMs", connect), ("handshakeMs", handshake), ("listMs", list)] {
        if let Some(millis) = millis {
            out.name(name).raw(&millis.to_string());
        }
    }
    out.close_object();
}
