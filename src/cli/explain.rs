//! `kubectl ucp explain`

use crate::cli::Context;
use crate::cli::spec::FlagGroup::Output;
use crate::cli::spec::{CommandSpec, ToolSpec};
use crate::complete::CompletionValues;
use crate::report::explanation::{CodeExplanation, Explanation, ExplanationExtent};
use ucp_core::engine::code::Code;
use ucp_core::engine::{codes, parse_code};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::nearest::did_you_mean;

/// Explain a finding: what it means, and what to do about it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp explain UCP110
  kubectl ucp explain
  kubectl ucp explain UCP110 -o json")]
pub(super) struct Args {
    /// The code, such as UCP110; without one, all are listed
    code: Option<String>,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    completions: &[("code", CompletionValues::Codes)],
    tool: Some(ToolSpec::new::<Explanation>(11, &["code"])),
    ..CommandSpec::new("explain", &[Output])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    context.print(&explanation(args.code.as_deref())?)?;
    Ok(Outcome::Clean)
}

/// Returns the explanation of a code, or of all.
///
/// # Errors
/// Returns a usage error for an unknown code.
pub(super) fn explanation(code: Option<&str>) -> Result<Explanation> {
    Ok(match code {
        Some(code) => {
            let known = parse_code(code).ok_or_else(|| {
                let meant = did_you_mean(code, codes().iter().map(|code| code.info().code));
                Error::usage(format!("unknown code '{code}'{meant}")).hint("'kubectl ucp explain' lists all codes")
            })?;
            Explanation::from_items(vec![explained(known)], ExplanationExtent::One)
        }
        None => Explanation::from_items(codes().into_iter().map(explained).collect(), ExplanationExtent::All),
    })
}

fn explained(code: Code) -> CodeExplanation {
    let info = code.info();
    CodeExplanation {
        code: info.code,
        verdict: info.verdict,
        title: info.title,
        meaning: info.meaning,
        advice: generic_text(info.advice),
        command: generic_text(info.command),
    }
}

/// Replaces the placeholders of an object with words in capitals, as in kubectl's usage.
fn generic_text(text: &str) -> String {
    text.replace("{object}", "KIND/NAME")
        .replace("{application}", "NAMESPACE/NAME")
        .replace("{flux}", "KIND NAME -n NAMESPACE")
        .replace("{kind}", "KIND")
        .replace("{namespace}", "NAMESPACE")
        .replace("{name}", "NAME")
}
