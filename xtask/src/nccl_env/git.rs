//! Reads an NCCL repository through the git executable. Changes nothing in it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

/// A repository, bare or with a work tree, and the process that hands out its files.
pub struct Repository {
    git_dir: PathBuf,
    reader: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A release tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// As git knows it: `v2.21.5-1`.
    pub name: String,
    /// As the content writes it: `2.21.5`, or `2.5.6-2` where the package revision is not 1.
    pub release: String,
    numbers: Vec<u32>,
}

/// A file at a tag.
pub struct TreeFile {
    pub path: String,
    /// Name of its content in git.
    pub id: String,
}

impl Tag {
    /// None for a tag that is no 2.x release.
    fn parse(name: &str) -> Option<Tag> {
        static RELEASE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^v2\.\d+\.\d+-\d+$").unwrap());
        if !RELEASE.is_match(name) {
            return None;
        }
        let version = &name[1..];
        let release = version.strip_suffix("-1").unwrap_or(version).to_string();
        let numbers = version.split(['.', '-']).filter_map(|number| number.parse().ok()).collect();
        Some(Tag { name: name.to_string(), release, numbers })
    }
}

impl Repository {
    /// Opens a git directory, or the one of a work tree.
    pub fn open(path: &Path) -> io::Result<Repository> {
        let inside = path.join(".git");
        let git_dir = if inside.exists() { inside } else { path.to_path_buf() };
        let mut reader = git(&git_dir)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What is wrong with a repository, the first other command says.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| io::Error::other(format!("git cannot be run: {error}")))?;
        let pipes = reader.stdin.take().zip(reader.stdout.take());
        let (requests, answers) = pipes.ok_or_else(|| io::Error::other("git: no pipes"))?;
        Ok(Repository { git_dir, reader, requests, answers: BufReader::new(answers) })
    }

    /// The tags of 2.x releases, oldest first.
    pub fn tags(&self) -> io::Result<Vec<Tag>> {
        let names = self.output(&["for-each-ref", "--format=%(refname:short)", "refs/tags"])?;
        let mut tags: Vec<Tag> = names.lines().filter_map(Tag::parse).collect();
        tags.sort_by(|left, right| left.numbers.cmp(&right.numbers));
        Ok(tags)
    }

    /// The regular files at a tag, in the order of their paths.
    pub fn files(&self, tag: &Tag) -> io::Result<Vec<TreeFile>> {
        let listing = self.output(&["ls-tree", "-r", "-z", &tag.name])?;
        Ok(listing.split('\0').filter_map(tree_file).collect())
    }

    /// The text of a file. Bytes that are no UTF-8 are replaced: names of variables are ASCII.
    pub fn text(&mut self, file: &TreeFile) -> io::Result<String> {
        writeln!(self.requests, "{}", file.id)?;
        self.requests.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let length = head.split_whitespace().nth(2).and_then(|length| length.parse::<usize>().ok());
        let length = length.ok_or_else(|| {
            io::Error::other(format!("{}: the repository lacks its content ({})", file.path, head.trim()))
        })?;
        // A newline follows the content.
        let mut content = vec![0; length + 1];
        self.answers.read_exact(&mut content)?;
        content.truncate(length);
        Ok(String::from_utf8_lossy(&content).into_owned())
    }

    fn output(&self, arguments: &[&str]) -> io::Result<String> {
        let output = git(&self.git_dir).args(arguments).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_string()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        // It only waits for requests; there is nothing to lose and nobody to tell.
        let _ = self.reader.kill();
        let _ = self.reader.wait();
    }
}

fn git(git_dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(git_dir);
    command
}

/// A line of `git ls-tree`; none for links and submodules.
fn tree_file(line: &str) -> Option<TreeFile> {
    let (meta, path) = line.split_once('\t')?;
    let mut meta = meta.split(' ');
    let (mode, kind, id) = (meta.next()?, meta.next()?, meta.next()?);
    let regular = kind == "blob" && mode != "120000";
    regular.then(|| TreeFile { path: path.to_string(), id: id.to_string() })
}

#[cfg(test)]
mod tests {
    use super::{Tag, tree_file};

    #[test]
    fn tags_of_releases_only_and_revision_1_is_left_out() {
        let release = |name| Tag::parse(name).map(|tag| tag.release);
        assert_eq!(release("v2.21.5-1").as_deref(), Some("2.21.5"));
        assert_eq!(release("v2.5.6-2").as_deref(), Some("2.5.6-2"));
        assert_eq!(release("v1.3.4-1"), None);
        assert_eq!(release("nccl4py-v0.1.1"), None);
    }

    #[test]
    fn links_and_submodules_are_no_files() {
        assert_eq!(tree_file("100644 blob abc\tsrc/a b.cc").unwrap().path, "src/a b.cc");
        assert!(tree_file("120000 blob abc\tlink").is_none());
        assert!(tree_file("160000 commit abc\tmodule").is_none());
    }
}
