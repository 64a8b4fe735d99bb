//! Renders the steps of a teardown as a script, which stops at the first failure and can be run again. Manual decisions
//! are comments.

use std::fmt::Write as _;

use crate::report::command::command_at;
use crate::report::sources::DocumentSources;
use crate::report::teardown::TeardownPlan;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;
use ucp_features::teardown::RunsIn;

/// Returns the script of a plan.
pub(super) fn script(plan: &TeardownPlan) -> String {
    let mut text = String::from(
        "#!/usr/bin/env bash\n# This script stops at the first failure and can be run again.\nset -euo pipefail\n",
    );
    if plan.evidence().establish(()).is_err() {
        text.push_str("\n# Something is unknown, so nothing is deleted:\n");
        for entry in &plan.unreadable {
            let _ = writeln!(text, "#   {}: {}", one_line(&entry.what), one_line(&entry.reason));
        }
        let unknown = plan.items.iter().filter(|item| item.fate == ucp_features::teardown::DeletionOutcome::Unknown);
        for item in unknown {
            let reason = item.reason.as_deref().unwrap_or_default();
            let _ = writeln!(text, "#   {}: {}", one_line(&item.object.to_string()), one_line(reason));
        }
        text.push_str("echo 'something is unknown: see the comments in this script' >&2\nexit 4\n");
        return text;
    }
    for (number, step) in plan.steps.iter().enumerate() {
        let title = one_line(&step.title);
        let _ = writeln!(text, "\n# {}. {title} ({})", number + 1, step.why);
        let commands = step.commands.iter().map(|command| one_line(command));
        match step.runs_in {
            RunsIn::Core => {
                let _ = writeln!(text, "echo {}", quoted(&format!("{}. {title}", number + 1)));
                for command in commands {
                    text.push_str(&rerunnable(&at_source(plan, &command)));
                }
            }
            RunsIn::Person => commands.for_each(|command| {
                let _ = writeln!(text, "# {}", at_source(plan, &command));
            }),
            RunsIn::AppClusters => {
                commands.for_each(|command| {
                    let _ = writeln!(text, "# {command}");
                });
                let why = "delete the objects in app clusters that the comments list, then run this script with APP_CLUSTERS_DONE=yes";
                let _ =
                    writeln!(text, "[ \"${{APP_CLUSTERS_DONE:-}}\" = yes ] || {{ echo {} >&2; exit 1; }}", quoted(why));
            }
        }
    }
    text
}

fn at_source(plan: &TeardownPlan, command: &str) -> String {
    match &plan.header.source {
        DocumentSources::One(origin @ Origin::Cluster { .. }) => command_at(command, origin),
        _ => command.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| "''".to_owned(), |text| text.into_owned())
}

/// Returns lines that run a command unless it was run before. Checks for the object first; the script stops if this
/// check fails.
fn rerunnable(command: &str) -> String {
    let (bare, _) = command.split_once(" # ").unwrap_or((command, ""));
    let words = shlex::split(bare).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let flags = |names: &[&str]| -> String {
        let pairs = words.windows(2).filter(|pair| names.contains(&pair[0]));
        pairs.map(|pair| format!(" {} {}", pair[0], quoted(pair[1]))).collect()
    };
    let object = match words.as_slice() {
        ["kubectl", "delete", ..] => {
            return format!("{}\n", command.replacen("delete", "delete --ignore-not-found", 1));
        }
        ["helm", "uninstall", ..] => {
            return format!("{}\n", command.replacen("uninstall", "uninstall --ignore-not-found", 1));
        }
        ["kubectl", "patch" | "annotate" | "edit", object, ..] if object.contains('/') => (*object).to_owned(),
        ["flux", "suspend", "kustomization", name, ..] => format!("kustomization.kustomize.toolkit.fluxcd.io/{name}"),
        ["flux", "suspend", "helmrelease", name, ..] => format!("helmrelease.helm.toolkit.fluxcd.io/{name}"),
        _ => return format!("{command}\n"),
    };
    let place = flags(&["-n", "--context"]);
    format!(
        "found=$(kubectl get {}{place} --ignore-not-found -o name)\nif [ -n \"$found\" ]; then\n  {command}\nfi\n",
        quoted(&object)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_run_again() {
        assert_eq!(rerunnable("kubectl delete a/b -n c"), "kubectl delete --ignore-not-found a/b -n c\n");
        let patch = "kubectl patch a.b/c -n d --type=merge -p '{}' --context 'x y'";
        let lines = rerunnable(patch);
        let first = "found=$(kubectl get a.b/c -n d --context 'x y' --ignore-not-found -o name)\n";
        assert!(lines.starts_with(first) && lines.contains(patch), "{lines}");
        assert_eq!(rerunnable("kubectl ucp wait a/b --for gone"), "kubectl ucp wait a/b --for gone\n");
    }
}
