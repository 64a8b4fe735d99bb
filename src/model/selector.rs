//! Label selectors as kubectl's `-l` takes them.

use std::collections::BTreeSet;
use std::str::FromStr;

use kube::core::{Expression, Selector, SelectorExt as _};

use crate::model::metadata::Metadata;

/// A parsed label selector. The default selects everything.
#[derive(Debug, Clone, Default)]
pub struct LabelSelector(Selector);

impl LabelSelector {
    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.selects_all()
    }

    /// Whether an object's labels fit.
    pub fn matches(&self, metadata: &Metadata) -> bool {
        self.0.matches(&metadata.labels)
    }
}

impl FromStr for LabelSelector {
    type Err = String;

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

fn expression(text: &str) -> Result<Expression, String> {
    let wrong = || format!("'{text}' is not a label selector such as app=web, tier!=cache or env in (prod,stage)");
    let key = |key: &str| {
        let key = key.trim();
        let valid = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
        if key.is_empty() || !key.chars().all(valid) { Err(wrong()) } else { Ok(key.to_owned()) }
    };
    if let Some((left, values)) = text.split_once('(') {
        let values = values.strip_suffix(')').ok_or_else(wrong)?;
        let values: BTreeSet<_> = values.split(',').map(|value| value.trim().to_owned()).collect();
        let (name, operator) = left.trim().rsplit_once(char::is_whitespace).ok_or_else(wrong)?;
        return match operator {
            "in" => Ok(Expression::In(key(name)?, values)),
            "notin" => Ok(Expression::NotIn(key(name)?, values)),
            _ => Err(wrong()),
        };
    }
    if let Some((name, value)) = text.split_once("!=") {
        return Ok(Expression::NotEqual(key(name)?, value.trim().to_owned()));
    }
    if let Some((name, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Ok(Expression::Equal(key(name)?, value.trim().to_owned()));
    }
    match text.strip_prefix('!') {
        Some(name) => Ok(Expression::DoesNotExist(key(name)?)),
        None => Ok(Expression::Exists(key(text)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_as_kubectl_does() {
        let metadata = Metadata {
            labels: [("env", "prod"), ("app", "web")].map(|(key, value)| (key.into(), value.into())).into(),
            ..Metadata::default()
        };
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
        for wrong in ["env in prod", "=prod", "env in (a", "a b"] {
            assert!(wrong.parse::<LabelSelector>().is_err(), "{wrong}");
        }
    }
}
