//! `import` takes existing resources under control, on a real API server with definitions as upjet makes them.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::failing_reads::{Matrix, Place, Promise, holds};
use crate::gitops::{Gitops, Run};
use crate::hostile_repositories::run_programs_of_the_checkout;
use crate::interrupted::try_files;
use crate::support::command::CANARY;
use crate::support::proxy::Proxy;
use crate::support::{self, Cluster, load};

/// A definition as upjet makes them: `region` is always required, `engine` for creation, and fields have defaults in
/// the schema or in the words of Terraform's documentation.
pub(crate) fn definition(group: &str, kind: &str, plural: &str, scope: &str) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let fields = json!({
        "region": text("Region is where it is."),
        "engine": text("The engine."),
        "storageClass": {"type": "string", "description": "The class. Defaults to `standard`."},
        "size": {"type": "number"},
        "backups": {"type": "boolean"},
        "retention": {"type": "number", "default": 7},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "rule": {"type": "array", "items": {"type": "object", "properties": {
            "id": text("Its id."), "days": {"type": "number"},
        }}},
        "passwordSecretRef": {"type": "object", "properties": {"name": text("")}},
    });
    let mut observed = fields.clone();
    observed["arn"] = text("");
    observed["id"] = text("");
    let rule = "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in \
                self.managementPolicies) || has(self.forProvider.engine)";
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "plural": plural, "categories": ["crossplane", "managed"]},
            "versions": [{
                "name": "v1beta1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {
                        "type": "object", "required": ["forProvider"],
                        "properties": {
                            "forProvider": {"type": "object", "required": ["region"], "properties": fields},
                            "managementPolicies": {"type": "array", "default": ["*"], "items": {"type": "string"}},
                            "deletionPolicy": {"type": "string", "default": "Delete"},
                            "providerConfigRef": {
                                "type": "object", "default": {"name": "default"},
                                "properties": {"kind": text(""), "name": text("")},
                            },
                        },
                        "x-kubernetes-validations": [
                            {"rule": rule, "message": "spec.forProvider.engine is a required parameter"},
                        ],
                    },
                    "status": {"type": "object", "properties": {
                        "atProvider": {"type": "object", "properties": observed},
                        "conditions": {"type": "array", "items": {
                            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                        }},
                    }},
                }}},
            }],
        },
    })
}

/// A provider's kinds in a group of its own, on the shared cluster.
struct Provider {
    cluster: &'static Cluster,
    group: String,
    repository: Gitops,
}

impl Provider {
    /// A repository in which this provider's databases live side by side.
    fn start(name: &str) -> Option<Self> {
        let cluster = support::core_cluster()?;
        let group = format!("{name}.example.org");
        let configs = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("providerconfigs.{group}")},
            "spec": {
                "group": group, "scope": "Cluster",
                "names": {"kind": "ProviderConfig", "plural": "providerconfigs", "categories": ["crossplane"]},
                "versions": [{"name": "v1beta1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }}}],
            },
        });
        let objects = vec![
            definition(&format!("rds.{group}"), "Database", "databases", "Cluster"),
            definition(&format!("rds.m.{group}"), "Database", "databases", "Namespaced"),
            configs,
            json!({"apiVersion": format!("{group}/v1beta1"), "kind": "ProviderConfig", "metadata": {"name": "acme"}}),
        ];
        support::run(async || load::load_objects(&cluster.client(), objects).await).expect("the provider is there");
        let repository = Self::repository_of(&group);
        Some(Self { cluster, group, repository })
    }

    fn repository_of(group: &str) -> Gitops {
        let neighbour = format!(
            "apiVersion: rds.{group}/v1beta1\nkind: Database\nmetadata:\n  name: first\nspec:\n  forProvider:\n    region: eu\n    engine: x\n"
        );
        Gitops::with(&[
            ("infra/kustomization.yaml", "# ours\nresources:\n  - database-first.yaml # the first\n"),
            ("infra/database-first.yaml", &neighbour),
        ])
    }

    fn kind(&self) -> String {
        format!("database.rds.{}", self.group)
    }

    fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> std::process::Command {
        let mut command = self.repository.ucp_command(std::iter::once("import").chain(arguments));
        command.env("KUBECONFIG", self.cluster.kubeconfig());
        command
    }

    fn import<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    fn import_state(&self, state: &str, arguments: &[&str]) -> Run {
        let mut command = self.command(["--terraform-state", "-"].into_iter().chain(arguments.iter().copied()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        running.stdin.take().unwrap().write_all(state.as_bytes()).unwrap();
        Run::of(running.wait_with_output().unwrap())
    }

    /// Applies the manifests in Git, as an engine would.
    fn deploy(&self) {
        for entry in std::fs::read_dir(self.repository.top().join("infra")).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("kustomization.yaml") {
                continue;
            }
            let arguments = ["apply", "--server-side", "--force-conflicts", "-f", path.to_str().unwrap()];
            let output = self.cluster.kubectl(arguments).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// Writes the observations of a provider.
    fn observe(&self, name: &str, observed: Value) {
        let conditions: Vec<Value> = ["Ready", "Synced"]
            .map(|kind| json!({"type": kind, "status": "True", "reason": "Available", "lastTransitionTime": "2026-01-01T00:00:00Z"}))
            .to_vec();
        let status = json!({"status": {"atProvider": observed, "conditions": conditions}}).to_string();
        let object = format!("databases.rds.{}", self.group);
        let arguments = ["patch", &object, name, "--subresource=status", "--type=merge", "-p", &status];
        let output = self.cluster.kubectl(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

pub(crate) fn seen(engine: &str) -> Value {
    json!({
        "arn": "arn:x:y", "id": "i", "region": "eu", "engine": engine, "storageClass": "standard", "size": 20,
        "backups": false, "retention": 7, "tags": {"team": "a"}, "rule": [{"id": "all", "days": 3}],
    })
}

#[test]
fn existing_resources_are_observed_first_and_managed_after_an_observation() {
    let Some(provider) = Provider::start("begins") else { return };
    let kind = provider.kind();
    let wanted = format!("{kind}=Orders_DB");
    let repository = &provider.repository;

    // Nothing can be found without its region.
    let refused = provider.import([&wanted, "--yes"]).exits(1);
    refused.prints("spec.forProvider.region").prints("--set region=VALUE");
    assert_eq!(repository.git(["status", "--porcelain"]), "");

    let arguments = [wanted.as_str(), "--set", "region=eu", "--commit", "--yes"];
    provider.import(arguments).exits(0).prints("Committed");
    assert_eq!(repository.git(["status", "--porcelain"]), "");
    assert_eq!(
        repository.read("infra/database-orders-db.yaml"),
        format!(
            "apiVersion: rds.{}/v1beta1\nkind: Database\nmetadata:\n  name: orders-db\n  annotations:\n    \
             crossplane.io/external-name: Orders_DB\nspec:\n  managementPolicies:\n  - Observe\n  forProvider:\n    \
             region: eu\n  providerConfigRef:\n    name: acme\n",
            provider.group
        )
    );
    assert_eq!(
        repository.read("infra/kustomization.yaml"),
        "# ours\nresources:\n  - database-first.yaml # the first\n  - database-orders-db.yaml\n"
    );

    // It is not deployed, then not ready, then seen.
    provider.import(arguments).exits(4).prints("not in the cluster yet");
    provider.deploy();
    provider.import(arguments).exits(4).prints("not Ready");
    provider.observe("orders-db", seen("postgres"));
    let run = provider.import([wanted.as_str(), "--set", "region=eu", "--dry-run", "-o", "json"]).exits(0);
    let plan = run.json();
    assert_eq!((&plan["kind"], &plan["items"][0]["step"]), (&json!("ImportPlan"), &json!("own")), "{plan:#}");
    provider.import(arguments).exits(0);
    assert_eq!(
        repository.read("infra/database-orders-db.yaml"),
        format!(
            "apiVersion: rds.{}/v1beta1\nkind: Database\nmetadata:\n  name: orders-db\n  annotations:\n    \
             crossplane.io/external-name: Orders_DB\nspec:\n  forProvider:\n    region: eu\n    backups: false\n    \
             engine: postgres\n    rule:\n    - days: 3\n      id: all\n    size: 20\n    tags:\n      team: a\n  \
             providerConfigRef:\n    name: acme\n",
            provider.group
        )
    );
    provider.import(arguments).exits(4).prints("is not deployed yet");
    provider.deploy();
    provider.import(arguments).exits(0).prints("Nothing to do");
}

/// The checkout is another author's: its configuration names programs, its links lead elsewhere, and its files do not end.
#[cfg(unix)]
#[test]
fn a_hostile_checkout_is_neither_executed_nor_followed_nor_waited_for() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let Some(provider) = Provider::start("hostile") else { return };
    let repository = &provider.repository;
    let trace = repository.outside().join("executed");
    for name in ["evil.sh", "hooks/post-checkout", "hooks/post-index-change", "hooks/reference-transaction"] {
        repository.write(name, &format!("#!/bin/sh\ntouch {}\ncat\n", trace.display()));
        std::fs::set_permissions(repository.top().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    repository.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    let elsewhere = repository.outside().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, repository.top().join("linked")).unwrap();
    std::fs::create_dir(repository.top().join("dangling")).unwrap();
    symlink(elsewhere.join("planted"), repository.top().join("dangling/kustomization.yaml")).unwrap();
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Hostile"]);
    run_programs_of_the_checkout(repository);
    let pipe = repository.top().join("pipe");
    std::fs::create_dir(&pipe).unwrap();
    for name in ["kustomization.yaml", "object.yaml"] {
        assert!(std::process::Command::new("mkfifo").arg(pipe.join(name)).status().unwrap().success());
    }
    for name in ["huge/kustomization.yaml", "huge/object.yaml"] {
        std::fs::create_dir_all(repository.top().join("huge")).unwrap();
        std::fs::File::create(repository.top().join(name)).unwrap().set_len(1 << 40).unwrap();
    }
    let _ = std::fs::remove_file(&trace);
    let wanted = format!("{}=Orders_DB", provider.kind());
    for directory in ["infra", "linked", "dangling", "pipe", "huge"] {
        for last in ["--dry-run", "--yes"] {
            let mut command = provider.command([&wanted, "--set", "region=eu", "--into", directory, last]);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
            let begun = std::time::Instant::now();
            let status = loop {
                match child.try_wait().unwrap() {
                    Some(status) => break status,
                    None if begun.elapsed().as_secs() > 120 => {
                        child.kill().unwrap();
                        panic!("{directory} {last}: it blocks");
                    }
                    None => std::thread::sleep(std::time::Duration::from_millis(50)),
                }
            };
            assert!(matches!(status.code(), Some(0..=4)), "{directory} {last}: {status:?}");
            assert_eq!(status.success(), directory == "infra", "{directory} {last}: {status:?}");
            assert!(!trace.exists(), "{directory} {last}: a program of the checkout was started");
            let written = std::fs::read_dir(&elsewhere).unwrap().count();
            assert_eq!(written, 0, "{directory} {last}: a file was written through a link");
        }
    }
}

#[test]
fn a_resource_whose_external_state_would_change_stays_observed() {
    let Some(provider) = Provider::start("differs") else { return };
    let wanted = format!("{}=old", provider.kind());
    let arguments = [wanted.as_str(), "--set", "region=eu", "--set", "size=50", "--yes"];
    provider.import(arguments).exits(0);
    provider.deploy();
    provider.observe("old", seen("postgres"));
    let before = provider.repository.read("infra/database-old.yaml");
    let run = provider.import(arguments).exits(1);
    run.prints("spec.forProvider.size: 20 → 50 (certain)").prints("remains observed");
    assert_eq!(provider.repository.read("infra/database-old.yaml"), before);
    let accepted = [&arguments[..], &["--accept", "spec.forProvider.size"]].concat();
    provider.import(accepted).exits(0);
    assert!(provider.repository.read("infra/database-old.yaml").contains("size: 50"));
}

#[test]
fn a_resource_that_the_server_would_reject_stays_observed() {
    let Some(provider) = Provider::start("needs") else { return };
    let wanted = format!("{}=bare", provider.kind());
    let arguments = [wanted.as_str(), "--set", "region=eu", "--yes"];
    provider.import(arguments).exits(0);
    provider.deploy();
    // A creation needs an engine, and it was not observed.
    provider.observe("bare", json!({"region": "eu", "size": 3}));
    provider.import(arguments).exits(1).prints("spec.forProvider.engine is a required parameter");
    assert!(provider.repository.read("infra/database-bare.yaml").contains("- Observe"));
}

#[test]
fn only_types_and_ids_are_read_from_a_terraform_state() {
    let Some(provider) = Provider::start("terraform") else { return };
    let resource = |kind: &str, id: &str| {
        json!({"mode": "managed", "type": kind, "name": CANARY, "provider": CANARY, "instances": [{
            "attributes": {"id": id, "password": CANARY, "tags": {"x": CANARY}}, "private": CANARY,
        }]})
    };
    let resources: Vec<Value> = (0..100)
        .map(|number| resource("terraform_rds_database", &format!("db-{number}")))
        .chain([resource("random_string", CANARY), json!({"mode": "data", "type": CANARY, "instances": []})])
        .collect();
    let state = json!({"version": 4, "outputs": {"p": {"value": CANARY}}, "resources": resources}).to_string();
    let map = format!("terraform_rds_database={}", provider.kind());
    let flags = ["--map", &map, "--set", "region=eu"];
    for more in [&["--dry-run", "-v", "9"][..], &["--dry-run", "-o", "json"], &["--dry-run", "-o", "yaml"], &["--yes"]]
    {
        let run = provider.import_state(&state, &[&flags[..], more].concat()).exits(1);
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.contains(CANARY), "{text}");
        }
        run.prints("random_string");
    }
    let files = provider.repository.git(["ls-files", "--others", "--exclude-standard"]);
    assert_eq!(files.lines().count(), 100);
    for file in files.lines().chain(["infra/kustomization.yaml"]) {
        assert!(!provider.repository.read(file).contains(CANARY), "{file}");
    }
    // Once they were seen, all of them are owned, and nothing outside changes.
    provider.deploy();
    std::thread::scope(|scope| {
        for part in 0..10 {
            let provider = &provider;
            scope.spawn(move || {
                (0..10).for_each(|number| provider.observe(&format!("db-{}", part * 10 + number), seen("postgres")))
            });
        }
    });
    let plan = provider.import_state(&state, &[&flags[..], &["--dry-run", "-o", "json"]].concat()).exits(1).json();
    let steps = |step: &str| plan["items"].as_array().unwrap().iter().filter(|item| item["step"] == step).count();
    assert_eq!((steps("own"), steps("differs"), steps("refused")), (100, 0, 1));
    for broken in [format!("{{\"resources\": \"{CANARY}\"}}"), CANARY.to_owned()] {
        let run = provider.import_state(&broken, &flags).exits(3);
        assert!(!run.stderr.contains(CANARY), "{}", run.stderr);
    }
}

#[test]
fn namespaced_kinds_need_a_namespace_and_name_the_kind_of_their_config() {
    let Some(provider) = Provider::start("spaces") else { return };
    let wanted = format!("database.rds.m.{}=team-db", provider.group);
    let flags = ["--set", "region=eu", "--provider-config", "ClusterProviderConfig/acme", "--dry-run", "-o", "yaml"];
    provider.import([&[wanted.as_str()][..], &flags].concat()).exits(1).prints("-n NAMESPACE");
    let run = provider.import([&[wanted.as_str(), "-n", "default"][..], &flags].concat()).exits(0);
    let object: Value = serde_saphyr::from_str(run.stdout.trim_start_matches("---\n")).unwrap();
    assert_eq!(object["metadata"]["namespace"], "default");
    assert_eq!(object["spec"]["providerConfigRef"], json!({"kind": "ClusterProviderConfig", "name": "acme"}));
}

#[test]
fn typos_are_reported_with_suggestions() {
    let Some(provider) = Provider::start("slips") else { return };
    provider.import(["databse=x", "--dry-run"]).exits(1).prints("Database");
    provider.import(["nonsense"]).exits(2).prints("KIND=EXTERNAL-NAME");
    let wanted = format!("{}=x", provider.kind());
    provider.import([&wanted, "--set", "region=eu", "--into", "../elsewhere", "--yes"]).exits(2);
    provider.repository.write("other/note.txt", "x");
    provider.import([&wanted, "--set", "region=eu", "--into", "other", "--yes"]).exits(0);
    assert!(provider.repository.read("other/x.yaml").contains("- Observe"));
}

#[test]
fn a_raced_push_is_rebased_onto_the_commits_of_others() {
    let Some(provider) = Provider::start("raced") else { return };
    let bare = provider.repository.publish();
    let at = bare.to_str().unwrap();
    // Another client pushes an entry of the same kustomization first, once.
    let script = "[ -e \"$GIT_DIR/overtaken\" ] && exit 0\ntouch \"$GIT_DIR/overtaken\"\n\
         unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n\
         other=$(mktemp -d)\ngit clone -q \"$GIT_DIR\" \"$other/w\" && cd \"$other/w\" && unset GIT_DIR\n\
         echo '  - database-theirs.yaml' >> infra/kustomization.yaml\ncp infra/database-first.yaml infra/database-theirs.yaml\n\
         sed -i 's/name: first/name: theirs/' infra/database-theirs.yaml\ngit add --all\n\
         git commit -qm other && git push -q origin HEAD:main\nrm -rf \"$other\"\nexit 0";
    crate::push::hook(&bare, "pre-receive", script);
    let wanted = format!("{}=x", provider.kind());
    provider.import([&wanted, "--set", "region=eu", "--push", "--yes"]).exits(0).prints("Pushed");
    let git = |arguments: &[&str]| provider.repository.git(["-C", at].into_iter().chain(arguments.iter().copied()));
    assert!(git(&["show", "main:infra/database-x.yaml"]).contains("- Observe"));
    let kustomization = git(&["show", "main:infra/kustomization.yaml"]);
    assert!(kustomization.ends_with("  - database-theirs.yaml\n  - database-x.yaml"), "{kustomization}");
    assert_eq!(git(&["log", "--format=%s", "main"]).lines().collect::<Vec<_>>(), ["Observe x", "other", "Start"]);
    assert_eq!(provider.repository.git(["status", "--porcelain"]), "", "the working tree is not changed");
    provider.import([&wanted, "--set", "region=eu", "--branch", "import", "--yes"]).exits(0);
    assert!(provider.repository.git(["show", "import:infra/database-x.yaml"]).contains("- Observe"));
}

#[test]
fn objects_that_cannot_be_listed_are_unknown_and_not_missing() {
    let Some(provider) = Provider::start("blind") else { return };
    let user = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "import-blind"});
    let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "import-blind"});
    let databases = format!("databases.rds.{}", provider.group);
    provider.cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "import-blind"},
            "rules": [
                {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get"]},
                {"apiGroups": [format!("rds.{}", provider.group)], "resources": ["databases"], "verbs": ["get", "create", "patch"]},
            ],
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "import-blind"},
            "roleRef": role, "subjects": [user],
        },
    ]}));
    let can = || {
        let question = ["auth", "can-i", "create", &databases, "--as", "import-blind"];
        provider.cluster.kubectl(question).output().unwrap().status.success()
    };
    support::run(async || support::eventually(async || can().then_some(())).await);
    let wanted = format!("{}=x", provider.kind());
    let mut command = provider.command([&wanted, "--set", "region=eu", "--yes"]);
    command.env("KUBECONFIG", provider.cluster.kubeconfig_for("import-blind", None));
    let run = Run::of(command.output().unwrap()).exits(4);
    run.prints("it is unknown whether an object manages it").prints("import-blind");
    assert_eq!(provider.repository.git(["status", "--porcelain"]), "");
}

/// The object may be managed by its namespaced twin: that is found, or unknown.
#[test]
fn a_failing_read_never_leads_to_an_import() {
    let Some(provider) = Provider::start("unread") else { return };
    let group = format!("rds.m.{}/v1beta1", provider.group);
    provider.cluster.apply(&json!({
        "apiVersion": group, "kind": "Database",
        "metadata": {"namespace": "default", "name": "orders", "annotations": {"crossplane.io/external-name": "Orders_DB"}},
        "spec": {"forProvider": {"region": "eu", "engine": "x"}, "providerConfigRef": {"name": "acme"}},
    }));
    let wanted = format!("{}=Orders_DB", provider.kind());
    let place = |_| {
        let proxy = Proxy::start(provider.cluster).unwrap();
        let repository = Gitops::with(&[
            ("infra/kustomization.yaml", &provider.repository.read("infra/kustomization.yaml")),
            ("infra/database-first.yaml", &provider.repository.read("infra/database-first.yaml")),
        ]);
        let (kubeconfig, wanted, top) = (proxy.kubeconfig().to_owned(), wanted.clone(), repository.top().join("infra"));
        let command = move |timeout: &str| {
            let arguments = ["import", &wanted, "--set", "region=eu", "--yes", "--request-timeout", timeout];
            let mut command = repository.ucp_command(arguments);
            command.env("KUBECONFIG", &kubeconfig);
            command
        };
        let files = move || {
            let files = std::fs::read_dir(&top).unwrap().map(|file| file.unwrap().path());
            let mut files: Vec<_> = files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
            files.sort();
            format!("{files:?}")
        };
        Place { state: Box::new(files), ..Place::new("", vec![("core", proxy)], command) }
    };
    // Kinds of other tests come and go on the shared cluster.
    let leave_out = |path: &str| path.contains("example.org") && !path.contains(&provider.group);
    let matrix = Matrix { leave_out: &leave_out, ..Matrix::new("import, managed already", Promise::NothingIsWritten) };
    let (refused, broken) = matrix.run((0..3).map(place).collect());
    assert!(refused.code == Some(1) && refused.stdout.contains("already manages it"), "{refused:?}");
    holds(&broken);
}

#[test]
fn an_import_that_was_stopped_halfway_is_completed() {
    let Some(provider) = Provider::start("halves") else { return };
    let wanted = format!("{}=x", provider.kind());
    let arguments = [wanted.as_str(), "--set", "region=eu", "--yes"];
    let repository = &provider.repository;
    let list = repository.read("infra/kustomization.yaml");
    provider.import(arguments).exits(0);
    let whole = (repository.read("infra/kustomization.yaml"), repository.read("infra/database-x.yaml"));
    // It came to write the manifest, or the kustomization, and no more.
    repository.write("infra/kustomization.yaml", &list);
    provider.import(arguments).exits(4).prints("an entry is added");
    assert_eq!(repository.read("infra/kustomization.yaml"), whole.0);
    std::fs::remove_file(repository.top().join("infra/database-x.yaml")).unwrap();
    provider.import(arguments).exits(0);
    assert_eq!((repository.read("infra/kustomization.yaml"), repository.read("infra/database-x.yaml")), whole);
    provider.import(arguments).exits(4).prints("not in the cluster yet");
}

#[test]
fn an_import_has_the_same_result_after_any_interruption() {
    let Some(provider) = Provider::start("stopped") else { return };
    let import = |repository: &Gitops| {
        let objects = ["x", "y"].map(|name| format!("{}={name}", provider.kind()));
        let arguments = ["import", &objects[0], &objects[1], "--set", "region=eu", "--yes"];
        let mut command = repository.ucp_command(arguments);
        command.env("KUBECONFIG", provider.cluster.kubeconfig());
        command
    };
    // A run that finds the manifests reports that the objects are not in the cluster yet.
    try_files("import", &|| Provider::repository_of(&provider.group), &import, &[4]);
}
