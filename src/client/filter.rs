//! What a subscription wants to hear of.
//!
//! Page: 2026-07-28, basic/patterns/subscriptions, "Notification Filter".

use crate::protocol::json::{Raw, Writer};
use crate::protocol::method::{PROMPTS_LIST_CHANGED, RESOURCES_LIST_CHANGED, TOOLS_LIST_CHANGED};

/// Changing lists by the notification that tells of them, resources by their URI.
pub(super) type Filter = Vec<String>;

/// The lists that change: the filter's member, the notification, the capability.
const LISTS: [(&str, &str, &str); 3] = [
    ("toolsListChanged", TOOLS_LIST_CHANGED, "tools"),
    ("promptsListChanged", PROMPTS_LIST_CHANGED, "prompts"),
    ("resourcesListChanged", RESOURCES_LIST_CHANGED, "resources"),
];

/// Reads `notifications` of a request, or of its acknowledgement.
pub(super) fn read(value: Raw<'_>) -> Result<Filter, &'static str> {
    let mut filter = Filter::new();
    if !value.is_object() {
        return Err("the filter of a subscription must be an object");
    }
    for (key, member) in value.members() {
        if key.is("resourceSubscriptions") {
            for uri in member.elements() {
                filter.push(uri.as_str().ok_or("resourceSubscriptions must be a list of URIs")?.into_owned());
            }
        } else if let Some((_, method, _)) = LISTS.iter().find(|(name, ..)| key.is(name))
            && member.as_bool().ok_or("a member of the filter that ends in ListChanged must be true or false")?
        {
            filter.push((*method).to_owned());
        }
    }
    Ok(filter)
}

/// As a JSON object.
pub(super) fn write(out: &mut Writer, filter: &Filter) {
    out.open_object();
    for (name, method, _) in LISTS {
        if filter.iter().any(|item| item == method) {
            out.name(name).raw("true");
        }
    }
    if filter.iter().any(|item| !is_list(item)) {
        out.name("resourceSubscriptions").open_array();
        for uri in filter.iter().filter(|item| !is_list(item)) {
            out.string(uri);
        }
        out.close_array();
    }
    out.close_object();
}

/// Whether it is no resource.
pub(super) fn is_list(item: &str) -> bool {
    LISTS.iter().any(|(_, method, _)| *method == item)
}

/// Whether a server with those capabilities tells of it. One that has not said any may tell of everything.
pub(super) fn is_declared(capabilities: Option<&str>, item: &str) -> bool {
    let Some(Ok(all)) = capabilities.map(|text| Raw::parse(text.as_bytes())) else { return true };
    let list = LISTS.iter().find(|(_, method, _)| *method == item);
    let (capability, flag) = list.map_or(("resources", "subscribe"), |(.., capability)| (capability, "listChanged"));
    all.get(capability).and_then(|own| own.get(flag)).and_then(Raw::as_bool) == Some(true)
}
