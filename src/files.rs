//! Files that others may have put there. Under a name can stand a link to another place, a pipe that nobody writes to or a device without
//! an end: what is read is a regular file, of a bounded size, and never waited for; what is written replaces what stands there and never
//! goes through it.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// Opens a regular file, wherever links lead. A read that would wait is an error.
pub fn open(path: &Path) -> io::Result<File> {
    open_at(CWD, path.as_os_str(), OFlags::empty())
}

/// All of a regular file, wherever links lead. More than `most` bytes are an error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bounded(&open(path)?, most)
}

/// Opens a regular file below `root`. Links are followed as long as they stay below it.
pub fn open_below(root: &Path, path: &Path) -> io::Result<File> {
    let root = root.canonicalize()?;
    let resolved = root.join(path).canonicalize()?;
    let inside = inside(&root, &resolved)?;
    let (Some(name), Some(parents)) = (inside.file_name(), inside.parent()) else { return Err(not_regular()) };
    let folder = Folder::open(&root)?.descend(parents)?;
    open_at(folder.0.as_fd(), name, OFlags::NOFOLLOW)
}

/// What of a path is below the root. Both are without links.
fn inside<'p>(root: &Path, path: &'p Path) -> io::Result<&'p Path> {
    path.strip_prefix(root).map_err(|_| refused("it leads out of this directory: it is not followed"))
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// A directory that stays the same one, whatever is done to its path meanwhile. Names are those of its entries, without slashes.
pub struct Folder(OwnedFd);

impl Folder {
    /// The directory of this path. Links are followed: whoever names a directory means what they lead to.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Folder::at(CWD, path.as_os_str(), OFlags::empty())
    }

    /// A directory below `root`. Links are followed as long as they stay below it; what is missing is made, if it may be.
    pub fn below(root: &Path, path: &Path, make: bool) -> io::Result<Folder> {
        let root = root.canonicalize()?;
        let top = Folder::open(&root)?;
        let mut folder = top.folder(".")?;
        let mut walked = root.clone();
        for name in path {
            match walked.join(name).canonicalize() {
                Ok(resolved) => {
                    folder = top.descend(inside(&root, &resolved)?)?;
                    walked = resolved;
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) if fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() => {
                    return Err(refused("a symbolic link in it leads nowhere"));
                }
                Err(_) if make => {
                    folder = folder.create(name)?;
                    walked.push(name);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(folder)
    }

    /// The directory at the end of a path in which no link was left: one that is put there meanwhile is refused.
    fn descend(&self, path: &Path) -> io::Result<Folder> {
        path.iter().try_fold(self.folder(".")?, |folder, name| folder.folder(name))
    }

    /// A directory in this one; a link to one is an error.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        Folder::at(self.0.as_fd(), name.as_ref(), OFlags::NOFOLLOW)
    }

    /// A directory in this one, made where there is none.
    pub fn create(&self, name: impl AsRef<OsStr>) -> io::Result<Folder> {
        let name = name.as_ref();
        match fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(error.into()),
        }
    }

    fn at(place: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> io::Result<Folder> {
        let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match fs::openat(place, name, flags, Mode::empty()) {
            Ok(directory) => Ok(Folder(directory)),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(io::Error::new(
                io::ErrorKind::NotADirectory,
                "is no directory, or a symbolic link to one: it is not touched",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of all entries.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Whether what has this name is a regular file, and no link.
    pub fn is_file(&self, name: &OsStr) -> io::Result<bool> {
        Ok(is_regular(&fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// All of a regular file; a link to one is an error, and so are more than `most` bytes.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        bounded(&open_at(self.0.as_fd(), OsStr::new(name), OFlags::NOFOLLOW)?, most)
    }

    /// Writes a file beside the name, then renames it: no reader sees half of it, and a link in its place is replaced.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        const TRIES: usize = 16;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut tries = 0..TRIES;
        loop {
            let temporary = temporary_name();
            let mut file = File::from(fs::openat(&self.0, &temporary, flags, Mode::from_raw_mode(0o666))?);
            let written = file
                .write_all(bytes)
                .and_then(|()| fs::renameat(&self.0, &temporary, &self.0, name).map_err(io::Error::from));
            match written {
                // Another run took it for a leftover.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries.next().is_some() => {}
                Err(error) => {
                    let _ = self.remove(&temporary);
                    return Err(error);
                }
                Ok(()) => return Ok(()),
            }
        }
    }

    /// Removes a file, or a link itself. One that is gone is no error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match fs::unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a directory that is empty. Whether it is gone.
    pub fn remove_folder(&self, name: &str) -> bool {
        matches!(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR), Ok(()) | Err(Errno::NOENT))
    }
}

const TEMPORARY: (&str, &str) = (".rdmanav-", ".tmp");

/// A name that nobody can have made a link of.
fn temporary_name() -> String {
    // The standard library has no other random numbers; the keys of the hash are from the system.
    let random = RandomState::new().build_hasher().finish();
    format!("{}{random:016x}{}", TEMPORARY.0, TEMPORARY.1)
}

/// Whether a file of this name was left by a run that was cut short while it wrote.
pub fn is_leftover(name: &OsStr) -> bool {
    let middle = name.as_bytes().strip_prefix(TEMPORARY.0.as_bytes());
    let random = middle.and_then(|name| name.strip_suffix(TEMPORARY.1.as_bytes()));
    random.is_some_and(|random| random.len() == 16 && random.iter().all(u8::is_ascii_hexdigit))
}

/// Opens a regular file. It is looked at before, since opening a device may do something, and after, since another may have come there.
fn open_at(place: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let no_link = if flags.contains(OFlags::NOFOLLOW) { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
    if !is_regular(&fs::statat(place, name, no_link)?) {
        return Err(not_regular());
    }
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = fs::openat(place, name, flags, Mode::empty())?;
    if is_regular(&fs::fstat(&file)?) { Ok(File::from(file)) } else { Err(not_regular()) }
}

fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// The size is looked at first, and not believed: files of the kernel say 0.
fn bounded(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    match file.take(most + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > most => Err(too_large()),
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(io::Error::new(error.kind(), "it has to be waited for: it is no plain file"))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("rdmanav-room-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn names_of_temporary_files_are_known_again_and_never_the_same() {
        let names: std::collections::HashSet<String> = (0..1000).map(|_| temporary_name()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| is_leftover(OsStr::new(name))));
        for name in [
            ".rdmanav-.tmp",
            ".rdmanav-0123456789abcde.tmp",
            "rdmanav-0123456789abcdef.tmp",
            ".rdmanav-0123456789abcdeg.tmp",
        ] {
            assert!(!is_leftover(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let path = scratch("fails");
        std::fs::create_dir(path.join("taken")).unwrap();
        let folder = Folder::open(&path).unwrap();
        assert!(folder.write("taken", b"text").is_err());
        assert_eq!(folder.names().unwrap(), ["taken"]);
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_temporary_file_that_another_run_removes_is_made_again() {
        let path = scratch("again");
        let folder = Folder::open(&path).unwrap();
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    for name in folder.names().unwrap().iter().filter(|name| is_leftover(name)) {
                        folder.remove(name.to_str().unwrap()).unwrap();
                    }
                    std::thread::yield_now();
                }
            });
            let texts: Vec<io::Result<()>> = (0..200).map(|_| folder.write("file", b"text")).collect();
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(texts.iter().all(Result::is_ok), "{texts:?}");
        });
        assert_eq!(folder.read("file", 10).unwrap(), b"text");
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn no_more_is_read_than_is_wanted() {
        let path = scratch("most");
        std::fs::write(path.join("file"), "12345").unwrap();
        assert_eq!(read(&path.join("file"), 5).unwrap(), b"12345");
        assert_eq!(read(&path.join("file"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        // It says that it has no bytes at all.
        assert_eq!(read(Path::new("/proc/self/maps"), 100).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read(Path::new("/dev/null"), 5).is_err() && read(&path, 5).is_err());
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn below_a_directory_is_nothing_that_links_lead_out_to() {
        let path = scratch("below");
        std::fs::create_dir_all(path.join("root/in")).unwrap();
        std::fs::write(path.join("root/in/file"), "in").unwrap();
        std::fs::write(path.join("out"), "out").unwrap();
        symlink("in", path.join("root/link")).unwrap();
        symlink("../out", path.join("root/escape")).unwrap();
        symlink("..", path.join("root/up")).unwrap();
        let root = path.join("root");
        for inside in ["in/file", "link/file", "in/../link/file", "up/root/in/file"] {
            assert!(open_below(&root, Path::new(inside)).is_ok(), "{inside}");
        }
        for outside in ["escape", "up/out", "../out", "", ".", "in", "/dev/zero", "in/file/x", "nothing"] {
            assert!(open_below(&root, Path::new(outside)).is_err(), "{outside}");
        }
        assert!(open_below(&root, &path.join("root/in/file")).is_ok());
        assert!(open_below(&root, &path.join("out")).is_err());
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_directory_below_another_is_reached_over_links_that_stay_there() {
        let place = scratch("below");
        let project = place.join("project");
        std::fs::create_dir_all(project.join("real/skills")).unwrap();
        std::fs::create_dir_all(place.join("out")).unwrap();
        symlink("real", project.join("inside")).unwrap();
        symlink("../out", project.join("outside")).unwrap();
        symlink("../nowhere", project.join("dangling")).unwrap();
        let below = |path: &str, make| Folder::below(&project, Path::new(path), make);
        below("inside/skills", false).unwrap().write("x", b"y").unwrap();
        assert!(project.join("real/skills/x").is_file());
        assert_eq!(below("a/b", false).err().map(|error| error.kind()), Some(io::ErrorKind::NotFound));
        below("a/b", true).unwrap().write("x", b"y").unwrap();
        assert!(project.join("a/b/x").is_file());
        for path in ["outside", "outside/skills", "dangling/skills", "../out"] {
            assert!(below(path, true).is_err(), "{path}");
        }
        assert!(!place.join("nowhere").exists() && std::fs::read_dir(place.join("out")).unwrap().next().is_none());
        std::fs::remove_dir_all(place).unwrap();
    }
}
