//! The automatic merge of a pull request, as a forge reports it.

use serde_json::Value;

/// The automatic merge of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeSchedule {
    /// Whether it is scheduled.
    pub state: ScheduleState,
    /// The method of the merge that the repository allows, as the forge names it; absent if it is not known.
    pub method: Option<String>,
}

/// Whether the merge of a pull request is scheduled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScheduleState {
    /// It is not known.
    #[default]
    Unknown,
    /// It is scheduled.
    Scheduled,
    /// It is not scheduled.
    Unscheduled,
    /// It is not scheduled, and cannot be yet, because the forge still examines the pull request.
    Examined,
}

impl ScheduleState {
    /// Returns the state by a field that is null unless a merge is scheduled.
    pub(super) fn of_field(field: Option<&Value>) -> Self {
        match field {
            None => Self::Unknown,
            Some(Value::Null) => Self::Unscheduled,
            Some(_) => Self::Scheduled,
        }
    }
}

/// Returns the preferred method if it is allowed, or the first one that is. `allowed` are the fields of a repository that allow a
/// method.
pub(super) fn allowed_method(
    repository: &Value,
    preferred: Option<String>,
    allowed: &[(&str, &str)],
) -> Option<String> {
    let is_allowed = |field: &str| repository.get(field).and_then(Value::as_bool) == Some(true);
    let methods = allowed.iter().filter(|(field, _)| is_allowed(field)).map(|(_, method)| (*method).to_owned());
    let methods: Vec<String> = methods.collect();
    preferred.filter(|name| methods.contains(name)).or_else(|| methods.into_iter().next())
}
