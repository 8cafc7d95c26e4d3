//! The tools of all servers under names that are unique and that model providers take.

use super::order::order;
use crate::protocol::apps;
use crate::protocol::json::{Raw, Writer};
use crate::protocol::listing::{self, Strictness};

/// The most characters of a name: what OpenAI takes, the strictest of the common providers.
pub const MAX_NAME: usize = 64;

/// The `_meta` keys under which servers name the interface that a tool opens: that of the extension, and two older ones.
pub const INTERFACE_KEYS: [&str; 2] = ["ui/resourceUri", "io.modelcontextprotocol/ui-resource-uri"];

/// What is added to the description of a tool that opens an interface.
const OPENS_INTERFACE: &str = "Opens an interactive interface for the user.";

/// A server and the items of its list of tools.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    /// Its name in the configuration.
    pub name: &'a str,
    /// An array of tools.
    pub tools: Raw<'a>,
}

/// A tool under its name for a model.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Named {
    /// Which of the servers has it.
    pub server: usize,
    /// Its place in that server's list.
    pub tool: usize,
    /// Its name: letters, digits, `_` and `-`, unique.
    pub name: String,
    /// What it does, for a model.
    pub description: String,
    /// The URI of the interface that it opens.
    pub interface: Option<String>,
}

/// A tool that is left out, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// Which of the servers has it.
    pub server: usize,
    /// What is wrong with it.
    pub fault: listing::Fault,
}

/// Names the tools of all servers: `server_tool`. In the order of the servers' names, whatever the order of `servers`;
/// the tools of one server in the order of its list, without those that are not for models (`_meta.ui.visibility`).
/// One that is bad costs no other.
pub fn name_tools(servers: &[Server<'_>]) -> (Vec<Named>, Vec<LeftOut>) {
    let name = |place: usize| servers.get(place).map(|server| server.name);
    let (mut named, mut left_out): (Vec<Named>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    let mut taken = Taken(Vec::new());
    for at in order(servers.len(), &|one, other| name(one) < name(other)) {
        let Some(server) = servers.get(at) else { continue };
        let (_, faults) = listing::sift("tools", server.tools, Strictness::Strict);
        let prefix = sanitize(server.name);
        for (index, tool) in server.tools.elements().enumerate() {
            // Some tools are for interfaces only, which call them through their host.
            if faults.iter().any(|fault| fault.index == index) || !apps::is_visible(tool, "model") {
                continue;
            }
            let own = tool.get_str("name").unwrap_or_default();
            let plain = [&prefix, "_", &sanitize(&own)].concat();
            // Where two would have one name, the later one is told apart by what it is, not by how many there are.
            let mark = hash(&[server.name, "\0", &own].concat());
            let mut name = if plain.len() > MAX_NAME { marked(&plain, &mark) } else { plain.clone() };
            if taken.has(&name) {
                name = marked(&plain, &mark);
            }
            let mut count = 1;
            while taken.has(&name) {
                count += 1;
                name = marked(&plain, &[&mark, "_", &count.to_string()].concat());
            }
            taken.add(&name);
            let interface = interface(tool);
            let description = describe(tool, interface.is_some());
            named.push(Named { server: at, tool: index, name, description, interface });
        }
        left_out.extend(faults.into_iter().map(|fault| LeftOut { server: at, fault }));
    }
    (named, left_out)
}

/// The names that are given away, sorted.
struct Taken(Vec<String>);

impl Taken {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|other| other.as_str().cmp(name))
    }

    fn has(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    fn add(&mut self, name: &str) {
        if let Err(place) = self.find(name) {
            self.0.insert(place, name.to_owned());
        }
    }
}

/// The text with every character that a provider refuses as `_`; it begins with a letter or `_`.
pub fn sanitize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        out.push(if character.is_ascii_alphanumeric() || character == '-' { character } else { '_' });
    }
    if !out.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        out.insert(0, '_');
    }
    out
}

/// The name, cut so that it fits together with the mark.
fn marked(name: &str, mark: &str) -> String {
    let room = MAX_NAME.saturating_sub(mark.len() + 1);
    [name.get(..room.min(name.len())).unwrap_or_default(), "_", mark].concat()
}

/// Six characters that depend on the whole text (FNV-1a).
fn hash(text: &str) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut state: u32 = 0x811C_9DC5;
    for byte in text.bytes() {
        state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    (0..6)
        .filter_map(|step| ALPHABET.get(((state >> (step * 5)) & 31) as usize))
        .map(|byte| char::from(*byte))
        .collect()
}

/// The interface that a tool opens.
fn interface(tool: Raw<'_>) -> Option<String> {
    let meta = tool.get("_meta")?;
    let nested = meta.get("ui").and_then(|ui| ui.get_str("resourceUri"));
    let found = nested.or_else(|| INTERFACE_KEYS.iter().find_map(|key| meta.get_str(key)))?;
    Some(found.into_owned()).filter(|uri| !uri.is_empty())
}

/// What a model is told of the tool; its title where it has no description.
fn describe(tool: Raw<'_>, opens_interface: bool) -> String {
    let annotated = || tool.get("annotations").and_then(|annotations| annotations.get_str("title"));
    let own = tool.get_str("description").or_else(|| tool.get_str("title")).or_else(annotated).unwrap_or_default();
    let mut out = own.into_owned();
    if opens_interface {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(OPENS_INTERFACE);
    }
    out
}

/// The names as JSON: `{"tools": [{"server", "tool", "name", "description", "interface"}], "leftOut": [{"server", "reason"}]}`.
pub fn write(servers: &[Server<'_>]) -> String {
    let (named, left_out) = name_tools(servers);
    let mut out = Writer::new();
    out.open_object().name("tools").open_array();
    for tool in &named {
        out.open_object().name("server").raw(&tool.server.to_string()).name("tool").raw(&tool.tool.to_string());
        out.name("name").string(&tool.name).name("description").string(&tool.description);
        if let Some(uri) = &tool.interface {
            out.name("interface").string(uri);
        }
        out.close_object();
    }
    out.close_array().name("leftOut").open_array();
    for LeftOut { server, fault } in &left_out {
        let name = fault.name.as_deref().unwrap_or("without a name");
        let reason =
            ["the tool ", name, " (", &(fault.index + 1).to_string(), ") is left out: ", fault.reason].concat();
        out.open_object().name("server").raw(&server.to_string()).name("reason").string(&reason).close_object();
    }
    out.close_array().close_object();
    out.finish()
}
