//! The claim of a new service, and the objects that distribute its connection Secret.

use super::intact::EntryCounts;
use super::lists::{ListEntry, check_anchors, insert_copy};
use super::names::{NewNames, replaced};
use super::subject::{CopySubject, Rename};
use super::terms::CopyTerms;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::nearest::did_you_mean_name;
use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::gitops::path;
use ucp_repo::yaml::splice;
use ucp_repo::yaml::tree::{self, YamlNode};

/// Kinds that only distribute Secrets written by others.
pub const PASSING_ON: [&str; 3] = ["Syncer", "PushSecret", "Object"];

/// A claim or managed resource that is copied.
#[derive(Debug, Clone)]
pub struct CopiedClaim {
    /// The old and new name of the claim.
    pub name: Rename,
    /// The kind of the claim.
    pub kind: String,
    /// The old and new name of the connection Secret.
    pub secret: Option<Rename>,
    file: String,
    /// The new path of its file, if the file contains only the claim and does not have its name.
    new_file: Option<String>,
}

impl CopiedClaim {
    /// Returns the claim with a name.
    ///
    /// # Errors
    /// Fails when there is no such claim, or more than one.
    pub fn find(objects: &[DeclaredObject], name: &Rename, subject: &CopySubject) -> Result<Self> {
        let is_it = |object: &&DeclaredObject| object.name == name.old && subject.is_wanted(&object.file);
        let found: Vec<&DeclaredObject> = objects.iter().filter(is_it).collect();
        let is_connected = |object: &&DeclaredObject| secret_of(object).is_some();
        let connected: Vec<&DeclaredObject> = found.iter().copied().filter(is_connected).collect();
        let claims = if connected.is_empty() { found } else { connected };
        let claim = match claims.as_slice() {
            [one] => *one,
            [] => {
                let near = did_you_mean_name(&name.old, objects.iter().map(|object| object.name.as_str()));
                let told = format!("no file declares a claim or managed resource called {}{near}", name.old);
                return Err(Error::absent(told).hint("nothing was written"));
            }
            several => {
                let all: Vec<_> = several.iter().map(|object| format!("{} in {}", object.kind, object.file)).collect();
                let told = format!("{} matches several objects: {}", name.old, all.join(", "));
                return Err(Error::refused(told).hint("nothing was written"));
            }
        };
        let secret = secret_of(claim).map(|old| {
            let service = &subject.service;
            let new = replaced(old, &name.old, &name.new)
                .or_else(|| replaced(old, &service.old, &service.new))
                .unwrap_or_else(|| format!("{}-conn", name.new));
            Rename { old: old.to_owned(), new }
        });
        let with_it = CopySubject { database: Some(name.clone()), ..subject.clone() };
        let ending = claim.file.rsplit_once('.').map_or("yaml", |(_, ending)| ending);
        let is_elsewhere = claim.is_alone && with_it.counterpart(&claim.file).is_none();
        let new_file = is_elsewhere.then(|| path::inside(path::parent(&claim.file), &format!("{}.{ending}", name.new)));
        Ok(Self { name: name.clone(), kind: claim.kind.clone(), secret, file: claim.file.clone(), new_file })
    }

    /// Registers the new names of the claim, its Secret, and the objects that distribute it.
    pub fn register_names(&self, objects: &[DeclaredObject], names: &mut NewNames) {
        for rename in [Some(&self.name), self.secret.as_ref()].into_iter().flatten() {
            names.rename(&rename.old, &rename.new);
        }
        for object in objects.iter().filter(|object| self.is_distributed_by(object)) {
            if names.in_text(&object.name, &[]) == object.name {
                names.rename(&object.name, &format!("{}-{}", object.name, self.name.new));
            }
        }
    }

    /// Returns the new path of the claim's file, if it cannot be derived from its old path.
    pub fn file_for(&self, file: &str) -> Option<String> {
        self.new_file.clone().filter(|_| file == self.file)
    }

    /// Returns true if an object of a shared file is copied with the claim.
    pub fn is_copied(&self, object: &DeclaredObject) -> bool {
        let is_claim = object.file == self.file && object.kind == self.kind && object.name == self.name.old;
        is_claim || self.is_distributed_by(object)
    }

    /// Returns true if a document exists only to distribute the connection Secret.
    fn is_distributed_by(&self, object: &DeclaredObject) -> bool {
        let Some(secret) = &self.secret else { return false };
        object.kind != "Syncer"
            && PASSING_ON.contains(&object.kind.as_str())
            && object.document.walk().iter().any(|node| node.text() == Some(&secret.old))
    }

    /// Returns true if a text may refer to the claim.
    pub fn is_mentioned(&self, text: &str) -> bool {
        text.contains(&self.name.old) || self.secret.as_ref().is_some_and(|secret| text.contains(&secret.old))
    }

    /// Returns a text with an additional item for each one by which a Syncer distributes the connection Secret.
    ///
    /// # Errors
    /// Fails when the list has no obvious position for the item.
    pub fn with_items(&self, text: &str, terms: &CopyTerms<'_>) -> Result<String, Failure> {
        let Some(secret) = &self.secret else { return Ok(text.to_owned()) };
        let documents = tree::parse(text).unwrap_or_default();
        let mut splices = Vec::new();
        let mut counted = EntryCounts::default();
        for document in documents.iter().filter(|document| document.text_at("kind") == Some("Syncer")) {
            let Some(list) = document.get("spec").and_then(|spec| spec.get("data")) else { continue };
            let source = |item: &YamlNode| item.text_at("sourceName").unwrap_or_default().to_owned();
            let all: Vec<ListEntry> =
                list.items().iter().map(|item| ListEntry::item(text, item, &source(item))).collect();
            let is_flow = list.is_flow();
            let is_its = |item: &YamlNode| {
                let cluster = item.text_at("targetCluster").unwrap_or_default();
                item.text_at("sourceName") == Some(secret.old.as_str()) && terms.subject.is_wanted(cluster)
            };
            for (at, entry) in all.iter().enumerate().filter(|(at, _)| is_its(&list.items()[*at])) {
                let copy = terms.names.in_part(text, entry.place(text, is_flow), &[]);
                if !all.iter().any(|entry| entry.written(text, is_flow).trim() == copy.trim()) {
                    let splice = insert_copy(text, &all, at, is_flow, (&secret.new, &copy));
                    splices.push(splice?);
                    check_anchors([&list.items()[at]])?;
                    counted.count_added(list);
                }
            }
        }
        let after = splice::apply(text, &splices)?;
        if !splices.is_empty() {
            counted.check(text, &after)?;
        }
        Ok(after)
    }
}

fn secret_of(object: &DeclaredObject) -> Option<&str> {
    object.text(&["spec", "writeConnectionSecretToRef", "name"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::subject::subject;
    use ucp_repo::gitops::declared;

    const CORE: &str = "apiVersion: g/v1\nkind: Database\nmetadata: {name: quotes-db}\nspec:\n  writeConnectionSecretToRef: {name: gcp-database-conn}\n---\napiVersion: d/v1\nkind: Syncer\nmetadata: {name: s}\nspec:\n  data:\n    - sourceName: gcp-database-conn\n      targetCluster: gcp-k8s-prod\n    - sourceName: gcp-database-conn\n      targetCluster: gcp-k8s-stage\n";

    #[test]
    fn the_new_secret_is_distributed_like_that_of_the_original() {
        let objects = declared::in_text("db.yaml", CORE);
        let name = Rename { old: "quotes-db".into(), new: "orders-db".into() };
        let stage = subject(&["stage"]);
        let database = CopiedClaim::find(&objects, &name, &stage).unwrap();
        assert_eq!(database.secret.as_ref().unwrap().new, "orders-db-conn");
        let mut names = NewNames::default();
        database.register_names(&objects, &mut names);
        let skipped = Default::default();
        let terms = CopyTerms {
            subject: &stage,
            names: &names,
            image: None,
            skipped: &skipped,
            place: &|_| None,
            left: Default::default(),
        };
        let after = database.with_items(CORE, &terms).unwrap();
        assert_eq!(after, format!("{CORE}    - sourceName: orders-db-conn\n      targetCluster: gcp-k8s-stage\n"));
        assert_eq!(database.with_items(&after, &terms).unwrap(), after, "twice is once");
        let missing = Rename { old: "quotes-bd".into(), new: "x".into() };
        assert!(
            CopiedClaim::find(&objects, &missing, &stage).unwrap_err().message().contains("did you mean 'quotes-db'")
        );
    }
}
