//! Where claims come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a claim comes from: one entry of `content/sources.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// An `https://` address, `owner/repository:path@ref`, or `owner/repository#issue`.
    #[serde(rename = "where")]
    pub place: &'a str,
    pub kind: SourceKind,
    /// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    #[serde(default)]
    pub date: Option<&'a str>,
}

/// The kind of a source, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    Code,
    Standard,
    Paper,
    Manual,
    Docs,
    Issue,
    Report,
}

/// What the `where` of a source is.
enum Place<'a> {
    Address,
    Issue {
        repository: &'a str,
        number: &'a str,
    },
    File {
        repository: &'a str,
        path: &'a str,
        reference: &'a str,
    },
    /// Words, which a pack may write.
    Text,
}

/// Reads `https://...`, `owner/repository:path@ref` or `owner/repository#123`.
fn place(text: &str) -> Place<'_> {
    let is_repository =
        |text: &str| text.split('/').count() == 2 && !text.contains(|c: char| c.is_whitespace() || c == ':');
    if text.starts_with("https://") || text.starts_with("http://") {
        return Place::Address;
    }
    if let Some((repository, number)) = text.split_once('#')
        && is_repository(repository)
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Place::Issue { repository, number };
    }
    match text.split_once(':').and_then(|(repository, rest)| Some((repository, rest.rsplit_once('@')?))) {
        Some((repository, (path, reference))) if is_repository(repository) && !text.contains(' ') => {
            Place::File { repository, path, reference }
        }
        _ => Place::Text,
    }
}

impl Source<'_> {
    /// The address that a browser opens; `owner/repository:path@ref` and `owner/repository#n` are on GitHub. Words are given back.
    pub fn url(&self) -> String {
        match place(self.place) {
            Place::Address | Place::Text => self.place.to_string(),
            Place::Issue { repository, number } => format!("https://github.com/{repository}/issues/{number}"),
            Place::File { repository, path, reference } => {
                format!("https://github.com/{repository}/blob/{}/{path}", git_commit(reference))
            }
        }
    }

    /// True when the place is one that can be opened.
    pub fn is_address(&self) -> bool {
        !matches!(place(self.place), Place::Text)
    }
}

/// `v64.0-61-g691953d8d` (as `git describe` prints it) names a commit only by its last piece; other references stand as they are.
fn git_commit(reference: &str) -> &str {
    match reference.rsplit_once("-g") {
        Some((_, hash)) if hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => hash,
        _ => reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(place: &str) -> String {
        Source { id: "x", title: "x", place, kind: SourceKind::Code, date: None }.url()
    }

    #[test]
    fn a_source_opens_in_a_browser() {
        assert_eq!(url("https://example.org/a#b"), "https://example.org/a#b");
        assert_eq!(url("NVIDIA/nccl#290"), "https://github.com/NVIDIA/nccl/issues/290");
        assert_eq!(
            url("NVIDIA/nccl:src/init.cc@v2.30.7-1"),
            "https://github.com/NVIDIA/nccl/blob/v2.30.7-1/src/init.cc"
        );
        assert_eq!(
            url("linux-rdma/rdma-core:libibverbs/verbs.h@v64.0-61-g691953d8d"),
            "https://github.com/linux-rdma/rdma-core/blob/691953d8d/libibverbs/verbs.h"
        );
        for words in ["http://wiki/rdma#mtu", "Runbook #12", "Chat: ask @jane", "the manual", "NVIDIA/nccl:src/init.cc"]
        {
            assert_eq!(url(words), words);
        }
    }
}
