//! `--field-selector`: limited to the fields by which API servers select custom resources.

use std::str::FromStr;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::metadata::Metadata;

/// A parsed field selector. The default selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FieldSelector(Vec<FieldRequirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct FieldRequirement {
    field: SelectorField,
    is_equal: bool,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectorField {
    Name,
    Namespace,
}

impl FieldSelector {
    /// Returns true if an object matches.
    pub(super) fn matches(&self, metadata: &Metadata) -> bool {
        self.0.iter().all(|requirement| {
            let actual = match requirement.field {
                SelectorField::Name => metadata.name.as_str(),
                SelectorField::Namespace => metadata.namespace.as_deref().unwrap_or_default(),
            };
            (actual == requirement.value) == requirement.is_equal
        })
    }
}

impl FromStr for FieldSelector {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',').filter(|part| !part.trim().is_empty()).map(requirement).collect::<Result<_, _>>().map(Self)
    }
}

fn requirement(text: &str) -> Result<FieldRequirement, Failure> {
    let split = [("!=", false), ("==", true), ("=", true)]
        .into_iter()
        .find_map(|(operator, is_equal)| text.split_once(operator).map(|(field, value)| (field, is_equal, value)));
    let Some((field, is_equal, value)) = split else {
        return fail!("'{text}' is not a field selector such as metadata.name=NAME");
    };
    let field = match field.trim() {
        "metadata.name" => SelectorField::Name,
        "metadata.namespace" => SelectorField::Namespace,
        other => {
            return fail!("field label not supported: {other}; there are metadata.name and metadata.namespace");
        }
    };
    Ok(FieldRequirement { field, is_equal, value: value.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_as_an_api_server_does() {
        let metadata = Metadata { name: "a".into(), namespace: Some("n".into()), ..Metadata::default() };
        for (selector, expected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==a,metadata.namespace=n", true),
            ("metadata.name!=a", false),
            ("metadata.namespace!=m", true),
            ("metadata.name=", false),
        ] {
            assert_eq!(selector.parse::<FieldSelector>().unwrap().matches(&metadata), expected, "{selector}");
        }
        assert!(
            "spec.x=1".parse::<FieldSelector>().unwrap_err().as_str().contains("field label not supported: spec.x")
        );
        assert!("name".parse::<FieldSelector>().is_err());
    }
}
