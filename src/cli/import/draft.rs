//! The next step for each import target, as far as it is known without asking the server.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Args;
use super::facts::{ImportFacts, ImportTarget, is_same_or_twin};
use super::index::{IndexedManifest, ManifestIndex};
use crate::cli::writing::count;
use crate::report::import::{ImportItem, ImportStep};
use ucp_core::engine::crossplane::managed::has_unobserved_generation;
use ucp_core::failure::Failure;
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_features::import::address::object_name;
use ucp_features::import::identity::{ProviderConfigName, SoughtResource, represents};
use ucp_features::import::observe::{ObserveRequest, observe_manifest};
use ucp_features::import::own::{ControlMode, own_manifest};
use ucp_features::import::place::{ManifestLayout, UnreferencedFile};
use ucp_features::import::provider_config::{self, ProviderConfigChoice};
use ucp_features::import::takeover::ImportMethod;
use ucp_features::schema::SchemaNode;
use ucp_repo::gitops::declared::DeclaredObject;
use ucp_repo::yaml::ordered::OrderedValue;

/// The reason why a target cannot proceed.
#[derive(Debug)]
pub(super) enum ImportBlocker {
    /// The import is refused as requested.
    Refused(String),
    /// The state that is needed is not known.
    Unknown(String),
}

impl From<Failure> for ImportBlocker {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure.into())
    }
}

/// The next step for one target.
pub(super) enum ImportDraft<'a> {
    /// The server does not have to be asked. Contains a file that is missing from its kustomization, if there is one.
    Done(Option<UnreferencedFile>),
    /// A manifest that only observes.
    Begin { kind: &'a ResourceKind, takeover: ImportMethod, name: String, manifest: OrderedValue },
    /// A manifest that owns, in place of an existing one.
    Own {
        kind: &'a ResourceKind,
        takeover: ImportMethod,
        schema: SchemaNode<'a>,
        object: &'a DeclaredObject,
        live: &'a Value,
        manifest: OrderedValue,
        value: Value,
        /// True if Git declares all of it already.
        is_whole: bool,
    },
}

/// The inputs of drafts, and the drafts so far.
pub(super) struct ImportDrafter<'a> {
    pub(super) facts: &'a ImportFacts,
    pub(super) args: &'a Args,
    pub(super) index: &'a ManifestIndex<'a>,
    pub(super) layout: &'a ManifestLayout<'a>,
    pub(super) into: Option<&'a str>,
    /// Names that are in use, by kind and namespace.
    pub(super) names: BTreeSet<(String, Option<String>, String)>,
    /// Manifests that observe, with their names.
    pub(super) begun: Vec<(&'a ResourceKind, String, Value)>,
    /// Provider configs that were chosen automatically, and the kinds that they were chosen for.
    pub(super) guesses: BTreeMap<(Option<ProviderConfigName>, &'static str), BTreeSet<String>>,
}

impl<'a> ImportDrafter<'a> {
    /// Returns the next step for a target, and records its progress in the row.
    ///
    /// # Errors
    /// Returns the reason why the target cannot proceed.
    pub(super) fn draft(
        &mut self,
        target: &'a ImportTarget,
        item: &mut ImportItem,
    ) -> Result<ImportDraft<'a>, ImportBlocker> {
        let (kind, takeover) = target.kind.as_ref().map_err(Clone::clone)?;
        let (kind, takeover) = (kind.as_ref(), *takeover);
        let external = target.external.as_deref().unwrap_or_default();
        let schema =
            SchemaNode::new(self.facts.schema(kind).map_err(|failure| ImportBlocker::Unknown(failure.into()))?);
        let config = self.args.provider_config.as_deref().map(|asked| provider_config::parse_config_name(kind, asked));
        let sought = SoughtResource { kind, takeover, external, given: &self.args.set, config: config.as_ref() };
        let is_it = |resource: &&Resource| resource.whole.as_deref().is_some_and(|object| represents(sought, object));
        let found: Vec<&'a Resource> = self.facts.of_kind(kind).filter(is_it).collect();
        match found.as_slice() {
            [] => {
                // If the kind cannot be listed, the object may exist.
                if let Some(reason) = self.facts.unread_reason(kind) {
                    return Err(ImportBlocker::Unknown(reason));
                }
                match self.index.find_manifest(sought, None, self.into)? {
                    Some(manifest) => self.draft_waiting((kind, takeover), manifest, item),
                    None => self.draft_observing(target, (kind, sought), schema, item),
                }
            }
            [resource] => {
                item.object = Some(resource.name());
                if resource.kind.group != kind.group {
                    let reason = format!("an object of {} already manages it", resource.kind.qualified_plural());
                    return Err(ImportBlocker::Refused(reason));
                }
                let manifest = self.index.find_manifest(sought, Some(resource), self.into);
                self.draft_existing(resource, (kind, takeover), manifest, schema, item)
            }
            several => {
                let names: Vec<String> = several.iter().map(|resource| resource.name().to_string()).collect();
                let hint = match takeover {
                    ImportMethod::Crossplane => "select one with --provider-config, or see 'kubectl ucp conflicts'",
                    ImportMethod::Ack | ImportMethod::ConfigConnector => "see 'kubectl ucp conflicts'",
                };
                Err(ImportBlocker::Refused(format!("several objects manage it: {}; {hint}", names.join(", "))))
            }
        }
    }

    /// Handles an object that Git declares and that does not exist in the cluster yet.
    fn draft_waiting(
        &self,
        (kind, takeover): (&ResourceKind, ImportMethod),
        manifest: &IndexedManifest<'_>,
        item: &mut ImportItem,
    ) -> Result<ImportDraft<'a>, ImportBlocker> {
        let object = manifest.object;
        item.object = Some(ObjectName {
            api_version: object.api_version.clone(),
            kind: object.kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
        });
        item.file = Some(object.file.clone());
        if object.group() != kind.group {
            let reason = format!("{} already declares an object of {} for it", object.file, object.group());
            return Err(ImportBlocker::Refused(reason));
        }
        item.step = ImportStep::Waiting;
        // An earlier run left a file with one manifest that observes. A manifest that owns is deployed by its author.
        let is_ours =
            object.is_alone && ControlMode::of_object(takeover, kind, &manifest.value) == ControlMode::Observes;
        let forgotten = is_ours.then(|| self.layout.unreferenced_file(&object.file)).flatten();
        item.reason = Some(match &forgotten {
            Some(UnreferencedFile { file, kustomization }) => {
                format!("{file} declares it, but {kustomization} does not list that file: an entry is added")
            }
            None => "it is declared, but not in the cluster yet".to_owned(),
        });
        Ok(ImportDraft::Done(forgotten))
    }

    /// Drafts a manifest that only observes.
    fn draft_observing(
        &mut self,
        target: &ImportTarget,
        (kind, sought): (&'a ResourceKind, SoughtResource<'_>),
        schema: SchemaNode<'_>,
        item: &mut ImportItem,
    ) -> Result<ImportDraft<'a>, ImportBlocker> {
        let SoughtResource { takeover, external, .. } = sought;
        let is_begun = |(begun, _, value): &&(&ResourceKind, String, Value)| {
            is_same_or_twin(kind, (&begun.group, &begun.kind)) && represents(sought, value)
        };
        if let Some((_, name, _)) = self.begun.iter().find(is_begun) {
            return Err(ImportBlocker::Refused(format!("it is requested twice: {name} observes it")));
        }
        let namespace = (kind.scope == ResourceScope::Namespaced).then(|| self.facts.namespace()).transpose()?;
        let name = match &target.name {
            Some(name) if self.is_taken(kind, namespace.as_ref(), name) => {
                return Err(ImportBlocker::Refused(format!("{name} is already the name of another object")));
            }
            Some(name) => name.clone(),
            None => self.free_name(kind, namespace.as_ref(), &object_name(external)),
        };
        item.object = Some(ObjectName::in_kind(kind, namespace.as_deref(), &name));
        let choice = match (sought.config, takeover) {
            (Some(config), ImportMethod::Crossplane) => {
                ProviderConfigChoice { config: Some(config.clone()), guessed: None }
            }
            (None, ImportMethod::Crossplane) => {
                provider_config::choose_config(&self.facts.state, kind, namespace.as_deref())?
            }
            (_, ImportMethod::Ack | ImportMethod::ConfigConnector) => {
                ProviderConfigChoice { config: None, guessed: None }
            }
        };
        let wish = ObserveRequest {
            kind,
            takeover,
            name: &name,
            namespace: namespace.as_deref(),
            external,
            config: choice.config.as_ref(),
            given: &self.args.set,
        };
        let manifest = observe_manifest(&wish, schema)?;
        if let Some(why) = choice.guessed {
            self.guesses.entry((choice.config, why)).or_default().insert(kind.kind.clone());
        }
        self.names.insert((kind.qualified_plural(), namespace, name.clone()));
        self.begun.push((kind, name.clone(), manifest.to_value()));
        Ok(ImportDraft::Begin { kind, takeover, name, manifest })
    }

    /// Returns the next step for an object that exists in the cluster.
    fn draft_existing(
        &self,
        resource: &'a Resource,
        (kind, takeover): (&'a ResourceKind, ImportMethod),
        manifest: Result<Option<&'a IndexedManifest<'a>>, Failure>,
        schema: SchemaNode<'a>,
        item: &mut ImportItem,
    ) -> Result<ImportDraft<'a>, ImportBlocker> {
        let live =
            resource.whole.as_deref().ok_or_else(|| ImportBlocker::Unknown("it was not read completely".to_owned()))?;
        if ControlMode::of_object(takeover, kind, live) == ControlMode::Owns {
            item.step = ImportStep::Owned;
            return Ok(ImportDraft::Done(None));
        }
        let Some(IndexedManifest { object, value }) = manifest? else {
            let reason = "no file of this repository declares it in this form, so no file can be changed";
            return Err(ImportBlocker::Refused(reason.to_owned()));
        };
        item.file = Some(object.file.clone());
        let waits = match ControlMode::of_object(takeover, kind, value) {
            ControlMode::Owns => Some("its manifest already owns it, but is not deployed yet".to_owned()),
            ControlMode::Observes | ControlMode::ByDeclaration => unready_reason(resource),
        };
        if let Some(reason) = waits {
            item.step = ImportStep::Waiting;
            item.reason = Some(reason);
            return Ok(ImportDraft::Done(None));
        }
        // Fields may have other names and types in another version.
        if object.api_version != kind.api_version() {
            let (file, theirs) = (&object.file, kind.api_version());
            let reason = format!(
                "{file} has it as {}, but it was read as {theirs}: change the file to {theirs} first",
                object.api_version
            );
            return Err(ImportBlocker::Refused(reason));
        }
        let manifest = own_manifest(takeover, value, live, schema)?;
        let owned = manifest.to_value();
        let is_whole = owned.get("spec") == value.get("spec")
            && ControlMode::of_object(takeover, kind, value) == ControlMode::ByDeclaration;
        Ok(ImportDraft::Own { kind, takeover, schema, object, live, manifest, value: owned, is_whole })
    }

    fn is_taken(&self, kind: &ResourceKind, namespace: Option<&String>, name: &str) -> bool {
        let in_cluster = self.facts.of_kind(kind).any(|resource| {
            resource.kind.group == kind.group
                && resource.metadata.name == name
                && resource.metadata.namespace.as_ref() == namespace
        });
        in_cluster
            || self.index.has((&kind.group, &kind.kind), namespace.map(String::as_str), name)
            || self.names.contains(&(kind.qualified_plural(), namespace.cloned(), name.to_owned()))
    }

    /// Returns a name that no object of this kind has yet.
    fn free_name(&self, kind: &ResourceKind, namespace: Option<&String>, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.is_taken(kind, namespace, name)).unwrap_or_else(|| name.to_owned())
    }

    /// Returns warnings about provider configs that were chosen automatically.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.guesses.iter().map(|((config, why), kinds)| {
            let kinds = match kinds.iter().collect::<Vec<_>>().as_slice() {
                [one] => (*one).clone(),
                kinds => count(kinds.len(), "kind"),
            };
            let config = config.as_ref().map_or_else(|| "default".to_owned(), |config| config.name.clone());
            format!(
                "{kinds}: using provider config {config:?}, because {why}; select another with --provider-config NAME"
            )
        })
    }
}

/// Returns the reason why the observed state is not reliable; `None` if it is. The condition types depend on the
/// engine.
fn unready_reason(resource: &Resource) -> Option<String> {
    let conditions = resource.conditions.as_slice();
    let told = |kind: &str| {
        let found = resource.conditions.iter().find(|condition| condition.kind == kind)?;
        let message = if found.message.is_empty() { String::new() } else { format!(": {}", found.message) };
        Some(format!("{kind} is {} ({}){message}", found.status.as_str(), found.reason))
    };
    if resource.metadata.deletion_timestamp.is_some() {
        return Some("it is being deleted".to_owned());
    }
    if conditions.with_status("Synced", ConditionStatus::False).is_some() {
        return told("Synced");
    }
    let is_ready = conditions.with_status("Ready", ConditionStatus::True).is_some()
        || conditions.with_status("ACK.ResourceSynced", ConditionStatus::True).is_some();
    if !is_ready {
        return Some(
            told("Ready").or_else(|| told("ACK.ResourceSynced")).unwrap_or_else(|| "it is not Ready yet".to_owned()),
        );
    }
    has_unobserved_generation(resource)
        .then(|| "its provider has not observed the latest change of the spec".to_owned())
}
