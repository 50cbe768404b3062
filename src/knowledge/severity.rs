//! How bad a finding is: of the content checker, of `diagnose`, of `lint`.

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; no fault by itself.
    Note,
    /// Works, but otherwise than meant.
    Warning,
    /// Fails, or does something else than what is written.
    Error,
}
