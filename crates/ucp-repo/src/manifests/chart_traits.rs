//! Properties of a chart's templates that make a rendering differ from the one of an engine.

use std::io::{self, Read};
use std::path::Path;

use crate::manifests::chart_content::visit_files;
use crate::manifests::go_template::next_action;

/// Files of a chart that are larger are not templates.
const LARGEST: u64 = 4 << 20;
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
        let mut traits = Self::default();
        visit_files(chart, &mut |name, content| {
            if [".yaml", ".yml", ".tpl", ".txt"].iter().any(|end| name.ends_with(end)) {
                let mut text = Vec::new();
                content.take(LARGEST).read_to_end(&mut text)?;
                traits.add_text(&String::from_utf8_lossy(&text));
            }
            Ok(())
        })?;
        Ok(traits)
    }

    fn add_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once("{{") {
            let (action, after) = next_action(behind).unwrap_or((behind, ""));
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
    fn functions_of_templates_are_found_where_they_are_called() {
        assert_eq!(traits("# lookup now {{ .Values.lookup }} {{ .Values.now }}"), ChartTraits::default());
        assert!(traits("{{ (lookup \"v1\" \"Secret\" .Release.Namespace \"x\").data }}").looks_up);
        assert!(traits("a: {{ randAlphaNum 8 | quote }}").is_random);
        assert!(traits("{{- $ca := genCA \"x\" 365 }}").is_random);
        assert!(!traits("a: {{ .Values.randomize }}").is_random);
        assert!(traits("{{ if .Capabilities.APIVersions.Has \"a/v1\" }}").has_capabilities);
        assert!(traits("{{ .Release.Revision }}").has_revision);
        assert!(traits("{{ print \"}}\" (now) }}").is_random);
    }
}
