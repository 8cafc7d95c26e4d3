//! The output schemas of the tools that were listed, and the results that are held against them.

use crate::client::{Code, Failure};
use crate::protocol::json::Raw;
use crate::protocol::method;
use crate::protocol::result::{Output, structured_output};
use crate::protocol::schema::{Schema, describe};

/// What a call has to do with output schemas.
pub(super) enum Role {
    None,
    /// A list of tools, or a further page of one, asked for at this generation.
    List {
        is_more: bool,
        generation: u32,
    },
    /// A call of the tool of this name.
    Tool(String),
}

#[derive(Default)]
pub(super) struct Outputs {
    /// Name and `outputSchema` of each tool that has one.
    schemas: Vec<(String, String)>,
    /// Counts the lists and their changes: a list that was overtaken says nothing.
    generation: u32,
}

impl Outputs {
    pub(super) fn role(&self, method: &str, name: Option<&str>, is_more: bool) -> Role {
        match (method, name) {
            (method::TOOLS_LIST, _) => Role::List { is_more, generation: self.generation },
            (method::TOOLS_CALL, Some(name)) => Role::Tool(name.to_owned()),
            _ => Role::None,
        }
    }

    /// Tools may have changed: what was listed says nothing of them any more.
    pub(super) fn forget(&mut self) {
        self.schemas.clear();
        self.generation = self.generation.wrapping_add(1);
    }

    /// What a subscription is told of: a change, or an interruption after which anything may have changed.
    pub(super) fn hear(&mut self, told: &str) {
        let Ok(told) = Raw::parse(told.as_bytes()) else { return };
        let is_change = told.get_str("method").is_some_and(|method| method == method::TOOLS_LIST_CHANGED);
        if is_change || told.members().next().is_none() {
            self.forget();
        }
    }

    /// Learns from a list, or holds a tool's result against what was learned.
    ///
    /// # Errors
    ///
    /// `INVALID_RESULT`; `INVALID_DEFINITION`, once, where the tool's schema cannot be used: it says nothing about the result.
    pub(super) fn judge(&mut self, role: &Role, result: &str) -> Result<(), Failure> {
        let Ok(result) = Raw::parse(result.as_bytes()) else { return Ok(()) };
        match role {
            Role::List { is_more, generation } if *generation == self.generation => self.learn(result, *is_more),
            Role::Tool(name) => return self.check(name, result),
            _ => {}
        }
        Ok(())
    }

    fn learn(&mut self, result: Raw<'_>, is_more: bool) {
        if !is_more {
            self.forget();
        }
        for tool in result.get("tools").unwrap_or(Raw::EMPTY_OBJECT).elements() {
            let Some(name) = tool.get_str("name") else { continue };
            self.schemas.retain(|(other, _)| *other != *name);
            if let Some(schema) = tool.get_present("outputSchema") {
                self.schemas.push((name.into_owned(), schema.as_text().to_owned()));
            }
        }
    }

    fn check(&mut self, name: &str, result: Raw<'_>) -> Result<(), Failure> {
        let Some(at) = self.schemas.iter().position(|(other, _)| other == name) else { return Ok(()) };
        let refuse = |code, why: &[&str]| Err(Failure::new(code, [&[name, ": "], why].concat().concat()));
        let structured = match structured_output(result) {
            Output::Unchecked => return Ok(()),
            Output::Missing => {
                let why = "expected structuredContent, for the tool has an outputSchema; there is none";
                return refuse(Code::InvalidResult, &[why]);
            }
            Output::Structured(structured) => structured,
        };
        let schema = self.schemas.get(at).map_or("{}", |(_, schema)| schema);
        match Schema::compile(Raw::parse(schema.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT)) {
            Ok(schema) => schema.validate(structured).or_else(|violations| {
                let why = describe(&violations);
                refuse(Code::InvalidResult, &["structuredContent does not fit its outputSchema: ", &why])
            }),
            Err(error) => {
                self.schemas.swap_remove(at);
                refuse(Code::InvalidDefinition, &["its outputSchema is ignored: ", &error.to_string()])
            }
        }
    }
}
