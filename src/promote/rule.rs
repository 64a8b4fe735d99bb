//! What moves besides images, as `.ucp.yaml` declares it: whole files, and values at paths such as those of a chart.

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::ScalarStyle;
use yaml_serde::Value;

use crate::gitops::config::Rule;
use crate::gitops::discover::Overlay;
use crate::gitops::effective::{Deployed, SetBy};
use crate::gitops::order::Direction;
use crate::gitops::repository::message;
use crate::gitops::workload;
use crate::model::image::Version;
use crate::promote::facts::Facts;
use crate::promote::plan::Draft;
use crate::promote::reconcile::Rows;
use crate::report::promotion::Change;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Content, Node};
use crate::yaml::{YamlError, guard};

/// The files that rules move for an overlay, as paths from the top of the repository.
pub(crate) fn files(facts: &Facts<'_>, overlay: &Overlay) -> BTreeSet<String> {
    let rules = facts.repository.config.promote.iter().filter(|rule| rule.paths.is_empty());
    rules.filter_map(|rule| path(rule, overlay)).collect()
}

/// Every file that a rule speaks of, for an overlay.
pub(crate) fn named(facts: &Facts<'_>, overlay: &Overlay) -> BTreeSet<String> {
    facts.repository.config.promote.iter().filter_map(|rule| path(rule, overlay)).collect()
}

/// Whether files that move as a whole decide about these images.
pub(crate) fn covers(files: &BTreeSet<String>, images: &[&Deployed]) -> bool {
    images.iter().all(|image| matches!(&image.set_by, SetBy::Patch { file, .. } if files.contains(file)))
}

fn path(rule: &Rule, overlay: &Overlay) -> Option<String> {
    rule.path(&overlay.directory, &overlay.service, &overlay.environment)
}

/// Plans what the rules move from one overlay to another.
pub(crate) fn apply(draft: &mut Draft<'_>, facts: &Facts<'_>, from: &Overlay, to: &Overlay, only: Option<&Rows>) {
    for rule in &facts.repository.config.promote {
        if let Err(reason) = apply_rule(draft, facts, rule, from, to, only) {
            draft.refuse(&to.service, &rule.file, reason);
        }
    }
}

fn apply_rule(
    draft: &mut Draft<'_>,
    facts: &Facts<'_>,
    rule: &Rule,
    from: &Overlay,
    to: &Overlay,
    only: Option<&Rows>,
) -> Result<(), String> {
    let outside = || format!("{} leaves the repository", rule.file);
    let (source, target) = (path(rule, from).ok_or_else(outside)?, path(rule, to).ok_or_else(outside)?);
    if source == target {
        return Err(format!("{target} belongs to both environments: the edit would reach both"));
    }
    let exists = |path: &str| facts.repository.top.join(path).exists();
    match (exists(&source), exists(&target)) {
        (false, false) => return Ok(()),
        (true, true) => {}
        (true, false) => return Err(format!("{target} does not exist")),
        (false, true) => return Err(format!("{source} does not exist")),
    }
    let read = |path: &str| facts.repository.read_text(path).map_err(|error| message(&error));
    let (new, old) = (read(&source)?, read(&target)?);
    let rows = if rule.paths.is_empty() { whole(&new, &old) } else { values(rule, &source, &new, &target, &old)? };
    let mut text = old.clone();
    for row in rows {
        let image = row.name(&rule.file);
        if only.is_some_and(|only| !only.contains(&(to.service.clone(), image.clone()))) {
            continue;
        }
        if row.before == row.after && rule.paths.is_empty() && new == old {
            draft.is_level(&to.service, &image, "is the same already");
            continue;
        }
        let (before, after) = (Version::tag(row.before.clone()), Version::tag(row.after.clone()));
        let direction = match rule.paths.is_empty() && before == after {
            // The file differs in something else than its images.
            true => Direction::Unknown,
            false if before == after => {
                draft.is_level(&to.service, &image, format!("is {} already", row.after));
                continue;
            }
            // A value need not be a tag; what the rules say about tags still holds where it is one.
            false => match after.fault() {
                Some(_) => Direction::Unknown,
                None => facts.policy.judge(&before, &after)?.direction,
            },
        };
        text = match &row.path {
            None => new.clone(),
            Some(path) => {
                set_value(&text, path, &row.after, row.style).map_err(|error| format!("{target}: {error}"))?
            }
        };
        let (before, after) = (row.before, row.after);
        let service = Some(to.service.clone());
        draft.plan.changes.push(Change {
            service,
            image,
            file: target.clone(),
            line: row.line,
            before,
            after,
            direction,
        });
    }
    draft.add_file(&target, &old, text);
    Ok(())
}

struct Row {
    path: Option<String>,
    line: usize,
    before: String,
    after: String,
    style: Style,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As text, in the quotes that stand there.
    Text,
    /// As it stands at its source: a number or a boolean stays one.
    Verbatim,
}

impl Row {
    /// What the row is called in the plan.
    fn name(&self, file: &str) -> String {
        self.path.as_ref().map_or_else(|| file.to_owned(), |path| format!("{file}:{path}"))
    }
}

/// A whole file, told by the versions of the images in it.
fn whole(new: &str, old: &str) -> Vec<Row> {
    let versions = |text: &str| {
        let images = tree::parse(text).map(|documents| workload::images(&documents)).unwrap_or_default();
        let versions: BTreeSet<String> = images.into_iter().map(|found| found.image.version.to_string()).collect();
        versions.into_iter().collect::<Vec<_>>().join(", ")
    };
    vec![Row { path: None, line: 1, before: versions(old), after: versions(new), style: Style::Text }]
}

fn values(rule: &Rule, source: &str, new: &str, target: &str, old: &str) -> Result<Vec<Row>, String> {
    let parse = |file: &str, text: &str| tree::parse_one(text).map_err(|error| format!("{file}: {error}"));
    let (new, old) = (parse(source, new)?, parse(target, old)?);
    let mut rows = Vec::new();
    for path in &rule.paths {
        let (Some(after), Some(before)) = (at(&new, path), at(&old, path)) else {
            return Err(format!("{path} is not in both of {source} and {target}"));
        };
        let text = |node: &Node| node.text().map(str::to_owned).ok_or_else(|| format!("{path} is no single value"));
        let plain = |node: &Node| matches!(node.content, Content::Scalar(_, ScalarStyle::Plain));
        let style = if plain(before) && plain(after) { Style::Verbatim } else { Style::Text };
        let path = Some(path.clone());
        rows.push(Row { path, line: before.line, before: text(before)?, after: text(after)?, style });
    }
    Ok(rows)
}

/// The node at a dotted path, list elements by number in brackets: `containers[0].image`.
fn at<'a>(root: &'a Node, path: &str) -> Option<&'a Node> {
    steps(path).into_iter().try_fold(root, |node, step| match step.parse::<usize>() {
        Ok(index) if !node.items().is_empty() => node.items().get(index),
        _ => node.get(&step),
    })
}

fn steps(path: &str) -> Vec<String> {
    path.replace('[', ".").replace(']', "").split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

fn set_value(text: &str, path: &str, value: &str, style: Style) -> Result<String, YamlError> {
    let root = tree::parse_one(text)?;
    let node = at(&root, path).ok_or_else(|| YamlError::new(0, format!("{path} does not exist")))?;
    let written = splice::set_scalar(text, node, value)?;
    let (splice, meaning) = match style {
        Style::Text => (written, Value::from(value)),
        Style::Verbatim => {
            let meaning = yaml_serde::from_str(value).unwrap_or_else(|_| Value::from(value));
            (Splice { text: value.to_owned(), ..written }, meaning)
        }
    };
    let after = splice::apply(text, &[splice])?;
    guard::verify(text, &after, |root| {
        let target =
            steps(path).into_iter().try_fold(root, |node, step| match (node.is_sequence(), step.parse::<usize>()) {
                (true, Ok(index)) => node.get_mut(index),
                _ => node.get_mut(step.as_str()),
            });
        target.into_iter().for_each(|target| *target = meaning.clone());
    })?;
    Ok(after)
}

/// Values that rules move, for the matrix of versions: by file and path.
pub(crate) fn declared(facts: &Facts<'_>, overlay: &Overlay) -> BTreeMap<String, String> {
    let mut declared = BTreeMap::new();
    for rule in &facts.repository.config.promote {
        let text = path(rule, overlay).and_then(|path| facts.repository.read_text(&path).ok());
        let Some(root) = text.and_then(|text| tree::parse_one(&text).ok()) else { continue };
        for path in &rule.paths {
            if let Some(value) = at(&root, path).and_then(Node::text) {
                declared.insert(format!("{}:{path}", rule.file), value.to_owned());
            }
        }
    }
    declared
}
