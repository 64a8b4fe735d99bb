//! Files that cannot be read and may contain another version of a name: what is found elsewhere may not be the only place.

use ucp_core::error::{Error, Result};
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::naming::normalize_name;
use ucp_repo::gitops::path;
use ucp_repo::gitops::purpose::{Purpose, purpose};
use ucp_repo::slot::kinds::CHART_FILE;

use crate::promote::facts::PlanningFacts;

/// What counts as a mention of a name in a file that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MentionRule {
    /// The name in the path, or anywhere in the text.
    Any,
    /// The name in a line with an image, a chart or a repository: bundles of definitions and dashboards have many words.
    References,
    /// The name, directly followed by a version: a template takes its other versions from values.
    Literals,
    /// The name in a line with a version.
    Versions,
}

/// Checks that no unreadable file mentions a name, in its path or text. With an environment, only files count whose path
/// names it, or no environment at all. Files that are not deployed as they are count only beside others of their kind.
///
/// # Errors
/// Fails when the user has to name the place.
pub(super) fn check_unread_files(
    facts: &PlanningFacts<'_>,
    name: &str,
    environment: Option<&str>,
    places: &[&CatalogPlace],
) -> Result<()> {
    let last = name.rsplit('/').next().unwrap_or(name);
    // The owner of an image is written next to it, in one text or without its registry.
    let is_owned =
        |place: &&CatalogPlace| place.slot.artifact.as_deref().is_some_and(|artifact| artifact.ends_with(name));
    let owned = name.rmatch_indices('/').nth(1).map_or(name, |(slash, _)| &name[slash + 1..]);
    let text_name = if name.contains('/') && places.iter().any(is_owned) { owned } else { last };
    let files = facts.catalog.unreadable.iter().map(|unread| {
        let rule = match is_chart_template(facts, &unread.what) {
            true => MentionRule::Literals,
            false if TEXT_TEMPLATES.iter().any(|ending| unread.what.ends_with(ending)) => MentionRule::Versions,
            false => MentionRule::Any,
        };
        (&unread.what, unread.reason.as_str(), rule)
    });
    // Directories whose kustomization is no text, or is not in one file.
    let directories = facts.repository.unreadable.iter();
    let directories = directories.map(|(path, reason)| (path, reason.as_str(), MentionRule::Any));
    let oversized = facts.catalog.oversized.iter().map(|file| (file, "it is too large", MentionRule::References));
    for (file, reason, rule) in files.chain(directories).chain(oversized) {
        let is_elsewhere = environment.is_some_and(|environment| {
            let mut others = facts.catalog.environments.iter().filter(|other| *other != environment);
            !has_part(file, environment) && others.any(|other| has_part(file, other))
        });
        let is_unused = !may_be_deployed(file) && places.iter().all(|place| may_be_deployed(&place.file));
        if is_elsewhere || is_unused || is_documentation(file) {
            continue;
        }
        let text = facts.repository.read_lossily(file).unwrap_or_default();
        let is_mentioned = match rule {
            MentionRule::Any => has_part(file, last) || mentions(&text, text_name),
            MentionRule::References => text.lines().any(|line| is_reference(line) && mentions(line, text_name)),
            MentionRule::Literals => has_literal_version(&text, text_name),
            MentionRule::Versions => {
                text.lines().any(|line| has_number(line) && (has_part(file, last) || mentions(line, text_name)))
            }
        };
        if is_mentioned {
            return Err(Error::refused(format!(
                "{file} may also have a version of {name}, but it could not be read: {reason}"
            ))
            .hint("correct the file, or name the place with --file"));
        }
    }
    Ok(())
}

/// Returns true for a template of a text that people read: `README.md.gotmpl`.
fn is_documentation(file: &str) -> bool {
    [".md.", ".adoc.", ".rst."].iter().any(|ending| path::name(file).contains(ending))
}

/// Endings of templates of other programs, whose texts are no YAML.
const TEXT_TEMPLATES: [&str; 3] = [".tmpl", ".tpl", ".j2"];

/// Returns true if a line may contain a version: digits on both sides of a dot, or a commit.
fn has_number(line: &str) -> bool {
    let is_version = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits > 1 && word.contains('.') || digits > 0 && word.len() > 6
    };
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').any(is_version)
}

/// Returns true for a file below the `templates` of a chart.
fn is_chart_template(facts: &PlanningFacts<'_>, file: &str) -> bool {
    let charts = file.match_indices("/templates/").map(|(end, _)| format!("{}/{CHART_FILE}", &file[..end]));
    charts.into_iter().any(|chart| facts.repository.files.contains(&chart))
}

/// Returns true if a text has a name as the end of an image, directly followed by a tag or digest that is no expression.
fn has_literal_version(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(start, _)| {
        let version = text[start + name.len()..].strip_prefix([':', '@']);
        version.is_some_and(|version| version.starts_with(|character: char| character.is_alphanumeric()))
    })
}

/// Returns false for samples, and for directories that others are generated from: they are not deployed as they are.
fn may_be_deployed(path: &str) -> bool {
    const TEMPLATES: [&str; 6] = ["template", "boilerplate", "boilerplates", "skeleton", "cookiecutter", "scaffold"];
    let mut words = path.split('/').flat_map(|part| part.split(['-', '_']));
    purpose(path) != Purpose::Sample && !words.any(|word| TEMPLATES.contains(&word.to_ascii_lowercase().as_str()))
}

/// Returns true if a line may name an image, a chart, or a repository.
fn is_reference(line: &str) -> bool {
    ["image", "chart", "repo", "tag"].iter().any(|word| line.contains(word))
}

/// Returns true if a component of a path is a name, with or without an extension.
fn has_part(path: &str, name: &str) -> bool {
    let name = normalize_name(name);
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        normalize_name(part) == name || normalize_name(stem) == name
    })
}

/// Returns true if a text contains a name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || "-_".contains(character);
    text.match_indices(name)
        .any(|(start, _)| !text[..start].ends_with(is_word) && !text[start + name.len()..].starts_with(is_word))
}
