//! docs/cli.md, made from the definition of the commands.

use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use rdmanav::cli::{Cli, help};

#[test]
fn the_reference_is_what_the_definition_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md");
    let made = reference();
    if std::env::var_os("RDMANAV_UPDATE_DOCS").is_some() {
        std::fs::write(&path, made).expect("writable");
        return;
    }
    let docs = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(docs == made, "docs/cli.md is stale: RDMANAV_UPDATE_DOCS=1 cargo test --test cli reference");
}

fn reference() -> String {
    let mut root = Cli::command();
    root.build();
    let mut out = "# Command line\n\n\
        Made from the definition of the commands by `RDMANAV_UPDATE_DOCS=1 cargo test --test cli reference`; a test compares it. \
        What an answer holds: `rdmanav schema`. The same as manual pages: `rdmanav man`.\n"
        .to_string();
    let groups = help::ROOT.lines().skip_while(|line| *line != "Ask and read:").take_while(|line| *line != "Options:");
    for line in groups.filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            None => out.push_str(&format!("\n**{}**\n\n", line.trim_end_matches(':'))),
            Some(line) => {
                let (name, about) = line.split_once(' ').expect("a name and what it does");
                out.push_str(&format!("- [`{name}`](#rdmanav-{name}): {}\n", about.trim()));
            }
        }
    }
    out.push_str("\nOutput options may also stand before the command: `rdmanav --format json list`.\n");
    for command in root.get_subcommands() {
        section(command, &mut out);
    }
    out.push_str("\n## Output\n\nOptions of each command that prints an answer.\n\n");
    let query = root.find_subcommand("query").expect("there");
    options(query.get_arguments().filter(|arg| is_output(arg)), &mut out);
    for (heading, rows) in [("Exit status", help::EXIT_STATUS), ("Environment", help::ENVIRONMENT)] {
        out.push_str(&format!("\n## {heading}\n\n| | |\n|---|---|\n"));
        for (name, meaning) in rows {
            out.push_str(&format!("| `{name}` | {meaning} |\n"));
        }
    }
    out
}

fn section(command: &Command, out: &mut String) {
    let name = command.get_bin_name().unwrap_or_default();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    out.push_str(&format!("\n## {name}\n\n{about}.\n\n```text\n{}\n```\n\n", usage.trim_start_matches("Usage: ")));
    let own: Vec<&Arg> =
        command.get_arguments().filter(|arg| !arg.is_hide_set() && !is_output(arg) && arg.get_id() != "help").collect();
    let (positionals, flags): (Vec<&Arg>, Vec<&Arg>) = own.into_iter().partition(|arg| arg.is_positional());
    options(positionals.into_iter().chain(flags), out);
    let shared: Vec<&Arg> = command.get_arguments().filter(|arg| is_output(arg)).collect();
    match &*shared {
        [] => {}
        // Only one of them, as with `skill`: what is printed there is no answer.
        [one] => options(std::iter::once(*one), out),
        _ => out.push_str("- and those of [output](#output)\n"),
    }
    let examples = help::examples(command);
    if !examples.is_empty() && command.get_after_help().is_some() {
        out.push_str(&format!("\n```sh\n{}\n```\n", examples.join("\n")));
    }
    for remark in help::remarks(command) {
        out.push_str(&format!("\n{remark}\n"));
    }
    for child in command.get_subcommands() {
        section(child, out);
    }
}

fn is_output(arg: &Arg) -> bool {
    arg.get_help_heading() == Some("Output")
}

fn options<'a>(args: impl Iterator<Item = &'a Arg>, out: &mut String) {
    for arg in args {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let takes_values = arg.get_num_args().is_some_and(|number| number.takes_values());
        let possible = if takes_values { arg.get_possible_values() } else { Vec::new() };
        let values: Vec<String> = possible.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let values = if values.is_empty() { String::new() } else { format!(". One of {}", values.join(", ")) };
        let defaults: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        let default = if defaults.is_empty() || !arg.get_action().takes_values() {
            String::new()
        } else {
            format!(" [default: {}]", defaults.join(", "))
        };
        let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
        out.push_str(&format!("- `{short}{arg}`: {help}{values}{default}\n"));
    }
}
