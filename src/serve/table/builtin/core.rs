//! Columns of the core group.

use crate::serve::table::cells;
use crate::serve::table::column::{
    AGE, CONTAINERS, CellSource, Column, ColumnsOfKind, IMAGES, NAME, amount, column, computed, integer, timed, words,
};
use crate::serve::table::fields::{self, NONE, UNSET, count, joined, list, or, text};
use crate::serve::table::pod;

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

pub(super) static CORE: &[ColumnsOfKind] = &[
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
            computed("Selector", |service| fields::labels(service, "/spec/selector")).wide(),
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
            computed("Selector", |controller| fields::labels(controller, "/spec/selector")).wide(),
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
            computed("Pod Labels", |object| fields::labels(object, "/template/metadata/labels")),
        ],
    ),
];
