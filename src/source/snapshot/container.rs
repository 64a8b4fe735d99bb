//! The files of a snapshot, however they are kept: one file, a directory, standard input, a tar, and either of them in
//! gzip. What it is, its first bytes tell, not its name.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// Where `ustar` stands in the first header of a tar.
const TAR_MAGIC: usize = 257;

/// How many files there are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One, which is meant as it is.
    One,
    /// Any number, as somebody or some program put them together.
    Many,
}

/// A file: as messages call it, where it is below the top, and what is in it.
pub(super) struct Entry<'a> {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) content: io::Result<&'a mut dyn Read>,
}

/// What is done with each file.
pub(super) type Take<'a> = &'a mut dyn FnMut(Entry<'_>);

/// Where a snapshot is, as often as it is read.
pub(super) struct Container {
    path: PathBuf,
    /// What came on standard input, which does not come twice. It stays in memory: there may be Secrets in it.
    input: Option<Vec<u8>>,
}

impl Container {
    /// # Errors
    /// When standard input cannot be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut input = None;
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes)?;
            input = Some(bytes);
        }
        Ok(Self { path: path.to_owned(), input })
    }

    /// Hands over every file that may hold objects.
    ///
    /// # Errors
    /// When there is nothing to read, or an archive is broken; what stands before that was handed over.
    pub(super) fn each(&mut self, take: Take<'_>) -> io::Result<Form> {
        match &self.input {
            Some(input) => stream("standard input", input.as_slice(), take),
            None => each_file(&self.path, take),
        }
    }
}

fn each_file(path: &Path, take: Take<'_>) -> io::Result<Form> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return stream(&path.display().to_string(), BufReader::new(File::open(path)?), take);
    }
    let mut files = Vec::new();
    collect(path, &mut files)?;
    for file in files {
        let below = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let name = file.display().to_string();
        match File::open(&file) {
            Ok(mut opened) => take(Entry { name, path: below, content: Ok(&mut opened) }),
            Err(error) => take(Entry { name, path: below, content: Err(error) }),
        }
    }
    Ok(Form::Many)
}

fn stream(name: &str, mut reader: impl BufRead, take: Take<'_>) -> io::Result<Form> {
    if reader.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return unpacked(name, BufReader::new(MultiGzDecoder::new(reader)), take);
    }
    unpacked(name, reader, take)
}

fn unpacked(name: &str, mut reader: impl BufRead, take: Take<'_>) -> io::Result<Form> {
    // A buffer of a file or pipe may be filled bit by bit.
    let mut begin = Vec::new();
    reader.by_ref().take(512).read_to_end(&mut begin)?;
    let is_tar = begin.get(TAR_MAGIC..TAR_MAGIC + 5) == Some(b"ustar");
    let mut reader = io::Cursor::new(begin).chain(reader);
    if !is_tar {
        take(Entry { name: name.to_owned(), path: String::new(), content: Ok(&mut reader) });
        return Ok(Form::One);
    }
    for entry in tar::Archive::new(reader).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
        if !entry.header().entry_type().is_file() || !may_hold_objects(Path::new(&path)) {
            continue;
        }
        take(Entry { name: format!("{name}:{path}"), path, content: Ok(&mut entry) });
    }
    Ok(Form::Many)
}

fn may_hold_objects(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a directory is not followed: it may lead back.
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if may_hold_objects(&path) {
            files.push(path);
        }
    }
    Ok(())
}
