//! Which tools a model sees and which a View may call: `_meta.ui.visibility` (2026-01-26, "Tool visibility").

use crate::protocol::apps::is_visible;
use crate::protocol::json::Raw;

/// The names of a server's tools, and whether a View may call them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tools {
    tools: Vec<(String, bool)>,
}

impl Tools {
    /// Reads the `tools` of a server, all pages of them.
    pub fn read(list: Raw<'_>) -> Self {
        let named = |tool: Raw<'_>| Some((tool.get_str("name")?.into_owned(), is_visible(tool, "app")));
        Self { tools: list.elements().filter_map(named).collect() }
    }

    /// Whether a View may call that tool; `None` where there is no such tool. Of several with one name, all must agree.
    pub fn may_call(&self, name: &str) -> Option<bool> {
        let same = self.tools.iter().filter(|(own, _)| own == name);
        same.map(|(_, visible)| *visible).reduce(|one, other| one && other)
    }
}

/// The tools of a list that are to be shown to `who`, `model` or `app`, by their positions.
pub fn positions(list: Raw<'_>, who: &str) -> Vec<u32> {
    let visible = list.elements().enumerate().filter(|(_, tool)| is_visible(*tool, who));
    visible.filter_map(|(at, _)| u32::try_from(at).ok()).collect()
}
