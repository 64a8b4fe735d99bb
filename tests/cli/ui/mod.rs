//! `kubectl ucp ui`: its views as cells, its keys, and the whole of it in a terminal on a real API server.

mod k9s;
mod screen;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::Terminal as CellTerminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use snapbox::{assert_data_eq, file};
use ucp::browse::{Browser, BrowserStart, Effect, HubState, Palette, ReadAnswer, ReadRequest};
use ucp_client::source::{self, ConnectionArgs, Query};
use ucp_core::engine::{self, AssessmentClock};
use ucp_core::model::state::{ClusterState, Origin};

use crate::support::command::{run, ucp};
use crate::support::hub::BAD_DAY;

pub(crate) const CLOCK: &str = "2026-11-25T12:00:00Z";

pub(crate) fn state() -> ClusterState {
    let flags = ConnectionArgs { from: Some(PathBuf::from(BAD_DAY)), ..ConnectionArgs::default() };
    source::read(&flags, &Query::all(&engine::want)).unwrap()
}

pub(crate) fn hub_of(state: &ClusterState) -> HubState {
    let clock = AssessmentClock { now: state.moment, stuck_after: Duration::from_secs(900), comparison_interval: None };
    HubState::from_state(state, &clock, &"".parse().unwrap())
}

pub(crate) fn cluster(name: &str) -> Arc<Origin> {
    Arc::new(Origin::Cluster { context: name.to_owned(), server: "https://core.example.org".to_owned() })
}

/// A browser of the bad day, as if it were a cluster.
fn browser() -> Browser {
    let mut browser = Browser::new(BrowserStart { sources: vec![cluster("core")], ..BrowserStart::default() });
    browser.update(0, hub_of(&state()), Instant::now());
    browser
}

fn press(browser: &mut Browser, key: KeyCode) -> Vec<Effect> {
    browser.handle(&Event::Key(KeyEvent::new(key, KeyModifiers::NONE)))
}

fn type_text(browser: &mut Browser, text: &str) -> Vec<Effect> {
    text.chars().flat_map(|letter| press(browser, KeyCode::Char(letter))).collect()
}

fn drawn(browser: &mut Browser, size: (u16, u16), palette: Palette) -> CellTerminal<TestBackend> {
    let mut terminal = CellTerminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| browser.draw(frame, palette, CLOCK.parse().unwrap(), Instant::now())).unwrap();
    terminal
}

/// The lines of a frame, without spaces at their ends.
fn screen(browser: &mut Browser, size: (u16, u16)) -> String {
    let terminal = drawn(browser, size, Palette::Colors);
    let buffer = terminal.backend().buffer();
    let width = usize::from(buffer.area.width);
    let rows = buffer.content().chunks(width);
    let line = |row: &[ratatui::buffer::Cell]| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
    rows.map(|row| format!("{}\n", line(row).trim_end())).collect()
}

#[test]
fn findings_and_resources_fit_a_small_terminal() {
    let mut browser = browser();
    assert_data_eq!(screen(&mut browser, (80, 24)), file!["../../snapshots/ui-findings-80.txt"].raw());
    press(&mut browser, KeyCode::Char('2'));
    assert_data_eq!(screen(&mut browser, (80, 24)), file!["../../snapshots/ui-resources-80.txt"].raw());
    press(&mut browser, KeyCode::Char('w'));
    assert_data_eq!(screen(&mut browser, (160, 30)), file!["../../snapshots/ui-resources-wide.txt"].raw());
    press(&mut browser, KeyCode::Char('4'));
    assert_data_eq!(screen(&mut browser, (120, 30)), file!["../../snapshots/ui-deployments.txt"].raw());
}

#[test]
fn a_filter_only_shows_matching_rows_and_escape_clears_it() {
    let mut browser = browser();
    type_text(&mut browser, "2/ORDERS");
    press(&mut browser, KeyCode::Enter);
    let filtered = screen(&mut browser, (120, 30));
    let rows = filtered.lines().filter(|line| line.contains("quotes-orders")).count();
    assert!(rows >= 3 && !filtered.contains("nodepool"), "{filtered}");
    press(&mut browser, KeyCode::Esc);
    assert!(screen(&mut browser, (120, 30)).contains("nodepool"));
}

/// The row that the user selected is the one that a key acts on, even if worse rows appeared above it.
#[test]
fn the_selection_follows_its_object_when_rows_move() {
    let mut browser = browser();
    type_text(&mut browser, "2jjjj");
    let selected = |browser: &mut Browser| match press(browser, KeyCode::Char('y')).pop() {
        Some(Effect::Read(_, ReadRequest::Yaml(place))) => {
            press(browser, KeyCode::Esc);
            place.object
        }
        other => panic!("{other:?}"),
    };
    let before = selected(&mut browser);
    let mut fewer = state();
    let mut is_kept = true;
    fewer.resources.retain(|resource| {
        // Some rows above the selected one disappear.
        is_kept = !is_kept || resource.name() == before;
        is_kept || resource.name() == before
    });
    browser.update(0, hub_of(&fewer), Instant::now());
    assert_eq!(selected(&mut browser), before);
}

#[test]
fn enter_opens_the_tree_and_copied_commands_name_the_cluster() {
    let mut browser = browser();
    let copied = |effects: Vec<Effect>| match effects.as_slice() {
        [Effect::Copy(command)] => command.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(copied(type_text(&mut browser, "C")), "kubectl ucp status --full --context core");
    let next = copied(type_text(&mut browser, "x"));
    assert!(next.starts_with("kubectl ") && next.contains("--context core"), "{next}");
    assert_eq!(copied(type_text(&mut browser, "2ssC")), "kubectl ucp resources --sort-by kind --context core");
    let asked = press(&mut browser, KeyCode::Enter);
    let [Effect::Read(number, ReadRequest::Tree(place))] = asked.as_slice() else { panic!("{asked:?}") };
    let command = copied(type_text(&mut browser, "C"));
    assert_eq!(command, format!("kubectl ucp tree {} --context core", place.object));
    assert!(screen(&mut browser, (80, 24)).contains("reading …"));
    browser.answer(*number, Err("error: the server is gone".into()), CLOCK.parse().unwrap());
    assert!(screen(&mut browser, (80, 24)).contains("the server is gone; r tries again"));
    // The request for this response was replaced.
    browser.answer(99, Err("late".into()), CLOCK.parse().unwrap());
    press(&mut browser, KeyCode::Esc);
    assert!(screen(&mut browser, (80, 24)).contains("VERDICT"));
    assert_eq!(type_text(&mut browser, "q"), [Effect::Quit]);
}

#[test]
fn an_unreadable_source_is_an_error_and_not_an_empty_list() {
    let mut browser =
        Browser::new(BrowserStart { sources: vec![cluster("core-eu"), cluster("core-us")], ..BrowserStart::default() });
    browser.update(0, hub_of(&state()), Instant::now());
    browser.fail(1, "connection refused".to_owned());
    let both = screen(&mut browser, (120, 24));
    assert!(both.contains("core-us: connection refused; r tries again"), "{both}");
    assert!(both.contains("core-eu  Failed"), "{both}");
    let connects = type_text(&mut browser, "r");
    assert_eq!(connects, [Effect::Connect { context: None, namespace: None }]);
    // `c` shows one of them.
    type_text(&mut browser, "cjj");
    press(&mut browser, KeyCode::Enter);
    let failed = screen(&mut browser, (120, 24));
    assert!(failed.contains("not everything could be read") && !failed.contains("no problems"), "{failed}");
}

#[test]
fn text_of_a_cluster_never_drives_the_terminal_and_wide_text_keeps_its_columns() {
    let hostile = "界界界\u{1b}[31m\u{202e}\u{9b}2J";
    let mut browser = Browser::new(BrowserStart {
        sources: vec![cluster(hostile), cluster("b")],
        contexts: vec![hostile.to_owned()],
        namespace: Some(hostile.to_owned()),
        selector: None,
        directory: hostile.to_owned(),
    });
    let mut hostile_state = state();
    for resource in &mut hostile_state.resources {
        resource.metadata.name.insert_str(0, "界\u{1b}]0;x\u{7}");
    }
    browser.update(0, hub_of(&hostile_state), Instant::now());
    browser.fail(1, hostile.to_owned());
    let render = Arc::new(|_: usize| "\u{1b}[31mred\u{1b}[0m".to_owned());
    for keys in ["", "2", "w", "n", "c", "4", "5", "?"] {
        type_text(&mut browser, keys);
        let terminal = drawn(&mut browser, (80, 24), Palette::Colors);
        for cell in terminal.backend().buffer().content() {
            assert!(!cell.symbol().chars().any(ucp_core::model::text::is_unsafe), "{:?} after {keys:?}", cell.symbol());
        }
        press(&mut browser, KeyCode::Esc);
    }
    let asked = type_text(&mut browser, "2y");
    let Some(Effect::Read(number, _)) = asked.last() else { panic!("{asked:?}") };
    browser.answer(*number, Ok(ReadAnswer::Text(render)), CLOCK.parse().unwrap());
    let page = drawn(&mut browser, (80, 24), Palette::Colors);
    assert!(page.backend().buffer().content().iter().any(|cell| cell.symbol() == "r" && cell.fg == Color::Red));
    let monochrome = drawn(&mut browser, (80, 24), Palette::Monochrome);
    assert!(monochrome.backend().buffer().content().iter().all(|cell| cell.fg == Color::Reset));
}

#[test]
fn every_size_of_a_terminal_can_be_drawn() {
    let mut browser = browser();
    for keys in ["", "2", "3", "?", "/a"] {
        type_text(&mut browser, keys);
        for (width, height) in [(1, 1), (3, 2), (10, 5), (20, 4), (300, 100)] {
            drawn(&mut browser, (width, height), Palette::Colors);
        }
        press(&mut browser, KeyCode::Esc);
    }
}

/// A frame after a key is drawn within 50 ms even by a build without optimizations, from 2,000 rows.
#[test]
fn only_visible_rows_are_laid_out() {
    let mut large = state();
    let few = large.resources.clone();
    for copy in 0..60 {
        large.resources.extend(few.iter().cloned().map(|mut resource| {
            resource.metadata.name.push_str(&format!("-{copy}"));
            resource
        }));
    }
    let small_time = time_of_frame(&state());
    let large_time = time_of_frame(&large);
    // A layout of every row would take 60 times as long.
    assert!(large_time < small_time * 20, "{large_time:?} for 60 times the rows of {small_time:?}");
}

fn time_of_frame(state: &ClusterState) -> Duration {
    let mut browser = Browser::new(BrowserStart { sources: vec![cluster("core")], ..BrowserStart::default() });
    browser.update(0, hub_of(state), Instant::now());
    type_text(&mut browser, "2");
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let began = Instant::now();
            type_text(&mut browser, "j");
            drawn(&mut browser, (120, 40), Palette::Colors);
            began.elapsed()
        })
        .collect();
    times.sort();
    times[7]
}

#[test]
fn without_a_terminal_ui_suggests_status() {
    let ran = run(ucp(["ui", "--from", BAD_DAY])).expect(2);
    assert!(ran.stderr.contains("'ui' needs a terminal") && ran.stderr.contains("kubectl ucp status"), "{ran:?}");
}

/// A filter applies to lines of text as it does to rows, and Escape ends it.
#[test]
fn a_filter_shows_matching_lines_of_a_text_only() {
    let mut browser = browser();
    let effects = press(&mut browser, KeyCode::Char('y'));
    let [Effect::Read(number, ReadRequest::Yaml(_))] = effects.as_slice() else { panic!("{effects:?}") };
    let text = Arc::new(|_: usize| "kind: Bucket\nname: Logs\nregion: eu\n".to_owned());
    browser.answer(*number, Ok(ReadAnswer::Text(text)), CLOCK.parse().unwrap());
    type_text(&mut browser, "/logs");
    press(&mut browser, KeyCode::Enter);
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("name: Logs") && !shown.contains("region") && shown.contains("/logs"), "{shown}");
    press(&mut browser, KeyCode::Esc);
    assert!(screen(&mut browser, (80, 24)).contains("region: eu"));
    press(&mut browser, KeyCode::Esc);
    let effects = press(&mut browser, KeyCode::Char('5'));
    let [Effect::Read(number, ReadRequest::Versions)] = effects.as_slice() else { panic!("{effects:?}") };
    let text = Arc::new(|_: usize| "SERVICE   PROD\nweb       v1\napi       v2\n".to_owned());
    browser.answer(*number, Ok(ReadAnswer::Text(text)), CLOCK.parse().unwrap());
    type_text(&mut browser, "/API");
    press(&mut browser, KeyCode::Enter);
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("SERVICE   PROD") && shown.contains("api       v2") && !shown.contains("web  "), "{shown}");
    press(&mut browser, KeyCode::Esc);
    assert!(screen(&mut browser, (80, 24)).contains("web       v1"));
}

#[test]
fn the_page_of_keys_fits_eighty_columns() {
    let mut browser = browser();
    press(&mut browser, KeyCode::Char('?'));
    let narrow = screen(&mut browser, (80, 40));
    let wide = screen(&mut browser, (160, 40));
    let body = |text: &str| text.lines().skip(2).take(34).map(str::to_owned).collect::<Vec<_>>();
    assert!(narrow.contains("The other views follow the cluster."), "{narrow}");
    assert_eq!(body(&narrow), body(&wide));
}

/// The owner of a package revision is its package, by its owner reference.
#[test]
fn the_owner_of_a_package_revision_is_its_package() {
    let mut browser = browser();
    type_text(&mut browser, "/provider-aws-52fdbb595cf5");
    press(&mut browser, KeyCode::Enter);
    let effects = press(&mut browser, KeyCode::Char('o'));
    let [Effect::Read(_, ReadRequest::Tree(place))] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((place.object.kind.as_str(), place.object.name.as_str()), ("Provider", "provider-aws"));
}

#[test]
fn an_object_that_deploys_nothing_has_no_line_about_it() {
    let mut browser = browser();
    press(&mut browser, KeyCode::Char('4'));
    for _ in 0..60 {
        let shown = screen(&mut browser, (100, 30));
        assert!(!shown.lines().any(|line| line.trim() == "deploys"), "{shown}");
        press(&mut browser, KeyCode::Down);
    }
}

/// A filter finds rows as they are now, not as they were when it was typed.
#[test]
fn a_filter_and_an_order_follow_changes() {
    let (mut browser, mut state) = (browser(), state());
    press(&mut browser, KeyCode::Char('2'));
    type_text(&mut browser, "/quotes-sessions");
    press(&mut browser, KeyCode::Enter);
    press(&mut browser, KeyCode::Char('s'));
    let rows = |browser: &mut Browser| screen(browser, (120, 30)).matches("quotes-sessions").count();
    assert!(rows(&mut browser) > 2);
    state.resources.retain(|resource| !resource.metadata.name.contains("quotes-sessions"));
    browser.update(0, hub_of(&state), Instant::now());
    // Only the filter at the bottom remains.
    assert!(screen(&mut browser, (120, 30)).contains("no row contains"));
}
