//! One role of `--print-rbac`: where it is bound, how, and whether it opens Secrets.

use serde::Deserialize;

use ucp_core::error::Result;

/// The clusters in which a role is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum RoleCluster {
    Core,
    /// All clusters that are deployed to, which may include the core cluster.
    Destinations,
    App,
}

impl RoleCluster {
    const ALL: [Self; 3] = [Self::Core, Self::Destinations, Self::App];

    /// Returns the clusters of a role of the documentation.
    pub(in crate::cli) fn of_role(name: &str) -> Self {
        match name {
            "kubectl-ucp-plan-destination" => Self::Destinations,
            _ if name.ends_with("-app") || name.contains("-app-") => Self::App,
            _ => Self::Core,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Core => "In the core cluster",
            Self::Destinations => "In each cluster that is deployed to",
            Self::App => "In each app cluster, not in the core cluster",
        }
    }

    /// Returns the subject to fill in, and the cluster if it is another one.
    fn subject(self) -> &'static str {
        match self {
            Self::Core => "--user=USER",
            Self::Destinations | Self::App => "--user=USER --context=APP-CLUSTER",
        }
    }
}

/// A rule of a role, or of a review.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::cli) struct RoleRule {
    pub(in crate::cli) verbs: Vec<String>,
    pub(in crate::cli) api_groups: Vec<String>,
    pub(in crate::cli) resources: Vec<String>,
    pub(in crate::cli) resource_names: Vec<String>,
}

impl RoleRule {
    /// Returns true if the rule allows a verb for all objects of a resource.
    pub(in crate::cli) fn allows(&self, verb: &str, group: &str, resource: &str) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|one| one == "*" || one == text);
        self.resource_names.is_empty()
            && has(&self.verbs, verb)
            && has(&self.api_groups, group)
            && has(&self.resources, resource)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RoleManifest {
    kind: String,
    metadata: RoleMetadata,
    rules: Vec<RoleRule>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RoleMetadata {
    name: String,
    namespace: Option<String>,
}

/// A role as it is printed.
pub(super) struct PrintedRole {
    text: String,
    manifest: RoleManifest,
    cluster: RoleCluster,
}

impl PrintedRole {
    /// Reads the text of a role, in any style of YAML.
    ///
    /// # Errors
    /// Fails when the text is no YAML.
    pub(super) fn from_text(text: String) -> Result<Self> {
        let manifest: RoleManifest = serde_saphyr::from_str(&text)?;
        let cluster = RoleCluster::of_role(&manifest.metadata.name);
        Ok(Self { text, manifest, cluster })
    }

    /// Returns the document, after a caution if the role opens Secrets.
    fn document(&self) -> String {
        let opens = self.manifest.rules.iter().any(opens_secrets);
        let place = self.manifest.metadata.namespace.as_ref().map(|name| format!(" in namespace {name}"));
        let place = place.unwrap_or_else(|| " in all namespaces".to_owned());
        let caution = format!(
            "# Caution: who has this role can read all values of all Secrets{place}. Kubernetes has no smaller right.\n"
        );
        format!("---\n{}{}", if opens { &caution } else { "" }, self.text)
    }

    /// Returns the command that binds the role.
    fn binding(&self) -> String {
        let RoleMetadata { name, namespace } = &self.manifest.metadata;
        let subject = self.cluster.subject();
        match namespace {
            Some(namespace) if self.manifest.kind == "Role" => {
                format!("# kubectl create rolebinding {name} --namespace={namespace} --role={name} {subject}\n")
            }
            _ => format!("# kubectl create clusterrolebinding {name} --clusterrole={name} {subject}\n"),
        }
    }
}

/// Returns true if a rule allows to read all Secrets, of which names and values are one right.
fn opens_secrets(rule: &RoleRule) -> bool {
    ["get", "list", "watch"].iter().any(|verb| rule.allows(verb, "", "secrets"))
}

/// Returns the roles, and the commands that bind them, by the clusters in which they are needed.
pub(super) fn print_roles(roles: &[PrintedRole], notes: &str) -> String {
    let of = |cluster: RoleCluster| roles.iter().filter(move |role| role.cluster == cluster);
    let mut text = String::new();
    for cluster in RoleCluster::ALL {
        for (position, role) in of(cluster).enumerate() {
            if position == 0 && cluster != RoleCluster::Core {
                text.push_str(&format!("# {}:\n", cluster.title()));
            }
            text.push_str(&role.document());
        }
    }
    text.push_str(notes);
    text.push_str("# Bind the roles. USER is you, or in app clusters the identity that connects to them:\n");
    for cluster in RoleCluster::ALL.into_iter().filter(|cluster| of(*cluster).next().is_some()) {
        text.push_str(&format!("# {}:\n", cluster.title()));
        of(cluster).for_each(|role| text.push_str(&role.binding()));
    }
    text
}

/// Adds `watch` to each rule that is followed. Objects with a name of their own are read once.
pub(super) fn with_watch(document: &str) -> String {
    let rules = document.split_inclusive("\n- ");
    rules
        .map(
            |rule| {
                if rule.contains("resourceNames:") { rule.to_owned() } else { rule.replace("[list]", "[list, watch]") }
            },
        )
        .collect()
}
