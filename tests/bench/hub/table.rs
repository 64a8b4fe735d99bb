//! Tables of measurements.

use std::time::Duration;

use comfy_table::{Table, presets};

use crate::measure::Cost;

/// A command, its cost, and its number of requests.
pub(crate) struct Row {
    name: String,
    cost: Cost,
    requests: usize,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, cost: Cost, requests: usize) -> Self {
        Self { name: name.into(), cost, requests }
    }

    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns the amount above a peak of this many MB.
    pub(crate) fn is_above(&self, megabytes: u64) -> Option<String> {
        let peak = self.cost.memory;
        (peak > megabytes * 1_000_000)
            .then(|| format!("{}: {:.1} MB, promised {megabytes}", self.name, peak as f64 / 1e6))
    }

    pub(crate) fn wall(&self) -> Duration {
        self.cost.wall
    }
}

/// Prints rows; the last column compares with the first row.
pub(crate) fn print(rows: &[Row]) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["command", "wall", "CPU", "peak memory", "requests", "wall ÷ first"]);
    let Some(first) = rows.first() else { return };
    for Row { name, cost, requests } in rows {
        table.add_row([
            name.clone(),
            format!("{:.3} s", cost.wall.as_secs_f64()),
            format!("{:.3} s", cost.cpu.as_secs_f64()),
            format!("{:.1} MB", cost.memory as f64 / 1e6),
            requests.to_string(),
            format!("{:.2}", cost.wall.as_secs_f64() / first.cost.wall.as_secs_f64()),
        ]);
    }
    println!("{table}");
}
