//! A directory of nightly snapshots: a small file for each night, and one file with the objects of all nights, in which
//! equal objects are stored once. The versions of one object are next to each other, where they compress best.
//!
//! `objects.gz` is text: after a header, `=PATH<tab>HEAD` begins the objects of one file of the snapshots, and each
//! line `NUMBER OBJECT` is one of them. A number never changes. A night lists the numbers of its objects.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::entry::{SnapshotEntry, SnapshotForm, TakeFile};
use ucp_core::regular_file;

/// The file with the objects of all nights.
pub const OBJECTS: &str = "objects.gz";
/// The ending of the file of a night.
pub const NIGHT: &str = ".night.gz";
/// The first word of the file with the objects.
pub const OBJECTS_HEADER: &str = "ucp-objects-1";
/// The line that ends a list of objects.
const LIST_END: &str = "]}";
/// The size limits of one unpacked file, and of one line.
const LARGEST_FILE: u64 = 8 << 30;
const LARGEST_LINE: u64 = 128 << 20;
/// The maximum size of a night without its objects: the index, and the numbers of objects.
const LARGEST_NIGHT: u64 = 64 << 20;
/// A list is passed on in parts of about this size.
const PART: usize = 1 << 20;

/// One night.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Night {
    /// The time at which reading began.
    pub taken_at: Timestamp,
    /// The files that only this night has, such as the index, by path.
    pub texts: BTreeMap<String, String>,
    /// The numbers of its objects, as first numbers and lengths of ranges, in ascending order.
    pub objects: Vec<(u64, u64)>,
}

impl Night {
    /// Reads the file of a night.
    ///
    /// # Errors
    /// Fails when it cannot be read, or is no such file.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut text = Vec::new();
        unpacked(path)?.take(LARGEST_NIGHT + 1).read_to_end(&mut text)?;
        if text.len() as u64 > LARGEST_NIGHT {
            return Err(broken(path, &format!("it unpacks to more than {} MiB", LARGEST_NIGHT >> 20)));
        }
        serde_json::from_slice(&text).map_err(|error| broken(path, &error.to_string()))
    }

    /// Returns true if the night has the object with this number.
    pub fn has(&self, number: u64) -> bool {
        let after = self.objects.partition_point(|(first, _)| *first <= number);
        after.checked_sub(1).is_some_and(|index| {
            let (first, length) = self.objects[index];
            number - first < length
        })
    }

    fn number_of_objects(&self) -> u64 {
        self.objects.iter().fold(0, |sum, (_, length)| sum.saturating_add(*length))
    }
}

/// An object in the file of all nights.
#[derive(Debug, Clone, Copy)]
pub struct StoredObject<'a> {
    /// The path of its file in a snapshot.
    pub path: &'a str,
    /// The first line of that file, if it is a list; otherwise empty.
    pub head: &'a str,
    /// The number that nights refer to.
    pub number: u64,
    /// The object as JSON in one line.
    pub text: &'a str,
}

/// Returns the files of the nights in a directory, the oldest first; none if it is no such directory.
///
/// # Errors
/// Fails when the directory cannot be read.
pub fn night_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    if !directory.join(OBJECTS).is_file() {
        return Ok(Vec::new());
    }
    let mut nights = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with(NIGHT) {
            nights.push(entry.path());
        }
    }
    // The names are times.
    nights.sort();
    Ok(nights)
}

/// Passes every object of all nights on, and returns the number that the next new object gets.
///
/// # Errors
/// Fails when the file cannot be read or is broken, and when `take` fails.
pub fn each_object(path: &Path, mut take: impl FnMut(StoredObject<'_>) -> io::Result<()>) -> io::Result<u64> {
    let mut reader = unpacked(path)?;
    let mut line = String::new();
    let mut next_line = |line: &mut String| -> io::Result<bool> {
        line.clear();
        let read = reader.by_ref().take(LARGEST_LINE).read_line(line)?;
        match line.strip_suffix('\n').map(str::len) {
            Some(length) => line.truncate(length),
            None if read > 0 => return Err(broken(path, "it ends within a line, or a line is too long")),
            None => {}
        }
        Ok(read > 0)
    };
    next_line(&mut line)?;
    let header = line.strip_prefix(OBJECTS_HEADER).and_then(|rest| rest.trim().parse().ok());
    let next: u64 = header.ok_or_else(|| broken(path, "its header is not that of nightly snapshots"))?;
    let mut section = (String::new(), String::new());
    while next_line(&mut line)? {
        if let Some(place) = line.strip_prefix('=') {
            let (path, head) = place.split_once('\t').unwrap_or((place, ""));
            section = (path.to_owned(), head.to_owned());
            continue;
        }
        let object = line.split_once(' ').and_then(|(number, text)| Some((number.parse().ok()?, text)));
        let (number, text) = object.ok_or_else(|| broken(path, "a line has no number"))?;
        take(StoredObject { path: &section.0, head: &section.1, number, text })?;
    }
    Ok(next)
}

/// Returns the file of the night that a path names: the file itself, or the newest one of a directory of nights.
pub(super) fn named_night(path: &Path) -> io::Result<Option<PathBuf>> {
    if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(NIGHT)) {
        return Ok(Some(path.to_owned()));
    }
    if !path.join(OBJECTS).is_file() {
        return Ok(None);
    }
    let newest = night_files(path)?.pop();
    newest.map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the directory has no night"))
}

/// Passes the files of one night on, as a snapshot of that night would have them.
pub(super) fn each_file(file: &Path, take: TakeFile<'_>) -> io::Result<SnapshotForm> {
    let night = Night::read(file)?;
    let name = |path: &str| format!("{}:{path}", file.display());
    // The index comes first: it describes the kinds.
    for (path, text) in &night.texts {
        take(SnapshotEntry { name: name(path), path: path.clone(), content: Ok(&mut text.as_bytes()) });
    }
    let (mut part, mut found) = (FilePart::default(), 0_u64);
    each_object(&file.with_file_name(OBJECTS), |object| {
        if !night.has(object.number) {
            return Ok(());
        }
        found += 1;
        if part.path != object.path || object.head.is_empty() || part.text.len() > PART {
            part.pass_on(&name, take);
            part = FilePart { path: object.path.to_owned(), is_list: !object.head.is_empty(), text: String::new() };
            part.text.push_str(object.head);
        } else {
            part.text.push(',');
        }
        if part.is_list {
            part.text.push('\n');
        }
        part.text.push_str(object.text);
        Ok(())
    })?;
    part.pass_on(&name, take);
    let expected = night.number_of_objects();
    if found != expected {
        let objects = file.with_file_name(OBJECTS);
        return Err(broken(&objects, &format!("it has {found} of the {expected} objects of {}", file.display())));
    }
    Ok(SnapshotForm::Many)
}

/// A part of a file of a snapshot.
#[derive(Default)]
struct FilePart {
    path: String,
    is_list: bool,
    text: String,
}

impl FilePart {
    fn pass_on(&mut self, name: &impl Fn(&str) -> String, take: TakeFile<'_>) {
        if self.text.is_empty() {
            return;
        }
        if self.is_list {
            self.text.push('\n');
            self.text.push_str(LIST_END);
        }
        let content: io::Result<&mut dyn Read> = Ok(&mut self.text.as_bytes());
        take(SnapshotEntry { name: name(&self.path), path: self.path.clone(), content });
    }
}

fn unpacked(path: &Path) -> io::Result<impl BufRead + use<>> {
    let file: File = regular_file::open(path)?;
    Ok(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(BufReader::new(file)).take(LARGEST_FILE)))
}

fn broken(path: &Path, reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_has_the_numbers_of_its_ranges() {
        let night = Night { objects: vec![(2, 3), (9, 1)], ..Night::default() };
        let has: Vec<u64> = (0..12).filter(|number| night.has(*number)).collect();
        assert_eq!(has, [2, 3, 4, 9]);
        assert_eq!(night.number_of_objects(), 4);
    }

    #[test]
    fn broken_files_are_errors() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OBJECTS);
        let write = |text: &str| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
            std::fs::write(&path, gzip.finish().unwrap()).unwrap();
        };
        for text in ["", "other 1\n", "ucp-objects-1 2\nnonumber\n", "ucp-objects-1 2\n=a\n1 {}"] {
            write(text);
            assert!(each_object(&path, |_| Ok(())).is_err(), "{text}");
        }
        write("ucp-objects-1 2\n=a\tb\n1 {}\n");
        assert_eq!(each_object(&path, |_| Ok(())).unwrap(), 2);
        // A night whose object is gone.
        let night = directory.path().join(format!("x{NIGHT}"));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        serde_json::to_writer(&mut gzip, &Night { objects: vec![(1, 2)], ..Night::default() }).unwrap();
        std::fs::write(&night, gzip.finish().unwrap()).unwrap();
        let error = each_file(&night, &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains("it has 1 of the 2 objects"), "{error}");
        // A night that unpacks to much more than its file.
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::copy(&mut std::io::repeat(b' ').take(LARGEST_NIGHT + 1), &mut gzip).unwrap();
        std::fs::write(&night, gzip.finish().unwrap()).unwrap();
        let error = Night::read(&night).unwrap_err().to_string();
        assert!(error.contains("it unpacks to more than 64 MiB"), "{error}");
    }
}
