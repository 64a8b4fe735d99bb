//! Facts about Crossplane packages and charts: the API groups that they provide.

/// Families whose providers define kinds only in groups with one of these labels, such as `rds.aws.upbound.io`.
const FAMILIES: [(&str, &str); 18] = [
    ("argocd", "argocd"),
    ("aws", "aws"),
    ("azure", "azure"),
    ("azuread", "azuread"),
    ("gcp", "gcp"),
    ("github", "github"),
    ("gitlab", "gitlab"),
    ("grafana", "grafana"),
    ("helm", "helm"),
    ("http", "http"),
    ("kafka", "kafka"),
    ("keycloak", "keycloak"),
    ("kubernetes", "kubernetes"),
    ("nop", "nop"),
    ("opentofu", "opentofu"),
    ("sql", "sql"),
    ("terraform", "tf"),
    ("vault", "vault"),
];
/// Words in the names of packages that do not name a family.
const FILLERS: [&str; 4] = ["provider", "family", "upjet", "jet"];
/// Organizations that publish the providers of the families.
const PUBLISHERS: [&str; 3] = ["upbound", "crossplane", "crossplane-contrib"];
/// Suffixes of the API groups of providers.
const SUFFIXES: [&str; 2] = [".upbound.io", ".crossplane.io"];

/// Well-known charts, with the API groups that they define. A chart that is not listed may define any kind.
const CHARTS: [(&str, &[&str]); 22] = [
    ("argo-cd", &["argoproj.io"]),
    ("argo-rollouts", &["argoproj.io"]),
    ("argo-workflows", &["argoproj.io"]),
    ("aws-load-balancer-controller", &["elbv2.k8s.aws"]),
    ("cert-manager", &["cert-manager.io", "acme.cert-manager.io"]),
    ("cluster-autoscaler", &[]),
    ("crossplane", &[]),
    ("external-dns", &["externaldns.k8s.io"]),
    ("external-secrets", &["external-secrets.io", "generators.external-secrets.io"]),
    ("flux2", &["toolkit.fluxcd.io"]),
    ("grafana", &[]),
    ("ingress-nginx", &[]),
    ("karpenter", &["karpenter.sh", "karpenter.k8s.aws"]),
    ("kube-prometheus-stack", &["monitoring.coreos.com"]),
    ("kyverno", &["kyverno.io", "policies.kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"]),
    ("loki", &[]),
    ("metrics-server", &[]),
    ("prometheus", &[]),
    ("reloader", &[]),
    ("sealed-secrets", &["bitnami.com"]),
    ("universal-crossplane", &[]),
    ("velero", &["velero.io"]),
];

/// The relation of something in a repository to a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindSupply {
    /// It provides the kind.
    Certain,
    /// It may provide the kind.
    Possible,
    /// It does not provide the kind.
    Impossible,
}

/// Returns true if the contents of a chart are known, as far as API groups are concerned.
pub fn is_known_chart(chart: &str) -> bool {
    CHARTS.iter().any(|(name, _)| *name == chart)
}

/// Returns the relation of a chart to the kinds of an API group.
pub fn chart_supply(chart: &str, group: &str) -> KindSupply {
    let is_in = |known: &str| group == known || group.ends_with(&format!(".{known}"));
    match CHARTS.iter().find(|(name, _)| *name == chart) {
        Some((_, groups)) if groups.iter().any(|known| is_in(known)) => KindSupply::Certain,
        Some(_) => KindSupply::Impossible,
        None => KindSupply::Possible,
    }
}

/// Returns the relation of a provider package to the kinds of an API group. `package` is its reference in a registry, or
/// the name of its object.
pub fn provider_supply(package: &str, group: &str) -> KindSupply {
    let path = package.split(['@']).next().unwrap_or(package);
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.split(':').next().unwrap_or(name);
    let is_family_package = name.contains("family-");
    let words: Vec<&str> = name.split('-').filter(|word| !FILLERS.contains(word)).collect();
    let (family, services) = words.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let named_as_provider = name.starts_with("provider-") || services.is_empty();
    let known = FAMILIES.iter().find(|(name, _)| named_as_provider && *name == family).map(|(_, label)| *label);
    let Some((label, prefix)) = split_group(group) else {
        // A provider of another vendor may have any group.
        return if known.is_some() && services.is_empty() { KindSupply::Impossible } else { KindSupply::Possible };
    };
    let publisher = above.rsplit('/').next().unwrap_or_default();
    let otherwise = match services.is_empty() || PUBLISHERS.contains(&publisher) {
        true => KindSupply::Impossible,
        false => KindSupply::Possible,
    };
    match known {
        Some(own) if own != label => otherwise,
        Some(_) if is_family_package && !prefix.is_empty() => KindSupply::Impossible,
        // The member of a family comes with the provider config of the family.
        Some(_) if services.is_empty() || prefix.is_empty() || services.concat() == prefix => KindSupply::Certain,
        Some(_) => otherwise,
        None if words.contains(&label) || words.concat() == label => KindSupply::Certain,
        None => KindSupply::Possible,
    }
}

/// Splits the API group of a provider into the label of its family and the labels before that.
fn split_group(group: &str) -> Option<(&str, &str)> {
    let rest = SUFFIXES.iter().find_map(|suffix| group.strip_suffix(suffix))?;
    let rest = rest.strip_suffix(".m").or_else(|| rest.strip_suffix(".jet")).unwrap_or(rest);
    Some(rest.rsplit_once('.').map_or((rest, ""), |(prefix, label)| (label, prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_provides_the_groups_of_its_family_alone() {
        use KindSupply::{Certain, Impossible, Possible};
        let rows = [
            ("xpkg.upbound.io/upbound/provider-gcp:v1", "container.gcp.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-gcp:v1", "gcp.m.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-gcp:v1", "rds.aws.upbound.io", Impossible),
            ("provider-gcp", "acme.example.org", Impossible),
            ("registry.example.org:5000/mirror/gcp@sha256:abc", "gcp.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-aws-rds:v1", "rds.aws.m.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-aws-rds:v1", "aws.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-aws-s3:v1", "rds.aws.upbound.io", Impossible),
            ("registry.example.org/own/provider-aws-selected:v1", "rds.aws.upbound.io", Possible),
            ("xpkg.upbound.io/upbound/provider-family-aws:v1", "aws.upbound.io", Certain),
            ("xpkg.upbound.io/upbound/provider-family-aws:v1", "rds.aws.upbound.io", Impossible),
            ("xpkg.crossplane.io/crossplane-contrib/provider-kubernetes:v1", "kubernetes.m.crossplane.io", Certain),
            ("xpkg.crossplane.io/crossplane-contrib/provider-aws:v0.50", "database.aws.crossplane.io", Certain),
            ("xpkg.upbound.io/upbound/provider-terraform:v1", "tf.upbound.io", Certain),
            ("xpkg.example.org/acme/provider-acme:v1", "network.acme.upbound.io", Certain),
            ("xpkg.example.org/acme/provider-acme:v1", "rds.aws.upbound.io", Possible),
            ("xpkg.example.org/acme/provider-acme:v1", "network.acme.example.org", Possible),
            ("xpkg.example.org/acme/aws-networks:v1", "network.acme.example.org", Possible),
        ];
        for (package, group, expected) in rows {
            assert_eq!(provider_supply(package, group), expected, "{package} {group}");
        }
    }

    #[test]
    fn a_known_chart_provides_its_groups_and_an_unknown_chart_may_provide_any() {
        assert_eq!(chart_supply("kube-prometheus-stack", "monitoring.coreos.com"), KindSupply::Certain);
        assert_eq!(chart_supply("flux2", "kustomize.toolkit.fluxcd.io"), KindSupply::Certain);
        assert_eq!(chart_supply("crossplane", "rds.aws.upbound.io"), KindSupply::Impossible);
        assert_eq!(chart_supply("platform", "rds.aws.upbound.io"), KindSupply::Possible);
    }
}
