//! `kubectl ucp import`

mod draft;
mod facts;
mod index;
mod plan;
mod prediction;
mod proposal;

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::cli::Context;
use crate::cli::publishing::{self, PublishArgs};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Snapshot};
use crate::cli::spec::{COMMIT_MESSAGE, CommandSpec, always};
use crate::cli::working_copy::RepositoryArgs;
use crate::cli::writing::EditProposal as _;
use crate::promote::landing::Replanning;
use crate::render::OutputFormat;
use crate::report::import::{ImportItem, ImportPlan, ImportStep};
use crate::ui::pager::LongLineMode;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::path::FieldPattern;
use ucp_features::import::address::ImportAddress;
use ucp_repo::yaml::ordered;

use facts::ImportFacts;
use plan::ImportPurpose;

/// Take over existing external resources, without changing them
///
/// Writes manifests for Git, in the layout of the repository. The first run writes manifests that only observe: for
/// Crossplane managementPolicies [Observe], for ACK adoption with read-only, for Config Connector its acquisition with
/// deletion policy abandon. Once they are deployed and ready, a second run writes manifests that own the resources,
/// with the observed fields. If an external resource would change, the difference is shown, and the resource remains observed.
///
/// From a Terraform state, only the types and ids of resources are read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp import bucket.s3.aws.upbound.io=logs --set region=eu-central-1
  kubectl ucp import --terraform-state terraform.tfstate --branch import
  kubectl ucp import object=v1/ConfigMap/default/settings --into infrastructure
  kubectl ucp import bucket=logs --set region=eu-central-1 --dry-run -o yaml

Exit codes: 0 done, nothing left to do; 1 refused, or an external resource would change; 2 usage; 3 failed; 4 not ready yet, or something could not be read.")]
pub(super) struct Args {
    /// The resources to take over: KIND=EXTERNAL-NAME or KIND/NAME=EXTERNAL-NAME; for provider-kubernetes
    /// object=VERSION/KIND/NAMESPACE/NAME
    #[arg(value_name = "KIND=EXTERNAL-NAME", required_unless_present_any = ["terraform_state", "print_rbac"])]
    wanted: Vec<ImportAddress>,
    /// Take over the resources of this Terraform state; - reads standard input
    #[arg(long, value_name = "FILE")]
    terraform_state: Option<PathBuf>,
    /// The kind for a Terraform type, if it cannot be derived from the name; may be repeated
    #[arg(long, value_name = "TYPE=KIND", value_parser = pair, hide_short_help = true)]
    map: Vec<(String, String)>,
    /// A field that is required to find resources, such as region=eu-central-1, in every kind that has it; may be repeated
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// The provider config; by default, the one that other objects of the kind use
    #[arg(long, value_name = "[KIND/]NAME", hide_short_help = true)]
    provider_config: Option<String>,
    /// Own a resource although this field would change; may be repeated
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    accept: Vec<FieldPattern>,
    /// The directory for new manifests, from the top of the repository
    #[arg(long, value_name = "DIRECTORY")]
    into: Option<String>,
    #[command(flatten)]
    repository: RepositoryArgs,
    #[command(flatten)]
    publish: PublishArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[COMMIT_MESSAGE],
    roles: &[always(&["kubectl-ucp-import"])],
    reads_crossplane: true,
    ..CommandSpec::new("import", &[Cluster, Snapshot, Namespace, Output, Rights])
};

fn pair(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => fail!("expected NAME=VALUE"),
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let facts = ImportFacts::gather(context, args)?;
    let working_copy = args.repository.open(&context.ui)?;
    let landing = publishing::begin(context, &working_copy, &args.publish)?;
    let prints = args.publish.consent.dry_run && context.globals.output.output == OutputFormat::Yaml;
    let purpose = if prints { ImportPurpose::Printing } else { ImportPurpose::Files };
    let planner = |top: &Path| plan::plan(&facts, args, purpose, top, &working_copy.name);
    let plan = planner(landing.top())?;
    if prints {
        return print_manifests(context, &plan);
    }
    let again = |top: &Path, _: Option<&ImportPlan>| planner(top);
    let again = Replanning { plan: &again, agree: &check_unchanged };
    let plan = landing.unfinished(&plan, &again)?.unwrap_or(plan);
    publishing::publish(context, &working_copy, &args.publish, &landing, plan, &headline, &again)
}

/// Prints the manifests, for users with another way into Git.
fn print_manifests(context: &Context, plan: &ImportPlan) -> Result<Outcome> {
    let mut text = String::new();
    for warning in &plan.warnings {
        context.ui.warn(warning);
    }
    for item in &plan.items {
        if let Some(reason) = &item.reason {
            let name = item.object.as_ref().map_or_else(|| item.asked.clone(), ToString::to_string);
            context.ui.warn(&format!("{name}: {}: {reason}", item.step.as_str()));
        }
        if let Some(manifest) = &item.manifest {
            let manifest = ordered::write(manifest).map_err(|error| anyhow!("{error}"))?;
            text.push_str(&format!("---\n{manifest}"));
        }
    }
    context.warn_of_unreadable(&plan.unreadable);
    context.ui.page(&text, LongLineMode::Wrap)?;
    Ok(plan.dry_run())
}

/// Checks that the manifests are those that were shown. Their files may have changed.
fn check_unchanged(shown: &ImportPlan, now: &ImportPlan) -> Result<()> {
    // A waiting item may get an entry in a kustomization, which its reason mentions.
    let written = |plan: &ImportPlan| -> Vec<_> {
        let is_written = |item: &&ImportItem| item.manifest.is_some() || item.step == ImportStep::Waiting;
        let items = plan.items.iter().filter(is_written);
        items.map(|item| (item.object.clone(), item.step, item.manifest.clone(), item.reason.clone())).collect()
    };
    let shown = written(shown);
    match written(now).into_iter().find(|item| !shown.contains(item)) {
        None => Ok(()),
        Some((object, ..)) => {
            let name = object.map(|object| object.to_string()).unwrap_or_default();
            Err(Error::refused(format!("{name} changed in the meantime"))
                .hint("nothing was pushed; run the command again"))
        }
    }
}

fn headline(plan: &ImportPlan) -> String {
    let verb = match (plan.count(ImportStep::Observe), plan.count(ImportStep::Own)) {
        (_, 0) => "Observe",
        (0, _) => "Own",
        _ => "Import",
    };
    let written: Vec<_> = plan.items.iter().filter(|item| item.manifest.is_some()).collect();
    match written.as_slice() {
        [] => "Complete kustomizations of observed resources".to_owned(),
        [item] => format!("{verb} {}", item.external_name.as_deref().unwrap_or_default()),
        items => format!("{verb} {} existing resources", items.len()),
    }
}
