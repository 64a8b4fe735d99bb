//! HashiCorp's operator for HCP Terraform. Its workspaces have no conditions; their state is that of the last run.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, KindFilter, KindSelector, ReferenceField, RepresentedResource, TextLocation,
    verdicts,
};
use crate::engine::outside::{DeletionPolicy, ExternalPolicy, FieldMark};
use crate::graph::link::Relation;

codes! {
    HcpTerraformFailed "UCP761" Failed "a run of HCP Terraform has failed" {
        "status.runStatus.status of a Workspace, or the state of a Module or an AgentPool, is errored. A planned run that waits for a confirmation requires manual action."
        "Open the run in HCP Terraform: status.runStatus.id names it."
        "kubectl describe {object}"
    }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/status/workspaceID", "/status/id", "/spec/name"],
    removal: DeletionPolicy::Keeps {
        why: "spec.deletionPolicy keeps the workspace and its resources",
        but_for: Some(FieldMark::new("/spec/deletionPolicy", &["soft", "destroy", "force"])),
    },
    paused_by: &[FieldMark::new("/metadata/annotations/app.terraform.io~1paused", &["true"])],
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "HCP Terraform",
    part_of: "hcp-terraform-operator",
    kinds: &[KindSelector {
        group: "app.terraform.io",
        which: KindFilter::Only(&["Workspace", "Module", "Project", "AgentPool", "RunsCollector"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::HcpTerraformFailed),
    controllers: &[DeclaredController::all(&["hcp-terraform-operator", "hcp-terraform-operator-controller-manager"])],
    references: &[ReferenceField {
        relation: Relation::Reads,
        each: "token.secretKeyRef",
        group: TextLocation::Is(""),
        kind: TextLocation::Is("Secret"),
        namespace: TextLocation::Namespace,
        name: TextLocation::Item("name"),
    }],
    stands_for: RepresentedResource::Outside(
        &[TextLocation::Status("workspaceID"), TextLocation::Status("id"), TextLocation::Spec("name")],
        &OUTSIDE,
    ),
    ..DeclaredEngine::NEW
};
