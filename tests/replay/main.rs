//! Replays the history of Git repositories: the versions that commits set, requested by path, by name, and as
//! promotions, and the edits that the commands would make. `.ci/replay [--verbose] REPOSITORY…`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers, which is to fail loudly")]

mod change;
mod history;
mod promotion;
mod request;
mod score;

use std::collections::BTreeMap;
use std::path::PathBuf;

use change::Target;
use history::History;
use score::{Score, Texts, Tree, Verdict};
use ucp::promote::facts::PlanningFacts;

/// Trees of a repository that are asked, and commits that are read.
const TREES: usize = 6;
const COMMITS: usize = 6000;
/// Requests for each tree and kind of request.
const MOST: usize = 40;
/// Promotions for each repository, each of which needs a tree of its own.
const PROMOTIONS: usize = 16;

const COLUMNS: [&str; 5] = ["by path", "as typed", "promotions", "as shown", "proposals"];

type Scores = [Score; COLUMNS.len()];

fn main() {
    let (flags, places): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let verbose = flags.iter().any(|flag| flag == "--verbose");
    assert!(!places.is_empty(), "usage: .ci/replay [--verbose] REPOSITORY…");
    let mut totals = Scores::default();
    let mut kinds: BTreeMap<(usize, &'static str), Score> = BTreeMap::new();
    let title = |name: &str| format!("{name:<44}");
    println!("{}{}", title("repository"), COLUMNS.map(|name| format!("{name:>12}: right refused wrong")).join(""));
    for place in places {
        let path = PathBuf::from(&place);
        let mut scores = Scores::default();
        for (column, kind, verdict, text) in replay(&path) {
            if verbose && verdict != Verdict::Right {
                println!("{verdict:?} {} {kind}: {text}", COLUMNS[column]);
            }
            scores[column].add(verdict);
            totals[column].add(verdict);
            kinds.entry((column, kind)).or_default().add(verdict);
        }
        let name = path.iter().rev().map(|part| part.to_string_lossy()).find(|part| part != "repo" && part != ".git");
        println!("{}{}", title(&name.unwrap_or_default()), scores.map(|score| score.to_string()).join(""));
    }
    println!("{}{}", title("all"), totals.map(|score| score.to_string()).join(""));
    for ((column, kind), score) in kinds {
        println!("{}{score}", title(&format!("{}: {kind}", COLUMNS[column])));
    }
}

/// Result of a request: its column, its kind, and its text.
type Answer = (usize, &'static str, Verdict, String);

fn replay(repository: &std::path::Path) -> Vec<Answer> {
    let mut history = History::read(repository, COMMITS);
    let count = history.commits.len();
    let mut answers = Vec::new();
    for at in (1..=TREES).map(|number| count * number / (TREES + 1)).filter(|at| *at > 0) {
        let blobs = history.check_out(at);
        // The commits after it that found their files as they are in the tree.
        let after = (at.saturating_sub(count / TREES + 50)..at).rev();
        let is_here = |index: &usize| {
            history.commits[*index].files.iter().all(|file| blobs.get(&file.path) == Some(&file.before))
        };
        let after: Vec<usize> = after.filter(is_here).collect();
        let changes: Vec<Change> = after.into_iter().filter_map(|index| Change::read(&mut history, index)).collect();
        if !changes.is_empty() {
            Tree::read(&history.top).with_facts(|facts| answers.extend(ask(facts, &changes)));
        }
    }
    let mut carried = Vec::new();
    for index in 0..count.saturating_sub(1) {
        if let Some(change) = Change::read(&mut history, index)
            && let Some(source) = promotion::Source::find(&mut history, index, &change.targets)
        {
            carried.push((index, change, source));
        }
    }
    let step = carried.len().div_ceil(PROMOTIONS).max(1);
    for (index, change, source) in carried.iter().step_by(step) {
        history.check_out(index + 1);
        let answer = Tree::read(&history.top).with_facts(|facts| source.replay(facts, &change.targets, &change.texts));
        answers.push((2, change.targets[0].kind, answer.0, format!("{} {}", change.id, answer.1)));
    }
    answers
}

/// A commit that changed nothing but versions.
struct Change {
    id: String,
    message: String,
    targets: Vec<Target>,
    texts: Texts,
}

impl Change {
    fn read(history: &mut History, index: usize) -> Option<Self> {
        let files = history.commits[index].files.clone();
        let (mut targets, mut texts) = (Vec::new(), Texts::new());
        for file in files {
            let (before, after) = (history.blob(&file.before)?, history.blob(&file.after)?);
            targets.extend(change::targets(&file.path, &before, &after)?);
            texts.insert(file.path, (before, after));
        }
        let commit = &history.commits[index];
        Some(Self { id: commit.id[..10].to_owned(), message: commit.message.clone(), targets, texts })
    }
}

/// Asks for the changes in every way.
fn ask(facts: &PlanningFacts<'_>, changes: &[Change]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut counts = [0; COLUMNS.len()];
    for Change { id, message, targets, texts } in changes {
        let mut add = |column: usize, kind: &'static str, answer: &dyn Fn() -> (Verdict, String)| {
            counts[column] += 1;
            if counts[column] <= MOST {
                let (verdict, text) = answer();
                answers.push((column, kind, verdict, format!("{id} {text}")));
            }
        };
        for (path, (before, after)) in texts {
            let of_file: Vec<&Target> = targets.iter().filter(|target| target.file == *path).collect();
            add(0, of_file[0].kind, &|| score::edit(path, before, after, &of_file));
        }
        for bump in request::bumps(targets, message, facts.catalog) {
            for name in &bump.names {
                let answer = std::cell::RefCell::new(None);
                add(1, bump.kind, &|| {
                    let typed = score::bump(facts, name, &bump, targets, texts);
                    *answer.borrow_mut() = Some(typed.clone());
                    typed
                });
                if let Some((Verdict::Refused, refusal)) = answer.into_inner()
                    && let Some(followed) = score::proposal(facts, (name, &bump), targets, texts, &refusal)
                {
                    add(4, bump.kind, &|| followed.clone());
                }
            }
            if let Some(shown) = request::as_shown(facts.catalog, &bump, targets) {
                let name = shown.names.iter().next().map_or("", String::as_str);
                add(3, bump.kind, &|| score::bump(facts, name, &shown, targets, texts));
            }
        }
    }
    answers
}
