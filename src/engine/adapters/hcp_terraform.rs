//! HashiCorp's operator for HCP Terraform. Its workspaces have no conditions; their state is that of the last run.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{Declared, Kinds, Reference, Runs, StandsFor, Text, Which, verdicts};
use crate::engine::outside::{Mark, Outside, Removal};
use crate::graph::link::Relation;

codes! {
    HcpTerraformFailed "UCP761" Failed "a run of HCP Terraform has failed" {
        "status.runStatus.status of a Workspace, or the state of a Module or an AgentPool, says that it errored. A run that is planned and waits for a confirmation needs a person."
        "Open the run in HCP Terraform: status.runStatus.id names it."
        "kubectl describe {object}"
    }
}

const OUTSIDE: Outside = Outside {
    names: &["/status/workspaceID", "/status/id", "/spec/name"],
    removal: Removal::Keeps {
        why: "spec.deletionPolicy keeps the workspace and what it made",
        but_for: Some(Mark::new("/spec/deletionPolicy", &["soft", "destroy", "force"])),
    },
    paused_by: &[Mark::new("/metadata/annotations/app.terraform.io~1paused", &["true"])],
    ..Outside::DELETES
};

pub(in crate::engine) const ENGINE: Declared = Declared {
    name: "HCP Terraform",
    part_of: "hcp-terraform-operator",
    kinds: &[Kinds {
        group: "app.terraform.io",
        which: Which::Only(&["Workspace", "Module", "Project", "AgentPool", "RunsCollector"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::HcpTerraformFailed),
    controllers: &[Runs::all(&["hcp-terraform-operator", "hcp-terraform-operator-controller-manager"])],
    references: &[Reference {
        relation: Relation::Reads,
        each: "token.secretKeyRef",
        group: Text::Is(""),
        kind: Text::Is("Secret"),
        namespace: Text::Namespace,
        name: Text::Item("name"),
    }],
    stands_for: StandsFor::Outside(&[Text::Status("workspaceID"), Text::Status("id"), Text::Spec("name")], &OUTSIDE),
    ..Declared::NEW
};
