//! Values that are evidently no secrets.

/// Returns true if a value is evidently harmless: a switch, a number, a duration, or a reference to a variable.
pub fn is_innocuous(value: &str) -> bool {
    let number = value.trim_start_matches(['-', '+']).trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = value.len() <= 12
        && number.len() < value.len()
        && number.len() <= 2
        && number.chars().all(|c| c.is_ascii_alphabetic() || c == '%');
    let is_duration = value.len() <= 12
        && value.starts_with(|c: char| c.is_ascii_digit())
        && value.chars().all(|c| c.is_ascii_digit() || "dhmsun.".contains(c));
    let is_variable = value
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'))
        .is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    let lower = value.to_ascii_lowercase();
    const SETTINGS: [&str; 22] = [
        "", "true", "false", "yes", "no", "on", "off", "none", "enabled", "disabled", "debug", "info", "warn",
        "warning", "error", "fatal", "trace", "json", "text", "tcp", "http", "https",
    ];
    is_number || is_duration || is_variable || SETTINGS.contains(&lower.as_str())
}
