//! `kubectl ucp ui` in terminals that are small, have no colors or change their size, with names of any script; and that the terminal
//! is restored when the program panics.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use serde_json::json;
use snapbox::{assert_data_eq, file};
use ucp::browse::{Browser, BrowserStart, Effect, Palette, ReadRequest};
use ucp::ui::screen::{MouseMode, Screen};
use ucp_client::source::snapshot::resources_from_objects;
use ucp_core::engine;
use ucp_core::model::state::{ClusterState, Origin};

use crate::terminal::{Terminal, line};
use crate::ui::{CLOCK, cluster, hub_of, state};

fn browser_of(state: &ClusterState) -> Browser {
    let mut browser = Browser::new(BrowserStart { sources: vec![cluster("core")], ..BrowserStart::default() });
    browser.update(0, hub_of(state), Instant::now());
    browser
}

fn press(browser: &mut Browser, keys: &str) -> Vec<Effect> {
    let key = |letter| Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    keys.chars().flat_map(|letter| browser.handle(&key(letter))).collect()
}

fn press_key(browser: &mut Browser, key: KeyCode) -> Vec<Effect> {
    browser.handle(&Event::Key(KeyEvent::new(key, KeyModifiers::NONE)))
}

fn cells(browser: &mut Browser, size: (u16, u16), palette: Palette) -> Buffer {
    let mut terminal = ratatui::Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| browser.draw(frame, palette, CLOCK.parse().unwrap(), Instant::now())).unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of a frame. Cells that a wide letter covers are left out, as a terminal shows them.
fn lines(buffer: &Buffer) -> Vec<String> {
    let text = |row: &[Cell]| {
        let mut covered = 0;
        let mut line = String::new();
        for cell in row {
            if covered > 0 {
                covered -= 1;
                continue;
            }
            line.push_str(cell.symbol());
            covered = ucp_core::model::text::columns(cell.symbol()).saturating_sub(1);
        }
        line.trim_end().to_owned()
    };
    buffer.content().chunks(usize::from(buffer.area.width)).map(text).collect()
}

fn screen(browser: &mut Browser, size: (u16, u16)) -> String {
    lines(&cells(browser, size, Palette::Colors)).join("\n") + "\n"
}

/// The object that a key would act on.
fn selected(browser: &mut Browser) -> Option<String> {
    let Some(Effect::Read(_, ReadRequest::Yaml(place))) = press(browser, "y").pop() else { return None };
    browser.handle(&Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
    Some(place.object.to_string())
}

#[test]
fn without_colors_verdicts_are_words_and_the_selection_is_reversed() {
    let mut browser = browser_of(&state());
    press(&mut browser, "2jj");
    let buffer = cells(&mut browser, (80, 24), Palette::Monochrome);
    let lines = lines(&buffer);
    let is_reversed = |row: usize| {
        let width = usize::from(buffer.area.width);
        buffer.content()[row * width..(row + 1) * width].iter().all(|cell| cell.modifier.contains(Modifier::REVERSED))
    };
    let reversed: Vec<usize> = (0..24).filter(|row| is_reversed(*row)).collect();
    assert_eq!(reversed.len(), 2, "the header and the selected row: {reversed:?}");
    assert!(lines[reversed[1]].starts_with(" Failed "), "{lines:?}");
    let words = ["Failed", "NeedsHuman", "Drifted", "Stuck", "Progressing", "Paused", "Unknown", "OK"];
    let verdict = |line: &String| line.split_whitespace().next().is_some_and(|word| words.contains(&word));
    assert!(lines[3..15].iter().all(verdict), "{lines:?}");
}

#[test]
fn a_tiny_screen_shows_the_cause_and_the_current_tab() {
    let mut browser = browser_of(&state());
    let shown = screen(&mut browser, (40, 10));
    assert!(shown.contains("\n incompatible dependencies"), "{shown}");
    press(&mut browser, "6");
    let shown = screen(&mut browser, (40, 10));
    assert!(shown.contains("5 6 Clusters 7 8"), "{shown}");
}

/// Names that the API does not allow come from snapshots.
#[test]
fn letters_of_two_columns_and_emoji_keep_the_columns() {
    let mut state = state();
    let names = ["日本語データベース", "데이터베이스", "👩‍💻-team", "e\u{301}te\u{301}", "🇩🇪🇫🇷", "ﾊﾝｶｸ", "a"];
    for (resource, name) in state.resources.iter_mut().zip(names.iter().cycle()) {
        resource.metadata.name.insert_str(0, name);
    }
    let mut browser = browser_of(&state);
    press(&mut browser, "2");
    for size in [(80, 24), (120, 30), (47, 15)] {
        let buffer = cells(&mut browser, size, Palette::Colors);
        let width = usize::from(size.0);
        let rows: Vec<&[Cell]> = buffer.content().chunks(width).collect();
        let text = |row: &[Cell], from: usize, to: usize| -> String {
            row[from..to].iter().map(Cell::symbol).collect::<String>()
        };
        let header = rows.iter().position(|row| text(row, 0, width).contains("OBJECT (")).unwrap();
        let heading = text(rows[header], 0, width);
        let why = heading.find("WHY").unwrap();
        let shown = rows[header + 1..].iter().take_while(|row| row[0].symbol() != "─");
        for row in shown.filter(|row| !text(row, 0, width).trim().is_empty()) {
            assert_eq!(
                text(row, why - 2, why),
                "  ",
                "{size:?}: the column before WHY is not empty: {}",
                text(row, 0, width)
            );
        }
    }
    assert_data_eq!(screen(&mut browser, (80, 24)), file!["../snapshots/ui-wide-letters.txt"].raw());
}

#[test]
fn another_size_keeps_the_selected_row_on_the_screen() {
    let mut browser = browser_of(&state());
    press(&mut browser, "2");
    let rows = 30;
    press(&mut browser, &"j".repeat(rows));
    let object = selected(&mut browser).unwrap();
    let name = object.rsplit('/').next().unwrap().split(' ').next().unwrap().to_owned();
    for size in [(80, 24), (120, 12), (200, 60), (60, 9), (80, 24)] {
        let buffer = cells(&mut browser, size, Palette::Colors);
        let width = usize::from(size.0);
        let reversed = buffer.content().chunks(width).skip(1).find(|row| row[0].modifier.contains(Modifier::REVERSED));
        let row: String =
            reversed.unwrap_or_else(|| panic!("{size:?}: no selected row")).iter().map(Cell::symbol).collect();
        assert!(row.contains(&name[name.len() - 5..]), "{size:?}: {row} is not {object}");
        assert_eq!(selected(&mut browser).as_ref(), Some(&object), "{size:?}");
    }
}

#[test]
fn a_cluster_without_objects_is_never_a_clean_answer() {
    let mut empty = state();
    empty.resources.clear();
    empty.kinds.clear();
    let mut browser = browser_of(&empty);
    assert_data_eq!(screen(&mut browser, (80, 24)), file!["../snapshots/ui-empty.txt"].raw());
    for (view, reason) in [("2", "nothing found"), ("3", "Enter on a row of another view"), ("4", "nothing found")] {
        press(&mut browser, view);
        let shown = screen(&mut browser, (80, 24));
        assert!(shown.contains(reason), "{view}: {shown}");
        // No key has a row to act on.
        assert_eq!(selected(&mut browser), None);
        press(&mut browser, "jkGgoedhtx");
        browser.handle(&Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
        browser.handle(&Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
    }
}

/// Rows that appear above and below, another order, and in the end the object itself is gone.
#[test]
fn the_selection_follows_its_object_or_stays_near_its_last_row() {
    let mut few = state();
    let all = state();
    let mut count = 0;
    few.resources.retain(|_| {
        count += 1;
        count % 2 == 0
    });
    let mut browser = browser_of(&few);
    press(&mut browser, "2jjj");
    let object = selected(&mut browser).unwrap();
    browser.update(0, hub_of(&all), Instant::now());
    assert_eq!(selected(&mut browser).as_ref(), Some(&object), "rows appeared");
    for _ in 0..4 {
        press(&mut browser, "s");
        assert_eq!(selected(&mut browser).as_ref(), Some(&object), "another order");
    }
    browser.update(0, hub_of(&few), Instant::now());
    assert_eq!(selected(&mut browser).as_ref(), Some(&object), "rows disappeared");
    few.resources.retain(|resource| !object.contains(resource.name().name.as_str()));
    browser.update(0, hub_of(&few), Instant::now());
    let near = selected(&mut browser).unwrap();
    assert_ne!(near, object);
    press(&mut browser, "k");
    assert_ne!(selected(&mut browser).unwrap(), near, "it is not the first row");
}

/// Users of k9s type kinds.
#[test]
fn the_view_of_versions_names_its_repository() {
    let snapshot = |path: &str| Arc::new(Origin::Snapshot { path: path.to_owned() });
    let mut browser = Browser::new(BrowserStart {
        sources: vec![snapshot("monday.tar.gz")],
        directory: "/home/jane/gitops".to_owned(),
        ..BrowserStart::default()
    });
    browser.update(0, hub_of(&state()), Instant::now());
    assert!(matches!(press(&mut browser, "5").as_slice(), [Effect::Read(_, ReadRequest::Versions)]));
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("Versions not of the snapshot, but of the repository in /home/jane/gitops"), "{shown}");
}

#[test]
fn several_snapshots_show_the_time_of_each() {
    let snapshot = |path: &str| Arc::new(Origin::Snapshot { path: path.to_owned() });
    let sources = vec![snapshot("monday.tar.gz"), snapshot("tuesday.tar.gz")];
    let mut browser = Browser::new(BrowserStart { sources, ..BrowserStart::default() });
    let mut later = state();
    later.moment += jiff::SignedDuration::from_hours(24);
    let (first, last) = (state().moment, later.moment);
    browser.update(0, hub_of(&state()), Instant::now());
    browser.update(1, hub_of(&later), Instant::now());
    let head = |browser: &mut Browser| screen(browser, (120, 24)).lines().next().unwrap().to_owned();
    let both = format!("as of {} – {} UTC", first.strftime("%Y-%m-%d %H:%M"), last.strftime("%m-%d %H:%M"));
    assert!(head(&mut browser).contains(&both), "{}", head(&mut browser));
    press(&mut browser, "cjj");
    press_key(&mut browser, KeyCode::Enter);
    let one = format!("as of {} UTC", last.strftime("%Y-%m-%d %H:%M"));
    assert!(head(&mut browser).contains(&one), "{}", head(&mut browser));
    // The column of sources has nothing to say about one.
    assert!(!screen(&mut browser, (120, 24)).contains("CONTEXT"));
    press(&mut browser, "cg");
    press_key(&mut browser, KeyCode::Enter);
    assert!(screen(&mut browser, (120, 24)).contains("CONTEXT"));
}

#[test]
fn the_last_line_names_as_many_keys_as_fit() {
    let mut browser = browser_of(&state());
    let last = |browser: &mut Browser, width: u16| screen(browser, (width, 24)).lines().last().unwrap().to_owned();
    for (width, key) in [(160, "n c w s"), (120, "C copy"), (80, "e explain"), (60, "Enter open"), (20, "? keys")] {
        let line = last(&mut browser, width);
        assert!(line.contains(key) && line.ends_with("q quit"), "{width}: {line}");
    }
    press(&mut browser, "/a-long-text-to-find");
    press_key(&mut browser, KeyCode::Enter);
    let line = last(&mut browser, 80);
    assert!(line.contains("/a-long-text-to-find  Enter open") && line.ends_with("q quit"), "{line}");
    press(&mut browser, "?");
    let line = last(&mut browser, 80);
    assert!(line.contains("Esc back") && !line.contains("explain"), "{line}");
}

#[test]
fn a_long_error_is_wrapped_and_enter_waits_for_the_list() {
    let mut browser = browser_of(&state());
    browser.fail(0, format!("the server closed the connection {}at last", "again and ".repeat(8)));
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("at last; r tries again"), "{shown}");
    press(&mut browser, "2");
    press_key(&mut browser, KeyCode::Enter);
    press_key(&mut browser, KeyCode::Enter);
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("reading …") && !shown.contains("no object"), "{shown}");
}

#[test]
fn a_copied_command_and_a_next_command_are_shown_as_a_whole() {
    let path = format!("/var/lib/{}/night.tar.gz", "snapshots/".repeat(12));
    let sources = vec![Arc::new(Origin::Snapshot { path })];
    let mut browser = Browser::new(BrowserStart { sources, ..BrowserStart::default() });
    browser.update(0, hub_of(&state()), Instant::now());
    let joined = |browser: &mut Browser| screen(browser, (80, 24)).replace(['\n', ' '], "");
    let shown = joined(&mut browser);
    let hint = shown.split_once('→').map(|(_, hint)| hint.to_owned()).unwrap_or_default();
    assert!(hint.contains("kubectldescribeproviderrevision.pkg.crossplane.io/provider-aws-52fdbb595cf5"), "{shown}");
    let Some(Effect::Copy(command)) = press(&mut browser, "C").pop() else { panic!("nothing was copied") };
    let shown = joined(&mut browser);
    assert!(shown.ends_with(&format!("totheclipboard:{}", command.replace(' ', ""))), "{shown}");
}

#[test]
fn a_list_of_namespaces_is_filtered_and_shows_its_keys() {
    let mut browser = browser_of(&state());
    press(&mut browser, "n");
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.contains("all namespaces") && shown.contains("Enter selects   Esc closes"), "{shown}");
    press(&mut browser, "/argo");
    let shown = screen(&mut browser, (80, 24));
    assert!(!shown.contains("all namespaces") && shown.contains("Enter selects, Esc clears"), "{shown}");
    press_key(&mut browser, KeyCode::Enter);
    let shown = screen(&mut browser, (80, 24));
    assert!(shown.lines().next().unwrap().contains(" -n argo"), "{shown}");
}

#[test]
fn a_key_opens_the_probable_causes() {
    let mut browser = browser_of(&state());
    let asked = press(&mut browser, "p");
    let Some(Effect::Read(_, ReadRequest::Causes(place))) = asked.last() else { panic!("{asked:?}") };
    let object = place.object.to_string();
    let Some(Effect::Copy(command)) = press(&mut browser, "C").pop() else { panic!("nothing was copied") };
    assert_eq!(command, format!("kubectl ucp history --cause {object} --context core"));
}

#[test]
fn a_kind_or_a_part_of_a_name_jumps_to_its_rows() {
    let mut browser = browser_of(&state());
    let jump = |browser: &mut Browser, text: &str| {
        press(browser, &format!(":{text}"));
        browser.handle(&Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
        screen(browser, (120, 30))
    };
    let rows = |screen: &str| -> Vec<String> {
        let list = screen.lines().skip(3).take_while(|line| !line.starts_with('─') && !line.is_empty());
        list.map(str::to_owned).collect()
    };
    let shown = jump(&mut browser, "nodepools");
    assert!(rows(&shown).iter().all(|row| row.contains("nodepool")) && rows(&shown).len() > 2, "{shown}");
    let shown = jump(&mut browser, "echo-client");
    assert!(rows(&shown).iter().all(|row| row.contains("echo-client")) && shown.contains("application"), "{shown}");
    let shown = jump(&mut browser, "nothing-like-this");
    assert!(shown.contains("no listed object is called nothing-like-this"), "{shown}");
}

#[test]
fn a_filter_finds_the_objects_and_findings_of_a_team_by_their_labels() {
    let condition = |status: &str| {
        json!({"type": "Synced", "status": status, "reason": "ReconcileError", "message": "no",
        "lastTransitionTime": "2026-11-20T09:00:00Z"})
    };
    let bucket = |name: &str, team: &str, status: &str| {
        json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": name, "labels": {"team": team}},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}, "status": {"conditions": [condition(status)]}})
    };
    // One finding has the objects of both teams.
    let objects = [bucket("a", "shop", "False"), bucket("b", "press", "False"), bucket("c", "press", "True")];
    let resources = resources_from_objects(&objects.each_ref(), &engine::want);
    let moment = CLOCK.parse().unwrap();
    let state = ClusterState { resources, ..ClusterState::empty(Origin::Snapshot { path: String::new() }, moment) };
    let mut browser = browser_of(&state);
    for (keys, row) in [("1/team=press", "bucket.s3/a and 1 more"), ("2/team=press", "bucket.s3/b")] {
        press(&mut browser, keys);
        press_key(&mut browser, KeyCode::Enter);
        let shown = screen(&mut browser, (120, 30));
        assert!(shown.contains(row), "{keys}: {shown}");
    }
    assert!(!screen(&mut browser, (120, 30)).contains("bucket.s3/a"));
    press(&mut browser, "1/team=none");
    assert!(screen(&mut browser, (120, 30)).contains("no row contains"));
}

/// Panics on a screen, as a release does. Run by the next test, in a terminal.
#[test]
#[ignore = "it panics"]
fn panics_on_a_screen() {
    ucp_core::scratch::remove_on_panic();
    let mut screen = Screen::open(MouseMode::Captured).unwrap();
    screen.draw(|frame| frame.render_widget("about to panic", frame.area())).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    // The thread that panics does not own the screen, so that no value is dropped.
    let panicked = std::thread::spawn(|| panic!("a mistake in this program")).join();
    std::mem::forget(screen);
    assert!(panicked.is_err());
}

#[test]
fn the_terminal_is_restored_after_a_panic() {
    let Some(terminal) = Terminal::plain(Command::new("tmux"), (80, 24)) else { return };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "ui_views::panics_on_a_screen", "--ignored", "--nocapture"]);
    terminal.enter(&line(&command));
    terminal.until("about to panic");
    let screen = terminal.until("a mistake in this program");
    assert!(!screen.contains("about to panic"), "the alternate screen is shown:\n{screen}");
    terminal.enter("stty -a | grep -o ' icanon' && stty -a | grep -o ' echo ' && echo restored");
    terminal.until("\nrestored");
    // tmux knows whether a program wants clicks.
    assert_eq!(terminal.tmux(&["display-message", "-p", "#{mouse_any_flag}"]).trim(), "0");
}
