//! Branch, tag, or commit beside its Git repository.

use super::conventions::{fold_key, is_listed_number, label};
use super::slot_claim::{SlotClaim, SlotKind};
use crate::slot::archive::is_numbered;
use crate::slot::artifact::ArtifactKind;
use crate::slot::site::ScalarContext;
use crate::slot::version;

pub(super) const KIND: SlotKind = SlotKind { name: "Git revision", claim };

fn claim(site: &ScalarContext<'_, '_>) -> Option<SlotClaim> {
    let key = fold_key(label(site)?);
    let names = ["revision", "ref", "gitref", "branch", "commit", "gitcommit", "sha", "gitrevision", "commitsha"];
    if !names.contains(&key.as_str()) || !version::may_be_version(site.text().trim()) || is_listed_number(site) {
        return None;
    }
    let fields = ["repoURL", "repository", "repo", "url", "git", "gitUrl", "gitRepo", "git_repo", "repoUrl", "source"];
    let repository = fields.iter().find_map(|field| site.sibling(field));
    // Without a repository beside it, only texts in the format of a version or commit.
    (repository.is_some() || key == "revision" || is_numbered(site.text()))
        .then(|| SlotClaim::whole(site, ArtifactKind::Git, repository))
}

#[cfg(test)]
mod tests {
    use crate::slot::slots_in;

    #[test]
    fn a_commit_next_to_its_repository_is_a_version() {
        let text =
            "git_repo: https://git.example.org/team/shop\ngit_commit: 46a1f65b8d7b09d29d99be8972ba637ef7759025\n";
        let slots = slots_in("values.yaml", text).unwrap();
        let found: Vec<_> = slots.iter().map(|slot| (slot.artifact.as_deref(), slot.path.to_string())).collect();
        assert_eq!(found, [(Some("https://git.example.org/team/shop"), "git_commit".to_owned())]);
    }
}
