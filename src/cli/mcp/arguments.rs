//! Converts the arguments of a tool call to words of a command line, based on the definition of the command. Their
//! names, types and descriptions are those of its flags.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use serde_json::{Map, Value, json};

use ucp_core::failure::{Failure, fail};

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentType {
    /// True or false.
    Switch,
    Text,
    Number,
    Texts,
}

fn argument_type(arg: &Arg) -> ArgumentType {
    let numbers = [TypeId::of::<u8>(), TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<usize>()];
    let several = arg.get_num_args().is_some_and(|range| range.max_values() > 1)
        || matches!(arg.get_action(), ArgAction::Append)
        || arg.get_value_delimiter().is_some();
    match arg.get_action() {
        ArgAction::SetTrue => ArgumentType::Switch,
        _ if several => ArgumentType::Texts,
        _ if numbers.iter().any(|number| arg.get_value_parser().type_id() == *number) => ArgumentType::Number,
        _ => ArgumentType::Text,
    }
}

/// Returns the name of an argument: the long flag with underscores.
pub(super) fn name(arg: &Arg) -> String {
    arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| long.replace('-', "_"))
}

/// Returns the JSON Schema of an argument.
pub(super) fn schema(arg: &Arg) -> Value {
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let text = match argument_type(arg) {
        ArgumentType::Text | ArgumentType::Texts if !values.is_empty() => json!({"type": "string", "enum": values}),
        _ => json!({"type": "string"}),
    };
    let mut schema = match argument_type(arg) {
        ArgumentType::Switch => json!({"type": "boolean"}),
        ArgumentType::Number => json!({"type": "integer"}),
        ArgumentType::Text => text,
        ArgumentType::Texts => json!({"type": "array", "items": text}),
    };
    // The first paragraph: every conversation begins with the list of all tools.
    let help = arg.get_help().or_else(|| arg.get_long_help()).map(ToString::to_string).unwrap_or_default();
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    schema["description"] = match (argument_type(arg), default.as_slice()) {
        (ArgumentType::Switch, _) | (_, []) => help,
        (_, default) => format!("{help} (default: {})", default.join(",")),
    }
    .into();
    schema
}

/// Returns the words of a command line for the arguments of a call: flags first, then positional arguments. A value
/// cannot be taken for a flag.
///
/// # Errors
/// Returns a message for the caller that describes the invalid argument.
pub(super) fn command_line_words(
    tool: &str,
    offered: &[Arg],
    given: &Map<String, Value>,
) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = given.keys().find(|key| !offered.iter().any(|arg| name(arg) == **key)) {
        let names: Vec<String> = offered.iter().map(name).collect();
        return fail!("{tool} has no argument '{unknown}'; it has: {}", names.join(", "));
    }
    let (mut flags, mut placed) = (Vec::new(), Vec::new());
    for arg in offered {
        let name = name(arg);
        for value in
            values(argument_type(arg), given.get(&name)).map_err(|wanted| format!("'{name}' must be {wanted}"))?
        {
            match (arg.get_long(), value) {
                (Some(long), None) => flags.push(format!("--{long}")),
                (Some(long), Some(value)) => flags.push(format!("--{long}={value}")),
                (None, value) => placed.extend(value),
            }
        }
    }
    if !placed.is_empty() {
        flags.push("--".to_owned());
    }
    Ok([flags, placed].concat())
}

/// Returns true for `null` and `""`, which models use for absent values.
pub(super) fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// Returns the values of an argument; a switch has one without text.
fn values(takes: ArgumentType, value: Option<&Value>) -> Result<Vec<Option<String>>, &'static str> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let wanted = match takes {
        ArgumentType::Switch => "true or false",
        ArgumentType::Text => "a string",
        ArgumentType::Number => "a number",
        ArgumentType::Texts => "an array of strings",
    };
    let Some(value) = value.filter(|value| !is_nothing(value)) else { return Ok(Vec::new()) };
    match (takes, value) {
        (ArgumentType::Switch, Value::Bool(is_on)) => Ok(if *is_on { vec![None] } else { Vec::new() }),
        (ArgumentType::Switch, _) => Err(wanted),
        (ArgumentType::Texts, Value::Array(values)) => {
            values.iter().filter(|value| !is_nothing(value)).map(|value| one(value).map(Some).ok_or(wanted)).collect()
        }
        (_, value) => one(value).map(|text| vec![Some(text)]).ok_or(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> Vec<Arg> {
        vec![
            Arg::new("kinds").num_args(0..).action(ArgAction::Append),
            Arg::new("only").long("only").value_delimiter(',').action(ArgAction::Append).help("Only these"),
            Arg::new("owner").long("owner-name").action(ArgAction::Set),
            Arg::new("any").long("any").action(ArgAction::SetTrue),
            Arg::new("depth").long("depth").value_parser(clap::value_parser!(u16)).default_value("3"),
        ]
    }

    fn words_of(given: Value) -> Result<Vec<String>, Failure> {
        command_line_words("resources", &arguments(), given.as_object().unwrap())
    }

    #[test]
    fn values_never_become_flags() {
        let given = json!({
            "kinds": ["--from=/etc", "-n"], "only": ["Failed", "--context=other"], "owner_name": "--kubeconfig=x",
            "any": true, "depth": 2,
        });
        let expected = [
            "--only=Failed",
            "--only=--context=other",
            "--owner-name=--kubeconfig=x",
            "--any",
            "--depth=2",
            "--",
            "--from=/etc",
            "-n",
        ];
        assert_eq!(words_of(given).unwrap(), expected);
    }

    #[test]
    fn empty_arguments_are_omitted_and_a_string_may_be_a_list() {
        let none: [&str; 0] = [];
        assert_eq!(words_of(json!({"kinds": [], "only": null, "owner_name": "", "any": false})).unwrap(), none);
        assert_eq!(words_of(json!({"kinds": "bucket"})).unwrap(), ["--", "bucket"]);
    }

    #[test]
    fn invalid_arguments_are_reported() {
        let names = "kinds, only, owner_name, any, depth";
        let wrong = [
            (json!({"context": "other"}), format!("resources has no argument 'context'; it has: {names}")),
            (json!({"any": "yes"}), "'any' must be true or false".to_owned()),
            (json!({"kinds": [{}]}), "'kinds' must be an array of strings".to_owned()),
            (json!({"owner_name": []}), "'owner_name' must be a string".to_owned()),
        ];
        for (given, message) in wrong {
            assert_eq!(words_of(given), Err(message.into()));
        }
    }

    #[test]
    fn schemas_have_the_type_and_the_help_of_their_argument() {
        let schemas: Vec<Value> = arguments().iter().map(schema).collect();
        let expected = json!({"type": "array", "items": {"type": "string"}, "description": "Only these"});
        assert_eq!(schemas[1], expected);
        assert_eq!(schemas[3]["type"], "boolean");
        assert_eq!(schemas[4], json!({"type": "integer", "description": " (default: 3)"}));
    }
}
