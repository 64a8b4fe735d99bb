//! `kubectl ucp explain`

use crate::cli::Context;
use crate::engine::code::Code;
use crate::engine::{codes, parse_code};
use crate::error::{Error, Outcome, Result};
use crate::model::nearest::did_you_mean;
use crate::render::table::{Column, table};
use crate::render::words;
use crate::ui::pager::LongLines;
use crate::ui::{style, styled};

/// The width of prose.
const WIDTH: usize = 80;

/// Tell what the code of a finding means and what to do about it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp explain UCP110
  kubectl ucp explain")]
pub(super) struct Args {
    /// The code, such as UCP110; without one, all are listed
    code: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let text = match &args.code {
        Some(code) => one(parse_code(code).ok_or_else(|| {
            let meant = did_you_mean(code, codes().iter().map(|code| code.info().code));
            Error::usage(format!("there is no code '{code}'{meant}")).hint("'kubectl ucp explain' lists them all")
        })?),
        None => all(context),
    };
    context.ui.page(&text, LongLines::Wrap)?;
    Ok(Outcome::Clean)
}

fn one(code: Code) -> String {
    let info = code.info();
    format!(
        "{}  {}  {}\n\n{}\n\n{}\n\n  {}\n",
        styled(style::STRONG, info.code),
        words::verdict(info.verdict),
        info.title,
        textwrap::fill(info.meaning, words::wrapping(WIDTH)),
        textwrap::fill(&of_any_object(info.advice), words::wrapping(WIDTH)),
        of_any_object(info.command),
    )
}

/// Without an object to name, the placeholders of one stay, in kubectl's capitals.
fn of_any_object(text: &str) -> String {
    text.replace("{object}", "KIND/NAME")
        .replace("{application}", "NAMESPACE/NAME")
        .replace("{flux}", "KIND NAME -n NAMESPACE")
        .replace("{kind}", "KIND")
        .replace("{namespace}", "NAMESPACE")
        .replace("{name}", "NAME")
}

fn all(context: &Context) -> String {
    let columns = [Column::Fixed("CODE"), Column::Fixed("VERDICT"), Column::Flexible("MEANING")];
    let rows = codes().into_iter().map(|code| {
        let info = code.info();
        vec![info.code.to_owned(), words::verdict(info.verdict), info.title.to_owned()]
    });
    table(&columns, rows, &context.style())
}
