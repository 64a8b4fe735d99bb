//! `kubectl ucp resources`

mod absent;
mod field_selector;
mod order;
mod owner;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::Context;
use crate::cli::asked::{ObjectChoice, RequestedObjects};
use crate::cli::reading::{PatienceArgs, outcome};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector, Several, Snapshot};
use crate::cli::spec::{CommandSpec, ToolSpec, always, with_flag};
use crate::complete::CompletionValues;
use crate::render::OutputFormat;
use crate::report::resources::{AllLabels, LabelColumns, ResourceItem, ResourceList, ResourceNaming, is_listed};
use crate::report::sources::{CombineSources, DocumentSource, Sourced};
use crate::report::whole::CompleteObjectList;
use ucp_core::engine::{self, Assessment, ExternalRole, JudgedObject, OtherWorkloads, is_selected_by, may_own};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::{KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::verdict::Verdict;

use absent::{check_kinds, missing_objects};
use field_selector::FieldSelector;
use order::{SortOrder, sort};

/// List managed resources, composites and claims, problems first
///
/// Like 'kubectl get managed', but with concurrent requests, and with a verdict and its cause for each object. Wide
/// output adds the owner and the Application that applied the object. Applications, Kustomizations, HelmReleases and
/// packages are listed if you ask for them by kind.
///
/// Kinds and objects are named as for 'kubectl get': KIND, KIND,KIND, KIND NAME, KIND/NAME, or a category such as managed.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp resources
  kubectl ucp resources --any --only Failed,Stuck
  kubectl ucp resources --only Failed,Stuck -o wide
  kubectl ucp resources -L crossplane.io/claim-name --show-labels
  kubectl ucp resources cluster.container nodepool/gcp-k8s-np-prod
  kubectl ucp resources applications --watch
  kubectl ucp resources --all-contexts --only Failed,Stuck
  kubectl ucp resources --whole -o jsonpath='{.items[*].metadata.name}'
  kubectl ucp resources --provider provider-aws --sort-by age -o json")]
pub(super) struct Args {
    /// Only these kinds, categories or objects: KIND[,KIND], KIND NAME, KIND/NAME or NAME
    #[arg(value_name = "KIND[/NAME]")]
    kinds: Vec<String>,
    /// Only resources of this API group or its subgroups
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Only resources of this provider package, such as provider-aws
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    provider: Option<String>,
    /// Only these verdicts, such as Failed,Stuck
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',')]
    only: Vec<Verdict>,
    /// Only what this claim, composite, Application, Kustomization or HelmRelease owns: NAME, KIND/NAME or NAMESPACE/NAME
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Only objects that match this field selector: metadata.name=NAME, metadata.namespace!=NAME
    #[arg(long, value_name = "SELECTOR", hide_short_help = true)]
    field_selector: Option<FieldSelector>,
    /// Sort by verdict, name, kind, age, external-name, or a JSONPath
    #[arg(long, value_name = "COLUMN", default_value = "verdict", hide_default_value = true)]
    sort_by: SortOrder,
    /// Show all labels in the last column
    #[arg(long, hide_short_help = true)]
    show_labels: bool,
    /// Show these labels as columns, such as app,team
    #[arg(short = 'L', long, value_name = "LABEL,…", value_delimiter = ',', hide_short_help = true)]
    label_columns: Vec<String>,
    /// Show the kind before each name, even if only one kind is listed
    #[arg(long, hide_short_help = true)]
    show_kind: bool,
    /// Exit with 0 if a named object does not exist
    #[arg(long, hide_short_help = true)]
    ignore_not_found: bool,
    /// List custom resources of every kind, and workloads, Pods, Jobs, volumes and the like
    ///
    /// For kinds that do not belong to an engine, the verdict follows common status conventions: conditions, phases,
    /// counts and errors. A phase that is not known is Unknown.
    #[arg(long)]
    any: bool,
    /// Print whole objects as 'kubectl get' does, instead of ucp/v1, for templates and scripts written for kubectl
    #[arg(long, conflicts_with = "watch")]
    whole: bool,
    /// Watch for changes and refresh the list
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(&["kubectl-ucp-resources"]), with_flag("any", &["kubectl-ucp-any"])],
    followed: &["kubectl-ucp-resources", "kubectl-ucp-any"],
    reads_crossplane: true,
    completions: &[
        ("kinds", CompletionValues::KindsAndObjects),
        ("group", CompletionValues::Groups),
        ("only", CompletionValues::Verdicts),
        ("owner", CompletionValues::Owners),
        ("provider", CompletionValues::Providers),
        ("sort_by", CompletionValues::Columns),
    ],
    tool: Some(ToolSpec::new::<ResourceList>(
        2,
        &[
            "kinds",
            "only",
            "any",
            "group",
            "provider",
            "owner",
            "field_selector",
            "sort_by",
            "stuck_after",
            "namespace",
            "selector",
        ],
    )),
    ..CommandSpec::new("resources", &[Cluster, Snapshot, Several, Namespace, Selector, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if !args.whole && !args.watch && is_written_for_kubectl(&context.globals.output.output) {
        context.ui.message("note: this template is for whole objects, so --whole is assumed");
        return list(context, &Args { whole: true, ..args.clone() });
    }
    list(context, args)
}

/// Returns true for a template that reads fields of whole objects, which a `ResourceList` does not have.
fn is_written_for_kubectl(output: &OutputFormat) -> bool {
    const FIELDS: [&str; 3] = ["metadata", "spec", "status"];
    match output {
        OutputFormat::JsonPath(template) => FIELDS.iter().any(|field| {
            let paths = [format!("[*].{field}."), format!("].{field}."), format!("{{.{field}."), format!("@.{field}.")];
            paths.iter().any(|path| template.source().contains(path.as_str()))
        }),
        OutputFormat::CustomColumns(columns) => columns.sources().any(|path| {
            let first = path.trim_start_matches(['{', '.']).split(['.', '[', '}']).next().unwrap_or_default();
            FIELDS.contains(&first)
        }),
        _ => false,
    }
}

fn list(context: &Context, args: &Args) -> Result<Outcome> {
    let asked = RequestedObjects::parse(&args.kinds);
    let known = Mutex::new(BTreeSet::new());
    let want = |kind: &ResourceKind, asked: &RequestedObjects| {
        if read_request(kind, args).is_some() {
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.kind.to_ascii_lowercase());
        }
        let want = must_read(kind, asked, args).then(|| read_request(kind, args)).flatten()?;
        let keep = match want.keep {
            _ if args.whole => KeepAmount::Whole,
            KeepAmount::WholeIfRuled => KeepAmount::WholeIfRuled,
            KeepAmount::Whole | KeepAmount::Narrow => KeepAmount::Narrow,
        };
        Some(KindRequest { keep, ..want })
    };
    let read = |context: &Context| -> Result<(RequestedObjects, ClusterState)> {
        let state = context.read(&|kind| want(kind, &asked))?;
        let Some(wide) = asked.for_names(judged_kinds(&state, args)) else { return Ok((asked.clone(), state)) };
        let state = context.read(&|kind| want(kind, &wide))?;
        let is_judged = |resource: &&Resource| read_request(&resource.kind, args).is_some();
        let judged = state.resources.iter().filter(is_judged);
        let named = judged.map(|resource| (resource.kind.as_ref(), resource.metadata.name.as_str()));
        Ok((wide.with_kinds_of_names(named), state))
    };
    if args.watch {
        context.needs_one_source("--watch")?;
        // Errors are reported once, before the watch starts.
        let (asked, state) = read(context)?;
        gather(context, args, &asked, &state, &known)?;
        context.watch(&|kind| want(kind, &asked), |state| match gather(context, args, &asked, state, &known) {
            Ok(gathered) => gathered.list,
            Err(_) => ResourceList::from_assessment(state, &assess(state, args), |_, _| false),
        })?;
        return Ok(Outcome::Clean);
    }
    let gathered = context.combine_sources(|context| {
        let (asked, state) = read(context)?;
        let gathered = gather(context, args, &asked, &state, &known)?;
        if !args.any && gathered.list.items.is_empty() && gathered.missing.is_empty() {
            context.hint_at_core_cluster(&state);
        }
        Ok(gathered)
    })?;
    let GatheredResources { mut list, missing, is_one } = gathered;
    sort(&mut list.items, &args.sort_by, args.whole)?;
    let unreadable = list.unreadable.clone();
    let is_empty = list.items.is_empty();
    let is_said = !missing.is_empty() && !args.ignore_not_found;
    // If no named object exists, the errors are the only output.
    if !(is_empty && is_said) {
        if args.whole {
            context.print(&CompleteObjectList::from_list(list, is_one)?)?;
        } else {
            context.print(&list)?;
        }
    }
    if is_empty
        && missing.is_empty()
        && matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide)
    {
        let complete = unreadable.is_empty();
        context.ui.message(if complete { "No resources found." } else { "No resources found in what could be read." });
    }
    if args.whole
        || !matches!(context.globals.output.output, OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Markdown)
    {
        context.warn_of_unreadable(&unreadable);
    }
    context.hint_at_rights(&unreadable);
    if is_said {
        let complaints: Vec<&str> = missing.iter().map(|(_, complaint)| complaint.as_str()).collect();
        let error = Error::failed(complaints.join("\n"));
        return Err(context.with_namespaces_elsewhere(error, &|kind| want(kind, &asked), |resource| {
            missing.iter().any(|(choice, _)| choice.includes(&resource.kind, &resource.metadata.name))
        }));
    }
    Ok(outcome(&unreadable))
}

/// The listed resources, and the missing ones.
struct GatheredResources {
    list: ResourceList,
    /// Named objects that do not exist, with error messages.
    missing: Vec<(ObjectChoice, String)>,
    /// True if one object was requested by name.
    is_one: bool,
}

impl CombineSources for GatheredResources {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.list.name_sources(sources);
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        self.list.unreadable()
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        self.list.mark(source);
        self.is_one = false;
    }

    fn add(&mut self, other: Self) {
        // An object that one source has is not missing.
        self.missing.retain(|(choice, _)| other.missing.iter().any(|(same, _)| same == choice));
        self.list.add(other.list);
    }

    fn add_unreadable(&mut self, unread: Sourced<Unreadable>) {
        // The unread source may have the objects.
        self.missing.clear();
        self.list.add_unreadable(unread);
    }

    fn sort(&mut self) {
        self.list.sort();
    }
}

fn gather(
    context: &Context,
    args: &Args,
    asked: &RequestedObjects,
    state: &ClusterState,
    known: &Mutex<BTreeSet<String>>,
) -> Result<GatheredResources> {
    let selector = context.selector()?;
    let assessment = assess(state, args);
    let judged: Vec<&ResourceKind> = judged_kinds(state, args).collect();
    let has = |choice: &ObjectChoice| {
        assessment.judged.iter().any(|entry| choice.includes(&entry.resource.kind, &entry.resource.metadata.name))
    };
    let choices = asked.resolve(judged.iter().copied(), has);
    check_kinds(&judged, &choices, &known.lock().unwrap_or_else(PoisonError::into_inner))?;
    let is_chosen = |entry: &JudgedObject<'_>| {
        let (kind, name) = (entry.resource.kind.as_ref(), entry.resource.metadata.name.as_str());
        if choices.is_empty() {
            args.any || is_listed(kind)
        } else {
            choices.iter().any(|choice| choice.includes(kind, name))
        }
    };
    let mut list = ResourceList::from_assessment(state, &assessment, |item, entry| {
        let metadata = &entry.resource.metadata;
        is_chosen(entry)
            && selector.matches(metadata)
            && args.field_selector.as_ref().is_none_or(|fields| fields.matches(metadata))
            && passes(item, entry, args)
    });
    if let Some(owner) = &args.owner {
        owner::retain_owned(&mut list.items, state, owner)?;
    }
    list.label_columns = LabelColumns {
        keys: args.label_columns.clone(),
        all: if args.show_labels { AllLabels::Shown } else { AllLabels::Hidden },
    };
    let meant = judged.iter().filter(|kind| choices.iter().any(|choice| is_selected_by(kind, &choice.kind))).count();
    let by_name = choices.iter().all(|choice| judged.iter().any(|kind| kind.is_called(&choice.kind)));
    if meant == 1 && by_name && !args.show_kind {
        list.naming = ResourceNaming::Name;
    }
    let is_one = matches!(choices.as_slice(), [choice] if choice.exact_name().is_some());
    Ok(GatheredResources { list, missing: missing_objects(&choices, state, &assessment.judged), is_one })
}

fn assess<'state>(state: &'state ClusterState, args: &Args) -> Assessment<'state> {
    let workloads = if args.any { OtherWorkloads::Judged } else { OtherWorkloads::Unjudged };
    engine::assess_with(state, &args.patience.clock(state), workloads)
}

/// Returns the kinds that have a verdict.
fn judged_kinds<'state>(state: &'state ClusterState, args: &Args) -> impl Iterator<Item = &'state ResourceKind> {
    state.kinds.iter().map(AsRef::as_ref).filter(|kind| read_request(kind, args).is_some())
}

/// Returns the read request for a kind: that of its engine, or with `--any`, the conventions of other controllers.
fn read_request(kind: &ResourceKind, args: &Args) -> Option<KindRequest> {
    if args.any { engine::want_any(kind) } else { engine::want(kind) }
}

/// Returns true if a kind has to be read: it is requested, or shows the owners of others.
fn must_read(kind: &ResourceKind, asked: &RequestedObjects, args: &Args) -> bool {
    match engine::purpose(kind) {
        Some(ExternalRole::External | ExternalRole::Claim) => {
            let named = !asked.has_requests() || asked.may_include_kind(kind);
            // The owner may be a claim of any kind.
            let owns = args.owner.is_some() && may_own(kind);
            owns || named && args.group.as_ref().is_none_or(|group| is_in_group(kind, group))
        }
        Some(ExternalRole::Composite) => true,
        None if args.any && !asked.has_requests() => true,
        // Only Applications list the objects that they deployed; Flux sets a label. Status is current only if the
        // controller runs.
        None => {
            kind.group == engine::argocd::GROUP
                || engine::controller::is_workload(kind)
                || engine::tells_of_others(kind)
                || asked.may_include_kind(kind)
                || args.owner.is_some() && may_own(kind)
        }
    }
}

fn is_in_group(kind: &ResourceKind, group: &str) -> bool {
    kind.group == group || kind.group.ends_with(&format!(".{group}"))
}

fn passes(item: &ResourceItem, entry: &JudgedObject<'_>, args: &Args) -> bool {
    let kind = &entry.resource.kind;
    args.group.as_ref().is_none_or(|group| is_in_group(kind, group))
        && args.provider.as_ref().is_none_or(|provider| item.provider.as_ref() == Some(provider))
        && (args.only.is_empty() || args.only.contains(&item.verdict))
}
