//! The nearest name to a mistyped one.

/// How alike two names must be, as the share of their characters that agree in order. Codes differ in three digits only,
/// so that less would take any of them for any other.
const ALIKE: f32 = 0.7;

/// The name that was meant, if any is like it.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<(String, &str)> = known.into_iter().map(|name| (name.to_lowercase(), name)).collect();
    let lower: Vec<&str> = known.iter().map(|(lower, _)| lower.as_str()).collect();
    let typed = typed.to_lowercase();
    let found = similar::get_close_matches(typed.as_str(), &lower, 1, ALIKE);
    known.iter().find(|(lower, _)| found.first() == Some(&lower.as_str())).map(|(_, name)| *name)
}

/// `; did you mean 'status'?`, or nothing.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_found_where_one_is_near() {
        assert_eq!(nearest("UCP1110", ["UCP101", "UCP110", "UCP210"]), Some("UCP110"));
        assert_eq!(nearest("Nodepol", ["cluster", "nodepool"]), Some("nodepool"));
        assert_eq!(nearest("UCP999", ["UCP101", "UCP209"]), None);
        assert_eq!(nearest("x", ["cluster", "nodepool"]), None);
        assert_eq!(did_you_mean("jsno", ["json", "yaml"]), "; did you mean 'json'?");
    }
}
