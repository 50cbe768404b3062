//! The screens of the README: real output, with its styles, as pictures.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use anstyle_svg::Term;

const DIRECTORY: &str = "docs/screens";

/// A command whose output is shown.
struct Screen {
    name: &'static str,
    /// As a person types it.
    typed: &'static str,
    arguments: &'static [&'static str],
    /// A file that the command reads: where it is, and the name by which it is typed.
    file: Option<(&'static str, &'static str)>,
    /// Longer output is cut, with a line that says so.
    lines: usize,
}

const SCREENS: [Screen; 4] = [
    Screen {
        name: "query",
        typed: "rdmanav query \"vendor err 129\"",
        arguments: &["query", "vendor err 129"],
        file: None,
        lines: 40,
    },
    Screen { name: "flow", typed: "rdmanav flow pxn-send", arguments: &["flow", "pxn-send"], file: None, lines: 46 },
    Screen { name: "env", typed: "rdmanav env roce", arguments: &["env", "roce"], file: None, lines: 30 },
    Screen {
        name: "diagnose",
        typed: "rdmanav diagnose job.log",
        arguments: &["diagnose", "job.log"],
        file: Some(("tests/diagnose/01-ib-disabled-by-environment.log", "job.log")),
        lines: 40,
    },
];

/// Draws all screens with a built program, or, to `check`, compares them with what is there.
pub fn run(program: &str, check: bool) -> ExitCode {
    let program = match std::fs::canonicalize(program) {
        Ok(program) => program,
        Err(problem) => {
            eprintln!("{program}: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut stale = Vec::new();
    for screen in &SCREENS {
        let picture = match screen.draw(&program) {
            Ok(picture) => picture,
            Err(problem) => {
                eprintln!("{}: {problem}", screen.typed);
                return ExitCode::FAILURE;
            }
        };
        let path = Path::new(DIRECTORY).join(format!("{}.svg", screen.name));
        if check {
            if std::fs::read_to_string(&path).ok().as_ref() != Some(&picture) {
                stale.push(path.display().to_string());
            }
        } else {
            std::fs::create_dir_all(DIRECTORY).expect("a writable directory");
            std::fs::write(&path, picture).expect("a writable directory");
        }
    }
    if stale.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("stale: {}; draw them again: cargo xtask screens PROGRAM", stale.join(", "));
    ExitCode::FAILURE
}

impl Screen {
    fn draw(&self, program: &Path) -> Result<String, String> {
        let directory = std::env::temp_dir().join(format!("rdmanav-screens-{}", std::process::id()));
        let ran = self.run(program, &directory);
        let _ = std::fs::remove_dir_all(&directory);
        let output = ran.map_err(|problem| problem.to_string())?;
        if output.stdout.is_empty() {
            return Err(format!("printed nothing; stderr: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8(output.stdout).map_err(|problem| problem.to_string())?;
        let count = text.lines().count();
        let mut shown = format!("\u{1b}[1m$ {}\u{1b}[0m\n\n", self.typed);
        for line in text.lines().take(self.lines) {
            shown.push_str(line);
            shown.push('\n');
        }
        if count > self.lines {
            let _ = writeln!(shown, "\u{1b}[2m... {} more lines\u{1b}[0m", count - self.lines);
        }
        Ok(Term::new().render_svg(&shown))
    }

    /// Runs the command in a directory that holds its file only, so that the output names it as it is typed.
    fn run(&self, program: &Path, directory: &Path) -> std::io::Result<Output> {
        std::fs::create_dir_all(directory)?;
        if let Some((source, name)) = self.file {
            std::fs::copy(source, directory.join(name))?;
        }
        let mut command = Command::new(program);
        // An environment of its own: what is drawn depends on nothing but the program.
        command.args(self.arguments).args(["--format", "term", "--color", "always", "--width", "80"]).env_clear();
        command.env("RDMANAV_THEME", "dark").env("FORCE_HYPERLINK", "0").current_dir(directory).output()
    }
}
