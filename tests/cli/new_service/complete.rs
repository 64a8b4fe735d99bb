//! Nothing is omitted silently: files that are not copied, names that are kept, and directories that nothing deploys.

use super::{DEPLOYMENT, quotes};

const LIKE: [&str; 4] = ["orders", "--like", "quotes", "--yes"];

/// A list of objects is no file of its own and declares no object.
#[test]
fn directories_that_nothing_deploys_are_listed_as_manual_steps() {
    let repository = quotes();
    let mut items = String::new();
    for (service, environment) in [("quotes", "prod"), ("quotes", "stage"), ("echo", "prod")] {
        let file = format!("argocd/{environment}/{environment}-{service}.yaml");
        let application = repository.read(&file);
        std::fs::remove_file(repository.top().join(&file)).unwrap();
        let lines: Vec<String> = application.lines().map(|line| format!("  {line}")).collect();
        items.push_str(&format!("- {}\n", lines.join("\n").trim_start()));
    }
    for environment in ["prod", "stage"] {
        std::fs::remove_file(repository.top().join(format!("argocd/{environment}/kustomization.yaml"))).unwrap();
    }
    repository.write("argocd/all.yaml", &format!("apiVersion: v1\nkind: List\nitems:\n{items}"));
    repository
        .new_service(&LIKE)
        .exits(0)
        .prints("by hand: orders/overlays/prod: nothing deploys it; Application prod-quotes in argocd/all.yaml line 4 deploys")
        .prints("by hand: orders/overlays/stage: nothing deploys it; Application stage-quotes in argocd/all.yaml line 17");
    // If something deploys it, there are no manual steps.
    let run = quotes().new_service(&LIKE).exits(0);
    assert!(!run.stdout.contains("nothing deploys"), "{}", run.stdout);
}

#[test]
fn entries_about_the_service_in_shared_files_are_listed() {
    let repository = quotes();
    repository.write(
        "clusters/kustomization.yaml",
        "resources:\n- ../quotes/overlays/prod\n- ../echo/overlays/prod\nreplicas:\n- {name: quotes, count: 3}\npatches:\n- target: {kind: Deployment, name: quotes}\n  patch: '[{op: add, path: /spec/replicas, value: 1}]'\n- target: {kind: Deployment, name: echo}\n  patch: '[{op: add, path: /spec/replicas, value: 1}]'\n",
    );
    repository.write(
        "config/ports.yaml",
        "ports: {quotes: 80, echo: 81}\nservices:\n- quotes:\n    port: 1\n- echo:\n    port: 2\n",
    );
    repository.write("config/list.json", "{\"services\": [{\"name\": \"quotes\"}, {\"name\": \"echo\"}]}\n");
    let run = repository.new_service(&LIKE).exits(0);
    for place in [
        "clusters/kustomization.yaml: line 5, under replicas",
        "clusters/kustomization.yaml: line 7, under patches",
        "config/ports.yaml: line 1, under ports",
        "config/ports.yaml: line 3, under services",
        "config/list.json: line 1",
    ] {
        run.prints(&format!("by hand: entries in {place}"));
    }
    assert!(!run.stdout.contains("line 9"), "{}", run.stdout);
    assert!(repository.read("clusters/kustomization.yaml").contains("- ../orders/overlays/prod\n"));
}

/// Files that are called after the objects that they declare, and a file that cannot be recognized.
#[test]
fn flat_files_are_recognized_by_their_kinds() {
    let repository = quotes();
    let object = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: quotes}}\n");
    repository.write("flat/quotes-hpa.yaml", &object("HorizontalPodAutoscaler"));
    repository.write("flat/quotes-ingress.yaml", &object("Ingress"));
    repository.write("flat/quotes-special.yaml", &object("ConfigMap"));
    repository.write(
        "flat/kustomization.yaml",
        "resources:\n- quotes-hpa.yaml\n- quotes-ingress.yaml\n- quotes-special.yaml\n",
    );
    repository
        .new_service(&LIKE)
        .exits(0)
        .prints("by hand: flat/quotes-special.yaml: it is named after quotes and is not copied")
        .prints("flat/kustomization.yaml: line 4, under resources");
    assert_eq!(repository.read("flat/orders-ingress.yaml"), object("Ingress").replace("quotes", "orders"));
    let list = repository.read("flat/kustomization.yaml");
    assert!(list.contains("- orders-hpa.yaml\n") && list.contains("- orders-ingress.yaml\n"), "{list}");
    assert!(!list.contains("orders-special"), "{list}");
}

/// In files that are shared, in templates, and where only a part of an address is renamed.
#[test]
fn every_place_that_keeps_the_old_name_is_reported() {
    let repository = quotes();
    let application = repository.read("argocd/prod/prod-quotes.yaml").replace("acme/quotes.git", "acme/all/quotes.git");
    let name = "name: prod-quotes";
    repository.write(
        "more/all.yaml",
        &format!("{}\n---\n{}\n", application.replace(name, "name: quotes"), application.replace(name, "name: x")),
    );
    repository.write("config/x.yaml", "services:\n  quotes: {image: r.io/shared/quotes}\n  echo: {}\n");
    repository.write("quotes/chart/templates/d.yaml", "{{- if .Values.x }}\n  - image: r/quotes-side:v1\n{{- end }}\n");
    let env = "        - {name: U, value: 'http://quotes:80/quotes'}\n        envFrom:\n";
    repository.write("quotes/base/deployment.yaml", &DEPLOYMENT.replace("        envFrom:\n", env));
    let run = repository.new_service(&LIKE).exits(0);
    for left in [
        "https://git.example.org/acme/all/quotes.git in more/all.yaml",
        "r.io/shared/quotes in config/x.yaml",
        "r/quotes-side:v1 in quotes/chart/templates/d.yaml",
        "http://orders:80/quotes in quotes/base/deployment.yaml",
    ] {
        run.prints(&format!("the copy keeps {left}"));
    }
}

/// A program, and the paths of files in its image, are not renamed.
#[test]
fn programs_and_paths_inside_of_an_image_are_not_renamed() {
    let repository = quotes();
    let words = "        command: [quotes-server, /srv/quotes/run]\n        args: ['--conf=/etc/quotes/quotes.conf --name=quotes --run=/srv/quotes']\n        workingDir: /quotes\n        volumeMounts: [{name: quotes, mountPath: /etc/quotes}]\n        env:\n";
    repository.write("quotes/base/deployment.yaml", &DEPLOYMENT.replace("        env:\n", words));
    repository.new_service(&LIKE).exits(0);
    // A volume is mounted where the copy looks for it.
    let after = words
        .replace("/etc/quotes/quotes.conf --name=quotes", "/etc/orders/orders.conf --name=orders")
        .replace("{name: quotes, mountPath: /etc/quotes}", "{name: orders, mountPath: /etc/orders}");
    let deployment = repository.read("orders/base/deployment.yaml");
    assert!(deployment.contains(&after), "{deployment}");
}

#[test]
fn a_service_whose_name_contains_the_old_name_is_created_once() {
    for name in ["quotes-app", "quotes-prod"] {
        let repository = quotes();
        let arguments = [name, "--like", "quotes", "--yes"];
        repository.new_service(&arguments).exits(0);
        repository.git(["add", "-A"]);
        repository.git(["commit", "-qm", "x"]);
        repository.new_service(&arguments).exits(0).prints("Nothing to do");
    }
}

/// A service that was made for some environments gets the others later, even if they are in a file of their own.
#[test]
fn a_later_run_adds_the_omitted_environments() {
    let repository = quotes();
    let set = |name: &str, environments: &[&str]| {
        let elements = environments.iter().map(|one| format!("      - {{env: {one}, path: {name}/overlays/{one}}}\n"));
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}}}\nspec:\n  generators:\n  - list:\n      elements:\n{}",
            elements.collect::<String>()
        )
    };
    repository.write("sets/quotes.yaml", &set("quotes", &["prod", "stage"]));
    repository.new_service(&[&LIKE[..], &["--environments", "stage"]].concat()).exits(0);
    assert_eq!(repository.read("sets/orders.yaml"), set("orders", &["stage"]));
    repository.new_service(&LIKE).exits(0);
    assert_eq!(repository.read("sets/orders.yaml"), set("orders", &["prod", "stage"]));
    // Changes of a person are kept.
    let repository = quotes();
    repository.write("sets/quotes.yaml", &set("quotes", &["prod", "stage"]));
    repository.new_service(&[&LIKE[..], &["--environments", "stage"]].concat()).exits(0);
    repository.write("sets/orders.yaml", &format!("# mine\n{}", set("orders", &["stage"])));
    repository.new_service(&LIKE).exits(1).prints("sets/orders.yaml already exists");
}

#[test]
fn the_new_service_can_use_another_version_of_the_same_image() {
    let repository = quotes();
    let image = "dagandersen/quote-frontend:v9";
    repository.new_service(&[&LIKE[..], &["--image", image]].concat()).exits(0);
    assert_eq!(repository.kustomize("orders/overlays/prod"), [image]);
}

#[test]
fn a_claim_that_is_called_as_the_service_has_a_copy_of_its_name() {
    let arguments = ["--database", "orders-db", "--database-like", "quotes"];
    let run = quotes().new_service(&[&LIKE[..], &arguments].concat());
    run.exits(2).prints("the claim and the service are both named quotes");
}

/// Links and executable files are files like any other.
#[cfg(unix)]
#[test]
fn executable_files_and_links_are_listed_as_manual_steps() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let repository = quotes();
    repository.write("quotes/run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(repository.top().join("quotes/run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.write("shared/values.yaml", "a: quotes\n");
    symlink("../shared/values.yaml", repository.top().join("quotes/link.yaml")).unwrap();
    repository
        .new_service(&LIKE)
        .exits(0)
        .prints("by hand: orders/run.sh: quotes/run.sh is executable; run chmod +x orders/run.sh")
        .prints(
            "by hand: orders/link.yaml: it is a regular file, but quotes/link.yaml is a link to ../shared/values.yaml",
        );
    assert_eq!(repository.read("shared/values.yaml"), "a: quotes\n");
}
