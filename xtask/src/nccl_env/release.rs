//! What one release reads: the findings of all its files, put together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;

use super::constant;
use super::ctext::{Call, Function, is_name, literal};
use super::extract::{Declaration, FileReads, is_wrapper};
use super::probes;
use super::sources::Scope;

/// A file of the release.
pub struct SourceFile<'a> {
    pub path: &'a str,
    pub scope: Scope,
    pub reads: &'a FileReads,
}

/// How a release reads a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub file: String,
    pub scope: Scope,
    /// What its declaration says; none for one that is read as text, whose kind only the code around it tells.
    pub kind: Option<String>,
    pub default: String,
}

/// A place that reads a variable.
struct Place<'a> {
    file: &'a SourceFile<'a>,
    declaration: Option<&'a Declaration>,
}

/// What stands in for a variable that is not set: an expression, and the file whose constants it may name.
type Fallback<'a> = (&'a str, &'a FileReads);

/// `NCCL_CONFIG_UNDEF_INT`.
const LEFT_TO_COMMUNICATOR: &str = "-2147483648";

/// Puts the files of a release together.
pub fn readings(files: &[SourceFile<'_>]) -> BTreeMap<String, Reading> {
    let mut places = Places::default();
    let wrappers = wrappers(files);
    for file in files {
        places.own(file);
        places.through_wrappers(file, &wrappers);
    }
    let constants = constants(files);
    let Places { by_name, fallbacks } = places;
    by_name
        .into_iter()
        .map(|(name, places)| {
            let reading = reading(&name, places, fallbacks.get(name.as_str()), files, &constants);
            (name, reading)
        })
        .collect()
}

/// A parameter of a function that is the name of a variable, for callers of the same scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NameParameter {
    scope: Scope,
    parameter: usize,
    default: Option<usize>,
}

type Wrappers = BTreeMap<String, BTreeSet<NameParameter>>;

/// Functions that hand a parameter to `getenv`, and functions that hand one to those.
fn wrappers(files: &[SourceFile<'_>]) -> Wrappers {
    let mut wrappers = Wrappers::new();
    let mut new: Vec<(Scope, Function)> = Vec::new();
    for file in files {
        new.extend(file.reads.wrappers.iter().map(|function| (file.scope, function.clone())));
    }
    while let Some((scope, function)) = new.pop() {
        let parameter = NameParameter { scope, parameter: function.parameter, default: function.default };
        if !wrappers.entry(function.name.clone()).or_default().insert(parameter) {
            continue;
        }
        for file in files.iter().filter(|file| file.scope == scope) {
            for call in file.reads.text.calls(&function.name) {
                new.extend(caller(file, &call, parameter).map(|caller| (scope, caller)));
            }
        }
    }
    wrappers
}

/// The function around a call that hands on one of its own parameters.
fn caller(file: &SourceFile<'_>, call: &Call<'_>, parameter: NameParameter) -> Option<Function> {
    let argument = call.arguments.get(parameter.parameter).filter(|argument| is_name(argument))?;
    file.reads.text.enclosing_function(call.position, argument).filter(is_wrapper)
}

#[derive(Default)]
struct Places<'a> {
    by_name: BTreeMap<String, Vec<Place<'a>>>,
    fallbacks: HashMap<String, Fallback<'a>>,
}

impl<'a> Places<'a> {
    fn add(&mut self, name: &str, file: &'a SourceFile<'a>, declaration: Option<&'a Declaration>) {
        static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[A-Z][A-Z0-9_]+$").unwrap());
        let foreign = matches!(file.scope, Scope::Contrib | Scope::Bindings) && !name.starts_with("NCCL_");
        if NAME.is_match(name) && !foreign {
            self.by_name.entry(name.to_string()).or_default().push(Place { file, declaration });
        }
    }

    /// What a file reads by itself.
    fn own(&mut self, file: &'a SourceFile<'a>) {
        for declaration in &file.reads.declarations {
            self.add(&declaration.name, file, Some(declaration));
        }
        for name in &file.reads.names {
            self.add(name, file, None);
        }
        for (name, expression) in &file.reads.fallbacks {
            self.fallbacks.insert(name.clone(), (expression, file.reads));
        }
    }

    fn through_wrappers(&mut self, file: &'a SourceFile<'a>, wrappers: &Wrappers) {
        for (function, parameters) in wrappers {
            for call in file.reads.text.calls(function) {
                for parameter in parameters.iter().filter(|parameter| parameter.scope == file.scope) {
                    let argument = call.arguments.get(parameter.parameter);
                    let Some(name) = argument.and_then(|argument| literal(argument)) else { continue };
                    self.add(&name, file, None);
                    if let Some(default) = parameter.default.and_then(|index| call.arguments.get(index)) {
                        self.fallbacks.entry(name).or_insert((default, file.reads));
                    }
                }
            }
        }
    }
}

/// The constants of NCCL itself. Of several definitions the first counts.
fn constants<'a>(files: &[SourceFile<'a>]) -> HashMap<&'a str, &'a str> {
    let mut constants = HashMap::new();
    for file in files.iter().filter(|file| matches!(file.scope, Scope::Core | Scope::ThirdParty)) {
        for (name, expression) in &file.reads.constants {
            constants.entry(name.as_str()).or_insert(expression.as_str());
        }
    }
    constants
}

fn reading<'a>(
    name: &str,
    mut places: Vec<Place<'a>>,
    fallback: Option<&Fallback<'a>>,
    files: &[SourceFile<'_>],
    constants: &HashMap<&str, &'a str>,
) -> Reading {
    places.sort_by_key(|place| (place.file.scope, place.declaration.is_none(), place.file.path));
    let first = places[0].file;
    let mut declarations: Vec<&Declaration> = places.iter().filter_map(|place| place.declaration).collect();
    // From 2.27.5 on, NCCL_COLLNET_ENABLE is declared but read as text only.
    if places.iter().any(|place| place.declaration.is_none() && place.file.scope == Scope::Core) {
        declarations.retain(|declaration| is_called(&declaration.accessor, files));
    }
    let declared = declared_default(&declarations, constants);
    let default = match declared.as_deref() {
        Some(LEFT_TO_COMMUNICATOR) => probes::default(name, files).or(declared),
        Some(_) => declared,
        None => probes::default(name, files).or_else(|| fallback.map(|fallback| text_default(fallback, constants))),
    };
    Reading {
        file: first.path.to_string(),
        scope: first.scope,
        kind: declarations.first().map(|declaration| declaration.kind.clone()),
        default: default.unwrap_or_else(|| "unset".to_string()),
    }
}

/// Whether anything calls the accessor of a declared variable.
fn is_called(accessor: &str, files: &[SourceFile<'_>]) -> bool {
    files.iter().any(|file| {
        let text = &file.reads.text;
        text.calls(accessor).any(|call| !text.code[..call.position].ends_with("int64_t "))
    })
}

/// The default of the declarations, if there are any; where they differ, all.
fn declared_default(declarations: &[&Declaration], constants: &HashMap<&str, &str>) -> Option<String> {
    let mut defaults: Vec<String> = Vec::new();
    for declaration in declarations {
        let default = constant::default(&declaration.default, &|name| constants.get(name).copied());
        let default = probes::plain(&default);
        if !defaults.contains(&default) {
            defaults.push(default);
        }
    }
    (!defaults.is_empty()).then(|| defaults.join("|"))
}

fn text_default(fallback: &Fallback<'_>, constants: &HashMap<&str, &str>) -> String {
    let (expression, file) = fallback;
    constant::default(expression, &|name| {
        file.constants.get(name).map(String::as_str).or_else(|| constants.get(name).copied())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Reading, SourceFile, readings};
    use crate::nccl_env::extract;
    use crate::nccl_env::sources::Scope;

    fn read(files: &[(&str, Scope, &str)]) -> BTreeMap<String, Reading> {
        let reads: Vec<_> = files.iter().map(|(_, _, text)| extract::c(text)).collect();
        let files: Vec<_> = files
            .iter()
            .zip(&reads)
            .map(|((path, scope, _), reads)| SourceFile { path, scope: *scope, reads })
            .collect();
        readings(&files)
    }

    #[test]
    fn a_wrapper_of_a_wrapper_is_followed_within_its_scope() {
        let wrapper = "int inner(const char* name, int defaultValue) { s = getenv(name); }\n\
                       int outer(const char* key, int n, int defaultN) { return inner(key, defaultN); }";
        let call = "#define SIZE 8\nx = outer(\"NCCL_A\", 1, SIZE);";
        let found =
            read(&[("a.cc", Scope::Plugin, wrapper), ("b.cc", Scope::Plugin, call), ("c.cc", Scope::Core, call)]);
        assert_eq!(found["NCCL_A"].file, "b.cc");
        assert_eq!(found["NCCL_A"].default, "8");
        assert_eq!(found["NCCL_A"].scope, Scope::Plugin);
    }

    #[test]
    fn constants_come_from_all_of_nccl() {
        let found = read(&[
            ("a.cc", Scope::Core, "NCCL_PARAM(A, \"A\", SIZE);"),
            ("b.h", Scope::Core, "#define SIZE (1 << 22)\n"),
        ]);
        assert_eq!(found["NCCL_A"].default, "4194304");
        assert_eq!(found["NCCL_A"].kind.as_deref(), Some("int-param"));
    }

    #[test]
    fn a_declaration_that_nothing_calls_gives_way_to_a_read() {
        let declaration = "NCCL_PARAM(A, \"A\", 7); int64_t ncclParamA();";
        let read_too = "s = ncclGetEnv(\"NCCL_A\");";
        let found = read(&[("a.cc", Scope::Core, declaration), ("b.cc", Scope::Core, read_too)]);
        assert_eq!((found["NCCL_A"].kind.as_deref(), found["NCCL_A"].default.as_str()), (None, "unset"));
        let called = "s = ncclGetEnv(\"NCCL_A\"); n = ncclParamA();";
        let found = read(&[("a.cc", Scope::Core, declaration), ("b.cc", Scope::Core, called)]);
        assert_eq!(found["NCCL_A"].default, "7");
    }

    #[test]
    fn core_counts_before_the_rest_and_other_names_of_contrib_do_not_count() {
        let found = read(&[
            ("contrib/a.cc", Scope::Contrib, "getenv(\"NCCL_A\"); getenv(\"HOME\");"),
            ("src/z.cc", Scope::Core, "getenv(\"NCCL_A\");"),
        ]);
        assert_eq!(found["NCCL_A"].file, "src/z.cc");
        assert!(!found.contains_key("HOME"));
    }
}
