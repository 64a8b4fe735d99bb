//! Every state is reported correctly, and none is invented.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::ByteString;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::seeds::{self, At, LOGIN, Seed, secret};
use super::stage::{Clusters, namespaces, printed, ways, write};
use crate::support::command::{Ran, run, ucp, ucp_from};
use crate::support::hub::QUOTES;
use crate::support::print_notice;

pub const CORE: &str = "uid-kube-system";
/// A token that is never used.
const UNUSED: &str = "unused";

/// `CLUSTER NAMESPACE/NAME`, and the reported state and keys.
type ReportedStates = BTreeMap<String, (String, Vec<String>)>;

pub fn reported(document: &Value) -> ReportedStates {
    let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    let item = |item: &Value| {
        let key = format!("{} {}/{}", text(item, "cluster"), text(item, "namespace"), text(item, "name"));
        let keys = item["differingKeys"].as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned());
        (key, (text(item, "state"), keys.collect()))
    };
    document["items"].as_array().unwrap().iter().map(item).collect()
}

fn expected(seeds: &[Seed]) -> ReportedStates {
    let mut expected = ReportedStates::new();
    for seed in seeds {
        let keys: Vec<String> = seed.keys.iter().map(|key| (*key).to_owned()).collect();
        for (cluster, namespace, state) in &seed.reported {
            expected.insert(format!("{cluster} {namespace}/{}", seed.name), ((*state).to_owned(), keys.clone()));
        }
    }
    expected
}

#[track_caller]
fn compare(reported: &ReportedStates, expected: &ReportedStates) {
    let mut wrong = String::new();
    for key in reported.keys().chain(expected.keys()).collect::<BTreeSet<_>>() {
        if reported.get(key) != expected.get(key) {
            wrong.push_str(&format!("{key}: reported {:?}, expected {:?}\n", reported.get(key), expected.get(key)));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The seeds as files: a core cluster, and an app cluster each.
pub struct Files {
    _directory: TempDir,
    pub core: String,
    prod: String,
    stage: String,
}

impl Files {
    pub fn of(seeds: &[Seed]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| (format!("https://{name}.example.org"), String::new());
        let servers = BTreeMap::from([("prod", at("prod")), ("stage", at("stage")), ("dark", at("dark"))]);
        let core = [printed(seeds, At::Core), ways(&servers, UNUSED), namespaces(&["kube-system"])].concat();
        let prod = [printed(seeds, At::Prod), namespaces(&["shop"])].concat();
        let stage = [printed(seeds, At::Stage), namespaces(&["shop"])].concat();
        Self {
            core: write(directory.path(), "core.json", &core),
            prod: write(directory.path(), "prod.json", &prod),
            stage: write(directory.path(), "stage.json", &stage),
            _directory: directory,
        }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = ucp(["secrets"]);
        command.args(arguments).args(self.flags());
        run(command)
    }

    /// The flags that have a command read all of them.
    pub fn flags(&self) -> Vec<String> {
        let (prod, stage) = (format!("prod={}", self.prod), format!("stage={}", self.stage));
        ["--from", &self.core, "--app-from", &prod, "--app-from", &stage].map(str::to_owned).to_vec()
    }
}

#[test]
fn every_seeded_state_is_reported_from_files() {
    let seeds = seeds::all(CORE);
    assert!(expected(&seeds).len() >= 40, "{}", expected(&seeds).len());
    let files = Files::of(&seeds);
    let ran = files.run(&["-o", "json"]).expect(4);
    compare(&reported(&ran.json()), &expected(&seeds));
    for format in
        ["table", "wide", "yaml", "name", "markdown", "jsonpath={.items[*].state}", "custom-columns=A:.name,B:.state"]
    {
        // Every run looks for the values.
        files.run(&["-o", format]).expect(4);
    }
    files.run(&["--exit-code"]).expect(1);
    files.run(&["verify"]).expect(1);
    // The next step is printed for people, and only if there is something to do.
    let hint = "hint: 'kubectl ucp secrets sync --dry-run' shows what can be copied";
    assert!(files.run(&[]).stderr.contains(hint));
    for arguments in [&["syncer-current"][..], &["-o", "json"]] {
        assert!(!files.run(arguments).stderr.contains(hint), "{arguments:?}");
    }
}

/// Names of clusters come from Secrets and annotations that tenants may write.
#[test]
fn commands_with_names_of_clusters_are_quoted() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| (format!("https://{name}.example.org"), String::new());
    let mut core = ways(&BTreeMap::from([("prod", at("prod"))]), UNUSED);
    let registration = core.iter_mut().find(|object| object["metadata"]["name"] == "cluster-prod").unwrap();
    registration["data"]["name"] = json!(ByteString(b"x; touch PWNED #".to_vec()));
    let core = write(directory.path(), "core.json", &core);
    let ran = run(ucp_from(&core, ["secrets", "-o", "json"]));
    let document = ran.json();
    let reasons = document["clusters"].as_array().unwrap().iter().filter_map(|cluster| cluster["reason"].as_str());
    let text = reasons.chain([ran.stderr.as_str()]).collect::<Vec<_>>().join("\n");
    let words =
        text.split("--app-from ").skip(1).map(|rest| shlex::split(rest.split(',').next().unwrap()).unwrap()[0].clone());
    assert_eq!(words.collect::<BTreeSet<_>>(), BTreeSet::from(["x; touch PWNED #=PATH".to_owned()]), "{text}");
}

#[test]
fn values_are_only_compared_if_they_were_hidden_in_the_same_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| (format!("https://{name}.example.org"), String::new());
    let mut core = ways(&BTreeMap::from([("prod", at("prod"))]), UNUSED);
    core.extend([seeds::connection(seeds::HOME, "db", &[]), seeds::syncer("db", seeds::HOME, "db", "prod", "shop")]);
    let hidden = |object: &mut Value, hash: &str| object["data"] = json!({"password": format!("<hidden-{hash}-27>")});
    let position = core.iter().position(|object| object["metadata"]["name"] == "db").unwrap();
    hidden(&mut core[position], "0123456789abcdef");
    let state = |core: &[Value], copy: Value| {
        let core = write(directory.path(), "core.json", core);
        let prod = write(directory.path(), "prod.json", &[vec![copy], namespaces(&["shop"])].concat());
        run({
            let mut command = ucp_from(&core, ["secrets", "-o", "json"]);
            command.args(["--app-from", &format!("prod={prod}")]);
            command
        })
    };
    // In one snapshot, all was hidden with one key.
    let together = |core: &[Value], copy: &Value, code: i32| {
        let whole = directory.path().join("together");
        let inside = whole.join("app-clusters").join("prod");
        std::fs::create_dir_all(&inside).unwrap();
        write(&whole, "core.json", core);
        write(&inside, "prod.json", &[vec![copy.clone()], namespaces(&["shop"])].concat());
        let ran = run(ucp_from(whole.to_str().unwrap(), ["secrets", "-o", "json"])).expect(code);
        assert!(ran.stderr.contains("files in directories called app-clusters are of other clusters"), "{ran:?}");
        ran
    };
    let mut copy = secret("shop", "db", &[]);
    for (hash, compared, keys) in
        [("0123456789abcdef", "current", json!([])), ("fedcba9876543210", "different", json!(["password"]))]
    {
        hidden(&mut copy, hash);
        for (ran, state, keys) in
            [(state(&core, copy.clone()).expect(4), "unknown", json!([])), (together(&core, &copy, 0), compared, keys)]
        {
            let items = &ran.json()["items"];
            assert_eq!((&items[0]["state"], &items[0]["differingKeys"]), (&json!(state), &keys), "{ran:?}");
            let items = items.to_string();
            assert!(!ran.stdout.contains(hash) && !items.contains("27"), "{ran:?}");
        }
    }
    // The placeholders of `oc adm inspect` for two values of the same length are no sign that they are the same.
    let elided = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, "27 bytes long");
    core[position]["data"] = json!({"password": elided});
    copy["data"] = json!({"password": elided});
    for ran in [state(&core, copy.clone()).expect(4), together(&core, &copy, 4)] {
        let items = &ran.json()["items"];
        assert_eq!((&items[0]["state"], &items[0]["differingKeys"]), (&json!("unknown"), &json!([])), "{ran:?}");
    }
    hidden(&mut core[position], "0123456789abcdef");
    let ran = state(&core, secret("shop", "db", LOGIN)).expect(0);
    // The copy has keys that the source has not, whatever the values are.
    assert_eq!(ran.json()["items"][0]["state"], "poorer", "{ran:?}");
}

#[test]
fn a_check_without_secrets_is_no_clean_answer() {
    let directory = tempfile::tempdir().unwrap();
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "default"}});
    let core = write(directory.path(), "core.json", &[map]);
    run(ucp_from(&core, ["secrets", "verify"])).expect(4);
    run(ucp_from(&core, ["secrets", "--exit-code"])).expect(4);
    run(ucp_from(&core, ["secrets"])).expect(4);
}

/// The paper's control plane, with its one declaration kept.
#[test]
fn no_findings_are_invented_for_healthy_secrets() {
    let directory = tempfile::tempdir().unwrap();
    const NAMES: [&str; 2] = ["aws-database-conn", "gcp-database-conn"];
    let app = NAMES.map(|name| secret("default", name, LOGIN));
    let core = directory.path().join("core");
    std::fs::create_dir(&core).unwrap();
    // Its own connection Secret has other values than the copies below.
    let is_kept = |entry: &std::fs::DirEntry| entry.file_name() != "credentials.yaml";
    for entry in std::fs::read_dir(QUOTES).unwrap().map(Result::unwrap).filter(is_kept) {
        std::fs::copy(entry.path(), core.join(entry.file_name())).unwrap();
    }
    write(&core, "connection.json", &NAMES.map(|name| seeds::connection(seeds::HOME, name, LOGIN)));
    let app = write(directory.path(), "app.json", &[app.to_vec(), namespaces(&["default"])].concat());
    let arguments = |command: &[&str]| {
        let mut full = ucp_from(core.to_str().unwrap(), command.iter().copied());
        for cluster in ["gcp-k8s-prod", "gcp-k8s-stage"] {
            full.args(["--app-from", &format!("{cluster}={app}")]);
        }
        full
    };
    let ran = run(arguments(&["secrets", "-o", "json"]));
    let states: Vec<_> = reported(&ran.json()).into_iter().collect();
    let current =
        |(cluster, name): (&str, &str)| (format!("{cluster} default/{name}"), ("current".to_owned(), Vec::new()));
    let all = ["gcp-k8s-prod", "gcp-k8s-stage"].map(|cluster| NAMES.map(|name| current((cluster, name)))).concat();
    assert_eq!(states, all, "{ran:?}");
    let item = &ran.json()["items"][0];
    assert_eq!(item["declaredBy"][0]["object"]["name"], "secret-syncer");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    run(arguments(&["secrets", "verify"])).expect(0);
}

#[test]
fn unknown_names_and_clusters_are_reported_with_suggestions() {
    let seeds = seeds::all(CORE);
    let files = Files::of(&seeds);
    let one = files.run(&["syncer-stale", "-o", "json"]).json();
    assert_eq!(reported(&one).len(), 1);
    let by_source = files.run(&["crossplane-system/syncer-stale", "-o", "json"]).json();
    assert_eq!(reported(&by_source), reported(&one));
    let ran = files.run(&["syncer-satle"]).expect(3);
    assert!(
        ran.stderr.contains("do not need a Secret named 'syncer-satle'")
            && ran.stderr.contains("did you mean 'syncer-stale'?"),
        "{ran:?}"
    );
    let ran = files.run(&["--app-cluster", "pord"]).expect(3);
    assert!(ran.stderr.contains("no app cluster is called 'pord'; did you mean 'prod'?"), "{ran:?}");
    let stage = reported(&files.run(&["--app-cluster", "stage", "-o", "json"]).json());
    assert!(stage.len() == 2 && stage.keys().all(|key| key.starts_with("stage ")), "{stage:?}");
    files.run(&["verify", "syncer-current"]).expect(4);
    files.run(&["verify", "both", "--app-cluster", "stage"]).expect(0);
    files.run(&["verify", "both"]).expect(1);
}

#[test]
fn every_seeded_state_is_reported_live_and_from_its_snapshot() {
    let Some(clusters) = Clusters::start() else { return };
    let seeds = seeds::all(&clusters.id());
    clusters.seed(&seeds);
    let kubeconfig = clusters.kubeconfig();
    let live = |arguments: &[&str]| {
        let mut command = ucp(["secrets"]);
        command.args(arguments).env("KUBECONFIG", &kubeconfig).args(["-v", "9", "--context", "core"]);
        command
    };
    // A cluster whose context is known is read as the user; a cluster without access is unknown, in its own rows.
    let ran = run(live(&["-o", "json"])).expect(4);
    compare(&reported(&ran.json()), &expected(&seeds));
    let access: Vec<_> = ran.json()["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].clone(), one["access"].clone()))
        .collect();
    assert!(access.contains(&(json!("prod"), json!("context prod"))), "{access:?}");
    run(live(&["verify"])).expect(1);
    // Kinds that 'status' has read are not read again, except those that need another request, such as clusters.
    let mark = clusters.core.audit_mark();
    let mut status = ucp(["status", "--app-clusters", "-o", "json", "--context", "core"]);
    status.env("KUBECONFIG", &kubeconfig);
    let findings = run(status).json()["findings"].clone();
    assert!(findings.as_array().unwrap().iter().any(|one| one["code"] == "UCP851"), "{findings:#}");
    let mut listed: BTreeMap<String, usize> = BTreeMap::new();
    for request in clusters.core.requests_since(mark) {
        if let Some(object) = request.object.filter(|_| request.verb == "list" && !request.user.starts_with("system:"))
        {
            *listed.entry(format!("{}.{}", object.resource, object.api_group)).or_default() += 1;
        }
    }
    // Each of the two reads compares discovery with the definitions of its own kinds.
    listed.remove("customresourcedefinitions.apiextensions.k8s.io");
    let twice: Vec<&str> = listed.iter().filter(|(_, times)| **times > 1).map(|(kind, _)| kind.as_str()).collect();
    for once in
        ["applications.argoproj.io", "rdsinstances.database.aws.crossplane.io", "xdatabases.platform.example.org"]
    {
        assert!(listed.contains_key(once) && !twice.contains(&once), "{twice:?}");
    }
    print_notice(&format!("{} kinds were listed, twice: {twice:?}", listed.len()));
    assert!(twice.len() * 4 < listed.len(), "{twice:?}");

    let directory = tempfile::tempdir().unwrap();
    let archive = directory.path().join("core.tar.gz").display().to_string();
    let mut take = ucp(["snapshot", &archive, "--app-clusters", "--allow-localhost"]);
    take.env("KUBECONFIG", &kubeconfig).args(["--context", "core"]);
    // The cluster that does not answer is missing there, too.
    run(take).expect(4);
    let from = run(ucp_from(&archive, ["secrets", "-o", "json"])).expect(4);
    compare(&reported(&from.json()), &expected(&seeds));
    run(ucp_from(&archive, ["secrets", "verify", "both", "--app-cluster", "stage"])).expect(0);
}
