//! The build environment of Argo CD: variables in value files and parameters of a Helm source.

use std::collections::BTreeMap;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::argocd::{ApplicationSource, ApplicationSpec, HelmOptions};

/// Returns the Helm options of a source with the variables of the build environment substituted. The name of another source,
/// in `$name/…`, is no variable.
///
/// # Errors
/// Fails when a text uses the commit, which is not known before a merge.
pub fn substitute_environment(
    application: &str,
    spec: &ApplicationSpec,
    source: &ApplicationSource,
    options: &HelmOptions,
) -> Result<HelmOptions, Failure> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let variables = BTreeMap::from([
        ("ARGOCD_APP_NAME", application.to_owned()),
        ("ARGOCD_APP_NAMESPACE", text(&spec.destination.namespace)),
        ("ARGOCD_APP_PROJECT_NAME", spec.project.clone()),
        ("ARGOCD_APP_SOURCE_REPO_URL", source.repo_url.clone()),
        ("ARGOCD_APP_SOURCE_PATH", text(&source.path)),
        ("ARGOCD_APP_SOURCE_TARGET_REVISION", text(&source.target_revision)),
    ]);
    let is_reference = |text: &str| {
        let name = text.strip_prefix('$');
        name.is_some_and(|name| spec.all_sources().any(|source| source.reference.as_deref() == Some(name)))
    };
    let file = |path: &String| match path.split_once('/') {
        Some((name, path)) if is_reference(name) => expand(path, &variables).map(|path| format!("{name}/{path}")),
        _ => expand(path, &variables),
    };
    let mut substituted = options.clone();
    substituted.value_files = options.value_files.iter().map(file).collect::<Result<_, _>>()?;
    for parameter in &mut substituted.parameters {
        parameter.value = expand(&parameter.value, &variables)?;
    }
    for parameter in &mut substituted.file_parameters {
        parameter.path = file(&parameter.path)?;
    }
    Ok(substituted)
}

/// Expands `$name` and `${name}` as Go's `os.Expand`: unknown variables are empty, and `$$` is a dollar sign.
fn expand(text: &str, variables: &BTreeMap<&str, String>) -> Result<String, Failure> {
    let (mut rest, mut result) = (text, String::with_capacity(text.len()));
    while let Some((before, behind)) = rest.split_once('$') {
        result.push_str(before);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (name, after) = match behind.chars().next() {
            Some('$') => {
                result.push('$');
                ("", &behind[1..])
            }
            Some('{') => behind[1..].split_once('}').unwrap_or(("", &behind[1..])),
            Some(letter) if letter.is_ascii_digit() || "*#@!?-".contains(letter) => ("", &behind[1..]),
            Some(letter) if is_name(letter) => {
                behind.split_at(behind.find(|letter: char| !is_name(letter)).unwrap_or(behind.len()))
            }
            _ => {
                result.push('$');
                ("", behind)
            }
        };
        if name.starts_with("ARGOCD_APP_REVISION") {
            return fail!("it uses ${name}, the commit, which is not known before the merge");
        }
        result.push_str(variables.get(name).map(String::as_str).unwrap_or_default());
        rest = after;
    }
    result.push_str(rest);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_expanded_as_in_go() {
        let variables = BTreeMap::from([("ARGOCD_APP_NAME", "web".to_owned())]);
        for (text, expected) in [
            ("a-$ARGOCD_APP_NAME.x", "a-web.x"),
            ("${ARGOCD_APP_NAME}s", "webs"),
            ("$$x$none$", "$x$"),
            ("costs $5", "costs "),
        ] {
            assert_eq!(expand(text, &variables).unwrap(), expected, "{text}");
        }
        assert!(expand("$ARGOCD_APP_REVISION_SHORT", &variables).is_err());
    }

    #[test]
    fn names_of_other_sources_are_not_expanded_as_variables() {
        let spec: ApplicationSpec = serde_json::from_value(json!({"sources": [
            {"repoURL": "a", "chart": "c", "helm": {
                "valueFiles": ["$values/x.yaml", "$values/$ARGOCD_APP_NAME/*.yaml", "$ARGOCD_APP_NAME.yaml"],
            }},
            {"repoURL": "b", "ref": "values"},
        ]}))
        .unwrap();
        let source = &spec.sources[0];
        let options = substitute_environment("web", &spec, source, source.helm.as_ref().unwrap()).unwrap();
        assert_eq!(options.value_files, ["$values/x.yaml", "$values/web/*.yaml", "web.yaml"]);
    }
}
