//! Versions that look alike and are not: a wrong edit is refused, or the right one is made.

use crate::gitops::{Gitops, deployment};

/// Returns the changes of a promotion of everything from stage to prod, after it was written.
fn promoted(files: &[(&str, &str)], code: i32) -> (Gitops, String) {
    let repository = Gitops::with(files);
    let run = repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(code);
    let changes = repository.git(["diff", "--unified=0", "--no-color"]);
    (repository, format!("{}{}{changes}", run.stdout, run.stderr))
}

fn digest(byte: &str) -> String {
    byte.repeat(32)
}

#[test]
fn a_tag_is_not_set_next_to_the_digest_of_another_tag() {
    let (old, new) = (digest("0a"), digest("1b"));
    let [bare, named, other] = [
        format!("image: {{repository: grafana/grafana, tag: 10.1.0, sha: {old}}}\n"),
        format!("image: {{repository: r/named, tag: 10.1.0, imageDigest: 'sha256:{old}'}}\n"),
        format!("image: {{repository: r/other, imageTag: 10.1.0, digest: 'sha256:{old}'}}\n"),
    ];
    let files = [("a/values.yaml", bare.as_str()), ("b/values.yaml", &named), ("c/values.yaml", &other)];
    let repository = Gitops::with(&files);
    for ((file, text), name) in files.into_iter().zip(["grafana/grafana", "r/named", "r/other"]) {
        let set = |version: &str| repository.ucp(["set-version", &format!("{name}={version}"), "--yes"]);
        set("10.1.1").exits(1).prints("pins a digest");
        repository
            .ucp(["set-version", "--file", file, &format!("{name}=10.1.1"), "--yes"])
            .exits(1)
            .prints("pins a digest");
        assert_eq!(repository.read(file), text);
        set(&format!("10.1.1@sha256:{new}")).exits(0);
        assert_eq!(repository.read(file), text.replace("10.1.0", "10.1.1").replace("0a", "1b"));
        // By its path, only the tag is set.
        let by_path = if name == "r/other" { ".image.imageTag=10.1.2" } else { ".image.tag=10.1.2" };
        repository
            .ucp(["set-version", "--file", file, by_path, "--yes"])
            .exits(0)
            .prints("takes precedence over the tag");
    }
    let stage = "image: {repository: r/named, tag: 10.1.1}\n";
    let (_, printed) = promoted(&[("envs/stage/values.yaml", stage), ("envs/prod/values.yaml", &named)], 1);
    assert!(printed.contains("pins a digest") && !printed.contains("+++"), "{printed}");
}

#[test]
fn a_version_moves_only_within_its_registry() {
    for (stage, prod) in [
        ("global: {hub: stg-registry/istio, tag: 1.22.0}\n", "global: {hub: docker.io/istio, tag: 1.21.0}\n"),
        (
            "image: {name: dev.example.org/team/db, version: v2}\n",
            "image: {name: rel.example.org/team/db, version: v1}\n",
        ),
        ("global: {hub: r.example.org/stage, tag: 1.22.0}\n", "global: {tag: 1.21.0}\n"),
    ] {
        let (_, printed) = promoted(&[("envs/stage/app.yaml", stage), ("envs/prod/app.yaml", prod)], 1);
        assert!(printed.contains("only within one repository") && !printed.contains("+++"), "{printed}");
    }
    for (stage, prod) in [
        ("global: {hub: r.example.org/stage, tag: 1.22.0}\n", "global: {hub: r.example.org/prod, tag: 1.21.0}\n"),
        ("parts:\n- {name: api-stage, version: 1.22.0}\n", "parts:\n- {name: api-prod, version: 1.21.0}\n"),
    ] {
        let (_, printed) = promoted(&[("envs/stage/app.yaml", stage), ("envs/prod/app.yaml", prod)], 0);
        assert!(printed.contains("+++"), "{printed}");
    }
}

#[test]
fn a_release_branch_in_a_url_is_only_replaced_by_a_release_branch() {
    let url = "https://raw.githubusercontent.com/argoproj/argo-cd/release-2.9/manifests/install.yaml";
    let repository = Gitops::with(&[("argo/kustomization.yaml", &format!("resources:\n- {url}\n"))]);
    repository.ucp(["set-version", "argo-cd=2.10.4", "--yes"]).exits(1).prints("the forms of the versions differ");
    repository.ucp(["set-version", "argo-cd=release-2.10", "--yes"]).exits(0);
    assert!(repository.read("argo/kustomization.yaml").contains("argo-cd/release-2.10/manifests"));
}

#[test]
fn a_difference_is_promoted_or_explained() {
    let overlay = |reference: &str, tag: &str| {
        format!(
            "resources: ['https://github.com/o/r//deploy?ref={reference}']\nimages: [{{name: r/a, newTag: {tag}}}]\n"
        )
    };
    let [stage, prod] = ["a/overlays/stage/kustomization.yaml", "a/overlays/prod/kustomization.yaml"];
    let promote = |from: &str, to: &str, code: i32| promoted(&[(stage, from), (prod, to)], code);
    let (repository, _) = promote(&overlay("v2.0.0", "v5"), &overlay("v1.0.0", "v5"), 0);
    assert_eq!(repository.read(prod), overlay("v2.0.0", "v5"));
    let (repository, printed) = promote(&overlay("v2.0.0", "v5"), &overlay("v5", "v5"), 1);
    assert!(printed.contains("pinned to the tag of an image in prod"), "{printed}");
    assert_eq!(repository.read(prod), overlay("v5", "v5"));
    // A reference with the tag of the image changes with it.
    let (repository, _) = promote(&overlay("v6", "v6"), &overlay("v5", "v5"), 0);
    assert_eq!(repository.read(prod), overlay("v6", "v6"));
    // A version of a single environment is not promoted.
    let values = "image: {repository: r/a, tag: v1}\n";
    let files = [("envs/stage/a.yaml", values), ("envs/prod/a.yaml", values), ("envs/stage/b.yaml", "tag: v1\n")];
    let (_, printed) = promoted(&files, 0);
    assert!(printed.contains("1 version is in one only") && !printed.contains("every version"), "{printed}");
}

#[test]
fn an_encrypted_file_is_not_copied() {
    let secret = |environment: &str| {
        format!(
            "kind: Secret\nstringData: {{a: 'ENC[AES256_GCM,data:{environment}]'}}\nsops: {{mac: ENC[{environment}], version: 3.8.1}}\n"
        )
    };
    let sealed = |environment: &str| {
        format!("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec: {{encryptedData: {{a: {environment}}}}}\n")
    };
    let overlay = "resources: [secret.yaml]\n";
    for text in [&secret as &dyn Fn(&str) -> String, &sealed] {
        let (repository, printed) = promoted(
            &[
                (".ucp.yaml", "promote: [{file: secret.yaml}]\n"),
                ("a/overlays/stage/kustomization.yaml", overlay),
                ("a/overlays/prod/kustomization.yaml", overlay),
                ("a/overlays/stage/secret.yaml", &text("stage")),
                ("a/overlays/prod/secret.yaml", &text("prod")),
            ],
            1,
        );
        assert_eq!(repository.read("a/overlays/prod/secret.yaml"), text("prod"), "{printed}");
    }
}

#[test]
fn names_of_applications_and_directions_are_not_environments() {
    let values = |name: &str| format!("image: {{repository: r/{name}, tag: v1}}\n");
    let apps = ["demo", "live", "preview", "web"];
    let repository = Gitops::with(&[]);
    for app in apps {
        repository.write(&format!("apps/{app}/values.yaml"), &values(app));
        repository.write(&format!("built/{app}/kustomization.yaml"), "resources: [app.yaml]\n");
        repository.write(&format!("built/{app}/app.yaml"), &deployment(app, "r/built:v1"));
    }
    for direction in ["dev-to-stage", "stage-to-prod"] {
        repository.write(&format!("sync/{direction}/values.yaml"), &values("sync"));
    }
    let run = repository.ucp(["images", "-o", "json"]).exits(0);
    assert_eq!(run.json()["environments"], serde_json::json!(["all"]), "{}", run.stdout);
}

#[test]
fn a_generated_copy_is_marked_and_not_written() {
    let header = "---\n# This manifest was generated by flux. DO NOT EDIT.\n";
    let components = format!("{header}{}", deployment("source-controller", "ghcr.io/fluxcd/source-controller:v1.2.0"));
    let files = [
        ("flux-system/gotk-components.yaml", components.as_str()),
        ("envs/prod/web/values.yaml", "image: {repository: r/web, tag: v1}\n"),
        ("rendered/prod/web/deployment.yaml", &deployment("web", "r/web:v1")),
    ];
    let repository = Gitops::with(&files);
    repository.ucp(["images", "--explain"]).exits(0).prints("the file is generated");
    let set = |arguments: &[&str]| repository.ucp(["set-version", "--yes"].iter().chain(arguments));
    set(&["source-controller=v1.3.0"]).exits(1).prints("gotk-components.yaml is generated").prints("versions: [{file:");
    set(&["prod", "web=v2"]).exits(0);
    assert_eq!(repository.read(files[1].0), files[1].1.replace("v1", "v2"));
    assert_eq!(repository.read(files[2].0), files[2].1);
    // Nor does a hint lead to it.
    let copies =
        ["stage", "prod"].map(|environment| format!("clusters/{environment}/flux-system/gotk-components.yaml"));
    let elsewhere = Gitops::with(&copies.each_ref().map(|file| (file.as_str(), components.as_str())));
    let run = elsewhere.ucp(["set-version", "source-controller=v1.3.0", "--yes"]).exits(2);
    assert!(!run.stderr.contains("--file"), "{}", run.stderr);
    // A rule declares that a file is written here.
    repository.write(".ucp.yaml", "versions: [{file: flux-system/gotk-components.yaml}]\n");
    set(&["source-controller=v1.3.0"]).exits(0);
}

#[test]
fn an_environment_in_a_url_does_not_separate_services() {
    let values = |environment: &str, version: &str| {
        format!(
            "download: https://s3.example.org/{environment}/{version}/app.tgz\ntool: https://s3.example.org/{environment}/tool-{version}.tgz\n"
        )
    };
    let files =
        [("envs/stage/values.yaml", values("stage", "1.2.0")), ("envs/prod/values.yaml", values("prod", "1.1.0"))];
    let (repository, _) = promoted(&files.each_ref().map(|(file, text)| (*file, text.as_str())), 0);
    assert_eq!(repository.read("envs/prod/values.yaml"), values("prod", "1.2.0"));
    let run = repository.ucp(["images", "-o", "json"]).exits(0);
    let services = run.json()["services"].as_array().unwrap().clone();
    assert!(services.iter().all(|service| service["name"] != "stage" && service["name"] != "prod"), "{}", run.stdout);
}
