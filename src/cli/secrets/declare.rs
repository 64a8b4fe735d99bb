//! `kubectl ucp secrets declare`

use std::collections::BTreeSet;

use clap::ValueEnum as _;

use super::look::{LookArgs, SecretsLook, look};
use crate::cli::Context;
use crate::cli::app_clusters::find_cluster;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Snapshot};
use crate::cli::spec::{CommandSpec, SNAPSHOTS_OF_APPS, always};
use crate::render;
use ucp_core::error::{Error, Outcome, Result};
use ucp_features::adopt::names::NamespacedName;
use ucp_features::distribution::declare::{DeclarationForm, manifests};

/// Print declarations of copies for Git, without values
///
/// Prints declarations for the named Secrets, for the namespaces of the app cluster where they are declared or referenced,
/// or for --to-namespace. Nothing is written; the controller accepts the manifests without changes.
/// Then use 'secrets verify' to check the copies.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp secrets declare orders-conn --as pushsecret --app-cluster prod
  kubectl ucp secrets declare db --as object --app-cluster prod --to-namespace shop

Exit codes: 0 printed; 1 refused; 2 usage; 3 failed.")]
pub(super) struct Args {
    /// Kind of declaration to print
    // Replaces kubectl's flag of that name, which is for a user: see `Context`.
    #[arg(id = "impersonate", long = "as", value_name = "FORM", required = true)]
    #[arg(value_parser = ["pushsecret", "syncer", "object"], help_heading = None)]
    form: String,
    /// The namespace in the app cluster; by default, the namespaces where the Secret is declared or referenced
    #[arg(long, value_name = "NAMESPACE")]
    to_namespace: Option<String>,
    #[command(flatten)]
    look: LookArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[SNAPSHOTS_OF_APPS],
    roles: &[always(&["kubectl-ucp-secrets-credentials"])],
    ..CommandSpec::new("secrets declare", &[Cluster, Snapshot, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let [cluster] = args.look.app_clusters.as_slice() else {
        return Err(Error::usage("declare requires one --app-cluster"));
    };
    if args.look.names.is_empty() {
        return Err(Error::usage("declare requires the NAME of a Secret of the core cluster"));
    }
    let form = DeclarationForm::from_str(&args.form, true).map_err(Error::usage)?;
    let seen = look(context, &args.look.for_copies())?;
    let cluster = find_cluster(&seen.inventory, cluster)?;
    let (mut text, mut printed) = (String::new(), BTreeSet::new());
    for name in &args.look.names {
        let source = source(context, &seen, name)?;
        if let Some(config) = seen.core.sources.provider_config(&source) {
            return Err(Error::refused(format!(
                "{source} holds the credentials of {} {}, which are never distributed",
                config.kind, config.name
            )));
        }
        if let Some(protection) = seen.core.sources.protection(&source) {
            return Err(Error::refused(format!("Secret {source} is never copied: it is {protection}")));
        }
        if let Some(gap) = seen.core.credentials.gaps().first() {
            let message = format!(
                "it is unknown whether {source} is a credential, because {} could not be read: {}",
                gap.what, gap.reason
            );
            return Err(context.failed_to_read(message, seen.core.credentials.gaps()));
        }
        for namespace in namespaces(&seen, args, &source)? {
            let target = NamespacedName { namespace, name: source.name.clone() };
            for manifest in manifests(form, cluster, &source, &target).map_err(Error::refused)? {
                let document = render::yaml(&manifest)?;
                if printed.insert(document.clone()) {
                    text.push_str(&format!("---\n{document}"));
                }
            }
        }
    }
    context.ui.data(&text)?;
    Ok(Outcome::Clean)
}

/// Returns the Secret with this name.
fn source(context: &Context, seen: &SecretsLook, name: &str) -> Result<NamespacedName> {
    if let Ok(key) = name.parse::<NamespacedName>() {
        return match seen.core.sources.get(&key) {
            Some(_) => Ok(key),
            None => Err(Error::failed(format!("the core cluster has no Secret {key}"))),
        };
    }
    if let Some(gap) = seen.core.names.gaps().first() {
        let message = format!(
            "it is unknown which Secrets are called '{name}', because {} could not be read: {}",
            gap.what, gap.reason
        );
        return Err(context.failed_to_read(message, seen.core.names.gaps()).hint("pass NAMESPACE/NAME"));
    }
    let known = seen.core.sources.candidates(name);
    match known.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let declared: BTreeSet<NamespacedName> =
                seen.rows.iter().filter(|row| row.is_called(name)).filter_map(|row| row.source.clone()).collect();
            match declared.iter().collect::<Vec<_>>().as_slice() {
                [one] => Ok((*one).clone()),
                [] => Err(Error::failed(format!("the core cluster has no connection Secret called '{name}'"))),
                several => Err(ambiguous(name, several)),
            }
        }
        several => Err(ambiguous(name, several)),
    }
}

fn ambiguous(name: &str, several: &[&NamespacedName]) -> Error {
    let all: Vec<String> = several.iter().map(ToString::to_string).collect();
    Error::usage(format!("{} Secrets are called '{name}'", all.len())).hint(format!("name one: {}", all.join(", ")))
}

/// Returns the namespaces for the copy.
fn namespaces(seen: &SecretsLook, args: &Args, source: &NamespacedName) -> Result<BTreeSet<String>> {
    if let Some(namespace) = &args.to_namespace {
        return Ok(BTreeSet::from([namespace.clone()]));
    }
    let rows = seen.rows.iter().filter(|row| row.source.as_ref() == Some(source));
    let namespaces: BTreeSet<String> = rows.map(|row| row.target.namespace.clone()).collect();
    if namespaces.is_empty() {
        return Err(Error::usage(format!("nothing in that cluster refers to {source}"))
            .hint("pass the target namespace with --to-namespace NAMESPACE"));
    }
    Ok(namespaces)
}
