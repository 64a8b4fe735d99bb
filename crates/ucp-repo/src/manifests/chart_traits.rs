//! Properties of a chart's templates that make a rendering differ from the one of an engine.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ucp_core::regular_file;

/// Files of a chart that are larger are not templates.
const LARGEST: u64 = 4 << 20;
/// Maximum nesting of archives in a chart.
const DEEPEST: usize = 4;
/// Limit of what all archives of a chart unpack to, in bytes. Helm loads no archive of more than 100 MiB.
const MOST_UNPACKED: u64 = 256 << 20;
/// Functions with a new result at each call.
const RANDOM: [&str; 21] = [
    "randAlphaNum",
    "randAlpha",
    "randNumeric",
    "randAscii",
    "randBytes",
    "randInt",
    "shuffle",
    "uuidv4",
    "now",
    "ago",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "htpasswd",
    "bcrypt",
    "encryptAES",
    "getHostByName",
];

/// What a chart's templates use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChartTraits {
    /// `lookup`: objects of the cluster.
    pub looks_up: bool,
    /// Functions with a new result at each call.
    pub is_random: bool,
    /// `.Capabilities`: kinds and version of the cluster.
    pub has_capabilities: bool,
    /// `.Release.Revision`: the number of the release.
    pub has_revision: bool,
}

impl ChartTraits {
    /// Reads the templates of a chart, a directory or an archive, and of the charts in it.
    ///
    /// # Errors
    /// Fails when the chart cannot be read, or unpacks to too much.
    pub fn read(chart: &Path) -> io::Result<Self> {
        Self::read_within(chart, MOST_UNPACKED)
    }

    fn read_within(chart: &Path, limit: u64) -> io::Result<Self> {
        let (mut traits, left) = (Self::default(), Cell::new(limit));
        if chart.is_dir() {
            for (name, file) in chart_files(chart)? {
                traits.add_file(&name.to_string_lossy(), &mut regular_file::open(&file)?, DEEPEST, &left)?;
            }
        } else {
            traits.add_archive(&mut std::fs::File::open(chart)?, DEEPEST, &left)?;
        }
        Ok(traits)
    }

    fn add_archive(&mut self, bytes: &mut dyn Read, depth: usize, left: &Cell<u64>) -> io::Result<()> {
        let mut archive = tar::Archive::new(MeteredReader { inner: flate2::read::GzDecoder::new(bytes), left });
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            self.add_file(&name, &mut entry, depth, left)?;
        }
        Ok(())
    }

    fn add_file(&mut self, name: &str, content: &mut dyn Read, depth: usize, left: &Cell<u64>) -> io::Result<()> {
        if name.ends_with(".tgz") && depth > 0 {
            return self.add_archive(content, depth - 1, left);
        }
        if name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".tpl") || name.ends_with(".txt") {
            let mut text = Vec::new();
            content.take(LARGEST).read_to_end(&mut text)?;
            self.add_text(&String::from_utf8_lossy(&text));
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once("{{") {
            let (action, after) = behind.split_once("}}").unwrap_or((behind, ""));
            self.looks_up |= has_word(action, "lookup");
            self.is_random |= RANDOM.iter().any(|function| has_word(action, function));
            self.has_capabilities |= action.contains(".Capabilities");
            self.has_revision |= action.contains(".Release.Revision");
            rest = after;
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.').any(|one| one == word)
}

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
mod tests {
    use super::*;

    fn traits(text: &str) -> ChartTraits {
        let mut traits = ChartTraits::default();
        traits.add_text(text);
        traits
    }

    #[test]
    fn functions_count_where_they_are_called() {
        assert_eq!(traits("# lookup now {{ .Values.lookup }} {{ .Values.now }}"), ChartTraits::default());
        assert!(traits("{{ (lookup \"v1\" \"Secret\" .Release.Namespace \"x\").data }}").looks_up);
        assert!(traits("a: {{ randAlphaNum 8 | quote }}").is_random);
        assert!(traits("{{- $ca := genCA \"x\" 365 }}").is_random);
        assert!(!traits("a: {{ .Values.randomize }}").is_random);
        assert!(traits("{{ if .Capabilities.APIVersions.Has \"a/v1\" }}").has_capabilities);
        assert!(traits("{{ .Release.Revision }}").has_revision);
    }

    fn archive(name: &str, content: &[u8]) -> Vec<u8> {
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best()));
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn what_archives_unpack_to_is_limited_together() {
        let inner = archive("web/templates/a.yaml", &[b' '; 1 << 20]);
        let directory = tempfile::tempdir().unwrap();
        let outer = directory.path().join("outer.tgz");
        std::fs::write(&outer, archive("web/charts/inner.tgz", &inner)).unwrap();
        assert!(ChartTraits::read_within(&outer, 2 << 20).is_ok());
        assert!(ChartTraits::read_within(&outer, 1 << 20).unwrap_err().to_string().contains("too much"));
        // The same chart, unpacked.
        std::fs::create_dir_all(directory.path().join("web/charts")).unwrap();
        std::fs::write(directory.path().join("web/charts/inner.tgz"), &inner).unwrap();
        assert!(ChartTraits::read_within(&directory.path().join("web"), 1 << 20).is_err());
    }

    /// Each path through such links is another one, and there are more of them than anything can count.
    #[cfg(unix)]
    #[test]
    fn links_in_a_loop_end() {
        let directory = tempfile::tempdir().unwrap();
        let templates = directory.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("a.yaml"), "{{ lookup }}").unwrap();
        for name in ["b", "c", "d"] {
            std::os::unix::fs::symlink("..", templates.join(name)).unwrap();
        }
        let names: Vec<_> = chart_files(directory.path()).unwrap().into_keys().collect();
        assert_eq!(names, [Path::new("templates/a.yaml")]);
        assert!(ChartTraits::read(directory.path()).unwrap().looks_up);
    }
}
