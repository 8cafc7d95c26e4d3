//! Which servers there are: a configuration as editors and agents write it, or a plain list of entries.

use super::entry::{self, Place};
use super::jsonc;
use super::order::order;
use crate::protocol::json::{Kind, Raw, Writer};

/// The members under which configurations keep their servers.
const WRAPPERS: [&str; 3] = ["mcpServers", "servers", "mcp"];

/// Members that stand beside servers where there is no wrapper, and are none.
const RESERVED: [&str; 6] = ["$schema", "inputs", "version", "name", "description", "metadata"];

/// What is wrong with a configuration, and where. Never holds a value of `headers` or `env`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigError {
    /// The path of what is wrong: `mcpServers.weather.args[1]`; empty for the whole.
    pub path: String,
    /// What was expected and what came.
    pub reason: String,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.path.is_empty() {
            f.write_str(&self.path)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for ConfigError {}

/// How long each phase of connecting may take, in milliseconds; absent: the caller's own.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Budget {
    /// Until there is a channel: a process that runs.
    pub connect: Option<u64>,
    /// Until era and version are settled.
    pub handshake: Option<u64>,
    /// Until the tools are listed.
    pub list: Option<u64>,
}

/// Where a server is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Location {
    /// A Streamable HTTP endpoint.
    Remote {
        /// Its URL: http or https.
        url: String,
        /// Headers of every request, not expanded yet.
        headers: Vec<(String, String)>,
    },
    /// A process.
    Local {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets beside its parent's.
        env: Vec<(String, String)>,
        /// The folder that it runs in.
        cwd: Option<String>,
    },
}

/// One server of a configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// Its name, unique in the configuration.
    pub name: String,
    /// Where it is.
    pub location: Location,
    /// Whether it is switched off.
    pub disabled: bool,
    /// Its own time budget.
    pub budget: Budget,
}

/// What a configuration says of one server: the entry, or what is wrong with it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listed {
    /// The server's name.
    pub name: String,
    /// The entry.
    pub entry: Result<Entry, ConfigError>,
}

/// Reads a configuration: an object of servers by name below `mcpServers`, `servers` or `mcp`, or without any of these;
/// or a list of entries, each named by its `serverId` or `name`, else by where it is. Comments and trailing commas are passed over.
/// Sorted by name.
///
/// # Errors
///
/// [`ConfigError`] where no servers can be found. What is wrong with one server is in its own place and costs no other.
pub fn parse(text: &str) -> Result<Vec<Listed>, ConfigError> {
    let text = jsonc::to_json(text);
    let root = Raw::parse(text.as_bytes())
        .map_err(|error| ConfigError { path: String::new(), reason: ["not JSON: ", &error.to_string()].concat() })?;
    let list = match root.kind() {
        Kind::Array => read_list(root),
        Kind::Object => read_named(root)?,
        kind => return Err(expected(String::new(), "an object with servers, or a list of them", kind)),
    };
    let name = |place: usize| list.get(place).map(|listed| &listed.name);
    let places = order(list.len(), &|one, other| name(one) < name(other));
    let mut list: Vec<_> = list.into_iter().map(Some).collect();
    Ok(places.into_iter().filter_map(|place| list.get_mut(place)?.take()).collect())
}

pub(super) fn expected(path: String, what: &str, kind: Kind) -> ConfigError {
    let got = match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    };
    ConfigError { path, reason: ["expected ", what, ", got ", got].concat() }
}

fn read_named(root: Raw<'_>) -> Result<Vec<Listed>, ConfigError> {
    let (path, servers) = locate(root)?;
    let mut list: Vec<Listed> = Vec::new();
    for (key, value) in servers.members() {
        let name = key.name().into_owned();
        if path.is_empty() && RESERVED.contains(&name.as_str()) {
            continue;
        }
        let place = Place::root(&path).member(&name);
        let entry = if name.is_empty() {
            Err(ConfigError { path: place.text(), reason: "a server needs a name".to_owned() })
        } else {
            entry::read(&name, value, &place)
        };
        // Of two with one name the last one counts, as in `JSON.parse`.
        list.retain(|listed| listed.name != name);
        list.push(Listed { name, entry });
    }
    Ok(list)
}

/// The object that holds the servers by name, and its path.
fn locate(root: Raw<'_>) -> Result<(String, Raw<'_>), ConfigError> {
    for wrapper in WRAPPERS {
        // A server may have such a name.
        let Some(inner) = root.get(wrapper).filter(|inner| !entry::is_entry(*inner)) else { continue };
        if !inner.is_object() {
            return Err(expected(wrapper.to_owned(), "an object with servers by name", inner.kind()));
        }
        // An editor's settings keep them one step deeper.
        return Ok(match inner.get("servers").filter(|deeper| deeper.is_object() && !entry::is_entry(*deeper)) {
            Some(deeper) if wrapper == "mcp" => ("mcp.servers".to_owned(), deeper),
            _ => (wrapper.to_owned(), inner),
        });
    }
    if entry::is_entry(root) {
        let reason = "expected servers by name, got one server; put it into a list or give it a name".to_owned();
        return Err(ConfigError { path: String::new(), reason });
    }
    Ok((String::new(), root))
}

fn read_list(root: Raw<'_>) -> Vec<Listed> {
    let mut list: Vec<Listed> = Vec::new();
    for (index, value) in root.elements().enumerate() {
        let place = Place::root("").element(index);
        let id = value.get_str("serverId").or_else(|| value.get_str("name"));
        let wanted = id.filter(|id| !id.is_empty()).map(std::borrow::Cow::into_owned);
        let base = wanted.unwrap_or_else(|| entry::derived_name(value));
        let mut name = base.clone();
        let mut count = 1;
        while list.iter().any(|listed| listed.name == name) {
            count += 1;
            name = [&base, "-", &count.to_string()].concat();
        }
        let entry = entry::read(&name, value, &place);
        list.push(Listed { name, entry });
    }
    list
}

/// The servers as JSON: an array of `{"name", "transport": "http" | "stdio", "disabled", "timeouts", …}`, or
/// `{"name", "problem"}` where an entry is wrong.
pub fn write(list: &[Listed]) -> String {
    let mut out = Writer::new();
    out.open_array();
    for listed in list {
        out.open_object().name("name").string(&listed.name);
        match &listed.entry {
            Ok(entry) => entry::write(&mut out, entry),
            Err(error) => {
                out.name("problem").string(&error.to_string());
            }
        }
        out.close_object();
    }
    out.close_array();
    out.finish()
}
