//! A repository to copy in: the files and names that belong to the service.

use std::collections::BTreeSet;

use super::database::CopiedClaim;
use super::documents;
use super::join::secrets_of;
use super::names::{NewNames, around};
use super::subject::CopySubject;
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::gitops::repository::Repository;
use ucp_repo::yaml::tree::{self, YamlNode};

/// A repository to copy in.
#[derive(Debug)]
pub struct CopySource<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The objects that its files declare.
    pub objects: &'a [DeclaredObject],
    /// The service to copy.
    pub subject: &'a CopySubject,
    /// The claim to copy, with the objects that distribute its Secret.
    pub database: Option<&'a CopiedClaim>,
}

impl CopySource<'_> {
    /// Returns the new path of a file, for any environment; `None` for files of other services.
    pub(super) fn counterpart(&self, file: &str) -> Option<String> {
        let database = self.database.and_then(|database| database.file_for(file));
        database.or_else(|| self.subject.counterpart(file)).or_else(|| self.counterpart_of_declared_kinds(file))
    }

    /// Returns the new path of a file whose name consists of the service's name and the kinds that it declares.
    fn counterpart_of_declared_kinds(&self, file: &str) -> Option<String> {
        let old = &self.subject.service.old;
        if !file.rsplit('/').next().is_some_and(|name| name.contains(old.as_str())) {
            return None;
        }
        let declared = self.objects.iter().filter(|object| object.file == file);
        let kinds: Vec<&str> =
            declared.filter(|object| around(&object.name, old).is_some()).map(|object| object.kind.as_str()).collect();
        self.subject.counterpart_of_kinds(file, &kinds)
    }

    pub(super) fn new_path(&self, file: &str) -> Option<String> {
        self.counterpart(file).filter(|_| self.subject.is_wanted(file))
    }

    /// Returns the objects of shared files that are copied as documents.
    pub(super) fn documents(&self) -> impl Iterator<Item = &DeclaredObject> {
        self.objects.iter().filter(|object| self.is_document(object))
    }

    fn is_document(&self, object: &DeclaredObject) -> bool {
        self.counterpart(&object.file).is_none()
            && (documents::belongs_to_service(object, self.subject)
                || self.database.is_some_and(|database| database.is_copied(object)))
    }

    /// Returns the names that the service declares or is deployed into. They are renamed, even if other files mention
    /// them.
    pub fn own_names(&self) -> BTreeSet<String> {
        const INTO: [&[&str]; 3] =
            [&["metadata", "namespace"], &["spec", "destination", "namespace"], &["spec", "targetNamespace"]];
        let copied: Vec<&DeclaredObject> = self.objects.iter().filter(|object| self.is_copied(object)).collect();
        let mut own: BTreeSet<String> = copied.iter().map(|object| object.name.clone()).collect();
        for (object, value) in declared::values(self.repository, copied) {
            own.extend(INTO.iter().filter_map(|way| object.text(way)).map(str::to_owned));
            own.extend(secrets_of(&value).into_iter().map(|(_, name)| name.to_owned()));
        }
        for root in self.kustomizations(&|file| self.counterpart(file).is_some()) {
            own.extend(root.text_at("namespace").map(str::to_owned));
            own.extend(generated(&root).map(str::to_owned));
        }
        own
    }

    /// Registers the mount paths of volumes in copied objects.
    pub fn register_mounts(&self, names: &mut NewNames) {
        for object in self.objects.iter().filter(|object| self.is_copied(object)) {
            object
                .document
                .walk()
                .iter()
                .filter_map(|node| node.text_at("mountPath"))
                .for_each(|path| names.mount(path));
        }
    }

    /// Registers the names that remain: those of everything that is not copied, except the service's own.
    pub fn register_kept_names(&self, own: &BTreeSet<String>, names: &mut NewNames) {
        let mut keep = |name: &str| {
            if !own.contains(name) {
                names.keep(name);
            }
        };
        for object in self.objects.iter().filter(|object| !self.is_copied(object)) {
            keep(&object.name);
            // A project contains the permissions of others.
            if object.kind == "AppProject" {
                continue;
            }
            for node in object.document.walk() {
                for key in ["sourceName", "namespace", "remoteKey", "secretName"] {
                    node.text_at(key).into_iter().for_each(&mut keep);
                }
                let secret = node.get("writeConnectionSecretToRef").and_then(|secret| secret.text_at("name"));
                secret.into_iter().for_each(&mut keep);
            }
        }
        for root in self.kustomizations(&|file| self.counterpart(file).is_none()) {
            generated(&root).for_each(&mut keep);
        }
        self.subject.others.iter().for_each(|name| names.keep(name));
    }

    fn is_copied(&self, object: &DeclaredObject) -> bool {
        self.counterpart(&object.file).is_some() || self.is_document(object)
    }

    /// Returns the root nodes of some kustomizations.
    fn kustomizations(&self, is_one: &dyn Fn(&str) -> bool) -> Vec<YamlNode> {
        let files = self.repository.kustomizations.values().map(|one| one.file.as_str()).filter(|file| is_one(file));
        files.filter_map(|file| tree::parse_one(&self.repository.read_text(file).ok()?).ok()).collect()
    }
}

/// Returns the names that the generators of a kustomization declare.
fn generated(root: &YamlNode) -> impl Iterator<Item = &str> {
    let lists = ["configMapGenerator", "secretGenerator"].into_iter().filter_map(|list| root.get(list));
    lists.flat_map(YamlNode::items).filter_map(|item| item.text_at("name"))
}
