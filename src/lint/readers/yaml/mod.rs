//! YAML: environments of Kubernetes, compose, charts and launchers, and the shell text in them.

mod containers;
mod lines;
mod scalar;
mod template;
mod tree;

use super::{Found, MOST_SETTINGS, names, shell};
use crate::lint::kind;
use crate::lint::place::Mapped;
use crate::lint::source::{Broken, Fallback, Form, Kind, NotText, Quote, Setting, Value};
use tree::{Content, Tree};

/// Aliases stand for many nodes: so many are looked at, and as many more as the text has bytes, some times over.
const MOST_VISITS: usize = 50_000;

/// See [`MOST_VISITS`].
const MOST_VISITS_A_BYTE: usize = 4;

/// Longer text is read line by line: nobody writes so much, and a tree of it would fill the memory.
const LONGEST: usize = 8 * 1024 * 1024;

/// Reads all documents of a text. What is no YAML, even without its templates, is read line by line.
pub(super) fn read(text: &Mapped<'_>, kind: Kind, scope: usize, found: &mut Found) {
    if text.text.len() > LONGEST {
        lines::read(text, scope, found);
        let message = format!("longer than {} MB: it was read line by line", LONGEST / 1024 / 1024);
        found.fallback = Some(Fallback { message, line: None });
        return;
    }
    let template = template::take_out(text);
    let source = template.as_ref().map_or(text, |template| &template.text);
    let first = found.settings.len();
    match tree::parse(&source.text) {
        Ok(tree) => {
            let mut walk = Walk::new(source, &tree, kind, found);
            for document in &tree.documents {
                walk.node(*document, "", Context { scope, pod: None, services: false });
            }
            if walk.left == 0 {
                let message = "its aliases stand for too much: it was read in part".to_string();
                found.fallback = Some(Fallback { message, line: None });
            }
        }
        Err(failure) => {
            lines::read(source, scope, found);
            if found.depth == 0 {
                let message = format!("no YAML: {}; it was read line by line", failure.message.trim_end_matches('.'));
                found.fallback = Some(Fallback { message, line: failure.line });
            }
        }
    }
    if let Some(template) = &template {
        template.restore(&mut found.settings[first..]);
    }
}

/// Reads a list of words as `CMD` and `RUN` of a Dockerfile have it.
pub(super) fn read_exec(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    if let Ok(tree) = tree::parse(&text.text) {
        let mut walk = Walk::new(text, &tree, Kind::Dockerfile, found);
        for document in &tree.documents {
            walk.command(&[*document], Context { scope, pod: None, services: false });
        }
    }
}

/// What stands around a node.
#[derive(Clone, Copy)]
struct Context {
    scope: usize,
    /// The specification of the pod.
    pod: Option<usize>,
    /// The children are services of compose.
    services: bool,
}

struct Walk<'s, 'f> {
    source: &'s Mapped<'s>,
    tree: &'s Tree,
    kind: Kind,
    found: &'f mut Found,
    /// How much may still be looked at.
    left: usize,
    depth: usize,
}

impl<'s, 'f> Walk<'s, 'f> {
    fn new(source: &'s Mapped<'s>, tree: &'s Tree, kind: Kind, found: &'f mut Found) -> Self {
        let left = MOST_VISITS + source.text.len() * MOST_VISITS_A_BYTE;
        Walk { source, tree, kind, found, left, depth: 0 }
    }

    /// Takes what it costs to look at a node; `false` where it is too much.
    fn visit(&mut self, node: usize) -> bool {
        let cost = match &self.tree.nodes[node].content {
            Content::Scalar { text, .. } => text.len() / 8,
            Content::List(items) => items.len(),
            Content::Map(pairs) => pairs.len(),
        };
        self.left = self.left.saturating_sub(1 + cost);
        self.left > 0
    }

    fn node(&mut self, node: usize, key: &str, context: Context) {
        if !self.visit(node) || self.depth > 2 * tree::DEEPEST || self.found.is_full() {
            return;
        }
        self.depth += 1;
        match &self.tree.nodes[node].content {
            Content::Map(_) => self.map(node, key, context),
            Content::List(items) => {
                for item in items {
                    if is_env(key) || self.is_pair(*item) {
                        self.item(*item, context);
                    } else if is_containers(key) && !self.tree.pairs(*item).is_empty() {
                        self.container(*item, None, context);
                    } else {
                        self.node(*item, key, context);
                    }
                }
            }
            Content::Scalar { .. } => self.text(node, key, context),
        }
        self.depth -= 1;
    }

    /// A map that is no environment.
    fn map(&mut self, node: usize, key: &str, context: Context) {
        let tree = self.tree;
        let mut context = context;
        let services = std::mem::take(&mut context.services);
        if tree.get(node, "containers").is_some() {
            context.pod = Some(node);
        }
        let has = |key: &str| tree.get(node, key).is_some();
        let is_container =
            has("image") && (has("env") || has("command") || has("args") || has("resources") || has("environment"));
        if (is_container || key == "container") && context.pod != Some(node) {
            self.container(node, None, context);
            return;
        }
        for (name, value) in tree.pairs(node) {
            let Some(name_text) = tree.text(*name) else { continue };
            if services && !tree.pairs(*value).is_empty() {
                self.container(*value, Some(*name), context);
            } else {
                self.pair(*name, name_text, *value, context);
            }
        }
        self.command_of(node, context);
    }

    /// A key and its value.
    fn pair(&mut self, name: usize, text: &str, value: usize, context: Context) {
        if !self.visit(name) {
            return;
        }
        let is_map = matches!(self.tree.nodes[value].content, Content::Map(_));
        let is_scalar = matches!(self.tree.nodes[value].content, Content::Scalar { .. });
        if text == "<<" {
            self.merged(value, context);
        } else if is_scalar && names::is_nccl(text) && names::is_variable(text) {
            self.set(name, value, Form::Map, context);
        } else if is_env(text) && is_map && !self.is_pair(value) {
            self.environment(value, context, 0);
        } else if matches!(text, "data" | "stringData") && is_map {
            let scope = self.found.scope(None);
            self.environment(value, Context { scope, ..context }, 0);
        } else if is_command(text) && !is_scalar && !is_map {
            // With the rest of the command.
        } else {
            let services = text == "services" && self.kind != Kind::Kubernetes;
            self.node(value, text, Context { services, ..context });
        }
    }

    /// What `<<` brings in.
    fn merged(&mut self, node: usize, context: Context) {
        let tree = self.tree;
        for map in std::iter::once(&node).chain(tree.items(node)) {
            for (name, value) in tree.pairs(*map) {
                if self.left == 0 || self.depth > 2 * tree::DEEPEST {
                    return;
                }
                self.depth += 1;
                if let Some(text) = tree.text(*name) {
                    self.pair(*name, text, *value, context);
                }
                self.depth -= 1;
            }
        }
    }

    fn container(&mut self, node: usize, name: Option<usize>, context: Context) {
        let mut container = containers::container(self.source, self.tree, node, context.pod, name);
        container.scope = self.found.scope(None);
        let scope = container.scope;
        if self.found.containers.len() < MOST_SETTINGS {
            self.found.containers.push(container);
        }
        let context = Context { scope, services: false, ..context };
        let tree = self.tree;
        if !self.visit(node) {
            return;
        }
        for (name, value) in tree.pairs(node) {
            if let Some(text) = tree.text(*name) {
                self.pair(*name, text, *value, context);
            }
        }
        self.command_of(node, context);
    }

    /// A map of variables; keys that are none may be files with settings.
    fn environment(&mut self, node: usize, context: Context, depth: usize) {
        let tree = self.tree;
        for (name, value) in tree.pairs(node) {
            if !self.visit(*name) {
                return;
            }
            let Some(text) = tree.text(*name) else { continue };
            if text == "<<" && depth < 8 {
                for map in std::iter::once(value).chain(tree.items(*value)) {
                    self.environment(*map, context, depth + 1);
                }
            } else if names::is_variable(text) {
                self.set(*name, *value, Form::Map, context);
            } else if tree.text(*value).is_none() {
                self.node(*value, text, context);
            } else {
                self.text(*value, text, context);
            }
        }
    }

    /// A map with `name`, and `value` or `valueFrom`.
    fn is_pair(&self, node: usize) -> bool {
        let name = self.tree.get(node, "name").and_then(|name| self.tree.text(name));
        name.is_some_and(names::is_variable)
            && (self.tree.get(node, "value").is_some() || self.tree.get(node, "valueFrom").is_some())
    }

    /// An item of an environment.
    fn item(&mut self, node: usize, context: Context) {
        if !self.visit(node) {
            return;
        }
        if let Some(name) = self.tree.get(node, "name") {
            if let Some(value) = self.tree.get(node, "value") {
                self.set(name, value, Form::ListItem, context);
            } else if self.tree.text(name).is_some_and(names::is_variable) {
                let value = match self.tree.get(node, "valueFrom") {
                    Some(_) => Value::Unresolved("valueFrom".to_string()),
                    None => names::literal(""),
                };
                self.push(name, value, name, Form::ListItem, None, context);
            }
        } else if let Some(text) = self.tree.text(node) {
            self.string(node, text, context);
        } else {
            self.environment(node, context, 0);
        }
    }

    /// `- NAME=value`, `- NAME`.
    fn string(&mut self, node: usize, text: &str, context: Context) {
        let mapped = scalar::mapped(self.source, self.tree, node);
        let name = names::identifier(text);
        let behind = &text[name..];
        let value = if let Some(value) = behind.strip_prefix('=') {
            let plain = if self.kind == Kind::Compose { value.replace("$$", "$") } else { value.to_string() };
            let open = names::has_variable(&value.replace("$$", "")) || names::is_template(value);
            if open {
                Value::Unresolved(value.to_string())
            } else {
                Value::Literal { text: plain, written: value.to_string(), quote: Quote::None }
            }
        } else if behind.is_empty() {
            Value::Inherited
        } else {
            return;
        };
        if names::is_variable(&text[..name]) {
            self.found.push(Setting {
                name: text[..name].to_string(),
                at: mapped.position(0),
                value_at: mapped.position(if behind.is_empty() { 0 } else { name + 1 }),
                value,
                form: Form::ListString,
                scope: context.scope,
                conditional: false,
                host: None,
                broken: None,
            });
        }
    }

    fn set(&mut self, name: usize, value: usize, form: Form, context: Context) {
        if !self.visit(value) {
            return;
        }
        // Kubernetes writes a dollar sign of an environment twice, too.
        let doubles = self.kind == Kind::Compose || form == Form::ListItem;
        let (mut what, mut broken) = scalar::value(self.source, self.tree, value, doubles);
        if self.kind == Kind::Compose && broken == Some(Broken::NotText(NotText::Null)) {
            (what, broken) = (Value::Inherited, None);
        }
        self.push(name, what, value, form, broken, context);
    }

    fn push(
        &mut self,
        name: usize,
        value: Value,
        value_node: usize,
        form: Form,
        broken: Option<Broken>,
        context: Context,
    ) {
        let Some(text) = self.tree.text(name).filter(|text| names::is_variable(text)) else { return };
        let quoted = !matches!(self.tree.nodes[name].content, Content::Scalar { quote: Quote::None, .. });
        self.found.push(Setting {
            name: text.to_string(),
            at: self.source.position(self.tree.nodes[name].start + usize::from(quoted)),
            value_at: self.source.position(self.tree.nodes[value_node].start),
            value,
            form,
            scope: context.scope,
            conditional: false,
            host: None,
            broken,
        });
    }

    /// Text that may be a file or a script.
    fn text(&mut self, node: usize, key: &str, context: Context) {
        let tree = self.tree;
        let Content::Scalar { text, quote, .. } = &tree.nodes[node].content else { return };
        if !self.visit(node) {
            return;
        }
        if !text.contains('=') && !text.contains("unset ") {
            return;
        }
        let file = kind::by_name(key).filter(|_| *quote == Quote::Block);
        if file.is_none() && *quote != Quote::Block && !is_command(key) {
            return;
        }
        let mapped = scalar::mapped(self.source, self.tree, node);
        let outer = if file.is_some() { None } else { Some(context.scope) };
        let scope = self.found.scope(outer);
        let kind = file.unwrap_or(Kind::Shell);
        self.found.inside(|found| super::read_mapped(&mapped, kind, scope, found));
    }

    /// The command of a container, which may stand in two lists.
    fn command_of(&mut self, node: usize, context: Context) {
        let lists: Vec<usize> = ["entrypoint", "command", "args", "cmd"]
            .iter()
            .filter_map(|key| self.tree.get(node, key))
            .filter(|list| !self.tree.items(*list).is_empty())
            .collect();
        if !lists.is_empty() {
            self.command(&lists, context);
        }
        for (name, value) in self.tree.pairs(node) {
            let is_other = self
                .tree
                .text(*name)
                .is_some_and(|name| is_command(name) && !matches!(name, "entrypoint" | "command" | "args" | "cmd"));
            if is_other && !self.tree.items(*value).is_empty() {
                self.command(&[*value], context);
            }
        }
    }

    /// Words of a command, in lists one behind the other.
    fn command(&mut self, lists: &[usize], context: Context) {
        let mut words = Vec::new();
        let tree = self.tree;
        for item in lists.iter().flat_map(|list| tree.items(*list)) {
            let Content::Scalar { text, quote, .. } = &tree.nodes[*item].content else { continue };
            if !self.visit(*item) {
                return;
            }
            let mapped = scalar::mapped(self.source, self.tree, *item);
            words.push(shell::Word::plain(mapped, *quote, names::has_variable(text)));
        }
        let is_quoted = words.iter().any(|word| {
            let text = &word.text.text;
            text.starts_with('-') && !text.starts_with("--") && text.ends_with('c') && text.len() < 8
        });
        let scope = context.scope;
        self.found.inside(|found| {
            shell::exec(&words, scope, false, found);
            // Lines of a script without a shell in front of them.
            for word in words.iter().filter(|_| !is_quoted) {
                if word.text.text.contains('=') && word.text.text.trim().contains([' ', '\n']) {
                    let scope = found.scope(Some(scope));
                    shell::read(&word.text, scope, found);
                }
            }
        });
    }
}

/// The key of an environment.
fn is_env(key: &str) -> bool {
    let lower = key.to_ascii_lowercase().replace(['_', '-'], "");
    matches!(&*lower, "env" | "envs" | "environment" | "envvars" | "environmentvariables")
        || lower.starts_with("extraenv")
        || lower.ends_with("env")
        || lower.ends_with("envs")
        || lower.ends_with("envvars")
        || lower.ends_with("environment")
}

fn is_containers(key: &str) -> bool {
    matches!(key, "containers" | "initContainers" | "ephemeralContainers" | "sidecars")
}

/// The key of what a shell or another program runs.
fn is_command(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    matches!(
        &*lower,
        "command" | "cmd" | "args" | "entrypoint" | "run" | "script" | "setup" | "exec" | "commands" | "source"
    ) || lower.ends_with("command")
        || lower.ends_with("script")
        || lower.ends_with("cmd")
}
