//! Which cluster and which user: kubectl's flags and files with kubectl's meaning, on a real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::Cluster;
use crate::support::cluster::write_kubeconfig;
use crate::support::command::{CANARY, HOME, Ran, run, ucp};
use crate::support::hub;
use crate::support::kubeconfig::Credential;

/// Kubeconfigs for one cluster, in a directory of their own.
struct Files {
    directory: TempDir,
    cluster: &'static Cluster,
}

impl Files {
    fn new() -> Option<Self> {
        Some(Self { directory: tempfile::tempdir().unwrap(), cluster: hub::quotes()? })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name).display().to_string()
    }

    /// The admin's kubeconfig, changed.
    fn admin(&self, name: &str, change: impl FnOnce(&mut Value)) -> String {
        let mut kubeconfig = self.cluster.admin_kubeconfig().unwrap();
        change(&mut kubeconfig);
        write_kubeconfig(&self.path(name), &kubeconfig).unwrap();
        self.path(name).display().to_string()
    }
}

fn status(list: &str, arguments: &[&str]) -> Ran {
    let mut command = ucp(["status", "-o", "json"]);
    command.args(arguments).env("KUBECONFIG", list);
    run(command)
}

/// The user and server that kubectl ends up with; `None` where it fails.
fn kubectl(list: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("kubectl");
    command.args(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"]).args(arguments);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", HOME);
    let output = command.env("KUBECONFIG", list).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[test]
fn flags_and_files_have_the_same_meaning_as_for_kubectl() {
    let Some(files) = Files::new() else { return };
    let admin = files.admin("admin", |_| {});
    let no_current = files.admin("no-current", |config| config["current-context"] = json!(""));
    let other_first = files.admin("other-first", |config| {
        config["current-context"] = json!("broken");
        let broken = json!({"name": "broken", "context": {"cluster": "nowhere", "user": "nobody"}});
        config["contexts"].as_array_mut().unwrap().push(broken);
        let nowhere = json!({"name": "nowhere", "cluster": {"server": "https://127.0.0.1:1"}});
        config["clusters"].as_array_mut().unwrap().push(nowhere);
        let unprivileged = json!({"name": "nobody", "user": {"token": CANARY}});
        config["users"].as_array_mut().unwrap().push(unprivileged);
    });
    let text = fs::read_to_string(&admin).unwrap();
    let duplicate = files.write("duplicate", &format!("current-context: broken\n{text}"));
    let two_documents = files.write("two-documents", &format!("{text}\n---\ncurrent-context: broken\n"));
    let empty = files.write("empty", "");
    let relative = files.admin("relative", |config| {
        fs::write(files.path("ca.crt"), files.cluster.ca_pem()).unwrap();
        let cluster = config["clusters"][0]["cluster"].as_object_mut().unwrap();
        cluster.remove("certificate-authority-data");
        cluster.insert("certificate-authority".to_owned(), json!("ca.crt"));
    });
    let missing = files.path("missing").display().to_string();
    let ca = files.path("ca.crt").display().to_string();
    let server = files.cluster.server();
    let list = |paths: &[&str]| paths.join(":");

    for (paths, arguments, works) in [
        (admin.clone(), &[][..], true),
        (list(&[&missing, &admin]), &[], true),
        (list(&[&missing, "", &admin, &missing]), &[], true),
        (missing.clone(), &[], false),
        (list(&[&no_current, &admin]), &[], true),
        (list(&[&empty, &admin]), &[], true),
        (list(&[&other_first, &admin]), &[], false),
        (list(&[&admin, &other_first]), &[], true),
        (two_documents, &[], true),
        (relative, &[], true),
        (missing.clone(), &["--kubeconfig", &admin], true),
        (admin.clone(), &["--kubeconfig", &missing], false),
        (other_first.clone(), &["--context", "quotes"], true),
        (other_first.clone(), &["--context", "none"], false),
        (other_first.clone(), &["--cluster", "quotes"], false),
        (other_first.clone(), &["--cluster", "quotes", "--user", "quotes"], true),
        (other_first.clone(), &["--user", "quotes"], false),
        (other_first.clone(), &["--user", "none", "--context", "quotes"], false),
        (other_first, &["--cluster", "none", "--context", "quotes"], false),
        (admin.clone(), &["--server", "https://127.0.0.1:1"], false),
        (admin.clone(), &["--token", CANARY], true),
        (admin.clone(), &["--certificate-authority", &ca], true),
        (admin.clone(), &["--certificate-authority", &missing], false),
        (admin.clone(), &["--insecure-skip-tls-verify"], true),
        (admin.clone(), &["--tls-server-name", "elsewhere.example"], false),
        (admin.clone(), &["--client-certificate", &missing], false),
        (missing.clone(), &["--server", &server], false),
        (admin.clone(), &["--as", "somebody"], true),
        (admin.clone(), &["--as", "somebody", "--as-group", "system:masters", "--as-uid", "7"], true),
        (admin.clone(), &["--as-group", "system:masters"], false),
    ] {
        let theirs = kubectl(&paths, arguments);
        assert_eq!(theirs.is_some(), works, "kubectl {arguments:?} with {paths}");
        let ours = status(&paths, arguments);
        let expected: &[i32] = match (works, arguments) {
            (true, ["--as", "somebody"]) => &[4],
            (true, _) => &[0],
            (false, _) => &[2, 3],
        };
        assert!(expected.contains(&ours.code.unwrap()), "{arguments:?} with {paths}: {ours:?}");
    }
    // kubectl takes the last of duplicate keys, and so do we.
    assert_eq!(kubectl(&duplicate, &[]).is_some(), status(&duplicate, &[]).code == Some(0));
}

#[test]
fn the_default_kubeconfig_is_that_of_kubectl() {
    let Some(files) = Files::new() else { return };
    fs::create_dir(files.path(".kube")).unwrap();
    files.admin(".kube/config", |_| {});
    let mut command = ucp(["status", "-o", "json"]);
    command.env("HOME", files.directory.path());
    let source = run(command).expect(0).json()["source"].take();
    assert_eq!(source, json!({"context": "quotes", "server": files.cluster.server()}));
    let nothing = run(ucp(["status"])).expect(3);
    assert!(
        nothing.stderr.contains(&format!("no cluster is configured: {HOME}/.kube/config contains no cluster")),
        "{nothing:?}"
    );
    assert!(nothing.stderr.contains("hint: set KUBECONFIG, pass --kubeconfig, or read a snapshot"), "{nothing:?}");
}

#[test]
fn mistakes_are_reported_with_the_valid_values() {
    let Some(files) = Files::new() else { return };
    let admin = files.admin("admin", |_| {});
    let ran = status(&admin, &["--context", "none"]).expect(2);
    assert!(ran.stderr.contains("context 'none' is not in ") && ran.stderr.contains("hint: it has: quotes"), "{ran:?}");
    let ran = status(&admin, &["--as-group", "a"]).expect(2);
    assert!(ran.stderr.contains("--as-group and --as-uid need --as"), "{ran:?}");
    let ran = status(&admin, &["--kubeconfig", "/no/such/file"]).expect(3);
    assert!(ran.stderr.contains("kubeconfig /no/such/file does not exist"), "{ran:?}");
    status(&admin, &["--as-user-extra", "novalue", "--as", "a"]).expect(2);
}

/// Every run looks for the canary.
#[test]
fn errors_about_a_broken_kubeconfig_contain_no_secret() {
    let Some(files) = Files::new() else { return };
    let user = |user: &str| format!("apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    {user}\n");
    for (number, content) in [
        user(&format!("token: {CANARY}\n   x: [")),
        user(&format!("token: [{CANARY}]")),
        user(&format!("token: *{CANARY}")),
        user(&format!("token: \"\\q{CANARY}\"")),
        user(CANARY),
        user(&format!("client-key-data: {{a: {CANARY}}}")),
        user(&format!("exec: {CANARY}")),
        format!("{{\"users\": [{{\"name\": \"a\", \"user\": {{\"token\": \"{CANARY}\", }}}}]"),
        CANARY.to_owned(),
        format!("- {CANARY}\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = files.write(&format!("broken-{number}"), &content);
        let ran = status(&path, &[]).expect(3);
        assert!(ran.stderr.contains(&path), "{ran:?}");
    }
}

#[test]
fn errors_about_rejected_credentials_contain_no_secret() {
    let Some(files) = Files::new() else { return };
    let with_user = |name: &str, user: Value| files.admin(name, |config| config["users"][0]["user"] = user);
    let path = files.path("token-file").display().to_string();
    fs::write(&path, CANARY).unwrap();
    for user in [
        json!({"client-certificate-data": CANARY, "client-key-data": CANARY}),
        json!({"client-certificate-data": "aGVsbG8=", "client-key-data": "aGVsbG8="}),
        json!({"tokenFile": path}),
        json!({"username": "admin", "password": CANARY}),
        json!({"auth-provider": {"name": "oidc", "config": {"id-token": CANARY}}}),
        exec(&format!("echo '{CANARY}'")),
        exec(&format!("echo '{{\"status\": {{\"token\": \"{CANARY}\"'")),
        exec(&format!("echo '{CANARY}'; echo no such account >&2; exit 3")),
        exec(&token(CANARY)),
        json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": "/no/such/plugin", "interactiveMode": "Never",
            "env": [{"name": "TOKEN", "value": CANARY}],
        }}),
    ] {
        let ran = status(&with_user("user", user.clone()), &[]).expect(3);
        assert!(ran.stderr.starts_with("error: cannot "), "{user}: {ran:?}");
    }
    let proxied = files.admin("proxied", |config| {
        config["clusters"][0]["cluster"]["proxy-url"] = json!(format!("http://user:{CANARY}@127.0.0.1:1"));
    });
    status(&proxied, &[]).expect(3);
    let nonsense = files.admin("nonsense", |config| {
        config["clusters"][0]["cluster"]["proxy-url"] = json!(format!("http://user:{CANARY} @:::"));
    });
    status(&nonsense, &[]).expect(3);
    status(&proxied, &["--server", &format!("https://user:{CANARY}@127.0.0.1:1")]).expect(3);
    status(&proxied, &["--token", CANARY, "--no-such-flag"]).expect(2);
}

/// A user whose credentials a shell script prints.
fn exec(script: &str) -> Value {
    json!({"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script],
        "interactiveMode": "Never",
    }})
}

fn token(token: &str) -> String {
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": token},
    });
    format!("echo '{credential}'")
}

#[test]
fn the_users_own_plugins_and_tokens_log_in() {
    let Some(files) = Files::new() else { return };
    let by_token = fs::read_to_string(files.cluster.kubeconfig_by_token(&files.cluster.server())).unwrap();
    let by_token: Value = serde_saphyr::from_str(&by_token).unwrap();
    let admin_token = by_token["users"][0]["user"]["token"].as_str().unwrap();
    let token_file = files.path("token");
    fs::write(&token_file, admin_token).unwrap();
    for user in [json!({"token": admin_token}), json!({"tokenFile": "token"}), exec(&token(admin_token))] {
        let path = files.admin("user", |config| config["users"][0]["user"] = user.clone());
        assert_eq!(status(&path, &[]).code, Some(0), "{}", user.as_object().unwrap().keys().next().unwrap());
    }
    // A flag replaces every other way to log in, and needs no file at all.
    let unprivileged = files.admin("nobody", |config| config["users"][0]["user"] = exec("exit 1"));
    status(&unprivileged, &["--token", admin_token]).expect(0);
    let ca = files.write("authority", files.cluster.ca_pem());
    let server = files.cluster.server();
    let mut bare = ucp(["status", "--server", &server, "--token", admin_token, "--certificate-authority", &ca]);
    bare.env("KUBECONFIG", Path::new("/no/such/file"));
    run(bare).expect(0);
}

#[test]
fn impersonation_changes_the_visible_objects() {
    let Some(files) = Files::new() else { return };
    let wrong = files.cluster.kubeconfig_with(&files.cluster.server(), &Credential::Token(CANARY.to_owned()));
    write_kubeconfig(&files.path("wrong"), &wrong).unwrap();
    let both = format!("{}:{}", files.admin("admin", |_| {}), files.path("wrong").display());
    // The first entry of a name counts.
    status(&both, &[]).expect(0);
    let ran = status(&both, &["--as", "mallory"]).expect(4);
    assert!(ran.json()["unreadable"].to_string().contains(r#"User \"mallory\" cannot list"#), "{ran:?}");
}
