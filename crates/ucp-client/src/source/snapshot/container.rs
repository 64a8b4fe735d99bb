//! The files of a snapshot in any form: one file, a directory, standard input, a tar, or one of them in gzip. The form
//! is detected by content, not by name.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::entry::{SnapshotEntry, SnapshotForm, TakeFile};
use super::nights;
use super::passed_over::{self, may_hold_objects};
use ucp_core::model::weight::KeptWeight;
use ucp_core::regular_file;

/// Offset of `ustar` in the first header of a tar.
const TAR_MAGIC: usize = 257;
/// Size limit of an unpacked gzip or tar.
const LARGEST_ARCHIVE: u64 = 8 << 30;
/// Size limit of standard input, which is kept in memory.
const LARGEST_INPUT: u64 = 1 << 30;
/// Size limit of a tar header, including a long name.
const LARGEST_HEADER: u64 = 1 << 20;
/// Memory of the name of a file in an archive.
const FILE: usize = 256;
/// Zero bytes at the end of every tar: two blocks.
const TAR_END: u64 = 1024;

/// The source of a snapshot, which can be read repeatedly.
pub(super) struct SnapshotFiles {
    path: PathBuf,
    /// The content of standard input, which can only be read once. It is kept in memory, not in a file, as it may
    /// contain Secrets.
    input: Option<Vec<u8>>,
}

impl SnapshotFiles {
    /// # Errors
    /// Fails when standard input cannot be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut input = None;
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().lock().take(LARGEST_INPUT + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > LARGEST_INPUT {
                return Err(too_large(format!("it is larger than {} GiB; save it to a file", LARGEST_INPUT >> 30)));
            }
            input = Some(bytes);
        }
        Ok(Self { path: path.to_owned(), input })
    }

    /// Passes every file that may contain objects to `take`.
    ///
    /// # Errors
    /// Fails when nothing can be read, or an archive is broken; the files before the failure were passed on.
    pub(super) fn each(&mut self, take: TakeFile<'_>) -> io::Result<SnapshotForm> {
        match &self.input {
            Some(input) => stream("standard input", input.as_slice(), take),
            None => match nights::named_night(&self.path)? {
                Some(night) => nights::each_file(&night, take),
                None => each_file(&self.path, take),
            },
        }
    }
}

fn each_file(path: &Path, take: TakeFile<'_>) -> io::Result<SnapshotForm> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return stream(&path.display().to_string(), BufReader::new(File::open(path)?), take);
    }
    let mut files = Vec::new();
    let root = path.canonicalize()?;
    collect(path, &root, &mut files)?;
    for file in files {
        let below = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let name = file.display().to_string();
        let opened = match passed_over::reason(&file) {
            Some(reason) => Err(io::Error::new(io::ErrorKind::InvalidInput, reason)),
            None => open_below(&root, &file),
        };
        match opened {
            Ok(mut opened) => take(SnapshotEntry { name, path: below, content: Ok(&mut opened) }),
            Err(error) => take(SnapshotEntry { name, path: below, content: Err(error) }),
        }
    }
    Ok(SnapshotForm::Many)
}

/// Opens a file in a directory. Links within the directory are followed, as in volumes of Kubernetes. Links out of it
/// are not: a snapshot from an untrusted source could otherwise read the user's files.
fn open_below(root: &Path, file: &Path) -> io::Result<File> {
    let target = file.canonicalize()?;
    if !target.starts_with(root) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link that points outside of the directory"));
    }
    regular_file::open(&target)
}

fn stream(name: &str, mut reader: impl BufRead, take: TakeFile<'_>) -> io::Result<SnapshotForm> {
    if reader.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return unpacked(name, MultiGzDecoder::new(reader), take);
    }
    unpacked(name, reader, take)
}

fn too_large(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The remaining bytes that may be read from an archive.
struct Allowance {
    in_all: Cell<u64>,
    /// The limit while a header is read.
    of_header: Cell<Option<u64>>,
    /// Number of zero bytes at the end of what was read.
    zeros: Cell<u64>,
}

struct Limited<'a, R> {
    reader: R,
    allowance: &'a Allowance,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let left = |limit: u64, what: &str| {
            limit.checked_sub(read as u64).ok_or_else(|| too_large(format!("the archive is refused: {what}")))
        };
        let Allowance { in_all, of_header, zeros } = self.allowance;
        let ending = buffer[..read].iter().rev().take_while(|byte| **byte == 0).count();
        zeros.set(if ending == read { zeros.get() } else { 0 } + ending as u64);
        in_all.set(left(in_all.get(), &format!("it unpacks to more than {} GiB", LARGEST_ARCHIVE >> 30))?);
        if let Some(limit) = of_header.get() {
            of_header.set(Some(left(limit, "the name of a file in it is longer than 1 MiB")?));
        }
        Ok(read)
    }
}

fn unpacked(name: &str, reader: impl Read, take: TakeFile<'_>) -> io::Result<SnapshotForm> {
    let allowance = Allowance { in_all: Cell::new(LARGEST_ARCHIVE), of_header: Cell::new(None), zeros: Cell::new(0) };
    let mut reader = BufReader::new(Limited { reader, allowance: &allowance });
    // Read in a loop, since a file or pipe may return few bytes at a time.
    let mut begin = Vec::new();
    reader.by_ref().take(512).read_to_end(&mut begin)?;
    let is_tar = begin.get(TAR_MAGIC..TAR_MAGIC + 5) == Some(b"ustar");
    let mut reader = io::Cursor::new(begin).chain(reader);
    if !is_tar {
        take(SnapshotEntry { name: name.to_owned(), path: String::new(), content: Ok(&mut reader) });
        return Ok(SnapshotForm::One);
    }
    let mut archive = tar::Archive::new(reader);
    let mut entries = archive.entries()?;
    let mut read_paths = HashSet::new();
    let mut links = Vec::new();
    let mut held = KeptWeight::default();
    loop {
        // The library reads names into memory completely.
        allowance.of_header.set(Some(LARGEST_HEADER));
        let next = entries.next();
        allowance.of_header.set(None);
        let Some(entry) = next else { break };
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
        let kind = entry.header().entry_type();
        let too_many = |overweight| too_large(format!("the archive is refused: it has too many files: {overweight}"));
        held.grow(FILE + 2 * path.len()).map_err(too_many)?;
        if kind.is_file() && may_hold_objects(Path::new(&path)) {
            take(SnapshotEntry { name: format!("{name}:{path}"), path: path.clone(), content: Ok(&mut entry) });
            read_paths.insert(path);
        } else if !kind.is_dir() && may_hold_objects(Path::new(&path)) {
            let target = entry.link_name()?.and_then(|target| path_in_archive(&path, kind, &target));
            links.push((path, target));
        }
        // The rest of the file is skipped before the next header.
        io::copy(&mut entry, &mut io::sink())?;
    }
    // A link to a file that was read adds nothing: support bundles link every file with its name in another format.
    for (path, target) in links {
        if !target.is_some_and(|target| read_paths.contains(&target)) {
            let reason = "it is not a regular file, and links to unread files are not followed";
            let content = Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
            take(SnapshotEntry { name: format!("{name}:{path}"), path, content });
        }
    }
    // The checksum of gzip follows after the end of the tar.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    if allowance.zeros.get() < TAR_END {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive has no end: it was cut off"));
    }
    Ok(SnapshotForm::Many)
}

/// The path below the top of the archive that a link leads to, or nothing if it leads out of the archive.
fn path_in_archive(link: &str, kind: tar::EntryType, target: &Path) -> Option<String> {
    // Hard links name a path of the archive, symbolic links one next to themselves.
    let mut parts: Vec<&str> = if kind.is_hard_link() { Vec::new() } else { link.split('/').collect() };
    parts.pop();
    for component in target.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Adds the files of a directory that may contain objects, and links to directories outside of `root`, which are reported.
fn collect(directory: &Path, root: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed, as they may form cycles. Those within the root are read at their target.
        let leads_out = || path.is_dir() && path.canonicalize().is_ok_and(|target| !target.starts_with(root));
        if entry.file_type()?.is_dir() {
            collect(&path, root, files)?;
        } else if may_hold_objects(&path) || leads_out() || passed_over::reason(&path).is_some() {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Vec<String>, io::Result<SnapshotForm>) {
        let mut names = Vec::new();
        let form = stream("archive", bytes, &mut |entry| names.push(entry.path));
        (names, form)
    }

    /// A header of a tar with these values.
    fn header(kind: tar::EntryType, name: &str, size: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_cksum();
        header
    }

    #[test]
    fn an_endless_name_is_not_read_into_memory() {
        let size = 3 * LARGEST_HEADER;
        let mut bytes = header(tar::EntryType::GNULongName, "././@LongLink", size).as_bytes().to_vec();
        bytes.resize(bytes.len() + usize::try_from(size).unwrap(), b'x');
        bytes.extend(header(tar::EntryType::Regular, "a.yaml", 0).as_bytes());
        let (names, form) = read(&bytes);
        assert!(names.is_empty() && form.unwrap_err().to_string().contains("longer than 1 MiB"));
    }

    #[test]
    fn an_archive_that_was_cut_or_changed_is_an_error() {
        use std::io::Write as _;
        let mut builder = tar::Builder::new(Vec::new());
        for name in ["a.yaml", "b.yaml"] {
            builder.append_data(&mut header(tar::EntryType::Regular, name, 1), name, &b"x"[..]).unwrap();
        }
        let tar = builder.into_inner().unwrap();
        assert!(read(&tar).1.is_ok());
        // A header and a block of content each.
        let (names, form) = read(&tar[..1024]);
        assert!(names == ["a.yaml"] && form.unwrap_err().to_string().contains("cut off"));
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        encoder.write_all(&tar).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(read(&packed).1.is_ok());
        let mut changed = packed.clone();
        let name = changed.windows(6).position(|window| window == b"b.yaml").unwrap();
        changed[name] = b'c';
        assert!(read(&changed).1.is_err(), "the checksum differs");
        for length in [packed.len() - 1, packed.len() - 8, packed.len() - 20] {
            assert!(read(&packed[..length]).1.is_err(), "{length}");
        }
    }

    #[test]
    fn a_large_file_in_front_of_another_is_passed_over() {
        let size = 3 * LARGEST_HEADER;
        let mut bytes = header(tar::EntryType::Regular, "large.bin", size).as_bytes().to_vec();
        bytes.resize(bytes.len() + usize::try_from(size).unwrap(), b'x');
        bytes.extend(header(tar::EntryType::Regular, "a.yaml", 0).as_bytes());
        bytes.resize(bytes.len() + 1024, 0);
        let (names, form) = read(&bytes);
        assert_eq!((names, form.unwrap()), (vec!["a.yaml".to_owned()], SnapshotForm::Many));
    }

    #[test]
    fn a_link_in_an_archive_is_reported_unless_its_target_was_read() {
        let mut builder = tar::Builder::new(Vec::new());
        let (link, hard) = (tar::EntryType::Symlink, tar::EntryType::Link);
        for (kind, name, target) in [
            (link, "a/first.yaml", "b/../../a/file.json"),
            (hard, "hard.yaml", "a/file.json"),
            (hard, "a/hard.yaml", "file.json"),
            (link, "a/out.yaml", "../../a/file.json"),
            (link, "a/root.yaml", "/a/file.json"),
            (link, "a/text.yaml", "file.txt"),
            (link, "a/gone.yaml", "gone.json"),
        ] {
            builder.append_link(&mut header(kind, name, 0), name, target).unwrap();
        }
        for name in ["a/file.json", "a/file.txt"] {
            builder.append_data(&mut header(tar::EntryType::Regular, name, 1), name, &b"x"[..]).unwrap();
        }
        let bytes = builder.into_inner().unwrap();
        let mut refused = Vec::new();
        stream("archive", bytes.as_slice(), &mut |entry| {
            refused.extend(entry.content.err().map(|error| (entry.path, error.to_string())));
        })
        .unwrap();
        let paths: Vec<_> = refused.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["a/hard.yaml", "a/out.yaml", "a/root.yaml", "a/text.yaml", "a/gone.yaml"]);
        assert!(refused.iter().all(|(_, error)| error.contains("not a regular file")), "{refused:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_is_read_without_leaving_it_and_without_waiting() {
        use std::os::unix::fs::symlink;
        let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| home.path().join(name);
        std::fs::write(outside.path().join("theirs.yaml"), "x").unwrap();
        symlink(outside.path().join("theirs.yaml"), at("out.yaml")).unwrap();
        symlink("../../../../../../etc/passwd", at("passwd.json")).unwrap();
        symlink(outside.path(), at("others")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("fifo.yaml")).status().unwrap().success());
        // The same layout as in a volume of a ConfigMap.
        std::fs::create_dir(at("..2026")).unwrap();
        std::fs::write(at("..2026/a.yaml"), "x").unwrap();
        symlink("..2026", at("..data")).unwrap();
        symlink("..data/a.yaml", at("a.yaml")).unwrap();
        let (mut read, mut refused) = (Vec::new(), Vec::new());
        let form = each_file(home.path(), &mut |entry| match entry.content {
            Ok(_) => read.push(entry.path),
            Err(error) => refused.push(format!("{}: {error}", entry.path)),
        });
        assert_eq!(form.unwrap(), SnapshotForm::Many);
        assert_eq!(read, ["..2026/a.yaml", "a.yaml"]);
        assert_eq!(
            refused,
            [
                "fifo.yaml: it is not a regular file",
                "others: it is a link that points outside of the directory",
                "out.yaml: it is a link that points outside of the directory",
                "passwd.json: it is a link that points outside of the directory"
            ]
        );
    }
}
