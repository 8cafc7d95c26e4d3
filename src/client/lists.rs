//! Lists that come in pages.

use super::pending::{MAX_PAGES, Pending};
use super::{Client, Code, Event, Failure, Payload};
use crate::client::event::{Call, Millis};
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::method::{PROMPTS_LIST, RESOURCES_LIST, RESOURCES_TEMPLATES_LIST, TOOLS_LIST};

/// The member of a list's result that holds its items.
pub fn list_member(method: &str) -> Option<&'static str> {
    match method {
        TOOLS_LIST => Some("tools"),
        RESOURCES_LIST => Some("resources"),
        RESOURCES_TEMPLATES_LIST => Some("resourceTemplates"),
        PROMPTS_LIST => Some("prompts"),
        _ => None,
    }
}

/// One result out of the pages of a list: the members of the first, the items of all, no `nextCursor`.
pub fn merge_pages(member: &str, pages: &[&str]) -> String {
    let read = |page: &&str| -> Option<String> {
        Some(super::envelope::inside(Raw::parse(page.as_bytes()).ok()?.get(member)?.as_text()).trim().to_owned())
    };
    let items: Vec<_> = pages.iter().filter_map(read).filter(|items| !items.is_empty()).collect();
    let mut out = Writer::new();
    out.open_object();
    if let Some(Ok(first)) = pages.first().map(|page| Raw::parse(page.as_bytes())) {
        for (key, value) in first.members() {
            if !key.is(member) && !key.is("nextCursor") {
                out.name(&key.name()).value(value);
            }
        }
    }
    out.name(member).raw(&["[", &items.join(","), "]"].concat());
    out.close_object();
    out.finish()
}

/// What a page's cursor means for the walk.
enum Next {
    Done,
    Continue,
    Stop(&'static str),
}

impl Client {
    /// Ends the call, or fetches the next page of the list it walks.
    pub(super) fn finish_page(&mut self, call: Call, payload: Payload, next_cursor: Option<&str>, now: Millis) {
        let Some(pending) = self.calls.get_mut(call) else { return };
        match judge(pending, next_cursor) {
            Next::Done => {
                self.calls.remove(call);
                self.tell(Event::Result(call, payload));
            }
            Next::Continue => {
                let cursor = next_cursor.unwrap_or_default();
                pending.extra = ["\"cursor\":", &quote(cursor)].concat();
                pending.cursors.push(cursor.to_owned());
                pending.exchange = None;
                self.tell(Event::Page(call, payload));
                self.dispatch(call, now);
            }
            Next::Stop(reason) => {
                let message = [&pending.method, ": ", reason].concat();
                self.calls.remove(call);
                self.tell(Event::Failed(call, Box::new(Failure::new(Code::InvalidResult, message))));
            }
        }
    }
}

fn judge(pending: &Pending, next_cursor: Option<&str>) -> Next {
    let Some(cursor) = next_cursor.filter(|_| pending.options.walk) else { return Next::Done };
    if pending.cursors.iter().any(|seen| seen == cursor) {
        return Next::Stop("the server gave the same cursor twice, so its list would never end");
    }
    if pending.cursors.len() + 1 >= MAX_PAGES {
        return Next::Stop("the list has more than 1000 pages");
    }
    Next::Continue
}
