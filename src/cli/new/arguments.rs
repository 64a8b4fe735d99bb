//! The arguments of `kubectl ucp new service`.

use std::path::PathBuf;

use crate::cli::publishing::PublishArgs;
use crate::cli::spec::FlagGroup::Output;
use crate::cli::spec::{COMMIT_MESSAGE, CommandSpec};
use crate::cli::working_copy::RepositoryArgs;

/// Add a service as a copy of an existing one
///
/// Copies base, overlays, Application or Kustomization, values, and with --database the claim and the objects that
/// distribute its connection Secret, in the style of the repository. Only the name of the service
/// changes. Then everything is rendered, and every Secret, ConfigMap and Service that the copy refers to must exist or be written by an object.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp new service orders --like quotes --dry-run
  kubectl ucp new service orders --like quotes --environments stage --push
  kubectl ucp new service a --like b --database a-db --database-like b-db

Exit codes: 0 done, or a dry run of what can be done; 1 refused; 2 usage; 3 failed.")]
pub(super) struct Args {
    /// The new service
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// The service to copy
    #[arg(long, value_name = "EXISTING")]
    pub(super) like: String,
    /// The image of the new service; by default, the image of the existing service
    #[arg(long, value_name = "IMAGE:TAG")]
    pub(super) image: Option<String>,
    /// A database of its own
    #[arg(long, value_name = "NAME", requires = "database_like")]
    pub(super) database: Option<String>,
    /// The claim or managed resource to copy for it
    #[arg(long, value_name = "CLAIM", requires = "database")]
    pub(super) database_like: Option<String>,
    /// Only for these environments; all of them by default
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) environments: Vec<String>,
    /// The repository of the core cluster, if it is another one: it contains the claims and the objects that distribute their Secrets
    #[arg(long, value_name = "PATH")]
    pub(super) core: Option<PathBuf>,
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    #[command(flatten)]
    pub(super) publish: PublishArgs,
}

pub(super) static SPEC: CommandSpec =
    CommandSpec { dependent: &[COMMIT_MESSAGE], ..CommandSpec::new("new service", &[Output]) };
