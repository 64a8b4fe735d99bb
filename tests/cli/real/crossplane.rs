//! Crossplane 2.3 with provider-kubernetes and function-patch-and-transform.

use serde_json::{Value, json};

use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from};

/// Runs a command on a recording.
#[track_caller]
fn on(recording: &str, arguments: &[&str]) -> Ran {
    run(ucp_from(&format!("tests/fixtures/real/{recording}"), arguments.iter().copied()))
}

/// `status` of a recording.
#[track_caller]
fn status(recording: &str, arguments: &[&str]) -> Value {
    on(recording, &[&["status", "-o", "json"], arguments].concat()).json()
}

/// A finding in one line: code, verdict, kind and name.
fn line(finding: &Value) -> String {
    let text = |pointer: &str| finding.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    format!("{} {} {}/{}", text("/code"), text("/verdict"), text("/object/kind"), text("/object/name"))
}

/// All findings of a status, each in one line.
fn findings(status: &Value) -> Vec<String> {
    status["findings"].as_array().unwrap().iter().map(line).collect()
}

/// The names of the objects that a finding blocks.
fn held(finding: &Value) -> Vec<&str> {
    finding["holdsUp"].as_array().into_iter().flatten().filter_map(|object| object["name"].as_str()).collect()
}

/// The verdict on an engine.
fn row<'status>(status: &'status Value, engine: &str) -> &'status str {
    let engines = status["engines"].as_array().unwrap();
    engines.iter().find(|row| row["name"] == engine).and_then(|row| row["verdict"].as_str()).unwrap_or("none")
}

/// The verdict and the message of an object in `resources`.
fn resource(recording: &str, arguments: &[&str], name: &str) -> (String, String) {
    let list = on(recording, &[&["resources", "-o", "json"], arguments].concat()).json();
    let item = list["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == name).cloned();
    let item = item.unwrap_or_else(|| panic!("{name} is not listed"));
    let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("message"))
}

#[test]
fn a_healthy_hub_with_every_engine_has_no_findings() {
    let status = status("healthy", &["--exit-code"]);
    assert_eq!(findings(&status), [""; 0]);
    assert_eq!(["Crossplane", "Argo CD", "Flux"].map(|engine| row(&status, engine)), ["OK"; 3]);
    assert!(on("healthy", &["status"]).stdout.contains("\nNo problems.\n"));
    on("healthy", &["drift"]).expect(0);
}

#[test]
fn the_condition_of_a_revision_is_the_cause_of_its_packages_condition() {
    let status = status("revision-runtime-cause", &["--stuck-after", "1s"]);
    assert_eq!(findings(&status), ["UCP102 Failed ProviderRevision/provider-kubernetes-39ad237803c6"]);
    let finding = &status["findings"][0];
    assert!(finding["message"].as_str().unwrap().ends_with("ServiceAccount \"crossplane\" not found"), "{finding}");
    assert_eq!(held(finding), ["provider-kubernetes"]);
    assert_eq!(row(&status, "Crossplane"), "Failed");
}

#[test]
fn a_change_that_was_not_reconciled_yet_is_not_ok() {
    let (verdict, message) = resource("generation-unseen", &[], "settings");
    assert_eq!((verdict.as_str(), message.as_str()), ("Progressing", "the latest change has not been reconciled yet"));
    // The time of the change is in the managed fields, which kubectl omits from its output.
    let recorded = std::fs::read_to_string("tests/fixtures/real/generation-unseen/objects.yaml").unwrap();
    let written = recorded.replace(
        "  name: settings\n  resourceVersion",
        "  managedFields: [{manager: kubectl-edit, operation: Update, time: '2026-11-21T20:50:00Z'}]\n  name: settings\n  \
         resourceVersion",
    );
    assert_ne!(recorded, written);
    let status = read(&written, &["status", "-o", "json"]).json();
    assert_eq!(findings(&status), ["UCP113 Stuck Object/settings"]);
    assert_eq!(findings(&read(&written, &["status", "--stuck-after", "2h", "-o", "json"]).json()), [""; 0]);
}

fn read(snapshot: &str, arguments: &[&str]) -> Ran {
    run_with_input(ucp([arguments, &["--from", "-"]].concat()), snapshot)
}

#[test]
fn a_resource_that_is_only_observed_can_drift() {
    let report = on("observe-only-drift", &["drift", "-o", "json"]).expect(1).json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1);
    let item = &report["items"][0];
    assert_eq!((&item["code"], &item["certainty"]), (&json!("UCP501"), &json!("certain")));
    assert_eq!(item["differences"][0]["path"], "spec.forProvider.manifest.data.size");
    assert_eq!(
        (&item["differences"][0]["declared"], &item["differences"][0]["observed"]),
        (&json!("small"), &json!("HUGE"))
    );
    assert_eq!(item["willBeCorrected"], json!(false));
}

#[test]
fn wrong_credentials_are_named_once() {
    let status = status("wrong-credentials", &[]);
    assert_eq!(findings(&status), ["UCP105 Failed ProviderConfig/app"]);
    let message = status["findings"][0]["message"].as_str().unwrap();
    for part in [
        "Secret crossplane-system/app-creds (key kubeconfig)",
        "ClusterProviderConfig app",
        "the server has asked for the client to provide credentials",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(held(&status["findings"][0]).len(), 5);
}

#[test]
fn a_foreign_finalizer_is_named() {
    let (verdict, message) = resource("foreign-finalizer", &[], "newcomer");
    assert_eq!(verdict, "Progressing");
    assert_eq!(message, "deleting; the external object is held by finalizer example.org/hold");
    let status = status("foreign-finalizer", &["--stuck-after", "1s"]);
    assert_eq!(findings(&status), ["UCP115 Stuck Object/newcomer"]);
    assert!(status["findings"][0]["message"].as_str().unwrap().contains("example.org/hold"));
}

#[test]
fn resources_of_a_stopped_provider_are_unknown() {
    let status = status("provider-stopped", &[]);
    assert_eq!(findings(&status), ["UCP010 Failed Deployment/provider-kubernetes-39ad237803c6"]);
    let held: Vec<_> = held(&status["findings"][0]);
    assert!(held.contains(&"provider-kubernetes") && held.contains(&"settings") && held.len() == 5, "{held:?}");
    assert_eq!(row(&status, "Crossplane"), "Failed");
    assert_eq!(status["counts"]["Unknown"], json!(4));
    assert_eq!(resource("provider-stopped", &[], "settings").0, "Unknown");

    let ran = on("provider-stopped", &["drift", "-o", "json"]).expect(4);
    let items = ran.json()["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 4);
    for item in &items {
        assert_eq!((&item["certainty"], &item["code"]), (&json!("unknown"), &json!("UCP503")));
        assert!(item["message"].as_str().unwrap().contains("provider-kubernetes-39ad237803c6"), "{item}");
    }
    let table = on("provider-stopped", &["drift"]).expect(4).stdout;
    assert!(table.contains("External: 0 checked, 4 unknown\n") && !table.contains("corrects it"), "{table}");
    // Many are one to a reader.
    assert_eq!(table.matches("UCP503").count(), 1, "{table}");
}

/// A recorded difference stays, and will not be corrected.
#[test]
fn a_recorded_difference_is_kept_without_its_provider() {
    let directory = copy_of("provider-stopped", |text| text.replacen("size: large", "size: small", 1));
    let report = run_on(&directory, &["drift", "object/settings", "-o", "json"]).expect(1).json();
    let item = &report["items"][0];
    assert_eq!((&item["certainty"], &item["willBeCorrected"]), (&json!("certain"), &json!(false)));
    assert!(item["message"].as_str().unwrap().ends_with("nothing corrects it"), "{item}");
}

/// A recording, changed.
fn copy_of(recording: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(format!("tests/fixtures/real/{recording}")).unwrap() {
        let entry = entry.unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        std::fs::write(directory.path().join(entry.file_name()), change(&text)).unwrap();
    }
    directory
}

fn run_on(directory: &tempfile::TempDir, arguments: &[&str]) -> Ran {
    run(ucp_from(directory.path().to_str().unwrap(), arguments.iter().copied()))
}

#[test]
fn a_function_that_is_down_blocks_its_composites() {
    let status = status("function-down", &[]);
    assert_eq!(findings(&status), ["UCP102 Failed FunctionRevision/function-patch-and-transform-fed04e45def2"]);
    assert_eq!(held(&status["findings"][0]), ["function-patch-and-transform", "crate"]);
    assert_eq!(resource("function-down", &[], "crate").0, "Progressing");
    // One that is well as of its newest generation is as well as it was.
    let seen = copy_of("function-down", |text| text.replace("generation: 5", "generation: 4"));
    let list = run_on(&seen, &["resources", "-o", "json"]).json();
    assert_eq!(list["items"][0]["verdict"], "Unknown");
    // Composites of other functions are not blocked.
    let composition = "\n---\napiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: boxes}\n\
                       spec: {mode: Pipeline, pipeline: [{step: one, functionRef: {name: FUNCTION}}]}\n";
    for (function, expected) in [("function-patch-and-transform", "Unknown"), ("function-auto-ready", "OK")] {
        let known = copy_of("function-down", |text| {
            text.replace("generation: 5", "generation: 4") + &composition.replace("FUNCTION", function)
        });
        let list = run_on(&known, &["resources", "-o", "json"]).json();
        assert_eq!(list["items"][0]["verdict"], expected, "{function}");
    }
}

#[test]
fn a_deletion_names_the_finalizer_that_it_waits_for() {
    let (verdict, message) = resource("claim-deleting", &[], "blue-nqdgn-f58c04997036");
    assert_eq!(verdict, "Progressing");
    assert!(message.contains("example.org/hold"), "{message}");
    let (_, message) = resource("claim-deleting", &[], "blue-nqdgn-3b310d221604");
    assert!(message.contains("example.org/hold in 1 resource instances"), "{message}");

    // The claim and the composite, which wait for it in the foreground.
    let deleting = |kind: &str, name: &str, finalizer: &str, spec: &str| {
        format!(
            "\n---\napiVersion: platform.example.org/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}, namespace: default, \
             deletionTimestamp: '2026-11-21T21:50:48Z', finalizers: [{finalizer}, foregroundDeletion]}}\nspec: {spec}\n\
             status: {{conditions: [{{type: Ready, status: 'False', reason: Deleting}}]}}\n"
        )
    };
    let parts = ["blue-nqdgn-3b310d221604", "blue-nqdgn-f58c04997036"]
        .map(|name| format!("{{apiVersion: kubernetes.crossplane.io/v1alpha2, kind: Object, name: {name}}}"));
    let composite = deleting(
        "XTeam",
        "blue-nqdgn",
        "composite.apiextensions.crossplane.io",
        &format!("{{compositionRef: {{name: xteams}}, resourceRefs: [{}]}}", parts.join(", ")),
    );
    let claim = deleting(
        "Team",
        "blue",
        "finalizer.apiextensions.crossplane.io",
        "{compositeDeletePolicy: Foreground, resourceRef: {apiVersion: platform.example.org/v1alpha1, kind: XTeam, name: \
         blue-nqdgn}}",
    );
    let whole = copy_of("claim-deleting", |text| format!("{text}{composite}{claim}"));
    let list = run_on(&whole, &["resources", "-o", "json", "team", "xteam"]).json();
    let of_claim =
        list["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == "blue").unwrap().clone();
    assert_eq!(of_claim["verdict"], "Progressing");
    assert_eq!(of_claim["message"], "deleting; waits for xteam/blue-nqdgn");
    let stuck = run_on(&whole, &["status", "--stuck-after", "1s", "-o", "json"]).json();
    let lines = findings(&stuck);
    assert!(!lines.iter().any(|line| line.contains("Team/")), "{lines:?}");
    let holding = stuck["findings"].as_array().unwrap().iter().find(|finding| held(finding).contains(&"blue")).unwrap();
    assert!(line(holding).starts_with("UCP115 Stuck Object/"), "{}", line(holding));
    assert!(holding["message"].as_str().unwrap().contains("example.org/hold"));
}

#[test]
fn own_edits_are_no_conflict_and_namesakes_are_distinguished() {
    on("own-edits", &["drift"]).expect(0);
    // As many updates with no change of the declaration to make them are one, for the object that was updated.
    let fought = copy_of("own-edits", |text| text.replace("generation: 8", "generation: 2"));
    let report = run_on(&fought, &["drift", "-o", "json"]).expect(1).json();
    let reported: Vec<(&Value, &Value)> =
        report["items"].as_array().unwrap().iter().map(|item| (&item["code"], &item["object"]["namespace"])).collect();
    assert_eq!(reported, [(&json!("UCP504"), &json!("default"))]);
    // A change from before the first of them explains none of them.
    let later = copy_of("own-edits", |text| {
        let fields = "managedFields: [{manager: kubectl-edit, operation: Update, time: '2026-11-21T20:10:00Z', fieldsV1: \
                      {'f:spec': {'f:forProvider': {'f:manifest': {}}}}}]";
        text.replace("generation: 8", &format!("generation: 8\n  {fields}"))
    });
    run_on(&later, &["drift"]).expect(1);
}
