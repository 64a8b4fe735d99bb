//! The columns of built-in kinds.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::cells::{self, NONE, UNSET, age_of, count, joined, list, number, or, text};
use super::pod;
use ucp_core::model::time::human_duration;

/// A column: its header, and how its cells are found.
pub(super) struct Column {
    pub(super) name: &'static str,
    /// Columns with 1 are shown by `-o wide` only.
    pub(super) priority: u8,
    source: CellSource,
}

enum CellSource {
    Age,
    /// The text at a pointer, or another text if there is none.
    Text(&'static str, &'static str),
    /// The number at a pointer.
    Number(&'static str),
    /// The number of elements or fields at a pointer.
    Count(&'static str),
    /// The truth at a pointer, or a default.
    Truth(&'static str, bool),
    Computed(fn(&Value) -> String),
    Timed(fn(&Value, Timestamp) -> String),
    Sum(fn(&Value) -> i64),
}

impl Column {
    const fn wide(mut self) -> Self {
        self.priority = 1;
        self
    }

    pub(super) fn data_type(&self) -> &'static str {
        match self.source {
            CellSource::Number(_) | CellSource::Count(_) | CellSource::Sum(_) => "integer",
            CellSource::Truth(..) => "boolean",
            _ => "string",
        }
    }

    pub(super) fn cell(&self, object: &Value, now: Timestamp) -> Value {
        match self.source {
            CellSource::Age => json!(age_of(object, "/metadata/creationTimestamp", now)),
            CellSource::Text(pointer, otherwise) => match object.pointer(pointer) {
                Some(Value::String(text)) => json!(or(text, otherwise)),
                Some(Value::Null) | None => json!(otherwise),
                Some(other) => json!(other.to_string()),
            },
            CellSource::Number(pointer) => json!(number(object, pointer)),
            CellSource::Count(pointer) => json!(count(object, pointer)),
            CellSource::Truth(pointer, otherwise) => {
                json!(object.pointer(pointer).and_then(Value::as_bool).unwrap_or(otherwise))
            }
            CellSource::Computed(compute) => json!(compute(object)),
            CellSource::Timed(compute) => json!(compute(object, now)),
            CellSource::Sum(compute) => json!(compute(object)),
        }
    }
}

const fn column(name: &'static str, source: CellSource) -> Column {
    Column { name, priority: 0, source }
}

const fn words(name: &'static str, pointer: &'static str, otherwise: &'static str) -> Column {
    column(name, CellSource::Text(pointer, otherwise))
}

const fn integer(name: &'static str, pointer: &'static str) -> Column {
    column(name, CellSource::Number(pointer))
}

const fn amount(name: &'static str, pointer: &'static str) -> Column {
    column(name, CellSource::Count(pointer))
}

const fn truth(name: &'static str, pointer: &'static str, otherwise: bool) -> Column {
    column(name, CellSource::Truth(pointer, otherwise))
}

const fn computed(name: &'static str, compute: fn(&Value) -> String) -> Column {
    column(name, CellSource::Computed(compute))
}

const fn timed(name: &'static str, compute: fn(&Value, Timestamp) -> String) -> Column {
    column(name, CellSource::Timed(compute))
}

const NAME: Column = words("Name", "/metadata/name", "");
const READY: Column = computed("Ready", |object| {
    format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas"))
});
const AGE: Column = column("Age", CellSource::Age);
const CONTAINERS: Column =
    computed("Containers", |object| joined(list(object, "/spec/template/spec/containers"), "/name")).wide();
const IMAGES: Column =
    computed("Images", |object| joined(list(object, "/spec/template/spec/containers"), "/image")).wide();
const SELECTOR: Column = computed("Selector", |object| cells::formatted_selector(object, "/spec/selector")).wide();
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
const EVENTS: &[Column] = &[
    timed("Last Seen", cells::last_seen),
    words("Type", "/type", ""),
    words("Reason", "/reason", ""),
    computed("Object", cells::event_target),
    words("Subobject", "/involvedObject/fieldPath", "").wide(),
    computed("Source", cells::event_source).wide(),
    computed("Message", |event| text(event, "/message").trim().to_owned()),
    timed("First Seen", cells::first_seen).wide(),
    column("Count", CellSource::Sum(cells::event_count)).wide(),
    words("Name", "/metadata/name", "").wide(),
];

/// Returns the columns of a built-in kind that has its own.
pub(super) fn columns_of(group: &str, plural: &str) -> Option<&'static [Column]> {
    let found = TABLES.iter().find(|(of_group, of_plural, _)| *of_group == group && *of_plural == plural);
    found.map(|(_, _, columns)| *columns)
}

/// Group, plural, and columns.
static TABLES: &[(&str, &str, &[Column])] = &[
    (
        "",
        "pods",
        &[
            NAME,
            computed("Ready", pod::ready),
            computed("Status", pod::status),
            timed("Restarts", pod::restarts),
            AGE,
            computed("IP", pod::address).wide(),
            words("Node", "/spec/nodeName", NONE).wide(),
            words("Nominated Node", "/status/nominatedNodeName", NONE).wide(),
            computed("Readiness Gates", pod::readiness_gates).wide(),
        ],
    ),
    (
        "",
        "services",
        &[
            NAME,
            words("Type", "/spec/type", ""),
            words("Cluster-IP", "/spec/clusterIPs/0", NONE),
            computed("External-IP", cells::external_ip),
            computed("Port(s)", cells::service_ports),
            AGE,
            computed("Selector", |service| cells::labels(service, "/spec/selector")).wide(),
        ],
    ),
    ("", "namespaces", &[NAME, words("Status", "/status/phase", ""), AGE]),
    ("", "secrets", &[NAME, words("Type", "/type", ""), amount("Data", "/data"), AGE]),
    (
        "",
        "configmaps",
        &[NAME, column("Data", CellSource::Sum(|map| (count(map, "/data") + count(map, "/binaryData")) as i64)), AGE],
    ),
    ("", "serviceaccounts", &[NAME, AGE]),
    ("", "events", EVENTS),
    ("events.k8s.io", "events", EVENTS),
    ("", "endpoints", &[NAME, computed("Endpoints", cells::endpoints), AGE]),
    (
        "",
        "nodes",
        &[
            NAME,
            computed("Status", cells::node_status),
            computed("Roles", cells::node_roles),
            AGE,
            words("Version", "/status/nodeInfo/kubeletVersion", ""),
            computed("Internal-IP", |node| cells::node_address(node, "InternalIP")).wide(),
            computed("External-IP", |node| cells::node_address(node, "ExternalIP")).wide(),
            words("OS-Image", "/status/nodeInfo/osImage", "<unknown>").wide(),
            computed("Kernel-Version", cells::kernel).wide(),
            words("Container-Runtime", "/status/nodeInfo/containerRuntimeVersion", "<unknown>").wide(),
        ],
    ),
    (
        "",
        "persistentvolumes",
        &[
            NAME,
            words("Capacity", "/spec/capacity/storage", "0"),
            computed("Access Modes", |volume| cells::access_modes(list(volume, "/spec/accessModes"))),
            words("Reclaim Policy", "/spec/persistentVolumeReclaimPolicy", ""),
            computed("Status", |volume| cells::phase_or_terminating(volume).to_owned()),
            computed("Claim", |volume| match volume.pointer("/spec/claimRef") {
                Some(claim) => format!("{}/{}", text(claim, "/namespace"), text(claim, "/name")),
                None => String::new(),
            }),
            computed("StorageClass", cells::storage_class),
            words("VolumeAttributesClass", "/spec/volumeAttributesClassName", UNSET),
            words("Reason", "/status/reason", ""),
            AGE,
            words("VolumeMode", "/spec/volumeMode", UNSET).wide(),
        ],
    ),
    (
        "",
        "persistentvolumeclaims",
        &[
            NAME,
            computed("Status", |claim| cells::phase_or_terminating(claim).to_owned()),
            words("Volume", "/spec/volumeName", ""),
            computed("Capacity", |claim| {
                cells::claim_field(claim, or(text(claim, "/status/capacity/storage"), "0")).to_owned()
            }),
            computed("Access Modes", |claim| {
                cells::claim_field(claim, &cells::access_modes(list(claim, "/status/accessModes"))).to_owned()
            }),
            computed("StorageClass", cells::storage_class),
            words("VolumeAttributesClass", "/spec/volumeAttributesClassName", UNSET),
            AGE,
            words("VolumeMode", "/spec/volumeMode", UNSET).wide(),
        ],
    ),
    (
        "",
        "replicationcontrollers",
        &[
            NAME,
            integer("Desired", "/spec/replicas"),
            integer("Current", "/status/replicas"),
            integer("Ready", "/status/readyReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            computed("Selector", |controller| cells::labels(controller, "/spec/selector")).wide(),
        ],
    ),
    (
        "",
        "resourcequotas",
        &[
            NAME,
            computed("Request", |quota| cells::quotas(quota, false)),
            computed("Limit", |quota| cells::quotas(quota, true)),
            AGE,
        ],
    ),
    (
        "",
        "podtemplates",
        &[
            NAME,
            computed("Containers", |object| joined(list(object, "/template/spec/containers"), "/name")),
            computed("Images", |object| joined(list(object, "/template/spec/containers"), "/image")),
            computed("Pod Labels", |object| cells::labels(object, "/template/metadata/labels")),
        ],
    ),
    (
        "apps",
        "deployments",
        &[
            NAME,
            READY,
            integer("Up-to-date", "/status/updatedReplicas"),
            integer("Available", "/status/availableReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            computed("Selector", |object| cells::selector(object, "/spec/selector").unwrap_or_default()).wide(),
        ],
    ),
    (
        "apps",
        "replicasets",
        &[
            NAME,
            integer("Desired", "/spec/replicas"),
            integer("Current", "/status/replicas"),
            integer("Ready", "/status/readyReplicas"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    ("apps", "statefulsets", &[NAME, READY, AGE, CONTAINERS, IMAGES]),
    (
        "apps",
        "daemonsets",
        &[
            NAME,
            integer("Desired", "/status/desiredNumberScheduled"),
            integer("Current", "/status/currentNumberScheduled"),
            integer("Ready", "/status/numberReady"),
            integer("Up-to-date", "/status/updatedNumberScheduled"),
            integer("Available", "/status/numberAvailable"),
            computed("Node Selector", |object| cells::labels(object, "/spec/template/spec/nodeSelector")),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "apps",
        "controllerrevisions",
        &[NAME, computed("Controller", cells::controller_of), integer("Revision", "/revision"), AGE],
    ),
    (
        "batch",
        "jobs",
        &[
            NAME,
            computed("Status", |job| cells::job_status(job).to_owned()),
            computed("Completions", cells::job_completions),
            timed("Duration", cells::job_duration),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "batch",
        "cronjobs",
        &[
            NAME,
            words("Schedule", "/spec/schedule", ""),
            words("Timezone", "/spec/timeZone", NONE),
            computed("Suspend", |job| cells::bool_word(job.pointer("/spec/suspend")).to_owned()),
            amount("Active", "/status/active"),
            timed("Last Schedule", |job, now| match text(job, "/status/lastScheduleTime") {
                "" => NONE.to_owned(),
                _ => age_of(job, "/status/lastScheduleTime", now),
            }),
            AGE,
            computed("Containers", |job| joined(list(job, "/spec/jobTemplate/spec/template/spec/containers"), "/name"))
                .wide(),
            computed("Images", |job| joined(list(job, "/spec/jobTemplate/spec/template/spec/containers"), "/image"))
                .wide(),
            computed("Selector", |job| cells::formatted_selector(job, "/spec/jobTemplate/spec/selector")).wide(),
        ],
    ),
    (
        "autoscaling",
        "horizontalpodautoscalers",
        &[
            NAME,
            computed("Reference", |object| {
                format!("{}/{}", text(object, "/spec/scaleTargetRef/kind"), text(object, "/spec/scaleTargetRef/name"))
            }),
            computed("Targets", cells::targets),
            words("MinPods", "/spec/minReplicas", UNSET),
            integer("MaxPods", "/spec/maxReplicas"),
            integer("Replicas", "/status/currentReplicas"),
            AGE,
        ],
    ),
    (
        "policy",
        "poddisruptionbudgets",
        &[
            NAME,
            words("Min Available", "/spec/minAvailable", "N/A"),
            words("Max Unavailable", "/spec/maxUnavailable", "N/A"),
            integer("Allowed Disruptions", "/status/disruptionsAllowed"),
            AGE,
        ],
    ),
    (
        "networking.k8s.io",
        "ingresses",
        &[
            NAME,
            words("Class", "/spec/ingressClassName", NONE),
            computed("Hosts", cells::ingress_hosts),
            computed("Address", |object| cells::ingress_addresses(object).into_iter().collect::<Vec<_>>().join(",")),
            computed("Ports", |object| if count(object, "/spec/tls") > 0 { "80, 443" } else { "80" }.to_owned()),
            AGE,
        ],
    ),
    (
        "networking.k8s.io",
        "ingressclasses",
        &[
            computed("Name", |class| cells::name_with_default(class, &["ingressclass.kubernetes.io/is-default-class"])),
            words("Controller", "/spec/controller", ""),
            computed("Parameters", cells::ingress_parameters),
            AGE,
        ],
    ),
    (
        "networking.k8s.io",
        "networkpolicies",
        &[NAME, computed("Pod-Selector", |policy| cells::formatted_selector(policy, "/spec/podSelector")), AGE],
    ),
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
    (
        "storage.k8s.io",
        "storageclasses",
        &[
            computed("Name", |class| {
                const DEFAULT: [&str; 2] =
                    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
                cells::name_with_default(class, &DEFAULT)
            }),
            words("Provisioner", "/provisioner", ""),
            words("ReclaimPolicy", "/reclaimPolicy", "Delete"),
            words("VolumeBindingMode", "/volumeBindingMode", "Immediate"),
            truth("AllowVolumeExpansion", "/allowVolumeExpansion", false),
            AGE,
        ],
    ),
    (
        "storage.k8s.io",
        "volumeattachments",
        &[
            NAME,
            words("Attacher", "/spec/attacher", ""),
            words("PV", "/spec/source/persistentVolumeName", ""),
            words("Node", "/spec/nodeName", ""),
            truth("Attached", "/status/attached", false),
            AGE,
        ],
    ),
    ("storage.k8s.io", "csinodes", &[NAME, amount("Drivers", "/spec/drivers"), AGE]),
    (
        "storage.k8s.io",
        "csidrivers",
        &[
            NAME,
            truth("AttachRequired", "/spec/attachRequired", true),
            truth("PodInfoOnMount", "/spec/podInfoOnMount", false),
            truth("StorageCapacity", "/spec/storageCapacity", false),
            computed("TokenRequests", |driver| match driver.pointer("/spec/tokenRequests") {
                Some(_) => joined(list(driver, "/spec/tokenRequests"), "/audience"),
                None => UNSET.to_owned(),
            }),
            truth("RequiresRepublish", "/spec/requiresRepublish", false),
            computed("Modes", |driver| or(&joined(list(driver, "/spec/volumeLifecycleModes"), ""), NONE).to_owned()),
            AGE,
        ],
    ),
    (
        "scheduling.k8s.io",
        "priorityclasses",
        &[
            NAME,
            integer("Value", "/value"),
            truth("Global-Default", "/globalDefault", false),
            AGE,
            words("PreemptionPolicy", "/preemptionPolicy", ""),
        ],
    ),
    ("node.k8s.io", "runtimeclasses", &[NAME, words("Handler", "/handler", ""), AGE]),
    (
        "discovery.k8s.io",
        "endpointslices",
        &[
            NAME,
            words("AddressType", "/addressType", ""),
            computed("Ports", cells::slice_ports),
            computed("Endpoints", cells::slice_endpoints),
            AGE,
        ],
    ),
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
            computed("MissingPL", |schema| cells::condition(schema, "Dangling").unwrap_or("?").to_owned()),
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
    (
        "networking.k8s.io",
        "servicecidrs",
        &[NAME, computed("CIDRs", |cidr| joined(list(cidr, "/spec/cidrs"), "")), AGE],
    ),
    ("networking.k8s.io", "ipaddresses", &[NAME, computed("ParentRef", cells::parent_reference)]),
];
