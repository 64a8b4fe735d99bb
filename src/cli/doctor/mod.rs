//! `kubectl ucp doctor`

mod upgrade;

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::own_rights;
use crate::cli::reading::PatienceArgs;
use crate::cli::spec::FlagGroup::{Cluster, Output, Rights, Several, Snapshot};
use crate::cli::spec::{CommandSpec, ToolSpec, always};
use crate::report::doctor::DoctorReport;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_client::source::live::look_up::LookUp;
use ucp_core::engine;
use ucp_core::error::{Error, Outcome, Result};
use ucp_features::doctor::{self, CheckPurpose, CheckSelection, DoctorFacts, FindingSeverity, GROUPS, MinorVersion};

/// Find problems that will occur soon or with the next upgrade
///
/// Checks for features that Crossplane 2 removes, storage versions, credentials and certificates near their expiry,
/// settings that make Argo CD overlook problems, and long pauses. Each finding has its evidence and a
/// command that fixes it. Objects that could not be read are unknown, never OK.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp doctor
  kubectl ucp doctor --for 2.0 --only upgrade
  kubectl ucp doctor --skip certificates,UCP444
  kubectl ucp doctor --package provider-aws-s3-v2.xpkg
  kubectl ucp doctor --crds new-chart/crds
  kubectl ucp doctor --contexts core-eu,core-us
  kubectl ucp doctor --severity error -o json
  kubectl ucp doctor --from last-night.tar.gz

Exit codes: 0 no errors; 1 errors; 2 usage; 3 failed; 4 no errors in what could
be read.")]
pub(super) struct Args {
    /// Check the requirements of an upgrade to this version of Crossplane
    #[arg(long = "for", value_name = "VERSION")]
    target: Option<MinorVersion>,
    #[command(flatten)]
    upgrade: upgrade::UpgradeArgs,
    /// Only these groups, checks or codes
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// All but these groups, checks or codes
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skip: Vec<String>,
    /// Hide findings that are less severe
    #[arg(long, value_enum, default_value = "info", hide_possible_values = true, value_name = "error|warning|info")]
    severity: FindingSeverity,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(&["kubectl-ucp-status", "kubectl-ucp-doctor"])],
    reads_crossplane: true,
    tool: Some(ToolSpec::new::<DoctorReport>(7, &["target", "only", "skip", "severity", "stuck_after"])),
    ..CommandSpec::new("doctor", &[Cluster, Snapshot, Several, Output, Rights])
};

impl Args {
    /// Returns the arguments that compare a package with the cluster, and with the manifests of a checkout.
    pub(super) fn about_package(package: String, checkout: PathBuf) -> Self {
        Self {
            target: None,
            upgrade: upgrade::UpgradeArgs::about_package(package, checkout),
            only: Vec::new(),
            skip: Vec::new(),
            severity: FindingSeverity::Info,
            patience: PatienceArgs::default(),
        }
    }

    /// Returns the checks to run.
    ///
    /// # Errors
    /// Returns a usage error if a name matches no group, check, or code.
    fn selection(&self) -> Result<CheckSelection> {
        let selection =
            CheckSelection { only: self.only.clone(), skip: self.skip.clone(), purpose: self.upgrade.purpose() };
        if selection.purpose == CheckPurpose::Installed && selection.names_only_new_definitions() {
            return Err(Error::usage("these checks compare new definitions").hint("name them with --crds or --package"));
        }
        let Some(word) = selection.unknown_word() else { return Ok(selection) };
        let groups: Vec<_> = GROUPS.iter().map(|group| group.name).collect();
        Err(Error::usage(format!("no group of checks, check or code is called '{word}'"))
            .hint(format!("groups: {}; 'kubectl ucp doctor -o wide' names the checks", groups.join(", "))))
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    args.selection()?;
    let report = context.combine_sources(|context| examine(context, args))?;
    context.print(&report)?;
    context.hint_at_rights(&report.unreadable);
    Ok(outcome(&report))
}

/// Returns the outcome of the command for a report.
pub(super) fn outcome(report: &DoctorReport) -> Outcome {
    Outcome::from_evidence(report.has_errors(), report.evidence())
}

/// Runs the checks.
///
/// # Errors
/// Fails when a check does not exist, or the cluster cannot be read.
pub(super) fn examine(context: &Context, args: &Args) -> Result<DoctorReport> {
    let selection = args.selection()?;
    let namespace = context.globals.scope.namespace.as_deref();
    let connection = &context.globals.connection;
    let is_live = connection.from.is_none();
    let mut upgrade = args.upgrade.read()?;
    let want = |kind: &_| match &upgrade {
        Some(upgrade) => upgrade::want_installed(upgrade, is_live, kind),
        None => doctor::want(kind),
    };
    let mut state = context.read_established(namespace, &want, DeniedDefinition::Absent)?;
    if let Some(upgrade) = &mut upgrade {
        upgrade::add_installed(upgrade, &mut state, connection)?;
    }
    if is_live && selection.requires_version() {
        // If the server does not report its version, the checks that need it say so.
        state.server_version = LookUp::connect(connection).and_then(|cluster| cluster.version()).ok();
    }
    let rights = (is_live && selection.requires_rights()).then(|| own_rights::missing_rights(connection, &state));
    let assessment = engine::assess(&state, &args.patience.clock(&state));
    let facts = DoctorFacts::gather(&state, assessment, args.target, rights).with_upgrade(upgrade);
    let examined = doctor::run_checks(&facts, &selection);
    let report = DoctorReport::from_checks(&state, examined, args.target, args.severity);
    // With `--only`, the user knows which objects the checks need. New definitions need no engine.
    let is_general = args.only.is_empty() && args.upgrade.purpose() == CheckPurpose::Installed;
    let nothing = context.nothing_to_check(&state).filter(|_| is_general);
    Ok(report.with_nothing_to_check(nothing))
}
