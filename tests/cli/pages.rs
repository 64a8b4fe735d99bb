//! The README and the pages under `docs` show real output: each `console` block is run by a real shell,
//! with the real kubectl. `SNAPSHOTS=overwrite` renews them.

use std::path::{Path, PathBuf};

use crate::reader::Reader;
use crate::support::hub;

/// The README, and the pages that it leads to.
pub(crate) fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir("docs").unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push("README.md".into());
    pages.sort();
    pages
}

/// The links of a page, each with its text: `[text](target)`.
pub(crate) fn links(markdown: &str) -> Vec<(&str, &str)> {
    let ends = markdown.match_indices("](");
    let link = ends.filter_map(|(middle, _)| {
        let text = &markdown[markdown[..middle].rfind('[')? + 1..middle];
        let target = &markdown[middle + 2..];
        Some((text, &target[..target.find(')')?]))
    });
    link.collect()
}

/// A page as it should be: below each `$ command` of a `console` block, the output of the command.
fn renewed(page: &str, reader: &Reader) -> String {
    let mut text = String::new();
    let mut is_console = false;
    for line in page.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        if is_fence {
            is_console = line == "```console\n";
        }
        match line.strip_prefix("$ ") {
            Some(command) if is_console => {
                text.push_str(line);
                text.push_str(&reader.sees(command.trim_end()));
            }
            _ if is_console && !is_fence => {}
            _ => text.push_str(line),
        }
    }
    text
}

#[test]
fn every_console_block_shows_the_output_of_its_commands() {
    let reader = Reader::create();
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        snapbox::assert_data_eq!(renewed(&page, &reader), snapbox::Data::read_from(&path, None).raw());
    }
}

/// The first two numbers of the version of a module that tests are built with.
fn tested(directory: &str, module: &str) -> String {
    let list = std::fs::read_to_string(format!("tests/{directory}/go.mod")).unwrap();
    let versions = list.lines().filter_map(|line| line.trim().trim_start_matches("require ").strip_prefix(module));
    let version = versions.filter_map(|rest| rest.strip_prefix(" v")).next().unwrap_or_else(|| panic!("no {module}"));
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

#[test]
fn every_page_ends_with_the_versions_that_it_was_tested_with() {
    // Flux 2.9 has version 1.9 of its kustomize-controller.
    let flux = tested("engines/flux", "github.com/fluxcd/kustomize-controller").replacen("1.", "2.", 1);
    let expected = format!(
        "\nTested with `kubectl ucp` {} on Kubernetes {}, with Crossplane {}, Argo CD {} and Flux {flux}.\n",
        env!("CARGO_PKG_VERSION"),
        tested("envtest", "k8s.io/kubernetes"),
        tested("engines/crossplane", "github.com/crossplane/crossplane/v2"),
        tested("engines/argocd", "github.com/argoproj/argo-cd/v3"),
    );
    // A program writes the page about platforms.
    for page in pages().iter().filter(|page| page.starts_with("docs") && !page.ends_with("platforms.md")) {
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.ends_with(&expected), "{} does not end with:{expected}", page.display());
    }
}

/// GitHub's anchor for a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    kept.map(|character| if character == ' ' { '-' } else { character }).collect()
}

#[test]
fn every_link_has_a_target() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (_, target) in links(&text).into_iter().filter(|(_, target)| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap_or(Path::new("")).join(file) };
            assert!(path.exists(), "{}: {target}", page.display());
            let headings = || std::fs::read_to_string(&path).unwrap();
            assert!(
                heading.is_empty() || headings().lines().any(|line| line.starts_with('#') && anchor(line) == heading),
                "{}: {target}",
                page.display()
            );
        }
    }
}

#[test]
fn the_readme_links_to_every_page() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let targets: Vec<PathBuf> = links(&readme).into_iter().map(|(_, target)| target.into()).collect();
    for page in pages().iter().filter(|page| page.starts_with("docs")) {
        assert!(targets.contains(page), "nothing leads to {}", page.display());
    }
}

#[test]
fn the_snapshot_command_of_the_readme_works() {
    let Some(cluster) = hub::quotes() else { return };
    let readme = std::fs::read_to_string("README.md").unwrap();
    let script = readme.split("```").find_map(|block| block.strip_prefix("sh\n")).unwrap();
    let seen = Reader::create().sees(&format!("export KUBECONFIG={}\n{script}", cluster.kubeconfig().display()));
    assert!(
        seen.contains("16 managed resources, 2 providers\nArgo CD      3.2.0     OK        25 applications"),
        "{seen}"
    );
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let command = readme.lines().map(str::trim).find(|line| line.starts_with("cargo test")).unwrap();
    let script = std::fs::read_to_string(".ci/run").unwrap();
    assert!(script.lines().any(|line| line == command), "{command}");
}
