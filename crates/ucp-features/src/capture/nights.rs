//! Adds a snapshot to a directory of nightly snapshots, which stores equal objects once.
//!
//! The hash of a hidden value is keyed, and each snapshot has its own key. Here, it is replaced by the place where the
//! value occurs first, so that an object that did not change is the same in all nights. As before, only equality within
//! one night can be seen.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use ring::digest;
use serde::Deserialize;

use super::archive::make_directory;
use ucp_client::source::snapshot::index::FILE;
use ucp_client::source::snapshot::nights::{
    NIGHT, Night, OBJECTS, OBJECTS_HEADER, StoredObject, each_object, night_files,
};
use ucp_core::error::{Error, Result};
use ucp_core::model::hash::hexadecimal;
use ucp_core::regular_file::create_private;
use ucp_core::scratch::Scratch;

/// The file whose lock is held while a night is added.
const LOCK: &str = ".lock";
/// Prefix of the private directories of unfinished nights.
const UNFINISHED: &str = ".kubectl-ucp-night-";
/// The beginning and the length of the hash of a hidden value: `<hidden-0123456789abcdef-12>`.
const HIDDEN: &str = "<hidden-";
const HASH: usize = 16;

/// A directory of nightly snapshots to which a night is being added. No other process adds one at the same time.
pub struct NightlyDirectory {
    path: PathBuf,
    scratch: Scratch,
    // Locked until it is dropped.
    _lock: File,
}

/// A night that was added.
#[derive(Debug)]
pub struct AddedNight {
    /// Its file.
    pub path: PathBuf,
    /// The size of all nights in bytes.
    pub size: u64,
    /// The number of nights that were removed.
    pub removed: usize,
}

impl NightlyDirectory {
    /// Opens a directory, which is created if it does not exist.
    ///
    /// # Errors
    /// Fails when it cannot be written, has other content, or is in use.
    pub fn open(path: &Path) -> Result<Self> {
        let cannot = || format!("cannot write to {}", path.display());
        make_directory(path).with_context(cannot)?;
        // The directory of a volume has `lost+found`.
        let is_other = |entry: io::Result<fs::DirEntry>| {
            let name = entry.map(|entry| entry.file_name().to_string_lossy().into_owned()).unwrap_or_default();
            !name.starts_with('.') && name != "lost+found"
        };
        if !path.join(OBJECTS).exists() && fs::read_dir(path).with_context(cannot)?.any(is_other) {
            let message = format!("{} has other files, and no nightly snapshots: nothing was written", path.display());
            return Err(Error::refused(message).hint("name an empty directory, or one that does not exist"));
        }
        let mut options = File::options();
        let lock = options.create(true).truncate(false).write(true).open(path.join(LOCK)).with_context(cannot)?;
        if let Err(fs::TryLockError::WouldBlock) = lock.try_lock() {
            let message = format!("another process is adding a snapshot to {}", path.display());
            return Err(Error::failed(message).hint("wait until it is done"));
        }
        let scratch = Scratch::within(path, UNFINISHED).with_context(cannot)?;
        Ok(Self { path: path.to_owned(), scratch, _lock: lock })
    }

    /// Returns the place for the snapshot that is to be added, as a directory.
    pub fn snapshot(&self) -> PathBuf {
        self.scratch.path().join("snapshot")
    }

    /// Adds the snapshot, and removes the oldest nights except for `keep`.
    ///
    /// # Errors
    /// Fails when a night cannot be read or written.
    pub fn add(self, taken_at: Timestamp, keep: usize) -> Result<AddedNight> {
        let cannot = || format!("cannot add a snapshot to {}", self.path.display());
        let mut files = NewFiles::default();
        files.collect(&self.snapshot(), "").with_context(cannot)?;
        let mut objects = files.sorted();
        unkey(&mut objects);
        let nights = night_files(&self.path).with_context(cannot)?;
        let (gone, kept) = nights.split_at(nights.len().saturating_sub(keep.saturating_sub(1)));
        let known: Vec<Night> =
            kept.iter().map(|path| Night::read(path)).collect::<io::Result<_>>().with_context(cannot)?;
        let merged = self.scratch.path().join(OBJECTS);
        let numbers = merge(&self.path.join(OBJECTS), &merged, &objects, &known).with_context(cannot)?;
        let night = Night { taken_at, texts: files.texts, objects: ranges(numbers) };
        let name = format!("{}{NIGHT}", taken_at.strftime("%Y-%m-%dT%H%M%SZ"));
        let written = self.scratch.path().join("new");
        write_gzip(&written, |file| Ok(serde_json::to_writer(file, &night)?)).with_context(cannot)?;
        // In this order, every night has its objects at any time.
        for path in gone {
            fs::remove_file(path).with_context(cannot)?;
        }
        let path = self.path.join(name);
        fs::rename(&merged, self.path.join(OBJECTS)).and_then(|()| fs::rename(&written, &path)).with_context(cannot)?;
        let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let all = night_files(&self.path).with_context(cannot)?;
        let size = all.iter().map(|path| size(path)).sum::<u64>() + size(&self.path.join(OBJECTS));
        Ok(AddedNight { path, size, removed: gone.len() })
    }
}

/// The files of a new snapshot.
#[derive(Default)]
struct NewFiles {
    texts: BTreeMap<String, String>,
    /// By path: the first line of a list, and the objects.
    objects: BTreeMap<String, (String, Vec<String>)>,
}

/// An object of a new snapshot.
struct NewObject {
    path: String,
    head: String,
    name: String,
    text: String,
}

impl NewFiles {
    fn collect(&mut self, directory: &Path, below: &str) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            if entry.file_type()?.is_dir() {
                self.collect(&entry.path(), &path)?;
                continue;
            }
            let text = fs::read_to_string(entry.path())?;
            match split_list(&text) {
                _ if name == FILE => drop(self.texts.insert(path, text)),
                Some((head, objects)) => drop(self.objects.insert(path, (head.to_owned(), objects))),
                None if text.trim_end().contains('\n') => drop(self.texts.insert(path, text)),
                None => drop(self.objects.insert(path, (String::new(), vec![text.trim_end().to_owned()]))),
            }
        }
        Ok(())
    }

    /// Takes the objects, in the order of all nights.
    fn sorted(&mut self) -> Vec<NewObject> {
        let mut sorted = Vec::new();
        for (path, (head, objects)) in std::mem::take(&mut self.objects) {
            let mut own: Vec<(String, String)> = objects.into_iter().map(|text| (name_of(&text), text)).collect();
            own.sort();
            let object = |(name, text)| NewObject { path: path.clone(), head: head.clone(), name, text };
            sorted.extend(own.into_iter().map(object));
        }
        sorted
    }
}

/// Splits a file with one object per line into its first line and the objects; `None` for other files.
fn split_list(text: &str) -> Option<(&str, Vec<String>)> {
    let mut lines = text.lines();
    let head = lines.next().filter(|head| head.ends_with("\"items\":["))?;
    let mut objects: Vec<&str> = lines.collect();
    let end = objects.pop()?;
    let objects = objects.iter().map(|line| line.strip_suffix(',').unwrap_or(line).to_owned());
    (end == "]}").then(|| (head, objects.collect()))
}

/// Returns the name of an object.
fn name_of(text: &str) -> String {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named {
        metadata: NamedMetadata,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct NamedMetadata {
        name: String,
    }
    serde_json::from_str::<Named>(text).map(|named| named.metadata.name).unwrap_or_default()
}

/// Replaces the keyed hashes of hidden values by hashes of the places where they occur first.
fn unkey(objects: &mut [NewObject]) {
    let mut known: HashMap<String, String> = HashMap::new();
    for object in objects {
        let mut result = String::with_capacity(object.text.len());
        let mut rest = object.text.as_str();
        let mut ordinal = 0_usize;
        while let Some(start) = rest.find(HIDDEN) {
            let (before, after) = rest.split_at(start + HIDDEN.len());
            result.push_str(before);
            rest = after;
            let hash = after.get(..HASH).filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let Some(hash) = hash else { continue };
            ordinal += 1;
            let place = || place_hash(&[&object.path, &object.name, &ordinal.to_string()]);
            result.push_str(known.entry(hash.to_owned()).or_insert_with(place));
            rest = &after[HASH..];
        }
        result.push_str(rest);
        object.text = result;
    }
}

fn place_hash(parts: &[&str]) -> String {
    let digest = digest::digest(&digest::SHA256, parts.join("\0").as_bytes());
    hexadecimal(&digest.as_ref()[..HASH / 2])
}

/// Writes the objects of the known nights and of the new one, and returns the numbers of the new ones.
fn merge(old: &Path, into: &Path, new: &[NewObject], known: &[Night]) -> io::Result<Vec<u64>> {
    // The header has the number after all others, which is only known at the end. Each new object takes at most one.
    let first = if old.exists() { first_free(old)? } else { 0 };
    let mut numbers: Vec<Option<u64>> = vec![None; new.len()];
    write_gzip(into, |file| {
        let mut writer = ObjectsWriter { file, section: None, next: first };
        writeln!(writer.file, "{OBJECTS_HEADER} {}", first + new.len() as u64)?;
        let mut place = 0;
        if old.exists() {
            each_object(old, |stored| {
                let name = name_of(stored.text);
                let key = (stored.path, name.as_str());
                while let Some(object) =
                    new.get(place).filter(|object| (object.path.as_str(), object.name.as_str()) < key)
                {
                    writer.add_new(object, &mut numbers[place])?;
                    place += 1;
                }
                let same = new.get(place).filter(|object| {
                    (object.path.as_str(), object.name.as_str()) == key
                        && object.text == stored.text
                        && object.head == stored.head
                });
                if same.is_some() && numbers[place].is_none() {
                    numbers[place] = Some(stored.number);
                    return writer.write(stored);
                }
                match known.iter().any(|night| night.has(stored.number)) {
                    true => writer.write(stored),
                    false => Ok(()),
                }
            })?;
        }
        for (object, number) in new.iter().zip(&mut numbers).skip(place) {
            writer.add_new(object, number)?;
        }
        Ok(())
    })?;
    Ok(numbers.into_iter().flatten().collect())
}

fn first_free(path: &Path) -> io::Result<u64> {
    // The file has been read completely before it is replaced, so that a broken one is an error.
    each_object(path, |_| Ok(()))
}

struct ObjectsWriter<W> {
    file: W,
    section: Option<(String, String)>,
    next: u64,
}

impl<W: Write> ObjectsWriter<W> {
    fn write(&mut self, object: StoredObject<'_>) -> io::Result<()> {
        let is_open = self.section.as_ref().is_some_and(|(path, head)| path == object.path && head == object.head);
        if !is_open {
            writeln!(self.file, "={}\t{}", object.path, object.head)?;
            self.section = Some((object.path.to_owned(), object.head.to_owned()));
        }
        writeln!(self.file, "{} {}", object.number, object.text)
    }

    /// Writes a new object, unless it is known, and sets its number.
    fn add_new(&mut self, object: &NewObject, number: &mut Option<u64>) -> io::Result<()> {
        if number.is_some() {
            return Ok(());
        }
        let NewObject { path, head, text, .. } = object;
        self.write(StoredObject { path, head, number: self.next, text })?;
        *number = Some(self.next);
        self.next += 1;
        Ok(())
    }
}

/// Returns the ranges of numbers.
fn ranges(mut numbers: Vec<u64>) -> Vec<(u64, u64)> {
    numbers.sort_unstable();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((first, length)) if *first + *length == number => *length += 1,
            _ => ranges.push((number, 1)),
        }
    }
    ranges
}

fn write_gzip(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut gzip = GzEncoder::new(BufWriter::new(create_private(path)?), Compression::new(6));
    write(&mut gzip)?;
    gzip.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Writes a snapshot of widgets, of which some differ in each night, with its own hashes of hidden values.
    fn write_snapshot(directory: &Path, night: usize, number: usize) {
        let things = directory.join("namespaces/shop/example.org");
        fs::create_dir_all(&things).unwrap();
        let object = |index: usize| {
            let size = if index.is_multiple_of(50) { night } else { 0 };
            json!({
                "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": format!("widget-{index:05}"), "namespace": "shop",
                    "uid": place_hash(&[&index.to_string()])},
                "spec": {"size": size, "password": format!("<hidden-{}-12>", place_hash(&["key", &night.to_string(), &index.to_string()]))},
            })
            .to_string()
        };
        let objects: Vec<String> = (0..number).map(object).collect();
        let text = format!(
            "{{\"apiVersion\":\"example.org/v1\",\"kind\":\"WidgetList\",\"items\":[\n{}\n]}}\n",
            objects.join(",\n")
        );
        fs::write(things.join("widgets.yaml"), text).unwrap();
        fs::write(directory.join(FILE), format!("night: {night}\nkinds: []\n")).unwrap();
    }

    fn add(directory: &Path, night: usize, keep: usize) -> AddedNight {
        let nightly = NightlyDirectory::open(directory).unwrap();
        write_snapshot(&nightly.snapshot(), night, 2_000);
        nightly.add(Timestamp::from_second(1_800_000_000 + 86_400 * night as i64).unwrap(), keep).unwrap()
    }

    fn sizes(directory: &Path, night: &Night) -> Vec<u64> {
        let mut sizes = Vec::new();
        each_object(&directory.join(OBJECTS), |object| {
            if night.has(object.number) {
                let object: serde_json::Value = serde_json::from_str(object.text)?;
                sizes.push(object["spec"]["size"].as_u64().unwrap());
            }
            Ok(())
        })
        .unwrap();
        sizes
    }

    #[test]
    fn fourteen_unchanged_nights_take_less_space_than_two() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("nights");
        let first = add(&directory, 0, 14).size;
        let mut last = add(&directory, 1, 14);
        for night in 2..16 {
            last = add(&directory, night, 14);
        }
        assert!(last.size < 2 * first, "one night takes {first} bytes, 14 take {}", last.size);
        assert_eq!(last.removed, 1);
        let nights = night_files(&directory).unwrap();
        assert_eq!(nights.len(), 14);
        for (path, night) in nights.iter().zip(2..) {
            let read = Night::read(path).unwrap();
            assert_eq!(read.texts[FILE], format!("night: {night}\nkinds: []\n"));
            let found = sizes(&directory, &read);
            assert_eq!((found.len(), found.iter().filter(|size| **size == night).count()), (2_000, 40));
        }
    }

    #[test]
    fn removing_a_night_removes_its_objects() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("nights");
        let stored = || {
            let mut number = 0;
            each_object(&directory.join(OBJECTS), |_| {
                number += 1;
                Ok(())
            })
            .unwrap();
            number
        };
        add(&directory, 0, 1);
        add(&directory, 1, 1);
        assert_eq!((stored(), night_files(&directory).unwrap().len()), (2_000, 1));
        add(&directory, 2, 2);
        assert_eq!(stored(), 2_040);
    }

    #[test]
    fn hidden_values_have_no_hash_of_their_value() {
        let mut objects: Vec<NewObject> =
            ["<hidden-00000000000000aa-3> <hidden-00000000000000bb-3>", "<hidden-00000000000000aa-3> <hidden>"]
                .iter()
                .zip(["a", "b"])
                .map(|(text, name)| NewObject {
                    path: "p".into(),
                    head: String::new(),
                    name: name.into(),
                    text: (*text).into(),
                })
                .collect();
        unkey(&mut objects);
        let hash = |object: usize, start: usize| objects[object].text[start + 8..start + 24].to_owned();
        assert_ne!(hash(0, 0), "00000000000000aa");
        assert_ne!(hash(0, 0), hash(0, 28));
        assert_eq!(hash(0, 0), hash(1, 0));
        assert!(objects[1].text.ends_with(" <hidden>"));
    }

    #[test]
    fn a_directory_with_other_files_is_refused() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("letter.txt"), "x").unwrap();
        assert!(NightlyDirectory::open(home.path()).is_err());
        let nightly = NightlyDirectory::open(&home.path().join("nights")).unwrap();
        assert!(NightlyDirectory::open(&home.path().join("nights")).is_err());
        drop(nightly);
    }
}
