//! What one file reads from the environment.
//!
//! A variable is found as
//! - `NCCL_PARAM(id, "SUFFIX", default)`: `NCCL_SUFFIX`, an integer;
//! - `DEFINE_NCCL_PARAM(id, type, NAME, default, flags, parser, text)`, typed (2.30 and later);
//! - the argument of `getenv` and its relatives: a literal, or a constant of the same file;
//! - the argument of a wrapper, a function that hands one of its parameters on to those: found by [`super::release`], which
//!   sees all files;
//! - `NVTX_STR("..._PATH")` in the bundled NVTX headers;
//! - `os.environ` and `os.getenv` in Python.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::ctext::{CText, Function, is_name, literal};
use super::fallback;

/// `getEnvFunc` is a pointer to getenv or ncclGetEnv in src/debug.cc (2.28.7 to 2.30.4).
const READERS: [&str; 5] = ["secure_getenv", "getenv", "ncclGetEnv", "NVTX_GETENV", "getEnvFunc"];

/// Functions that take any name: what they are called with is found otherwise.
const NO_WRAPPERS: [&str; 6] =
    ["ncclGetEnv", "ncclEnvGetEnv", "ncclEnvPluginGetEnv", "ncclLoadParam", "ncclParamEnvPluginGet", "getEnv"];

/// A variable that a macro declares.
#[derive(Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The function that gives its value.
    pub accessor: String,
    pub name: String,
    pub kind: String,
    /// An expression.
    pub default: String,
}

/// What a file reads.
pub struct FileReads {
    pub declarations: Vec<Declaration>,
    /// Names read as text.
    pub names: Vec<String>,
    /// Name -> the expression that stands in where it is not set.
    pub fallbacks: HashMap<String, String>,
    pub wrappers: Vec<Function>,
    /// Name -> expression.
    pub constants: HashMap<String, String>,
    pub text: CText,
}

/// Reads a C or C++ file.
pub fn c(raw: &str) -> FileReads {
    static NVTX: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"NVTX_STR\s*\(\s*"([A-Z0-9_]+_PATH)"\s*\)"#).unwrap());
    let text = CText::new(raw);
    let mut reads = FileReads {
        declarations: declarations(&text),
        names: Vec::new(),
        fallbacks: HashMap::new(),
        wrappers: Vec::new(),
        constants: constants(&text.text),
        text,
    };
    for reader in READERS {
        reads.calls_of(reader);
    }
    reads.names.extend(NVTX.captures_iter(&reads.text.text).map(|found| found[1].to_string()));
    reads
}

/// Reads a Python file.
pub fn python(raw: &str) -> FileReads {
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)#.*$").unwrap());
    static READ: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:environ(?:\.get\s*\(|\.setdefault\s*\(|\s*\[)|getenv\s*\()\s*["']([A-Z0-9_]+)["']"#).unwrap()
    });
    let code = COMMENT.replace_all(raw, "");
    FileReads {
        declarations: Vec::new(),
        names: READ.captures_iter(&code).map(|found| found[1].to_string()).collect(),
        fallbacks: HashMap::new(),
        wrappers: Vec::new(),
        constants: HashMap::new(),
        text: CText::new(""),
    }
}

impl FileReads {
    fn calls_of(&mut self, reader: &str) {
        for call in self.text.calls(reader) {
            let [argument] = call.arguments[..] else { continue };
            if let Some(name) = literal(argument) {
                if let Some(fallback) = fallback::find(&self.text, call.position) {
                    self.fallbacks.insert(name.clone(), fallback);
                }
                self.names.push(name);
            } else if is_name(argument) {
                match self.text.enclosing_function(call.position, argument) {
                    Some(function) if is_wrapper(&function) => self.wrappers.push(function),
                    _ => self.names.extend(text_constant(&self.text.text, argument)),
                }
            }
        }
    }
}

/// Whether the calls of a function tell which variables it reads.
pub fn is_wrapper(function: &Function) -> bool {
    !NO_WRAPPERS.contains(&function.name.as_str())
}

fn declarations(text: &CText) -> Vec<Declaration> {
    let plain = text.calls("NCCL_PARAM").filter_map(|call| {
        let [id, suffix, default, ..] = call.arguments[..] else { return None };
        Some(Declaration {
            accessor: format!("ncclParam{id}"),
            name: format!("NCCL_{}", literal(suffix)?),
            kind: "int-param".to_string(),
            default: one_line(default),
        })
    });
    let typed = text.calls("DEFINE_NCCL_PARAM").filter_map(|call| {
        let [id, type_, name, default, _, parser, _, ..] = call.arguments[..] else { return None };
        Some(Declaration {
            accessor: id.to_string(),
            name: name.to_string(),
            kind: kind(type_, parser),
            default: one_line(default),
        })
    });
    plain.chain(typed).collect()
}

fn kind(type_: &str, parser: &str) -> String {
    let shapes = [("BitsetOf", "bitset"), ("OneOf", "enum"), ("ListOf", "list")];
    let shape = shapes.iter().find(|(part, _)| parser.contains(part)).map(|(_, shape)| *shape);
    let shape = shape.unwrap_or(if type_ == "const char*" { "string" } else { type_ });
    format!("{shape}-param")
}

/// The name that a constant of the file holds: `static const char* name = "NCCL_A";`.
fn text_constant(text: &str, constant: &str) -> Option<String> {
    let pattern = format!(r#"\b{constant}\s*(?:\[\s*\])?\s*=\s*"([A-Z][A-Z0-9_]+)"\s*;"#);
    Some(Regex::new(&pattern).ok()?.captures_iter(text).last()?[1].to_string())
}

/// Constants that defaults may name. Of several definitions the first counts.
fn constants(text: &str) -> HashMap<String, String> {
    static DEFINITIONS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
        [
            r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.+)",
            r"\bstatic\s+const\s+int\s+(default\w+)\s*=\s*([^;{}]+);",
            r"\b(?:constexpr|const)\s+(?:static\s+)?(?:u?int\w*|size_t|long|unsigned)\s+(\w+)\s*=\s*([^;{}]+);",
        ]
        .map(|pattern| Regex::new(pattern).unwrap())
    });
    let mut constants = HashMap::new();
    for definition in DEFINITIONS.iter() {
        for found in definition.captures_iter(text) {
            constants.entry(found[1].to_string()).or_insert_with(|| one_line(&found[2]));
        }
    }
    constants
}

/// With single spaces.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{c, python};

    fn declared(text: &str) -> Vec<(String, String, String)> {
        c(text).declarations.into_iter().map(|found| (found.name, found.kind, found.default)).collect()
    }

    fn triple(name: &str, kind: &str, default: &str) -> (String, String, String) {
        (name.into(), kind.into(), default.into())
    }

    #[test]
    fn nccl_param() {
        let text = "#define NCCL_PARAM(name, env, deftVal) x\nNCCL_PARAM(IbTc, \"IB_TC\", 1 <<\n 4);\n// NCCL_PARAM(A, \"A\", 0)";
        assert_eq!(declared(text), [triple("NCCL_IB_TC", "int-param", "1 << 4")]);
        assert_eq!(c(text).declarations[0].accessor, "ncclParamIbTc");
    }

    #[test]
    fn define_nccl_param() {
        let text = "DEFINE_NCCL_PARAM(a, bool, NCCL_A, false, F, P, \"a\");\n\
                    DEFINE_NCCL_PARAM(b, const char*, NCCL_B, nullptr, F, P, \"b, c\");\n\
                    DEFINE_NCCL_PARAM(c, uint64_t, NCCL_C, X | Y, F, ncclParamBitsetOf<uint64_t>({{\"A\", A}}), \"c\");";
        let expected = [
            triple("NCCL_A", "bool-param", "false"),
            triple("NCCL_B", "string-param", "nullptr"),
            triple("NCCL_C", "bitset-param", "X | Y"),
        ];
        assert_eq!(declared(text), expected);
    }

    #[test]
    fn getenv_and_relatives() {
        let text = "a = std::getenv(\"A1\"); b = ncclGetEnv(\"NCCL_\" \"B\"); NVTX_GETENV(\"C1\"); getEnvFunc(\"D1\"); mygetenv(\"E1\");";
        assert_eq!(c(text).names, ["A1", "NCCL_B", "C1", "D1"]);
    }

    #[test]
    fn getenv_of_a_constant() {
        assert_eq!(c("static const char name[] = \"NCCL_A\"; f() { getenv(name); }").names, ["NCCL_A"]);
    }

    #[test]
    fn nvtx_paths() {
        assert_eq!(
            c("const char* v = NVTX_STR(\"NVTX_INJECTION64_PATH\"); NVTX_GETENV(v);").names,
            ["NVTX_INJECTION64_PATH"]
        );
    }

    #[test]
    fn wrappers() {
        let reads = c("long load(const char* name, long defaultValue) { const char* s = getenv(name); }");
        assert_eq!(reads.wrappers[0].name, "load");
        assert!(c("const char* ncclGetEnv(const char* name) { return getenv(name); }").wrappers.is_empty());
    }

    #[test]
    fn constants() {
        let reads = c("#define A (1 << 4)\n#define F(x) x\nstatic constexpr int B = 2;\n#define A 5\n");
        assert_eq!(reads.constants["A"], "(1 << 4)");
        assert_eq!(reads.constants["B"], "2");
        assert!(!reads.constants.contains_key("F"));
    }

    #[test]
    fn python_reads() {
        let text = "os.environ.get('NCCL_A', 1)  # environ['NCCL_NO']\nos.environ[\"NCCL_B\"]\nos.getenv('NCCL_C')";
        assert_eq!(python(text).names, ["NCCL_A", "NCCL_B", "NCCL_C"]);
    }
}
