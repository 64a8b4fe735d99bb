//! The files of a chart, and of the charts in it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ucp_core::regular_file;

/// Maximum nesting of archives in a chart.
const DEEPEST: usize = 4;
/// Limit of what all archives of a chart unpack to, in bytes. Helm loads no archive of more than 100 MiB.
const MOST_UNPACKED: u64 = 256 << 20;

/// Receives the name and the content of each file.
pub(super) type ChartVisitor<'a> = dyn FnMut(&str, &mut dyn Read) -> io::Result<()> + 'a;

/// Counts what archives unpack to.
struct MeteredReader<'a, R> {
    inner: R,
    /// Bytes that may still be unpacked.
    left: &'a Cell<u64>,
}

impl<R: Read> Read for MeteredReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        let left = u64::try_from(length).ok().and_then(|length| self.left.get().checked_sub(length));
        self.left.set(left.ok_or_else(|| io::Error::other("the archives of its chart unpack to too much"))?);
        Ok(length)
    }
}

/// Calls a function for every file of a chart, a directory or an archive, and of the charts in it. The names are those of
/// the chart, or of the archive in it.
///
/// # Errors
/// Fails when the chart cannot be read, unpacks to too much, or nests too deep; returns errors of the function.
pub(super) fn visit_files(chart: &Path, visit: &mut ChartVisitor<'_>) -> io::Result<()> {
    visit_within(chart, MOST_UNPACKED, visit)
}

fn visit_within(chart: &Path, limit: u64, visit: &mut ChartVisitor<'_>) -> io::Result<()> {
    let left = Cell::new(limit);
    if !chart.is_dir() {
        return visit_archive(&mut regular_file::open(chart)?, DEEPEST, &left, visit);
    }
    for (name, file) in chart_files(chart)? {
        visit_file(&name.to_string_lossy(), &mut regular_file::open(&file)?, DEEPEST, &left, visit)?;
    }
    Ok(())
}

fn visit_archive(bytes: &mut dyn Read, depth: usize, left: &Cell<u64>, visit: &mut ChartVisitor<'_>) -> io::Result<()> {
    // As Go, which helm uses, this reads all members of a compressed file.
    let mut archive = tar::Archive::new(MeteredReader { inner: flate2::read::MultiGzDecoder::new(bytes), left });
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        visit_file(&name, &mut entry, depth, left, visit)?;
    }
    Ok(())
}

fn visit_file(
    name: &str,
    content: &mut dyn Read,
    depth: usize,
    left: &Cell<u64>,
    visit: &mut ChartVisitor<'_>,
) -> io::Result<()> {
    if !name.ends_with(".tgz") {
        return visit(name, content);
    }
    let depth = depth.checked_sub(1).ok_or_else(|| io::Error::other("the archives of its chart nest too deep"))?;
    visit_archive(content, depth, left, visit)
}

/// Returns the regular files of a chart's directory, with their real paths, by their names in the chart. Links are followed
/// as helm does; a directory that several links lead to is read once, since links may form a loop.
///
/// # Errors
/// Fails when a directory cannot be read, or a link leads nowhere.
pub(super) fn chart_files(chart: &Path) -> io::Result<BTreeMap<PathBuf, PathBuf>> {
    let (mut seen, mut open, mut files) = (BTreeSet::new(), vec![PathBuf::new()], BTreeMap::new());
    while let Some(name) = open.pop() {
        let path = std::fs::canonicalize(chart.join(&name))?;
        if path.is_file() {
            files.insert(name, path);
        } else if path.is_dir() && seen.insert(path.clone()) {
            let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name()));
            let mut entries: Vec<_> = entries.collect::<io::Result<_>>()?;
            entries.sort();
            open.extend(entries.into_iter().rev().map(|entry| name.join(entry)));
        }
    }
    Ok(files)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::manifests) fn archive(name: &str, content: &[u8]) -> Vec<u8> {
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best()));
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn the_total_unpacked_size_of_nested_archives_is_limited() {
        let mut read = |_: &str, content: &mut dyn Read| io::copy(content, &mut io::sink()).map(drop);
        let inner = archive("web/templates/a.yaml", &[b' '; 1 << 20]);
        let directory = tempfile::tempdir().unwrap();
        let outer = directory.path().join("outer.tgz");
        std::fs::write(&outer, archive("web/charts/inner.tgz", &inner)).unwrap();
        assert!(visit_within(&outer, 2 << 20, &mut read).is_ok());
        assert!(visit_within(&outer, 1 << 20, &mut read).unwrap_err().to_string().contains("too much"));
        // The same chart, unpacked.
        std::fs::create_dir_all(directory.path().join("web/charts")).unwrap();
        std::fs::write(directory.path().join("web/charts/inner.tgz"), &inner).unwrap();
        assert!(visit_within(&directory.path().join("web"), 1 << 20, &mut read).is_err());
    }

    #[test]
    fn the_depth_of_nested_archives_is_limited() {
        let mut nested = archive("web/a.yaml", b"a: b");
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("web.tgz");
        let mut read = |_: &str, content: &mut dyn Read| io::copy(content, &mut io::sink()).map(drop);
        for depth in 0..8 {
            std::fs::write(&file, &nested).unwrap();
            assert_eq!(visit_files(&file, &mut read).is_ok(), depth <= DEEPEST, "{depth}");
            nested = archive("web/charts/inner.tgz", &nested);
        }
    }

    /// helm reads the content behind the first member too.
    #[test]
    fn every_member_of_a_compressed_file_is_read() {
        let plain = |name: &str| {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&archive(name, b"x")[..]).read_to_end(&mut unpacked).unwrap();
            unpacked
        };
        let compress = |bytes: &[u8]| {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packed, bytes).unwrap();
            packed.finish().unwrap()
        };
        let mut first = plain("web/a.yaml");
        // Without the zeros that end an archive.
        first.truncate(first.len() - 1024);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("web.tgz");
        std::fs::write(&file, [compress(&first), compress(&plain("web/b.yaml"))].concat()).unwrap();
        let mut names = Vec::new();
        visit_files(&file, &mut |name, _| {
            names.push(name.to_owned());
            Ok(())
        })
        .unwrap();
        assert_eq!(names, ["web/a.yaml", "web/b.yaml"]);
    }

    /// Each path through such links is another one, and there are more of them than anything can count.
    #[cfg(unix)]
    #[test]
    fn circular_links_in_a_chart_end() {
        let directory = tempfile::tempdir().unwrap();
        let templates = directory.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("a.yaml"), "{{ lookup }}").unwrap();
        for name in ["b", "c", "d"] {
            std::os::unix::fs::symlink("..", templates.join(name)).unwrap();
        }
        let names: Vec<_> = chart_files(directory.path()).unwrap().into_keys().collect();
        assert_eq!(names, [Path::new("templates/a.yaml")]);
    }
}
