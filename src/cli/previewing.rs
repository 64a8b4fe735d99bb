//! Runs Compositions for `plan`: which functions are called, and which data they get.

use std::time::Duration;

use clap::{Args, ValueEnum as _};

use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::text::one_line;
use ucp_core::model::time::parse_duration;
use ucp_features::composition::function::{CalledFunctions, FunctionPermissions, LocalFunction};
use ucp_features::composition::sent::SendableSecrets;
use ucp_repo::gitops::config::{NAME, RepositoryConfig};
use ucp_repo::manifests::checkout::CheckoutTree;

/// Which functions are called, and which data they receive.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Compositions")]
pub(super) struct FunctionArgs {
    /// Run Compositions with these functions: none, or those of the core cluster
    ///
    /// A preview with functions runs the code of the pull request in the cluster: a step's input, such as a template, is
    /// executed by the function's pod, with the pod's account and network. Without --allow-function, only functions
    /// without side effects are called.
    ///
    /// None by default. With --base, 'plan: {functions: cluster}' in the .ucp.yaml of that revision changes the default; the
    /// file of the pull request itself is used only after it is merged.
    #[arg(long, value_enum, hide_possible_values = true, value_name = "none|cluster")]
    functions: Option<CalledFunctions>,
    /// Also call this function of the core cluster, although it may have side effects; may be repeated
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    allow_function: Vec<String>,
    /// Call this function at grpc://HOST:PORT or, with the core cluster's certificates, grpcs://HOST:PORT; may be repeated
    #[arg(long, value_name = "NAME=URL", hide_short_help = true)]
    function: Vec<LocalFunction>,
    /// Data of Secrets to send to functions: credentials, connection-details, secrets; none by default
    #[arg(long, value_name = "DATA", value_delimiter = ',', value_parser = confidence, hide_short_help = true)]
    send: Vec<SendableSecrets>,
    /// Time limit for each response of a function
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "20s", hide_short_help = true)]
    function_timeout: Duration,
    /// Maximum depth of nested composites to run
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = clap::value_parser!(u8).range(1..=20), hide_short_help = true)]
    composite_depth: u8,
}

impl FunctionArgs {
    /// Returns the functions that may be called; `None` if none may.
    ///
    /// # Errors
    /// Returns a usage error if a flag has no effect, or `.ucp.yaml` has an invalid value.
    pub(super) fn permission(&self, base: Option<&CheckoutTree>) -> Result<Option<FunctionPermissions>> {
        let asked = match (self.functions, base) {
            (Some(asked), _) => asked,
            (None, Some(base)) => configured_functions(base)?,
            (None, None) => CalledFunctions::None,
        };
        let permission = FunctionPermissions {
            asked,
            allowed: self.allow_function.clone(),
            local: self.function.clone(),
            patience: self.function_timeout,
        };
        if asked == CalledFunctions::None && !self.allow_function.is_empty() {
            return Err(Error::usage("--allow-function applies only to functions of the core cluster")
                .hint("add --functions cluster, or name a local one with --function NAME=grpc://HOST:PORT"));
        }
        if !permission.calls_functions() && !self.send.is_empty() {
            return Err(
                Error::usage("--send requires functions, but no functions are enabled").hint("add --functions cluster")
            );
        }
        Ok(permission.calls_functions().then_some(permission))
    }

    /// Returns the secret values that functions may get.
    pub(super) fn confidence(&self) -> Vec<SendableSecrets> {
        self.send.clone()
    }

    /// Returns the maximum depth of composites within composites.
    pub(super) fn depth(&self) -> usize {
        usize::from(self.composite_depth)
    }
}

fn confidence(word: &str) -> Result<SendableSecrets, Failure> {
    SendableSecrets::from_str(word, false).map_err(Failure::from)
}

/// Returns the setting of the repository at the revision to merge into: otherwise, a pull request could have its own
/// code run.
fn configured_functions(base: &CheckoutTree) -> Result<CalledFunctions> {
    let words = RepositoryConfig::read(&base.top)?.plan.functions;
    let parsed = words.map(|word| {
        CalledFunctions::from_str(&word, false).map_err(|_| {
            Error::usage(format!("{NAME}: plan.functions: {:?} is neither none nor cluster", one_line(&word)))
        })
    });
    Ok(parsed.transpose()?.unwrap_or_default())
}
