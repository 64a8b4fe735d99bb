//! Renders the steps of a teardown as a script, which stops at the first failure and can be run again, also after its last
//! commands removed kinds. At what needs a decision or an editor, it stops until the user says that it is done.

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
    text.push_str(FUNCTIONS);
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
        let is_manual = step.commands.iter().any(|command| is_interactive(command));
        let gate = |why: &str| {
            let variable = format!("STEP_{}_DONE", number + 1);
            let why = quoted(&format!("{why}, then run this script with {variable}=yes"));
            format!("[ \"${{{variable}:-}}\" = yes ] || {{ echo {why} >&2; exit 1; }}\n")
        };
        match step.runs_in {
            RunsIn::Core => {
                let _ = writeln!(text, "echo {}", quoted(&format!("{}. {title}", number + 1)));
                for command in commands {
                    let line = at_source(plan, &command);
                    match is_interactive(&command) {
                        true => text.push_str(&format!("# {line}\n")),
                        false => text.push_str(&rerunnable(&line)),
                    }
                }
                if is_manual {
                    text.push_str(&gate("run the commands in the comments of this step"));
                }
            }
            RunsIn::Person => {
                for command in commands {
                    let _ = writeln!(text, "# {}", at_source(plan, &command));
                }
                text.push_str(&gate("decide about the commands in the comments of this step"));
            }
            RunsIn::AppClusters => {
                commands.for_each(|command| {
                    let _ = writeln!(text, "# {command}");
                });
                text.push_str(&gate("delete the objects in app clusters that the comments list"));
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

/// Shell functions of the script. `exists` fails if nothing is there, and stops the script if that is unknown: a kind that
/// the server does not list is gone only if nothing defines it.
const FUNCTIONS: &str = r#"
stop() { echo "$1" >&2; exit 1; }
defined() { # KIND.GROUP [--context NAME]
  local kind="$1" all
  shift
  case "${kind#*.}" in "$kind" | *.k8s.io) return 0 ;; *.*) ;; *) return 0 ;; esac
  all=$(kubectl get customresourcedefinitions.apiextensions.k8s.io "$@" \
    -o jsonpath='{range .items[*]}{.spec.names.kind}.{.spec.group}{"\n"}{.metadata.name}{"\n"}{end}') \
    || stop "the definitions of kinds cannot be read"
  grep -qixF -- "$kind" <<<"$all"
}
exists() { # KIND.GROUP[/NAME] [FLAGS]
  local answer error kind="${1%%/*}" flags=("${@:2}") context=() i
  for ((i = 0; i < ${#flags[@]}; i++)); do
    if [ "${flags[i]}" = --context ]; then context=(--context "${flags[i + 1]}"); fi
  done
  # An object that was not found is gone if its kind can be listed.
  if error=$(kubectl get "$kind" ${flags[@]+"${flags[@]}"} -o name 2>&1 >/dev/null); then
    answer=$(kubectl get "$@" --ignore-not-found -o name) || stop "$1 cannot be read"
    [ -n "$answer" ]
    return
  fi
  case "$error" in
    *"the server doesn't have a resource type"* | *"could not find the requested resource"*) ;;
    *) stop "$error" ;;
  esac
  if defined "$kind" ${context[@]+"${context[@]}"}; then stop "$error"; fi
  return 1
}
"#;

/// Returns true if a command opens an editor.
fn is_interactive(command: &str) -> bool {
    command.starts_with("kubectl edit ")
}

/// Returns lines that run a command unless it was run before.
fn rerunnable(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let object = match words.as_slice() {
        ["helm", "uninstall", ..] => {
            return format!("{}\n", command.replacen("uninstall", "uninstall --ignore-not-found", 1));
        }
        ["git", "rm", ..] => return format!("{}\n", command.replacen("rm -r", "rm -r --ignore-unmatch", 1)),
        ["git", "commit", ..] => return format!("git diff --cached --quiet || {command}\n"),
        ["kubectl", "delete", "namespace", name, ..] => format!("namespace/{name}"),
        ["kubectl", "patch" | "annotate" | "delete", object, ..] if object.contains('/') => (*object).to_owned(),
        ["kubectl", "ucp", "wait", object, ..] if object.contains('/') => (*object).to_owned(),
        // All objects of a kind.
        ["kubectl", "get", kind, ..] if words.contains(&"xargs") => (*kind).to_owned(),
        ["flux", "suspend", "kustomization", name, ..] => format!("kustomization.kustomize.toolkit.fluxcd.io/{name}"),
        ["flux", "suspend", "helmrelease", name, ..] => format!("helmrelease.helm.toolkit.fluxcd.io/{name}"),
        // It deletes its namespace last.
        ["flux", "uninstall", ..] => "namespace/flux-system".to_owned(),
        _ => return format!("{command}\n"),
    };
    // Each flag once: in a pipeline, every command has them.
    let flags: String = ["-n", "--context"]
        .iter()
        .filter_map(|name| words.windows(2).find(|pair| pair[0] == *name))
        .map(|pair| format!(" {} {}", pair[0], quoted(pair[1])))
        .collect();
    let command = match words.as_slice() {
        ["kubectl", "delete", ..] => command.replacen("delete", "delete --ignore-not-found", 1),
        ["flux", "uninstall", ..] => command.replacen("uninstall", "uninstall --silent", 1),
        _ => command.to_owned(),
    };
    format!("if exists {}{flags}; then\n  {command}\nfi\n", quoted(&object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_run_again() {
        let delete = rerunnable("kubectl delete a.b/c -n d");
        assert_eq!(delete, "if exists a.b/c -n d; then\n  kubectl delete --ignore-not-found a.b/c -n d\nfi\n");
        let patch = "kubectl patch a.b/c -n d --type=merge -p '{}' --context 'x y'";
        assert_eq!(rerunnable(patch), format!("if exists a.b/c -n d --context 'x y'; then\n  {patch}\nfi\n"));
        let wait = "kubectl ucp wait a.b/c --for gone";
        assert_eq!(rerunnable(wait), format!("if exists a.b/c; then\n  {wait}\nfi\n"));
        let each = "kubectl get a.b -n c -o name --context d | xargs -r -n1 kubectl patch -n c --context d";
        assert_eq!(rerunnable(each), format!("if exists a.b -n c --context d; then\n  {each}\nfi\n"));
        assert!(rerunnable("flux uninstall --context d").contains("flux uninstall --silent --context d\n"));
        assert!(rerunnable("git rm -r -- x").contains("--ignore-unmatch"));
    }
}
