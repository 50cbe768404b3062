//! What help, the manual pages and docs/cli.md say beside the definition of the commands.

use clap::Command;

/// The line of a command that is not always built in.
#[cfg(feature = "mcp")]
macro_rules! mcp {
    () => {
        "  mcp          Serve the answers as an MCP server on the standard streams\n"
    };
}
#[cfg(not(feature = "mcp"))]
macro_rules! mcp {
    () => {
        ""
    };
}

/// The help of the program. clap knows no groups of commands, so they stand here; a test compares them with the definition.
pub const ROOT: &str = concat!(
    "{about-with-newline}\n\
     {usage-heading} {usage}\n\n",
    "Ask and read:\n  \
       query        Ask a question: the part that answers it, then others [alias: q]\n  \
       show         Print a section or one of its parts\n  \
       list         List the sections, or the common issues\n  \
       flow         Draw a data flow, or list them\n  \
       sources      Print the sources of a section, or all, with addresses\n\n\
     Settings:\n  \
       env          NCCL settings for a kind of cluster, or one variable in full\n  \
       lint         What is wrong with NCCL settings in files or this environment\n\n\
     Logs:\n  \
       diagnose     What is wrong in an NCCL log, why, and what to do\n\n\
     Agents:\n  \
       context      Pack the parts that answer a question into a budget of tokens\n  \
       skill        An Agent Skill made from the index: print, export or install it\n",
    mcp!(),
    "  schema       Print the JSON Schema of an answer, or of all\n\n\
     Maintenance:\n  \
       check        Check a directory of content, or count the embedded claims\n  \
       completions  Print a completion script, which knows ids and variables, too\n  \
       man          Print the manual page, or write the pages of all commands\n  \
       help         Print this help, or that of a command\n\n\
     Options:\n{options}\n\n\
     Examples:\n  \
       rdmanav query \"why is nccl using tcp instead of ib\"\n  \
       rdmanav query DCQCN\n  \
       rdmanav show gid-selection\n  \
       rdmanav env roce --as export\n  \
       rdmanav env NCCL_IB_TIMEOUT\n  \
       rdmanav lint job.sbatch\n  \
       rdmanav diagnose nccl.log\n\n\
     Exit status: 0 answered; 1 nothing found, or findings; 2 wrong usage or\n\
     unreadable input.\n\
     `rdmanav help COMMAND` says more about one.\n"
);

/// The exit statuses, the same for every command.
pub const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "answered; lint, diagnose, check: no finding at or above --fail-on; or who read the output closed it"),
    ("1", "nothing found: no hit, unknown id, profile or variable; lint, diagnose, check: findings"),
    ("2", "wrong usage, unreadable input, or output that cannot be written"),
];

/// The environment variables that the program reads.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "set and not empty: no styles, unless --color always"),
    (
        "CLICOLOR_FORCE",
        "set and neither empty nor 0: styles whatever TERM and NO_COLOR say; in a pipe with --format term only",
    ),
    ("TERM", "dumb: no styles"),
    (
        "TERM, COLORTERM, TERM_PROGRAM, TERM_PROGRAM_VERSION, VTE_VERSION, KONSOLE_VERSION and the like",
        "tell terminals apart: whether they know 256 colours and hyperlinks (docs/terminals.md)",
    ),
    ("COLORFGBG", "the background, which chooses the colours where RDMANAV_THEME does not"),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "the first that is set says whether lines and boxes may be drawn with UTF-8; else ASCII",
    ),
    ("RDMANAV_THEME", "dark, light, none or auto: the colours (docs/terminals.md)"),
    ("FORCE_HYPERLINK", "1 or 0: links that a terminal opens, in place of what is known of the terminal"),
    (
        "RDMANAV_PAGER",
        "shows each answer on a terminal with this program; empty: none, unless --pager. That the first program of a pipeline is missing is not noticed",
    ),
    ("PAGER", "the program for --pager where RDMANAV_PAGER is not set; else less -R"),
    ("LESS", "where it is not set, less runs with FRX: it ends by itself when the answer fits the window"),
    (
        "RDMANAV_PACKS",
        "directories of packs, with : between them, in place of those in the configuration directory (docs/packs.md)",
    ),
    ("XDG_CONFIG_HOME", "the configuration directory, where rdmanav/packs holds packs; else .config in HOME"),
    ("HOME", "below it, skill install --scope user writes, and .config/rdmanav/packs holds packs"),
];

/// The lines of a command's help under "Examples:", each a command line.
pub fn examples(command: &Command) -> Vec<String> {
    let text = match command.get_after_help() {
        Some(text) => text.to_string(),
        None => ROOT.to_string(),
    };
    let lines = text.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.map_while(|line| line.strip_prefix("  ")).map(str::to_string).collect()
}

/// What a command's help says after its examples.
pub fn remarks(command: &Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.skip_while(|line| line.starts_with("  ")).filter(|line| !line.is_empty()).map(str::to_string).collect()
}
