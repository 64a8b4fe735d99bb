//! Deleting fields by a `jq` expression, as Argo CD's `jqPathExpressions` do.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};
use serde::Deserialize;
use serde_json::Value;

/// The object without what the expression finds in it, as `del(EXPRESSION)` has it.
///
/// # Errors
/// When the expression is none, or does not fit the object.
pub fn delete(object: &Value, expression: &str) -> Result<Value, String> {
    // What jq's `del` does. jaq's own leaves a null where `?` found nothing.
    let code = format!("[path({expression})]");
    let arena = Arena::default();
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let modules = Loader::new(definitions)
        .load(&arena, File { code: code.as_str(), path: () })
        .map_err(|_| format!("'{expression}' is no jq expression"))?;
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let filter = Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|_| format!("'{expression}' calls something that jq does not have"))?;
    let input = read::parse_single(object.to_string().as_bytes()).map_err(|error| error.to_string())?;
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    let output = filter.id.run((context, input)).map(unwrap_valr).next();
    let output = output.ok_or_else(|| format!("'{expression}' gives nothing"))?;
    let output = output.map_err(|error| format!("'{expression}' does not fit: {error}"))?;
    let mut paths: Vec<Vec<Step>> =
        serde_json::from_str(&output.to_string()).map_err(|_| format!("'{expression}' finds no fields"))?;
    // The last first, so that places in lists stay what they are.
    paths.sort_unstable();
    let mut rest = object.clone();
    for path in paths.iter().rev() {
        remove(&mut rest, path);
    }
    Ok(rest)
}

/// A step of a path, as jq writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
enum Step {
    Index(usize),
    Name(String),
}

fn remove(value: &mut Value, path: &[Step]) {
    match (path, value) {
        ([Step::Name(name)], Value::Object(fields)) => drop(fields.remove(name)),
        ([Step::Index(index)], Value::Array(items)) if *index < items.len() => drop(items.remove(*index)),
        ([Step::Name(name), rest @ ..], Value::Object(fields)) => {
            if let Some(child) = fields.get_mut(name) {
                remove(child, rest);
            }
        }
        ([Step::Index(index), rest @ ..], Value::Array(items)) => {
            if let Some(child) = items.get_mut(*index) {
                remove(child, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn deletes_what_argo_cds_documentation_deletes() {
        let object = json!({"spec": {
            "replicas": 3,
            "template": {"spec": {"initContainers": [{"name": "injected"}, {"name": "mine"}]}},
            "webhooks": [{"clientConfig": {"caBundle": "x", "url": "y"}}],
        }});
        let gone = |expression| delete(&object, expression).unwrap();
        assert_eq!(
            gone(".spec.template.spec.initContainers[] | select(.name == \"injected\")")["spec"]["template"]["spec"],
            json!({"initContainers": [{"name": "mine"}]})
        );
        assert_eq!(
            gone(".spec.webhooks[]?.clientConfig.caBundle")["spec"]["webhooks"][0]["clientConfig"],
            json!({"url": "y"})
        );
        assert_eq!(gone(".spec.none[]?"), object);
        let first = gone(".spec.template.spec.initContainers[0, 1] | select(.name | test(\"^i\"))");
        assert_eq!(first["spec"]["template"]["spec"]["initContainers"], json!([{"name": "mine"}]));
    }

    #[test]
    fn a_bad_expression_is_told() {
        assert!(delete(&json!({}), "][").unwrap_err().contains("no jq expression"));
        assert!(delete(&json!({}), "nosuch").unwrap_err().contains("does not have"));
    }
}
