//! The steps of a teardown, in order, as commands that the user can run.

use std::collections::BTreeSet;

use serde::Serialize;

use super::deletion_item::{DeletionItem, DeletionOutcome};
use super::nature::is_immortal;
use super::target::TeardownTarget;
use ucp_core::engine::crossplane::{CrossplaneRole, core, role};
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::grounds::{GroundsEvidence, Ungrounded};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::{is_dns_name, quote_word};
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_repo::git::literal_path;

/// One step, to be completed before the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeardownStep {
    /// Title of the step.
    pub title: String,
    /// The reason for its position.
    pub why: &'static str,
    /// The commands to run.
    pub commands: Vec<String>,
    /// The clusters in which they are run.
    #[serde(skip)]
    pub runs_in: RunsIn,
}

/// The clusters in which the commands of a step are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsIn {
    /// In the core cluster.
    Core,
    /// In app clusters, which the commands name.
    AppClusters,
    /// In the core cluster, after the user decides to run them.
    Person,
}

/// Title of the first step.
pub(super) const SUSPEND: &str = "Stop the objects that would create it again";

fn step(title: impl Into<String>, why: &'static str, commands: Vec<String>) -> TeardownStep {
    TeardownStep { title: title.into(), why, commands, runs_in: RunsIn::Core }
}

/// Returns a step that requires a decision of the user.
fn decision_step(title: &str, why: &'static str, commands: Vec<String>) -> TeardownStep {
    TeardownStep { runs_in: RunsIn::Person, ..step(title, why, commands) }
}

/// Returns the steps that have commands. The first one stops the objects in `stops`, which would create the roots
/// again; the flag is true for those that create a root directly.
pub(super) fn teardown_steps(
    state: &ClusterState,
    target: &TeardownTarget,
    roots: &[NodeId],
    items: &[DeletionItem],
    stops: &[(NodeId, bool)],
    unread: &[Unreadable],
) -> Vec<TeardownStep> {
    let mut steps = vec![step(
        SUSPEND,
        "objects in Git are created again",
        stops.iter().map(|(node, is_maker)| suspend_command(&state.resources[*node], *is_maker)).collect(),
    )];
    if *target == TeardownTarget::All {
        let inside = step(
            "In each app cluster, delete Services of type LoadBalancer and PersistentVolumeClaims",
            "their load balancers and disks are deleted by controllers that are deleted with the cluster",
            app_cluster_commands(state),
        );
        steps.push(TeardownStep { runs_in: RunsIn::AppClusters, ..inside });
    }
    steps.push(decision_step(
        "Decide which external resources should remain",
        "orphaned resources continue to cost money, and nothing manages them",
        items
            .iter()
            .filter(|item| item.fate == DeletionOutcome::Orphaned)
            .map(|item| delete_external_command(state, item))
            .collect(),
    ));
    let mut commands: Vec<String> = Vec::new();
    for block in items.iter().flat_map(|item| &item.blocks) {
        if !commands.contains(&block.command) {
            commands.push(block.command.clone());
        }
    }
    steps.push(decision_step(
        "Remove blockers",
        "stuck objects need manual action; a finalizer that is removed manually orphans the external resource",
        commands,
    ));
    let last = match target {
        TeardownTarget::All => whole_cluster_steps(state, roots),
        TeardownTarget::Objects(_) => {
            let possible = roots.iter().map(|node| &state.resources[*node]).filter(|root| !is_immortal(root));
            let objects: Vec<_> = possible.map(Resource::name).collect();
            vec![step("Delete it", "all other objects are deleted with it", delete_commands(&objects))]
        }
        TeardownTarget::Merge { path, .. } => {
            let commit = vec![
                // From any directory of the checkout, and of a directory called `*` only that one.
                format!("git rm -r -- {}", quote_word(&literal_path(path))),
                format!("git commit -m {}", quote_word(&format!("Remove {path}"))),
                "git push".to_owned(),
            ];
            let waits = roots.iter().map(|node| state.resources[*node].name());
            let waits = waits.map(|object| format!("kubectl ucp wait {object} --for gone --timeout 1h")).collect();
            vec![
                step("Remove it from Git", "the engine deletes objects that are no longer declared", commit),
                step("Wait until it is deleted", "the engine deletes it at its next sync", waits),
            ]
        }
    };
    steps.extend(last);
    let mut evidence = plan_evidence(state, items);
    evidence.add_gaps(unread);
    let mut steps = match evidence.establish(steps) {
        Ok(steps) => steps.into_value(),
        Err(Ungrounded { gaps, .. }) => vec![find_out_step(state, target, roots, items, &gaps, "")],
    };
    steps.retain(|step| !step.commands.is_empty());
    steps
}

/// Returns the steps for a deletion of app clusters whose contents are not all known.
pub(super) fn unread_clusters_steps(
    state: &ClusterState,
    target: &TeardownTarget,
    items: &[DeletionItem],
    unread: &[Unreadable],
) -> Vec<TeardownStep> {
    let mut evidence = plan_evidence(state, items);
    evidence.add_gaps(unread);
    let roots = target.roots().unwrap_or_default();
    vec![find_out_step(state, target, roots, items, evidence.gaps(), " --app-clusters")]
}

/// Returns the grounds of the steps: every list that was requested, and known consequences for every deleted object.
fn plan_evidence(state: &ClusterState, items: &[DeletionItem]) -> GroundsEvidence {
    let mut evidence = GroundsEvidence::from_state(state);
    for item in items.iter().filter(|item| item.fate == DeletionOutcome::Unknown) {
        let reason = item.reason.clone().unwrap_or_default();
        evidence.add_gap(Unreadable { what: item.object.to_string(), reason });
    }
    evidence
}

/// Returns the only step while facts are unknown: nothing is deleted before they are known. `flags` are added to the command
/// that plans the deletion again.
fn find_out_step(
    state: &ClusterState,
    target: &TeardownTarget,
    roots: &[NodeId],
    items: &[DeletionItem],
    gaps: &[Unreadable],
    flags: &str,
) -> TeardownStep {
    let unknown = items.iter().filter(|item| item.fate == DeletionOutcome::Unknown);
    let mut commands: Vec<String> = unknown.map(|item| format!("kubectl get {} -o yaml", item.object)).collect();
    if gaps.len() > commands.len() {
        let again = match target {
            TeardownTarget::All => "--all".to_owned(),
            TeardownTarget::Merge { path, .. } => format!("--merge {}", quote_word(path)),
            TeardownTarget::Objects(_) => {
                let names = roots.iter().map(|node| state.resources[*node].name().to_string());
                names.collect::<Vec<_>>().join(" ")
            }
        };
        commands.push("kubectl ucp teardown --print-rbac".to_owned());
        commands.push(format!("kubectl ucp teardown {again}{flags}"));
    }
    let title = format!("Resolve unknowns before anything is deleted ({} gaps)", gaps.len());
    step(title, "deletions with unknown effects are not proposed", commands)
}

fn delete_commands(objects: &[ObjectName]) -> Vec<String> {
    let delete = objects.iter().map(|object| format!("kubectl delete {object} --wait=false"));
    let wait = objects.iter().map(|object| format!("kubectl ucp wait {object} --for gone --timeout 1h"));
    delete.chain(wait).collect()
}

/// Returns the steps for the whole core cluster: external resources first, their controllers last.
fn whole_cluster_steps(state: &ClusterState, roots: &[NodeId]) -> Vec<TeardownStep> {
    let of = |wanted: &dyn Fn(&Resource) -> bool| -> Vec<ObjectName> {
        state.resources.iter().filter(|resource| wanted(resource)).map(Resource::name).collect()
    };
    let tops = |purposes: &[ExternalRole]| -> Vec<ObjectName> {
        let tops = roots.iter().map(|node| &state.resources[*node]);
        tops.filter(|one| purpose(&one.kind).is_some_and(|one| purposes.contains(&one))).map(Resource::name).collect()
    };
    let delete = |objects: Vec<ObjectName>| objects.iter().map(|one| format!("kubectl delete {one}")).collect();
    let configs = of(&|resource| role(&resource.kind) == Some(CrossplaneRole::ProviderConfig));
    let packages = of(&|resource| role(&resource.kind) == Some(CrossplaneRole::Package));
    let core = core(state).into_iter().filter_map(uninstall_command);
    vec![
        step(
            "Delete claims and composites",
            "their composed resources are deleted with them",
            delete_commands(&tops(&[ExternalRole::Claim, ExternalRole::Composite])),
        ),
        step(
            "Delete the other resources",
            "their providers must still run",
            delete_commands(&tops(&[ExternalRole::External])),
        ),
        step("Delete provider configs", "nothing uses them any more", delete(configs)),
        step("Delete packages", "the resources of a provider that is deleted earlier are stuck", delete(packages)),
        step("Uninstall Crossplane", "it releases the finalizers of all objects above", core.collect()),
        step(
            "Remove Argo CD and Flux, and then the cluster",
            "they have nothing left to delete",
            remove_deployers_commands(state),
        ),
    ]
}

/// Returns the command that uninstalls a workload of Helm, by the release in its annotation.
fn uninstall_command(workload: &Resource) -> Option<String> {
    let namespace = workload.metadata.namespace.as_deref()?;
    let release = workload.metadata.annotation("meta.helm.sh/release-name").unwrap_or(&workload.metadata.name);
    // Helm's names are DNS names, and anything else could be a flag.
    is_dns_name(release).then(|| format!("helm uninstall {release} -n {}", quote_word(namespace)))
}

fn suspend_command(resource: &Resource, is_maker: bool) -> String {
    let object = resource.name();
    let namespace = object.namespace.as_ref().map(|name| format!(" -n {}", quote_word(name))).unwrap_or_default();
    match object.kind.as_str() {
        "Application" => {
            format!(r#"kubectl patch {object} --type=merge -p '{{"spec":{{"syncPolicy":{{"automated":null}}}}}}'"#)
        }
        "Kustomization" => format!("flux suspend kustomization {}{namespace}", quote_word(&object.name)),
        "HelmRelease" => format!("flux suspend helmrelease {}{namespace}", quote_word(&object.name)),
        // Its Applications follow its template.
        "ApplicationSet" if !is_maker => {
            let patch = r#"{"spec":{"template":{"spec":{"syncPolicy":{"automated":null}}}}}"#;
            format!("kubectl patch {object} --type=merge -p '{patch}'")
        }
        _ if matches!(
            role(&resource.kind),
            Some(CrossplaneRole::Composite | CrossplaneRole::Claim | CrossplaneRole::Managed)
        ) =>
        {
            format!("kubectl annotate {object} crossplane.io/paused=true --overwrite")
        }
        // Not deleted, because everything else that it created would be deleted too.
        _ => format!("kubectl edit {object} # remove it from the generated objects"),
    }
}

/// Returns the commands that remove the deployers without deleting the objects that they applied, which are deleted
/// with the cluster.
fn remove_deployers_commands(state: &ClusterState) -> Vec<String> {
    let applications = state.resources.iter().filter(|resource| matches!(resource.body, Body::Application(_)));
    let namespaces = applications.filter_map(|one| one.metadata.namespace.as_deref().map(quote_word));
    let namespaces: BTreeSet<_> = namespaces.collect();
    let release = namespaces.iter().map(|namespace| {
        let patch = r#"{"metadata":{"finalizers":null}}"#;
        format!(
            "kubectl get applications.argoproj.io -n {namespace} -o name | xargs -r -n1 kubectl patch -n {namespace} \
             --type=merge -p '{patch}'"
        )
    });
    let delete = namespaces.iter().map(|namespace| format!("kubectl delete namespace {namespace}"));
    let has_flux = state.resources.iter().any(|resource| matches!(resource.body, Body::Flux(_)));
    release.chain(delete).chain(has_flux.then(|| "flux uninstall".to_owned())).collect()
}

/// Returns the command by which an orphaned external resource is deleted too.
fn delete_external_command(state: &ClusterState, item: &DeletionItem) -> String {
    let resource = &state.resources[item.node];
    let object = &item.object;
    if role(&resource.kind) != Some(CrossplaneRole::Managed) {
        return format!("kubectl get {object} -o yaml");
    }
    let patch = match &resource.body {
        Body::Crossplane(body) if body.deletion_policy.as_deref() == Some("Orphan") => {
            r#"{"spec":{"deletionPolicy":"Delete"}}"#
        }
        _ => r#"{"spec":{"managementPolicies":["*"]}}"#,
    };
    format!("kubectl patch {object} --type=merge -p '{patch}'")
}

/// Returns the commands for the clusters that Applications deploy to.
fn app_cluster_commands(state: &ClusterState) -> Vec<String> {
    let destinations = state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Application(body) => Some(&body.spec.destination).filter(|destination| !destination.is_this_cluster()),
        _ => None,
    });
    let names: BTreeSet<&str> = destinations.filter_map(|destination| destination.cluster()).collect();
    let list = |name: &str| format!("kubectl get services,persistentvolumeclaims -A # in {}", quote_word(name));
    names.into_iter().map(list).collect()
}
