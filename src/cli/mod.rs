//! The command line: one file for each command, with an `Args` struct whose documentation is the help text, and a `run`
//! function that gathers facts into a report before anything is printed.

mod adopt_cluster;
pub mod app_clusters;
mod asked;
mod automatic_merge;
mod booleans;
mod bootstrap;
mod clusters;
mod comparison;
pub mod completion;
mod conflicts;
mod doctor;
mod drift;
mod everything;
mod explain;
mod external_diff;
mod familiar;
pub mod freeze;
mod frozen_merges;
mod global;
mod groups;
pub mod heed;
mod history;
mod image_origin;
mod images;
mod import;
mod live;
mod mcp;
mod missing;
mod naming;
mod new;
mod options;
mod own_rights;
mod pipeline;
mod plan;
mod planned_packages;
mod previewing;
mod promote;
mod publishing;
mod pull_request;
pub mod reading;
mod registry_login;
mod release_cluster;
mod rendering;
mod resources;
mod rights;
mod rollout;
mod running;
mod secrets;
mod set_image;
mod set_version;
mod side_by_side;
mod snapshot;
mod sought;
mod sources;
mod spec;
mod status;
mod teardown;
mod tree;
mod ui;
mod upstream;
mod version;
mod version_in_file;
mod wait;
mod working_copy;
mod writing;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anstream::ColorChoice;
use clap::{Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::cli::global::{OutputArgs, ScopeArgs};
use crate::cli::spec::CommandSpec;
use crate::complete::{self, CompletionValues};
use crate::ui::pager::PagingMode;
use crate::ui::{Ui, Volume};
use ucp_client::source::ConnectionArgs;
use ucp_client::source::live::trace;
use ucp_core::error::{ErrorKind, Outcome, Result};
use ucp_core::model::trace::TraceCache;

/// Inspect and operate a Kubernetes control plane built on Crossplane, Argo CD and Flux.
///
/// Reads their objects from the Kubernetes API, or from a snapshot.
#[derive(Debug, Parser)]
#[command(name = "kubectl-ucp", bin_name = "kubectl ucp", version)]
#[command(subcommand_required = true, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    globals: Globals,
}

/// What every command is given: flags with kubectl's meaning, and the output.
#[derive(Debug, Clone, clap::Args)]
pub struct Globals {
    /// Which cluster or snapshot.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Which objects of it.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// In which form.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The environment of a command.
#[derive(Debug, Clone)]
pub struct Context {
    /// The global flags.
    pub globals: Globals,
    /// The terminal.
    pub ui: Ui,
    /// The command line after the program's name, as typed.
    pub typed: Vec<String>,
    /// The words that name the command, such as `secrets sync`.
    pub command: String,
    /// The command with the switches that need more rights.
    pub needs_rights: String,
    /// The global flags on the command line.
    pub given: heed::GivenFlags,
    /// The traces that several snapshots of one cluster have in common.
    pub traces: Option<Arc<TraceCache>>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Status(status::Args),
    Teardown(teardown::Args),
    #[command(visible_alias = "managed")]
    Resources(resources::Args),
    #[command(visible_alias = "diff")]
    Drift(drift::Args),
    Conflicts(conflicts::Args),
    Doctor(doctor::Args),
    Bootstrap(Box<bootstrap::Args>),
    Plan(plan::Args),
    Explain(explain::Args),
    History(history::Args),
    Images(images::Args),
    Import(Box<import::Args>),
    Mcp(mcp::Args),
    New(new::Args),
    Options(options::Args),
    Pipeline(pipeline::Args),
    Promote(promote::Args),
    SetVersion(set_version::Args),
    SetImage(set_image::Args),
    Clusters(clusters::Args),
    AdoptCluster(Box<adopt_cluster::Args>),
    ReleaseCluster(release_cluster::Args),
    Secrets(Box<secrets::Args>),
    Completion(completion::Args),
    Snapshot(Box<snapshot::Args>),
    Tree(tree::Args),
    Ui(ui::Args),
    Version(version::Args),
    Wait(wait::Args),
}

impl Command {
    fn run(&self, context: &Context) -> Result<Outcome> {
        match self {
            Self::Status(args) => status::run(context, args),
            Self::Teardown(args) => teardown::run(context, args),
            Self::Resources(args) => resources::run(context, args),
            Self::Clusters(args) => clusters::run(context, args),
            Self::AdoptCluster(args) => adopt_cluster::run(context, args),
            Self::ReleaseCluster(args) => release_cluster::run(context, args),
            Self::Secrets(args) => secrets::run(context, args),
            Self::Drift(args) => drift::run(context, args),
            Self::Conflicts(args) => conflicts::run(context, args),
            Self::Doctor(args) => doctor::run(context, args),
            Self::Bootstrap(args) => bootstrap::run(context, args),
            Self::Plan(args) => plan::run(context, args),
            Self::Explain(args) => explain::run(context, args),
            Self::History(args) => history::run(context, args),
            Self::Images(args) => images::run(context, args),
            Self::Import(args) => import::run(context, args),
            Self::Mcp(args) => mcp::run(context, args),
            Self::New(args) => new::run(context, args),
            Self::Options(args) => options::run(context, args),
            Self::Pipeline(args) => pipeline::run(context, args),
            Self::Promote(args) => promote::run(context, args),
            Self::SetVersion(args) => set_version::run(context, args),
            Self::SetImage(args) => set_image::run(context, args),
            Self::Completion(args) => completion::run(context, args),
            Self::Snapshot(args) => snapshot::run(context, args),
            Self::Tree(args) => tree::run(context, args),
            Self::Ui(args) => ui::run(context, args),
            Self::Version(args) => version::run(context, args),
            Self::Wait(args) => wait::run(context, args),
        }
    }
}

/// The commands, by the headings and in the order of the help.
static GROUPS: &[(&str, &[&CommandSpec])] = &[
    (
        "Inspect",
        &[
            &status::SPEC,
            &ui::SPEC,
            &resources::SPEC,
            &tree::SPEC,
            &history::SPEC,
            &wait::SPEC,
            &images::SPEC,
            &clusters::SPEC,
            &secrets::SPEC,
            &explain::SPEC,
            &doctor::SPEC,
            &snapshot::SPEC,
        ],
    ),
    ("Compare", &[&drift::SPEC, &plan::SPEC, &teardown::SPEC, &conflicts::SPEC]),
    ("Change versions", &[&promote::SPEC, &pipeline::SPEC, &set_version::SPEC, &set_image::SPEC]),
    ("Set up", &[&bootstrap::SPEC, &new::SPEC, &import::SPEC, &adopt_cluster::SPEC, &release_cluster::SPEC]),
    ("This tool", &[&completion::SPEC, &mcp::SPEC, &options::SPEC, &version::SPEC]),
];

/// Returns the declarations of all commands and their subcommands.
fn specs() -> impl Iterator<Item = &'static CommandSpec> {
    let commands = GROUPS.iter().flat_map(|(_, specs)| *specs);
    commands.flat_map(|spec| std::iter::once(spec).chain(spec.subcommands)).copied()
}

/// Returns the values of an argument for completion, if its command declares them.
pub(crate) fn declared_values(command: &str, id: &str) -> Option<CompletionValues> {
    let declared = specs().filter(|spec| spec.name == command).flat_map(|spec| spec.completions);
    declared.into_iter().find(|(argument, _)| *argument == id).map(|(_, values)| *values)
}

/// Returns the definition of the command line.
pub fn command() -> clap::Command {
    // This flag is defined elsewhere.
    let command = Cli::command().mut_arg("color", |arg| arg.hide_short_help(true));
    heed::hide_unsupported_flags(groups::with_examples_first(groups::grouped(command)))
}

/// Returns the default arguments of a command, for a command that ends with another one.
///
/// # Errors
/// Fails when the command has required arguments.
fn defaults<A: clap::Args>() -> Result<A> {
    parsed([])
}

/// Returns the arguments of a command for these words, for another command that shows the same.
///
/// # Errors
/// Fails when the words are no arguments of the command.
fn parsed<'w, A: clap::Args>(words: impl IntoIterator<Item = &'w str>) -> Result<A> {
    // Arguments may exclude global ones.
    let command = Globals::augment_args(A::augment_args(clap::Command::new("defaults")));
    let matches = command.try_get_matches_from(std::iter::once("defaults").chain(words))?;
    Ok(A::from_arg_matches(&matches)?)
}

/// Returns the words to complete for kubectl, which runs a program with a fixed name: a link to this program, or a
/// script that calls it.
fn words_to_complete(arguments: &[OsString]) -> Option<Vec<String>> {
    let (program, words) = arguments.split_first()?;
    let is_asked_by_name = Path::new(program).file_stem().is_some_and(|name| name == complete::PROGRAM);
    let words = match words.split_first() {
        Some((first, rest)) if !is_asked_by_name && first == complete::COMMAND => rest,
        _ if is_asked_by_name => words,
        _ => return None,
    };
    Some(words.iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

/// Parses a command line, runs it, and returns its documented exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ucp_core::scratch::remove_on_panic();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(words) = words_to_complete(&arguments) {
        // Errors are not shown at a prompt that is being completed.
        let _ = Ui::new(ColorChoice::Never, Volume::Quiet, PagingMode::Never).data(&complete::complete_words(
            command(),
            declared_values,
            words,
        ));
        return ExitCode::SUCCESS;
    }
    let typed = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut definition = command();
    let arguments = booleans::strip_boolean_values(&definition, arguments);
    let parsed = definition
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            // clap prints help and version as errors; a closed pipe needs no message.
            let _ = match error.use_stderr() {
                false => error.print(),
                true => familiar::print_error(error, &mut definition, &arguments),
            };
            return ExitCode::from(code);
        }
    };
    cli.globals.scope.settle();
    cli.globals.connection.settle();
    let output = &cli.globals.output;
    let ui = Ui::new(output.color.as_choice(), output.volume(), output.paging());
    trace::set_level(cli.globals.connection.verbosity);
    let (words, given) = heed::words(&matches);
    if words == ["secrets", "declare"] {
        // There, `--as` is the form of the declaration, and no user is impersonated.
        cli.globals.connection.impersonate = None;
    }
    let command = words.join(" ");
    let needs_rights = rights::command_with_switches(&command, given);
    let given_flags = heed::GivenFlags::from_matches(given);
    let context = Context { globals: cli.globals, ui, typed, command, needs_rights, given: given_flags, traces: None };
    let has_own_rights = match &cli.command {
        Command::AdoptCluster(_) => true,
        Command::Secrets(args) => args.has_own_rights(),
        _ => false,
    };
    let is_heeded = heed::check(&matches)
        .and_then(|()| heed::check_format(&words, &context.globals.output.output))
        .and_then(|()| sources::check(&context.globals.connection));
    let ended = is_heeded.and_then(|()| context.selector()).and_then(|_| {
        if context.globals.output.print_rbac && !has_own_rights {
            return rights::print(&context, given).map(|()| Outcome::Clean);
        }
        cli.command.run(&context)
    });
    match ended {
        Ok(outcome) => outcome.into(),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::Left => {
            context.ui.message(&error.message());
            error.exit_code()
        }
        Err(error) => {
            context.ui.error(&error.report());
            if error.kind() == ErrorKind::Usage {
                context.ui.error(&format!("See 'kubectl ucp {} --help'.", context.command));
            }
            error.exit_code()
        }
    }
}
