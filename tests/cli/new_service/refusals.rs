//! Refusals before the first write, and secrets, which are not copied.

use super::{DEPLOYMENT, files, quotes};
use crate::gitops::Gitops;
use crate::support::command::CANARY;

fn is_refused(repository: &Gitops, words: &str) {
    let before = files(repository);
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(1).prints(words);
    assert_eq!(files(repository), before);
}

#[test]
fn existing_files_and_objects_are_refused() {
    let repository = quotes();
    repository.write("orders/base/deployment.yaml", "mine: true\n");
    is_refused(&repository, "orders/base/deployment.yaml already exists");

    let repository = quotes();
    let application = repository.read("argocd/prod/prod-quotes.yaml").replace("prod-quotes", "prod-orders");
    repository.write("argocd/elsewhere.yaml", &application);
    is_refused(&repository, "argocd/elsewhere.yaml already declares Application prod-orders");
    for (arguments, words) in [
        (["Orders", "--like", "quotes"], "is not a valid name"),
        (["on", "--like", "quotes"], "YAML"),
        (["quotes", "--like", "quotes"], "the same"),
        (["orders", "--like", "quots"], "did you mean 'quotes'?"),
    ] {
        repository.new_service(&arguments).exits(2).prints(words);
    }
}

/// The copy of a document in a shared file counts as an object like any other.
#[test]
fn an_object_that_another_file_declares_is_not_added_to_a_shared_file() {
    let repository = quotes();
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: quotes}\n";
    let project = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: x}\n";
    repository.write("shared/all.yaml", &format!("{namespace}---\n{project}"));
    repository.write("elsewhere/mine.yaml", &namespace.replace("quotes", "orders"));
    is_refused(
        &repository,
        "elsewhere/mine.yaml already declares Namespace orders, which shared/all.yaml would also declare",
    );
    // One of another group is another one.
    let other = namespace.replace("quotes", "orders").replace("v1", "other.io/v1");
    repository.write("elsewhere/mine.yaml", &other);
    repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    assert_eq!(
        repository.read("shared/all.yaml"),
        format!("{namespace}---\n{}---\n{project}", namespace.replace("quotes", "orders"))
    );
}

#[test]
fn an_object_that_both_services_would_deploy_is_refused() {
    let repository = quotes();
    let service = repository.read("quotes/base/service.yaml").replace("name: 'quotes'", "name: 'frontend'");
    repository.write("quotes/base/service.yaml", &service);
    is_refused(&repository, "Service frontend is deployed by both quotes and orders");
}

/// Nothing would write a Secret of another name: the copy uses the same one, and the output reports that.
#[test]
fn a_secret_that_no_file_declares_keeps_its_name() {
    let repository = quotes();
    let api = "        - secretRef: {name: quotes-api}\n";
    repository.write("quotes/base/deployment.yaml", &format!("{DEPLOYMENT}{api}"));
    repository
        .new_service(&["orders", "--like", "quotes", "--yes"])
        .exits(0)
        .prints("orders and quotes both use Secret quotes-api, which no file declares");
    assert!(repository.read("orders/base/deployment.yaml").ends_with(api));
}

/// The problem is reported, and never a value.
#[test]
fn plain_text_values_of_secrets_are_not_shown() {
    let repository = quotes();
    let password = format!("        - {{name: PASSWORD, value: {CANARY}}}\n        envFrom:\n");
    repository.write("quotes/base/deployment.yaml", &DEPLOYMENT.replace("        envFrom:\n", &password));
    // In every notation, and in the lines next to an entry.
    let (first, second) = CANARY.split_at(CANARY.len() / 2);
    let letter = first.chars().next().unwrap();
    let escaped = format!("\\u{:04x}{}{second}", letter as u32, &first[letter.len_utf8()..]);
    let values = format!(
        "services:\n  echo:\n    password: \"{escaped}\"\n  quotes:\n    password: |\n      {CANARY}\n      {second}\n    token: >-\n      {CANARY}\n      {first}\n    apiKey: '{CANARY}''{second}'\n  web: {{password: \"{escaped}\"}}\n"
    );
    repository.write("values.yaml", &values);
    let run = repository.new_service(&["orders", "--like", "quotes", "--dry-run"]).exits(0);
    run.prints("+  orders:");
    let printed = format!("{}{}", run.stdout, run.stderr);
    for word in [CANARY, first, second, escaped.as_str()] {
        assert!(!printed.contains(word), "{word} in {printed}");
    }
}

#[test]
fn secrets_are_not_copied_and_the_manual_steps_are_listed() {
    let repository = quotes();
    let sealed = format!(
        "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {{name: quotes-api}}\nspec: {{encryptedData: {{a: {CANARY}}}}}\n"
    );
    repository.write("quotes/overlays/prod/sealed.yaml", &sealed);
    let overlay = repository.read("quotes/overlays/prod/kustomization.yaml");
    repository.write(
        "quotes/overlays/prod/kustomization.yaml",
        &overlay.replace("- ../../base\n", "- ../../base\n- sealed.yaml\n"),
    );
    repository.write("quotes/overlays/stage/password.env", &format!("password={CANARY}\n"));
    let overlay = repository.read("quotes/overlays/stage/kustomization.yaml");
    repository.write(
        "quotes/overlays/stage/kustomization.yaml",
        &format!("{overlay}\nsecretGenerator:\n- name: quotes-api\n  envs: [password.env]\n"),
    );
    let api = "        - secretRef: {name: quotes-api}\n";
    repository.write("quotes/base/deployment.yaml", &format!("{DEPLOYMENT}{api}"));
    let run = repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    run.prints(
        "by hand: orders/overlays/prod/sealed.yaml: quotes/overlays/prod/sealed.yaml is not copied, because it is sealed",
    );
    run.prints("by hand: Secret orders-api: the secretGenerator of quotes-api").prints("a person");
    assert!(!format!("{}{}", run.stdout, run.stderr).contains(CANARY));
    assert!(!repository.top().join("orders/overlays/prod/sealed.yaml").exists());
    assert!(!repository.top().join("orders/overlays/stage/password.env").exists());
    assert!(!repository.read("orders/overlays/prod/kustomization.yaml").contains("sealed"));
    assert!(repository.read("orders/base/deployment.yaml").ends_with("- secretRef: {name: orders-api}\n"));
}

/// A list of another kind of file, or elsewhere, may name the service: its copy would be deployed by nothing.
#[cfg(unix)]
#[test]
fn lists_that_cannot_be_read_are_reported() {
    let outside = tempfile::tempdir().unwrap();
    let list = outside.path().join("list.yaml");
    let repository = quotes();
    let text = repository.read("argocd/prod/kustomization.yaml");
    std::fs::write(&list, &text).unwrap();
    let replaced = repository.top().join("argocd/prod/kustomization.yaml");
    std::fs::remove_file(&replaced).unwrap();
    std::os::unix::fs::symlink(&list, &replaced).unwrap();
    repository.write("charts/values.yaml", "services:\n- name: quotes\n{{ template }}\n");
    repository.write("charts/other.yaml", "{{ template }}\n");
    let run = repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(0);
    run.prints("entries in argocd/prod/kustomization.yaml: whether it lists quotes is unknown, because")
        .prints("entries in charts/values.yaml: whether it lists quotes is unknown, because it is not valid YAML");
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("charts/other.yaml"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(list).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn links_in_the_place_of_new_files_and_directories_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    for (place, words) in [
        ("orders", "orders already exists, and is not a directory"),
        ("orders/base", "orders/base already exists, and is not a directory"),
        ("orders/base/deployment.yaml", "orders/base/deployment.yaml already exists"),
    ] {
        for target in [outside.path().to_owned(), outside.path().join("missing")] {
            let repository = quotes();
            let link = repository.top().join(place);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target, &link).unwrap();
            repository.new_service(&["orders", "--like", "quotes", "--yes"]).exits(1).prints(words);
        }
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
