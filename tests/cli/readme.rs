//! The README's own examples.

#[test]
fn the_readme_shows_what_the_program_prints() {
    trycmd::TestCases::new().case("README.md");
}

/// What fetches a package by its name.
const INSTALLERS: [&str; 40] = [
    "cargo install",
    "cargo binstall",
    "cargo add",
    "pip install",
    "pip3 install",
    "pipx install",
    "pipx run",
    "uv tool install",
    "uv pip install",
    "uv add",
    "uvx",
    "npx",
    "npm install",
    "npm i",
    "npm exec",
    "yarn add",
    "yarn dlx",
    "pnpm add",
    "pnpm dlx",
    "bun add",
    "bunx",
    "brew install",
    "apt install",
    "apt-get install",
    "dnf install",
    "yum install",
    "zypper install",
    "apk add",
    "pacman -S",
    "snap install",
    "flatpak install",
    "conda install",
    "mamba install",
    "go install",
    "gem install",
    "nix-env -i",
    "winget install",
    "choco install",
    "scoop install",
    "docker pull",
];

/// The commands in a text that would fetch a package called rdmanav.
fn fetched(text: &str) -> Vec<String> {
    // A literal of Rust, or a command of a shell, may go on in the next line.
    let mut joined = String::new();
    for line in text.split("\\\n") {
        joined = joined.trim_end().to_string() + " " + line.trim_start();
    }
    let command = |rest: &str| rest.split(['`', '\n', ';', '|', '&', '#', '"']).next().unwrap_or_default().to_string();
    let is_ours = |word: &str| {
        let name = word.trim_start_matches(|c: char| !c.is_alphanumeric()).strip_prefix("rdmanav");
        name.is_some_and(|rest| !rest.starts_with(['-', '/', '.']) || rest == ".")
    };
    let found =
        INSTALLERS.iter().flat_map(|installer| joined.match_indices(installer)).filter_map(|(at, installer)| {
            let rest = command(&joined[at + installer.len()..]);
            let begins = !joined[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
            let from_here = ["--path", "--git", "--from ./"].iter().any(|place| rest.contains(place));
            (begins && rest.starts_with(' ') && !from_here && rest.split(' ').any(is_ours))
                .then(|| format!("{installer}{rest}"))
        });
    found.collect()
}

/// Nobody has published rdmanav in a registry: whoever took the name there would be run by those who follow our words.
#[test]
fn no_text_fetches_rdmanav_from_a_registry() {
    for told in [
        "say `cargo install rdmanav` now",
        "`cargo install --locked \\\n   rdmanav`",
        "pip install -U rdmanav==1.0\n",
        "run uvx rdmanav.",
        "uvx --from rdmanav rdmanav list",
        "npx -y rdmanav mcp",
    ] {
        assert_eq!(fetched(told).len(), 1, "{told}");
    }
    for fine in [
        "cargo install --path . --locked",
        "apt install perftest; rdmanav lint",
        "apt install perftest",
        "uvx other # rdmanav",
        "uvx --from ./rdmanav-1.0.0-*.whl rdmanav list",
        "pip install ./rdmanav-1.0.0-*.whl",
    ] {
        assert_eq!(fetched(fine), [""; 0], "{fine}");
    }
    let mut pending: Vec<std::path::PathBuf> =
        ["README.md", "Cargo.toml", "pyproject.toml", ".github", "docs", "content", "skills", "src", "examples"]
            .iter()
            .map(Into::into)
            .collect();
    let mut read = 0;
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            assert_eq!(fetched(&text), [""; 0], "{}", path.display());
            read += 1;
        }
    }
    assert!(read > 100, "{read}");
    for arguments in [&["skill"] as &[&str], &["help"], &["help", "mcp"], &["help", "skill"], &["man"]] {
        assert_eq!(fetched(&crate::run::answer(arguments)), [""; 0], "{arguments:?}");
    }
}

/// The files that are released have the version in their names.
#[test]
fn the_readme_names_files_of_this_version() {
    let readme = std::fs::read_to_string("README.md").expect("it is there");
    let named: Vec<&str> = readme
        .match_indices("rdmanav-")
        .map(|(at, found)| &readme[at + found.len()..])
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert!(named.len() >= 4, "{named:?}");
    for rest in named {
        assert!(
            rest.starts_with(concat!(env!("CARGO_PKG_VERSION"), "-")),
            "{}",
            rest.lines().next().unwrap_or_default()
        );
    }
}
