//! `set-image`: the CI bump.

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::writing::{self, ConsentArgs, Verdict};
use crate::error::{Error, Outcome, Result};
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::{files, single};

/// Set image versions in the overlays of one environment, as a build pipeline does
///
/// With --file, edits one kustomization in place, with no Git at all: each argument is IMAGE:TAG, IMAGE@DIGEST or
/// IMAGE:TAG@DIGEST, where IMAGE is the entry's name as written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 done, or there already; 1 refused, nothing is written; 2 usage; 3 failed.")]
pub struct Args {
    /// ENV SERVICE=[IMAGE:]TAG[@DIGEST]…, or IMAGE:TAG… with --file
    #[arg(required = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
    /// Edit this kustomization, a file or its directory
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// Runs the command.
///
/// # Errors
/// Where an argument makes no sense, or a file cannot be read, edited or written.
pub fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let policy = Policy { downgrades: args.consent.downgrades(), mutable_tags: MutableTags::Warned };
    match &args.file {
        Some(path) => set_in_file(path, args, policy, context),
        None => Err(Error::usage("expected --file")),
    }
}

fn set_in_file(path: &Path, args: &Args, policy: Policy, context: &Context) -> Result<Outcome> {
    let images = single::references(&args.arguments).map_err(Error::usage)?;
    let path = match path.is_dir() {
        true => files::kustomization_in(path)?
            .ok_or_else(|| Error::usage(format!("{} holds no kustomization", path.display())))?,
        false => path.to_owned(),
    };
    let source = files::read(&path)?;
    let mut plan = single::plan(&path.to_string_lossy(), &source, &images, policy)
        .map_err(|error| Error::refused(format!("{}: {error}", path.display())).hint("nothing is written"))?;
    match writing::show(&plan, &args.consent, context)? {
        Verdict::Stop(outcome) => Ok(outcome),
        Verdict::Go => {
            for file in plan.files.drain(..) {
                files::replace(&path, &file.before, &file.after)?;
            }
            writing::done(&plan, context)
        }
    }
}
