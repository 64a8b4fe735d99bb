//! The keys that this program adds to k9s.

use std::process::Command;

/// Substitutes variables in one argument of a plugin as k9s does (`Env.Substitute` in its `internal/view/env.go`): as text,
/// in any case of letters, the longest first.
fn substituted_by_k9s(argument: &str, values: &[(&str, &str)]) -> String {
    let is_named = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut names: Vec<String> = argument
        .match_indices('$')
        .map(|(start, _)| {
            let rest = &argument[start + 1..];
            let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            let plain = || format!("${}", &rest[..rest.find(|c| !is_named(c)).unwrap_or(rest.len())]);
            braced.map_or_else(plain, |(name, _)| format!("${{{name}}}"))
        })
        .collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(argument.to_owned(), |text, name| {
        let key = name.trim_matches(['$', '{', '}']).to_uppercase();
        match values.iter().find(|(known, _)| *known == key) {
            Some((_, value)) => text.replace(name, value),
            None => text,
        }
    })
}

/// Runs a plugin in an empty directory, with programs in place of kubectl and less. Returns the arguments of kubectl.
fn run_as_k9s(plugin: &serde_json::Value, values: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let programs = tempfile::tempdir().unwrap();
    for (name, script) in [("kubectl", "for word; do printf '%s\\0' \"$word\"; done"), ("less", "exec cat")] {
        let file = programs.path().join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let args = plugin["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let output = Command::new(plugin["command"].as_str().unwrap())
        .args(args.map(|arg| substituted_by_k9s(arg, values)))
        .env("PATH", path)
        .current_dir(&directory)
        .output()
        .unwrap();
    let left: Vec<_> = std::fs::read_dir(&directory).unwrap().collect();
    assert!(left.is_empty(), "a value ran as a command: {left:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// Names of RBAC objects may contain almost any character, and k9s does not quote them.
#[test]
fn the_keys_for_k9s_run_this_program_with_any_name() {
    let file = std::fs::read_to_string("plugins/k9s/ucp.yaml").unwrap();
    let plugins: serde_json::Value = serde_saphyr::from_str(&file).unwrap();
    let plugins = plugins["plugins"].as_object().unwrap();
    assert!(plugins.len() >= 5);
    let names = [
        "quotes-orders",
        "x$(touch${IFS}pwned)",
        "x`touch pwned`",
        "\";touch pwned;\"",
        "';touch pwned;'",
        "x|touch pwned",
        "x\\\";touch pwned;\"",
        "-n",
        "--kubeconfig=evil",
        "*",
        "$CONTEXT",
        "$1",
        "~",
    ];
    for (key, plugin) in plugins {
        for field in ["shortCut", "description", "command"] {
            assert!(plugin[field].is_string(), "{key}: {field}");
        }
        for name in names {
            for (namespace, flag) in [("-", None), ("", None), ("quotes", Some("--namespace=quotes"))] {
                let values = [
                    ("NAMESPACE", namespace),
                    ("NAME", name),
                    ("CONTEXT", "core $(touch pwned)"),
                    ("RESOURCE_NAME", "roles"),
                    ("RESOURCE_GROUP", "rbac.authorization.k8s.io"),
                ];
                let words = run_as_k9s(plugin, &values);
                assert_eq!(words[0], "ucp", "{key}");
                assert!(words.contains(&"--context=core $(touch pwned)".to_owned()), "{words:?}");
                if plugin["command"] == "sh" {
                    assert_eq!(*words.last().unwrap(), format!("roles.rbac.authorization.k8s.io/{name}"));
                    let namespaces: Vec<_> = words.iter().filter(|word| word.starts_with("--namespace")).collect();
                    assert_eq!(namespaces, Vec::from_iter(flag), "{key}");
                }
                let parsed = ucp::cli::command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{key}: {parsed:?}");
            }
        }
    }
}
