//! Properties of a chart's templates that make a rendering differ from the one of an engine.

use std::io::Read as _;
use std::path::Path;

/// Files of a chart that are larger are not templates.
const LARGEST: u64 = 4 << 20;
/// Maximum nesting of archives in a chart.
const DEEPEST: usize = 4;
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
    /// Fails when the chart cannot be read.
    pub fn read(chart: &Path) -> std::io::Result<Self> {
        let mut traits = Self::default();
        if chart.is_dir() {
            traits.add_directory(chart)?;
        } else {
            traits.add_archive(&mut std::fs::File::open(chart)?, DEEPEST)?;
        }
        Ok(traits)
    }

    fn add_directory(&mut self, directory: &Path) -> std::io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                self.add_directory(&path)?;
            } else if path.metadata().is_ok_and(|file| file.is_file()) {
                self.add_file(&path.to_string_lossy(), &mut std::fs::File::open(&path)?, DEEPEST)?;
            }
        }
        Ok(())
    }

    fn add_archive(&mut self, bytes: &mut dyn std::io::Read, depth: usize) -> std::io::Result<()> {
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            self.add_file(&name, &mut entry, depth)?;
        }
        Ok(())
    }

    fn add_file(&mut self, name: &str, content: &mut dyn std::io::Read, depth: usize) -> std::io::Result<()> {
        if name.ends_with(".tgz") && depth > 0 {
            return self.add_archive(content, depth - 1);
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
}
