//! Branch, tag, or commit beside its Git repository.

use super::conventions::{fold_key, label};
use super::{SlotClaim, SlotKind};
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "Git revision", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let key = fold_key(label(site)?);
    let names = ["revision", "ref", "gitref", "branch", "commit", "sha", "gitrevision", "commitsha"];
    if !names.contains(&key.as_str()) || !version::may_be_version(site.text().trim()) {
        return None;
    }
    let fields = ["repoURL", "repository", "repo", "url", "git", "gitUrl", "repoUrl", "source"];
    let repository = fields.iter().find_map(|field| site.sibling(field));
    // Without a repository beside it, only texts in the format of a version or commit.
    (repository.is_some() || key == "revision" || version::is_numbered(site.text()))
        .then(|| SlotClaim::whole(site, ArtifactKind::Git, repository))
}
