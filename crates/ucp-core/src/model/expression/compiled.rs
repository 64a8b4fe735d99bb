//! Expressions that are compiled once and evaluated for many requests.

use std::collections::HashMap;
use std::sync::Arc;

use cel::{Context, ExecutionError, Program, Value as CelValue};
use serde_json::Value;

use super::cost::{self, CostBound};
use super::language::{LANGUAGE, MOST_WORK, compile, to_cel};

/// The functions that are evaluated as an API server does. Operators have names that begin with no letter.
const FUNCTIONS: [&str; 22] = [
    "bool",
    "bytes",
    "contains",
    "double",
    "dyn",
    "endsWith",
    "first",
    "hasValue",
    "int",
    "last",
    "matches",
    "none",
    "of",
    "ofNonZeroValue",
    "or",
    "orValue",
    "size",
    "startsWith",
    "string",
    "type",
    "uint",
    "value",
];

/// The answer of an expression about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpressionAnswer {
    /// It is true.
    True,
    /// It is false.
    False,
    /// It fails, because it names this field, which does not exist.
    Missing(String),
    /// It depends on more than is known, is not evaluated here, or takes too long.
    Unknown,
}

/// An expression that is compiled once.
pub(crate) struct CompiledExpression<'e> {
    /// Its text.
    pub(crate) text: &'e str,
    program: Option<Program>,
    /// Whether the API server fails wherever it fails here.
    has_known_functions: bool,
}

impl<'e> CompiledExpression<'e> {
    /// Compiles an expression. It recurses: call it on a stack of its own.
    pub(crate) fn new(text: &'e str) -> Self {
        let program = compile(text).ok();
        let is_known = |name: &&str| !name.starts_with(|c: char| c.is_ascii_alphabetic()) || FUNCTIONS.contains(name);
        let has_known_functions =
            program.as_ref().is_some_and(|program| program.references().functions().iter().all(is_known));
        Self { text, program, has_known_functions }
    }

    /// Evaluates the expression. It recurses: call it on a stack of its own.
    pub(crate) fn answer(&self, scope: &ExpressionScope) -> ExpressionAnswer {
        match self.value(scope) {
            Ok(CelValue::Bool(true)) => ExpressionAnswer::True,
            Ok(CelValue::Bool(false)) => ExpressionAnswer::False,
            Ok(_) => ExpressionAnswer::Unknown,
            Err(answer) => answer,
        }
    }

    fn value(&self, scope: &ExpressionScope) -> Result<CelValue, ExpressionAnswer> {
        let program = self.program.as_ref().ok_or(ExpressionAnswer::Unknown)?;
        let is_doubtful = scope.has_unknown_variables && self.text.contains("variables");
        if is_doubtful || cost::bound(program.expression(), scope.size).work > MOST_WORK {
            return Err(ExpressionAnswer::Unknown);
        }
        match program.execute(&scope.context) {
            Ok(value) => Ok(value),
            Err(ExecutionError::NoSuchKey(name)) if self.has_known_functions => {
                Err(ExpressionAnswer::Missing(name.to_string()))
            }
            Err(_) => Err(ExpressionAnswer::Unknown),
        }
    }
}

/// The variables of expressions about one request.
pub(crate) struct ExpressionScope {
    context: Context<'static, 'static>,
    size: CostBound,
    composed: HashMap<String, CelValue>,
    /// True if the value of a composed variable is not known.
    has_unknown_variables: bool,
}

impl ExpressionScope {
    /// Creates a scope with variables. Those that are null are `null`.
    pub(crate) fn new<'v>(variables: impl Iterator<Item = (&'v str, &'v Value)>) -> Self {
        let mut context = Context::with_env(Arc::clone(&LANGUAGE));
        let variables: Vec<_> = variables.collect();
        let size = CostBound::of_objects(variables.iter().map(|(_, value)| *value));
        for (name, value) in variables {
            context.add_variable_from_value(name, to_cel(value));
        }
        Self { context, size, composed: HashMap::new(), has_unknown_variables: false }
    }

    /// Defines `variables.NAME`, which expressions can use from now on. The server evaluates it at its first use, so one
    /// that names a missing field makes only the expressions fail that use it.
    pub(crate) fn define(&mut self, name: &str, expression: &CompiledExpression<'_>) {
        match expression.value(self) {
            Ok(value) => {
                let program = expression.program.as_ref();
                let bound = program.map(|program| cost::bound(program.expression(), self.size)).unwrap_or_default();
                self.size = self.size.with(bound);
                self.composed.insert(name.to_owned(), value);
            }
            Err(ExpressionAnswer::Missing(_)) => {}
            Err(_) => self.define_unknown(),
        }
        self.context.add_variable_from_value("variables", self.composed.clone());
    }

    /// Defines a variable whose value is not known. The answers of all expressions that use variables are unknown then.
    pub(crate) fn define_unknown(&mut self) {
        self.has_unknown_variables = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::on_own_stack;
    use super::*;
    use serde_json::json;

    fn answer(expression: &str, variables: &[(&str, &str)]) -> ExpressionAnswer {
        let object = json!({
            "metadata": {"name": "web", "labels": {"team": "a"}},
            "spec": {"replicas": 3, "containers": [{"image": "a:1"}, {"image": "b"}]},
        });
        let old = Value::Null;
        on_own_stack(|| {
            let mut scope = ExpressionScope::new([("object", &object), ("oldObject", &old)].into_iter());
            for (name, text) in variables {
                scope.define(name, &CompiledExpression::new(text));
            }
            CompiledExpression::new(expression).answer(&scope)
        })
        .unwrap()
    }

    #[test]
    fn an_expression_is_true_false_or_fails_as_on_an_api_server() {
        let missing = |name: &str| ExpressionAnswer::Missing(name.to_owned());
        for (expression, expected) in [
            ("object.spec.replicas <= 3", ExpressionAnswer::True),
            ("object.spec.containers.all(c, c.image.contains(':'))", ExpressionAnswer::False),
            ("oldObject == null || object.spec.replicas >= oldObject.spec.replicas", ExpressionAnswer::True),
            ("object.metadata.labels.owner == 'a'", missing("owner")),
            ("object.metadata.labels['owner'] == 'a'", missing("owner")),
            ("has(object.metadata.labels.owner)", ExpressionAnswer::False),
            ("object.metadata.?annotations['x'].orValue('') == ''", ExpressionAnswer::True),
            // Either operand decides alone.
            ("object.spec.missing || true", ExpressionAnswer::True),
            ("authorizer.requestResource.check('get').allowed() || true", ExpressionAnswer::True),
            ("authorizer.requestResource.check('get').allowed() && false", ExpressionAnswer::False),
            ("quantity('1Gi').isGreaterThan(quantity('1Mi')) || object.spec.missing", ExpressionAnswer::Unknown),
            ("authorizer.requestResource.check('get').allowed()", ExpressionAnswer::Unknown),
            ("object.spec.replicas", ExpressionAnswer::Unknown),
            ("object.spec.", ExpressionAnswer::Unknown),
        ] {
            assert_eq!(answer(expression, &[]), expected, "{expression}");
        }
    }

    #[test]
    fn a_variable_fails_only_where_it_is_used() {
        let variables =
            [("images", "object.spec.containers.map(c, c.image)"), ("owner", "object.metadata.labels.owner")];
        let ask = |expression: &str| answer(expression, &variables);
        assert_eq!(ask("variables.images.size() == 2"), ExpressionAnswer::True);
        assert_eq!(ask("variables.images.exists(i, i == 'c')"), ExpressionAnswer::False);
        assert_eq!(ask("variables.owner == 'a'"), ExpressionAnswer::Missing("owner".to_owned()));
        let doubtful = [("limit", "quantity(object.spec.size)")];
        assert_eq!(answer("has(variables.limit)", &doubtful), ExpressionAnswer::Unknown);
        assert_eq!(answer("object.spec.replicas == 3", &doubtful), ExpressionAnswer::True);
    }

    #[test]
    fn variables_that_grow_are_not_evaluated_without_a_limit() {
        let texts: Vec<String> = (0..40)
            .map(|at| if at == 0 { "'x'".to_owned() } else { format!("variables.v{0} + variables.v{0}", at - 1) })
            .collect();
        let names: Vec<String> = (0..40).map(|at| format!("v{at}")).collect();
        let variables: Vec<(&str, &str)> =
            names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
        assert_eq!(answer("variables.v39.size() > 0", &variables), ExpressionAnswer::Unknown);
    }
}
