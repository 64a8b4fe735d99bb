//! Addresses of resources to import: `KIND=EXTERNAL-NAME`, or `KIND/NAME=EXTERNAL-NAME` if the object's name is not to
//! be derived from the external name.

use std::str::FromStr;

use serde_json::{Value, json};

use ucp_core::failure::{Failure, fail};

/// A resource to import, as typed by the user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportAddress {
    /// Its kind, by any name that kubectl accepts.
    pub kind: String,
    /// Name of the object, if given.
    pub name: Option<String>,
    /// External name of the resource.
    pub external: String,
}

impl FromStr for ImportAddress {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong =
            || Failure::from(format!("{text:?} is not KIND=EXTERNAL-NAME, such as bucket.s3.aws.upbound.io=logs"));
        let (kind, external) = text.split_once('=').ok_or_else(wrong)?;
        let (kind, name) = match kind.split_once('/') {
            Some((kind, name)) => (kind, Some(name.to_owned())),
            None => (kind, None),
        };
        if kind.is_empty() || external.trim().is_empty() || external.chars().any(char::is_control) {
            return Err(wrong());
        }
        if let Some(bad) = name.as_deref().filter(|name| !is_object_name(name)) {
            return fail!("{bad:?} is not a valid object name: use lowercase letters, digits, '-' and '.'");
        }
        Ok(Self { kind: kind.to_owned(), name, external: external.trim().to_owned() })
    }
}

/// Returns true if the API server accepts the text as a name of an object (RFC 1123 subdomain).
pub fn is_object_name(name: &str) -> bool {
    let label = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && part.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    (1..=253).contains(&name.len()) && name.split('.').all(label)
}

/// Returns the last part of an external name: after the last slash, and for an ARN after its last colon.
pub fn last_part(external: &str) -> &str {
    let trimmed = external.trim_end_matches('/');
    let last = trimmed.rsplit('/').next().unwrap_or(trimmed);
    match external.starts_with("arn:") {
        true => last.rsplit(':').next().unwrap_or(last),
        false => last,
    }
}

/// Derives a name for an object from its external name.
pub fn object_name(external: &str) -> String {
    const LONGEST: usize = 63;
    let mut name = String::new();
    for character in last_part(external).chars() {
        match character.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => name.push(c),
            '.' if name.ends_with(|c: char| c.is_ascii_alphanumeric()) => name.push('.'),
            _ if name.ends_with(|c: char| c.is_ascii_alphanumeric()) => name.push('-'),
            _ => {}
        }
    }
    name.truncate(LONGEST);
    let name = name.trim_end_matches(['-', '.']).replace("-.", ".");
    if name.is_empty() { "imported".to_owned() } else { name }
}

/// Fields with the location of a resource: a provider needs them to find it, and does not always observe them.
pub const PLACES: [&str; 5] = ["region", "location", "zone", "project", "resourceGroupName"];

/// Returns the location that an address such as a Google self-link, an Azure ID or an ARN contains, as fields with the
/// names that providers use.
pub fn location_fields(external: &str) -> Vec<(&'static str, String)> {
    if external.starts_with("arn:") {
        let region = external.split(':').nth(3).filter(|region| !region.is_empty());
        return region.map(|region| ("region", region.to_owned())).into_iter().collect();
    }
    let parts: Vec<&str> = external.split('/').collect();
    let mut found = Vec::new();
    for pair in parts.windows(2) {
        let fields: &[&'static str] = match pair[0].to_ascii_lowercase().as_str() {
            "projects" => &["project"],
            "regions" => &["region", "location"],
            "zones" => &["zone", "location"],
            "locations" => &["location", "region"],
            "resourcegroups" => &["resourceGroupName"],
            _ => continue,
        };
        if !pair[1].is_empty() {
            found.extend(fields.iter().map(|field| (*field, pair[1].to_owned())));
        }
    }
    found
}

/// Returns the account in an ARN.
pub fn arn_account(arn: &str) -> Option<&str> {
    arn.strip_prefix("arn:")?.split(':').nth(3).filter(|account| !account.is_empty())
}

/// Returns the external name in an ID: its last part for clouds whose IDs are paths.
pub fn external_name(id: &str) -> &str {
    let is_path = id.starts_with("projects/") || id.starts_with("/subscriptions/") || id.contains("googleapis.com/");
    if is_path { last_part(id) } else { id }
}

/// Parses the address of a Kubernetes object in another cluster: `[GROUP/]VERSION/KIND[/NAMESPACE]/NAME`.
///
/// # Errors
/// Fails when the address has a different form; the error shows the expected one.
pub fn parse_manifest_address(address: &str) -> Result<Value, Failure> {
    let wrong =
        || format!("{address:?} is not [GROUP/]VERSION/KIND[/NAMESPACE]/NAME, such as v1/ConfigMap/default/settings");
    let parts: Vec<&str> = address.split('/').collect();
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (api_version, rest) = match parts.as_slice() {
        [version, rest @ ..] if is_version(version) => ((*version).to_owned(), rest),
        [group, version, rest @ ..] if is_version(version) => (format!("{group}/{version}"), rest),
        _ => return Err(wrong().into()),
    };
    if rest.iter().any(|part| part.is_empty()) {
        return Err(wrong().into());
    }
    match rest {
        [kind, name] => Ok(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})),
        [kind, namespace, name] => Ok(json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace},
        })),
        _ => Err(wrong().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_addresses_are_parsed() {
        let wanted: ImportAddress = "bucket.s3.aws.upbound.io/logs=acme=logs".parse().unwrap();
        assert_eq!((wanted.kind.as_str(), wanted.name.as_deref()), ("bucket.s3.aws.upbound.io", Some("logs")));
        assert_eq!(wanted.external, "acme=logs");
        for wrong in ["bucket", "=x", "bucket=", "bucket= ", "bucket/Logs=x", "bucket/=x", "a=b\nc"] {
            assert!(wrong.parse::<ImportAddress>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn names_are_generated_from_external_names() {
        for (external, name) in [
            ("Acme_Logs", "acme-logs"),
            ("arn:aws:iam::123456789012:role/ci/Deploy", "deploy"),
            ("arn:aws:sns:eu-central-1:123456789012:alerts", "alerts"),
            ("projects/p/global/networks/main", "main"),
            ("/subscriptions/a/resourceGroups/G/providers/x/y/Db.One", "db.one"),
            ("*.example.org.", "example.org"),
            ("///", "imported"),
        ] {
            assert_eq!(object_name(external), name, "{external}");
        }
    }

    #[test]
    fn locations_are_read_from_external_names() {
        assert_eq!(
            location_fields("arn:aws:sns:eu-central-1:123456789012:alerts"),
            [("region", "eu-central-1".to_owned())]
        );
        let zone = location_fields("projects/p/zones/z/instances/i");
        assert!(zone.contains(&("project", "p".to_owned())) && zone.contains(&("zone", "z".to_owned())));
        assert_eq!(location_fields("logs"), []);
        assert_eq!(external_name("projects/p/zones/z/instances/i"), "i");
        assert_eq!(external_name("arn:aws:iam::1:role/ci/x"), "arn:aws:iam::1:role/ci/x");
    }

    #[test]
    fn addresses_of_kubernetes_objects_are_parsed() {
        let settings = parse_manifest_address("v1/ConfigMap/default/settings").unwrap();
        assert_eq!(settings["metadata"], json!({"name": "settings", "namespace": "default"}));
        assert_eq!(parse_manifest_address("apps/v1/Deployment/a/b").unwrap()["apiVersion"], "apps/v1");
        assert_eq!(parse_manifest_address("v1/Namespace/team").unwrap()["metadata"], json!({"name": "team"}));
        for wrong in ["ConfigMap/a/b", "v1/ConfigMap", "v1/ConfigMap//x", "a/b/v1/X/y", ""] {
            assert!(parse_manifest_address(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_generated_name_is_valid(external in "\\PC{0,90}") {
            let name = object_name(&external);
            proptest::prop_assert!(is_object_name(&name), "{}", name);
        }
    }
}
