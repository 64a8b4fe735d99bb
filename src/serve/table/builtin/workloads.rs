//! Columns of workloads, and of the kinds that schedule them.

use crate::serve::table::autoscaler;
use crate::serve::table::cells;
use crate::serve::table::column::{
    AGE, CONTAINERS, ColumnsOfKind, IMAGES, NAME, READY, SELECTOR, amount, computed, integer, timed, truth, words,
};
use crate::serve::table::fields::{self, NONE, UNSET, age_of, joined, list, text};

pub(super) static WORKLOADS: &[ColumnsOfKind] = &[
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
            computed("Selector", |object| fields::selector(object, "/spec/selector").unwrap_or_default()).wide(),
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
            computed("Node Selector", |object| fields::labels(object, "/spec/template/spec/nodeSelector")),
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
            computed("Suspend", |job| fields::bool_word(job.pointer("/spec/suspend")).to_owned()),
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
            computed("Selector", |job| fields::formatted_selector(job, "/spec/jobTemplate/spec/selector")).wide(),
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
            computed("Targets", autoscaler::targets),
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
];
