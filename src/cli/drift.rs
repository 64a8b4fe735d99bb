//! `kubectl ucp drift`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Context;
use crate::cli::app_clusters::EngineNamespaceArgs;
use crate::cli::asked::{ObjectChoice, RequestedObjects};
use crate::cli::comparison::{ComparedCheckout, ComparisonArgs};
use crate::cli::external_diff;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector, Several, Snapshot};
use crate::cli::spec::{
    COMPARISON, CommandSpec, ENGINE_NAMESPACES, PLAN_ROLES, ToolSpec, always, only_with, with_flag,
};
use crate::cli::working_copy;
use crate::complete::CompletionValues;
use crate::render::drift::DriftView;
use crate::render::{OutputFormat, diff};
use crate::report::drift::DriftReport;
use crate::report::sources::without_sources as unmarked_entries;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::engine;
use ucp_core::engine::controller;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::outage::Controllers;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::did_you_mean_name;
use ucp_core::model::object::ObjectName;
use ucp_core::model::path::FieldPattern;
use ucp_core::model::pattern::ObjectPattern;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::drift::markers::ImageAutomations;
use ucp_features::drift::{DriftChoice, DriftLayer, LayerFindings, external, gitops, markers, orphans, repository};
use ucp_features::plan::examine::ComparisonPurpose;
use ucp_repo::gitops::markers::marked_lines;
use ucp_repo::gitops::repository::Repository;

/// Show differences between declared, live and external state
///
/// Compares three layers: managed resources with the external resources that their providers observe; Git with the
/// cluster, as Argo CD and Flux report it or, with --repo, from a checkout; and with --orphans, the objects of the
/// cluster with everything that declares or owns them.
///
/// Lines with + show the declared state, lines with - the actual state. Exits with 0 if nothing differs, with 1 if
/// something differs or may differ, and with 4 if no difference was found but not everything could be checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp drift
  kubectl ucp drift bucket.s3 nodepool/gcp-k8s-np-prod
  kubectl ucp drift aws-database
  kubectl ucp drift application/aws-database --certain
  kubectl ucp drift --repo .
  kubectl ucp drift --contexts core-eu,core-us
  kubectl ucp drift --orphans --ignore 'configmap/*-cache'
  kubectl ucp drift --ignore-path spec.forProvider.tags.lastScan
  KUBECTL_EXTERNAL_DIFF='diff -u -N' kubectl ucp drift")]
pub(super) struct Args {
    /// Only these kinds or objects, as KIND, KIND NAME, KIND/NAME or NAME; an Application also selects the objects that it
    /// deploys
    #[arg(value_name = "KIND[/NAME]")]
    kinds: Vec<String>,
    /// Also look for objects that nothing declares or owns
    #[arg(long)]
    orphans: bool,
    /// Do not report these as orphans: KIND or KIND/NAME, where * matches any text; namespace/NAME ignores all objects
    /// in a namespace
    #[arg(long, value_name = "KIND[/NAME]", requires = "orphans", hide_short_help = true)]
    ignore: Vec<ObjectPattern>,
    /// Compare with this repository, rendered and dry-run on the clusters, instead of what the engines report: a
    /// directory, or a URL to clone
    #[arg(long, value_name = "PATH|URL")]
    repo: Option<String>,
    #[command(flatten)]
    comparison: ComparisonArgs,
    #[command(flatten)]
    namespaces: EngineNamespaceArgs,
    /// Ignore these fields and everything below them, such as spec.forProvider.tags.* or spec.rules[*].id
    #[arg(long, value_name = "PATH")]
    ignore_path: Vec<FieldPattern>,
    /// Show certain differences only, not two possible spellings of one value
    #[arg(long)]
    certain: bool,
    /// Lines of context around a change
    #[arg(long, value_name = "NUMBER", default_value_t = diff::CONTEXT, hide_short_help = true)]
    context_lines: usize,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[only_with(COMPARISON, &["repo"]), only_with(ENGINE_NAMESPACES, &["repo"])],
    roles: &[
        always(&["kubectl-ucp-drift"]),
        with_flag("orphans", &["kubectl-ucp-drift-orphans"]),
        with_flag("repo", PLAN_ROLES),
    ],
    reads_crossplane: true,
    completions: &[("ignore", CompletionValues::KindsAndObjects), ("kinds", CompletionValues::KindsAndObjects)],
    tool: Some(ToolSpec::new::<DriftReport>(
        5,
        &["kinds", "certain", "orphans", "ignore", "ignore_path", "namespace", "selector"],
    )),
    ..CommandSpec::new("drift", &[Cluster, Snapshot, Several, Namespace, Selector, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.repo.is_some() {
        context.needs_one_source("--repo")?;
    }
    let report = context.combine_sources(|context| compare(context, args))?;
    show(context, &report, args.context_lines)?;
    context.hint_at_rights(&report.unreadable);
    Ok(Outcome::from_evidence(report.has_differences(), report.evidence()))
}

/// Returns the differences in one core cluster and in everything that it manages.
pub(super) fn compare(context: &Context, args: &Args) -> Result<DriftReport> {
    let selector: LabelSelector =
        context.globals.scope.selector.as_deref().unwrap_or_default().parse().map_err(Error::usage)?;
    let namespace = context.globals.scope.namespace.as_deref();
    // The owner of an object may be in another namespace.
    let read_in = if args.orphans { None } else { namespace };
    // An orphan may be deleted because of this answer.
    let denied = if args.orphans { DeniedDefinition::Unknown } else { DeniedDefinition::Absent };
    let mut asked = RequestedObjects::parse(&args.kinds);
    let mut state = context.read_established(read_in, &|kind| want(kind, &asked, args), denied)?;
    if let Some(wide) = asked.for_names(known_kinds(&state).iter().map(AsRef::as_ref)) {
        state = context.read_established(read_in, &|kind| want(kind, &wide, args), denied)?;
        let names = known_names(&state);
        asked = wide.with_kinds_of_names(names.iter().map(|(kind, name)| (kind, name.as_str())));
    }
    let names = known_names(&state);
    // Only events show that two controllers overwrite each other's changes.
    for entry in state.unreadable.iter().filter(|entry| entry.what == "events") {
        context
            .ui
            .warn(&format!("conflicts between controllers may not be detected: {}: {}", entry.what, entry.reason));
    }

    let chosen = DriftSelection {
        kinds: kinds_by_name(&state),
        labels: labels(&state, &selector),
        namespace,
        named: asked.resolve(known_kinds(&state).iter().map(AsRef::as_ref), |choice| {
            names.iter().any(|(kind, name)| choice.includes(kind, name))
        }),
    };
    chosen.check_kinds(&state)?;
    chosen.check_names(&state, &names).map_err(|error| {
        context.with_namespaces_elsewhere(error, &|kind| want(kind, &asked, args), |resource| {
            chosen
                .named
                .iter()
                .any(|choice| choice.exact_name().is_some() && choice.includes(&resource.kind, &resource.metadata.name))
        })
    })?;
    let is_chosen = |object: &ObjectName, manager: Option<&ObjectName>| chosen.has(object, manager);
    let controllers = Controllers::from_state(&state);
    let by_git = match &args.repo {
        Some(repository) => {
            // Compares below a directory that is named, and all of a clone.
            let clone = match Path::new(repository).is_dir() {
                true => None,
                false => Some(working_copy::RepositoryArgs::open_named(&context.ui, repository)?),
            };
            let path = clone.as_ref().map_or_else(|| PathBuf::from(repository), |clone| clone.top.clone());
            let opened = ComparedCheckout::open(
                context,
                &args.comparison,
                args.namespaces.clone(),
                std::slice::from_ref(&path),
            )?;
            let compared =
                opened.compare(&state, None, &opened.checkout.working_tree(), (ComparisonPurpose::Drift, None))?;
            let known = repository::compared_deployments(&compared);
            let is_open = |object: &ObjectName, manager: Option<&ObjectName>| {
                let is_known = known.contains(object) || manager.is_some_and(|manager| known.contains(manager));
                !is_known && is_chosen(object, manager)
            };
            let mut findings = gitops::gitops_findings(&state, &controllers, &is_open);
            findings.extend(repository::repository_findings(compared, &state, &controllers, &is_chosen));
            findings.extend(unmarked(&opened, &state, &findings, &is_chosen)?);
            findings
        }
        None => gitops::gitops_findings(&state, &controllers, &is_chosen),
    };
    let mut layers = vec![
        (DriftLayer::External, external::findings(&state, &controllers, &is_chosen)),
        (DriftLayer::Gitops, by_git),
    ];
    if args.orphans {
        layers.push((DriftLayer::Orphan, orphans::orphan_findings(&state, &args.ignore, &is_chosen)));
    }
    for (_, findings) in &mut layers {
        findings.ignore_paths(&args.ignore_path);
        findings.drifts.retain(|drift| drift.certainty != Certainty::Suspected || !args.certain);
    }
    let hider = SecretHider::new()?;
    let mut report = DriftReport::from_layers(&state, layers, hider);
    report.unreadable.extend(unmarked_entries(context.nothing_to_check(&state)));
    if report.items.is_empty() && report.unreadable.is_empty() && report.checked.values().all(|number| *number == 0) {
        let reason = "there is nothing to compare in what was asked for".to_owned();
        report.unreadable.extend(unmarked_entries([Unreadable { what: "objects".to_owned(), reason }]));
    }
    Ok(report)
}

/// Returns findings for lines of the checkout with markers for Flux image policies that neither exist nor are declared.
fn unmarked(
    opened: &ComparedCheckout<'_>,
    state: &ClusterState,
    known: &LayerFindings,
    is_chosen: &DriftChoice<'_>,
) -> Result<LayerFindings> {
    let Some(automations) = ImageAutomations::from_state(state) else { return Ok(LayerFindings::default()) };
    let repository = Repository::read(&opened.checkout.top, "")?;
    let (marked, unreadable) = marked_lines(&repository, &|file| automations.write_to(file));
    let mut findings = markers::marker_findings(&marked, state);
    findings.unchecked.extend(unreadable);
    let declared: BTreeSet<_> = known.drifts.iter().map(|drift| drift.object.key_ref()).collect();
    findings.drifts.retain(|drift| is_chosen(&drift.object, None) && !declared.contains(&drift.object.key_ref()));
    Ok(findings)
}

/// Returns the read request for a kind. Managed resources are compared while they are read; other kinds of engines are
/// read as in every command.
fn want(kind: &ResourceKind, asked: &RequestedObjects, args: &Args) -> Option<KindRequest> {
    let is_named = !asked.has_requests() || asked.may_include_kind(kind);
    if let Some(want) = external::want(kind).filter(|_| is_named) {
        return Some(want);
    }
    if let Some(want) = markers::want(kind).filter(|_| args.repo.is_some()) {
        return Some(want);
    }
    match role(kind) {
        Some(CrossplaneRole::Managed) => {}
        Some(CrossplaneRole::Composite | CrossplaneRole::Claim) if args.orphans => return engine::want(kind),
        // These show which controllers reconcile which kinds, and if they run.
        Some(CrossplaneRole::Package | CrossplaneRole::Revision) => return engine::want(kind),
        _ if controller::is_workload(kind) => return controller::want(kind),
        _ if kind.group.is_empty() && kind.kind == "Event" => return Some(KindRequest::all(BodyShape::Event)),
        _ if engine::argocd::GROUP == kind.group || engine::flux::GROUPS.contains(&kind.group.as_str()) => {
            // AppProjects show the namespace of Argo CD.
            let to_compare = || super::plan::wanted(kind).filter(|_| args.repo.is_some());
            if let Some(want) = engine::want(kind).or_else(to_compare) {
                return Some(want);
            }
        }
        _ => {}
    }
    if args.orphans { orphans::want(kind) } else { None }
}

fn show(context: &Context, report: &DriftReport, context_lines: usize) -> Result<()> {
    let (format, view) = (&context.globals.output.output, DriftView { report, context_lines });
    if let (OutputFormat::Table | OutputFormat::Wide, Some(program)) = (format, external_diff::configured_program())
        && report.items.iter().any(|item| item.sides.is_some())
    {
        external_diff::run(&program, report)?;
        for line in view.summary() {
            context.ui.message(&line);
        }
        return Ok(());
    }
    context.print(&view)?;
    if !matches!(
        format,
        OutputFormat::Table | OutputFormat::Wide | OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Markdown
    ) {
        context.warn_of_unreadable(&report.unreadable);
    }
    Ok(())
}

type KindsByName = BTreeMap<(String, String), Arc<ResourceKind>>;

fn kinds_by_name(state: &ClusterState) -> KindsByName {
    state.kinds.iter().map(|kind| ((kind.group.clone(), kind.kind.clone()), Arc::clone(kind))).collect()
}

/// Guesses the kind of an object whose cluster was not asked for its kinds.
fn guess(object: &ObjectName) -> ResourceKind {
    ResourceKind::guess(object.group(), &object.kind)
}

/// Returns the objects that match the selector; `None` if it is empty.
fn labels(state: &ClusterState, selector: &LabelSelector) -> Option<BTreeSet<ObjectName>> {
    let fits = |resource: &&Resource| selector.matches(&resource.metadata);
    (!selector.is_empty()).then(|| state.resources.iter().filter(fits).map(|resource| resource.name()).collect())
}

/// The objects selected on the command line.
struct DriftSelection<'a> {
    kinds: KindsByName,
    labels: Option<BTreeSet<ObjectName>>,
    namespace: Option<&'a str>,
    named: Vec<ObjectChoice>,
}

impl DriftSelection<'_> {
    fn has(&self, object: &ObjectName, manager: Option<&ObjectName>) -> bool {
        let is_in = |object: &ObjectName| match (self.namespace, &object.namespace) {
            (Some(wanted), Some(actual)) => wanted == actual,
            _ => true,
        };
        let is_labelled = |object: &ObjectName| self.labels.as_ref().is_none_or(|labels| labels.contains(object));
        let is_named = |object: &ObjectName| {
            let known = self.kinds.get(&(object.group().to_owned(), object.kind.clone()));
            let kind = known.map_or_else(|| Arc::new(guess(object)), Arc::clone);
            self.named.iter().any(|choice| choice.includes(&kind, &object.name))
        };
        // Objects that Argo CD deploys to another cluster have no labels here, but their Application has.
        (is_in(object) || manager.is_some_and(is_in))
            && (is_labelled(object) || manager.is_some_and(is_labelled))
            && (self.named.is_empty() || is_named(object) || manager.is_some_and(is_named))
    }

    /// Fails when a named object exists neither here nor where an Application or Kustomization deploys. If its kind
    /// could not be read, that is unknown.
    fn check_names(&self, state: &ClusterState, names: &[(ResourceKind, String)]) -> Result<()> {
        let is_there = |choice: &ObjectChoice| names.iter().any(|(kind, name)| choice.includes(kind, name));
        for choice in &self.named {
            let Some(name) = choice.exact_name() else { continue };
            // The object of `a,b NAME` may be of either kind.
            let is_of_either = self.named.iter().any(|other| other.name == choice.name && is_there(other));
            let mut of_kind = state.kinds.iter().filter(|kind| engine::is_selected_by(kind, &choice.kind));
            if !is_of_either && of_kind.all(|kind| state.was_read(kind)) {
                let alike = names.iter().filter(|(kind, _)| engine::is_selected_by(kind, &choice.kind));
                let meant = did_you_mean_name(name, alike.map(|(_, name)| name.as_str()));
                return Err(Error::absent(format!("{} \"{name}\" not found{meant}", choice.kind)));
            }
        }
        Ok(())
    }

    /// Fails for an unknown kind, which is probably a typo.
    fn check_kinds(&self, state: &ClusterState) -> Result<()> {
        let known = known_kinds(state);
        for choice in &self.named {
            if !known.iter().any(|kind| engine::is_selected_by(kind, &choice.kind)) {
                return Err(Error::usage(format!("drift does not check a kind or object named '{}'", choice.kind))
                    .hint("'kubectl api-resources --categories=managed' lists the kinds of external resources"));
            }
        }
        Ok(())
    }
}

/// Returns the kinds that were read, and those of objects that Applications deploy: other clusters may have kinds that this
/// cluster does not serve.
fn known_kinds(state: &ClusterState) -> Vec<Arc<ResourceKind>> {
    let deployed = state.resources.iter().flat_map(|resource| match &resource.body {
        Body::Application(application) => application.status.resources.as_slice(),
        _ => &[],
    });
    let guessed = deployed.map(|object| Arc::new(ResourceKind::guess(&object.group, &object.kind)));
    state.kinds.iter().map(Arc::clone).chain(guessed).collect()
}

/// Returns the kinds and names of the objects here, and of those that Applications and Kustomizations deploy.
fn known_names(state: &ClusterState) -> Vec<(ResourceKind, String)> {
    let mut names: Vec<(ResourceKind, String)> = Vec::new();
    for resource in &state.resources {
        names.push((ResourceKind::clone(&resource.kind), resource.metadata.name.clone()));
        if let Body::Application(application) = &resource.body {
            let deployed = application.status.resources.iter();
            names.extend(deployed.map(|one| (ResourceKind::guess(&one.group, &one.kind), one.name.clone())));
        }
        if let Body::Flux(flux) = &resource.body {
            let entries = flux.status.inventory.iter().flat_map(|inventory| &inventory.entries);
            names.extend(entries.filter_map(|entry| {
                let mut parts = entry.id.rsplitn(3, '_');
                let (kind, group, rest) = (parts.next()?, parts.next()?, parts.next()?);
                let name = rest.split_once('_').map_or(rest, |(_, name)| name);
                Some((ResourceKind::guess(group, kind), name.to_owned()))
            }));
        }
    }
    names
}
