//! Addresses of artifacts that contain the name of an environment.

use crate::gitops::catalog::naming::without_environment;

/// Returns an address without the parts that name an environment: `https://s3.example.org/app` for
/// `https://s3.example.org/stage/app`. Returns `None` if there are none.
pub(super) fn shared_address(url: &str, environment: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.split('.').filter(|label| *label != environment).collect::<Vec<_>>().join(".");
    let segments = path.split('/').filter(|segment| !segment.is_empty() && *segment != environment);
    let segments = segments.map(|segment| without_environment(segment, environment));
    let shared = std::iter::once(host).chain(segments).collect::<Vec<_>>().join("/");
    (!shared.is_empty() && shared != rest.trim_end_matches('/')).then(|| format!("{scheme}://{shared}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_all_environments_have_a_common_form() {
        for (url, shared) in [
            ("https://s3.example.org/stage", Some("https://s3.example.org")),
            ("https://s3.example.org/stage/app", Some("https://s3.example.org/app")),
            ("https://stage.example.org/app-stage", Some("https://example.org/app")),
            ("https://s3.example.org/backstage/app", None),
            ("registry/stage", None),
        ] {
            assert_eq!(shared_address(url, "stage").as_deref(), shared, "{url}");
        }
    }
}
