//! Templates of ApplicationSets: Go templates, rendered by `helm template` with a chart of our own, and `{{name}}`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::manifests::generator_budget::GeneratorBudget;
use crate::manifests::reach::RenderError;
use crate::manifests::renderer::{ManifestRenderer, private_directory};

/// What helm prints for a missing key.
const NO_VALUE: &str = "<no value>";
/// `normalize` of Argo CD (`SanitizeName`), as a template that can be piped into.
const NORMALIZE: &str = r#"{{- define "ucp.normalize" -}}{{ regexReplaceAll "[^-a-z0-9.]" (. | toString | lower) "-" | trunc 253 | trimAll "-." }}{{- end -}}"#;

/// The template language of an ApplicationSet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateLanguage {
    /// `{{name}}`: only strings, and unknown names remain.
    Names,
    /// Go templates with the functions of sprig.
    Go {
        /// True if a missing key is an error.
        fails_on_missing_keys: bool,
    },
}

/// A text with the parameters for it.
#[derive(Debug, Clone)]
pub struct TemplateTask<'a> {
    /// The text.
    pub text: String,
    /// The parameters.
    pub parameters: &'a Value,
}

impl TemplateLanguage {
    /// Renders texts, in their order.
    ///
    /// # Errors
    /// Fails when a template fails, or when its result would differ from the one of Argo CD.
    pub async fn render(
        self,
        renderer: ManifestRenderer,
        tasks: &[TemplateTask<'_>],
        budget: &GeneratorBudget,
    ) -> Result<Vec<String>, RenderError> {
        match self {
            Self::Names => tasks.iter().map(|task| replace_names(&task.text, task.parameters, budget)).collect(),
            Self::Go { fails_on_missing_keys } => {
                let mut results: Vec<String> = tasks.iter().map(|task| task.text.clone()).collect();
                let templated: Vec<usize> = (0..tasks.len()).filter(|at| tasks[*at].text.contains("{{")).collect();
                if fails_on_missing_keys {
                    for task in templated.iter().map(|at| &tasks[*at]) {
                        if let Some(key) = missing_key(&task.text, task.parameters) {
                            return Err(RenderError::Broken(format!(
                                "its template uses {key}, which is missing in a parameter set (missingkey=error)"
                            )));
                        }
                    }
                }
                for (at, text) in templated.iter().zip(render_with_helm(renderer, tasks, &templated).await?) {
                    if fails_on_missing_keys && text.contains(NO_VALUE) {
                        return Err(RenderError::Broken(
                            "its template uses a missing key (missingkey=error)".to_owned(),
                        ));
                    }
                    budget.add_bytes(text.len())?;
                    results[*at] = text;
                }
                Ok(results)
            }
        }
    }

    /// Returns true if all keys of a text are in the parameters, as far as its text shows.
    pub fn has_all_keys(self, text: &str, parameters: &Value) -> bool {
        matches!(self, Self::Names) || missing_key(text, parameters).is_none()
    }
}

/// Renders the templates at some positions of the tasks.
async fn render_with_helm(
    renderer: ManifestRenderer,
    tasks: &[TemplateTask<'_>],
    templated: &[usize],
) -> Result<Vec<String>, RenderError> {
    if templated.is_empty() {
        return Ok(Vec::new());
    }
    let home = private_directory()?;
    let broken = |error: std::io::Error| RenderError::Broken(error.to_string());
    let (mut templates, mut output) = (NORMALIZE.to_owned(), String::new());
    let mut parameters: Vec<&Value> = Vec::new();
    for (number, task) in templated.iter().map(|at| &tasks[*at]).enumerate() {
        let known = parameters.iter().rposition(|known| std::ptr::eq(*known, task.parameters));
        let set = known.unwrap_or_else(|| {
            parameters.push(task.parameters);
            parameters.len() - 1
        });
        let _ = write!(templates, "{{{{ define \"t{number}\" }}}}{}{{{{ end }}}}", with_known_functions(&task.text)?);
        let _ = writeln!(output, "{{{{ include \"t{number}\" (index .Values.sets {set}) | toJson }}}}");
    }
    let chart = home.path().join("chart");
    std::fs::create_dir_all(chart.join("templates")).map_err(broken)?;
    let write = |file: &Path, text: &str| std::fs::write(file, text).map_err(broken);
    write(&chart.join("Chart.yaml"), "apiVersion: v2\nname: templates\nversion: 0.0.0\n")?;
    write(&chart.join("values.yaml"), &json!({ "sets": parameters }).to_string())?;
    // Each result is a string in JSON, on a line of its own, of one YAML document.
    write(&chart.join("templates/_texts.tpl"), &templates)?;
    write(
        &chart.join("templates/results.yaml"),
        &format!(
            "{{{{- define \"results\" }}}}{output}{{{{ end -}}}}\nresults: {{{{ include \"results\" . | toJson }}}}\n"
        ),
    )?;
    let rendered = renderer.run(&home, Command::new("helm").arg("template").arg("--").arg("x").arg(&chart)).await;
    let rendered = rendered.map_err(|error| match error {
        RenderError::Broken(text) => RenderError::Broken(format!("its template fails: {}", last_line(&text))),
        unsupported => unsupported,
    })?;
    let text = String::from_utf8_lossy(&rendered).into_owned();
    let malformed = || RenderError::Broken("the results of its templates cannot be read".to_owned());
    let results = text.lines().find_map(|line| line.strip_prefix("results: ")).ok_or_else(malformed)?;
    let lines: String = serde_json::from_str(results).map_err(|_| malformed())?;
    let texts: Vec<String> =
        lines.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|_| malformed())?;
    if texts.len() == templated.len() { Ok(texts) } else { Err(malformed()) }
}

/// Replaces functions of Argo CD that helm does not have.
fn with_known_functions(text: &str) -> Result<String, RenderError> {
    let (mut rest, mut result, mut depth) = (text, String::with_capacity(text.len()), 0_usize);
    while let Some((before, behind)) = rest.split_once("{{") {
        let Some((action, after)) = next_action(behind) else {
            return Err(RenderError::Broken("its template has an unclosed action".to_owned()));
        };
        let words = split_words(action);
        depth = match first_word(&words) {
            "if" | "range" | "with" => Some(depth + 1),
            "end" => depth.checked_sub(1),
            _ => Some(depth),
        }
        .ok_or_else(|| RenderError::Broken("its template has an 'end' too many".to_owned()))?;
        // A template cannot reach the ones around it, or files.
        let other = [
            "define",
            "end-of-template",
            "slugify",
            "include",
            "template",
            "block",
            "tpl",
            "lookup",
            "env",
            "expandenv",
            "getHostByName",
        ];
        if let Some(word) = words.iter().find(|word| other.contains(word)) {
            return Err(RenderError::Unsupported(format!("its template uses '{word}'")));
        }
        result.push_str(before);
        result.push_str("{{");
        result.push_str(
            &words
                .iter()
                .map(|word| if *word == "normalize" { "include \"ucp.normalize\"" } else { word })
                .collect::<String>(),
        );
        result.push_str("}}");
        rest = after;
    }
    result.push_str(rest);
    Ok(result)
}

/// Returns the action at the beginning of a text behind `{{`, and the text behind its `}}`; `None` if it does not end. As in
/// Go, string literals and comments may contain braces.
pub(super) fn next_action(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.strip_prefix('-').unwrap_or(text).trim_start();
    let mut at = text.len() - trimmed.len();
    if let Some(comment) = trimmed.strip_prefix("/*") {
        at += 2 + comment.find("*/")?;
    }
    while let Some(first) = text.get(at..)?.chars().next() {
        let rest = &text[at..];
        if let Some(after) = rest.strip_prefix("}}") {
            return Some((&text[..at], after));
        }
        at += literal_end(rest).unwrap_or(first.len_utf8());
    }
    None
}

fn first_word<'a>(words: &[&'a str]) -> &'a str {
    words.iter().find(|word| !word.trim().is_empty() && **word != "-").copied().unwrap_or_default()
}

/// Returns the length of the literal at the beginning of a text: a string, a raw string, or a character.
fn literal_end(text: &str) -> Option<usize> {
    match text.chars().next()? {
        '`' => Some(text[1..].find('`').map_or(text.len(), |at| at + 2)),
        quote @ ('"' | '\'') => Some(quoted_end(text, quote)),
        _ => None,
    }
}

/// Splits an action into identifiers with their dots, string literals, and everything between, without loss.
fn split_words(action: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = action;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$');
        let word = || rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        let end = literal_end(rest).unwrap_or_else(|| if is_word(first) { word() } else { first.len_utf8() });
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

fn quoted_end(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\\' if !escaped => escaped = true,
            letter if letter == quote && !escaped => return at + 1,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Returns a key of a Go template that is missing in its parameters. Inside of `range` and `with`, keys are those of
/// other objects, and are not checked.
fn missing_key(text: &str, parameters: &Value) -> Option<String> {
    let mut rest = text;
    let mut depth = 0_usize;
    let mut blocks: Vec<bool> = Vec::new();
    while let Some((_, behind)) = rest.split_once("{{") {
        let (action, after) = next_action(behind).unwrap_or((behind, ""));
        let words = split_words(action);
        let first = first_word(&words);
        if depth == 0 {
            let chains =
                words.iter().filter(|word| word.len() > 1 && (word.starts_with('.') || word.starts_with("$.")));
            for chain in chains {
                let mut keys = chain.trim_start_matches('$').trim_start_matches('.').split('.');
                let found = keys.try_fold(parameters, |value, key| value.get(key));
                if found.is_none() && !chain.trim_start_matches('.').starts_with(|letter: char| letter.is_ascii_digit())
                {
                    return Some((*chain).to_owned());
                }
            }
        }
        match first {
            "range" | "with" => {
                blocks.push(true);
                depth += 1;
            }
            "if" => blocks.push(false),
            "end" => depth -= usize::from(blocks.pop() == Some(true)),
            _ => {}
        }
        rest = after;
    }
    None
}

/// Replaces `{{name}}` by the parameters that are strings.
fn replace_names(text: &str, parameters: &Value, budget: &GeneratorBudget) -> Result<String, RenderError> {
    let (mut rest, mut result) = (text, String::with_capacity(text.len()));
    while let Some((before, behind)) = rest.split_once("{{") {
        let Some((tag, after)) = behind.split_once("}}") else { break };
        result.push_str(before);
        match parameters.get(tag.trim()).and_then(Value::as_str).filter(|_| !tag.trim().is_empty()) {
            Some(value) => {
                budget.add_bytes(value.len())?;
                result.push_str(value);
            }
            None => {
                let _ = write!(result, "{{{{{tag}}}}}");
            }
        }
        rest = after;
    }
    Ok(result + rest)
}

fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_others_remain() {
        let parameters = json!({"name": "a", "path.basename": "b", "number": 1});
        let budget = GeneratorBudget::new(std::time::Duration::from_secs(60));
        let replaced = |text: &str| replace_names(text, &parameters, &budget).unwrap();
        assert_eq!(replaced("{{name}}-{{ path.basename }}-{{number}}-{{none}}-{{}}"), "a-b-{{number}}-{{none}}-{{}}");
        assert_eq!(replaced("{{name"), "{{name");
    }

    #[test]
    fn missing_keys_are_found_where_they_are_read() {
        let parameters = json!({"a": {"b": 1}, "list": [{"x": 1}]});
        let missing = |text: &str| missing_key(text, &parameters);
        assert_eq!(missing("{{ .a.b }}{{ .a }}{{ $.a }}{{ 1.5 }}{{ \".c\" }}{{ . }}"), None);
        assert_eq!(missing("{{ .c | default \"x\" }}"), Some(".c".to_owned()));
        assert_eq!(missing("{{ if .a.c }}{{ end }}"), Some(".a.c".to_owned()));
        assert_eq!(missing("{{ range .list }}{{ .x }}{{ end }}"), None);
        assert_eq!(missing("{{ range .list }}{{ end }}{{ .x }}"), Some(".x".to_owned()));
    }

    #[test]
    fn functions_that_differ_are_replaced_or_refused() {
        assert_eq!(with_known_functions("{{ .a | normalize }}").unwrap(), "{{ .a | include \"ucp.normalize\" }}");
        assert_eq!(with_known_functions("{{ \"normalize\" }}").unwrap(), "{{ \"normalize\" }}");
        assert!(
            with_known_functions("{{ slugify .a }}").is_err()
                && with_known_functions("{{ include \"t0\" . }}").is_err()
        );
        assert!(with_known_functions("{{ end").is_err());
        for hidden in [
            "{{ \"}}\" | lookup }}",
            "{{ `}}` | lookup }}",
            "{{ '}' | print \"}}\" | lookup }}",
            "{{ '\"' | lookup '\"' }}",
            "{{- /* \" }} */ -}}{{ lookup }}",
            "{{/*/ }} */}}{{ lookup }}",
            "{{ \"\\\"}}\" | env }}",
            "a{{ end }}b{{ if true }}",
            "{{ if true }}{{ end }}{{- end }}",
        ] {
            assert!(with_known_functions(hidden).is_err(), "{hidden}");
        }
        for fine in ["{{ \"}}\" }}", "{{ if .a }}{{ '}' }}{{ else }}b{{ end }}", "{{/* }} */}}", "a }} b"] {
            assert_eq!(with_known_functions(fine).unwrap(), fine);
        }
    }
}
