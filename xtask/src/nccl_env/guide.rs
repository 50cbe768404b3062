//! NVIDIA's page of the variables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

/// Where it lies in the repository.
pub const PATH: &str = "docs/userguide/source/env.rst";

/// What the page says about names.
pub struct Guide {
    /// Those with a heading of their own -> the category, the heading above.
    described: BTreeMap<String, String>,
    /// All on the page.
    mentioned: BTreeSet<String>,
}

impl Guide {
    /// Reads the page: headings are underlined with `=` (a category) or `-` (one or more variables).
    pub fn parse(page: &str) -> Guide {
        static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bNCCL_[A-Z0-9_]+\b").unwrap());
        let names = |text| NAME.find_iter(text).map(|name| name.as_str().to_string());
        let lines: Vec<&str> = page.lines().map(str::trim).collect();
        let (mut described, mut category) = (BTreeMap::new(), String::new());
        for pair in lines.windows(2) {
            let [heading, line] = pair else { continue };
            if heading.is_empty() || line.len() < 4 {
                continue;
            }
            if line.bytes().all(|byte| byte == b'=') {
                category = heading.to_lowercase();
            } else if line.bytes().all(|byte| byte == b'-') {
                described.extend(names(heading).map(|name| (name, category.clone())));
            }
        }
        Guide { described, mentioned: names(page).collect() }
    }

    /// The names that it describes.
    pub fn described(&self) -> impl Iterator<Item = &str> {
        self.described.keys().map(String::as_str)
    }

    /// Whether it describes a variable.
    pub fn describes(&self, name: &str) -> bool {
        self.described.contains_key(name)
    }

    /// Under which heading it describes a variable, or that it only mentions it.
    pub fn category(&self, name: &str) -> Option<&str> {
        let mentioned = || self.mentioned.contains(name).then_some("(mentioned only)");
        self.described.get(name).map(String::as_str).or_else(mentioned)
    }
}

#[cfg(test)]
mod tests {
    use super::Guide;

    #[test]
    fn headings_and_mentions() {
        let page = "System configuration\n====================\n\nNCCL_A and NCCL_B\n-----------------\n(since 2.1)\n\n\
                    See NCCL_C.\n\nDebugging\n=========\n\nNCCL_D\n------\n\n+----+\nNCCL_C\n";
        let guide = Guide::parse(page);
        assert_eq!(guide.described().collect::<Vec<_>>(), ["NCCL_A", "NCCL_B", "NCCL_D"]);
        assert_eq!(guide.category("NCCL_B"), Some("system configuration"));
        assert_eq!(guide.category("NCCL_D"), Some("debugging"));
        assert_eq!(guide.category("NCCL_C"), Some("(mentioned only)"));
        assert_eq!(guide.category("NCCL_E"), None);
    }
}
