//! Titles and colors of nodes, for every form of a tree.

use std::fmt::Write as _;

use crate::render::words;
use crate::report::tree::{DeployedSource, Tree, TreeNode, TreeNodeIdentity};
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;

/// A tree with its caption, if there are several.
pub(super) type CaptionedTree<'tree> = (Option<&'tree str>, &'tree Tree);

/// Returns the text of a line without its verdict.
pub(super) fn node_title(node: &TreeNode, outside: Option<&TreeNode>) -> String {
    match (&node.thing, outside.map(|node| &node.thing)) {
        (TreeNodeIdentity::Object(name), Some(TreeNodeIdentity::External(external))) => {
            format!("{} → {}", words::object(name), one_line(&external.name))
        }
        (TreeNodeIdentity::Object(name), _) => match &node.deploys {
            Some(DeployedSource { path, revision }) => {
                let revision =
                    revision.as_ref().map(|revision| format!(" @ {}", shorten_revision(revision))).unwrap_or_default();
                format!("{} ({})", words::object(name), one_line(&format!("{path}{revision}")))
            }
            None => words::object(name),
        },
        (TreeNodeIdentity::Git(source), _) => {
            let mut text = format!("git {}", one_line(&source.repository));
            for (before, part) in [(" chart ", &source.chart), (" ", &source.path), (" @ ", &source.target)] {
                if let Some(part) = part {
                    text.push_str(before);
                    text.push_str(&one_line(part));
                }
            }
            if let Some(revision) =
                source.revision.as_ref().filter(|revision| Some(*revision) != source.target.as_ref())
            {
                let _ = write!(text, " ({})", one_line(&shorten_revision(revision)));
            }
            text
        }
        (TreeNodeIdentity::External(external), _) => {
            let namespace = external.namespace.as_ref().map(|name| format!(" -n {name}")).unwrap_or_default();
            let kind =
                if external.kind == "Cluster" { "cluster".to_owned() } else { external.kind.to_ascii_lowercase() };
            // The same name and namespace may exist in several clusters.
            let cluster = external.cluster.as_ref().map(|name| format!(", in {name}")).unwrap_or_default();
            one_line(&format!("{kind} {}{namespace}{cluster}", external.name))
        }
    }
}

/// Shortens the commit in a revision: `main@sha1:4f3a2b1c`.
pub fn shorten_revision(revision: &str) -> String {
    let is_commit = |word: &str| word.len() >= 40 && word.chars().all(|character| character.is_ascii_hexdigit());
    let before = revision.trim_end_matches(|character: char| character.is_ascii_hexdigit());
    let commit = &revision[before.len()..];
    if is_commit(commit) { format!("{before}{}", &commit[..8]) } else { revision.to_owned() }
}

/// Returns the color of a verdict for output without a terminal.
pub(super) fn color(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Failed | Verdict::NeedsHuman => "#c62828",
        Verdict::Drifted | Verdict::Stuck | Verdict::Unknown => "#b26a00",
        Verdict::Progressing => "#00838f",
        Verdict::Paused => "#757575",
        Verdict::Ok => "#2e7d32",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_shortened_and_other_text_is_not() {
        let commit = "4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";
        assert_eq!(shorten_revision(commit), "4f3a2b1c");
        assert_eq!(shorten_revision(&format!("main@sha1:{commit}")), "main@sha1:4f3a2b1c");
        assert_eq!(shorten_revision("v1.2.3"), "v1.2.3");
        assert_eq!(shorten_revision(""), "");
        assert_eq!(shorten_revision("release-größe"), "release-größe");
        assert_eq!(shorten_revision(&format!("ß{commit}")), "ß4f3a2b1c");
    }
}
