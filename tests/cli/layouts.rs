//! One small repository of each layout: the output of `images`, and that `set-version` and `promote` change the bytes of
//! the versions and no others.

use std::collections::BTreeMap;

use crate::gitops::{Gitops, deployment};

/// A repository, and the results of the commands.
struct Layout<'a> {
    files: &'a [(&'a str, String)],
    /// Service, name, and the versions in stage and prod; `-` where there is none.
    rows: &'a [[&'a str; 4]],
    /// Arguments of `set-version`, and the edit of a file.
    sets: &'a [(&'a [&'a str], Edit<'a>)],
    /// The edits that `promote stage prod --all` makes.
    promotes: &'a [Edit<'a>],
}

/// A file, a text in it, and the one that takes its place.
type Edit<'a> = (&'a str, &'a str, &'a str);

impl Layout<'_> {
    fn repository(&self) -> Gitops {
        let files: Vec<(&str, &str)> = self.files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        Gitops::with(&files)
    }

    /// Requires that every file is unchanged, except for these edits.
    #[track_caller]
    fn expect(&self, repository: &Gitops, edits: &[Edit<'_>]) {
        let mut expected: BTreeMap<&str, String> =
            self.files.iter().map(|(path, text)| (*path, text.clone())).collect();
        for (path, from, to) in edits {
            let text = expected.get_mut(path).unwrap();
            assert_eq!(text.matches(from).count(), 1, "{from:?} is not there once in {path}:\n{text}");
            *text = text.replace(from, to);
        }
        for (path, text) in expected {
            assert_eq!(repository.read(path), text, "{path}");
        }
    }

    #[track_caller]
    fn check(&self) {
        let repository = self.repository();
        let matrix = repository.ucp(["images", "-o", "json"]).exits(0).json();
        for [service, name, stage, prod] in self.rows {
            let services = matrix["services"].as_array().unwrap();
            let rows = services.iter().filter(|row| row["name"] == *service).flat_map(|row| row["images"].as_array());
            let row = rows.flatten().find(|row| row["name"] == *name);
            let row = row.unwrap_or_else(|| panic!("{service} has no {name} in {matrix:#}"));
            let version =
                |environment: &str| row["versions"][environment]["declared"].as_str().unwrap_or("-").to_owned();
            assert_eq!([version("stage"), version("prod")], [*stage, *prod].map(str::to_owned), "{row:#}");
        }
        for (arguments, edit) in self.sets {
            let repository = self.repository();
            let fixed = ["set-version"].into_iter().chain(arguments.iter().copied()).chain(["--yes"]);
            repository.ucp(fixed.clone()).exits(0);
            self.expect(&repository, &[*edit]);
            repository.ucp(fixed).exits(0).prints("Nothing to do");
        }
        repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0);
        self.expect(&repository, self.promotes);
        repository.ucp(["promote", "stage", "prod", "--all", "--yes"]).exits(0).prints("Nothing to do");
    }
}

const DIGEST: &str = "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";
const OTHER: &str = "sha256:0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b";

/// Overlays of one service with these texts behind their base.
fn overlays(stage: &str, prod: &str) -> Vec<(&'static str, String)> {
    let overlay = |text: &str| format!("resources: [../../base]\n{text}");
    vec![
        ("shop/base/kustomization.yaml", "resources: [d.yaml]\n".to_owned()),
        ("shop/base/d.yaml", deployment("shop", "r.io/shop")),
        (STAGE, overlay(stage)),
        (PROD, overlay(prod)),
    ]
}

const STAGE: &str = "shop/overlays/stage/kustomization.yaml";
const PROD: &str = "shop/overlays/prod/kustomization.yaml";

#[test]
fn digests() {
    let entry = |digest: &str| format!("images:\n- name: r.io/shop\n  digest: {digest} # pinned\n");
    let (stage, prod) = (format!("@{OTHER}"), format!("@{DIGEST}"));
    let set = format!("r.io/shop={OTHER}");
    Layout {
        files: &overlays(&entry(OTHER), &entry(DIGEST)),
        rows: &[["shop", "r.io/shop", &stage, &prod]],
        sets: &[
            (&["prod", &set], (PROD, DIGEST, OTHER)),
            (&["prod", "shop=1.2"], (PROD, &format!("digest: {DIGEST}"), "newTag: \"1.2\"")),
        ],
        promotes: &[(PROD, DIGEST, OTHER)],
    }
    .check();
}

#[test]
fn a_tag_inside_of_a_new_name() {
    let entry = |name: &str| format!("images:\n- name: r.io/shop\n  newName: {name} # mirror\n");
    Layout {
        files: &overlays(&entry("stage.io/shop:1.3.0"), &entry("prod.io/shop:1.2.0")),
        rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "shop=1.4.0"], (PROD, "1.2.0", "1.4.0"))],
        promotes: &[(PROD, "1.2.0", "1.3.0")],
    }
    .check();
}

#[test]
fn tag_and_digest_of_a_flux_kustomization() {
    let text = |tag: &str, digest: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: shop}}\nspec:\n  path: ./apps\n  images:\n  - \
             name: r.io/shop\n    newTag: {tag} # tag\n    digest: {digest} # digest\n"
        )
    };
    let (stage, prod) = (format!("1.3.0@{OTHER}"), format!("1.2.0@{DIGEST}"));
    let files =
        [("clusters/stage/shop.yaml", text("1.3.0", OTHER)), ("clusters/prod/shop.yaml", text("1.2.0", DIGEST))];
    let file = files[1].0;
    let before = format!("1.2.0 # tag\n    digest: {DIGEST}");
    let both = format!("r.io/shop=1.3.0@{OTHER}");
    let after = format!("1.3.0 # tag\n    digest: {OTHER}");
    Layout {
        files: &files,
        rows: &[["shop", "r.io/shop", &stage, &prod]],
        // A tag alone would still run the old digest: it is removed, and its comment stays.
        sets: &[
            (&["prod", &both], (file, &before, &after)),
            (&["prod", "r.io/shop=1.3.0"], (file, &format!("{before} # digest"), "1.3.0 # tag\n    # digest")),
        ],
        promotes: &[(file, &before, &after)],
    }
    .check();
}

#[test]
fn literals_of_generators() {
    let generator = |version: &str, count: u8| {
        format!("configMapGenerator:\n- name: v\n  literals:\n  - SHOP_VERSION={version}\n  - \"REPLICAS={count}\"\n")
    };
    Layout {
        files: &overlays(&generator("1.3.0", 3), &generator("1.2.0", 5)),
        rows: &[["shop", "SHOP_VERSION", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "SHOP_VERSION=1.4.0"], (PROD, "=1.2.0", "=1.4.0"))],
        promotes: &[(PROD, "=1.2.0", "=1.3.0")],
    }
    .check();
}

#[test]
fn json_patches() {
    let patch = |version: &str| {
        format!(
            "- op: replace\n  path: /spec/template/spec/containers/0/image\n  value: 'r.io/shop:{version}' # ours\n"
        )
    };
    let mut files = overlays(
        "patches: [{path: image.yaml, target: {kind: Deployment}}]\n",
        "patches: [{path: image.yaml, target: {kind: Deployment}}]\n",
    );
    files.push(("shop/overlays/stage/image.yaml", patch("1.3.0")));
    files.push(("shop/overlays/prod/image.yaml", patch("1.2.0")));
    Layout {
        files: &files,
        rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "shop=1.4.0"], ("shop/overlays/prod/image.yaml", "1.2.0", "1.4.0"))],
        promotes: &[("shop/overlays/prod/image.yaml", "1.2.0", "1.3.0")],
    }
    .check();
    let inline = |version: &str| {
        let lines = patch(version).lines().map(|line| format!("    {line}\n")).collect::<String>();
        format!("patches:\n- target: {{kind: Deployment}}\n  patch: |-\n{lines}")
    };
    Layout {
        files: &overlays(&inline("1.3.0"), &inline("1.2.0")),
        rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "shop=1.4.0"], (PROD, "1.2.0", "1.4.0"))],
        promotes: &[(PROD, "1.2.0", "1.3.0")],
    }
    .check();
}

#[test]
fn elements_of_an_application_set() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata:\n  name: shop\nspec:\n  generators:\n  - list:\n      elements:\n      \
               - cluster: stage\n        revision: v1.3.0\n        chartVersion: 4.1.0\n      - cluster: prod\n        revision: v1.2.0 # ours\n        \
               chartVersion: 4.0.0\n  template:\n    metadata: {name: 'shop-{{cluster}}'}\n    spec:\n      sources:\n      - {repoURL: \
               'https://charts.example.org', chart: storefront, targetRevision: '{{chartVersion}}'}\n      - {repoURL: 'https://git.example.org/shop', \
               path: deploy, targetRevision: '{{ revision }}'}\n      destination: {name: '{{cluster}}'}\n";
    Layout {
        files: &[("apps/shop.yaml", set.to_owned())],
        rows: &[["shop", "storefront", "4.1.0", "4.0.0"], ["shop", "https://git.example.org/shop", "v1.3.0", "v1.2.0"]],
        sets: &[
            (&["prod", "storefront=4.2.0"], ("apps/shop.yaml", "4.0.0", "4.2.0")),
            (&["prod", "https://git.example.org/shop=v1.4.0"], ("apps/shop.yaml", "v1.2.0 #", "v1.4.0 #")),
        ],
        promotes: &[("apps/shop.yaml", "v1.2.0", "v1.3.0"), ("apps/shop.yaml", "4.0.0", "4.1.0")],
    }
    .check();
}

#[test]
fn files_of_a_git_generator() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: shop}\nspec:\n  generators:\n  - git: {repoURL: \
               'https://git.example.org/apps', files: [{path: 'config/**/config.json'}]}\n  template:\n    spec: {source: {repoURL: \
               'https://git.example.org/shop', targetRevision: '{{shop.revision}}', path: deploy}}\n";
    let config = |name: &str, revision: &str, tag: &str| {
        format!(
            "{{\n  \"cluster\": {{\"name\": \"{name}\"}},\n  \"shop\": {{\"revision\": \"{revision}\",\t\"image\": {{\"tag\": \"{tag}\"}}}}\n}}"
        )
    };
    Layout {
        files: &[
            ("appset.yaml", set.to_owned()),
            ("config/stage/config.json", config("stage", "v1.3.0", "1.3.0-r1")),
            ("config/prod/config.json", config("prod", "v1.2.0", "1.2.0-r4")),
        ],
        rows: &[["shop", "shop.revision", "v1.3.0", "v1.2.0"], ["shop", "shop.image.tag", "1.3.0-r1", "1.2.0-r4"]],
        sets: &[(&["prod", "shop=v1.4.0"], ("config/prod/config.json", "\"v1.2.0\"", "\"v1.4.0\""))],
        promotes: &[
            ("config/prod/config.json", "\"v1.2.0\"", "\"v1.3.0\""),
            ("config/prod/config.json", "1.2.0-r4", "1.3.0-r1"),
        ],
    }
    .check();
}

/// An Application of a chart, with more in its source.
fn application(environment: &str, revision: &str, helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop-{environment}\nspec:\n  source:\n    repoURL: \
         https://charts.example.org\n    chart: storefront\n    targetRevision: {revision}\n    helm:\n{helm}  destination: {{name: {environment}}}\n"
    )
}

#[test]
fn parameters_of_an_application() {
    let helm = |tag: &str| {
        format!(
            "      parameters:\n      - name: image.repository\n        value: r.io/shop\n      - name: image.tag\n        value: \"{tag}\" # ours\n      \
             - {{name: replicas, value: \"3\"}}\n"
        )
    };
    let files = [
        ("apps/stage/shop.yaml", application("stage", "4.1.0", &helm("1.3.0"))),
        ("apps/prod/shop.yaml", application("prod", "4.0.0", &helm("1.2.0"))),
    ];
    Layout {
        files: &files,
        rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"], ["shop", "storefront", "4.1.0", "4.0.0"]],
        sets: &[
            (&["prod", "r.io/shop=1.4.0"], ("apps/prod/shop.yaml", "1.2.0", "1.4.0")),
            (&["prod", "storefront=4.2.0"], ("apps/prod/shop.yaml", "4.0.0", "4.2.0")),
        ],
        promotes: &[("apps/prod/shop.yaml", "1.2.0", "1.3.0"), ("apps/prod/shop.yaml", "4.0.0", "4.1.0")],
    }
    .check();
}

#[test]
fn helm_values_in_a_block_scalar_and_as_an_object() {
    let block = |tag: &str| {
        format!(
            "      values: |\n        # what runs\n        image:\n          repository: r.io/shop\n          tag: {tag}   # CI\n\n        replicas: 3\n"
        )
    };
    let object =
        |tag: &str| format!("      valuesObject: {{image: {{repository: r.io/shop, tag: '{tag}'}}, replicas: 3}}\n");
    for helm in [&block as &dyn Fn(&str) -> String, &object] {
        let files = [
            ("argo/stage/shop.yaml", application("stage", "4.0.0", &helm("1.3.0"))),
            ("argo/prod/shop.yaml", application("prod", "4.0.0", &helm("1.2.0")).replace('\n', "\r\n")),
        ];
        Layout {
            files: &files,
            rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"], ["shop", "storefront", "4.0.0", "4.0.0"]],
            sets: &[(&["prod", "r.io/shop=1.4.0"], ("argo/prod/shop.yaml", "1.2.0", "1.4.0"))],
            promotes: &[("argo/prod/shop.yaml", "1.2.0", "1.3.0")],
        }
        .check();
    }
}

#[test]
fn env_files() {
    let env = |shop: &str, web: &str| {
        format!("# versions\r\nexport SHOP_VERSION=\"{shop}\"  # ours\r\nWEB_IMAGE=r.io/web:{web}\r\nPORT=80")
    };
    Layout {
        files: &[("deploy/stage/.env", env("1.3.0", "2.1")), ("deploy/prod/.env", env("1.2.0", "2.0"))],
        rows: &[["shop", "SHOP_VERSION", "1.3.0", "1.2.0"], ["web", "r.io/web", "2.1", "2.0"]],
        sets: &[
            (&["prod", "shop=1.4.0"], ("deploy/prod/.env", "1.2.0", "1.4.0")),
            (&["prod", "web=2.2"], ("deploy/prod/.env", ":2.0", ":2.2")),
        ],
        promotes: &[("deploy/prod/.env", "1.2.0", "1.3.0"), ("deploy/prod/.env", ":2.0", ":2.1")],
    }
    .check();
    let yaml = |shop: &str| format!("SHOP_TAG: \"{shop}\"\nSHOP_URL: \"https://shop.example.org\"\n");
    Layout {
        files: &[("env/stage.env", yaml("1.3.0")), ("env/prod.env", yaml("1.2.0"))],
        rows: &[["shop", "SHOP_TAG", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "shop=1.4.0"], ("env/prod.env", "1.2.0", "1.4.0"))],
        promotes: &[("env/prod.env", "1.2.0", "1.3.0")],
    }
    .check();
    Layout {
        files: &[(".env.stage", "SHOP_TAG=v3\n".to_owned()), (".env.prod", "SHOP_TAG=v2 # ours".to_owned())],
        rows: &[["shop", "SHOP_TAG", "v3", "v2"]],
        sets: &[(&["prod", "shop=v4"], (".env.prod", "v2", "v4"))],
        promotes: &[(".env.prod", "v2", "v3")],
    }
    .check();
}

#[test]
fn helmfile() {
    let helmfile = "environments:\n  stage:\n    values: [env/stage.yaml]\n  prod:\n    values: [env/prod.yaml]\n---\nrepositories:\n- name: \
                    example\n  url: https://charts.example.org\nreleases:\n- name: shop\n  chart: example/storefront\n  version: 4.0.0\n- name: web\n  \
                    chart: example/web\n  version: \"{{ .Values.web.version }}\"\n";
    let values = |web: &str, shop: &str| format!("web:\n  version: {web}\nshop:\n  image:\n    tag: {shop}\n");
    Layout {
        files: &[
            ("helmfile.yaml", helmfile.to_owned()),
            ("env/stage.yaml", values("2.1.0", "1.3.0")),
            ("env/prod.yaml", values("2.0.0", "1.2.0")),
        ],
        rows: &[["web", "web.version", "2.1.0", "2.0.0"], ["shop", "shop.image.tag", "1.3.0", "1.2.0"]],
        sets: &[
            (&["example/storefront=4.1.0"], ("helmfile.yaml", "4.0.0", "4.1.0")),
            (&["prod", "web=2.2.0"], ("env/prod.yaml", "2.0.0", "2.2.0")),
        ],
        promotes: &[("env/prod.yaml", "2.0.0", "2.1.0"), ("env/prod.yaml", "1.2.0", "1.3.0")],
    }
    .check();
}

#[test]
fn environments_as_keys_and_in_items_of_lists() {
    let keys = "shop:\n  stage: {image: {tag: 1.3.0}}\n  prod: {image: {tag: 1.2.0}} # careful\nweb:\n  stage: {image: {tag: 2.1.0}}\n  prod: \
                {image: {tag: 2.0.0}}\n";
    Layout {
        files: &[("versions.yaml", keys.to_owned())],
        rows: &[["shop", "shop.*.image.tag", "1.3.0", "1.2.0"], ["web", "web.*.image.tag", "2.1.0", "2.0.0"]],
        sets: &[(&["prod", "shop=1.4.0"], ("versions.yaml", "1.2.0", "1.4.0"))],
        promotes: &[("versions.yaml", "1.2.0", "1.3.0"), ("versions.yaml", "2.0.0", "2.1.0")],
    }
    .check();
    let items = "shop:\n- environment: stage\n  tag: 1.3.0\n- environment: prod\n  tag: 1.2.0\n";
    Layout {
        files: &[("rollout.yaml", items.to_owned())],
        rows: &[["rollout", "shop[*].tag", "1.3.0", "1.2.0"]],
        sets: &[(&["prod", "shop=1.4.0"], ("rollout.yaml", "1.2.0", "1.4.0"))],
        promotes: &[("rollout.yaml", "1.2.0", "1.3.0")],
    }
    .check();
}

#[test]
fn a_small_file_per_service_below_its_environment() {
    let file = |tag: &str| format!("image_tag: {tag}\nautomatic: true\n");
    Layout {
        files: &[
            ("image-tags/stage/shop", file("release-13")),
            ("image-tags/stage/web", file("release-22")),
            ("image-tags/prod/shop", file("release-12")),
            ("image-tags/prod/web", file("release-22")),
        ],
        rows: &[["shop", "image_tag", "release-13", "release-12"], ["web", "image_tag", "release-22", "release-22"]],
        sets: &[(&["prod", "shop=release-14"], ("image-tags/prod/shop", "release-12", "release-14"))],
        promotes: &[("image-tags/prod/shop", "release-12", "release-13")],
    }
    .check();
}

#[test]
fn crossplane_packages_in_several_documents() {
    let packages = |provider: &str, function: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: s3}}\nspec:\n  package: xpkg.example.org/a/provider-s3:{provider}\n---\n\
             apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: patch}}\nspec:\n  package: xpkg.example.org/a/function-patch:{function}\n"
        )
    };
    let file = "clusters/prod/packages.yaml";
    Layout {
        files: &[("clusters/stage/packages.yaml", packages("v1.3.0", "v0.8.0")), (file, packages("v1.2.0", "v0.7.0"))],
        rows: &[["packages", "xpkg.example.org/a/provider-s3", "v1.3.0", "v1.2.0"]],
        sets: &[
            (&["prod", "provider-s3=v1.4.0"], (file, "v1.2.0", "v1.4.0")),
            (&["prod", "patch=v0.9.0"], (file, "v0.7.0", "v0.9.0")),
        ],
        promotes: &[(file, "v1.2.0", "v1.3.0"), (file, "v0.7.0", "v0.8.0")],
    }
    .check();
}

#[test]
fn workloads_in_several_documents() {
    let all = |shop: &str, web: &str| format!("{}---\n{}", deployment("shop", shop), deployment("web", web));
    Layout {
        files: &[
            ("stage/all.yaml", all("r.io/shop:1.3.0", "r.io/web:2.1.0")),
            ("prod/all.yaml", all("r.io/shop:1.2.0", "r.io/web:2.0.0")),
        ],
        rows: &[["shop", "r.io/shop", "1.3.0", "1.2.0"], ["web", "r.io/web", "2.1.0", "2.0.0"]],
        sets: &[(&["prod", "web=2.2.0"], ("prod/all.yaml", "web:2.0.0", "web:2.2.0"))],
        promotes: &[("prod/all.yaml", "shop:1.2.0", "shop:1.3.0"), ("prod/all.yaml", "web:2.0.0", "web:2.1.0")],
    }
    .check();
}

#[test]
fn an_umbrella_chart_with_values_files() {
    let chart = "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n- name: postgresql\n  version: 12.1.0\n  repository: https://charts.example.org\n";
    Layout {
        files: &[
            ("charts/shop/Chart.yaml", chart.to_owned()),
            ("charts/shop/values.yaml", "image:\n  repository: r.io/shop\n  tag: \"\"\n".to_owned()),
            ("charts/shop/values-stage.yaml", "image:\n  tag: 1.3.0\n".to_owned()),
            ("charts/shop/values-prod.yaml", "image: {\"tag\": '1.2.0'}".to_owned()),
        ],
        rows: &[["shop", "image.tag", "1.3.0", "1.2.0"], ["shop", "postgresql", "-", "-"]],
        sets: &[
            (&["prod", "shop=1.4.0"], ("charts/shop/values-prod.yaml", "1.2.0", "1.4.0")),
            (&["postgresql=12.2.0"], ("charts/shop/Chart.yaml", "12.1.0", "12.2.0")),
        ],
        promotes: &[("charts/shop/values-prod.yaml", "1.2.0", "1.3.0")],
    }
    .check();
}

#[test]
fn helm_releases_and_their_values_in_config_maps() {
    let release = |chart: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: shop\nspec:\n  chart:\n    spec: {{chart: storefront, version: \
             {chart}, sourceRef: {{kind: HelmRepository, name: example}}}}\n  valuesFrom: [{{kind: ConfigMap, name: shop-values}}]\n---\napiVersion: v1\n\
             kind: ConfigMap\nmetadata:\n  name: shop-values\ndata:\n  values.yaml: |-\n    image:\n      repository: r.io/shop\n      tag: {chart}-app\n"
        )
    };
    let file = "apps/prod/shop.yaml";
    Layout {
        files: &[("apps/stage/shop.yaml", release("4.1.0")), (file, release("4.0.0"))],
        rows: &[["shop", "storefront", "4.1.0", "4.0.0"], ["shop", "r.io/shop", "4.1.0-app", "4.0.0-app"]],
        sets: &[(&["prod", "storefront=4.2.0"], (file, "version: 4.0.0", "version: 4.2.0"))],
        promotes: &[(file, "version: 4.0.0", "version: 4.1.0"), (file, "tag: 4.0.0-app", "tag: 4.1.0-app")],
    }
    .check();
}

#[test]
fn clusters_of_an_environment_that_share_a_base() {
    let base = |version: &str| format!("resources: [../../base]\nimages:\n- name: r.io/shop\n  newTag: {version}\n");
    let cluster = |images: &str| format!("resources: [../base]\n{images}");
    let stage = "apps/shop/stage/base/kustomization.yaml";
    let prod = "apps/shop/prod/base/kustomization.yaml";
    let own = "images:\n- name: r.io/shop\n  newTag: v1.5.0\n";
    let other = |environment: &str, version: &str| {
        let text = format!("resources: [../base]\nimages:\n- name: r.io/queue\n  newTag: {version}\n");
        (format!("apps/queue/{environment}/kustomization.yaml"), text)
    };
    let [queue_stage, queue_prod] = [other("stage", "v3"), other("prod", "v3")];
    Layout {
        files: &[
            ("apps/shop/base/kustomization.yaml", "resources: [d.yaml]\n".to_owned()),
            ("apps/shop/base/d.yaml", deployment("shop", "r.io/shop")),
            (stage, base("v2.0.0")),
            ("apps/shop/stage/s1/kustomization.yaml", cluster("")),
            (prod, base("v1.0.0")),
            ("apps/shop/prod/p1/kustomization.yaml", cluster("patches: [{path: p.yaml}]\n")),
            ("apps/shop/prod/p1/p.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\n".to_owned()),
            ("apps/shop/prod/p2/kustomization.yaml", cluster(own)),
            ("apps/queue/base/kustomization.yaml", "resources: [d.yaml]\n".to_owned()),
            ("apps/queue/base/d.yaml", deployment("queue", "r.io/queue")),
            (&queue_stage.0, queue_stage.1.clone()),
            (&queue_prod.0, queue_prod.1.clone()),
        ],
        rows: &[
            ["shop", "r.io/shop", "v2.0.0", "v1.0.0"],
            ["shop/p2", "r.io/shop", "-", "v1.5.0"],
            ["queue", "r.io/queue", "v3", "v3"],
        ],
        sets: &[(&["prod", "queue=v4"], (&queue_prod.0, "v3", "v4"))],
        promotes: &[(prod, "v1.0.0", "v2.0.0")],
    }
    .check();
}

#[test]
fn documents_of_several_artifacts_are_promoted_separately() {
    let stream = |name: &str, version: &str| {
        format!(
            "apiVersion: image.openshift.io/v1\nkind: ImageStream\nmetadata: {{name: {name}}}\nspec:\n  tags:\n  - name: latest\n    \
             from: {{kind: DockerImage, name: \"r.io/{name}:{version}\"}}\n"
        )
    };
    let file = |shop: &str, rules: &str| format!("{}---\n{}", stream("shop", shop), stream("rules", rules));
    let [stage, prod] = ["stage", "prod"].map(|environment| format!("shop/overlays/{environment}/tags.yaml"));
    let kustomization = "resources: [../../base, tags.yaml]\n";
    let repository = Gitops::with(&[
        ("shop/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("shop/base/d.yaml", &deployment("shop", "shop")),
        (STAGE, kustomization),
        (PROD, kustomization),
        (&stage, &file("v2.0.0", "v7.0.0")),
        (&prod, &file("v1.0.0", "v6.0.0")),
    ]);
    repository.ucp(["promote", "stage", "prod", "shop", "--only", "r.io/shop", "--yes"]).exits(0);
    assert_eq!(repository.read(&prod), file("v2.0.0", "v6.0.0"));
}

#[test]
fn the_name_of_a_workload_does_not_choose_between_a_base_and_its_overlays() {
    let repository = Gitops::with(&[
        ("shop-job/base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("shop-job/base/d.yaml", &deployment("shop-sync", "r.io/shop-job:v1.0.0")),
        ("shop-job/overlays/stage/kustomization.yaml", "resources: [../../base, tags.yaml]\n"),
        (
            "shop-job/overlays/stage/tags.yaml",
            "apiVersion: image.openshift.io/v1\nkind: ImageStream\nmetadata: {name: shop-job}\nspec:\n  tags:\n  - name: latest\n    \
             from: {kind: DockerImage, name: \"r.io/shop-job:v1.2.0\"}\n",
        ),
    ]);
    for name in ["shop-sync", "shop-job"] {
        let run = repository.ucp(["set-version", &format!("{name}=v1.3.0"), "--yes"]).exits(2);
        assert!(run.stderr.contains("stage/tags.yaml:7"), "{name}: {}", run.stderr);
    }
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

#[test]
fn promoting_a_service_of_a_single_environment_is_an_error() {
    let base = "https://example.org/tools/config?ref=";
    let kustomization = |tail: &str| format!("resources: [../base]\nimages:\n- name: r.io/shop\n  newTag: v1\n{tail}");
    let repository = Gitops::with(&[
        ("base/kustomization.yaml", "resources: [d.yaml]\n"),
        ("base/d.yaml", &deployment("shop", "r.io/shop")),
        ("stage/kustomization.yaml", &kustomization("")),
        ("prod/kustomization.yaml", &kustomization("")),
        (
            "envs/prod/kustomization.yaml",
            &format!("resources: [\"{base}v1\"]\nimages:\n- name: r.io/x\n  newTag: v1\n"),
        ),
    ]);
    let matrix = repository.ucp(["images", "-o", "json"]).exits(0).json();
    let services = matrix["services"].as_array().unwrap();
    let names: Vec<&str> = services.iter().filter_map(|service| service["name"].as_str()).collect();
    for name in names.into_iter().filter(|name| *name != "shop") {
        let run = repository.ucp(["promote", "stage", "prod", name, "--yes"]);
        assert_ne!(run.code, Some(0), "{name}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn ambiguous_artifacts_are_refused_with_their_locations() {
    let repository = Gitops::with(&[
        ("prod/a.yaml", "image: {repository: r.io/one/shop, tag: 1.0.0}\n"),
        ("prod/b.yaml", "image: {repository: r.io/two/shop, tag: 2.0.0}\n"),
    ]);
    let run = repository.ucp(["set-version", "prod", "shop=3.0.0", "--yes"]).exits(2);
    for words in ["several artifacts", "prod/a.yaml:1", "prod/b.yaml:1"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    assert_eq!(repository.git(["status", "--porcelain"]), "", "{}", run.stderr);
    let gone = Gitops::with(&[("prod/kustomization.yaml", "images:\n- name: a\n  newTag: v1\n- *nowhere\n")]);
    gone.ucp(["images"]).exits(4).prints("prod/kustomization.yaml");
    gone.ucp(["set-version", "prod", "a=v2", "--yes"]).exits(2);
    assert_eq!(gone.git(["status", "--porcelain"]), "");
}

/// A section of docs/layouts.md: its files, its command, and the lines that this changes.
#[derive(Default)]
struct Example {
    title: String,
    files: Vec<(String, String)>,
    command: String,
    diff: String,
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let mut example =
            Example { title: section.lines().next().unwrap_or_default().to_owned(), ..Example::default() };
        let mut parts = section.split("\n```");
        let mut text = parts.next().unwrap_or_default();
        while let (Some(block), rest) = (parts.next(), parts.next()) {
            let name = text.trim().lines().last().and_then(|line| line.strip_prefix('`')?.strip_suffix('`'));
            let (language, body) = block.split_once('\n').unwrap_or_default();
            match (name, language) {
                (Some(name), _) => example.files.push((name.to_owned(), format!("{body}\n"))),
                (None, "sh") => example.command = body.trim().to_owned(),
                (None, _) => example.diff = format!("{body}\n"),
            }
            text = rest.unwrap_or_default();
        }
        examples.push(example);
    }
    examples
}

#[test]
fn every_example_of_the_page_makes_the_changes_that_it_shows() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/layouts.md")).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 10, "{} sections", examples.len());
    for example in examples {
        let files: Vec<(&str, &str)> =
            example.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let repository = Gitops::with(&files);
        let command = example.command.strip_prefix("kubectl ucp ").unwrap_or_else(|| panic!("{}", example.title));
        let plugin = crate::support::command::program();
        let script = format!("exec {} {command} --yes", plugin.display());
        let output = repository.command("sh").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{}: {}", example.title, String::from_utf8_lossy(&output.stderr));
        let diff = repository.git(["diff", "--unified=0"]);
        let changed = diff
            .lines()
            .filter(|line| line.starts_with(['-', '+']) && !line.starts_with("+++ ") && !line.starts_with("--- "));
        let changed: String = changed.map(|line| format!("{line}\n")).collect();
        assert_eq!(changed, example.diff, "{}", example.title);
    }
}
