//! `set-version` by name: which spellings are one artifact, and when a name is not enough.

use crate::gitops::{Gitops, deployment};

/// The lines that changed.
fn changed(repository: &Gitops) -> Vec<String> {
    let diff = repository.git(["diff", "--unified=0", "--no-color"]);
    let lines = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    lines.map(|line| line[1..].trim().to_owned()).collect()
}

#[test]
fn an_artifact_in_two_services_is_set_only_with_everywhere() {
    let release = |name: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  values:\n    image: \
             {{repository: r.example.org/shop, tag: 1.4.0}}\n"
        )
    };
    let repository =
        Gitops::with(&[("releases/shop.yaml", &release("shop")), ("releases/beta.yaml", &release("beta"))]);
    repository.ucp(["set-version", "r.example.org/shop=1.5.0", "--yes"]).exits(2).prints("--everywhere");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "r.example.org/shop=1.5.0", "--everywhere", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 2);
}

#[test]
fn a_name_that_differs_from_another_only_by_a_dash_is_ambiguous() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: chat}\nspec:\n  source: {repoURL: \
                       https://github.com/example/LibreChat.git, path: helm, targetRevision: v0.7.9}\n";
    let repository = Gitops::with(&[
        ("apps/chat.yaml", application),
        ("values/chat.yaml", "image: {repository: r.example.org/team/librechat, tag: v0.8.3-custom}\n"),
    ]);
    repository.ucp(["set-version", "LibreChat=v0.8.3", "--yes"]).exits(2).prints("several artifacts");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "github.com/example/LibreChat=v0.8.3", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 1);
}

#[test]
fn spellings_of_a_docker_hub_image_are_the_same_artifact() {
    for (name, images) in [
        ("docker.io/library/nginx", ["nginx", "index.docker.io/nginx"]),
        ("docker.io/example/web", ["example/web", "docker.io/example/web"]),
        ("web", ["example/web", "docker.io/example/web"]),
    ] {
        let [one, two] = images.map(|image| deployment("proxy", &format!("{image}:1.26.0")));
        let repository = Gitops::with(&[("proxy/one.yaml", &one), ("proxy/two.yaml", &two)]);
        repository.ucp(["set-version", &format!("{name}=1.27.0"), "--everywhere", "--yes"]).exits(0);
        assert_eq!(changed(&repository).len(), 2, "{name}");
    }
}

#[test]
fn a_name_of_a_location_does_not_accept_a_distant_version() {
    let kafka =
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: queue}\nspec: {kafka: {version: 3.7.1}}\n";
    let stream = "apiVersion: image.openshift.io/v1\nkind: ImageStream\nmetadata: {name: class}\nspec:\n  tags:\n  - name: latest\n    \
                  from: {kind: DockerImage, name: \"r.example.org/notebooks:base-image_07.31.24\"}\n";
    let repository = Gitops::with(&[("queue/cluster.yaml", kafka), ("class/stream.yaml", stream)]);
    for other in ["queue=6.1.1", "class=operator.2.23.0"] {
        repository.ucp(["set-version", other, "--yes"]).exits(1).prints("probably another artifact");
    }
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "queue=4.0.0", "class=base-image_08.31.24", "--yes"]).exits(0);
    assert_eq!(changed(&repository).len(), 2);
}

#[test]
fn an_image_of_a_service_is_found_among_images_with_other_versions() {
    let values = "web:\n  image: {repository: r.example.org/web, tag: 2.1.0}\njob:\n  image: {repository: r.example.org/job, tag: 1.4.0}\n";
    let repository = Gitops::with(&[
        ("shop/values.yaml", values),
        ("mall/values.yaml", "image: {repository: r.example.org/web, tag: 2.0.0}\n"),
    ]);
    repository.ucp(["set-version", "shop=r.example.org/web:2.2.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: {repository: r.example.org/web, tag: 2.2.0}"]);
    let refused = repository.ucp(["set-version", "shop=r.example.org/other:2.2.0", "--yes"]).exits(2);
    refused.prints("nothing has the image r.example.org/other").prints("r.example.org/web");
}

#[test]
fn a_place_that_a_flux_kustomization_overrides_is_not_set() {
    let flux = |name: &str, images: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec:\n  path: ./base/web\n{images}"
        )
    };
    let pinned = flux("web", "  images:\n  - name: r.example.org/web\n    newTag: 1.4.0\n");
    let base = deployment("web", "r.example.org/web:1.0.0");
    let kustomization = ("base/web/kustomization.yaml", "resources: [d.yaml]\n");
    let repository = Gitops::with(&[kustomization, ("base/web/d.yaml", &base), ("system/web/ks.yaml", &pinned)]);
    repository.ucp(["set-version", "r.example.org/web=1.5.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["newTag: 1.5.0"]);
    let shared = Gitops::with(&[
        kustomization,
        ("base/web/d.yaml", &base),
        ("system/web/ks.yaml", &pinned),
        ("system/other/ks.yaml", &flux("other", "")),
    ]);
    shared.ucp(["set-version", "r.example.org/web=1.5.0", "--yes"]).exits(2).prints("base/web/d.yaml");
}

#[test]
fn a_place_with_a_mutable_tag_is_not_set_if_another_has_a_version() {
    let with = |pinned: &str| {
        Gitops::with(&[
            ("web/app.yaml", &deployment("web", &format!("r.example.org/web:{pinned}"))),
            ("hack/app.yaml", &deployment("hack", "r.example.org/web:latest")),
        ])
    };
    let repository = with("1.4.0");
    repository.ucp(["set-version", "r.example.org/web=1.5.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: r.example.org/web:1.5.0"]);
    let done = with("1.5.0");
    done.ucp(["set-version", "r.example.org/web=1.5.0", "--yes"]).exits(2).prints("hack/app.yaml");
}

#[test]
fn a_namesake_with_a_mutable_tag_does_not_make_a_name_ambiguous() {
    let with = |other: &str| {
        Gitops::with(&[
            ("web/app.yaml", &deployment("web", "r.example.org/a/web:1.4.0")),
            ("hack/app.yaml", &deployment("hack", &format!("r.example.org/b/web:{other}"))),
        ])
    };
    let moving = with("latest");
    moving.ucp(["set-version", "web=1.5.0", "--yes"]).exits(0);
    assert_eq!(changed(&moving), ["image: r.example.org/a/web:1.5.0"]);
    with("7.0.0").ucp(["set-version", "web=1.5.0", "--yes"]).exits(2).prints("several artifacts");
}

#[test]
fn a_manifest_of_a_single_environment_is_edited_directly() {
    let overlay = "resources: [../../base, job.yaml]\n";
    let repository = Gitops::with(&[
        ("shop/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("shop/base/d.yaml", &deployment("shop", "r.example.org/shop:1.0.0")),
        ("shop/overlays/stage/kustomization.yaml", overlay),
        ("shop/overlays/stage/job.yaml", &deployment("job", "r.example.org/job:1.0.0")),
        ("shop/overlays/prod/kustomization.yaml", overlay),
        ("shop/overlays/prod/job.yaml", &deployment("job", "r.example.org/job:1.0.0")),
    ]);
    repository.ucp(["set-version", "prod", "shop=r.example.org/job:1.1.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["image: r.example.org/job:1.1.0"]);
    repository.ucp(["set-version", "prod", "shop=r.example.org/shop:1.1.0", "--yes"]).exits(0);
    assert!(changed(&repository).contains(&"newTag: 1.1.0".to_owned()), "the base is shared");
}

#[test]
fn the_name_of_a_chart_is_not_that_of_its_dependencies_and_sidecars() {
    let chart = |application: &str| {
        format!(
            "apiVersion: v2\nname: bridge\nversion: 1.0.0\nappVersion: {application}\ndependencies:\n- {{name: cache, version: 1.1.1, repository: \
             https://charts.example.org}}\n"
        )
    };
    let values = "proxy: {image: {repository: r.example.org/team/bridge-proxy, tag: 1.0.0}}\nschema: \
                  https://git.example.org/team/schemas/releases/download/1.2.0/schema.zip\n";
    let repository = Gitops::with(&[("apps/bridge/Chart.yaml", &chart("2.4.0")), ("apps/bridge/values.yaml", values)]);
    repository.ucp(["set-version", "bridge=2.5.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["appVersion: 2.5.0"]);
    // The version of the chart is no reason to have nothing to do.
    let repository = Gitops::with(&[("apps/bridge/Chart.yaml", &chart("issue-4711"))]);
    let run = repository.ucp(["set-version", "bridge=1.0.0", "--yes"]).exits(2);
    run.prints(".appVersion=1.0.0");
    assert!(changed(&repository).is_empty());
}

#[test]
fn a_command_for_a_digest_keeps_the_tag_of_the_image() {
    let digest = |byte: &str| format!("sha256:{}", byte.repeat(32));
    let image = format!("r.example.org/team/web:staging@{}", digest("0a"));
    let repository = Gitops::with(&[("web/deployment.yaml", &deployment("web", &image))]);
    let run = repository.ucp(["set-version", &format!("web={}", digest("1b")), "--yes"]).exits(1);
    run.prints(&format!("image=staging@{}", digest("1b")));
    let bare = "1b".repeat(32);
    repository.ucp(["set-version", &format!("web={bare}"), "--yes"]).exits(1).prints("without its algorithm");
    assert!(changed(&repository).is_empty());
}

#[test]
fn the_first_proposal_is_the_most_similar_artifact() {
    let release = |name: &str, values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}}}\nspec:\n  chart: {{spec: {{chart: template, \
             version: 3.0.0}}}}\n  values: {{{values}}}\n"
        )
    };
    let image = |key: &str, name: &str, tag: &str| {
        format!("{key}: {{image: {{repository: r.example.org/o/{name}, tag: {tag}}}}}")
    };
    let (agent, main) = (image("agent", "agent", "2.15.0"), image("main", "gateway", "1.4.1"));
    let (proxy, api) = (image("proxy", "api-proxy", "1.9.0"), image("server", "api", "1.8.0"));
    let repository = Gitops::with(&[
        ("apps/backup/release.yaml", &release("backup", &format!("{agent}, {main}"))),
        ("apps/api/release.yaml", &release("api", &format!("{proxy}, {api}"))),
    ]);
    for (assignment, expected) in
        [("backup=1.5.0", "'names: {backup: gateway}'"), ("api=latest", "server.image.tag=latest")]
    {
        let run = repository.ucp(["set-version", assignment, "--yes"]);
        let is_proposal = |line: &&str| line.contains("'names: {") || line.contains("set-version --file");
        let first = run.stderr.lines().find(is_proposal).unwrap_or_default();
        assert!(first.contains(expected), "{}", run.stderr);
    }
    assert!(changed(&repository).is_empty());
}

#[test]
fn the_chart_itself_is_proposed_if_the_version_is_nearer_to_it() {
    let helmfile = "releases:\n- {name: shop, chart: example/shop, version: 0.9.0}\n";
    let chart = "apiVersion: v2\nname: shop\nversion: 0.12.0\nappVersion: 0.12.0\n";
    let repository = Gitops::with(&[("helmfile.yaml", helmfile), ("charts/shop/Chart.yaml", chart)]);
    repository.ucp(["set-version", "shop=0.12.1", "--yes"]).exits(2).prints("charts/shop/Chart.yaml:3");
    assert!(changed(&repository).is_empty());
    repository.ucp(["set-version", "shop=0.9.1", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["- {name: shop, chart: example/shop, version: 0.9.1}"]);
}

#[test]
fn a_text_template_only_causes_a_refusal_if_it_has_a_version() {
    let versions = "mesh_version: 0.18.7\n";
    let template = "{% for host in hosts %}\n[mesh:children]\n{{ host }} mesh_image={{ mesh_version }}\n{% endfor %}\n";
    let repository =
        Gitops::with(&[("vars/versions.yaml", versions), ("hosts/templates/inventory.yaml.tmpl", template)]);
    repository.ucp(["set-version", "mesh=0.24.0", "--yes"]).exits(0);
    assert_eq!(changed(&repository), ["mesh_version: 0.24.0"]);
    let notes = "# {{ .Name }}\n\nmesh: {{ .Version }}, mesh:0.18.7\n";
    let documented = Gitops::with(&[("vars/versions.yaml", versions), ("charts/mesh/README.md.gotmpl", notes)]);
    documented.ucp(["set-version", "mesh=0.24.0", "--yes"]).exits(0);
    let with_version = format!("{template}mesh 0.18.7 {{% raw %}}\n");
    let repository =
        Gitops::with(&[("vars/versions.yaml", versions), ("hosts/templates/inventory.yaml.tmpl", &with_version)]);
    repository.ucp(["set-version", "mesh=0.24.0", "--yes"]).exits(1).prints("may also have a version");
}

#[test]
fn a_values_file_named_service_and_environment_belongs_to_both() {
    let values = |tag: &str| format!("image: {{repository: r.example.org/o/shop, tag: {tag}}}\n");
    let (dev, prod) = (values("1.5.0"), values("1.4.0"));
    let repository = Gitops::with(&[("values/shop-dev.yaml", &dev), ("values/shop-prod.yaml", &prod)]);
    repository.ucp(["set-version", "prod", "shop=1.4.1", "--yes"]).exits(0);
    assert_eq!(repository.read("values/shop-prod.yaml"), values("1.4.1"));
    repository.ucp(["promote", "dev", "prod", "shop", "--yes"]).exits(0);
    assert_eq!(repository.read("values/shop-prod.yaml"), dev);
    repository.git(["checkout", "--quiet", "."]);
    repository.ucp(["set-version", "shop-prod=1.4.2", "--yes"]).exits(0);
    assert_eq!(repository.read("values/shop-prod.yaml"), values("1.4.2"));
}

#[test]
fn a_version_next_to_an_image_with_a_digest_is_of_the_same_artifact() {
    let digest = format!("sha256:{}", "0a".repeat(32));
    let update = format!(
        "apiVersion: config.example.org/v1\nkind: Update\nmetadata: {{name: version}}\nspec: {{desired: {{image: \
         'r.example.org/o/platform@{digest}', version: 4.8.10}}}}\n"
    );
    let repository = Gitops::with(&[("cluster/update.yaml", &update)]);
    repository.ucp(["set-version", "platform=4.8.14", "--yes"]).exits(0);
    assert_eq!(repository.read("cluster/update.yaml"), update.replace("4.8.10", "4.8.14"));
    let repository = Gitops::with(&[("cluster/update.yaml", &update)]);
    repository.ucp(["set-version", "--file", "cluster/update.yaml", "platform=4.8.14", "--yes"]).exits(1);
    assert!(changed(&repository).is_empty());
    // The tag and the digest in one request.
    let new = format!("sha256:{}", "0b".repeat(32));
    let both = ["platform=4.8.14".to_owned(), format!("r.example.org/o/platform={new}")];
    let command = ["set-version", "--file", "cluster/update.yaml", &both[0], &both[1], "--yes"];
    repository.ucp(command).exits(0);
    assert_eq!(repository.read("cluster/update.yaml"), update.replace("4.8.10", "4.8.14").replace(&digest, &new));
}

#[test]
fn text_that_is_not_a_version_is_refused() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {chart: {spec: {chart: web, \
                   version: '1.4.0'}}}\n";
    let source = "from: https://git.example.org/o/r/-/raw/v1.4.0/crds.yaml\n";
    let repository = Gitops::with(&[("web.yaml", release), ("source.yaml", source)]);
    for (file, assignment) in [
        ("web.yaml", "web=1.5.0'  # the latest"),
        ("source.yaml", ".from=git.example.org/o/other/-/raw/v1.5.0/crds.yaml"),
    ] {
        repository.ucp(["set-version", "--file", file, assignment, "--yes"]).exits(1);
        assert!(changed(&repository).is_empty(), "{file}");
    }
    repository.ucp(["set-version", "--file", "web.yaml", "web=>=1.5.0 <2.0.0", "--yes"]).exits(0);
}

#[test]
fn a_version_is_found_by_the_name_next_to_it_in_a_list() {
    let list =
        "collections:\n- {name: community.seals, version: 2.2.7}\n- {name: community.general, version: 12.5.0}\n";
    let repository = Gitops::with(&[("hosts/requirements.yaml", list)]);
    repository.ucp(["set-version", "community.seals=2.3.0", "--yes"]).exits(0);
    assert_eq!(repository.read("hosts/requirements.yaml"), list.replace("2.2.7", "2.3.0"));
}

#[test]
fn every_place_of_artifacts_with_one_name_is_proposed() {
    let values = |name: &str, tag: &str| format!("image: {{repository: r.example.org/{name}, tag: {tag}}}\n");
    let [a, b, c] = [("team/login", "12.0.4"), ("team/login", "11.0.0"), ("other/login", "1.0.3")]
        .map(|(name, tag)| values(name, tag));
    let repository = Gitops::with(&[("a/values.yaml", &a), ("b/values.yaml", &b), ("c/values.yaml", &c)]);
    let run = repository.ucp(["set-version", "login=12.0.5", "--yes"]).exits(2);
    let first = run.stderr.lines().find(|line| line.contains("set-version --file")).unwrap_or_default();
    assert!(first.contains("a/values.yaml") && run.stderr.contains("--file b/values.yaml"), "{}", run.stderr);
}
