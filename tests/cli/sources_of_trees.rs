//! `tree` and `images` of several core clusters at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::gitops::Gitops;
use crate::sources::{Contexts, from, sources_at};
use crate::support::hub::{BAD_DAY, QUOTES};

/// An object of both hubs, well in one of them only.
const IN_BOTH: &str = "application/aws-database";
/// An object of the one hub alone.
const IN_ONE: &str = "database/quotes-orders";

#[test]
fn each_tree_is_the_same_as_alone_and_the_worst_comes_first() {
    for order in [[QUOTES, BAD_DAY], [BAD_DAY, QUOTES]] {
        let list = from(&order, &["tree", IN_BOTH, "-o", "json"]).expect(0).json();
        assert_eq!(
            (&list["apiVersion"], &list["kind"], &list["absent"]),
            (&json!("ucp/v1"), &json!("TreeList"), &json!([]))
        );
        let items = list["items"].as_array().unwrap();
        let paths: Vec<_> = items.iter().map(|item| item["source"]["path"].as_str().unwrap()).collect();
        assert_eq!(paths, [BAD_DAY, QUOTES]);
        for (item, path) in items.iter().zip(paths) {
            let mut alone = from(&[path], &["tree", IN_BOTH, "-o", "json"]).expect(0).json();
            // The next command asks where the finding is.
            let hints =
                alone["findings"].as_array_mut().unwrap().iter_mut().filter_map(|finding| finding.get_mut("hint"));
            for hint in hints.filter(|hint| hint.as_str().unwrap().starts_with("kubectl ucp ")) {
                *hint = format!("{} --from {path}", hint.as_str().unwrap()).into();
            }
            assert_eq!(*item, alone, "{path}");
        }
    }
    let text = from(&[QUOTES, BAD_DAY], &["tree", IN_BOTH]).expect(0).stdout;
    let (worst, well) = (text.find(&format!("{BAD_DAY}\n")), text.find(&format!("\n{QUOTES}\n")));
    assert!(worst == Some(0) && well > worst, "{text}");
    assert_eq!(text.matches("VERDICT").count(), 2, "{text}");
}

#[test]
fn sources_without_the_object_are_listed_and_an_unknown_object_is_an_error() {
    let both = |arguments: &[&str]| from(&[QUOTES, BAD_DAY], &[&["tree", IN_ONE], arguments].concat()).expect(0);
    let list = both(&["-o", "json"]).json();
    assert_eq!(sources_at(&list["items"]), BTreeSet::from([BAD_DAY.to_owned()]));
    assert_eq!(list["absent"][0]["source"]["path"], QUOTES);
    let expected = "tests/fixtures/quotes: no kind is called 'database'";
    for format in ["table", "markdown", "html"] {
        let text = both(&["-o", format]).stdout.replace("&#39;", "'");
        assert!(text.contains(expected), "{format}: {text}");
    }
    assert!(both(&["-o", "name"]).stderr.contains(expected));
    let named = from(&[QUOTES, BAD_DAY], &["tree", "cluster.container/nothing"]).expect(3);
    assert!(named.stdout.is_empty() && named.stderr.contains("cluster.container/nothing does not exist"), "{named:?}");
    from(&[QUOTES, BAD_DAY], &["tree", "no-such-kind/x"]).expect(2);
    // Where one could not be read, it may be there.
    let directory = tempfile::tempdir().unwrap();
    let broken = directory.path().join("broken.yaml");
    std::fs::write(&broken, "a: [").unwrap();
    let broken = broken.to_str().unwrap();
    let ran = from(&[broken, QUOTES], &["tree", "cluster.container/nothing"]).expect(3);
    assert!(ran.stderr.contains("does not exist") && ran.stderr.contains("broken.yaml: "), "{}", ran.stderr);
    let ran = from(&[broken, BAD_DAY], &["tree", IN_ONE, "-o", "json"]).expect(4);
    assert_eq!(ran.json()["unreadable"][0]["source"]["path"], broken);
}

/// Two objects of a name in one source are a question, whatever the other has.
#[test]
fn an_ambiguous_name_in_any_source_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let write = |file: &str, namespaces: &[&str]| {
        let path = directory.path().join(file);
        let object = |namespace: &&str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": namespace, "uid": namespace}});
        let items: Vec<Value> = namespaces.iter().map(object).collect();
        std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (one, two) = (write("one.json", &["x"]), write("two.json", &["x", "y"]));
    let ran = from(&[one.as_str(), two.as_str()], &["tree", "configmap/a"]).expect(2);
    assert!(ran.stderr.contains(&format!("{two}: 2 objects are called")) && ran.stdout.is_empty(), "{}", ran.stderr);
    from(&[one.as_str(), two.as_str()], &["tree", "configmap/a", "-n", "x"]).expect(0);
}

#[test]
fn drawings_have_a_part_for_each_source_and_no_node_twice() {
    let drawn = |format: &str| from(&[QUOTES, BAD_DAY], &["tree", IN_BOTH, "-o", format]).expect(0).stdout;
    let list = from(&[QUOTES, BAD_DAY], &["tree", IN_BOTH, "-o", "json"]).expect(0).json();
    let nodes: usize =
        list["items"].as_array().unwrap().iter().map(|tree| tree["nodes"].as_array().unwrap().len()).sum();
    for (format, part, node) in [("dot", "subgraph cluster_", " [label="), ("mermaid", "subgraph s", "\"]:::")] {
        let text = drawn(format);
        assert_eq!(text.matches(part).count(), 2, "{text}");
        assert!(text.contains(&format!("\"{QUOTES}\"")) && text.contains(&format!("\"{BAD_DAY}\"")), "{text}");
        let declared = text.lines().filter(|line| line.contains(node) && !line.contains(" -> "));
        let numbers: Vec<_> = declared.map(|line| line.trim_start().split([' ', '[']).next().unwrap()).collect();
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), nodes, "{numbers:?}");
        assert_eq!(numbers.len(), nodes);
    }
    let svg = drawn("svg");
    assert!(svg.contains(&format!(">{QUOTES}<")) && svg.contains(&format!(">{BAD_DAY}<")), "{svg}");
    let html = drawn("html");
    assert!(html.contains(&format!("<h2>{QUOTES}</h2>")) && html.contains(&format!("<h2>{BAD_DAY}</h2>")), "{html}");
}

/// A repository, and snapshots of two cores that run this version of its service in stage.
fn cores(repository: &Gitops, versions: [&str; 2]) -> [String; 2] {
    versions.map(|version| {
        let path = repository.outside().join(format!("{version}.yaml"));
        std::fs::write(&path, crate::images::application(version, "Healthy")).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn images_has_a_row_for_each_core_with_the_same_result_as_alone() {
    let repository = Gitops::paper("v2", "v1");
    let [old, new] = cores(&repository, ["v1", "v2"]);
    let both = |arguments: &[&str]| {
        repository.ucp(["images", "--from", &old, "--from", &new].iter().chain(arguments).copied()).exits(0)
    };
    let document = both(&["-o", "json"]).json();
    assert_eq!(document["source"]["path"], repository.top().to_str().unwrap());
    let paths: Vec<_> = document["sources"].as_array().unwrap().iter().map(|source| &source["path"]).collect();
    assert_eq!(paths, [&old, &new]);
    let services = document["services"].as_array().unwrap();
    assert_eq!(services.len(), 2);
    for (service, path) in services.iter().zip([&old, &new]) {
        assert_eq!(service["core"]["path"], **path);
        let alone = repository.ucp(["images", "-o", "json", "--from", path]).exits(0).json();
        assert_eq!((alone["services"][0].get("core"), alone.get("sources")), (None, None));
        assert_eq!(service["images"], alone["services"][0]["images"], "{path}");
    }
    let table = both(&[]).stdout;
    assert!(table.starts_with("CONTEXT "), "{table}");
    let row = |path: &str| table.lines().find(|line| line.starts_with(path)).unwrap_or_default();
    assert!(row(&old).contains("v2 (runs v1)") && !row(&new).contains("v2 (runs"), "{table}");
    both(&["-o", "markdown"]).prints("| Context | Service |");
    both(&["-o", "html"]).prints("<th scope=\"col\">Context</th>");
    assert_eq!(both(&["-o", "name"]).stdout, "echo/dagandersen/echo-server\n");
    // A problem of the repository is reported once, and without a core cluster.
    repository.write("echo/overlays/prod/kustomization.yaml", "resources: [../nothing]\n");
    let ran = repository.ucp(["images", "--from", &old, "--from", &new, "-o", "json"]).exits(4).json();
    let unreadable = ran["unreadable"].as_array().unwrap();
    assert!(unreadable.len() == 1 && unreadable[0].get("source").is_none(), "{unreadable:?}");
}

#[test]
fn undeployed_services_have_a_single_row_and_the_worst_come_first() {
    let repository = Gitops::paper("v2", "v1");
    let [old, new] = cores(&repository, ["v1", "v2"]);
    let idle: Vec<String> = (0..5)
        .map(|number| repository.outside().join(format!("idle-{number}.yaml")).to_str().unwrap().to_owned())
        .collect();
    let nothing = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n";
    idle.iter().for_each(|path| std::fs::write(path, nothing).unwrap());
    let of = |paths: &[&String], arguments: &[&str]| {
        let flags = paths.iter().flat_map(|path| ["--from", path.as_str()]);
        repository.ucp(["images"].into_iter().chain(flags).chain(arguments.iter().copied())).exits(0)
    };
    let all: Vec<&String> = idle[..2].iter().chain([&new]).chain(&idle[2..]).chain([&old]).collect();
    let table = of(&all, &[]).stdout;
    let rows: Vec<&str> = table.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(rows[0].starts_with(&old) && rows[0].contains("v2 (runs v1)"), "{table}");
    let merged = rows.iter().find(|row| row.starts_with(&idle[0])).unwrap();
    assert!(merged.contains(&format!("{}, {} and 2 more", idle[1], idle[2])), "{table}");
    // Nothing is left out where there is room, and documents have each core.
    for (format, separator) in [("wide", ", "), ("markdown", ", "), ("html", ", ")] {
        let text = of(&all, &["-o", format]).stdout.replace('\\', "");
        assert!(text.contains(&idle.join(separator)), "{format}: {text}");
    }
    let services = of(&all, &["-o", "json"]).json()["services"].clone();
    assert_eq!(services.as_array().unwrap().len(), all.len());
    assert_eq!(services[0]["core"]["path"], *old);
    assert_eq!(of(&[&idle[0], &idle[1]], &["--no-headers"]).stdout.lines().count(), 1);
    // With a single source, its name is not shown.
    assert!(!of(&[&idle[0]], &[]).stdout.contains("CONTEXT"));
}

#[test]
fn clusters_that_hang_or_deny_only_affect_their_own_rows_and_trees() {
    let Some(contexts) = Contexts::start() else { return };
    let repository = Gitops::paper("v2", "v1");
    let top = repository.top().to_str().unwrap();
    let all = |arguments: &[&str]| contexts.run_for("well,ill,hangs,denies", arguments);
    let unread = BTreeSet::from(["hangs".to_owned(), "denies".to_owned()]);

    let list = all(&["tree", IN_BOTH, "-o", "json"]).expect(4).json();
    assert_eq!(list["sources"].as_array().unwrap().len(), 4);
    assert_eq!(sources_at(&list["items"]), BTreeSet::from(["ill".to_owned(), "well".to_owned()]));
    assert_eq!((sources_at(&list["unreadable"]), &list["absent"]), (unread.clone(), &json!([])));
    // No readable cluster has it; an unreadable one may.
    let ran = all(&["tree", "cluster.container/nothing"]).expect(3);
    assert!(ran.stderr.contains("does not exist") && ran.stderr.contains("hangs: "), "{}", ran.stderr);

    let ran = all(&["images", "-C", top]).expect(4);
    let lines = ran.stdout.lines().take_while(|line| !line.is_empty());
    let rows: Vec<_> = lines.filter_map(|line| line.split("   ").next()).collect();
    assert_eq!(rows, ["CONTEXT", "well, ill"], "{}", ran.stdout);
    assert!(ran.stderr.contains("hangs: ") && ran.stderr.contains("denies: "), "{}", ran.stderr);
    let document = all(&["images", "-C", top, "-o", "json"]).expect(4).json();
    assert_eq!(sources_at(&document["unreadable"]), unread);
    let none = contexts.run_for("hangs", &["images", "-C", top]).expect(3);
    assert!(none.stdout.is_empty(), "{}", none.stdout);
}
