//! The examples of `docs/ci.md` are run here.

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
    let run = Run::of(command.output().unwrap()).exits(0);
    run.prints("Pushed");
    // There is no checkout that could be behind.
    assert!(!run.stderr.contains("behind"), "{}", run.stderr);
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

/// Inputs of a component, task or template.
type Inputs<'i> = [(&'i str, &'i str)];

/// `echo-server` at v2 in `stage`, as people write it on several lines.
const BUMP: &Inputs<'static> =
    &[("environment", "stage"), ("versions", "\necho-server=v2\n\n"), ("branch", ""), ("pr", "false")];

/// Variables of a job or container, with values for its inputs.
fn with_inputs<'v>(pairs: impl Iterator<Item = (&'v str, &'v str)>, inputs: &Inputs<'_>) -> Vec<(String, String)> {
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

/// The script of a GitLab component and its variables.
fn component(name: &str, inputs: &Inputs<'_>) -> (String, Vec<(String, String)>) {
    let text = std::fs::read_to_string(format!("templates/{name}.yml")).unwrap();
    let (spec, jobs) = text.split_once("\n---\n").unwrap();
    let spec: Value = serde_saphyr::from_str(spec).unwrap();
    for (input, _) in inputs {
        assert!(spec["spec"]["inputs"][input].is_object(), "{name} has no input {input}");
    }
    let jobs: Value = serde_saphyr::from_str(jobs).unwrap();
    let job = jobs.as_object().unwrap().values().next().unwrap();
    let variables = job["variables"].as_object().unwrap().iter();
    let variables = with_inputs(variables.map(|(name, value)| (name.as_str(), value.as_str().unwrap())), inputs);
    let script: Vec<&str> = job["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    (script.join("\n"), variables)
}

/// Variables with literal values of a container.
fn container_variables(container: &Value, inputs: &Inputs<'_>) -> Vec<(String, String)> {
    let entries = container["env"].as_array().unwrap().iter();
    with_inputs(entries.filter_map(|entry| Some((entry["name"].as_str()?, entry["value"].as_str()?))), inputs)
}

/// The script of the Tekton Task and its variables.
fn task(inputs: &Inputs<'_>, result: &str) -> (String, Vec<(String, String)>) {
    let task: Value = serde_saphyr::from_str(&std::fs::read_to_string("packaging/tekton-task.yaml").unwrap()).unwrap();
    let step = &task["spec"]["steps"][0];
    let mut variables = container_variables(step, inputs);
    for (name, value) in &mut variables {
        if name == "UCP_RESULT" {
            result.clone_into(value);
        }
    }
    let script = step["script"].as_str().unwrap().split_once('\n').unwrap().1;
    assert_eq!(step["args"], serde_json::json!(["$(params.versions[*])"]));
    // Entries of a list, one of them empty, and one with a line end.
    (format!("set -- \"\" \"echo-server=v2\n\"\n{script}"), variables)
}

/// The script of the Argo Workflows template and its variables.
fn workflow_template(inputs: &Inputs<'_>) -> (String, Vec<(String, String)>) {
    let text = std::fs::read_to_string("packaging/argo-workflow-template.yaml").unwrap();
    let template: Value = serde_saphyr::from_str(&text).unwrap();
    let container = &template["spec"]["templates"][0]["container"];
    (container["args"][0].as_str().unwrap().to_owned(), container_variables(container, inputs))
}

#[test]
fn gitlab_component() {
    let (script, variables) = component("set-version", BUMP);
    bumps(&script, "UCP_TAG", &variables);
}

#[test]
fn tekton_task() {
    let result = tempfile::tempdir().unwrap();
    let file = result.path().join("commit");
    let (script, variables) = task(BUMP, file.to_str().unwrap());
    // It writes its result to a file, where `bumps` expects words.
    bumps(&format!("{script}echo Pushed"), "UCP_TAG", &variables);
    assert_eq!(std::fs::read_to_string(file).unwrap().trim().len(), 40);
}

#[test]
fn argo_workflow_template() {
    let (script, variables) = workflow_template(BUMP);
    bumps(&script, "UCP_TAG", &variables);
}

#[test]
fn gitlab_component_for_promotions() {
    for services in ["\n  echo\n", "--all\n"] {
        let repository = Gitops::paper("v2", "v1");
        let bare = repository.publish();
        let inputs = [("from", "stage"), ("to", "prod"), ("services", services), ("branch", ""), ("pr", "false")];
        let (script, variables) = component("promote", &inputs);
        let mut command = repository.ci_command("sh");
        command.args(["-euc", &script]).current_dir(repository.outside()).envs(variables);
        command.env("GITOPS_URL", format!("file://{}", bare.display()));
        Run::of(command.output().unwrap()).exits(0).prints("Pushed");
        let prod = repository.git(["-C", bare.to_str().unwrap(), "show", "main:echo/overlays/prod/kustomization.yaml"]);
        assert!(prod.contains("newTag: v2"), "{services:?}: {prod}");
    }
}

/// The arguments that a script passes to the plugin.
fn recorded((script, variables): (String, Vec<(String, String)>)) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let stub = directory.path().join("kubectl-ucp");
    std::fs::write(&stub, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.arguments\"\n").unwrap();
    std::fs::set_permissions(&stub, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap());
    let mut command = std::process::Command::new("sh");
    command.args(["-euc", &script]).current_dir(directory.path()).env("GITOPS_URL", "https://git.example.org/a/b.git");
    Run::of(command.envs(variables).env("PATH", path).output().unwrap()).exits(0);
    let arguments = std::fs::read_to_string(directory.path().join("kubectl-ucp.arguments")).unwrap();
    arguments.lines().map(str::to_owned).collect()
}

#[test]
fn pipelines_open_pull_requests() {
    let inputs = [("environment", ""), ("versions", "echo-server=v2"), ("branch", ""), ("pr", "true")];
    let promotion = [("from", "stage"), ("to", "prod"), ("services", "--all"), ("branch", ""), ("pr", "true")];
    for run in [
        component("set-version", &inputs),
        component("promote", &promotion),
        task(&inputs, "result"),
        workflow_template(&inputs),
    ] {
        let arguments = recorded(run);
        let has = |argument: &str| arguments.iter().any(|found| found == argument);
        assert!(has("--pr") && !has("--push") && !has(""), "{arguments:?}");
        let operands: Vec<&str> = arguments.iter().map(String::as_str).skip_while(|one| *one != "--").skip(1).collect();
        match has("promote") {
            true => assert!(has("--all") && operands == ["stage", "prod"], "{arguments:?}"),
            // A name that is found in one place needs no environment.
            false => assert_eq!(operands, ["echo-server=v2"]),
        }
    }
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

/// The inputs and outputs of the examples are those of the actions.
#[test]
fn the_examples_for_github_fit_the_actions() {
    let action_and_step = |name: &str, example: Value| {
        let text = std::fs::read_to_string(format!(".github/actions/{name}/action.yml")).unwrap();
        let action: Value = serde_saphyr::from_str(&text).unwrap();
        let steps = example.as_array().unwrap();
        let used = format!("/actions/{name}@");
        let step = steps.iter().find(|step| step["uses"].as_str().is_some_and(|uses| uses.contains(&used))).unwrap();
        for input in step["with"].as_object().unwrap().keys() {
            assert!(action["inputs"].get(input).is_some(), "{input}");
        }
        (action, step.clone())
    };
    action_and_step("plan", yaml(2)["jobs"]["preview"]["steps"].clone());
    let (action, step) = action_and_step("set-image", yaml(0)["jobs"]["bump"]["steps"].clone());
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
    // The page is about amd64; this test uses the architecture of this machine.
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
        &format!("https://github.com/{}/releases/latest/download", release::address()),
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
    run().exits(0).prints("Client Version: v");
    std::fs::write(here("release/kubectl-ucp-linux-amd64.tar.gz"), "something else").unwrap();
    assert_ne!(run().code, Some(0));
}
