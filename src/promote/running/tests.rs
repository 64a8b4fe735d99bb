use super::*;

fn application(sync: &str, health: &str, images: &[&str]) -> RunningDeployer {
    RunningDeployer {
        engine: GitOps::ArgoCd,
        title: "Application argocd/stage-echo".into(),
        paths: vec!["echo/overlays/stage".into()],
        repositories: vec!["https://github.com/example/apps.git".into()],
        sync: sync.into(),
        health: health.into(),
        images: Ok(images.iter().map(|image| (*image).to_owned()).collect()),
        charts: BTreeMap::new(),
        revisions: Vec::new(),
        unfinished: None,
        outage: None,
        since: Some("2026-11-20T09:00:00Z".parse().unwrap()),
    }
}

#[test]
fn only_versions_that_were_healthy_for_the_soak_time_pass() {
    let gate = |application: RunningDeployer, soak: u64| {
        let running =
            RunningDeployers { deployers: vec![application], moment: "2026-11-20T09:20:00Z".parse().unwrap() };
        let remotes = ["git@github.com:example/apps".to_owned()];
        running.check(
            "echo/overlays/stage",
            &remotes,
            &[ImageReference::split("a/echo:v2")],
            Some(Duration::from_secs(soak)),
        )
    };
    assert_eq!(gate(application("Synced", "Healthy", &["a/echo:v2", "b:v1"]), 1200), Ok(()));
    assert!(gate(application("Synced", "Healthy", &["a/echo:v2"]), 1201).unwrap_err().as_str().contains("--soak"));
    assert!(gate(application("Synced", "Healthy", &["a/echo:v1"]), 0).unwrap_err().as_str().contains("runs v1"));
    assert!(gate(application("OutOfSync", "Healthy", &["a/echo:v2"]), 0).is_err());
    assert!(gate(application("Synced", "Progressing", &["a/echo:v2"]), 0).is_err());
    assert!(gate(application("Synced", "", &["a/echo:v2"]), 0).is_err());
    let nothing = RunningDeployers::default();
    assert!(nothing.check("echo/overlays/stage", &[], &[], None).is_err());
    let well = application("Synced", "Healthy", &["a/echo:v2"]);
    let down = RunningDeployer { outage: Some("StatefulSet/argocd is not running".into()), ..well.clone() };
    assert!(gate(down, 0).unwrap_err().as_str().contains("is out of date: StatefulSet/argocd"));
    let crashing =
        RunningDeployer { unfinished: Some("Deployment/echo has rolled out 0 of 1 replicas".into()), ..well.clone() };
    assert!(gate(crashing, 0).unwrap_err().as_str().contains("0 of 1"));
    let unseen = RunningDeployer { images: fail!("no answer"), ..well };
    assert!(gate(unseen, 0).unwrap_err().as_str().contains("is unknown: no answer"));
    let mirrored = application("Synced", "Healthy", &["mirror.example.org/hub/echo:v2"]);
    let error = gate(mirrored, 0).unwrap_err();
    assert!(error.as_str().contains("runs mirror.example.org/hub/echo:v2 instead of a/echo:v2"), "{error}");
}

#[test]
fn an_image_may_run_under_another_name() {
    let runs = |images: &[&str], name: &str, declared: &[&str]| {
        let declared = declared.iter().map(|name| fully_qualified_name(name)).collect();
        application("Synced", "Healthy", images).runs(&BTreeSet::from([name]), &declared)
    };
    let version = |tag: &str| RunningImages::Versions(BTreeSet::from([ImageVersion::tag(tag)]));
    let other = |image: &str| RunningImages::Others(BTreeSet::from([ImageReference::split(image)]));
    // The same name after normalization by the container runtime.
    assert_eq!(runs(&["docker.io/library/nginx:1"], "nginx", &["nginx"]), version("1"));
    assert_eq!(runs(&["index.docker.io/a/echo:1"], "a/echo", &["a/echo"]), version("1"));
    assert_eq!(runs(&["m.io/a/echo:1"], "a/echo", &["a/echo"]), other("m.io/a/echo:1"));
    // Another image of the overlay does not replace it.
    assert_eq!(runs(&["b/echo:1"], "a/echo", &["a/echo", "b/echo"]), RunningImages::Nothing);
    assert_eq!(runs(&["istio/proxy:1"], "a/echo", &["a/echo"]), RunningImages::Nothing);
}
