//! Arguments missing on the command line: picked by a person at a terminal, and a usage error elsewhere.

use std::process::Command;

use crate::adopted::adopt;
use crate::fleet::{Corner, checked, fleet};
use crate::gitops::{Gitops, Run, deployment};
use crate::terminal::{Terminal, line};

const UCP: crate::support::command::ProgramPath = crate::support::command::ProgramPath;
const SIZE: (u16, u16) = (110, 40);

/// Three environments with a version each, of two services.
fn repository() -> Gitops {
    let repository = Gitops::with(&[]);
    for service in ["echo", "edge"] {
        repository.write(&format!("{service}/base/kustomization.yaml"), "resources:\n- deployment.yaml\n");
        repository.write(&format!("{service}/base/deployment.yaml"), &deployment(service, "r/app"));
        for (environment, version) in [("dev", "v3"), ("stage", "v2"), ("prod", "v1")] {
            let overlay = format!("resources:\n- ../../base\nimages:\n- name: r/app\n  newTag: {version}\n");
            repository.write(&format!("{service}/overlays/{environment}/kustomization.yaml"), &overlay);
        }
    }
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Services"]);
    repository
}

fn version(repository: &Gitops, service: &str, environment: &str) -> String {
    let overlay = repository.read(&format!("{service}/overlays/{environment}/kustomization.yaml"));
    overlay.rsplit_once(": ").unwrap().1.trim().to_owned()
}

#[test]
fn the_arguments_of_promote_can_be_picked() {
    let repository = repository();
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    terminal.run(&format!("{UCP} promote"));
    let screen = terminal.until("Copy versions from which environment?");
    assert!(screen.contains("> dev") && screen.contains("  prod"), "{screen}");
    // Some of its letters are enough.
    terminal.write("sg");
    terminal.until("> stage");
    terminal.press(&["Enter"]);
    // The environment after stage is the most likely answer.
    terminal.until("> prod");
    terminal.press(&["Enter"]);
    terminal.until("[ ] echo   v1 → v2");
    // Nothing is no choice.
    terminal.press(&["Enter"]);
    terminal.until("nothing is selected yet");
    terminal.press(&["Down", "Space"]);
    terminal.until("[x] edge");
    terminal.press(&["Enter"]);
    terminal.until("To run this without prompts: kubectl ucp promote stage prod edge");
    terminal.until("Change 1 version in 1 file? [y/N]");
    terminal.enter("y");
    terminal.until("ended=0");
    assert_eq!([version(&repository, "echo", "prod"), version(&repository, "edge", "prod")], ["v1", "v2"]);
}

#[test]
fn only_missing_arguments_are_asked_for_and_stdout_only_has_the_document() {
    let repository = repository();
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    // In the order of promotion, and nothing but that where a flow is declared.
    repository.write(".ucp.yaml", "flow: {dev: [stage], stage: [prod]}\n");
    terminal.run(&format!("{UCP} promote dev --all --dry-run --quiet -o json > plan"));
    let screen = terminal.until("Copy them to which environment?");
    assert!(screen.contains("> stage") && !screen.contains("prod"), "{screen}");
    terminal.press(&["Enter"]);
    let screen = terminal.until("ended=0");
    assert!(!screen.contains("To run this without"), "--quiet is quiet:\n{screen}");
    let plan: serde_json::Value = serde_json::from_str(&repository.read("plan")).unwrap();
    assert_eq!((&plan["to"], plan["changes"].as_array().unwrap().len()), (&"stage".into(), 2));

    // Where there is nothing to pick, that is the answer.
    terminal.run(&format!("{UCP} promote stage stage"));
    terminal.until("FROM and TO are the same environment");
    repository
        .write("echo/overlays/prod/kustomization.yaml", &repository.read("echo/overlays/stage/kustomization.yaml"));
    repository
        .write("edge/overlays/prod/kustomization.yaml", &repository.read("edge/overlays/stage/kustomization.yaml"));
    terminal.run(&format!("{UCP} promote stage prod"));
    terminal.until("Nothing to do");
    terminal.until("ended=0");
}

#[test]
fn the_arguments_of_set_image_can_be_picked() {
    let repository = repository();
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    terminal.run(&format!("{UCP} set-image"));
    terminal.until("Set a version in which environment?");
    terminal.write("prod");
    terminal.until("? prod");
    terminal.press(&["Enter"]);
    let screen = terminal.until("Of which service?");
    assert!(screen.contains("> echo   v1"), "{screen}");
    terminal.press(&["Enter"]);
    terminal.until("Which version?");
    terminal.enter("v 9");
    terminal.until("is not an image tag");
    terminal.press(&["BSpace", "BSpace"]);
    terminal.enter("7");
    terminal.until("To run this without prompts: kubectl ucp set-image prod echo=v7");
    terminal.until("[y/N]");
    terminal.enter("y");
    terminal.until("ended=0");
    assert_eq!(version(&repository, "echo", "prod"), "v7");

    // A name with several places: one of them is picked, and only that one is set.
    terminal.run(&format!("{UCP} set-image edge=v8"));
    let screen = terminal.until("edge has several places. Set v8 in which one?");
    assert!(screen.contains("edge/overlays/dev/kustomization.yaml .images[0].newTag"), "{screen}");
    terminal.write("prod");
    terminal.until("? prod");
    terminal.press(&["Enter"]);
    terminal.until("set-version --file edge/overlays/prod/kustomization.yaml");
    terminal.until("[y/N]");
    terminal.enter("y");
    terminal.until("ended=0");
    let versions = ["dev", "stage", "prod"].map(|environment| version(&repository, "edge", environment));
    assert_eq!(versions, ["v3", "v2", "v8"]);
}

#[test]
fn the_meaning_of_a_name_is_remembered() {
    let values = |repository: &str| format!("image: {{repository: {repository}, tag: 1.0.0}}\n");
    let repository = Gitops::with(&[
        ("apps/one/values.yaml", &values("r/one/web")),
        ("apps/two/values.yaml", &values("r/two/web")),
        (".ucp.yaml", "ignore: [old]\n"),
    ]);
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    let choose = |answer: &str| {
        terminal.run(&format!("{UCP} set-version web=1.0.1"));
        terminal.until("Set 1.0.1 in which one?");
        terminal.write("two");
        terminal.until("? two");
        terminal.press(&["Enter"]);
        let screen = terminal.until("to .ucp.yaml? [y/N]");
        assert!(screen.contains("names: {web: r/two/web}"), "{screen}");
        terminal.enter(answer);
    };
    choose("n");
    terminal.until("Change 1 version in 1 file? [y/N]");
    terminal.enter("n");
    terminal.until("ended=0");
    assert_eq!(repository.read(".ucp.yaml"), "ignore: [old]\n");
    choose("y");
    terminal.until("Change 1 version in 1 file? [y/N]");
    terminal.enter("y");
    terminal.until("ended=0");
    assert_eq!(repository.read(".ucp.yaml"), "ignore: [old]\nnames:\n  web: r/two/web\n");
    // From now on there is no question.
    repository.ucp(["set-version", "web=1.0.2", "--yes"]).exits(0);
    assert_eq!(repository.read("apps/two/values.yaml"), values("r/two/web").replace("1.0.0", "1.0.2"));
    assert_eq!(repository.read("apps/one/values.yaml"), values("r/one/web"));
}

#[test]
fn cancelling_a_question_changes_nothing_and_restores_the_terminal() {
    let repository = repository();
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    terminal.enter("stty -a > before");
    for (arguments, question) in [
        ("promote", "from which environment?"),
        ("promote stage prod", "which services?"),
        ("set-image stage", "Of which service?"),
        ("promote stage prod echo", "[y/N]"),
    ] {
        for key in ["Escape", "C-c"] {
            terminal.run(&format!("{UCP} {arguments}"));
            terminal.until(question);
            terminal.press(&[key]);
            let screen = terminal.until("ended=130");
            assert!(screen.contains("canceled; nothing was done"), "{key}\n{screen}");
            assert_eq!(terminal.tmux(&["display-message", "-p", "#{cursor_flag}"]).trim(), "1", "the cursor shows");
        }
    }
    terminal.enter("stty -a > after; echo compared");
    terminal.until("\ncompared");
    assert_eq!(repository.read("before"), repository.read("after"));
    assert_eq!(repository.git(["diff", "--stat"]), "");
}

#[test]
fn no_questions_are_asked_in_a_pipe_or_with_yes() {
    let repository = repository();
    let refused = |arguments: &[&str], missing: &str, known: &str| {
        let run = repository.ucp(arguments).exits(2);
        assert_eq!(run.stdout, "");
        run.prints(&format!("error: {missing} is missing"))
            .prints(&format!("known: {known}\nusage: kubectl ucp {}", arguments[0]));
    };
    refused(&["promote"], "FROM", "dev, stage, prod");
    refused(&["promote", "stage"], "TO", "prod, dev");
    refused(&["promote", "stage", "prod"], "SERVICE", "echo, edge");
    refused(&["set-image"], "ENV", "dev, stage, prod");
    repository.ucp(["set-image", "echo=v2"]).exits(2).prints("echo has versions in several environments; specify one");
    refused(&["set-image", "prod"], "NAME=VERSION", "echo, edge");
    repository.ucp(["set-image", "--file", "echo/overlays/prod"]).exits(2).prints("IMAGE:TAG is missing");
    repository.ucp(["promote", "nowhere"]).exits(2);
    repository.ucp(["set-image", "nowhere"]).exits(2).prints("no environment is called");
    let command = "kubectl ucp set-image r.example.org/echo=v2";
    repository.ucp(["set-image", "r.example.org/echo:v2"]).exits(2).prints(command);
    Gitops::with(&[]).ucp(["promote"]).exits(2).prints("no environment was found");

    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    for line in
        [format!("{UCP} promote --yes"), format!("{UCP} promote < /dev/null"), format!("{UCP} promote 2>&1 | cat")]
    {
        terminal.run(&line);
        terminal.until("FROM is missing");
        terminal.until("ended=");
    }
}

#[test]
fn names_from_git_do_not_drive_the_terminal() {
    let repository = Gitops::with(&[("e/base/kustomization.yaml", "resources: []\n")]);
    for environment in ["stage", "pr\u{202e}od"] {
        repository.write(
            &format!("e/overlays/{environment}/kustomization.yaml"),
            "resources: [../../base]\nimages: [{name: r/app, newTag: v1}]\n",
        );
    }
    let Some(terminal) = Terminal::plain(repository.command("tmux"), SIZE) else { return };
    terminal.run(&format!("{UCP} set-image"));
    terminal.until("pr\\u{202e}od");
    terminal.until("Set a version");
    terminal.press(&["Escape"]);
    terminal.until("ended=130");
    repository.ucp(["set-image"]).exits(2).prints("pr\\u{202e}od");
}

#[test]
fn clusters_of_a_snapshot_are_picked() {
    let Some(terminal) = Terminal::plain(Command::new("tmux"), SIZE) else { return };
    let snapshot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/quotes");
    let adopt = format!("{UCP} adopt-cluster --dry-run -o yaml --from {snapshot}");
    terminal.run(&adopt);
    terminal.until("Adopt which clusters?");
    terminal.press(&["Right"]);
    let screen = terminal.until("[x]");
    assert!(!screen.contains("[ ]"), "{screen}");
    terminal.press(&["Enter"]);
    // The command line itself contains "ended=".
    terminal.until("ended=1");
    let printed = terminal.history();
    assert!(
        printed.contains("gcp-k8s-prod gcp-k8s-stage") || printed.contains("gcp-k8s-stage gcp-k8s-prod"),
        "{printed}"
    );
    terminal.run(&format!("{adopt} < /dev/null"));
    terminal.until("known: gcp-k8s-");
    terminal.until("ended=2");
}

#[test]
fn only_clusters_that_the_command_supports_are_offered() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "picked");
    for name in ["blue", "green"] {
        corner.provision(name, &fleet.app.server(), &corner.admin());
    }
    let unasked = |arguments: &[&str], usage: &str, known: &str| {
        let run = Run::of(checked(corner.ucp(arguments).output().unwrap())).exits(2);
        // Clusters of other tests may follow.
        run.prints(&format!("error: NAME is missing\nhint: {known}"))
            .prints(&format!("\nusage: kubectl ucp {usage}\n"));
    };
    let release = ["release-cluster", "--dry-run"];
    let adoption = ["adopt-cluster", "--dry-run", "--engine", "argocd"];
    unasked(&release, "release-cluster NAME", "there are no values to select from");
    unasked(&adoption, "adopt-cluster NAME… or --all", "known: blue, green");
    let (_, code, printed) = adopt(&corner, &["blue", "--engine", "argocd"]);
    assert_eq!(code, Some(0), "{printed}");
    unasked(&release, "release-cluster NAME", "known: blue");

    let Some(terminal) = Terminal::plain(Command::new("tmux"), SIZE) else { return };
    terminal.run(&line(&corner.ucp(&release)));
    let screen = terminal.until("Release which cluster?");
    assert!(screen.contains("> blue   adopted with argocd") && !screen.contains("green"), "{screen}");
    terminal.press(&["Enter"]);
    terminal.until("ended=0");
    assert!(terminal.history().contains("planned"), "{}", terminal.history());

    terminal.run(&line(&corner.ucp(&adoption)));
    terminal.until("Adopt which clusters?");
    // Clusters that are adopted already are listed last.
    let screen = terminal.until("[ ] blue ");
    assert!(screen.contains("> [ ] green "), "{screen}");
    terminal.press(&["Space"]);
    terminal.until("[x] green");
    terminal.press(&["Enter"]);
    terminal.until("ended=0");
    assert!(terminal.history().contains("--allow-localhost green"), "{}", terminal.history());
}
