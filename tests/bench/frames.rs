//! `cargo bench --bench frames`: the time from a key to the finished cells of `kubectl ucp ui`, on hubs of generated managed
//! resources, and the first frame: reading the snapshot and drawing it once, next to `kubectl ucp status` of the same file.

#![allow(clippy::print_stdout, reason = "a bench talks to a person")]

#[path = "measure.rs"]
mod measure;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use comfy_table::{Table, presets};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};
use ucp::browse::{Browser, BrowserStart, HubState, Palette};
use ucp_client::source::{self, ConnectionArgs, Query};
use ucp_core::engine::{self, AssessmentClock};
use ucp_core::model::state::{ClusterState, Origin};

const CLOCK: &str = "2026-11-25T12:00:00Z";

/// Draws frames of large hubs
#[derive(Parser)]
struct Arguments {
    /// Number of managed resources, comma-separated
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 50_000])]
    objects: Vec<usize>,
    /// Number of times that the keys are pressed
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
}

/// A managed resource; one in a hundred has failed.
fn object(number: usize) -> Value {
    let status = if number.is_multiple_of(100) { "False" } else { "True" };
    let condition = |kind: &str| {
        json!({"type": kind, "status": status, "reason": "ReconcileError", "message": "cannot observe: access denied",
            "lastTransitionTime": "2026-11-20T09:00:00Z"})
    };
    json!({
        "apiVersion": "ec2.example.org/v1beta1", "kind": "Instance",
        "metadata": {
            "name": format!("thing-{number}"), "uid": format!("00000000-0000-4000-8000-{number:012}"),
            "creationTimestamp": "2026-11-20T09:00:00Z", "annotations": {"crossplane.io/external-name": format!("i-{number}")},
        },
        "spec": {"forProvider": {"region": "eu-west-1"}, "providerConfigRef": {"name": "default"}},
        "status": {"atProvider": {"id": format!("i-{number}")}, "conditions": [condition("Ready"), condition("Synced")]},
    })
}

fn read(path: &Path) -> ClusterState {
    let flags = ConnectionArgs { from: Some(path.to_owned()), ..ConnectionArgs::default() };
    source::read(&flags, &Query::all(&engine::want)).expect("a snapshot")
}

fn hub(state: &ClusterState) -> HubState {
    let clock = AssessmentClock { now: state.moment, stuck_after: Duration::from_secs(900), comparison_interval: None };
    HubState::from_state(state, &clock, &"".parse().expect("no selector"))
}

/// The keys of one round: moves, other views, filters, sorting, more columns.
fn keys() -> Vec<KeyCode> {
    let typed = |text: &str| text.chars().map(KeyCode::Char).collect::<Vec<_>>();
    let mut keys = typed("2");
    keys.extend([KeyCode::Char('j'); 40]);
    keys.extend([KeyCode::PageDown; 20]);
    keys.extend(typed("Ggwsss1jjj4j2/thing-4"));
    keys.extend([KeyCode::Backspace, KeyCode::Enter, KeyCode::Char('j'), KeyCode::Esc]);
    keys
}

fn draw(terminal: &mut Terminal<TestBackend>, browser: &mut Browser) {
    let clock = CLOCK.parse().expect("a time");
    terminal.draw(|frame| browser.draw(frame, Palette::Colors, clock, Instant::now())).expect("a frame");
}

fn main() {
    let arguments = Arguments::parse();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["objects", "keys", "median", "p95", "slowest", "first frame", "status --from", "ratio"]);
    for count in arguments.objects {
        let path = directory.path().join(format!("{count}.json"));
        let items: Vec<Value> = (0..count).map(object).collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
        std::fs::write(&path, list.to_string()).expect("the snapshot is written");
        let started = Instant::now();
        let state = read(&path);
        let origin = Arc::new(Origin::Snapshot { path: path.display().to_string() });
        let mut browser = Browser::new(BrowserStart { sources: vec![origin], ..BrowserStart::default() });
        browser.update(0, hub(&state), Instant::now());
        let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("a terminal");
        draw(&mut terminal, &mut browser);
        let first = started.elapsed();
        let cells = terminal.backend().to_string();
        assert!(cells.contains(&format!("Resources {count}")), "the frame does not show the objects:\n{cells}");
        let once = || {
            measure::run(
                Command::new(env!("CARGO_BIN_EXE_kubectl-ucp")).args(["status", "--full", "--from"]).arg(&path),
                0,
            )
        };
        let status = measure::median((0..3).map(|_| once()).collect());
        let mut times = Vec::new();
        for key in (0..arguments.rounds).flat_map(|_| keys()) {
            let pressed = Instant::now();
            drop(browser.handle(&Event::Key(KeyEvent::new(key, KeyModifiers::NONE))));
            draw(&mut terminal, &mut browser);
            times.push(pressed.elapsed());
        }
        times.sort();
        let at = |part: usize| format!("{:.1} ms", times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0);
        let seconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1000.0);
        table.add_row([
            count.to_string(),
            times.len().to_string(),
            at(50),
            at(95),
            at(100),
            seconds(first),
            format!("{} ({} CPU, {:.0} MB)", seconds(status.wall), seconds(status.cpu), status.memory as f64 / 1e6),
            format!("{:.2}", first.as_secs_f64() / status.wall.as_secs_f64()),
        ]);
    }
    println!("{table}");
}
