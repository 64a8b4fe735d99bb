//! Literal values in texts that are no YAML until they are rendered, such as Go templates of Compositions: they are found
//! line by line.

use super::hider::LiteralHider;
use super::{LiteralPlace, is_annotations, is_arguments, is_kept_annotation, is_named_values};
use ucp_core::model::secrecy::is_innocuous;

/// A place of values, until a line with no more indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplatePlace {
    Values,
    Arguments,
    Annotations,
    ConfigMap,
}

impl LiteralHider<'_> {
    /// Hides the literal values in a template, and returns their number.
    pub(super) fn template(&self, text: &str) -> (String, usize) {
        let (mut shown, mut hidden) = (String::with_capacity(text.len()), 0);
        let mut place: Option<(usize, TemplatePlace)> = None;
        let mut in_config_map = false;
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            let indent = line.len() - line.trim_start().len();
            let is_item = content.starts_with("- ");
            let ends = |(start, _): &(usize, TemplatePlace)| indent < *start || indent == *start && !is_item;
            if !content.is_empty() && !content.starts_with("{{") && place.as_ref().is_some_and(ends) {
                place = None;
            }
            if content == "---" || content.starts_with("apiVersion:") {
                in_config_map = false;
            }
            in_config_map |= matches!(content, "kind: ConfigMap" | "kind: \"ConfigMap\"");
            let value = place.and_then(|(_, place)| self.value_of_line(content, place));
            match value {
                Some(value) if !value.is_empty() => {
                    shown.push_str(&line.replacen(value, &self.placeholders.placeholder(value), 1));
                    hidden += 1;
                }
                _ => shown.push_str(line),
            }
            if place.is_none() {
                place = place_of_line(content, in_config_map).map(|place| (indent, place));
            }
        }
        (shown, hidden)
    }

    /// Returns the value in a line to hide.
    fn value_of_line<'t>(&self, content: &'t str, place: TemplatePlace) -> Option<&'t str> {
        let item = content.strip_prefix("- ").map(str::trim_start);
        let content = item.unwrap_or(content);
        let entry = content.split_once(": ").or_else(|| content.split_once('=').filter(|_| item.is_some()));
        let (name, value) = match (entry, place) {
            (_, TemplatePlace::Arguments) => match content.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, value),
                _ if content.starts_with("--") => return None,
                _ => ("", content),
            },
            (Some((name, value)), _) => (name, value),
            // The rest of a block.
            (None, _) => ("", content),
        };
        let bare = name.trim_matches(['"', '\'']);
        let unquoted = value.trim().trim_matches(['"', '\'']);
        let is_rendered = unquoted.starts_with("{{") && unquoted.ends_with("}}");
        let is_kept = match place {
            TemplatePlace::Annotations => is_kept_annotation(bare, unquoted, self.exceptions),
            TemplatePlace::Arguments => self.exceptions.keep(LiteralPlace::Argument, bare.trim_start_matches('-')),
            TemplatePlace::Values => {
                matches!(bare, "name" | "key" | "fieldPath" | "apiVersion" | "optional" | "resource" | "valueFrom")
                    || self.exceptions.keep(LiteralPlace::Environment, bare)
            }
            TemplatePlace::ConfigMap => self.exceptions.keep(LiteralPlace::ConfigMap, "/"),
        };
        let is_structure = unquoted.is_empty() || content.ends_with(':') || content.starts_with("{{");
        (!is_kept && !is_rendered && !is_structure && !is_innocuous(unquoted)).then_some(unquoted)
    }
}

/// Returns the place that a line begins: `env:`, `args:`, `annotations:`, or `data:` of a ConfigMap.
fn place_of_line(content: &str, in_config_map: bool) -> Option<TemplatePlace> {
    let name = content.strip_suffix(':')?.trim_start_matches("- ").trim_matches(['"', '\'']);
    match name {
        "data" | "binaryData" if in_config_map => Some(TemplatePlace::ConfigMap),
        name if is_annotations(name) => Some(TemplatePlace::Annotations),
        name if is_arguments(name) => Some(TemplatePlace::Arguments),
        name if is_named_values(name) => Some(TemplatePlace::Values),
        _ => None,
    }
}
