//! The commands that are tools, with their arguments and answers.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::{Arg, ArgAction, Command};
use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::arguments;
use crate::cli::sources::FixedSource;
use crate::cli::spec::{CommandSpec, FlagGroup, ToolRepository, ToolSpec};
use crate::cli::{Context, specs};
use ucp_core::error::{Error, Result};

/// The argument that chooses one of the sources.
pub(super) const SOURCE: &str = "source";
/// The argument that asks for the next page.
pub(super) const CURSOR: &str = "cursor";
/// The argument that sets the length of a page.
pub(super) const MAX_CHARACTERS: &str = "max_characters";

/// Characters of a page; about four characters make a token.
pub(super) const CHARACTERS: usize = 20_000;
/// Characters of the shortest and the longest page.
pub(super) const ALLOWED_CHARACTERS: std::ops::RangeInclusive<usize> = 1_000..=200_000;

/// A tool, and its command line.
#[derive(Debug, Clone)]
pub(super) struct OfferedTool {
    /// The definition that clients get.
    pub(super) definition: rmcp::model::Tool,
    /// The command's own arguments that a call may set.
    pub(super) arguments: Vec<Arg>,
    /// The words at the start of every call: the command, and the settings that were fixed when the server started.
    pub(super) words: Vec<OsString>,
    pub(super) reads: ToolSources,
}

/// The sources that a tool reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolSources {
    /// None.
    Nothing,
    /// All at once, or the one that a call names.
    Several(Vec<FixedSource>),
    /// One source, which a call has to name if there are several.
    One(Vec<FixedSource>),
}

/// Returns the tools for these sources; those that require a repository only with a directory.
///
/// # Errors
/// Fails when the definition of a command does not have an argument that is offered.
pub(super) fn offered_tools(
    context: &Context,
    sources: &[FixedSource],
    directory: Option<&Path>,
) -> Result<Vec<OfferedTool>> {
    let mut definition = crate::cli::command();
    definition.build();
    let mut offers = offers();
    offers.retain(|(_, offer)| directory.is_some() || offer.repository != ToolRepository::Required);
    offers.into_iter().map(|(spec, offer)| tool(spec, offer, &definition, context, sources, directory)).collect()
}

/// Returns the commands that are tools.
fn offers() -> Vec<(&'static CommandSpec, &'static ToolSpec)> {
    let mut offers: Vec<_> = specs().filter_map(|spec| Some((spec, spec.tool.as_ref()?))).collect();
    offers.sort_by_key(|(_, offer)| offer.position);
    offers
}

fn tool(
    spec: &CommandSpec,
    offer: &ToolSpec,
    definition: &Command,
    context: &Context,
    sources: &[FixedSource],
    directory: Option<&Path>,
) -> Result<OfferedTool> {
    let missing = |what: &str| Error::failed(format!("the command {} has no {what}", spec.name));
    let command = definition.find_subcommand(spec.name).ok_or_else(|| missing("definition"))?;
    let find = |id: &&str| command.get_arguments().find(|arg| arg.get_id() == *id).cloned().ok_or_else(|| missing(id));
    let arguments: Vec<Arg> = offer.takes.iter().map(find).collect::<Result<_>>()?;
    let supports = |group: FlagGroup| spec.flags.contains(&group);
    let reads = match (supports(FlagGroup::Cluster), !offer.is_of_one_source && supports(FlagGroup::Several)) {
        (false, _) => ToolSources::Nothing,
        (true, true) => ToolSources::Several(sources.to_vec()),
        (true, false) => ToolSources::One(sources.to_vec()),
    };
    let mut words = vec![OsString::from(spec.name)];
    if reads != ToolSources::Nothing {
        words.extend(context.given.group_arguments(FlagGroup::Cluster));
    }
    match (offer.repository, directory) {
        (ToolRepository::Optional, Some(directory)) => {
            let mut word = OsString::from("--repo=");
            word.push(directory);
            words.push(word);
        }
        // The directory in which the server was started is not part of its sources.
        (ToolRepository::Optional, None) => words.push("--no-repo".into()),
        (ToolRepository::Required, Some(directory)) => words.extend(["--directory".into(), directory.into()]),
        (ToolRepository::Required, None) | (ToolRepository::Unused, _) => {}
    }
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let mut tool =
        rmcp::model::Tool::new(spec.name, about.unwrap_or_default(), Arc::new(input_schema(&arguments, &reads)));
    tool.output_schema = Some(Arc::new((offer.answers)()));
    // `openWorldHint` is true by default.
    tool.annotations = Some(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true));
    Ok(OfferedTool { definition: tool, arguments, words, reads })
}

/// Returns the JSON Schema of a tool's arguments.
fn input_schema(arguments: &[Arg], reads: &ToolSources) -> JsonObject {
    let mut properties: Map<String, Value> =
        arguments.iter().map(|arg| (arguments::name(arg), arguments::schema(arg))).collect();
    let mut required: Vec<String> = arguments.iter().filter(|arg| arg.is_required_set()).map(arguments::name).collect();
    let mut choice = |sources: &[FixedSource], help: &str| {
        let labels: Vec<&str> = sources.iter().map(|source| source.label.as_str()).collect();
        properties.insert(SOURCE.to_owned(), json!({"type": "string", "enum": labels, "description": help}));
    };
    match reads {
        ToolSources::Several(sources) if sources.len() > 1 => {
            choice(sources, "Read this core cluster or snapshot only; all of them by default");
        }
        ToolSources::One(sources) if sources.len() > 1 => {
            choice(sources, "The core cluster or snapshot to read");
            required.push(SOURCE.to_owned());
        }
        _ => {}
    }
    let help = format!("Characters of a page (default: {CHARACTERS})");
    let of_pages = [
        Arg::new(CURSOR)
            .long(CURSOR)
            .action(ArgAction::Set)
            .help("The next page: page.cursor of the last answer, instead of other arguments"),
        Arg::new(MAX_CHARACTERS)
            .long(MAX_CHARACTERS)
            .action(ArgAction::Set)
            .value_parser(clap::value_parser!(usize))
            .help(help),
    ];
    properties.extend(of_pages.iter().map(|arg| (arguments::name(arg), arguments::schema(arg))));
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tools_only_offer_existing_arguments_without_other_sources() {
        let mut definition = crate::cli::command();
        definition.build();
        let elsewhere = [
            "from",
            "context",
            "contexts",
            "all_contexts",
            "kubeconfig",
            "server",
            "repo",
            "directory",
            "conventions",
            "health_rules",
            "output",
            "watch",
            "probe",
        ];
        for (spec, offer) in offers() {
            let command = definition.find_subcommand(spec.name).unwrap();
            for id in offer.takes {
                assert!(command.get_arguments().any(|arg| arg.get_id() == *id), "{} {id}", spec.name);
                assert!(!elsewhere.contains(id), "{} {id}", spec.name);
            }
        }
    }

    #[test]
    fn the_server_has_the_rights_of_its_tools_and_names_each() {
        let mut definition = crate::cli::command();
        definition.build();
        let server = definition.find_subcommand("mcp").unwrap();
        let about = server.get_long_about().map(ToString::to_string).unwrap();
        let names = |spec: &CommandSpec| -> Vec<&'static str> {
            let always = spec.roles.iter().filter(|roles| roles.with.is_none());
            always.flat_map(|roles| roles.names).copied().collect()
        };
        let own = names(&crate::cli::mcp::SPEC);
        let page = include_str!("../../../docs/mcp.md");
        for (spec, offer) in offers() {
            // Without a directory, a tool that requires a repository is not offered.
            let is_always_there = offer.repository != ToolRepository::Required;
            let missing: Vec<_> =
                names(spec).into_iter().filter(|role| is_always_there && !own.contains(role)).collect();
            assert!(missing.is_empty(), "{}: {missing:?}", spec.name);
            assert!(about.contains(spec.name), "the help of mcp does not name {}", spec.name);
            assert!(page.contains(&format!("\n| `{}`", spec.name)), "docs/mcp.md does not name {}", spec.name);
        }
        let positions: BTreeSet<_> = offers().into_iter().map(|(_, offer)| offer.position).collect();
        assert_eq!(positions.len(), offers().len(), "two tools have one position");
    }
}
