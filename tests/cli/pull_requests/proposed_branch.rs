//! The branch of a promotion, in the clone of a person who changes it.

use std::path::PathBuf;

use super::{PROMOTE, commit, publish_by_ssh, services, with_ssh};
use crate::gitops::{Gitops, Run};

pub(super) struct ProposedBranch {
    pub(super) repository: Gitops,
    pub(super) name: String,
    /// The commit of this program.
    pub(super) own: String,
    bare: PathBuf,
    pub(super) clone: PathBuf,
}

impl ProposedBranch {
    /// Pushes a promotion of `echo`, clones its branch, and then sets v3 in stage on `main`.
    pub(super) fn cloned() -> Self {
        let repository = services(&["echo"]);
        publish_by_ssh(&repository);
        let (bare, clone) = (repository.outside().join("origin.git"), repository.outside().join("person"));
        let mut proposed = Self { repository, name: String::new(), own: String::new(), bare, clone };
        proposed.promote().exits(4).prints("Pushed");
        proposed.name = proposed.in_remote(&["for-each-ref", "--format=%(refname:short)", "refs/heads/ucp/pr"]);
        let clone = ["clone", "--quiet", "--branch", &proposed.name, proposed.bare.to_str().unwrap()];
        proposed.repository.git([&clone[..], &[proposed.clone.to_str().unwrap()]].concat());
        let overlay = "resources: [../../base]\nimages:\n- name: r/echo\n  newTag: v3\n";
        proposed.repository.write("echo/overlays/stage/kustomization.yaml", overlay);
        commit(&proposed.repository, "Bump");
        proposed.repository.git(["push", "--quiet", proposed.bare.to_str().unwrap(), "main"]);
        proposed.own = proposed.tip();
        proposed
    }

    pub(super) fn promote(&self) -> Run {
        Run::of(with_ssh(&self.repository, &[&PROMOTE[..], &["--forge", "gitea"]].concat()).output().unwrap())
    }

    /// Runs git in the clone of the person.
    pub(super) fn person(&self, arguments: &[&str]) -> String {
        self.repository.git([&["-C", self.clone.to_str().unwrap()], arguments].concat())
    }

    /// Runs git in the repository of the forge.
    pub(super) fn in_remote(&self, arguments: &[&str]) -> String {
        self.repository.git([&["-C", self.bare.to_str().unwrap()], arguments].concat())
    }

    /// Returns the commit that the branch has in the repository of the forge.
    pub(super) fn tip(&self) -> String {
        self.in_remote(&["rev-parse", &format!("refs/heads/{}", self.name)])
    }
}
