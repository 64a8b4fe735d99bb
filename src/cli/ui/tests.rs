//! Views that are read on request, from the fixtures, as cells of a small terminal.

use std::path::Path;

use clap::FromArgMatches as _;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Terminal, buffer::Cell};
use snapbox::{Data, assert_data_eq};

use super::*;
use crate::cli::heed::{GivenFlags, words};
use crate::cli::{Cli, command, parsed};
use crate::ui::Ui;
use crate::ui::pager::PagingMode;
use anstream::ColorChoice;
use ucp_core::engine;
const BAD_DAY: &str = "tests/fixtures/bad-day";

/// The command line `ui --from SNAPSHOT`.
fn context(snapshot: &str) -> Context {
    let matches = command().try_get_matches_from(["kubectl-ucp", "ui", "--from", snapshot]).unwrap();
    let mut cli = Cli::from_arg_matches(&matches).unwrap();
    cli.globals.connection.settle();
    let given = GivenFlags::from_matches(words(&matches).1);
    let ui = Ui::new(ColorChoice::Never, Volume::Quiet, PagingMode::Never);
    let nothing = String::new();
    Context {
        globals: cli.globals,
        ui,
        typed: Vec::new(),
        command: nothing.clone(),
        needs_rights: nothing,
        given,
        traces: None,
    }
}

/// A browser that reads a snapshot without waiting.
struct ReadingBrowser {
    browser: Browser,
    context: Context,
    parts: Vec<SourcePart>,
    patience: PatienceArgs,
    moment: Timestamp,
}

impl ReadingBrowser {
    fn open(snapshot: &str) -> Self {
        let context = context(snapshot);
        let parts = context.named_parts().unwrap();
        let state = context.read_in(None, &engine::want).unwrap();
        let patience: PatienceArgs = parsed([]).unwrap();
        let mut browser = Browser::new(BrowserStart { sources: origins(&parts), ..BrowserStart::default() });
        browser.update(0, HubState::from_state(&state, &patience.clock(&state), &"".parse().unwrap()), Instant::now());
        Self { browser, context, parts, patience, moment: state.moment }
    }

    fn press(&mut self, key: KeyCode) {
        for effect in self.browser.handle(&Event::Key(KeyEvent::new(key, KeyModifiers::NONE))) {
            let Effect::Read(number, request) = effect else { continue };
            let answer = read::answer(&self.context, &self.parts, self.patience, request);
            let answer = answer.map_err(|error| error.report().into());
            self.browser.answer(number, answer, self.moment);
        }
    }

    fn write(&mut self, text: &str) {
        text.chars().for_each(|letter| self.press(KeyCode::Char(letter)));
    }

    /// Shows only rows with a text.
    fn find(&mut self, text: &str) {
        self.write(&format!("/{text}"));
        self.press(KeyCode::Enter);
    }

    fn screen(&mut self, size: (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let moment = self.moment;
        terminal.draw(|frame| self.browser.draw(frame, Palette::Colors, moment, Instant::now())).unwrap();
        let buffer = terminal.backend().buffer();
        let line = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>();
        buffer.content().chunks(usize::from(size.0)).map(|row| format!("{}\n", line(row).trim_end())).collect()
    }

    #[track_caller]
    fn shows(&mut self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/ui-{name}.txt"));
        assert_data_eq!(self.screen((80, 24)), Data::read_from(&path, None).raw());
    }
}

#[test]
fn trees_clusters_drift_and_history_fit_a_small_terminal() {
    let mut browser = ReadingBrowser::open(BAD_DAY);
    browser.write("2");
    browser.find("xdatabase.platform/quotes-orders-7k2px");
    browser.press(KeyCode::Enter);
    browser.shows("tree-80");
    browser.write("6");
    browser.shows("clusters-80");
    browser.write("7");
    browser.shows("drift-80");
    browser.write("8");
    browser.shows("history-80");
}

#[test]
fn pages_about_an_object_fit_a_small_terminal() {
    let mut browser = ReadingBrowser::open(BAD_DAY);
    browser.find("quotes-orders-7k2px-4fd2e");
    for (key, name) in [('e', "explanation-80"), ('y', "yaml-80"), ('d', "object-drift-80"), ('h', "events-80")] {
        browser.press(KeyCode::Char(key));
        browser.shows(name);
        browser.press(KeyCode::Esc);
    }
}

/// A page is laid out again for another width, and shows the same place of the same page.
#[test]
fn a_tree_and_a_page_follow_the_size_of_the_terminal() {
    let mut browser = ReadingBrowser::open(BAD_DAY);
    browser.write("2");
    browser.find("xdatabase.platform/quotes-orders-7k2px");
    browser.press(KeyCode::Enter);
    let selected = |screen: &str| {
        let lines: Vec<&str> = screen.lines().skip_while(|line| !line.starts_with('─')).collect();
        lines.get(1).map(|line| (*line).to_owned())
    };
    let at_first = selected(&browser.screen((80, 24)));
    for size in [(120, 40), (60, 16), (200, 60), (80, 24)] {
        assert_eq!(selected(&browser.screen(size)), at_first, "{size:?}");
    }
    browser.write("y");
    let (wide, narrow) = (browser.screen((160, 24)), browser.screen((50, 12)));
    assert!(wide.contains("apiVersion: ") && narrow.contains("apiVersion: "), "{narrow}");
    assert!(narrow.lines().all(|line| line.chars().count() <= 50), "{narrow}");
}

/// Keys act on the object that applies it, which is in the core cluster.
#[test]
fn drift_in_an_app_cluster_names_its_object_and_fields_keep_their_ends() {
    let mut browser = ReadingBrowser::open("tests/fixtures/night");
    browser.write("7");
    let shown = browser.screen((80, 24));
    let row =
        |name: &str| shown.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{shown}")).to_owned();
    assert!(row("UCP511").contains("…/echo-se"), "{shown}");
    assert!(row("/events-b93de").ends_with("tier") && row("/gcp-k8s-np-prod").ends_with("nodeCount"), "{shown}");
    browser.find("ucp511");
    let shown = browser.screen((80, 24)).replace("\n ", " ");
    assert!(shown.contains(" deployment.apps/echo-server -n echo-server in app cluster gcp-k8s-prod"), "{shown}");
    assert!(shown.contains("applied by application.argoproj.io/prod-echo-server -n argocd"), "{shown}");
}

/// An answer for a snapshot that is gone is an error on the screen, which `r` reads again.
#[test]
fn an_unreadable_snapshot_is_an_error_that_can_be_retried() {
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("night.yaml");
    std::fs::copy("tests/fixtures/night/databases.yaml", &copy).unwrap();
    let mut browser = ReadingBrowser::open(copy.to_str().unwrap());
    std::fs::remove_file(&copy).unwrap();
    browser.write("7");
    let shown = browser.screen((80, 24));
    assert!(shown.contains("r tries again"), "{shown}");
    std::fs::copy("tests/fixtures/night/databases.yaml", &copy).unwrap();
    browser.write("r");
    let shown = browser.screen((80, 24));
    assert!(!shown.contains("r tries again"), "{shown}");
}
