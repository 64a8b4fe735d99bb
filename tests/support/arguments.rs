//! The flags of the servers: everything on loopback, nothing that needs a node.

use std::path::Path;

/// A controller of kube-controller-manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// Makes the `default` ServiceAccount of every namespace.
    ServiceAccount,
    /// Fills Secrets of type `kubernetes.io/service-account-token`.
    ServiceAccountToken,
    /// Publishes `kube-root-ca.crt` in every namespace.
    RootCaPublisher,
    /// Empties and removes deleted namespaces.
    Namespace,
    /// Deletes objects that lost their owner.
    GarbageCollector,
    /// Makes the ReplicaSets of Deployments.
    Deployment,
    /// Creates the Pods of ReplicaSets, which nothing runs.
    ReplicaSet,
    /// Makes the Pods of StatefulSets.
    StatefulSet,
}

impl Controller {
    /// All of them: a test may take this for a whole cluster, except for pods.
    pub const ALL: [Self; 5] = [
        Self::ServiceAccount,
        Self::ServiceAccountToken,
        Self::RootCaPublisher,
        Self::Namespace,
        Self::GarbageCollector,
    ];

    /// Those that make Pods out of workloads.
    pub const WORKLOADS: [Self; 3] = [Self::Deployment, Self::ReplicaSet, Self::StatefulSet];

    /// Its name for `--controllers`.
    fn name(self) -> &'static str {
        match self {
            Self::ServiceAccount => "serviceaccount-controller",
            Self::ServiceAccountToken => "serviceaccount-token-controller",
            Self::RootCaPublisher => "root-ca-certificate-publisher-controller",
            Self::Namespace => "namespace-controller",
            Self::GarbageCollector => "garbage-collector-controller",
            Self::Deployment => "deployment-controller",
            Self::ReplicaSet => "replicaset-controller",
            Self::StatefulSet => "statefulset-controller",
        }
    }
}

/// etcd's flags.
pub fn etcd(data: &Path, port: u16, peer_port: u16) -> Vec<String> {
    let client = format!("http://127.0.0.1:{port}");
    let peer = format!("http://127.0.0.1:{peer_port}");
    vec![
        flag_path("--data-dir", data),
        // Its data need to survive a process, not a power cut.
        "--unsafe-no-fsync".to_owned(),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
        // The bench needs more than the default 2 GiB.
        "--quota-backend-bytes=8589934592".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

/// kube-apiserver's flags.
pub fn api_server(directory: &Path, etcd_port: u16, port: u16) -> Vec<String> {
    let path = |flag: &str, file: &str| flag_path(flag, &directory.join(file));
    vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd_port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        // No Endpoints for a service that no pod will call.
        "--endpoint-reconciler-type=none".to_owned(),
        format!("--secure-port={port}"),
        path("--tls-cert-file", "server.crt"),
        path("--tls-private-key-file", "server.key"),
        path("--client-ca-file", "ca.crt"),
        path("--token-auth-file", "users.csv"),
        "--authorization-mode=RBAC".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        path("--service-account-signing-key-file", "tokens.key"),
        path("--service-account-key-file", "tokens.pub"),
        // Pods of a test need no ServiceAccount, which may have no controller.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        path("--audit-policy-file", "audit-policy.json"),
        path("--audit-log-path", "audit.log"),
        // Never rotated: tests read it from a mark on.
        "--audit-log-maxsize=100000".to_owned(),
    ]
}

/// kube-controller-manager's flags.
pub fn controller_manager(directory: &Path, kubeconfig: &Path, controllers: &[Controller]) -> Vec<String> {
    let path = |flag: &str, file: &str| flag_path(flag, &directory.join(file));
    let names: Vec<&str> = controllers.iter().map(|one| one.name()).collect();
    vec![
        flag_path("--kubeconfig", kubeconfig),
        format!("--controllers={}", names.join(",")),
        path("--service-account-private-key-file", "tokens.key"),
        path("--root-ca-file", "ca.crt"),
        "--leader-elect=false".to_owned(),
        // It serves nothing that a test reads.
        "--secure-port=0".to_owned(),
    ]
}

fn flag_path(flag: &str, path: &Path) -> String {
    format!("{flag}={}", path.display())
}
