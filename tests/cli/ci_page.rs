//! What `docs/ci.md` gives to copy is what is run here.

use serde_json::Value;

use crate::gitops::{Gitops, Run};
use crate::release;

/// The blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let page = std::fs::read_to_string("docs/ci.md").unwrap();
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split_once("```").unwrap().0.to_owned()).collect()
}

fn yaml(index: usize) -> Value {
    serde_saphyr::from_str(&blocks("yaml")[index]).unwrap()
}

/// Runs a script of the page in an empty directory, with the variables of a CI, against a repository that only has a URL.
fn bumps(script: &str, tag_variable: &str, variables: &[(String, String)]) {
    let repository = Gitops::with(&[]);
    let deployment = crate::gitops::deployment("echo-server", "dagandersen/echo-server");
    repository.write("echo-server/base/kustomization.yaml", "resources: [deployment.yaml]\n");
    repository.write("echo-server/base/deployment.yaml", &deployment);
    let overlay = "resources: [../../base]\nimages:\n- name: dagandersen/echo-server\n  newTag: v1\n";
    for environment in ["stage", "prod"] {
        repository.write(&format!("echo-server/overlays/{environment}/kustomization.yaml"), overlay);
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Service"]);
    let bare = repository.publish();
    let job = repository.outside().join("job");
    std::fs::create_dir(&job).unwrap();
    let mut command = repository.ci_command("sh");
    command
        .args(["-euc", script])
        .current_dir(&job)
        .env("GITOPS_URL", format!("file://{}", bare.display()))
        .env(tag_variable, "v2")
        .envs(variables.iter().cloned());
    Run::of(command.output().unwrap()).exits(0).says("Pushed");
    let git = |arguments: &[&str]| repository.git(["--git-dir", bare.to_str().unwrap()].iter().chain(arguments));
    assert_eq!(git(&["log", "-1", "--format=%an <%ae>", "main"]), "ci <ci@example.org>");
    assert!(git(&["show", "main:echo-server/overlays/stage/kustomization.yaml"]).contains("newTag: v2"));
}

#[test]
fn a_plain_shell() {
    let [_, bump] = blocks("sh").try_into().unwrap();
    bumps(&bump, "TAG", &[]);
}

#[test]
fn gitlab() {
    let job = &yaml(1)["bump"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let script: Vec<String> = job["script"].as_array().unwrap().iter().map(text).collect();
    let variables: Vec<_> =
        job["variables"].as_object().unwrap().iter().map(|(name, value)| (name.clone(), text(value))).collect();
    bumps(&script.join("\n"), "CI_COMMIT_SHORT_SHA", &variables);
}

/// Variables of a job or container, with `VERSIONS` of the echo server in `stage` for its inputs.
fn with_inputs<'v>(pairs: impl Iterator<Item = (&'v str, &'v str)>) -> Vec<(String, String)> {
    let inputs = [("environment", "stage"), ("versions", "echo-server=v2"), ("branch", "")];
    let forms = |name: &str| {
        [format!("$[[ inputs.{name} ]]"), format!("{{{{inputs.parameters.{name}}}}}"), format!("$(params.{name})")]
    };
    pairs
        .map(|(name, value)| {
            let input = inputs.iter().find(|(input, _)| forms(input).iter().any(|form| form == value));
            (name.to_owned(), input.map_or(value, |(_, value)| value).to_owned())
        })
        .collect()
}

#[test]
fn gitlab_component() {
    let text = std::fs::read_to_string("templates/set-version.yml").unwrap();
    let (spec, jobs) = text.split_once("\n---\n").unwrap();
    assert!(serde_saphyr::from_str::<Value>(spec).unwrap()["spec"]["inputs"]["versions"].is_object());
    let jobs: Value = serde_saphyr::from_str(jobs).unwrap();
    let job = &jobs["set-version $[[ inputs.environment ]]"];
    let variables = job["variables"].as_object().unwrap().iter();
    let variables = with_inputs(variables.map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
    let script: Vec<&str> = job["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    bumps(&script.join("\n"), "UCP_TAG", &variables);
}

/// Variables with literal values of a container.
fn container_variables(container: &Value) -> Vec<(String, String)> {
    let entries = container["env"].as_array().unwrap().iter();
    with_inputs(entries.filter_map(|entry| Some((entry["name"].as_str()?, entry["value"].as_str()?))))
}

#[test]
fn tekton_task() {
    let task: Value = serde_saphyr::from_str(&std::fs::read_to_string("packaging/tekton-task.yaml").unwrap()).unwrap();
    let step = &task["spec"]["steps"][0];
    let result = tempfile::tempdir().unwrap();
    let mut variables = container_variables(step);
    for (name, value) in &mut variables {
        if name == "UCP_RESULT" {
            *value = result.path().join("commit").display().to_string();
        }
    }
    let script = step["script"].as_str().unwrap().split_once('\n').unwrap().1;
    assert_eq!(step["args"], serde_json::json!(["$(params.versions[*])"]));
    // It writes its result to a file, where `bumps` expects words.
    bumps(&format!("set -- echo-server=v2\n{script}echo Pushed"), "UCP_TAG", &variables);
    assert_eq!(std::fs::read_to_string(result.path().join("commit")).unwrap().trim().len(), 40);
}

#[test]
fn argo_workflow_template() {
    let text = std::fs::read_to_string("packaging/argo-workflow-template.yaml").unwrap();
    let template: Value = serde_saphyr::from_str(&text).unwrap();
    let container = &template["spec"]["templates"][0]["container"];
    bumps(container["args"][0].as_str().unwrap(), "UCP_TAG", &container_variables(container));
}

#[test]
fn jenkins() {
    let [pipeline] = blocks("groovy").try_into().unwrap();
    let script = pipeline.split("sh '").nth(1).unwrap().split('\'').next().unwrap();
    let list = pipeline.split_once("withEnv([").unwrap().1.split_once("])").unwrap().0;
    let variables: Vec<_> = list
        .split(',')
        .map(|entry| entry.trim().trim_matches('\'').split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    bumps(script, "GIT_COMMIT", &variables);
}

/// The inputs and outputs of the example are the action's own.
#[test]
fn the_example_for_github_fits_the_action() {
    let text = std::fs::read_to_string(".github/actions/set-image/action.yml").unwrap();
    let action: Value = serde_saphyr::from_str(&text).unwrap();
    let example = yaml(0);
    let steps = example["jobs"]["bump"]["steps"].as_array().unwrap();
    let uses = |step: &&Value| step["uses"].as_str().is_some_and(|uses| uses.contains("/actions/set-image@"));
    let step = steps.iter().find(uses).unwrap();
    for name in step["with"].as_object().unwrap().keys() {
        assert!(action["inputs"].get(name).is_some(), "{name}");
    }
    let page = std::fs::read_to_string("docs/ci.md").unwrap();
    for (name, _) in action["inputs"].as_object().unwrap().iter().chain(action["outputs"].as_object().unwrap()) {
        assert!(page.contains(&format!("`{name}`")) || step["with"].get(name).is_some(), "{name} is not on the page");
    }
}

/// The download of the page, from a directory instead of GitHub.
#[test]
fn the_archive_is_checked_and_unpacked() {
    let repository = Gitops::with(&[]);
    let here = |name: &str| repository.outside().join(name);
    for directory in ["release", "job"] {
        std::fs::create_dir(here(directory)).unwrap();
    }
    // The page is about amd64; what is tested here is this machine's.
    let archive = std::fs::read_dir(release::dist()).unwrap().map(|entry| entry.unwrap().path());
    let archive = archive.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "gz")).unwrap();
    std::fs::copy(archive, here("release/kubectl-ucp-linux-amd64.tar.gz")).unwrap();
    std::fs::write(here("release/other"), "").unwrap();
    let sums = repository
        .command("sh")
        .args(["-c", "sha256sum * > SHA256SUMS && rm other"])
        .current_dir(here("release"))
        .status();
    assert!(sums.unwrap().success());
    let [download, _] = blocks("sh").try_into().unwrap();
    // No release has been attested here.
    let download: String = download.split_inclusive('\n').filter(|line| !line.starts_with("gh attestation ")).collect();
    let script = download.replace(
        "https://github.com/OWNER/REPOSITORY/releases/latest/download",
        &format!("file://{}", here("release").display()),
    );
    let run = || {
        let mut command = repository.command("sh");
        Run::of(
            command
                .args(["-euc", &format!("{script}\n./kubectl-ucp version")])
                .current_dir(here("job"))
                .output()
                .unwrap(),
        )
    };
    run().exits(0).says("Client Version: v");
    std::fs::write(here("release/kubectl-ucp-linux-amd64.tar.gz"), "something else").unwrap();
    assert_ne!(run().code, Some(0));
}
