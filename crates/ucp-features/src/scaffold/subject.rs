//! The content to copy: a service, its database, and the environments.

use std::collections::BTreeSet;

use super::names::{around, replaced};
use ucp_repo::gitops::path;

/// Words that occur next to the name of a service in the names of its files and deployers.
const BESIDE: [&str; 22] = [
    "app",
    "application",
    "applications",
    "applicationset",
    "appset",
    "argocd",
    "claim",
    "config",
    "deployment",
    "externalsecret",
    "flux",
    "helmrelease",
    "hr",
    "ks",
    "kustomization",
    "namespace",
    "release",
    "sealedsecret",
    "secret",
    "service",
    "sync",
    "values",
];

/// An old name and its new name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The existing name.
    pub old: String,
    /// The new name.
    pub new: String,
}

/// The content to copy.
#[derive(Debug, Clone)]
pub struct CopySubject {
    /// The service.
    pub service: Rename,
    /// The claim, if its files are in this repository and the new service gets its own.
    pub database: Option<Rename>,
    /// The environments of the repository.
    pub known: BTreeSet<String>,
    /// The environments of the copy; empty for all.
    pub environments: Vec<String>,
    /// The other services, which are never part of this one.
    pub others: BTreeSet<String>,
    /// Directories of the other services. All their files belong to those services.
    pub others_directories: BTreeSet<String>,
}

impl CopySubject {
    /// Returns the new name of a path segment or deployer; `None` if it does not have the name of the service.
    pub fn renamed_part(&self, part: &str) -> Option<String> {
        self.part_beside(part, &|_| false)
    }

    fn part_beside(&self, part: &str, is_beside: &dyn Fn(&str) -> bool) -> Option<String> {
        let (stem, ending) = match part.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= 5 => (stem, format!(".{ending}")),
            _ => (part, String::new()),
        };
        let renames = self.database.iter().chain([&self.service]);
        renames.filter_map(|rename| self.renamed(stem, rename, is_beside)).map(|stem| format!("{stem}{ending}")).next()
    }

    fn renamed(&self, stem: &str, rename: &Rename, is_beside: &dyn Fn(&str) -> bool) -> Option<String> {
        let rest = around(stem, &rename.old)?;
        // Another service may have a longer name that contains this one, and so may the new service.
        let is_longer = |other: &&String| *other != &rename.old && around(other, &rename.old).is_some();
        let named = self.others.iter().chain([&rename.new]);
        if named.filter(is_longer).any(|other| around(stem, other).is_some()) {
            return None;
        }
        let is_whole = is_beside(&rest.concat());
        let is_beside = |word: &&str| BESIDE.contains(word) || self.known.contains(*word) || is_beside(word);
        let is_environment = self.known.contains(&rest.join("-"));
        let is_it = is_environment || is_whole || rest.iter().all(is_beside);
        is_it.then(|| replaced(stem, &rename.old, &rename.new)).flatten()
    }

    /// Returns the new path of a file of the service, for any environment; `None` for files of other services.
    pub fn counterpart(&self, path: &str) -> Option<String> {
        if self.is_others(path) {
            return None;
        }
        let mut is_its = false;
        let mut part = |part: &str| {
            let new = self.renamed_part(part);
            is_its |= new.is_some();
            new.unwrap_or_else(|| part.to_owned())
        };
        let parts: Vec<String> = path.split('/').map(&mut part).collect();
        is_its.then(|| parts.join("/"))
    }

    /// Returns the new path of a file with the name of the service and kinds of objects: `quotes-hpa.yaml`.
    pub fn counterpart_of_kinds(&self, path: &str, kinds: &[&str]) -> Option<String> {
        if self.is_others(path) {
            return None;
        }
        let is_kind = |word: &str| kinds.iter().any(|kind| is_kind(word, kind));
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(path::inside(path::parent(path), &self.part_beside(name, &is_kind)?))
    }

    /// Returns true if a file is in the directory of another service.
    pub fn is_others(&self, path: &str) -> bool {
        self.others_directories.iter().any(|directory| path::is_below(path, directory))
    }

    /// Returns the new path of a file of the service; `None` for files of others, and of environments that were not
    /// requested.
    pub fn new_path(&self, path: &str) -> Option<String> {
        self.counterpart(path).filter(|_| self.is_wanted(path))
    }

    /// Returns true if a path or name is of a requested environment, or of none.
    pub fn is_wanted(&self, text: &str) -> bool {
        if self.environments.is_empty() {
            return true;
        }
        let named = self.environments_in(text);
        named.is_empty() || named.iter().any(|name| self.environments.iter().any(|wanted| wanted == name))
    }

    /// Returns the environments that a text names.
    fn environments_in(&self, text: &str) -> Vec<&str> {
        // The name of a service may contain that of an environment.
        let text = match around(text, &self.service.old) {
            Some(_) => replaced(text, &self.service.old, "").unwrap_or_default(),
            None => text.to_owned(),
        };
        let found: Vec<&String> = self.known.iter().filter(|name| around(&text, name).is_some()).collect();
        let is_part = |name: &String| found.iter().any(|other| *other != name && around(other, name).is_some());
        found.iter().filter(|name| !is_part(name)).map(|name| name.as_str()).collect()
    }
}

/// Returns true if a word denotes a kind: its name, its plural, or its capitals.
fn is_kind(word: &str, kind: &str) -> bool {
    let whole = kind.to_lowercase();
    let capitals: String = kind.chars().filter(char::is_ascii_uppercase).collect();
    let word = word.to_lowercase();
    let one = word.strip_suffix("es").filter(|one| *one == whole).or(word.strip_suffix('s')).unwrap_or(&word);
    word == whole || one == whole || capitals.len() > 1 && word == capitals.to_lowercase()
}

#[cfg(test)]
pub(super) fn subject(environments: &[&str]) -> CopySubject {
    CopySubject {
        service: Rename { old: "quotes".into(), new: "orders".into() },
        database: None,
        known: ["prod", "prod-eu", "stage"].map(str::to_owned).into(),
        environments: environments.iter().map(|name| (*name).to_owned()).collect(),
        others: BTreeSet::from(["quotes-app".to_owned()]),
        others_directories: BTreeSet::from(["apps/web".to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_service_are_recognized_by_their_paths() {
        let all = subject(&[]);
        for (path, moved) in [
            ("quotes/overlays/prod/kustomization.yaml", Some("orders/overlays/prod/kustomization.yaml")),
            ("apps/prod/quotes.yaml", Some("apps/prod/orders.yaml")),
            ("apps/prod-eu-quotes.yaml", Some("apps/prod-eu-orders.yaml")),
            ("apps/quotes-application.yaml", Some("apps/orders-application.yaml")),
            ("quotes-db/base/kustomization.yaml", None),
            ("quotes-app/base/kustomization.yaml", None),
            ("apps/prod-quotes-app.yaml", None),
            ("apps/quotes-app-values.yaml", None),
            ("apps/quotes-db.yaml", None),
            ("apps/myquotes.yaml", None),
            ("apps/web/quotes.yaml", None),
            ("apps/web/config/quotes/a.json", None),
        ] {
            assert_eq!(all.new_path(path).as_deref(), moved, "{path}");
        }
        let with_database = CopySubject { database: Some(Rename { old: "quotes-db".into(), new: "od".into() }), ..all };
        assert_eq!(with_database.new_path("quotes/quotes-db.yaml").as_deref(), Some("orders/od.yaml"));
    }

    #[test]
    fn files_may_be_named_after_kinds_and_files_of_the_copy_are_excluded() {
        let all = subject(&[]);
        let kinds = ["HorizontalPodAutoscaler", "Ingress", "NetworkPolicy"];
        for (path, moved) in [
            ("a/quotes-hpa.yaml", Some("a/orders-hpa.yaml")),
            ("a/ingresses-quotes.yaml", Some("a/ingresses-orders.yaml")),
            ("a/quotes-network-policy.yaml", Some("a/orders-network-policy.yaml")),
            ("a/quotes-db-ingress.yaml", None),
            ("a/quotes-pdb.yaml", None),
            ("apps/web/quotes-hpa.yaml", None),
        ] {
            assert_eq!(all.counterpart_of_kinds(path, &kinds).as_deref(), moved, "{path}");
        }
        let mut again = subject(&[]);
        again.service.new = "quotes-prod".into();
        for path in ["quotes-prod/base/a.yaml", "apps/quotes-prod.yaml", "apps/stage/quotes-prod.yaml"] {
            assert_eq!(again.counterpart(path), None, "{path}");
        }
        assert_eq!(again.counterpart("quotes/a.yaml").as_deref(), Some("quotes-prod/a.yaml"));
    }

    #[test]
    fn environments_that_were_not_requested_are_not_changed() {
        let stage = subject(&["stage"]);
        assert_eq!(stage.new_path("quotes/overlays/prod/kustomization.yaml"), None);
        assert!(stage.counterpart("quotes/overlays/prod/kustomization.yaml").is_some());
        assert!(stage.new_path("quotes/overlays/stage/kustomization.yaml").is_some());
        assert!(stage.new_path("quotes/base/kustomization.yaml").is_some());
        assert!(
            !stage.is_wanted("gcp-k8s-prod-eu") && stage.is_wanted("gcp-k8s-stage") && stage.is_wanted("production")
        );
        assert!(!subject(&["prod"]).is_wanted("prod-eu"));
        let mut named_so = subject(&["prod"]);
        named_so.service.old = "stage-door".into();
        assert!(named_so.is_wanted("apps/stage-door.yaml"));
    }
}
