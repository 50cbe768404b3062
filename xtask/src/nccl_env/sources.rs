//! Which files of a release count, and as what.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// What the file that reads a variable belongs to. The first counts where several files read one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Core,
    /// Code that NCCL carries along.
    ThirdParty,
    /// A program beside the library.
    Tool,
    Plugin,
    Contrib,
    Bindings,
}

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Python,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Core => "core",
            Scope::ThirdParty => "third-party",
            Scope::Tool => "tool",
            Scope::Plugin => "plugin",
            Scope::Contrib => "contrib",
            Scope::Bindings => "bindings",
        })
    }
}

const C_ENDINGS: [&str; 8] = [".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".in"];

/// What a path is read as; none for what is not read: tests, benchmarks, builds, documentation.
pub fn classify(path: &str) -> Option<(Scope, Language)> {
    static TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(^|/)(tests?|examples?/test|bench|benchmarks?)/").unwrap());
    let scope = scope(path)?;
    let file = path.rsplit('/').next().unwrap_or(path);
    let ends = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
    let language = if ends(&C_ENDINGS) && !ends(&[".pc.in", ".cmake.in"]) {
        Language::C
    } else if ends(&[".py", ".pyx"]) && matches!(scope, Scope::Contrib | Scope::Bindings) && file != "setup.py" {
        Language::Python
    } else {
        return None;
    };
    (!TESTS.is_match(path)).then_some((scope, language))
}

fn scope(path: &str) -> Option<Scope> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    if starts(&["src/include/nvtx"]) || path.contains("/doca-gpunetio/") {
        Some(Scope::ThirdParty)
    } else if ["src/ras/client.cc", "src/param/ncclparam.cc"].contains(&path) {
        Some(Scope::Tool)
    } else if starts(&["src/"]) {
        Some(Scope::Core)
    } else if starts(&["plugins/", "ext-"]) {
        Some(Scope::Plugin)
    } else if starts(&["contrib/"]) {
        Some(Scope::Contrib)
    } else if starts(&["bindings/"]) {
        Some(Scope::Bindings)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Scope, classify};

    #[test]
    fn paths_are_classified() {
        assert_eq!(classify("src/init.cc"), Some((Scope::Core, Language::C)));
        assert_eq!(classify("src/include/nvtx3/nvtxImpl.h"), Some((Scope::ThirdParty, Language::C)));
        assert_eq!(classify("src/ras/client.cc"), Some((Scope::Tool, Language::C)));
        assert_eq!(classify("ext-net/example/plugin.c"), Some((Scope::Plugin, Language::C)));
        assert_eq!(classify("bindings/nccl4py/a.pyx"), Some((Scope::Bindings, Language::Python)));
    }

    #[test]
    fn what_is_no_source_is_left_out() {
        for path in
            ["src/x.py", "src/nccl.pc.in", "plugins/a/test/b.c", "bindings/setup.py", "docs/a.c", "src/Makefile"]
        {
            assert_eq!(classify(path), None, "{path}");
        }
    }
}
