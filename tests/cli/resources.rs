//! `resources`: an improved `kubectl get managed`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY, QUOTES};

fn resources(hub: &str, arguments: &[&str]) -> Ran {
    run(ucp_from(hub, ["resources"].into_iter().chain(arguments.iter().copied())))
}

/// `kind/name` of each resource that passes, sorted.
fn names(arguments: &[&str]) -> Vec<String> {
    let list = resources(BAD_DAY, &[arguments, &["-o", "name"]].concat()).expect(0);
    let mut names: Vec<_> = list.stdout.lines().map(str::to_owned).collect();
    names.sort();
    names
}

/// Whatever the width, each bad row shows why: in its line or in full below the table, and spare columns do not take its place.
#[test]
fn every_bad_row_shows_its_cause_at_any_width() {
    let items = resources(BAD_DAY, &["-o", "json"]).expect(0).json()["items"].clone();
    let causes: Vec<String> = items
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["verdict"] != "OK")
        .filter_map(|item| item["message"].as_str())
        .map(|cause| cause.split_whitespace().collect::<String>())
        .collect();
    assert!(causes.len() > 15);
    for columns in ["60", "80", "100", "160"] {
        let mut command = ucp_from(BAD_DAY, ["resources"]);
        command.env("COLUMNS", columns);
        let text = run(command).expect(0).stdout;
        let squeezed: String = text.split_whitespace().collect();
        for cause in &causes {
            assert!(squeezed.contains(cause.as_str()), "{columns}: {cause}: {text}");
        }
        let header = text.lines().next().unwrap();
        assert!(header.contains("WHY") || !header.contains("READY"), "{columns}: {header}");
        // Rows that are not OK, and their causes, come before the other ones.
        let first_ok = text.find("\nOK ").unwrap();
        assert!(!text[first_ok..].contains("Failed"), "{columns}: {text}");
    }
}

#[test]
fn each_format_and_width_matches_its_snapshot() {
    assert_data_eq!(resources(QUOTES, &[]).expect(0).stdout, file!["../snapshots/resources-quotes.txt"].raw());
    let on = |columns: &str| {
        let mut command = ucp_from(BAD_DAY, ["managed"]);
        command.env("COLUMNS", columns);
        run(command).expect(0).stdout
    };
    assert_data_eq!(on("80"), file!["../snapshots/resources-bad-day-80.txt"].raw());
    assert_data_eq!(on("200"), file!["../snapshots/resources-bad-day-200.txt"].raw());
    let wide = resources(BAD_DAY, &["-o", "wide"]).expect(0).stdout;
    assert_data_eq!(wide, file!["../snapshots/resources-bad-day-wide.txt"].raw());
    let markdown = resources(BAD_DAY, &["-o", "markdown", "--only", "Failed"]).expect(0).stdout;
    assert_data_eq!(markdown, file!["../snapshots/resources-bad-day.md"].raw());
}

/// NAME to READY, SYNCED and EXTERNAL-NAME, from kubectl's tables, one for each kind. Not every kind has every column.
fn kubectl_tables(text: &str) -> BTreeMap<String, [Option<String>; 3]> {
    let mut rows = BTreeMap::new();
    for block in text.split("\n\n") {
        let mut lines = block.lines();
        let header = lines.next().unwrap();
        let columns: Vec<usize> = header
            .match_indices(|c: char| c != ' ')
            .map(|(index, _)| index)
            .filter(|index| *index == 0 || header[..*index].ends_with(' '))
            .collect();
        let cell = |line: &str, column: &str| {
            let number = columns.iter().position(|start| header[*start..].split(' ').next() == Some(column))?;
            let end = columns.get(number + 1).map_or(line.len(), |end| (*end).min(line.len()));
            Some(line.get(columns[number]..end).unwrap_or_default().trim().to_owned())
        };
        for line in lines {
            let cells = ["READY", "SYNCED", "EXTERNAL-NAME"].map(|column| cell(line, column));
            rows.insert(cell(line, "NAME").unwrap(), cells);
        }
    }
    rows
}

#[test]
fn resources_match_kubectl_get_managed() {
    for cluster in [hub::quotes(), hub::bad_day()] {
        let Some(cluster) = cluster else { return };
        // kubectl fails completely if a kind is deleted during its requests, such as one of another test.
        let ask = || cluster.kubectl(["get", "managed", "-A"]).output().unwrap();
        let tables = (0..5).map(|_| ask()).find(|answer| answer.status.success()).unwrap_or_else(ask);
        assert!(tables.status.success(), "{}", String::from_utf8_lossy(&tables.stderr));
        let theirs = kubectl_tables(&String::from_utf8(tables.stdout).unwrap());
        assert!(theirs.len() >= 16);
        let list = run(ucp_on(cluster, ["resources", "-o", "json"])).expect(0).json();
        let mut ours: BTreeMap<_, _> = list["items"].as_array().unwrap().iter().map(row).collect();
        for (name, columns) in theirs {
            let known = ours.remove(&name).unwrap_or_else(|| panic!("{name} is missing"));
            for (known, column) in known.iter().zip(columns) {
                assert!(column.is_none() || column.as_ref() == Some(known), "{name}: {known:?}, not {column:?}");
            }
        }
        // Composites and claims come on top.
        assert!(ours.keys().all(|name| name.contains(".platform.example.org/")), "{ours:#?}");
    }
}

/// A condition that is absent is an empty cell of kubectl's, and so is an absent annotation.
fn row(item: &Value) -> (String, [String; 3]) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let object = &item["object"];
    let group = object["apiVersion"].as_str().unwrap().split('/').next().unwrap();
    let kind = object["kind"].as_str().unwrap().to_lowercase();
    let condition = |name: &str| text(&item[name]).replace("Unknown", "");
    (
        format!("{kind}.{group}/{}", text(&object["name"])),
        [condition("ready"), condition("synced"), text(&item["externalName"])],
    )
}

#[test]
fn an_item_has_its_owner_and_the_cause_of_its_problem() {
    let list = resources(BAD_DAY, &["databaseinstance/quotes-orders-7k2px-4fd2e", "-o", "json"]).expect(0).json();
    assert_eq!(list["kind"], "ResourceList");
    assert_eq!(
        list["items"],
        json!([{
            "object": {
                "apiVersion": "sql.gcp.upbound.io/v1beta2", "kind": "DatabaseInstance",
                "name": "quotes-orders-7k2px-4fd2e",
            },
            "verdict": "Failed", "ready": "False", "synced": "True", "since": "2026-11-20T09:38:44Z",
            "externalName": "quotes-orders-7k2px-4fd2e", "providerConfig": "default", "provider": "provider-gcp-sql",
            "owner": {
                "apiVersion": "platform.example.org/v1alpha1", "kind": "Database", "namespace": "quotes",
                "name": "quotes-orders",
            },
            "age": "4h58m", "created": "2026-11-20T09:31:00Z",
            "message": "async create failed: failed to create the resource: [{0 Error, failed to create instance \
                        quotes-orders-7k2px-4fd2e: googleapi: Error 403: The project has exceeded its quota of \
                        instances in region europe-west9., instanceQuotaExceeded  []}]",
            "labels": {
                "crossplane.io/claim-name": "quotes-orders", "crossplane.io/claim-namespace": "quotes",
                "crossplane.io/composite": "quotes-orders-7k2px",
            },
            "findings": ["UCP111"],
        }])
    );
    let database = resources(QUOTES, &["rdsinstance", "-o", "json"]).expect(0).json();
    assert_eq!(
        database["items"][0]["managedBy"],
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "namespace": "argocd", "name": "aws-database",
        })
    );
}

#[test]
fn filters_narrow_and_combine() {
    let all = names(&[]);
    assert_eq!(all.len(), 33);
    let holding = |part: &str| all.iter().filter(|name| name.contains(part)).cloned().collect::<Vec<_>>();

    assert_eq!(names(&["nodepool"]), holding("nodepool"));
    assert_eq!(names(&["nodepools.container.gcp.upbound.io"]), holding("nodepool.container.gcp.upbound.io"));
    assert_eq!(names(&["NodePool/gcp-k8s-np-prod"]), ["nodepool.container.gcp.crossplane.io/gcp-k8s-np-prod"]);
    assert_eq!(names(&["nodepool", "bucket"]).len(), holding("nodepool").len() + 4);
    assert_eq!(names(&["--group", "gcp.crossplane.io"]), holding(".gcp.crossplane.io/"));
    assert_eq!(names(&["--group", "container.gcp.upbound.io"]), holding("container.gcp.upbound.io"));
    assert_eq!(names(&["--provider", "provider-aws"]), holding("rdsinstance"));
    assert_eq!(names(&["--provider", "provider-aws", "--only", "stuck"]), holding("postgres-replica"));
    assert_eq!(names(&["-l", "service=gke", "--only", "OK"]).len(), 6);
    assert_eq!(names(&["-l", "service=gke,creation!=crossplane"]), [""; 0]);
    assert_eq!(names(&["--only", "paused,NEEDSHUMAN"]).len(), 2);
    assert_eq!(names(&["--owner", "aws-database"]).len(), holding("rdsinstance").len() + holding("/aws.db").len());
    assert_eq!(names(&["--owner", "quotes-orders"]), holding("quotes-orders-7k2px"));
    // Cluster-scoped objects are kept, as the help describes.
    assert_eq!(names(&["bucket", "-n", "quotes"]), holding("bucket"));
    assert_eq!(names(&["bucket", "-n", "elsewhere", "--group", "s3.aws.m.upbound.io"]), [""; 0]);
}

#[test]
fn problems_are_sorted_first_or_by_the_given_column() {
    let column = |order: &str, path: &str| -> Vec<String> {
        let template = format!("jsonpath={{range .items[*]}}{path}{{\"\\n\"}}{{end}}");
        let list = resources(BAD_DAY, &["--sort-by", order, "-o", &template]).expect(0).stdout;
        list.lines().map(str::to_owned).collect()
    };
    let verdicts = column("verdict", "{.verdict}");
    let order = ["Failed", "NeedsHuman", "Drifted", "Stuck", "Progressing", "Paused", "Unknown", "OK"];
    assert!(verdicts.is_sorted_by_key(|verdict| order.iter().position(|known| known == verdict)), "{verdicts:?}");
    for (order, path) in [
        ("name", "{.object.name}"),
        ("age", "{.created}"),
        ("external-name", "{.externalName}"),
        (".object.kind", "{.object.kind}"),
        ("{.created}", "{.created}"),
    ] {
        let values = column(order, path);
        assert!(values.len() == 33 && values.is_sorted(), "{order}: {values:?}");
    }
    let kinds: Vec<_> = column("kind", "{.object.kind}").iter().map(|kind| kind.to_lowercase()).collect();
    assert!(kinds.is_sorted(), "{kinds:?}");
}

#[test]
fn formats_and_headers() {
    let json = resources(QUOTES, &["-o", "json"]).expect(0).json();
    let yaml: Value = serde_saphyr::from_str(&resources(QUOTES, &["-o", "yaml"]).expect(0).stdout).unwrap();
    assert_eq!(yaml, json);
    assert!(resources(QUOTES, &["--no-headers"]).expect(0).stdout.starts_with("OK "));
    assert_eq!(
        resources(QUOTES, &["rdsinstance", "-o", "custom-columns=N:.object.name,R:.ready", "--no-headers"]).stdout,
        "aws-database-postgres-instance   True\n"
    );
    assert_eq!(resources(QUOTES, &["rdsinstance", "-o", "jsonpath={.items[*].verdict}"]).stdout, "OK");
    let coloured = resources(BAD_DAY, &["--color", "always", "--only", "Failed"]).expect(0).stdout;
    assert!(coloured.contains("\x1b[1m\x1b[31m"), "{coloured:?}");
    assert!(!resources(BAD_DAY, &["--only", "Failed"]).stdout.contains('\x1b'));
}

#[test]
fn an_empty_list_is_reported_on_standard_error() {
    let ran = resources(QUOTES, &["--only", "Failed"]).expect(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, "No resources found.\n"));
    let ran = resources(QUOTES, &["--only", "Failed", "-o", "json"]).expect(0);
    assert_eq!((ran.json()["items"].clone(), ran.stderr.as_str()), (json!([]), ""));
}

#[test]
fn usage_errors_list_the_valid_values() {
    for (arguments, expected) in [
        (&["pods"][..], "no managed resource, composite, claim or kind of an engine is called 'pods'"),
        (&["--only", "broken"], "expected one of Failed, NeedsHuman"),
        (&["--sort-by", "{.a"], "neither a column nor a JSONPath"),
        (&["-l", "a in"], "a in"),
        (&["-o", "custom-columns=A"], "expected <header>:<json-path-expr>"),
    ] {
        let ran = resources(QUOTES, arguments).expect(2);
        assert!(ran.stderr.contains(expected) && ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn objects_of_an_unknown_provider_are_listed() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [{
        "apiVersion": "things.nobody.example/v9alpha7", "kind": "Gizmo", "metadata": {"name": "g", "namespace": "n"},
        "spec": {"forProvider": {}, "providerConfigRef": {"kind": "ProviderConfig", "name": "x"}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "True"}]},
    }]});
    let ran = run_with_input(ucp(["resources", "--from", "-", "--no-headers"]), list.to_string()).expect(0);
    assert_eq!(ran.stdout, "OK   n   gizmo.things.nobody.example/g   True   True   <unknown>\n");
}
