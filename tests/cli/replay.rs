//! Real bumps from public history: `set-image --file` writes, byte for byte, the commits of people.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

/// Pairs of files before and after a commit that changed nothing but versions.
#[derive(Deserialize)]
struct Pair {
    commit: String,
    path: String,
    before: String,
    after: String,
}

/// The corpora: `UCP_REPLAY` names a file or directory, and the folder next to the repository is the default.
fn corpora() -> Vec<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/replay");
    let place = std::env::var_os("UCP_REPLAY").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if place.is_file() {
        return vec![place];
    }
    let entries = std::fs::read_dir(place).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    entries.filter(|path| path.to_string_lossy().contains(".jsonl")).collect()
}

fn read(path: &PathBuf) -> Vec<Pair> {
    let text = if path.extension().is_some_and(|extension| extension == "xz") {
        let output = Command::new("xz").args(["--decompress", "--stdout", "--"]).arg(path).output().unwrap();
        assert!(output.status.success(), "xz cannot read {}", path.display());
        String::from_utf8(output.stdout).unwrap()
    } else {
        std::fs::read_to_string(path).unwrap()
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The versions that the commit gave, by a reader of its own.
fn versions(text: &str) -> BTreeMap<String, (Option<String>, Option<String>)> {
    let root: yaml_serde::Value = yaml_serde::from_str(text).unwrap();
    let images = root.get("images").and_then(|images| images.as_sequence()).cloned().unwrap_or_default();
    let text =
        |image: &yaml_serde::Value, key: &str| image.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    images
        .iter()
        .filter_map(|image| Some((text(image, "name")?, (text(image, "newTag"), text(image, "digest")))))
        .collect()
}

fn arguments(pair: &Pair) -> Vec<String> {
    let before = versions(&pair.before);
    let changed = versions(&pair.after).into_iter().filter(|(name, version)| before.get(name) != Some(version));
    changed
        .map(|(name, (tag, digest))| {
            let tag = tag.map(|tag| format!(":{tag}")).unwrap_or_default();
            let digest = digest.map(|digest| format!("@{digest}")).unwrap_or_default();
            format!("{name}{tag}{digest}")
        })
        .collect()
}

#[test]
fn real_bumps_are_written_as_people_wrote_them() {
    let corpora = corpora();
    if corpora.is_empty() {
        use std::io::Write as _;
        // Bypasses the test runner's capture: a test that did not run must report it.
        let _ = writeln!(
            std::io::stderr(),
            "REPLAY DID NOT RUN: no corpus beside the repository, and UCP_REPLAY names none"
        );
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    for corpus in corpora {
        let pairs = read(&corpus);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let worker = |number: usize| {
            let file = directory.path().join(format!("kustomization-{number}.yaml"));
            let mut misses = Vec::new();
            while let Some(pair) = pairs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                std::fs::write(&file, &pair.before).unwrap();
                let mut command = crate::gitops::command(crate::support::command::program(), directory.path());
                command.args(["set-image", "--yes", "--allow-downgrade", "-o", "name", "--file"]).arg(&file);
                let run = crate::gitops::Run::of(command.args(arguments(pair)).output().unwrap());
                let written = std::fs::read_to_string(&file).unwrap();
                assert!(run.code == Some(0) || written == pair.before, "a refusal changed {}", pair.path);
                if written != pair.after {
                    misses.push(format!("{} {}: {}", pair.commit, pair.path, run.stderr));
                }
            }
            misses
        };
        let misses: Vec<String> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..2).map(|number| scope.spawn(move || worker(number))).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        });
        let (all, missed) = (pairs.len(), misses.len());
        assert!(all > 0, "{} holds no pair", corpus.display());
        assert!(missed * 1000 <= all, "{missed} of {all} differ:\n{}", misses.join("\n"));
    }
}

/// One edited file of a real commit, and the versions to set.
#[derive(Deserialize)]
struct Edit {
    repo: String,
    file: String,
    before: String,
    after: String,
    targets: Vec<Aim>,
}

#[derive(Deserialize)]
struct Aim {
    path: String,
    artifact: Option<String>,
    to: String,
    #[serde(default)]
    unique: bool,
}

#[test]
fn versions_of_every_kind_are_written_as_people_wrote_them() {
    use ucp::promote::policy::{Downgrades, MutableTags, Policy};
    use ucp::promote::single::{SlotScope, assignments, plan};
    let policy = Policy { downgrades: Downgrades::Allowed, mutable_tags: MutableTags::Warned };
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/replay/versions");
    for entry in std::fs::read_dir(place).into_iter().flatten() {
        let path = entry.unwrap().path();
        if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("edits-")) {
            continue;
        }
        let output = Command::new("xz").args(["--decompress", "--stdout", "--"]).arg(&path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let edits: Vec<Edit> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (mut wrong, mut refused) = (Vec::new(), Vec::new());
        for edit in &edits {
            let named = |aim: &Aim| match &aim.artifact {
                Some(artifact) if aim.unique => format!("{artifact}={}", aim.to),
                _ => format!(".{}={}", aim.path, aim.to),
            };
            let words: Vec<String> = edit.targets.iter().map(named).collect();
            let name = edit.file.rsplit('/').next().unwrap();
            let assignments = assignments(&words, SlotScope::Everything).unwrap();
            match plan(name, &edit.before, &assignments, policy, SlotScope::Everything) {
                Ok(plan) if plan.refused.is_empty() => {
                    if plan.files.first().map_or(&edit.before, |file| &file.after) != &edit.after {
                        wrong.push(format!("{} {}: {words:?}", edit.repo, edit.file));
                    }
                }
                other => refused.push(format!("{} {}: {words:?}: {other:?}", edit.repo, edit.file)),
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), wrong.join("\n"));
        assert!(refused.len() * 100 <= edits.len(), "{}:\n{}", path.display(), refused.join("\n"));
    }
}
