//! Columns of networks and storage.

use crate::serve::table::cells;
use crate::serve::table::column::{AGE, ColumnsOfKind, NAME, amount, computed, truth, words};
use crate::serve::table::fields::{self, NONE, UNSET, count, joined, list, or};

pub(super) static NETWORK_AND_STORAGE: &[ColumnsOfKind] = &[
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
        &[NAME, computed("Pod-Selector", |policy| fields::formatted_selector(policy, "/spec/podSelector")), AGE],
    ),
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
    (
        "networking.k8s.io",
        "servicecidrs",
        &[NAME, computed("CIDRs", |cidr| joined(list(cidr, "/spec/cidrs"), "")), AGE],
    ),
    ("networking.k8s.io", "ipaddresses", &[NAME, computed("ParentRef", cells::parent_reference)]),
];
