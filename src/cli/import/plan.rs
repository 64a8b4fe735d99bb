//! From what is asked for, what the cluster has and what Git declares, to files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::anyhow;
use serde_json::Value;

use super::Args;
use super::facts::{Facts, Target};
use super::prediction::{self, Stop};
use crate::error::{Error, Result};
use crate::gitops::declared::{self, DeclaredObject};
use crate::gitops::files::FileEdit;
use crate::gitops::path;
use crate::gitops::repository::Repository;
use crate::import::address::{external_name, object_name};
use crate::import::identity::stands_for;
use crate::import::observe::{ConfigName, Wish, observe};
use crate::import::own::{only_observes, own};
use crate::import::place::{Layout, NewManifest};
use crate::import::provider_config;
use crate::import::schema::Schema;
use crate::import::takeover::Takeover;
use crate::model::condition::{Conditions as _, Truth};
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::secrecy::{Hider, scrub};
use crate::render::yaml;
use crate::report::import::{ImportDifference, ImportItem, ImportPlan, ImportStep};

/// The plan for the files below a directory.
pub(super) fn plan(facts: &Facts, args: &Args, top: &Path, name: &str) -> Result<ImportPlan> {
    let repository = Repository::read(top, name)?;
    let objects = declared::objects(&repository);
    let layout = Layout::new(&repository, &objects, &facts.managed);
    let hider = Hider::new().map_err(|reason| Error::failed(anyhow!(reason)))?;
    let mut planner = Planner {
        facts,
        args,
        repository: &repository,
        objects: &objects,
        hider,
        names: BTreeSet::new(),
        new: Vec::new(),
        edits: Vec::new(),
    };
    let mut items: Vec<(ImportItem, Option<usize>)> = facts.targets.iter().map(|target| planner.item(target)).collect();
    let Planner { new, mut edits, .. } = planner;
    let into = args.into.as_deref().map(|directory| inside(&repository, directory)).transpose()?;
    let prints_only = args.publish.consent.dry_run;
    match layout.add(&new, into.as_deref()) {
        Ok((paths, added)) => {
            for (item, position) in &mut items {
                item.file = position.and_then(|position| paths.get(position).cloned()).or(item.file.take());
            }
            edits.extend(added);
        }
        // Without files they can be printed all the same.
        Err(reason) if prints_only => drop(reason),
        Err(reason) => return Err(Error::usage(reason)),
    }
    let mut plan = ImportPlan::new(facts.state.origin.clone());
    plan.items = items.into_iter().map(|(item, _)| item).collect();
    plan.items
        .sort_by_cached_key(|item| (item.step, item.object.clone(), item.asked.clone(), item.external_name.clone()));
    plan.unreadable.clone_from(&facts.state.unreadable);
    edits.sort_by(|left, right| left.path.cmp(&right.path));
    plan.files = edits;
    let connector = plan.items.iter().filter(|item| item.step == ImportStep::Observe);
    let connector = connector
        .filter_map(|item| item.object.as_ref())
        .any(|object| object.group().ends_with("cnrm.cloud.google.com"));
    if connector {
        plan.warnings
            .push("Config Connector cannot only observe: it corrects what its manifest declares otherwise".to_owned());
    }
    Ok(plan)
}

/// A directory of the repository.
fn inside(repository: &Repository, directory: &str) -> Result<String> {
    let wrong = |why: &str| Error::usage(format!("--into {directory}: {why}"));
    let clean = path::join("", directory).ok_or_else(|| wrong("it is not inside of the repository"))?;
    let mut existing = clean.as_str();
    while !existing.is_empty() && !repository.top.join(existing).exists() {
        existing = path::parent(existing);
    }
    repository.inside(existing).map_err(|_| wrong("it leads out of the repository"))?;
    match repository.top.join(&clean).is_file() {
        true => Err(wrong("it is a file")),
        false => Ok(clean),
    }
}

/// A manifest that takes the place of one in a file.
struct Replaced<'a> {
    object: &'a DeclaredObject,
    text: String,
}

struct Planner<'a> {
    facts: &'a Facts,
    args: &'a Args,
    repository: &'a Repository,
    objects: &'a [DeclaredObject],
    hider: Hider,
    /// Names that are taken, by kind and namespace.
    names: BTreeSet<(String, Option<String>, String)>,
    new: Vec<NewManifest>,
    edits: Vec<FileEdit>,
}

impl<'a> Planner<'a> {
    /// The row of a target, and the position of its manifest among the new ones.
    fn item(&mut self, target: &Target) -> (ImportItem, Option<usize>) {
        let mut item = ImportItem {
            object: None,
            asked: target.asked.clone(),
            external_name: target.external.clone(),
            step: ImportStep::Refused,
            reason: None,
            file: None,
            differences: Vec::new(),
            manifest: None,
        };
        let position = self.fill(target, &mut item).unwrap_or_else(|stop| {
            let (step, reason) = match stop {
                Stop::Refused(reason) => (ImportStep::Refused, reason),
                Stop::Unknown(reason) => (ImportStep::Waiting, reason),
            };
            item.step = step;
            item.reason = Some(scrub(&reason).into_owned());
            None
        });
        (item, position)
    }

    fn fill(&mut self, target: &Target, item: &mut ImportItem) -> std::result::Result<Option<usize>, Stop> {
        let (kind, takeover) = target.kind.as_ref().map_err(Clone::clone)?;
        let takeover = *takeover;
        let external = target.external.as_deref().unwrap_or_default();
        let schema = Schema::new(self.facts.schema(kind).map_err(Stop::Unknown)?);
        let given = &self.args.set;
        let is_it = |resource: &&Resource| {
            resource.whole.as_deref().is_some_and(|object| stands_for(takeover, object, external, given))
        };
        let found: Vec<&Resource> = self.facts.of_kind(kind).filter(is_it).collect();
        let in_git = self.in_git(kind, takeover, external);
        match found.as_slice() {
            [] => match in_git {
                Some(object) => {
                    item.object = Some(name_of(object));
                    item.step = ImportStep::Waiting;
                    item.reason = Some(format!("{} declares it, and it is not in the cluster yet", object.file));
                    item.file = Some(object.file.clone());
                    Ok(None)
                }
                None => self.begin(target, (kind, takeover), external, schema, item).map(Some),
            },
            [resource] => self.go_on(resource, (kind, takeover), in_git, schema, item).map(|()| None),
            several => {
                let names: Vec<String> = several.iter().map(|resource| resource.name().to_string()).collect();
                Err(Stop::Refused(format!(
                    "several objects stand for it: {}; see 'kubectl ucp conflicts'",
                    names.join(", ")
                )))
            }
        }
    }

    /// The manifest in Git that stands for it.
    fn in_git(&self, kind: &ResourceKind, takeover: Takeover, external: &str) -> Option<&'a DeclaredObject> {
        let of_kind = |object: &&DeclaredObject| object.group() == kind.group && object.kind == kind.kind;
        let mut objects = self.objects.iter().filter(of_kind);
        objects.find(|object| {
            self.value(object).is_some_and(|value| stands_for(takeover, &value, external, &self.args.set))
        })
    }

    /// The document of an object in Git.
    fn value(&self, object: &DeclaredObject) -> Option<Value> {
        let text = self.repository.read_text(&object.file).ok()?;
        serde_saphyr::from_str(text.get(object.span.clone())?).ok()
    }

    /// The manifest that only observes.
    fn begin(
        &mut self,
        target: &Target,
        (kind, takeover): (&ResourceKind, Takeover),
        external: &str,
        schema: Schema<'_>,
        item: &mut ImportItem,
    ) -> std::result::Result<usize, Stop> {
        let namespace = (kind.scope == Scope::Namespaced).then(|| self.facts.namespace()).transpose()?;
        let name = match &target.name {
            Some(name) if self.is_taken(kind, namespace.as_ref(), name) => {
                return Err(Stop::Refused(format!("{name} is the name of something else")));
            }
            Some(name) => name.clone(),
            None => self.free_name(kind, namespace.as_ref(), &object_name(external)),
        };
        item.object = Some(ObjectName {
            api_version: kind.api_version(),
            kind: kind.kind.clone(),
            namespace: namespace.clone(),
            name: name.clone(),
        });
        let config: Option<ConfigName> = match takeover {
            Takeover::Crossplane => provider_config::choose(
                &self.facts.state,
                kind,
                namespace.as_deref(),
                self.args.provider_config.as_deref(),
            )?,
            Takeover::Ack | Takeover::ConfigConnector => None,
        };
        let wish = Wish {
            kind,
            takeover,
            name: &name,
            namespace: namespace.as_deref(),
            external,
            config: config.as_ref(),
            given: &self.args.set,
        };
        let manifest = observe(&wish, schema)?;
        prediction::is_taken(self.facts, kind, &manifest.to_value())?;
        let text = yaml(&manifest).map_err(|error| error.report())?;
        self.names.insert((kind.qualified_plural(), namespace, name.clone()));
        self.new.push(NewManifest { kind: kind.clone(), name, text });
        item.step = ImportStep::Observe;
        item.external_name = Some(external_name(external).to_owned());
        item.manifest = Some(manifest);
        Ok(self.new.len() - 1)
    }

    /// What comes next of an object that is in the cluster.
    fn go_on(
        &mut self,
        resource: &Resource,
        (kind, takeover): (&ResourceKind, Takeover),
        in_git: Option<&'a DeclaredObject>,
        schema: Schema<'_>,
        item: &mut ImportItem,
    ) -> std::result::Result<(), Stop> {
        item.object = Some(resource.name());
        let live = resource.whole.as_deref().ok_or_else(|| Stop::Unknown("it was not read as a whole".to_owned()))?;
        if !only_observes(takeover, live) {
            item.step = ImportStep::Owned;
            return Ok(());
        }
        let git = in_git.or_else(|| self.named_in_git(resource));
        let Some(git) = git else {
            item.reason = Some("no file of this repository declares it as it is, so none can be changed".to_owned());
            return Ok(());
        };
        item.file = Some(git.file.clone());
        let manifest = self.value(git).ok_or_else(|| format!("{} cannot be read", git.file))?;
        if !only_observes(takeover, &manifest) {
            item.step = ImportStep::Waiting;
            item.reason = Some(format!("{} owns it, and that is not deployed yet", git.file));
            return Ok(());
        }
        if let Some(reason) = not_ready(resource) {
            item.step = ImportStep::Waiting;
            item.reason = Some(scrub(&reason).into_owned());
            return Ok(());
        }
        let owned = own(takeover, &manifest, live, schema)?;
        let differences = prediction::would_change(self.facts, (kind, takeover), &owned.to_value(), live, schema)?;
        let accepted = |path: &crate::model::path::Path| self.args.accept.iter().any(|pattern| pattern.covers(path));
        let (_, left): (Vec<_>, Vec<_>) = differences.into_iter().partition(|found| accepted(&found.path));
        if !left.is_empty() {
            item.step = ImportStep::Differs;
            item.reason = Some(format!("{} would change outside: it stays observed", fields(left.len())));
            let hider = &mut self.hider;
            item.differences = left.into_iter().map(|found| ImportDifference::of(found, hider)).collect();
            return Ok(());
        }
        let text = yaml(&owned).map_err(|error| error.report())?;
        self.replace(&Replaced { object: git, text })?;
        item.step = ImportStep::Own;
        item.manifest = Some(owned);
        Ok(())
    }

    /// The manifest in Git of this name.
    fn named_in_git(&self, resource: &Resource) -> Option<&'a DeclaredObject> {
        let (kind, metadata) = (&resource.kind, &resource.metadata);
        self.objects.iter().find(|object| {
            object.group() == kind.group
                && object.kind == kind.kind
                && object.name == metadata.name
                && (object.namespace.is_none() || object.namespace == metadata.namespace)
        })
    }

    /// Puts a manifest in the place of one in its file. Others of the file may have been replaced before.
    fn replace(&mut self, replaced: &Replaced<'_>) -> std::result::Result<(), String> {
        let Replaced { object, text } = replaced;
        let position = self.edits.iter().position(|edit| edit.path == object.file);
        let before = match position {
            Some(position) => self.edits[position].after.clone(),
            None => self.repository.read_text(&object.file).map_err(|error| error.report())?,
        };
        let now = declared::in_text(&object.file, &before);
        let is_it = |other: &&DeclaredObject| {
            (&other.api_version, &other.kind, &other.namespace, &other.name)
                == (&object.api_version, &object.kind, &object.namespace, &object.name)
        };
        let found = now.iter().find(is_it).ok_or_else(|| format!("{} cannot be edited", object.file))?;
        if before[found.span.clone()].contains('{') && found.document.is_flow() {
            return Err(format!("{} is written as JSON, and is not edited", object.file));
        }
        let newline = crate::yaml::insert::newline(&before);
        let text = text.trim_end().replace('\n', newline);
        let after = format!("{}{text}{}", &before[..found.span.start], &before[found.span.end..]);
        match position {
            Some(position) => self.edits[position].after = after,
            None => self.edits.push(FileEdit { path: object.file.clone(), before: Some(before), after }),
        }
        Ok(())
    }

    fn is_taken(&self, kind: &ResourceKind, namespace: Option<&String>, name: &str) -> bool {
        let in_git = self.objects.iter().any(|object| {
            object.group() == kind.group
                && object.kind == kind.kind
                && object.name == name
                && (namespace.is_none() || object.namespace.as_ref() == namespace)
        });
        let in_cluster = self
            .facts
            .of_kind(kind)
            .any(|resource| resource.metadata.name == name && resource.metadata.namespace.as_ref() == namespace);
        in_git || in_cluster || self.names.contains(&(kind.qualified_plural(), namespace.cloned(), name.to_owned()))
    }

    /// A name that nothing of this kind has yet.
    fn free_name(&self, kind: &ResourceKind, namespace: Option<&String>, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.is_taken(kind, namespace, name)).unwrap_or_else(|| name.to_owned())
    }
}

fn name_of(object: &DeclaredObject) -> ObjectName {
    ObjectName {
        api_version: object.api_version.clone(),
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}

/// `1 field`, `2 fields`.
fn fields(number: usize) -> String {
    if number == 1 { "1 field".to_owned() } else { format!("{number} fields") }
}

/// Why what was observed cannot be relied upon; none where it can. Engines have different words for it.
fn not_ready(resource: &Resource) -> Option<String> {
    let conditions = resource.conditions.as_slice();
    let told = |kind: &str| {
        let found = resource.conditions.iter().find(|condition| condition.kind == kind)?;
        Some(format!("{kind} is {}: {} {}", found.status.as_str(), found.reason, found.message))
    };
    if conditions.when("Synced", Truth::False).is_some() {
        return told("Synced");
    }
    let is_ready =
        conditions.when("Ready", Truth::True).is_some() || conditions.when("ACK.ResourceSynced", Truth::True).is_some();
    if !is_ready {
        return Some(
            told("Ready").or_else(|| told("ACK.ResourceSynced")).unwrap_or_else(|| "it is not Ready yet".to_owned()),
        );
    }
    let seen = resource.conditions.iter().filter_map(|condition| condition.observed_generation).min();
    let current = resource.metadata.generation;
    (seen.is_some() && seen < current).then(|| "its provider has not observed the latest change of the spec".to_owned())
}
