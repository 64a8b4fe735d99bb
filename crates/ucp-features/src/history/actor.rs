//! Authors of changes: users, controllers, engines, and commits.

use schemars::JsonSchema;
use serde::Serialize;

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Actor {
    /// The kind of author.
    pub kind: ActorKind,
    /// The name: a user, a field manager, a controller, or a commit.
    pub name: String,
}

/// The kind of an author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ActorKind {
    /// A user, or a program that users run, such as kubectl.
    User,
    /// A controller.
    Controller,
    /// A controller of an engine.
    Engine,
    /// A commit.
    Commit,
}

/// Beginnings of the names of programs that users run. The name of the user is not part of the object.
const USERS: [&str; 11] =
    ["kubectl", "k9s", "lens", "headlamp", "mozilla", "dashboard", "helm", "terraform", "pulumi", "curl", "python"];

/// Beginnings of the names of engines' field managers and controllers.
const ENGINES: [&str; 17] = [
    "argocd",
    "argo-",
    "application-controller",
    "applicationset-controller",
    "kustomize-controller",
    "helm-controller",
    "source-controller",
    "notification-controller",
    "flux",
    "gotk-",
    "crossplane",
    "apiextensions.crossplane.io",
    "managed.crossplane.io",
    "managed/",
    "provider-",
    "function-",
    "kargo",
];

/// Beginnings of the field managers that apply manifests.
const APPLIERS: [&str; 4] = ["argocd", "kustomize-controller", "helm-controller", "flux"];

impl Actor {
    /// Returns true for the field managers of deployers.
    pub(super) fn applies_from_git(&self) -> bool {
        APPLIERS.iter().any(|beginning| self.name.starts_with(beginning))
    }

    /// Creates a user.
    pub(super) fn user(name: impl Into<String>) -> Self {
        Self { kind: ActorKind::User, name: name.into() }
    }

    /// Creates an engine.
    pub(super) fn engine(name: impl Into<String>) -> Self {
        Self { kind: ActorKind::Engine, name: name.into() }
    }

    /// Returns the author with the name of a field manager or controller; `None` without a name.
    pub(super) fn from_manager(name: &str) -> Option<Self> {
        if name.is_empty() {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let starts_with = |beginnings: &[&str]| beginnings.iter().any(|beginning| lower.starts_with(beginning));
        let kind = match () {
            // `helm-controller` starts like the program `helm`.
            () if starts_with(&ENGINES) || lower.contains("crossplane.io") => ActorKind::Engine,
            () if starts_with(&USERS) => ActorKind::User,
            () => ActorKind::Controller,
        };
        Some(Self { kind, name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_users_differ_from_controllers() {
        let kind = |name: &str| Actor::from_manager(name).map(|actor| actor.kind);
        for name in ["kubectl-edit", "kubectl-client-side-apply", "k9s", "helm", "Mozilla"] {
            assert_eq!(kind(name), Some(ActorKind::User), "{name}");
        }
        for name in ["helm-controller", "argocd-controller", "apiextensions.crossplane.io/composed/abc", "crossplane"] {
            assert_eq!(kind(name), Some(ActorKind::Engine), "{name}");
        }
        assert_eq!(kind("kube-controller-manager"), Some(ActorKind::Controller));
        assert_eq!(kind(""), None);
    }
}
