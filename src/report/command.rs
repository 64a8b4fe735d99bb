//! Follow-up commands in documents, directed at the core cluster that was read instead of the current context.

use ucp_core::model::shell::quote_word;
use ucp_core::model::state::Origin;

/// Returns the command line with flags for its source. In a pipeline, every command that reads a cluster gets them.
pub fn command_at(command: &str, source: &Origin) -> String {
    match source {
        Origin::Cluster { context, .. } if context.is_empty() => command.to_owned(),
        Origin::Cluster { context, .. } => {
            with_flags(command, |words| context_flag_of_command(words).map(|flag| (flag, context)))
        }
        // A user of a snapshot may have no access to the cluster, and the snapshot has no kubeconfig context.
        Origin::Snapshot { path } => with_flags(command, |words| reads_snapshots(words).then_some(("--from", path))),
    }
}

/// Commands of this program that read a live cluster and do not support snapshots.
pub const LIVE_ONLY: &[&str] =
    &["wait", "plan", "set-version", "set-image", "release-cluster", "secrets sync", "snapshot", "version"];

fn reads_snapshots(words: &[&str]) -> bool {
    let Some(ours) = words.strip_prefix(&["kubectl", "ucp"]) else { return false };
    !(1..=ours.len().min(2)).any(|length| LIVE_ONLY.contains(&ours[..length].join(" ").as_str()))
}

/// Returns the flag that a program uses for the context; for `xargs`, that of the program it runs.
fn context_flag_of_command(words: &[&str]) -> Option<&'static str> {
    let program = match words.first()? {
        &"xargs" => words.iter().find(|word| context_flag_of_program(word).is_some())?,
        first => first,
    };
    context_flag_of_program(program)
}

fn context_flag_of_program(program: &str) -> Option<&'static str> {
    match program {
        "kubectl" | "flux" => Some("--context"),
        "helm" => Some("--kube-context"),
        _ => None,
    }
}

fn with_flags<'a>(command: &str, flag: impl Fn(&[&str]) -> Option<(&'static str, &'a String)>) -> String {
    let mut text = String::new();
    for (part, after) in split_commands(command) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let value = flag(&words).map(|(flag, value)| (flag, quote_word(value)));
        let Some((flag, value)) = value else {
            text.extend([part, after]);
            continue;
        };
        // The arguments after ` -- ` are for the program in the pod.
        let is_unquoted = |at: &usize| !quoted_bytes(part)[*at];
        let end = part.match_indices(" -- ").map(|(at, _)| at).find(is_unquoted).unwrap_or(part.trim_end().len());
        text.extend([&part[..end], " ", flag, " ", &value, &part[end..], after]);
    }
    text
}

/// Splits a line into commands, each with the separator that follows it: an operator or a comment.
fn split_commands(line: &str) -> Vec<(&str, &str)> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    let (bytes, quoted) = (line.as_bytes(), quoted_bytes(line));
    let is_operator = |at: usize| !quoted[at] && matches!(bytes[at], b'|' | b'&' | b';');
    while at < bytes.len() {
        if !quoted[at] && bytes[at] == b'#' && at > 0 && bytes[at - 1] == b' ' && !quoted[at - 1] {
            parts.push((&line[start..at], &line[at..]));
            return parts;
        }
        let end = (at..bytes.len()).find(|index| !is_operator(*index)).unwrap_or(bytes.len());
        if end > at {
            parts.push((&line[start..at], &line[at..end]));
            start = end;
        }
        at = end.max(at + 1);
    }
    parts.push((&line[start..], ""));
    parts
}

/// Returns for each byte of a line if the shell takes it literally: in quotes, or after a backslash.
fn quoted_bytes(line: &str) -> Vec<bool> {
    let (mut quoted, mut quote, mut is_escaped) = (Vec::with_capacity(line.len()), None, false);
    for byte in line.bytes() {
        quoted.push(is_escaped || quote.is_some());
        match quote {
            _ if is_escaped => is_escaped = false,
            // Within single quotes, a backslash is just one.
            Some(b'"') | None if byte == b'\\' => is_escaped = true,
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            _ => {}
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_names_the_source() {
        let cluster = Origin::Cluster { context: "core a".into(), server: "https://a".into() };
        let snapshot = Origin::Snapshot { path: "a.tar.gz".into() };
        for (command, at_cluster, in_snapshot) in [
            ("kubectl ucp tree a/b", "kubectl ucp tree a/b --context 'core a'", "kubectl ucp tree a/b --from a.tar.gz"),
            ("kubectl ucp version", "kubectl ucp version --context 'core a'", "kubectl ucp version"),
            ("kubectl describe a/b", "kubectl describe a/b --context 'core a'", "kubectl describe a/b"),
            ("flux events -n x", "flux events -n x --context 'core a'", "flux events -n x"),
            ("helm uninstall a", "helm uninstall a --kube-context 'core a'", "helm uninstall a"),
            ("argocd app get a", "argocd app get a", "argocd app get a"),
        ] {
            assert_eq!(command_at(command, &cluster), at_cluster);
            assert_eq!(command_at(command, &snapshot), in_snapshot);
        }
    }

    /// If one part of a line used another cluster than the rest, it could change the wrong one.
    #[test]
    fn each_command_of_a_line_uses_the_same_cluster() {
        let cluster = Origin::Cluster { context: "a".into(), server: String::new() };
        for (command, expected) in [
            (
                "kubectl get x -o json | kubectl replace -f - && kubectl patch x -p '{\"a\":\"b|c && d # e\"}'",
                "kubectl get x -o json --context a | kubectl replace -f - --context a && kubectl patch x -p '{\"a\":\"b|c && d # e\"}' --context a",
            ),
            (
                "kubectl get x -o yaml | crossplane beta convert y - -o x.yaml",
                "kubectl get x -o yaml --context a | crossplane beta convert y - -o x.yaml",
            ),
            (
                "kubectl get x -o name | xargs -n1 kubectl patch -n y",
                "kubectl get x -o name --context a | xargs -n1 kubectl patch -n y --context a",
            ),
            // A name is no operator, comment, or separator.
            (r"kubectl get x/a\;b\|\ #c -o yaml", r"kubectl get x/a\;b\|\ #c -o yaml --context a"),
            ("kubectl get 'x/a -- b' -o yaml", "kubectl get 'x/a -- b' -o yaml --context a"),
            (r"kubectl get x/\'a\ --\ \; -o yaml", r"kubectl get x/\'a\ --\ \; -o yaml --context a"),
            ("kubectl edit x # take it out", "kubectl edit x --context a # take it out"),
            ("kubectl exec x -- ls -- y", "kubectl exec x --context a -- ls -- y"),
        ] {
            assert_eq!(command_at(command, &cluster), expected);
        }
        let current = Origin::Cluster { context: String::new(), server: String::new() };
        assert_eq!(command_at("kubectl get x", &current), "kubectl get x");
    }
}
