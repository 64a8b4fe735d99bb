//! Every claim of `docs/comparison.md` about this program has a proof in `claims.yaml`: a test, or a command that prints the
//! claim. A claim without a proof fails here, and so does a claim whose proof was removed.

use std::collections::BTreeSet;

use regex::Regex;
use serde::Deserialize;

use crate::reader::Reader;

const PAGE: &str = "docs/comparison.md";
/// Tools that users of core clusters know, of which the page has a row.
const PEERS: [&str; 24] = [
    "kubectl get managed",
    "crossplane resource trace",
    "argocd app list",
    "flux get all",
    "k9s",
    "komoplane",
    "crossview",
    "flux-operator",
    "Radar",
    "cub-scout",
    "crust-gather",
    "must-gather",
    "argocd app diff",
    "flux diff kustomization",
    "argocd-diff-preview",
    "flate",
    "crossplane-diff",
    "kustomize edit set image",
    "Renovate",
    "Image Updater",
    "Kargo",
    "argocd cluster add",
    "External Secrets",
    "Reflector",
];

/// A claim and its proof.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvenClaim {
    /// The text, as the page has it.
    claim: String,
    /// Tests that fail if it does not hold: `module::name` below `tests/cli`, or with the path from `src`.
    #[serde(default)]
    tests: Vec<String>,
    /// A command for a shell in a checkout.
    run: Option<String>,
    /// Texts that the command prints.
    #[serde(default)]
    prints: Vec<String>,
    /// A bench that fails if it does not hold, with the text in it that states the limit.
    bench: Option<(String, String)>,
}

/// A row of a table: the other tool, the same with this program, and the strength of the other one.
struct ComparisonRow {
    other: String,
    ours: String,
    better: String,
}

fn claims() -> Vec<ProvenClaim> {
    serde_saphyr::from_str(include_str!("claims.yaml")).unwrap()
}

fn page() -> String {
    std::fs::read_to_string(PAGE).unwrap()
}

fn rows(page: &str) -> Vec<ComparisonRow> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Today"));
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').replace("\\|", "\u{0}").split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(|row| match cells(row).as_slice() {
        [other, ours, better] => ComparisonRow { other: other.clone(), ours: ours.clone(), better: better.clone() },
        cells => panic!("{} cells in {row}", cells.len()),
    })
    .collect()
}

/// Sentences of the page below "How fast" that promise something.
fn promises(page: &str) -> Vec<String> {
    let section = page.split("\n## How fast\n").nth(1).unwrap().replace('\n', " ");
    let fails = Regex::new(r"[^.:]*\bfails? if\b[^.]*\.").unwrap();
    fails.find_iter(&section).map(|found| found.as_str().to_owned()).collect()
}

/// Returns the words of a text that no claim contains.
fn unproven<'a>(text: &str, claims: impl IntoIterator<Item = &'a str>) -> String {
    let mut claims: Vec<&str> = claims.into_iter().collect();
    claims.sort_by_key(|claim| std::cmp::Reverse(claim.len()));
    let rest = claims.into_iter().fold(text.to_owned(), |rest, claim| rest.replace(claim, " "));
    let words = Regex::new(r"[\w`/-]+").unwrap();
    let joins = ["and", "or", "with", "also", "too"];
    let left: Vec<&str> =
        words.find_iter(&rest).map(|word| word.as_str()).filter(|word| !joins.contains(word)).collect();
    left.join(" ")
}

#[test]
fn every_claim_about_this_program_has_a_proof() {
    let (page, claims) = (page(), claims());
    let known = || claims.iter().map(|claim| claim.claim.as_str());
    let texts = rows(&page).into_iter().map(|row| row.ours).chain(promises(&page));
    let unproven: Vec<String> = texts
        .filter_map(|text| {
            let left = unproven(&text, known());
            (!left.is_empty()).then(|| format!("no proof of '{left}' in: {text}"))
        })
        .collect();
    assert!(unproven.is_empty(), "{}", unproven.join("\n"));
}

#[test]
fn every_proof_is_of_a_claim_and_exists() {
    let whole = page();
    let flat = whole.replace('\n', " ");
    let mut seen = BTreeSet::new();
    for claim in claims() {
        assert!(seen.insert(claim.claim.clone()), "twice: {}", claim.claim);
        assert!(flat.contains(&claim.claim), "the page does not claim '{}'", claim.claim);
        let proofs = claim.tests.len() + usize::from(claim.run.is_some()) + usize::from(claim.bench.is_some());
        assert!(proofs > 0, "nothing proves '{}'", claim.claim);
        assert_eq!(claim.run.is_some(), !claim.prints.is_empty(), "{}", claim.claim);
        for test in &claim.tests {
            let (module, name) = test.rsplit_once("::").unwrap();
            let directory = if module.starts_with("src::") { "" } else { "tests/cli/" };
            let path = format!("{directory}{}", module.replace("::", "/"));
            let files = [format!("{path}.rs"), format!("{path}/mod.rs")];
            let text = files.iter().find_map(|file| std::fs::read_to_string(file).ok());
            let definition = Regex::new(&format!(r"#\[test\]\n(?:\s*#\[[^\n]*\n)*\s*fn {name}\(")).unwrap();
            assert!(text.is_some_and(|text| definition.is_match(&text)), "no test {test} for '{}'", claim.claim);
        }
        if let Some((file, limit)) = &claim.bench {
            let text = std::fs::read_to_string(file).unwrap();
            assert!(text.contains(limit), "{file} does not check '{limit}' for '{}'", claim.claim);
        }
    }
}

#[test]
fn commands_print_the_claims_of_the_page() {
    let reader = Reader::create();
    for claim in claims() {
        let Some(command) = &claim.run else { continue };
        let printed = reader.sees(command);
        for text in &claim.prints {
            assert!(printed.contains(text), "'{}': {command} does not print '{text}', but\n{printed}", claim.claim);
        }
    }
}

/// Abilities that the page grants to others, because this program does not have them.
#[test]
fn commands_that_only_others_have_are_refused() {
    let (page, reader) = (page(), Reader::create());
    let better: Vec<String> = rows(&page).into_iter().map(|row| row.better).collect();
    for (strength, command) in [
        ("logs", "kubectl ucp logs pod/web"),
        ("shells", "kubectl ucp exec pod/web"),
        ("port-forwards", "kubectl ucp port-forward pod/web 80"),
        ("editing", "kubectl ucp edit deployment/web"),
        ("`crossplane render`", "kubectl ucp render composition.yaml"),
    ] {
        assert!(better.iter().any(|cell| cell.contains(strength)), "the page does not mention {strength}");
        let printed = reader.sees(command);
        assert!(printed.contains("error: "), "{command} is not refused any more: correct the page\n{printed}");
    }
}

#[test]
fn every_peer_has_a_row_with_its_strength() {
    let page = page();
    let rows = rows(&page);
    for peer in PEERS {
        assert!(rows.iter().any(|row| row.other.contains(peer)), "no row about {peer}");
    }
    let without = rows.iter().filter(|row| row.better == "–").count();
    assert!(without <= 2, "{without} rows name nothing at which the other tool is better");
    assert!(rows.iter().all(|row| !row.better.is_empty() && !row.other.is_empty()));
    assert!(
        page.contains(&format!("`kubectl ucp` {}", env!("CARGO_PKG_VERSION"))),
        "the page is about another version"
    );
}

#[test]
fn an_unknown_claim_is_found() {
    assert_eq!(unproven("reads a, and writes `b`; flies", ["reads a", "writes `b`"]), "flies");
    assert_eq!(promises("\n## How fast\nOne. It fails if a\nis large. Two."), [" It fails if a is large."]);
}
