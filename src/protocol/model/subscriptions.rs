//! Subscriptions and the questions inside results; modern.

use super::{Json, Map, Object, Request, ResultType};

/// Questions by the server's keys.
pub type InputRequests = Map<Request>;

/// Answers by the same keys; which result each is, its question says.
pub type InputResponses = Map<Json>;

record! {
    /// What a subscription wants to hear of.
    SubscriptionFilter {
        tools_list_changed: Option<bool> = "toolsListChanged",
        prompts_list_changed: Option<bool> = "promptsListChanged",
        resources_list_changed: Option<bool> = "resourcesListChanged",
        /// The URIs of single resources.
        resource_subscriptions: Option<Vec<String>> = "resourceSubscriptions",
    }

    /// Parameters of `subscriptions/listen` and of `notifications/subscriptions/acknowledged`.
    SubscriptionParams {
        notifications: SubscriptionFilter = "notifications",
        meta: Option<Object> = "_meta",
    }

    /// The server needs answers before it can finish.
    InputRequiredResult {
        result_type: Option<ResultType> = "resultType",
        input_requests: Option<InputRequests> = "inputRequests",
        /// Opaque; goes back unchanged.
        request_state: Option<String> = "requestState",
        meta: Option<Object> = "_meta",
    }
}
