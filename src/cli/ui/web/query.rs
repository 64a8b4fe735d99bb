//! The query of a page: the object whose tree is shown. Only names that an API server accepts pass.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;

/// The longest name of an object.
const LONGEST: usize = 253;

/// An object in one of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeQuery {
    /// The position of the source.
    pub(super) source: Option<usize>,
    pub(super) object: ObjectName,
}

impl TreeQuery {
    /// Reads a query string.
    ///
    /// # Errors
    /// Returns the reason why it names no object.
    pub(super) fn parse(query: &str) -> Result<Self, Failure> {
        let field = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let value = pairs.find(|(known, _)| *known == name)?.1;
            Some(percent_decode_str(value).decode_utf8())
        };
        let text = |name: &str, is_valid: fn(&str) -> bool| match field(name) {
            None => Ok(None),
            Some(Ok(value)) if is_valid(&value) => Ok(Some(Cow::into_owned(value))),
            Some(_) => fail!("this {name} is not one that an API server accepts"),
        };
        let required = |name: &str, value: Option<String>| value.ok_or_else(|| format!("the address names no {name}"));
        let kind = required("kind", text("kind", is_kind)?)?;
        let name = required("name", text("name", is_name)?)?;
        let namespace = text("namespace", is_label)?;
        let source = text("source", |value| value.parse::<u16>().is_ok())?;
        let (kind, api_version) = match kind.split_once('.') {
            Some((kind, group)) => (kind.to_owned(), format!("{group}/")),
            None => (kind, "v1".to_owned()),
        };
        Ok(Self {
            source: source.and_then(|source| source.parse().ok()),
            object: ObjectName { api_version, kind, namespace, name },
        })
    }
}

/// Returns true for a DNS label.
fn is_label(text: &str) -> bool {
    let is_inner = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Returns true for a kind in lower case, with or without its group.
fn is_kind(text: &str) -> bool {
    text.len() <= LONGEST && text.split('.').all(is_label)
}

/// Returns true for names of objects. Those of roles may contain colons.
fn is_name(text: &str) -> bool {
    let is_inner = |letter: u8| letter.is_ascii_alphanumeric() || b"-._:".contains(&letter);
    let is_end = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.len() <= LONGEST && text.bytes().all(is_inner) && is_end(text.chars().next()) && is_end(text.chars().last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_an_object_by_kind_group_namespace_and_name() {
        let query =
            TreeQuery::parse("source=1&kind=bucket%2Es3%2Eaws%2Eupbound%2Eio&namespace=team%2Da&name=a%2Eb").unwrap();
        assert_eq!(query.source, Some(1));
        assert_eq!(query.object.kind_and_name(), "bucket.s3.aws.upbound.io/a.b");
        assert_eq!(query.object.namespace.as_deref(), Some("team-a"));
        let role = TreeQuery::parse("kind=clusterrole.rbac.authorization.k8s.io&name=system%3Anode").unwrap();
        assert_eq!((role.source, role.object.name.as_str()), (None, "system:node"));
        assert_eq!(TreeQuery::parse("kind=pod&name=a").unwrap().object.kind_and_name(), "pod/a");
    }

    #[test]
    fn nothing_else_becomes_a_part_of_a_request() {
        for query in [
            "",
            "kind=pod",
            "name=a",
            "kind=pod&name=",
            "kind=pod&name=..",
            "kind=pod&name=a%2F..%2Fsecrets",
            "kind=pod&name=a%2Cmetadata.namespace%3Db",
            "kind=pod&name=a%3Fwatch",
            "kind=pod&name=a%00",
            "kind=pod&name=%FF",
            "kind=pod&name=a%20b",
            "kind=pod&name=a&namespace=..",
            "kind=pod&name=a&namespace=A",
            "kind=pod&name=a&namespace=",
            "kind=--kubeconfig%3Dx&name=a",
            "kind=-n&name=a",
            "kind=pod/log&name=a",
            "kind=Pod&name=a",
            "kind=pod..x&name=a",
            "kind=pod&name=a&source=-1",
            "kind=pod&name=a&source=99999999999",
        ] {
            assert!(TreeQuery::parse(query).is_err(), "{query}");
        }
        assert!(TreeQuery::parse(&format!("kind=pod&name={}", "a".repeat(254))).is_err());
    }
}
