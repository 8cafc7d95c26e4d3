//! The facts of MCP Apps: the order of what a View is told about its tool call.
#![cfg(not(target_arch = "wasm32"))]

use mcp_duet::protocol::apps::{self, ToolData};

#[test]
fn tool_data_comes_in_order() {
    use ToolData::{Cancelled, Input, InputPartial, Result};
    for (last, allowed) in [
        (None, &[InputPartial, Input, Cancelled][..]),
        (Some(InputPartial), &[InputPartial, Input, Cancelled]),
        (Some(Input), &[Result, Cancelled]),
        (Some(Result), &[]),
        (Some(Cancelled), &[]),
    ] {
        for next in ToolData::ALL {
            assert_eq!(next.may_follow(last), allowed.contains(&next), "{next:?} after {last:?}");
        }
    }
}

#[test]
fn each_style_variable_is_listed_once() {
    let mut names = apps::STYLE_VARIABLES.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), apps::STYLE_VARIABLES.len());
    assert!(names.iter().all(|name| name.starts_with("--")));
}

#[test]
fn older_spellings_lead_to_methods_that_are_not_older() {
    for (older, current) in apps::OLDER_SPELLINGS {
        assert!(apps::OLDER_SPELLINGS.iter().all(|(name, _)| *name != current), "{older}");
    }
}
