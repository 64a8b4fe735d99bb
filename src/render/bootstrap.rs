//! Renders a `BootstrapPlan` wave by wave, with missing objects first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::bootstrap::BootstrapPlan;
use crate::ui::{style as look, styled};
use ucp_core::model::text::one_line;
use ucp_features::bootstrap::{BootstrapAction, BootstrapStep, Wave};

/// The indentation of lines below an action.
const INDENT: &str = "          ";
/// The maximum number of objects of one wave and action that are named; above it, only their kinds are counted.
const NAMED: usize = 12;

impl BootstrapPlan {
    fn waves(&self) -> BTreeMap<Wave, Vec<&BootstrapStep>> {
        let mut waves: BTreeMap<Wave, Vec<&BootstrapStep>> = BTreeMap::new();
        for step in &self.steps {
            waves.entry(step.wave).or_default().push(step);
        }
        waves
    }

    fn summary(&self) -> String {
        let told = self.counts.iter().map(|(action, number)| counted(*action, *number)).collect::<Vec<_>>();
        match told.as_slice() {
            [] => "Nothing to do: the repository declares nothing for this cluster.".to_owned(),
            told => format!("{}.", told.join(", ")),
        }
    }
}

fn counted(action: BootstrapAction, number: usize) -> String {
    match action {
        BootstrapAction::Create => format!("{number} to create"),
        BootstrapAction::Update => format!("{number} to update"),
        BootstrapAction::Ask => format!("{} to ask for", words::count(number, "Secrets")),
        BootstrapAction::Wait => format!("{number} to wait for"),
        BootstrapAction::Adopt => format!("{} to adopt", words::count(number, "app clusters")),
        BootstrapAction::Keep => format!("{number} there"),
        BootstrapAction::Unknown => format!("{number} unknown"),
    }
}

/// Renders an object with its origin and reason.
fn step_line(step: &BootstrapStep) -> String {
    let mut text = match &step.cluster {
        Some(cluster) => one_line(cluster).to_string(),
        None => words::object(&step.object),
    };
    if !step.keys.is_empty() {
        let _ = write!(
            text,
            ", {}",
            one_line(&format!("key{} {}", if step.keys.len() > 1 { "s" } else { "" }, step.keys.join(", ")))
        );
    }
    if let Some(from) = &step.from {
        let _ = write!(text, ", from {}", one_line(from));
    }
    if let Some(reason) = &step.reason {
        let _ = write!(text, ": {}", one_line(reason));
    }
    text
}

/// Summarizes objects by origin: the number of objects of each kind.
fn summarize_by_origin(steps: &[&BootstrapStep]) -> Vec<String> {
    let mut kinds: BTreeMap<(Option<&String>, &str), usize> = BTreeMap::new();
    for step in steps {
        *kinds.entry((step.from.as_ref(), step.object.kind.as_str())).or_default() += 1;
    }
    let mut places: BTreeMap<Option<&String>, Vec<String>> = BTreeMap::new();
    for ((from, kind), number) in kinds {
        places.entry(from).or_default().push(format!("{number} {}", one_line(kind)));
    }
    let told = places.into_iter().map(|(from, kinds)| {
        let from = from.map(|from| format!(", from {}", one_line(from))).unwrap_or_default();
        format!("{}{from}", kinds.join(", "))
    });
    told.collect()
}

fn colour(action: BootstrapAction) -> anstyle::Style {
    match action {
        BootstrapAction::Create | BootstrapAction::Update | BootstrapAction::Adopt => look::BUSY,
        BootstrapAction::Ask | BootstrapAction::Unknown => look::WARN,
        BootstrapAction::Wait | BootstrapAction::Keep => look::FAINT,
    }
}

/// Returns the lines of one wave, each with its action.
fn wave_lines(steps: &[&BootstrapStep], detail: DetailLevel) -> Vec<(BootstrapAction, String)> {
    let mut lines = Vec::new();
    let mut by_action: BTreeMap<BootstrapAction, Vec<&BootstrapStep>> = BTreeMap::new();
    for step in steps {
        by_action.entry(step.action).or_default().push(step);
    }
    for (action, steps) in by_action {
        // Objects with differences that are kept are always listed individually.
        let (told, steps): (Vec<&BootstrapStep>, Vec<&BootstrapStep>) =
            steps.into_iter().partition(|step| action == BootstrapAction::Keep && is_remarkable(step));
        lines.extend(told.into_iter().map(|step| (action, step_line(step))));
        let is_quiet = action == BootstrapAction::Keep;
        let is_long = steps.len() > NAMED && action != BootstrapAction::Ask;
        match detail {
            DetailLevel::Wide => lines.extend(steps.iter().map(|step| (action, step_line(step)))),
            _ if is_quiet && steps.len() > 2 => lines.push((action, format!("{} objects exist", steps.len()))),
            _ if is_long => lines.extend(summarize_by_origin(&steps).into_iter().map(|text| (action, text))),
            _ => lines.extend(steps.iter().map(|step| (action, step_line(step)))),
        }
    }
    lines
}

/// Returns true if a kept object has details that should be shown.
fn is_remarkable(step: &BootstrapStep) -> bool {
    step.wave != Wave::Secrets
        && step.cluster.is_none()
        && step.reason.as_ref().is_some_and(|reason| reason.starts_with("it differs"))
}

impl Report for BootstrapPlan {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        for (number, (wave, steps)) in self.waves().into_iter().enumerate() {
            let title = styled(look::STRONG, &format!("{}. {}", number + 1, wave.title()));
            let _ = writeln!(text, "{title} ({})", wave.reason());
            for (action, line) in wave_lines(&steps, style.detail) {
                let mut wrapped = String::new();
                words::add_wrapped(&mut wrapped, &line, INDENT, style, 4);
                let word =
                    format!("  {}{}", styled(colour(action), action.as_str()), &INDENT[2 + action.as_str().len()..]);
                text.push_str(&wrapped.replacen(INDENT, &word, 1));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn names(&self) -> Vec<String> {
        self.steps.iter().map(|step| one_line(&step.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for (number, (wave, steps)) in self.waves().into_iter().enumerate() {
            let _ = writeln!(text, "### {}. {} ({})\n", number + 1, wave.title(), wave.reason());
            for (action, line) in wave_lines(&steps, DetailLevel::Normal) {
                let _ = writeln!(text, "- {} {}", action.as_str(), words::markdown_cell(&line));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}
