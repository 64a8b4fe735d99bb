//! Label selectors in the syntax of kubectl's `-l`.

use std::collections::BTreeSet;
use std::str::FromStr;

use kube::core::{Expression, Selector, SelectorExt as _};

use crate::failure::Failure;
use crate::model::metadata::Metadata;

/// A parsed label selector. The default selects everything.
#[derive(Debug, Clone, Default)]
pub struct LabelSelector(Selector);

impl LabelSelector {
    /// Returns true if it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.selects_all()
    }

    /// Returns true if an object's labels match.
    pub fn matches(&self, metadata: &Metadata) -> bool {
        self.is_empty() || self.0.matches(&metadata.labels.to_map())
    }
}

impl FromStr for LabelSelector {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let requirements = split_outside_parentheses(text);
        let expressions = requirements.into_iter().filter(|requirement| !requirement.is_empty()).map(expression);
        Ok(Self(expressions.collect::<Result<Vec<_>, _>>()?.into_iter().collect()))
    }
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    text.split(|character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}

fn expression(text: &str) -> Result<Expression, Failure> {
    let wrong = || format!("'{text}' is not a label selector such as app=web, tier!=cache or env in (prod,stage)");
    let key = |key: &str| {
        let key = key.trim();
        let (prefix, name) = key.rsplit_once('/').unwrap_or(("", key));
        let is_prefix = !prefix.contains('/') && prefix.len() <= 253 && (prefix.is_empty() || is_name(prefix));
        if name.is_empty() || !is_name(name) || !is_prefix { Err(wrong()) } else { Ok(key.to_owned()) }
    };
    let value = |value: &str| {
        let value = value.trim();
        if value.is_empty() || is_name(value) { Ok(value.to_owned()) } else { Err(wrong()) }
    };
    if let Some((left, values)) = text.split_once('(') {
        let values = values.strip_suffix(')').ok_or_else(wrong)?;
        let values = values.split(',').map(value).collect::<Result<BTreeSet<_>, _>>()?;
        let (name, operator) = left.trim().rsplit_once(char::is_whitespace).ok_or_else(wrong)?;
        return match operator {
            "in" => Ok(Expression::In(key(name)?, values)),
            "notin" => Ok(Expression::NotIn(key(name)?, values)),
            _ => Err(wrong().into()),
        };
    }
    if let Some((name, wanted)) = text.split_once("!=") {
        return Ok(Expression::NotEqual(key(name)?, value(wanted)?));
    }
    if let Some((name, wanted)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Ok(Expression::Equal(key(name)?, value(wanted)?));
    }
    match text.strip_prefix('!') {
        Some(name) => Ok(Expression::DoesNotExist(key(name)?)),
        None => Ok(Expression::Exists(key(text)?)),
    }
}

/// Returns true if a text is a valid label value or name of a label key: Kubernetes' `IsQualifiedName` and
/// `IsValidLabelValue`.
fn is_name(text: &str) -> bool {
    let inner = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let is_end = |character: Option<char>| character.is_some_and(|character| character.is_ascii_alphanumeric());
    text.len() <= 63 && text.chars().all(inner) && is_end(text.chars().next()) && is_end(text.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_as_kubectl_does() {
        let metadata =
            Metadata { labels: [("env", "prod"), ("app", "web")].into_iter().collect(), ..Metadata::default() };
        for (selector, expected) in [
            ("", true),
            ("env=prod", true),
            ("env==prod,app=web", true),
            ("env!=stage", true),
            ("tier!=cache", true),
            ("env in (stage, prod)", true),
            ("env notin (prod)", false),
            ("app", true),
            ("!app", false),
            ("!tier,env in (prod),app=web", true),
            ("env=stage", false),
        ] {
            assert_eq!(selector.parse::<LabelSelector>().unwrap().matches(&metadata), expected, "{selector}");
        }
        for wrong in [
            "env in prod",
            "=prod",
            "env in (a",
            "a b",
            "a=b=c",
            "a==b==c",
            "a!=b=c",
            "a=-b",
            "a=b c",
            "a/b/c=d",
            "a in (b=c)",
        ] {
            assert!(wrong.parse::<LabelSelector>().is_err(), "{wrong}");
        }
    }
}
