//! `rdmanav man`

use std::io::{self, IsTerminal};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::exit::{ANSWERED, Failure, hint};
use super::{help, output};
use crate::cli::help::{ENVIRONMENT, EXIT_STATUS, examples, remarks};
use crate::cli::{self, Cli};
use crate::files::Folder;

/// What begins the remark of a command that has its own meanings.
const EXIT_STATUS_REMARK: &str = "Exit status: ";

/// Prints a page, or writes all.
pub fn run(arguments: &cli::Man) -> Result<u8, Failure> {
    let mut root = Cli::command();
    root.build();
    if let Some(directory) = &arguments.dir {
        return write_all(&root, directory)
            .map_err(|error| Failure::Usage(format!("{}: {error}", super::text(directory.as_os_str()))));
    }
    let names: Vec<String> = arguments.command.iter().map(|name| super::text(name)).collect();
    let text = page(help::find(&root, &names)?, &root).map_err(Failure::Output)?;
    let status = output::write(&text)?;
    if io::stdout().is_terminal() {
        let name = names.iter().fold(String::new(), |out, name| out + " " + name);
        hint(&format!("laid out: rdmanav man{name} | man -l -; without man: rdmanav help{name}"));
    }
    Ok(status)
}

/// Writes rdmanav.1, and a page for each command that can be run.
fn write_all(root: &Command, directory: &Path) -> io::Result<u8> {
    std::fs::create_dir_all(directory)?;
    let directory = Folder::open(directory)?;
    let mut commands = vec![root];
    while let Some(command) = commands.pop() {
        directory.write(&format!("{}.1", page_name(command)), page(command, root)?.as_bytes())?;
        commands.extend(command.get_subcommands());
    }
    Ok(ANSWERED)
}

/// `rdmanav-skill-export`
fn page_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or("rdmanav").replace(' ', "-")
}

fn page(command: &Command, root: &Command) -> io::Result<String> {
    let name = page_name(command);
    let is_root = command.get_name() == root.get_name();
    let plain = command.clone().version(env!("CARGO_PKG_VERSION")).display_name(&name);
    let man = Man::new(plain)
        .title(name.to_uppercase())
        .date(crate::library().reviewed())
        .source(concat!("rdmanav ", env!("CARGO_PKG_VERSION")))
        .manual("rdmanav");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    // Of breaks around an empty line mandoc says that they do nothing.
    let mut page = String::from_utf8_lossy(&out).replace("\n.br\n\n.br\n", "\n.sp\n");
    let children: Vec<&Command> = command.get_subcommands().filter(|child| !child.is_hide_set()).collect();
    if !children.is_empty() {
        page.push_str(".SH COMMANDS\n");
        for child in &children {
            let about = child.get_about().map(ToString::to_string).unwrap_or_default();
            page.push_str(&format!(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(&page_name(child)), line(&about)));
        }
    }
    let (statuses, notes): (Vec<String>, Vec<String>) =
        remarks(command).into_iter().partition(|remark| remark.starts_with(EXIT_STATUS_REMARK));
    if !notes.is_empty() {
        let notes: Vec<String> = notes.iter().map(|note| line(note)).collect();
        page.push_str(&format!(".SH NOTES\n{}\n", notes.join("\n.PP\n")));
    }
    page.push_str(".SH EXIT STATUS\n");
    match statuses.first() {
        Some(own) => page.push_str(&format!("{}\n", line(own.trim_start_matches(EXIT_STATUS_REMARK)))),
        None => terms(EXIT_STATUS, &mut page),
    }
    if is_root {
        page.push_str(".SH ENVIRONMENT\n");
        terms(ENVIRONMENT, &mut page);
    }
    let examples = examples(command);
    if !examples.is_empty() {
        page.push_str(".SH EXAMPLES\n.nf\n");
        for example in examples {
            page.push_str(&format!("{}\n", line(&example)));
        }
        page.push_str(".fi\n");
    }
    let mut others: Vec<String> =
        if is_root { children.iter().map(|child| page_name(child)).collect() } else { vec!["rdmanav".to_string()] };
    others.sort();
    let others: Vec<String> = others.iter().map(|name| format!("\\fB{}\\fR(1)", escaped(name))).collect();
    page.push_str(&format!(".SH SEE ALSO\n{}\n", others.join(", ")));
    Ok(page)
}

fn terms(terms: &[(&str, &str)], page: &mut String) {
    for (term, text) in terms {
        page.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", escaped(term), line(text)));
    }
}

/// Text as roff reads it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A line of text: a dot or an apostrophe in front would be a command.
fn line(text: &str) -> String {
    let text = escaped(text);
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
