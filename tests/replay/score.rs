//! The edits of the commands, compared with those of a commit.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ucp::promote::assign::{self, ArtifactAssignment, AssignmentRequest};
use ucp::promote::facts::PlanningFacts;
use ucp::promote::policy::{Downgrades, MutableTags, Policy};
use ucp::promote::single::{self, SlotScope};
use ucp::report::promotion::{PromotionPlan, ReasonImportance};
use ucp_core::model::image::ImageReference;
use ucp_repo::gitops::catalog::Catalog;
use ucp_repo::gitops::catalog::query::PlaceSpread;
use ucp_repo::gitops::discover::{Discovery, discover};
use ucp_repo::gitops::effective::builder::KustomizationBuilder;
use ucp_repo::gitops::files::FileEdit;
use ucp_repo::gitops::order::{Direction, direction};
use ucp_repo::gitops::repository::Repository;

use crate::change::Target;
use crate::request::Bump;

/// Texts of files before and after a commit.
pub(crate) type Texts = BTreeMap<String, (String, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Right,
    Refused,
    Wrong,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Score {
    right: usize,
    refused: usize,
    wrong: usize,
}

impl Score {
    pub(crate) fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong => self.wrong += 1,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.right + self.refused + self.wrong;
        let share = |count: usize| if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 };
        write!(
            formatter,
            "{all:>8} {:>5.1}% {:>5.1}% {:>5.1}%",
            share(self.right),
            share(self.refused),
            share(self.wrong)
        )?;
        write!(formatter, " ({})", self.wrong)
    }
}

fn policy() -> Policy {
    Policy { downgrades: Downgrades::Allowed, mutable_tags: MutableTags::Warned }
}

/// Returns the policy of a person, who allows a downgrade only to make one.
fn policy_for(targets: &[&Target]) -> Policy {
    let version = |text: &str| ImageReference::split(&format!("x:{text}")).version;
    let goes_back = |target: &&Target| direction(&version(&target.from), &version(&target.to)) == Direction::Downgrade;
    let downgrades = if targets.iter().any(goes_back) { Downgrades::Allowed } else { Downgrades::Refused };
    Policy { downgrades, ..policy() }
}

/// Sets the versions of one file by their paths.
pub(crate) fn edit(path: &str, before: &str, after: &str, targets: &[&Target]) -> (Verdict, String) {
    let words: Vec<String> = targets.iter().map(|target| format!("{}={}", target.path, target.to)).collect();
    let text = format!("--file {path} {}", words.join(" "));
    match write(path, before, &words) {
        Err(reason) => (Verdict::Refused, format!("{text}: {reason}")),
        Ok(written) if is_same(&written, after, targets) => (Verdict::Right, text),
        Ok(written) => {
            let file = FileEdit { path: path.to_owned(), before: Some(before.to_owned()), after: written };
            (Verdict::Wrong, format!("{text}{}", difference(&[file])))
        }
    }
}

/// Returns a file with values that are set by their paths.
fn write(path: &str, before: &str, words: &[String]) -> Result<String, String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let assignments = single::assignments(words, SlotScope::Everything).map_err(|reason| reason.to_string())?;
    let plan = single::plan(name, before, &assignments, policy(), SlotScope::Everything)
        .map_err(|error| format!("{error:?}"))?;
    match plan.refused.first() {
        Some(refused) => Err(refused.reason.clone()),
        None => Ok(plan.files.into_iter().next().map_or_else(|| before.to_owned(), |file| file.after)),
    }
}

/// Compares texts. Quotes are required around a version that YAML reads as a number, although people omit them.
fn is_same(written: &str, expected: &str, targets: &[&Target]) -> bool {
    let is_number = targets.iter().any(|target| target.to.parse::<f64>().is_ok());
    let plain = |text: &str| text.replace(['"', '\''], "");
    written == expected || is_number && plain(written) == plain(expected)
}

/// A checkout as the commands read it.
pub(crate) struct Tree {
    repository: Repository,
    discovery: Discovery,
    catalog: Catalog,
}

impl Tree {
    pub(crate) fn read(top: &Path) -> Self {
        let repository = Repository::read(top, "repository").unwrap();
        let discovery = discover(&repository);
        let catalog = Catalog::read(&repository, &discovery);
        Self { repository, discovery, catalog }
    }

    pub(crate) fn with_facts<T>(&self, question: impl FnOnce(&PlanningFacts<'_>) -> T) -> T {
        let builder = KustomizationBuilder::new(&self.repository);
        let (repository, discovery, catalog) = (&self.repository, &self.discovery, &self.catalog);
        question(&PlanningFacts { repository, discovery, builder: &builder, catalog, policy: policy() })
    }
}

/// Sets a version by its name.
pub(crate) fn bump(
    facts: &PlanningFacts<'_>,
    name: &str,
    bump: &Bump,
    targets: &[Target],
    texts: &Texts,
) -> (Verdict, String) {
    spread(facts, name, bump, targets, texts, PlaceSpread::Together)
}

fn spread(
    facts: &PlanningFacts<'_>,
    name: &str,
    bump: &Bump,
    targets: &[Target],
    texts: &Texts,
    spread: PlaceSpread,
) -> (Verdict, String) {
    let environment = bump.environment.clone();
    let text = format!("set-version {} {name}={}", environment.as_deref().unwrap_or_default(), bump.version);
    let Ok(assignment) = format!("{name}={}", bump.version).parse::<ArtifactAssignment>() else {
        return (Verdict::Refused, format!("{text}: no assignment"));
    };
    if environment.as_ref().is_some_and(|name| !facts.catalog.knows(name)) {
        return (Verdict::Refused, format!("{text}: unknown environment"));
    }
    let request = AssignmentRequest { environment, assignments: vec![assignment], kinds: Vec::new(), spread };
    let of_group: Vec<&Target> = bump.targets.iter().map(|index| &targets[*index]).collect();
    let facts = &PlanningFacts { policy: policy_for(&of_group), ..*facts };
    let plan = match assign::plan(facts, &request, None) {
        Ok(plan) => plan,
        Err(error) => return (Verdict::Refused, format!("{text}: {}", error.report().replace('\n', " / "))),
    };
    // A commit can change several things, one of which has the name.
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    let is_named = |target: &&Target| plain(&format!("{} {}", target.file, target.path)).contains(&plain(name));
    let named: Vec<&Target> = of_group.iter().copied().filter(is_named).collect();
    let mut expected = vec![apply(&of_group, texts), apply(&named, texts)];
    // Artifacts with the same version are released together, such as an image and the reference to its manifests.
    let same_version: Vec<&Target> = targets.iter().filter(|target| bump.version.ends_with(&target.to)).collect();
    let written = same_version.iter().copied().filter(|target| {
        let line = |text: &str| text.split('\n').nth(target.line).map(str::to_owned);
        let file = plan.files.iter().find(|file| file.path == target.file);
        file.is_some_and(|file| line(&file.after) != file.before.as_deref().and_then(line))
    });
    let written: Vec<&Target> = written.collect();
    let is_in = |target: &&Target| written.iter().any(|other| other.file == target.file && other.line == target.line);
    if of_group.iter().all(is_in) {
        expected.push(apply(&written, texts));
    }
    if let [file] = plan.files.as_slice()
        && expected.iter().any(|files| {
            files.len() == 1 && files.get(&file.path).is_some_and(|after| is_same(&file.after, after, &of_group))
        })
    {
        return (Verdict::Right, text);
    }
    verdict(plan, &expected, text)
}

/// Follows the proposals of a refusal: a line of `.ucp.yaml`, a flag, or a command. Right means that one of them
/// leads to the change, and wrong that none does.
pub(crate) fn proposal(
    facts: &PlanningFacts<'_>,
    (name, bump): (&str, &Bump),
    targets: &[Target],
    texts: &Texts,
    refusal: &str,
) -> Option<(Verdict, String)> {
    let parts: Vec<&str> = refusal.split(" / ").map(str::trim).collect();
    let of_group: Vec<&Target> = bump.targets.iter().map(|index| &targets[*index]).collect();
    let is_command = |part: &&&str| part.contains("set-version --file");
    let commands: Vec<&str> = parts.iter().filter(is_command).copied().collect();
    let meanings = parts.iter().filter_map(|part| part.split_once("makes ")?.1.split_once(" the meaning"));
    let meanings: Vec<&str> = meanings.map(|(artifact, _)| artifact).collect();
    let spreads = parts.iter().any(|part| part.contains("--everywhere"));
    if commands.is_empty() && meanings.is_empty() && !spreads {
        return None;
    }
    // A command is right if it writes the version of the commit in one of these places.
    let sets = |command: &&str| {
        let words = command.split_once("--file ").and_then(|(_, words)| words.split_once(' '));
        let Some((path, assignment)) = words else { return false };
        let Some((before, after)) = texts.get(path) else { return false };
        let own = of_group.iter().filter(|target| target.file == path);
        own.copied().any(|target| {
            let alone = apply(&[target], &Texts::from([(path.to_owned(), (before.clone(), after.clone()))]));
            let assignment = assignment.trim().trim_matches('\'').to_owned();
            write(path, before, &[assignment]).is_ok_and(|text| is_same(&text, &alone[path], &[target]))
        })
    };
    let is_right =
        |name: &str, spread: PlaceSpread| self::spread(facts, name, bump, targets, texts, spread).0 == Verdict::Right;
    let helps = commands.iter().any(sets)
        || spreads && is_right(name, PlaceSpread::Everywhere)
        || meanings.iter().any(|artifact| is_right(artifact, PlaceSpread::Together));
    Some((if helps { Verdict::Right } else { Verdict::Wrong }, refusal.to_owned()))
}

/// Returns the files with the new lines of these targets.
pub(crate) fn apply(targets: &[&Target], texts: &Texts) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (path, (before, after)) in texts {
        let (mut old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
        let own = targets.iter().filter(|target| target.file == *path);
        own.clone().for_each(|target| old[target.line] = new[target.line]);
        if own.count() > 0 {
            files.insert(path.clone(), old.join("\n"));
        }
    }
    files
}

/// Compares a plan with the files that are right.
pub(crate) fn verdict(plan: PromotionPlan, expected: &[BTreeMap<String, String>], text: String) -> (Verdict, String) {
    if !plan.refused.is_empty() {
        return (Verdict::Refused, format!("{text}: {}", plan.refused[0].reason));
    }
    let written: BTreeMap<String, String> =
        plan.files.iter().map(|file| (file.path.clone(), file.after.clone())).collect();
    if expected.contains(&written) {
        return (Verdict::Right, text);
    }
    if written.is_empty()
        && let Some(kept) = plan.kept.iter().find(|kept| kept.weight == ReasonImportance::Telling)
    {
        return (Verdict::Refused, format!("{text}: {}", kept.reason));
    }
    let kept = plan.kept.first().map(|kept| format!(" kept: {}", kept.reason)).unwrap_or_default();
    let wanted: Vec<&String> = expected.iter().flat_map(BTreeMap::keys).collect();
    (Verdict::Wrong, format!("{text}{}{kept} (wanted: {wanted:?})", difference(&plan.files)))
}

/// Shows the changed lines of a plan.
pub(crate) fn difference(files: &[FileEdit]) -> String {
    let mut text = String::new();
    for file in files {
        let before = file.before.as_deref().unwrap_or_default();
        for (number, (old, new)) in
            before.lines().zip(file.after.lines()).enumerate().filter(|(_, (old, new))| old != new)
        {
            text.push_str(&format!("\n    {}:{}: {} -> {}", file.path, number + 1, old.trim(), new.trim()));
        }
    }
    text
}
