//! AWS Controllers for Kubernetes (ACK): one controller per service, one API group per controller.

use crate::engine::code::{Code, codes};
use crate::engine::declared::{
    DeclaredController, DeclaredEngine, EngineJudgement, KindFilter, KindSelector, ReferenceField, RepresentedResource,
    TextLocation, verdicts,
};
use crate::engine::judgement::Problem;
use crate::engine::outside::{ExternalPolicy, FieldMark, RecreationPolicy};
use crate::graph::link::Relation;
use crate::model::condition::{ConditionStatus, FindCondition as _};

codes! {
    AckFailed "UCP711" Failed "an AWS resource of ACK has failed" {
        "Condition ACK.Recoverable is True, or Ready, ACK.ReferencesResolved or ACK.IAMRoleSelected is False with a failure: the controller retries without a change of the spec."
        "Read the message: it comes from AWS. Fix the cause that it names, such as a permission or a quota."
        "kubectl describe {object}"
    }
    AckTerminal "UCP712" NeedsHuman "ACK has given up on a resource" {
        "Condition ACK.Terminal is True: the controller does not retry until the spec changes. For 'already exists but is not managed by ACK', adopt the resource or choose another name."
        "Change the spec as the message suggests, or set services.k8s.aws/adoption-policy to take over the existing resource."
        "kubectl describe {object}"
    }
    AckReadOnly "UCP713" Paused "an AWS resource is only observed" {
        "Annotation services.k8s.aws/read-only is true: ACK reads the resource and changes nothing."
        "If ACK should own the resource, remove the annotation."
        "kubectl get {object} -o yaml"
    }
}

const fn reads(field: &'static str, group: &'static str, kind: &'static str) -> ReferenceField {
    ReferenceField {
        relation: Relation::DependsOn,
        each: field,
        group: TextLocation::Is(group),
        kind: TextLocation::Is(kind),
        namespace: TextLocation::Item("from.namespace"),
        name: TextLocation::Item("from.name"),
    }
}

const OUTSIDE: ExternalPolicy = ExternalPolicy {
    names: &["/status/ackResourceMetadata/arn", "/spec/name"],
    kept_by: &[FieldMark::new("/metadata/annotations/services.k8s.aws~1deletion-policy", &["retain"])],
    held_by: &[FieldMark::new("/metadata/annotations/services.k8s.aws~1read-only", &["true"])],
    again: RecreationPolicy::OnlyWith("services.k8s.aws/adoption-policy"),
    ..ExternalPolicy::DELETES
};

pub(in crate::engine) const ENGINE: DeclaredEngine = DeclaredEngine {
    name: "ACK",
    part_of: "ack",
    // FieldExport, and the former AdoptedResource, are settings of the ACK runtime.
    kinds: &[KindSelector {
        group: "*.services.k8s.aws",
        which: KindFilter::AllBut(&["FieldExport", "IAMRoleSelector"]),
    }],
    codes: ALL,
    verdicts: verdicts(Code::AckFailed),
    controllers: &[DeclaredController::all(&[
        "ack-{service}-controller",
        "{service}-controller",
        "ack-{service}-controller-{service}-chart",
    ])],
    references: &[
        reads("vpcRef", "ec2.services.k8s.aws", "VPC"),
        reads("subnetRefs", "ec2.services.k8s.aws", "Subnet"),
        reads("securityGroupRefs", "ec2.services.k8s.aws", "SecurityGroup"),
        reads("resourcesVPCConfig.subnetRefs", "ec2.services.k8s.aws", "Subnet"),
        reads("vpcSecurityGroupRefs", "ec2.services.k8s.aws", "SecurityGroup"),
        reads("dbSubnetGroupRef", "rds.services.k8s.aws", "DBSubnetGroup"),
        reads("roleRef", "iam.services.k8s.aws", "Role"),
        reads("policyRefs", "iam.services.k8s.aws", "Policy"),
        reads("kmsKeyRef", "kms.services.k8s.aws", "Key"),
        reads("clusterRef", "eks.services.k8s.aws", "Cluster"),
        ReferenceField {
            relation: Relation::Reads,
            each: "masterUserPassword",
            group: TextLocation::Is(""),
            kind: TextLocation::Is("Secret"),
            namespace: TextLocation::Item("namespace"),
            name: TextLocation::Item("name"),
        },
    ],
    stands_for: RepresentedResource::Outside(
        &[TextLocation::Status("ackResourceMetadata.arn"), TextLocation::Spec("name")],
        &OUTSIDE,
    ),
    own: |resource, _, _| {
        if resource.metadata.annotation("services.k8s.aws/read-only") == Some("true") {
            let problem = Problem::new(Code::AckReadOnly, None, "services.k8s.aws/read-only is true");
            return EngineJudgement::Beside(vec![problem]);
        }
        match resource.conditions.as_slice().with_status("ACK.Terminal", ConditionStatus::True) {
            // Ready repeats this condition.
            Some(terminal) => {
                let problem = Problem::new(Code::AckTerminal, terminal.last_transition_time, terminal.message.clone());
                EngineJudgement::only(vec![problem])
            }
            None => EngineJudgement::Nothing,
        }
    },
    ..DeclaredEngine::NEW
};
