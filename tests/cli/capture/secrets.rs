//! No secret is in an archive, and the index counts hidden values.

use super::*;

/// Returns the objects of a fixture, with the secret instead of its names.
fn fixture(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/secrecy").join(name);
    let encoded = base64::engine::general_purpose::STANDARD.encode(CANARY);
    let text = fs::read_to_string(path).unwrap().replace("BASE64_OF_CANARY", &encoded).replace("CANARY", CANARY);
    serde_saphyr::from_multiple(&text).unwrap()
}

/// Texts with secrets as strangers write them, and the part of each that must not be in an archive.
fn texts_with_secrets() -> Vec<(String, String)> {
    let texts: Vec<Value> = serde_json::from_str(include_str!("../../fixtures/secrecy/secrets.json")).unwrap();
    let field = |text: &Value, name: &str| text[name].as_str().unwrap().to_owned();
    // The API server reads JSON as YAML, which has no such characters.
    let is_accepted = |text: &str| !text.contains(|one: char| one.is_control() && !one.is_ascii() || one == '\u{7f}');
    let texts = texts.iter().map(|text| (field(text, "text"), field(text, "hide")));
    // Shorter secrets occur in an archive by chance.
    texts.filter(|(text, hide)| hide.len() >= 8 && is_accepted(text)).collect()
}

/// Objects with these texts in their fields, conditions, annotations, and in documents.
fn plant_texts(cluster: &Cluster, texts: &[(String, String)]) {
    let bucket = |(number, texts): (usize, &[(String, String)])| {
        let texts: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        json!({
            "apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket",
            "metadata": {"name": format!("planted-{number}"), "namespace": "default", "annotations": {
                "argocd.argoproj.io/note": texts[0],
            }},
            "spec": {"forProvider": {"notes": texts, "document": json!({ "notes": texts }).to_string()}},
            "status": {"atProvider": {"notes": texts}, "conditions": texts.iter().enumerate().map(|(number, text)| json!({
                "type": format!("Type{number}"), "status": "False", "reason": "Failed", "message": text,
                "lastTransitionTime": "2026-11-20T10:00:00Z",
            })).collect::<Vec<_>>()},
        })
    };
    let buckets: Vec<Value> = texts.chunks(10).enumerate().map(bucket).collect();
    support::run(async || load::load_objects(&cluster.client(), buckets).await).unwrap();
}

#[test]
fn no_secret_is_in_an_archive() {
    let Some(cluster) = support::start(Options::named("telling")) else { return };
    load::install_all_crds(&cluster).unwrap();
    support::run(async || load::load_objects(&cluster.client(), fixture("places.yaml")).await).unwrap();
    let planted = texts_with_secrets();
    assert!(planted.len() >= 200, "{}", planted.len());
    plant_texts(&cluster, &planted);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tgz").display().to_string();
    run(ucp_on(&cluster, ["snapshot", &path, "-v", "9"])).expect(0);
    let all = texts(&path);
    for name in ["login", "sh.helm.release.v1.shop.v1", "noted", "cluster-prod", "repo-apps", "prod-kubeconfig"] {
        assert!(all.contains(&format!("\"name\":\"{name}\"")), "{name} was taken");
    }
    for kind in ["Bucket", "Workspace", "Application", "Deployment"] {
        assert!(all.contains(&format!("\"kind\":\"{kind}\"")), "{kind} was taken");
    }
    let at = all.find(CANARY);
    assert_eq!(at, None, "…{}…", at.map_or("", |at| &all[at.saturating_sub(300)..at + 40]));
    let planted_buckets = all.matches("\"name\":\"planted-").count();
    assert_eq!(planted_buckets, planted.len().div_ceil(10), "all were taken");
    let found: Vec<&(String, String)> = planted.iter().filter(|(_, hide)| all.contains(hide.as_str())).collect();
    assert!(found.is_empty(), "{} of {}: {found:#?}", found.len(), planted.len());
    // Copies still compare as equal, and public fields of clusters are kept.
    let of = |name: &str| -> Value {
        let line = all.lines().find(|line| line.contains(&format!("\"name\":\"{name}\",\"namespace\"")));
        serde_json::from_str(line.unwrap().trim_end_matches(',')).unwrap()
    };
    assert_eq!(of("login")["data"]["password"], of("copy")["data"]["password"]);
    let clusters = |ran: Ran| ran.json()["items"].clone();
    let live = clusters(run(ucp_on(&cluster, ["clusters", "--argocd-namespace", "default", "-o", "json"])));
    let taken = clusters(run(ucp_from(&path, ["clusters", "--argocd-namespace", "default", "-o", "json"])));
    assert_eq!(live, taken);
    assert_eq!(live[0]["credential"]["type"], "token", "{live}");
    // Definitions have no schemas.
    assert!(!all.contains("openAPIV3Schema"));
}

#[test]
fn the_index_counts_hidden_values_and_exceptions_are_kept() {
    let Some(cluster) = support::start(Options::named("counted")) else { return };
    let objects = fixture("exceptions.yaml");
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("core.tgz").display().to_string();
    let taken = |keep: &[&str]| {
        let keep = keep.iter().flat_map(|exception| ["--keep", exception]);
        let arguments = ["snapshot", &path, "--overwrite", "-n", "counted"].into_iter().chain(keep);
        run(ucp_on(&cluster, arguments.collect::<Vec<_>>())).expect(0);
        let index = index(&path);
        let of_kind = |kind: &str| {
            let kinds = index["kinds"].as_array().unwrap().iter();
            kinds.filter(|entry| entry["kind"] == kind).filter_map(|entry| entry["hidden"].as_u64()).sum::<u64>()
        };
        let by_kind = ["Secret", "ConfigMap", "Deployment"].map(of_kind);
        let by_place = ["secrets", "configMaps", "literals"].map(|place| index["hidden"][place].as_u64().unwrap_or(0));
        (by_kind, by_place, texts(&path))
    };
    let (by_kind, by_place, all) = taken(&[]);
    // Copies in managed fields count, too.
    assert!(by_kind.iter().zip(by_place).all(|(kind, place)| *kind >= place), "{by_kind:?}");
    assert_eq!(by_place, [3, 4, 4]);
    let all_by_kind = by_kind;
    for hidden in ["hello", "pretty one", "value one", "web team"] {
        assert!(!all.contains(hidden), "{hidden}");
    }
    let kept = ["environment/LOG_*", "argument/greeting", "annotation/example.org/*", "configmap/counted/kept"];
    let (by_kind, by_place, all) = taken(&kept);
    assert_eq!(by_place, [3, 2, 1]);
    assert!(by_kind[0] == all_by_kind[0] && by_kind[1] < all_by_kind[1] && by_kind[2] < all_by_kind[2], "{by_kind:?}");
    for kept in ["hello there", "pretty one", "value one", "web team"] {
        assert!(all.contains(kept), "{kept}");
    }
    assert!(!all.contains("hello you"));
}
