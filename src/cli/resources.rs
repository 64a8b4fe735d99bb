//! `kubectl ucp resources`

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::cli::Context;
use crate::cli::reading::{PatienceArgs, outcome};
use crate::engine;
use crate::engine::Judged;
use crate::engine::crossplane::{Role, role};
use crate::error::{Error, Outcome, Result};
use crate::model::kind::ResourceKind;
use crate::model::nearest::did_you_mean;
use crate::model::pattern::ObjectPattern;
use crate::model::selector::LabelSelector;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;
use crate::render::{Format, SortBy};
use crate::report::resources::{AllLabels, LabelColumns, ResourceItem, ResourceList};

/// List managed resources, composites and claims, problems first
///
/// What `kubectl get managed` should have been: one pass over the cluster instead of a request after another, with the
/// verdict and, in wide output, the owner, the Application that applied it, and the cause in the provider's own words.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp resources
  kubectl ucp resources --only Failed,Stuck -o wide
  kubectl ucp resources -L crossplane.io/claim-name --show-labels
  kubectl ucp resources cluster.container nodepool/gcp-k8s-np-prod
  kubectl ucp resources --provider provider-aws --sort-by age -o json")]
pub(super) struct Args {
    /// Only these kinds or objects, as KIND, KIND.GROUP or KIND/NAME
    #[arg(value_name = "KIND[/NAME]")]
    kinds: Vec<ObjectPattern>,
    /// Only resources of this API group or of one below it
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Only resources of this provider package, such as provider-aws
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Only these verdicts, such as Failed,Stuck
    #[arg(long, value_name = "VERDICT,…", value_delimiter = ',')]
    only: Vec<Verdict>,
    /// Only what this claim, composite, Application or Kustomization owns, by name
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Order by verdict, name, kind, age or external-name, or by a JSONPath as kubectl does
    #[arg(long, value_name = "COLUMN", default_value = "verdict", hide_default_value = true)]
    sort_by: Order,
    /// Show all labels in the last column
    #[arg(long)]
    show_labels: bool,
    /// Show these labels in columns of their own, such as app,team
    #[arg(short = 'L', long, value_name = "LABEL,…", value_delimiter = ',')]
    label_columns: Vec<String>,
    #[command(flatten)]
    patience: PatienceArgs,
}

/// What to sort by.
#[derive(Debug, Clone)]
enum Order {
    Verdict,
    Name,
    Kind,
    Age,
    ExternalName,
    Path(SortBy),
}

impl std::str::FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "verdict" => Self::Verdict,
            "name" => Self::Name,
            "kind" => Self::Kind,
            "age" => Self::Age,
            "external-name" => Self::ExternalName,
            path => Self::Path(path.parse().map_err(|error| format!("no column, and no JSONPath either: {error}"))?),
        })
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let selector: LabelSelector =
        context.globals.scope.selector.as_deref().unwrap_or_default().parse().map_err(Error::usage)?;
    let known = Mutex::new(BTreeSet::new());
    let state = context.read(&|kind| {
        if is_listed(kind) {
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(kind.kind.to_ascii_lowercase());
        }
        is_wanted(kind, args).then(|| engine::want(kind)).flatten()
    })?;
    check_kinds(&state, args, &known.into_inner().unwrap_or_else(PoisonError::into_inner))?;
    let assessment = engine::assess(&state, &args.patience.clock(&state));
    let mut list = ResourceList::of(&state, &assessment, |item, entry| {
        selector.matches(&entry.resource.metadata) && passes(item, entry, args)
    });
    list.label_columns = LabelColumns {
        keys: args.label_columns.clone(),
        all: if args.show_labels { AllLabels::Shown } else { AllLabels::Hidden },
    };
    sort(&mut list.items, &args.sort_by)?;
    context.print(&list)?;
    if list.items.is_empty() && matches!(context.globals.output.output, Format::Table | Format::Wide) {
        let complete = list.unreadable.is_empty();
        context.ui.message(if complete { "No resources found." } else { "No resources found in what could be read." });
    }
    if !matches!(context.globals.output.output, Format::Json | Format::Yaml | Format::Markdown) {
        context.warn_of_unreadable(&list.unreadable);
    }
    context.hint_at_rights(&list.unreadable);
    Ok(outcome(&list.unreadable))
}

/// Kinds that nobody asked for are not read; those that tell who owns what always are.
fn is_wanted(kind: &ResourceKind, args: &Args) -> bool {
    match role(kind) {
        Some(Role::Managed | Role::Claim) => {
            let named = args.kinds.is_empty() || args.kinds.iter().any(|pattern| kind.is_called(&pattern.kind));
            named && args.group.as_ref().is_none_or(|group| is_in_group(kind, group))
        }
        Some(_) => true,
        // Only Applications say what they deployed; Flux leaves a label.
        None => kind.group == engine::argocd::GROUP,
    }
}

fn is_in_group(kind: &ResourceKind, group: &str) -> bool {
    kind.group == group || kind.group.ends_with(&format!(".{group}"))
}

/// Whether objects of a kind belong into this list.
fn is_listed(kind: &ResourceKind) -> bool {
    matches!(role(kind), Some(Role::Managed | Role::Composite | Role::Claim))
}

/// Complains of a kind that nobody knows; `known` are the names of those that there are.
fn check_kinds(state: &ClusterState, args: &Args, known: &BTreeSet<String>) -> Result<()> {
    for pattern in &args.kinds {
        if !state.kinds.iter().any(|kind| is_listed(kind) && kind.is_called(&pattern.kind)) {
            let meant = did_you_mean(&pattern.kind, known.iter().map(String::as_str));
            let complaint = format!("no managed resource, composite or claim is called '{}'{meant}", pattern.kind);
            return Err(Error::usage(complaint).hint("'kubectl api-resources --categories=managed' lists the kinds"));
        }
    }
    Ok(())
}

fn passes(item: &ResourceItem, entry: &Judged<'_>, args: &Args) -> bool {
    let kind = &entry.resource.kind;
    let named = args.kinds.is_empty() || args.kinds.iter().any(|pattern| pattern.matches(kind, &item.object.name));
    let owned = |owner: &String| {
        [&item.owner, &item.managed_by].iter().any(|object| object.as_ref().is_some_and(|object| object.name == *owner))
    };
    named
        && args.group.as_ref().is_none_or(|group| is_in_group(kind, group))
        && args.provider.as_ref().is_none_or(|provider| item.provider.as_ref() == Some(provider))
        && (args.only.is_empty() || args.only.contains(&item.verdict))
        && args.owner.as_ref().is_none_or(owned)
}

fn sort(items: &mut Vec<ResourceItem>, order: &Order) -> Result<()> {
    match order {
        // As the report has them.
        Order::Verdict => {}
        Order::Name => items.sort_by(|left, right| left.object.name.cmp(&right.object.name)),
        Order::Kind => items.sort_by_cached_key(|item| item.object.kind_and_name()),
        // The youngest last, as kubectl sorts by creationTimestamp.
        Order::Age => items.sort_by_key(|item| item.created),
        Order::ExternalName => items.sort_by(|left, right| left.external_name.cmp(&right.external_name)),
        Order::Path(path) => path.sort(items)?,
    }
    Ok(())
}
