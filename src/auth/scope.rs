//! Which scopes to ask for (basic/authorization, Scope Selection Strategy and Step-Up
//! Authorization Flow). Scopes are texts with spaces in between, as they travel.

/// What a refresh token needs at servers that offer it.
pub(super) const OFFLINE_ACCESS: &str = "offline_access";

/// The scopes of both, each once, in the order in which they first appear.
pub fn union(known: &str, more: &str) -> String {
    let mut out = String::new();
    for scope in known.split_ascii_whitespace().chain(more.split_ascii_whitespace()) {
        if !contains(&out, scope) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(scope);
        }
    }
    out
}

/// Whether the text has that scope.
pub fn contains(scopes: &str, scope: &str) -> bool {
    scopes.split_ascii_whitespace().any(|one| one == scope)
}

/// Whether all scopes of `wanted` are in `scopes`.
pub fn includes(scopes: &str, wanted: &str) -> bool {
    wanted.split_ascii_whitespace().all(|scope| contains(scopes, scope))
}

/// What the selection goes by; empty texts stand for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scopes<'a> {
    /// What the challenge asks for.
    pub challenged: &'a str,
    /// What the protected resource's metadata lists.
    pub supported: &'a str,
    /// What was requested before and must not get lost.
    pub requested: &'a str,
    /// What the application asks for.
    pub configured: &'a str,
    /// What the authorization server's metadata lists.
    pub offered: &'a str,
}

/// The scopes to ask for; empty: leave the parameter out. `refreshable` says whether the
/// client wants refresh tokens.
pub fn select(scopes: &Scopes<'_>, refreshable: bool) -> String {
    let base = [scopes.challenged, scopes.configured, scopes.supported];
    let base = if scopes.requested.is_empty() {
        base.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
    } else {
        scopes.challenged
    };
    let selected = union(scopes.requested, base);
    // On its own it would ask for less than leaving the parameter out does.
    if refreshable && !selected.is_empty() && contains(scopes.offered, OFFLINE_ACCESS) {
        return union(&selected, OFFLINE_ACCESS);
    }
    selected
}
