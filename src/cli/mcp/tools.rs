//! The commands that are tools, with their arguments and answers.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::{Arg, ArgAction, Command};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::arguments;
use super::pages::Page;
use crate::cli::sources::FixedSource;
use crate::cli::{Context, heed};
use crate::report::clusters::ClusterList;
use crate::report::conflicts::ConflictList;
use crate::report::doctor::DoctorReport;
use crate::report::drift::DriftReport;
use crate::report::explanation::Explanation;
use crate::report::history::History;
use crate::report::images::ImageMatrix;
use crate::report::resources::ResourceList;
use crate::report::status::StatusReport;
use crate::report::teardown::TeardownPlan;
use crate::report::tree::Tree;
use ucp_core::error::{Error, Result};

/// A command that is a tool of the same name.
struct ToolOffer {
    command: &'static str,
    /// The flags and positional arguments that a call may set. None of them selects a cluster or file, and none writes.
    takes: &'static [&'static str],
    answers: fn() -> JsonObject,
}

const OFFERS: &[ToolOffer] = &[
    ToolOffer {
        command: "status",
        takes: &["any", "stuck_after", "namespace", "selector"],
        answers: output_schema::<StatusReport>,
    },
    ToolOffer {
        command: "resources",
        takes: &[
            "kinds",
            "only",
            "any",
            "group",
            "provider",
            "owner",
            "field_selector",
            "sort_by",
            "stuck_after",
            "namespace",
            "selector",
        ],
        answers: output_schema::<ResourceList>,
    },
    ToolOffer {
        command: "tree",
        takes: &["object", "up", "down", "depth", "stuck_after", "namespace"],
        answers: output_schema::<Tree>,
    },
    ToolOffer {
        command: HISTORY,
        takes: &["object", "since", "at", "cause", "all", "namespace"],
        answers: output_schema::<History>,
    },
    ToolOffer {
        command: "drift",
        takes: &["kinds", "certain", "orphans", "ignore", "ignore_path", "namespace", "selector"],
        answers: output_schema::<DriftReport>,
    },
    ToolOffer { command: "conflicts", takes: &["certain", "namespace"], answers: output_schema::<ConflictList> },
    ToolOffer {
        command: "doctor",
        takes: &["target", "only", "skip", "severity", "stuck_after"],
        answers: output_schema::<DoctorReport>,
    },
    ToolOffer {
        command: "teardown",
        takes: &["objects", "all", "stuck_after", "namespace"],
        answers: output_schema::<TeardownPlan>,
    },
    ToolOffer { command: "clusters", takes: &["namespace", "selector"], answers: output_schema::<ClusterList> },
    ToolOffer { command: IMAGES, takes: &["services", "kind"], answers: output_schema::<ImageMatrix> },
    ToolOffer { command: "explain", takes: &["code"], answers: output_schema::<Explanation> },
];

/// Tools that answer with another document for several sources, so that a call has to name one.
const LISTED: &[&str] = &["tree", "teardown"];
/// The tool that reads a repository.
const IMAGES: &str = "images";
/// The tool that reads commits of the repository, if there is one.
const HISTORY: &str = "history";

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

/// A document, and the position of this page in it.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used: answers are put together from JSON")]
struct ToolAnswer<T> {
    #[serde(flatten)]
    document: T,
    page: Page,
}

/// Returns the JSON Schema of a tool's answer: the types of the document's own fields, and which are always present.
/// The instructions of the server describe `page` once for all. A complete schema of ten
/// documents would add 80 kB to every conversation, most of it repeated.
fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut generator = SchemaSettings::draft2020_12().for_serialize();
    generator.meta_schema = None;
    let whole = generator.into_generator().into_root_schema_for::<ToolAnswer<T>>().to_value();
    let fields = whole.get("properties").and_then(Value::as_object);
    let outline = |(name, field): (&String, &Value)| {
        // Fields that do not apply are left out, and never null.
        let present = |kind: &Value| match kind {
            Value::Array(kinds) => kinds.first().cloned().unwrap_or_default(),
            kind => kind.clone(),
        };
        let kind = field.get("type").map(|kind| json!({"type": present(kind)})).unwrap_or_else(|| json!({}));
        (name.clone(), if name == "page" { json!({"type": "object"}) } else { kind })
    };
    let properties: Map<String, Value> = fields.into_iter().flatten().map(outline).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), whole.get("required").cloned().unwrap_or_else(|| json!([])));
    schema
}

/// Returns the tools for these sources; `images` only with a directory.
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
    let offers = OFFERS.iter().filter(|offer| offer.command != IMAGES || directory.is_some());
    offers.map(|offer| tool(offer, &definition, context, sources, directory)).collect()
}

fn tool(
    offer: &ToolOffer,
    definition: &Command,
    context: &Context,
    sources: &[FixedSource],
    directory: Option<&Path>,
) -> Result<OfferedTool> {
    let missing = |what: &str| Error::failed(format!("the command {} has no {what}", offer.command));
    let command = definition.find_subcommand(offer.command).ok_or_else(|| missing("definition"))?;
    let find = |id: &&str| command.get_arguments().find(|arg| arg.get_id() == *id).cloned().ok_or_else(|| missing(id));
    let arguments: Vec<Arg> = offer.takes.iter().map(find).collect::<Result<_>>()?;
    let heeded = heed::supported_flags(&[offer.command]).unwrap_or_default();
    let is_one_document = !LISTED.contains(&offer.command);
    let reads = match (
        heeded.contains(&heed::FlagGroup::Cluster),
        is_one_document && heeded.contains(&heed::FlagGroup::Several),
    ) {
        (false, _) => ToolSources::Nothing,
        (true, true) => ToolSources::Several(sources.to_vec()),
        (true, false) => ToolSources::One(sources.to_vec()),
    };
    let mut words = vec![OsString::from(offer.command)];
    if reads != ToolSources::Nothing {
        words.extend(context.given.group_arguments(heed::FlagGroup::Cluster));
    }
    if offer.command == HISTORY {
        // The directory in which the server was started is not part of its sources.
        words.push(directory.map_or_else(
            || "--no-repo".into(),
            |directory| {
                let mut word = OsString::from("--repo=");
                word.push(directory);
                word
            },
        ));
    }
    if let Some(directory) = directory.filter(|_| offer.command == IMAGES) {
        words.extend(["--directory".into(), directory.into()]);
    }
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string);
    let mut tool =
        rmcp::model::Tool::new(offer.command, about.unwrap_or_default(), Arc::new(input_schema(&arguments, &reads)));
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
    use super::*;

    #[test]
    fn what_is_offered_is_there_and_reads_nothing_else() {
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
        for offer in OFFERS {
            let command = definition.find_subcommand(offer.command).unwrap();
            for id in offer.takes {
                assert!(command.get_arguments().any(|arg| arg.get_id() == *id), "{} {id}", offer.command);
                assert!(!elsewhere.contains(id), "{} {id}", offer.command);
            }
        }
    }

    #[test]
    fn an_answer_has_the_fields_of_its_document_and_its_page() {
        let schema = output_schema::<StatusReport>();
        assert_eq!(schema["type"], "object");
        let properties = schema["properties"].as_object().unwrap();
        for field in ["apiVersion", "kind", "engines", "findings", "unreadable", "page"] {
            assert!(properties.contains_key(field), "{field}");
        }
    }
}
