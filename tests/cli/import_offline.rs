//! `import` from files alone: definitions and objects in a directory, manifests in a repository.

use serde_json::{Value, json};

use crate::gitops::{Gitops, Run};
use crate::import::{definition, seen};
use crate::pull_requests::{publish_by_ssh, stub::StubForge};
use crate::support::command::CANARY;

const GROUP: &str = "rds.offline.example.org";

/// A directory of definitions and objects, and a repository.
struct Offline {
    snapshot: tempfile::TempDir,
    repository: Gitops,
}

impl Offline {
    fn with(files: &[(&str, &str)]) -> Self {
        let offline = Self { snapshot: tempfile::tempdir().unwrap(), repository: Gitops::with(files) };
        offline.write("crd", &definition(GROUP, "Database", "databases", "Cluster"));
        offline
    }

    fn write(&self, name: &str, object: &Value) {
        std::fs::write(self.snapshot.path().join(format!("{name}.json")), object.to_string()).unwrap();
    }

    fn import(&self, arguments: &[&str]) -> Run {
        let from = ["--from", self.snapshot.path().to_str().unwrap(), "import", "--set", "region=eu"];
        self.repository.ucp(from.into_iter().chain(arguments.iter().copied()))
    }

    fn read(&self, file: &str) -> Value {
        serde_saphyr::from_str(&self.repository.read(file)).unwrap()
    }
}

fn ready(mut object: Value, observed: Value) -> Value {
    object["status"] = json!({"atProvider": observed, "conditions": [
        {"type": "Ready", "status": "True"}, {"type": "Synced", "status": "True"},
    ]});
    object
}

fn database(name: &str, config: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1beta1"), "kind": "Database",
        "metadata": {"name": name, "annotations": {"crossplane.io/external-name": name}},
        "spec": {
            "managementPolicies": ["Observe"], "forProvider": {"region": "eu"}, "providerConfigRef": {"name": config},
        },
    })
}

#[test]
fn a_pull_request_of_an_import() {
    let offline = Offline::with(&[("infra/note.txt", "x")]);
    publish_by_ssh(&offline.repository);
    let forge = StubForge::start();
    let run = |wanted: &str| {
        let from = offline.snapshot.path().to_str().unwrap();
        let import = ["--from", from, "import", "--set", "region=eu", wanted, "--into", "infra", "--pr", "--yes"];
        forge.run(&offline.repository, &import)
    };
    run("database=old").exits(0).prints("Opened pull request #1");
    run("database=old").exits(0).prints("Pull request #1 is open");
    run("database=new").exits(0).prints("Opened pull request #2");
    let open = forge.open();
    assert_eq!((open.len(), open[0]["title"].as_str()), (2, Some("Observe old")));
    assert!(open[0]["head"]["ref"].as_str().unwrap().starts_with("ucp/pr/change/1-files-"), "{}", open[0]["head"]);
    assert_eq!(offline.repository.git(["status", "--porcelain"]), "", "the working tree is not changed");
}

#[test]
fn a_snapshot_and_the_files_of_definitions_are_enough() {
    let offline = Offline::with(&[("infra/note.txt", "x")]);
    let wanted = ["database=Old", "--into", "infra", "--yes"];
    offline.import(&wanted).exits(0).prints("the cluster has no provider config of its provider yet");
    let manifest = offline.read("infra/old.yaml");
    assert_eq!(manifest["apiVersion"], format!("{GROUP}/v1beta1"));
    let mut observed = seen("postgres");
    // Bytes that a terminal would obey, and texts of several lines, arrive as they are.
    observed["tags"] = json!({"tab": "a:\n\tb\n", "joined": "a\u{200d}b", "mark\u{200e}": "x\n\n", "team": "a"});
    offline.write("object", &ready(manifest, observed.clone()));
    offline.import(&wanted).exits(0);
    let owned = offline.read("infra/old.yaml");
    assert_eq!(
        (&owned["spec"]["forProvider"]["size"], &owned["spec"]["forProvider"]["tags"]),
        (&json!(20), &observed["tags"])
    );
    assert_eq!(owned["spec"].get("managementPolicies"), None);
}

#[test]
fn declared_fields_are_kept_and_the_others_are_filled_in_from_observations() {
    let mut declared = database("old", "acme");
    declared["spec"]["forProvider"]["tags"] = json!({"team": "b"});
    let file = format!("# ours\n{}# end\n", serde_saphyr::to_string(&declared).unwrap());
    let offline = Offline::with(&[("infra/old.yaml", &file)]);
    offline.write("object", &ready(declared, seen("postgres")));
    let run = offline.import(&["database=old", "--yes"]).exits(1);
    run.prints("spec.forProvider.tags.team: a → b (certain)");
    assert_eq!(offline.repository.read("infra/old.yaml"), file);
    // A field that was not observed is not empty.
    let accepted = ["database=old", "--accept", "spec.forProvider.tags", "--yes"];
    let mut partly = seen("postgres");
    partly["tags"]["cost"] = json!("7");
    let mut other = database("old", "acme");
    other["spec"]["forProvider"]["size"] = json!(20);
    partly.as_object_mut().unwrap().remove("size");
    offline.repository.write("infra/old.yaml", &file.replace("region: eu", "region: eu\n    size: 20"));
    offline.write("object", &ready(other, partly.clone()));
    offline.import(&accepted).exits(1).prints("spec.forProvider.size: not observed → 20 (unknown)");
    partly["size"] = json!(20);
    offline.write("object", &ready(database("old", "acme"), partly));
    offline.import(&accepted).exits(0);
    assert_eq!(offline.read("infra/old.yaml")["spec"]["forProvider"]["tags"], json!({"team": "b", "cost": "7"}));
    let text = offline.repository.read("infra/old.yaml");
    assert!(text.starts_with("# ours\napiVersion") && text.ends_with("\n# end\n"), "{text}");
}

#[test]
fn ambiguous_declarations_are_refused_until_a_flag_decides() {
    let text = serde_saphyr::to_string(&database("old", "acme")).unwrap();
    let patch = "apiVersion: rds.offline.example.org/v1beta1\nkind: Database\nmetadata:\n  name: old\nspec:\n  forProvider:\n    size: 3\n";
    let files = [
        ("one/old.yaml", text.as_str()),
        ("one/patch.yaml", patch),
        ("one/kustomization.yaml", "resources:\n- old.yaml\npatches:\n- path: patch.yaml\n"),
    ];
    let offline = Offline::with(&files);
    offline.write("object", &ready(database("old", "acme"), seen("postgres")));
    // A patch declares nothing.
    offline.import(&["database=old", "--dry-run"]).exits(0).prints("one/old.yaml");
    offline.repository.write("two/old.yaml", &text);
    offline
        .import(&["database=old", "--dry-run"])
        .exits(1)
        .prints("several manifests declare it, in one/old.yaml, two/old.yaml");
    offline.import(&["database=old", "--into", "two", "--yes"]).exits(0);
    assert_eq!(offline.repository.read("one/old.yaml"), text);
    assert!(offline.repository.read("two/old.yaml").contains("engine: postgres"));

    // Another account's is another one, and neighbours that use two leave it open whose a new one is.
    let new = ["database=new", "--into", "one", "--dry-run"];
    offline
        .import(&new)
        .exits(0)
        .prints("using provider config \"acme\", because the other objects of its kind use it");
    offline.write("other", &database("other", "beta"));
    offline.import(&new).exits(1).prints("any of ProviderConfig/acme, ProviderConfig/beta").prints("--provider-config");
    let run = offline
        .import(&["database=old", "--provider-config", "beta", "--into", "one", "--dry-run", "-o", "json"])
        .exits(0);
    let item = &run.json()["items"][0];
    assert_eq!((&item["step"], &item["object"]["name"]), (&json!("observe"), &json!("old-2")), "{item:#}");
}

#[test]
fn an_external_resource_is_imported_only_once() {
    let offline = Offline::with(&[("infra/note.txt", "x")]);
    let twin = definition("rds.m.offline.example.org", "Database", "databases", "Namespaced");
    offline.write("twin", &twin);
    let arn = "arn:aws:rds:eu-central-1:7:db:orders";
    let steps = |arguments: &[&str]| -> Vec<(String, String)> {
        let run = offline.import(&[arguments, &["--into", "infra", "--yes", "-o", "json"]].concat());
        let items = run.json()["items"].as_array().unwrap().clone();
        let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
        items.iter().map(|item| (text(item, "step"), text(item, "reason"))).collect()
    };
    let by_arn = format!("databases.{GROUP}={arn}");
    let new = steps(&[&by_arn, &by_arn]);
    assert_eq!(new, [("observe".to_owned(), String::new())]);
    // The region of the id takes precedence over the flag, and it is the same the next time.
    assert_eq!(offline.read("infra/orders.yaml")["spec"]["forProvider"]["region"], "eu-central-1");
    assert_eq!(steps(&[&by_arn])[0].0, "waiting");
    let other = format!("databases.{GROUP}/other={arn}");
    assert_eq!(steps(&[&other])[0].0, "waiting");
    let two = steps(&["database/a=x", "database/b=x"]);
    assert_eq!((two[0].0.as_str(), two[1].0.as_str()), ("refused", "observe"));
    assert!(two[0].1.contains("requested twice"), "{two:?}");
    // Nor a cluster-scoped object in a namespace.
    let spaced =
        offline.import(&[&format!("database.rds.m.offline.example.org={arn}"), "-n", "team", "--yes"]).exits(1);
    spaced.prints("infra/orders.yaml already declares an object of rds.offline.example.org for it");
}

#[test]
fn only_files_of_an_earlier_import_are_completed_or_changed() {
    let text = |object: &Value| serde_saphyr::to_string(object).unwrap();
    let list = "resources:\n- note.yaml\n";
    let mut owning = database("old", "acme");
    owning["spec"].as_object_mut().unwrap().remove("managementPolicies");
    let files = [("infra/kustomization.yaml", list), ("infra/old.yaml", &text(&owning))];
    let offline = Offline::with(&files);
    let wanted = ["database=old", "--yes"];
    // A manifest that already manages the resource is deployed by its author.
    offline.import(&wanted).exits(4).prints("it is declared, but not in the cluster yet");
    assert_eq!(offline.repository.read("infra/kustomization.yaml"), list);
    offline.repository.write("infra/old.yaml", &format!("{}---\nkind: Other\n", text(&database("old", "acme"))));
    offline.import(&wanted).exits(4);
    assert_eq!(offline.repository.read("infra/kustomization.yaml"), list);
    offline.repository.write("infra/old.yaml", &text(&database("old", "acme")));
    offline.import(&[&wanted[..], &["--commit"]].concat()).exits(4).prints("an entry is added");
    assert_eq!(offline.repository.read("infra/kustomization.yaml"), format!("{list}- old.yaml\n"));
    let subject = offline.repository.git(["log", "-1", "--format=%s"]);
    assert_eq!(subject.trim(), "Complete kustomizations of observed resources");

    // One object by two of its names, and a manifest of another version.
    offline.write("object", &ready(database("old", "acme"), seen("postgres")));
    let run = offline.import(&["database=old", "database=i", "--dry-run"]).exits(1);
    run.prints("it is requested twice").prints("infra/old.yaml");
    let other = text(&database("old", "acme")).replace("/v1beta1", "/v1alpha1");
    offline.repository.write("infra/old.yaml", &other);
    let reported = format!("infra/old.yaml has it as {GROUP}/v1alpha1, but it was read as {GROUP}/v1beta1");
    offline.import(&wanted).exits(1).prints(&reported);
    assert_eq!(offline.repository.read("infra/old.yaml"), other);
}

#[test]
fn namespaces_have_names_and_credentials_of_their_own() {
    let group = "rds.m.offline.example.org";
    let mut there = database("there", "theirs");
    there["apiVersion"] = json!(format!("{group}/v1beta1"));
    there["metadata"]["namespace"] = json!("other");
    there["spec"]["providerConfigRef"]["kind"] = json!("ProviderConfig");
    let mut open = there.clone();
    open["metadata"] = json!({"name": "open", "annotations": {"crossplane.io/external-name": "x"}});
    let offline = Offline::with(&[("infra/open.yaml", &serde_saphyr::to_string(&open).unwrap())]);
    offline.write("twin", &definition(group, "Database", "databases", "Namespaced"));
    offline.write("there", &ready(there, seen("postgres")));
    let kind = format!("databases.{group}");
    let new = |name: &str, namespace: &str| {
        offline.import(&[&format!("{kind}/{name}=new"), "-n", namespace, "--into", "infra", "--dry-run"])
    };
    new("new", "other").exits(0).prints("using provider config \"theirs\"");
    new("new", "team").exits(0).prints("the cluster has no provider config of its provider yet");
    // A kustomization may add any namespace to objects without one.
    new("open", "team").exits(1).prints("open is already the name of another object");
}

#[test]
fn objects_without_a_directory_are_reported_and_can_be_printed() {
    let offline = Offline::with(&[("note.txt", "x")]);
    for flags in [&["--yes"][..], &["--dry-run"]] {
        let run = offline.import(&[&["database=new"], flags].concat()).exits(1);
        run.prints("this repository contains nothing similar to a Database: pass its directory with --into DIRECTORY");
    }
    let run = offline.import(&["database=new", "--dry-run", "-o", "yaml"]).exits(0);
    run.prints("pass its directory");
    assert!(run.stdout.starts_with("---\napiVersion: "), "{}", run.stdout);
}

/// A file that no kustomization lists is deployed by nothing.
#[test]
fn a_directory_whose_kustomization_cannot_be_read_gets_no_manifest() {
    let offline = Offline::with(&[("infra/kustomization.yaml", "resources: [a\n"), ("plain/note.txt", "x")]);
    let wanted = |into: &str| offline.import(&["database=new", "--yes", "--into", into]);
    wanted("infra").exits(1).prints("the kustomization in infra cannot be read: infra/kustomization.yaml");
    wanted("plain").exits(0);
    wanted("plain\nb").exits(2).prints("control character");
    assert_eq!(offline.repository.git(["status", "--porcelain", "-uall"]), "?? plain/new.yaml");
}

/// A resource that is left out of an answer is not owned.
#[test]
fn resources_of_a_terraform_state_that_cannot_be_imported_are_refused() {
    let offline = Offline::with(&[("infra/note.txt", "x")]);
    let read = |state: &Value| {
        let file = offline.repository.outside().join("state.json");
        std::fs::write(&file, state.to_string()).unwrap();
        let map = ["--map", "x_database=database", "--into", "infra", "--yes"];
        offline.import(&[&["--terraform-state", file.to_str().unwrap()], &map[..]].concat())
    };
    let state = |instances: Value| json!({"version": 4, "resources": [{"mode": "managed", "type": "x_database", "instances": instances}]});
    let odd = json!([
        {"attributes": {"id": "a\nb"}}, {"attributes": {"id": "gone"}, "deposed": "00000001"}, {"attributes": {"id": "kept"}},
    ]);
    let run = read(&state(odd)).exits(1);
    run.prints("the state has no id of it that can be read").prints("Terraform has replaced it");
    assert_eq!(offline.repository.git(["status", "--porcelain", "-uall"]), "?? infra/kept.yaml");
    read(&state(json!([]))).exits(3).prints("it has no managed resources");
    read(&json!({})).exits(3).prints("it is not a Terraform state");
    read(&json!({"version": 3, "modules": []})).exits(3).prints("version 3 of the format");
}

#[test]
fn ack_and_config_connector_adopt_first_and_then_manage() {
    let text = json!({"type": "string"});
    let define = |group: &str, kind: &str, plural: &str, spec: Value| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {
                "group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": spec, "status": {"type": "object"}},
                }}}],
            },
        })
    };
    let fields = |required: &[&str]| {
        json!({"type": "object", "required": required, "properties": {
            "dbInstanceIdentifier": text, "resourceID": text, "engine": text, "size": {"type": "integer"}, "tier": text,
            "multiAZ": {"type": "boolean"}, "networkRef": {"type": "object", "properties": {"external": text}},
            "labels": {"type": "object", "additionalProperties": text},
        }})
    };
    let offline = Offline::with(&[("note.txt", "x")]);
    offline
        .write("ack", &define("rds.services.k8s.aws", "DBInstance", "dbinstances", fields(&["dbInstanceIdentifier"])));
    offline.write("cc", &define("sql.cnrm.cloud.google.com", "SQLInstance", "sqlinstances", fields(&[])));
    let wanted = [
        "dbinstance=arn:aws:rds:eu-central-1:7:db:orders",
        "sqlinstance=projects/acme/instances/quotes",
        "-n",
        "team",
        "--into",
        "db",
        "--yes",
    ];
    offline.import(&wanted).exits(0).prints("Config Connector cannot only observe");
    let (ack, cc) = (offline.read("db/orders.yaml"), offline.read("db/quotes.yaml"));
    assert_eq!(ack["spec"], json!({"dbInstanceIdentifier": "orders"}));
    assert_eq!(ack["metadata"]["annotations"]["services.k8s.aws/region"], "eu-central-1");
    assert_eq!(ack["metadata"]["annotations"]["services.k8s.aws/read-only"], "true");
    assert_eq!(cc["spec"]["resourceID"], "quotes");
    offline.import(&wanted).exits(4).prints("not in the cluster yet");

    // Fields that controllers wrote into the spec: references, zeros and all.
    let lived = |mut object: Value, condition: &str| {
        let more = json!({
            "engine": "postgres", "size": 0, "multiAZ": false, "networkRef": {"external": "n"}, "labels": {"team": "a"},
        });
        object["spec"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        object["status"] =
            json!({"conditions": [{"type": condition, "status": "True", "reason": "UpToDate", "message": ""}]});
        // Fields that Config Connector may not write into the spec.
        object["status"]["observedState"] = json!({"tier": "small"});
        object
    };
    let (live_ack, live_cc) = (lived(ack, "ACK.ResourceSynced"), lived(cc, "Ready"));
    offline.write("live-ack", &live_ack);
    offline.write("live-cc", &live_cc);
    offline.import(&wanted).exits(0);
    let (ack, cc) = (offline.read("db/orders.yaml"), offline.read("db/quotes.yaml"));
    assert_eq!(ack["spec"], live_ack["spec"]);
    let mut whole = live_cc["spec"].clone();
    whole["tier"] = json!("small");
    assert_eq!(cc["spec"], whole);
    let annotations = &ack["metadata"]["annotations"];
    assert_eq!(annotations.get("services.k8s.aws/read-only"), None);
    assert_eq!(annotations["services.k8s.aws/deletion-policy"], "retain");
    assert_eq!(cc["metadata"]["annotations"]["cnrm.cloud.google.com/deletion-policy"], "abandon");
    // Config Connector manages the resources that Git declares; ACK as soon as that is deployed.
    offline.import(&wanted).exits(4).prints("1 wait").prints("is not deployed yet");
    offline.write("live-ack", &lived(ack, "ACK.ResourceSynced"));
    offline.import(&wanted).exits(0).prints("Nothing to do");
}

#[test]
fn no_output_and_no_file_contains_a_secret() {
    let declared = database("old", "acme");
    let offline = Offline::with(&[("infra/old.yaml", &serde_saphyr::to_string(&declared).unwrap())]);
    let formats = ["table", "wide", "json", "yaml", "markdown", "name", "jsonpath={.items}", "custom-columns=A:.items"];
    let reported = |arguments: &[&str], words: &str| {
        for format in formats {
            let flags = ["--dry-run", "-o", format, "-v", "9"];
            let run = offline.import(&[&["--into", "infra"], arguments, &flags].concat());
            assert!(
                !format!("{}{}", run.stdout, run.stderr).contains(CANARY),
                "{format}: {}{}",
                run.stdout,
                run.stderr
            );
            assert!(matches!(run.code, Some(1 | 4)), "{format}: {}", run.stderr);
            if format == "wide" {
                run.prints(words);
            }
        }
        offline.import(&[&["--into", "infra", "--yes"], arguments].concat());
        for file in offline.repository.git(["ls-files", "--others", "--cached"]).lines() {
            assert!(!offline.repository.read(file).contains(CANARY), "{file}");
        }
    };
    let password = format!("tags.password={CANARY}");
    reported(&["database=new", "--set", &password], "looks like a secret");
    let number = format!("size={CANARY}");
    reported(&["database=new", "--set", &number], "--set size");
    // Observed, as a connection string; and in the words of a provider.
    let mut observed = seen("postgres");
    observed["tags"]["url"] = json!(format!("postgres://shop:{CANARY}@db/shop"));
    offline.write("object", &ready(declared.clone(), observed));
    reported(&["database=old"], "looks like a secret");
    let mut failed = declared.clone();
    let message = format!("cannot connect: postgres://shop:{CANARY}@db/shop: password={CANARY}");
    failed["status"] =
        json!({"conditions": [{"type": "Synced", "status": "False", "reason": "Error", "message": message}]});
    offline.write("object", &failed);
    reported(&["database=old"], "cannot connect");
    // Where only the observed side of a difference is one.
    let mut observed = seen("postgres");
    observed["tags"]["url"] = json!(format!("postgres://shop:{CANARY}@db/shop"));
    let mut other = declared;
    other["spec"]["forProvider"]["tags"] = json!({"url": "x"});
    offline.repository.write("infra/old.yaml", &serde_saphyr::to_string(&other).unwrap());
    offline.write("object", &ready(other, observed));
    reported(&["database=old"], "spec.forProvider.tags.url");
}
