//! Columns of the kinds by which an API server is extended and protected.

use crate::serve::table::cells;
use crate::serve::table::column::{AGE, Column, ColumnsOfKind, NAME, amount, computed, integer, words};
use crate::serve::table::fields::{self, NONE, number, text};
use ucp_core::model::time::human_duration;

const ROLE: Column =
    computed("Role", |object| format!("{}/{}", text(object, "/roleRef/kind"), text(object, "/roleRef/name")));
const BINDING: &[Column] = &[
    NAME,
    ROLE,
    AGE,
    computed("Users", |object| cells::subjects(object, "User")).wide(),
    computed("Groups", |object| cells::subjects(object, "Group")).wide(),
    computed("ServiceAccounts", |object| cells::subjects(object, "ServiceAccount")).wide(),
];
const WEBHOOKS: &[Column] = &[NAME, amount("Webhooks", "/webhooks"), AGE];
const POLICY_BINDING: &[Column] =
    &[NAME, words("PolicyName", "/spec/policyName", ""), computed("ParamRef", cells::parameter_reference), AGE];

pub(super) static API_SERVER: &[ColumnsOfKind] = &[
    ("rbac.authorization.k8s.io", "rolebindings", BINDING),
    ("rbac.authorization.k8s.io", "clusterrolebindings", BINDING),
    (
        "certificates.k8s.io",
        "certificatesigningrequests",
        &[
            NAME,
            AGE,
            words("SignerName", "/spec/signerName", NONE),
            words("Requestor", "/spec/username", ""),
            computed("RequestedDuration", |request| match number(request, "/spec/expirationSeconds") {
                0 => NONE.to_owned(),
                seconds => human_duration(seconds),
            }),
            computed("Condition", cells::request_status),
        ],
    ),
    ("coordination.k8s.io", "leases", &[NAME, words("Holder", "/spec/holderIdentity", ""), AGE]),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations", WEBHOOKS),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations", WEBHOOKS),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
        &[NAME, amount("Validations", "/spec/validations"), computed("ParamKind", cells::parameter_kind), AGE],
    ),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", POLICY_BINDING),
    (
        "admissionregistration.k8s.io",
        "mutatingadmissionpolicies",
        &[NAME, amount("Mutations", "/spec/mutations"), computed("ParamKind", cells::parameter_kind), AGE],
    ),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings", POLICY_BINDING),
    (
        "apiregistration.k8s.io",
        "apiservices",
        &[NAME, computed("Service", cells::backend), computed("Available", cells::availability), AGE],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "flowschemas",
        &[
            NAME,
            words("PriorityLevel", "/spec/priorityLevelConfiguration/name", ""),
            integer("MatchingPrecedence", "/spec/matchingPrecedence"),
            words("DistinguisherMethod", "/spec/distinguisherMethod/type", NONE),
            AGE,
            computed("MissingPL", |schema| fields::condition(schema, "Dangling").unwrap_or("?").to_owned()),
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "prioritylevelconfigurations",
        &[
            NAME,
            words("Type", "/spec/type", ""),
            words("NominalConcurrencyShares", "/spec/limited/nominalConcurrencyShares", NONE),
            words("Queues", "/spec/limited/limitResponse/queuing/queues", NONE),
            words("HandSize", "/spec/limited/limitResponse/queuing/handSize", NONE),
            words("QueueLengthLimit", "/spec/limited/limitResponse/queuing/queueLengthLimit", NONE),
            AGE,
        ],
    ),
];
