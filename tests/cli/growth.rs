//! Repositories that are four times as large: reading them takes about four times as long, and never sixteen times.
//!
//! It compares the CPU time of one run with that of another: neither the speed of the machine matters, nor its other
//! work.

use std::process::Stdio;
use std::time::Duration;

use wait4::Wait4 as _;

use crate::gitops::{Gitops, deployment};

/// Sixteen would be each with each; sorting and page faults make somewhat more than four of it.
const ALLOWED: f64 = 7.0;
const ENVIRONMENTS: [&str; 2] = ["stage", "prod"];

/// A way to be large: the files of an environment, for a number of the items that grow.
type Files = fn(&str, usize) -> Vec<(String, String)>;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// A run must use this much CPU time, in seconds, to be compared: the clock counts in hundredths.
const MEASURABLE: f64 = 0.1;

/// The sizes at which the search for a measurable one starts.
const SHAPES: [(&str, usize, Files); 9] = [
    ("keys of a mapping", 400, |environment, count| {
        vec![(format!("versions/{environment}.yaml"), lines(count, |key| format!("svc{key}Version: 1.{key}.0\n")))]
    }),
    ("values on one line", 1500, |environment, count| {
        let pairs: Vec<String> = (0..count).map(|key| format!("\"key{key}\": \"text # {key}\"")).collect();
        vec![(format!("values/{environment}.json"), format!("{{{}}}", pairs.join(", ")))]
    }),
    ("texts with versions in them", 100, |environment, count| {
        let text = |key| format!("  f{key}.yaml: |\n    image:\n      repository: r/x{key}\n      tag: 1.{key}.0\n");
        let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n";
        vec![(format!("texts/{environment}.yaml"), format!("{head}{}", lines(count, text)))]
    }),
    ("documents of a file", 100, |environment, count| {
        let documents =
            lines(count, |number| deployment(&format!("s{number}"), &format!("r/x{number}:1.0.0")) + "---\n");
        vec![(format!("documents/{environment}.yaml"), documents)]
    }),
    ("items of a list", 300, |environment, count| {
        let items = lines(count, |number| format!("- {{name: s{number}, version: 1.{number}.0}}\n"));
        vec![(format!("values/{environment}.yaml"), format!("services:\n{items}"))]
    }),
    ("images and workloads of a kustomization", 100, |environment, count| {
        let entries = lines(count, |number| format!("- {{name: r/x{number}, newTag: 1.{number}.0}}\n"));
        let workloads = lines(count, |number| deployment(&format!("s{number}"), &format!("r/x{number}")) + "---\n");
        vec![
            (format!("many/{environment}/kustomization.yaml"), format!("resources: [all.yaml]\nimages:\n{entries}")),
            (format!("many/{environment}/all.yaml"), workloads),
        ]
    }),
    ("services", 60, |environment, count| {
        let files = (0..count).flat_map(|number| {
            let base = (format!("s{number}/base/kustomization.yaml"), "resources: [app.yaml]\n".to_owned());
            let app = (format!("s{number}/base/app.yaml"), deployment(&format!("s{number}"), &format!("r/x{number}")));
            let overlay = format!("resources: [../../base]\nimages: [{{name: r/x{number}, newTag: v1}}]\n");
            [base, app, (format!("s{number}/overlays/{environment}/kustomization.yaml"), overlay)]
        });
        files.collect()
    }),
    ("values files of a directory", 150, |environment, count| {
        let text = |number| format!("image: {{repository: r/x{number}, tag: 1.{number}.0}}\n");
        (0..count).map(|number| (format!("values/values-{environment}{number}-x.yaml"), text(number))).collect()
    }),
    ("Applications with values files", 100, |environment, count| {
        let files = (0..count).flat_map(|number| {
            let application = format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {environment}-{number}}}\nspec:\n  \
                 source: {{repoURL: https://x/y, path: chart, helm: {{valueFiles: [../values/{environment}/s{number}.yaml]}}}}\n"
            );
            let values = format!("image: {{repository: r/x{number}, tag: 1.{number}.0}}\n");
            [
                (format!("apps/{environment}-{number}.yaml"), application),
                (format!("values/{environment}/s{number}.yaml"), values),
            ]
        });
        files.collect()
    }),
];

/// The CPU time for reading a repository with a number of the items that grow.
fn cost(files: Files, count: usize) -> Duration {
    let repository = Gitops::with(&[]);
    for (path, text) in ENVIRONMENTS.into_iter().flat_map(|environment| files(environment, count)) {
        repository.write(&path, &text);
    }
    let once = || {
        let mut command = repository.command(crate::support::command::program());
        let child =
            command.args(["images", "-o", "json"]).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
        let used = child.wait4().unwrap();
        assert!(used.status.success());
        used.rusage.utime + used.rusage.stime
    };
    once()
}

#[test]
fn the_time_to_read_a_repository_grows_linearly() {
    let started = cost(|_, _| Vec::new(), 0);
    let mut worst = Vec::new();
    for (name, count, files) in SHAPES {
        let seconds = |count| cost(files, count).saturating_sub(started).as_secs_f64();
        let sizes = (0..7).map(|doubled| count << doubled).map(|count| (count, seconds(count)));
        let (count, mut few) =
            sizes.into_iter().find(|(_, seconds)| *seconds >= MEASURABLE).expect("a measurable size");
        let mut many = seconds(count * 4);
        // The less of two decides, because other tests run at the same time.
        if many / few > ALLOWED {
            (few, many) = (few.min(seconds(count)), many.min(seconds(count * 4)));
        }
        let growth = many / few;
        eprintln!("{name}: {few:.2} s for {count}, {many:.2} s for {}: {growth:.1}", count * 4);
        if growth > ALLOWED {
            worst.push(format!("{name}: {growth:.1} times the CPU time for four times as many"));
        }
    }
    assert!(worst.is_empty(), "{}", worst.join("; "));
}
