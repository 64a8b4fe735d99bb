//! What keys and clicks do.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::list::ListState;
use super::picker::{Prompt, PromptPurpose};
use super::{Browser, Effect, ObjectPlace, ReadRequest, TextPage, View};
use ucp_core::model::text::one_line;

/// The keys, for the page of `?`.
const HELP: &str = "\
Views
  1 … 8, Tab, ← →   findings, resources, tree, deployments, versions,
                    app clusters, drift, history
  Enter             the tree of the selected object; in a tree, the object
  Esc               back; ends a filter
Move
  ↑ ↓ j k           one row              PgUp PgDn   one page
  g G, Home End     first, last row      ← →         sideways, in a text
Selected object
  e  explain the finding's code          y  YAML, with secrets hidden
  d  drift as a diff                     h  events and history
  p  probable causes of its failure      o  owner
  t  tree from here
Show
  /  only rows with a text or label      :  jump to KIND/NAME, NAME or a view
  n  namespace                           c  core cluster
     in their lists: / filters, Enter selects, Esc closes
  w  more columns                        s  sort: worst, name, kind, youngest
  r  read again
Copy
  C  the command that shows the same     x  the next command of a finding
Leave
  q, Ctrl-C  end                         Ctrl-Z  suspend

This only reads. Tree, versions, app clusters, drift and history are as of the
time in their title; r reads them again. The other views follow the cluster.
";

/// An event for the browser.
pub type Input = Event;

impl Browser {
    /// Handles a key, a click, or a new size.
    pub fn handle(&mut self, input: &Input) -> Vec<Effect> {
        match input {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key_pressed(*key),
            Event::Mouse(mouse) => self.mouse_used(*mouse),
            Event::Paste(text) => {
                if let Some(prompt) = &mut self.prompt {
                    prompt.text.push_str(&one_line(text));
                    self.prompt_changed();
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn key_pressed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => vec![Effect::Quit],
                KeyCode::Char('z') => vec![Effect::Suspend],
                _ => Vec::new(),
            };
        }
        self.message = None;
        if self.prompt.is_some() {
            return self.type_into_prompt(key.code);
        }
        if self.picker.is_some() {
            return self.pick_with(key.code);
        }
        if key.code == KeyCode::Char('q') {
            return vec![Effect::Quit];
        }
        if self.text_page().is_some() {
            if let Some(effects) = self.read_page_with(key.code) {
                return effects;
            }
        } else if let Some(effects) = self.move_with(key.code) {
            return effects;
        }
        self.act_on(key.code)
    }

    /// Returns the page of text on the screen, if there is one.
    pub(super) fn text_page(&mut self) -> Option<&mut TextPage> {
        if self.pages.is_empty() && self.view == View::Versions {
            return self.versions.as_mut();
        }
        self.pages.last_mut()
    }

    /// Returns the filter of what is on the screen.
    pub(super) fn shown_filter(&self) -> &str {
        let versions = self.versions.as_ref().filter(|_| self.view == View::Versions);
        self.pages.last().or(versions).map_or(&self.list().filter, |page| &page.filter)
    }

    fn read_page_with(&mut self, key: KeyCode) -> Option<Vec<Effect>> {
        let (height, length) = (self.areas.body_height(), self.areas.text_length);
        let is_over_view = !self.pages.is_empty();
        let page = self.text_page()?;
        let screen = isize::try_from(height.saturating_sub(1)).unwrap_or(1);
        match key {
            KeyCode::Up | KeyCode::Char('k') => page.scroll(-1, height, length),
            KeyCode::Down | KeyCode::Char('j') => page.scroll(1, height, length),
            KeyCode::PageUp => page.scroll(-screen, height, length),
            KeyCode::PageDown | KeyCode::Char(' ') => page.scroll(screen, height, length),
            KeyCode::Home | KeyCode::Char('g') => page.top = 0,
            KeyCode::End | KeyCode::Char('G') => page.scroll(isize::MAX, height, length),
            KeyCode::Esc if !page.filter.is_empty() => page.set_filter(String::new()),
            KeyCode::Left if is_over_view => page.shift(-8),
            KeyCode::Right if is_over_view => page.shift(8),
            KeyCode::Esc if is_over_view => {
                self.pages.pop();
            }
            KeyCode::Enter => {}
            _ => return None,
        }
        Some(Vec::new())
    }

    fn move_with(&mut self, key: KeyCode) -> Option<Vec<Effect>> {
        let at = self.list().selected;
        let page = self.areas.body_height().saturating_sub(1).max(1);
        match key {
            KeyCode::Up | KeyCode::Char('k') => self.select(at.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.select(at + 1),
            KeyCode::PageUp => self.select(at.saturating_sub(page)),
            KeyCode::PageDown | KeyCode::Char(' ') => self.select(at + page),
            KeyCode::Home | KeyCode::Char('g') => self.select(0),
            KeyCode::End | KeyCode::Char('G') => self.select(usize::MAX),
            KeyCode::Enter => return Some(self.open_selected()),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn act_on(&mut self, key: KeyCode) -> Vec<Effect> {
        let position = self.view.position();
        let count = View::ALL.len();
        match key {
            KeyCode::Char(digit @ '1'..='8') => {
                let index = digit.to_digit(10).unwrap_or(1) as usize - 1;
                self.show(View::ALL[index])
            }
            KeyCode::Tab | KeyCode::Right => self.show(View::ALL[(position + 1) % count]),
            KeyCode::BackTab | KeyCode::Left => self.show(View::ALL[(position + count - 1) % count]),
            KeyCode::Esc => self.go_back(),
            KeyCode::Char('?') => {
                let render = std::sync::Arc::new(|_: usize| HELP.to_owned());
                self.pages.push(TextPage::new("Keys", "kubectl ucp ui --help", render));
                Vec::new()
            }
            KeyCode::Char('/') => {
                let text = self.shown_filter().to_owned();
                self.prompt = Some(Prompt { purpose: PromptPurpose::Filter, text });
                Vec::new()
            }
            KeyCode::Char(':') => {
                self.prompt = Some(Prompt { purpose: PromptPurpose::Jump, text: String::new() });
                Vec::new()
            }
            KeyCode::Char('n') => self.pick_namespace(),
            KeyCode::Char('c') => self.pick_source(),
            KeyCode::Char('w') => {
                self.is_wide = !self.is_wide;
                self.note(if self.is_wide { "more columns, where names leave room" } else { "fewer columns" })
            }
            KeyCode::Char('s') => {
                self.next_order();
                Vec::new()
            }
            KeyCode::Char('r') => self.refresh(),
            KeyCode::Char('C') => self.copy(self.shown_command()),
            KeyCode::Char('x') => match self.selected_row().and_then(|row| row.hint) {
                Some(hint) => self.copy(hint),
                None => self.note("the selected row has no next command"),
            },
            KeyCode::Char(letter @ ('e' | 'y' | 'd' | 'h' | 'o' | 'p' | 't')) => self.look_at_selected(letter),
            _ => Vec::new(),
        }
    }

    pub(super) fn note(&mut self, message: &str) -> Vec<Effect> {
        self.message = Some(message.to_owned());
        Vec::new()
    }

    fn copy(&mut self, command: String) -> Vec<Effect> {
        self.message = Some(format!("to the clipboard: {command}"));
        vec![Effect::Copy(command)]
    }

    fn go_back(&mut self) -> Vec<Effect> {
        if !self.list().filter.is_empty() {
            self.list_mut().filter.clear();
            self.rebuild();
            return Vec::new();
        }
        match self.view {
            View::Tree => self.show(self.before_tree),
            View::Findings => Vec::new(),
            _ => self.show(View::Findings),
        }
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        // The reason why there are no rows is shown.
        let Some(row) = self.selected_row() else { return Vec::new() };
        match (self.view, row.place()) {
            (_, None) => self.note("this row is no object of the core cluster"),
            (View::Tree, Some(_)) => self.look_at_selected('y'),
            (_, Some(place)) => self.open_tree(place),
        }
    }

    fn look_at_selected(&mut self, key: char) -> Vec<Effect> {
        let Some(row) = self.selected_row() else { return self.note("nothing is selected") };
        if key == 'e' {
            if row.code.is_empty() {
                return self.note("the selected row has no finding to explain");
            }
            let command = format!("kubectl ucp explain {}", row.code);
            return self.open_page(format!("{} explained", row.code), command, ReadRequest::Explanation(row.code));
        }
        if key == 'o' {
            return match (self.view, row.owner) {
                (View::Tree, Some(owner)) => {
                    let rows = self.list().rows.clone();
                    let above = rows[..self.list().selected]
                        .iter()
                        .rposition(|id| self.row(View::Tree, *id).and_then(|row| row.object).as_ref() == Some(&owner));
                    if let Some(position) = above {
                        self.select(position);
                    }
                    Vec::new()
                }
                (_, Some(owner)) => self.open_tree(ObjectPlace { source: row.source, object: owner }),
                (_, None) => self.note("no owner is known"),
            };
        }
        let Some(place) = row.place() else { return self.note("this row is no object of the core cluster") };
        let name = one_line(&place.object.kind_and_name());
        match key {
            't' => self.open_tree(place),
            'y' => self.open_page(name, self.yaml_command(&place), ReadRequest::Yaml(place)),
            'h' => {
                let command = self.object_command("kubectl ucp history", &place, "");
                self.open_page(format!("Events and history of {name}"), command, ReadRequest::Events(place))
            }
            'p' => {
                let command = self.object_command("kubectl ucp history --cause", &place, "");
                self.open_page(format!("Probable causes of a failure of {name}"), command, ReadRequest::Causes(place))
            }
            _ => {
                let command = self.object_command("kubectl ucp drift", &place, "");
                self.open_page(format!("Drift of {name}"), command, ReadRequest::ObjectDrift(place))
            }
        }
    }

    fn mouse_used(&mut self, mouse: MouseEvent) -> Vec<Effect> {
        let position = Position::new(mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollDown => self.scroll_by(3),
            MouseEventKind::ScrollUp => self.scroll_by(-3),
            MouseEventKind::Down(MouseButton::Left) => return self.clicked(position),
            _ => {}
        }
        Vec::new()
    }

    fn scroll_by(&mut self, rows: isize) {
        let (height, length) = (self.areas.body_height(), self.areas.text_length);
        if let Some(picker) = &mut self.picker {
            picker.move_by(rows);
        } else if let Some(page) = self.text_page() {
            page.scroll(rows, height, length);
        } else {
            let ListState { selected, .. } = *self.list();
            self.select(selected.saturating_add_signed(rows));
        }
    }

    fn clicked(&mut self, position: Position) -> Vec<Effect> {
        if self.picker.is_some() || self.prompt.is_some() {
            return Vec::new();
        }
        if let Some(view) = self.areas.tab_at(position) {
            return self.show(view);
        }
        if self.text_page().is_some() {
            return Vec::new();
        }
        let Some(line) = self.areas.row_at(position) else { return Vec::new() };
        let row = self.list().top + line;
        if row >= self.list().rows.len() {
            return Vec::new();
        }
        if row == self.list().selected {
            return self.open_selected();
        }
        self.select(row);
        Vec::new()
    }
}
