//! The same objects as other programs lay them out.

use super::*;
use std::collections::BTreeMap;

fn objects() -> Vec<Value> {
    load::manifests::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(hub::QUOTES)).unwrap()
}

fn plural(kind: &str) -> String {
    format!("{}s", kind.to_lowercase()).replace("ys", "ies")
}

fn status(path: &str) -> Value {
    run(ucp_from(path, ["status", "-o", "json"])).expect(0).comparable()
}

/// Writes files, and the same as an archive.
fn write(directory: &TempDir, files: &BTreeMap<String, String>) -> [String; 2] {
    let (top, archive) = (directory.path().join("dump"), directory.path().join("dump.tar.gz"));
    let gzip = flate2::write::GzEncoder::new(fs::File::create(&archive).unwrap(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    for (path, text) in files {
        let file = top.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        tar.append_path_with_name(&file, Path::new("dump").join(path)).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
    [top.display().to_string(), archive.display().to_string()]
}

fn parts(object: &Value) -> (String, String, Option<String>, String) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let version = text("/apiVersion").unwrap();
    let group = version.split_once('/').map_or("core", |(group, _)| group).to_owned();
    (group, text("/kind").unwrap(), text("/metadata/namespace"), text("/metadata/name").unwrap())
}

/// The files of `oc adm inspect` (`pkg/cli/admin/inspect`): a list for each kind of a namespace that it collects as a whole, a
/// file for any other object, a namespace in two places, a pod in three, and Secrets without their values.
#[test]
fn must_gather_is_read() {
    const LISTED: [&str; 8] =
        ["Deployment", "StatefulSet", "Service", "Pod", "ConfigMap", "Secret", "EndpointSlice", "ReplicaSet"];
    let directory = tempfile::tempdir().unwrap();
    let mut files = BTreeMap::from([
        ("version".to_owned(), "openshift/must-gather\n4.20.0\n".to_owned()),
        ("timestamp".to_owned(), "2026-11-20 09:00:00 +0000 UTC\n".to_owned()),
        ("event-filter.html".to_owned(), "<html>".to_owned()),
        ("img/event-filter.json".to_owned(), "{\"no\": \"object\"}".to_owned()),
        ("img/namespaces/shop/pods/web/web/web/logs/current.log".to_owned(), "kind: Pod".to_owned()),
    ]);
    let elided = |size: usize| base64::engine::general_purpose::STANDARD.encode(format!("{size} bytes long"));
    let connection = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"name": "gcp-k8s-prod", "namespace": "default"},
        "data": {"kubeconfig": elided(2718), "endpoint": elided(22)},
    });
    let mut lists: BTreeMap<String, Value> = BTreeMap::new();
    let yaml = |object: &Value| format!("---\n{object}\n");
    for mut object in objects().into_iter().chain([connection]) {
        let (group, kind, namespace, name) = parts(&object);
        let Some(namespace) = namespace else {
            if kind == "Namespace" {
                files.insert(format!("img/namespaces/{name}/{name}.yaml"), yaml(&object));
            }
            let path = format!("img/cluster-scoped-resources/{group}/{}/{name}.yaml", plural(&kind));
            files.insert(path, yaml(&object));
            continue;
        };
        let below = format!("img/namespaces/{namespace}");
        if kind == "Pod" {
            files.insert(format!("{below}/pods/{name}/{name}.yaml"), yaml(&object));
        }
        if !LISTED.contains(&kind.as_str()) {
            files.insert(format!("{below}/{group}/{}/{name}.yaml", plural(&kind)), yaml(&object));
            continue;
        }
        let version = object["apiVersion"].clone();
        if kind == "Secret" {
            // It is read into a type of Go, whose items have no kind or apiVersion.
            object.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
        }
        let list = lists.entry(format!("{below}/{group}/{}.yaml", plural(&kind))).or_insert_with(
            || json!({"apiVersion": version, "kind": format!("{kind}List"), "metadata": {}, "items": []}),
        );
        list["items"].as_array_mut().unwrap().push(object);
    }
    files.extend(lists.iter().map(|(path, list)| (path.clone(), yaml(list))));
    files.insert(
        "img/namespaces/default/batch/jobs.yaml".to_owned(),
        "kind: JobList\napiVersion: batch/v1\nitems: null\n".to_owned(),
    );
    let (expected, resources) = (status(hub::QUOTES), ["resources", "--any", "-A", "-o", "name"]);
    let known = |path: &str| -> Vec<String> {
        let listed = run(ucp_from(path, resources)).expect(0).stdout;
        listed.lines().filter(|line| !line.starts_with("secret")).map(str::to_owned).collect()
    };
    for path in write(&directory, &files) {
        assert_eq!(status(&path), expected, "{path}");
        assert_eq!(known(&path), known(hub::QUOTES), "{path}");
        // The credential of a cluster was elided, so it is not known whether it is valid.
        let clusters = run(ucp_from(&path, ["clusters", "-o", "json"])).expect(4).json();
        let prod = clusters["items"].as_array().unwrap().iter().find(|one| one["name"] == "gcp-k8s-prod").unwrap();
        let reported = (&prod["state"], &prod["reason"]);
        assert_eq!(reported, (&json!("unknown"), &json!("its kubeconfig is redacted or not text")), "{prod}");
    }
}

#[test]
fn a_troubleshoot_bundle_is_read_including_its_errors() {
    let directory = tempfile::tempdir().unwrap();
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for object in objects() {
        let (group, kind, namespace, _) = parts(&object);
        let (mut object, plural) = (object, plural(&kind));
        let namespace = namespace.unwrap_or_default();
        let path = match group.as_str() {
            "apps" => {
                // Older bundles omit the kind of the items of an array.
                object.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
                format!("cluster-resources/{plural}/{namespace}.json")
            }
            group if namespace.is_empty() => format!("cluster-resources/custom-resources/{plural}.{group}.json"),
            group => format!("cluster-resources/custom-resources/{plural}.{group}/{namespace}.json"),
        };
        lists.entry(path).or_default().push(object);
    }
    let mut files: BTreeMap<String, String> =
        lists.into_iter().map(|(path, items)| (path, json!(items).to_string())).collect();
    files.insert("analysis.json".to_owned(), "[{\"name\": \"x\", \"severity\": \"warn\"}]".to_owned());
    files.insert("version.yaml".to_owned(), "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n".to_owned());
    files.insert("cluster-resources/resources.json".to_owned(), "[{\"groupVersion\": \"v1\"}]".to_owned());
    files.insert("cluster-resources/pods-errors.json".to_owned(), "null".to_owned());
    let expected = status(hub::QUOTES);
    for path in write(&directory, &files) {
        assert_eq!(status(&path), expected, "{path}");
    }
    let refusal = json!({"buckets.example.org": "buckets.example.org is forbidden: User \"x\" cannot list"});
    files.insert("cluster-resources/custom-resources/custom-resources-errors.json".to_owned(), refusal.to_string());
    let second = tempfile::tempdir().unwrap();
    for path in write(&second, &files) {
        let ran = run(ucp_from(&path, ["status", "-o", "json"])).expect(4);
        assert_eq!(ran.unknown(), ["buckets.example.org"]);
    }
}

#[test]
fn the_output_of_cluster_info_dump_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump.txt").display().to_string();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects()});
    let logs = "==== START logs for container c of pod default/p ====\n{ not: json\n==== END logs for container c of pod default/p ====\n";
    fs::write(&path, format!("{list}\n{logs}{{\"kind\": \"EventList\", \"apiVersion\": \"v1\", \"items\": []}}\n"))
        .unwrap();
    assert_eq!(status(&path), status(hub::QUOTES));
}

/// It has no objects but those of Kubernetes itself.
#[test]
fn a_dump_of_the_installed_kubectl_is_read() {
    let Some(cluster) = hub::quotes() else { return };
    let deployments = |ran: Ran| -> Vec<String> {
        let lines = ran.stdout.lines().filter(|line| line.starts_with("deployment.apps/"));
        lines.map(str::to_owned).collect()
    };
    let live = deployments(run(ucp_on(cluster, ["resources", "--any", "-A", "-o", "name"])));
    assert!(live.len() > 2, "{live:?}");
    let directory = tempfile::tempdir().unwrap();
    let dump = |arguments: &[&str]| {
        let output = cluster.kubectl(["cluster-info", "dump", "-A"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let mut paths = Vec::new();
    for format in ["json", "yaml"] {
        let path = directory.path().join(format).display().to_string();
        dump(&["-o", format, "--output-directory", &path]);
        paths.push(path);
    }
    let printed = directory.path().join("printed.txt").display().to_string();
    fs::write(&printed, dump(&[])).unwrap();
    let archive = directory.path().join("json.tar.gz").display().to_string();
    let packed = Command::new("tar").args(["-C", &paths[0], "-czf", &archive, "."]).status().unwrap();
    assert!(packed.success());
    for path in paths.into_iter().chain([printed, archive]) {
        let ran = run(ucp_from(&path, ["resources", "--any", "-A", "-o", "name"]));
        assert_eq!(deployments(ran.clone().expect(0)), live, "{path}: {ran:?}");
    }
}

#[test]
fn a_cut_archive_is_not_whole() {
    let directory = tempfile::tempdir().unwrap();
    let files =
        objects().into_iter().enumerate().map(|(number, object)| (format!("{number}.yaml"), object.to_string()));
    let [_, path] = write(&directory, &files.collect());
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let ran = run(ucp_from(&path, ["status", "-o", "json"])).expect(4);
    assert!(ran.stdout.contains("the archive is corrupt"), "{}", ran.stdout);
}
