//! What the user types into a line at the bottom, and picks from a list.

use std::collections::BTreeSet;

use ratatui::crossterm::event::KeyCode;

use super::picker::{Picker, Prompt, PromptPurpose, ScreenChoice};
use super::{Browser, Effect, Fetched, ObjectPlace, View};
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;
use ucp_core::model::text::one_line;

impl Browser {
    pub(super) fn type_into_prompt(&mut self, key: KeyCode) -> Vec<Effect> {
        let Some(prompt) = &mut self.prompt else { return Vec::new() };
        match key {
            KeyCode::Char(letter) => prompt.text.push(letter),
            KeyCode::Backspace => {
                prompt.text.pop();
            }
            KeyCode::Esc => {
                if prompt.purpose == PromptPurpose::Filter {
                    prompt.text.clear();
                    self.prompt_changed();
                }
                self.prompt = None;
                return Vec::new();
            }
            KeyCode::Enter => {
                let (purpose, text) = (prompt.purpose, prompt.text.trim().to_owned());
                self.prompt = None;
                return match purpose {
                    PromptPurpose::Filter if self.picker.is_some() => self.choose_picked(),
                    PromptPurpose::Filter => Vec::new(),
                    PromptPurpose::Jump => self.jump_to(&text),
                };
            }
            _ => return Vec::new(),
        }
        self.prompt_changed();
        Vec::new()
    }

    pub(super) fn prompt_changed(&mut self) {
        if let Some(Prompt { purpose: PromptPurpose::Filter, text }) = self.prompt.clone() {
            if let Some(picker) = &mut self.picker {
                picker.set_filter(text);
                return;
            }
            match self.text_page() {
                Some(page) => page.set_filter(text),
                None => {
                    self.list_mut().filter = text;
                    self.rebuild();
                }
            }
        }
    }

    /// Shows a view or an object by its name.
    fn jump_to(&mut self, text: &str) -> Vec<Effect> {
        if text.is_empty() {
            return Vec::new();
        }
        let is_view = |view: &&View| view.title().to_lowercase().starts_with(&text.to_lowercase());
        if let Some(view) = View::ALL.iter().find(is_view) {
            return self.show(*view);
        }
        let found: Vec<ObjectPlace> = self.known_objects(text);
        match found.as_slice() {
            [place] => self.open_tree(place.clone()),
            [] => match text.split_once('/') {
                // An object that no list shows, such as a ConfigMap.
                Some((kind, name)) if !kind.is_empty() && !name.is_empty() && self.sources.len() == 1 => {
                    let object = ObjectName {
                        api_version: kind.split_once('.').map(|(_, group)| format!("{group}/")).unwrap_or_default(),
                        kind: kind.split('.').next().unwrap_or_default().to_owned(),
                        namespace: self.namespace.clone(),
                        name: name.to_owned(),
                    };
                    self.open_tree(ObjectPlace { source: None, object })
                }
                _ => self.show_rows_with(text),
            },
            _ => {
                let effects = self.show(View::Resources);
                self.list_mut().filter = text.to_owned();
                self.rebuild();
                effects
            }
        }
    }

    /// Shows the rows that contain a text, such as a kind or the beginning of a name.
    fn show_rows_with(&mut self, text: &str) -> Vec<Effect> {
        let singular = text.strip_suffix('s').filter(|stem| !stem.is_empty()).unwrap_or(text);
        for view in [View::Resources, View::Deployments] {
            for filter in [text, singular] {
                let wanted = filter.to_lowercase();
                let is_shown = |id| self.row(view, id).is_some_and(|row| row.search_text().contains(&wanted));
                if self.all_rows(view).into_iter().any(is_shown) {
                    let mut effects = self.show(view);
                    self.list_mut().filter = filter.to_owned();
                    self.rebuild();
                    effects.extend(self.note("no object has this name; these rows contain it, and Esc shows all"));
                    return effects;
                }
            }
        }
        self.note(&format!("no listed object is called {}", one_line(text)))
    }

    /// Returns the listed objects that a text names, as NAME or KIND/NAME.
    fn known_objects(&self, text: &str) -> Vec<ObjectPlace> {
        let (kind, name) = text.split_once('/').map_or((None, text), |(kind, name)| (Some(kind), name));
        let is_meant = |object: &ObjectName| {
            object.name == name
                && kind.is_none_or(|kind| {
                    let full = object.full_kind();
                    let kind = kind.to_ascii_lowercase();
                    full == kind
                        || full.starts_with(&format!("{kind}."))
                        || kind.trim_end_matches('s') == object.kind.to_ascii_lowercase()
                })
        };
        let mut found = Vec::new();
        for source in &self.sources {
            let Some(hub) = &source.hub else { continue };
            let items = hub.resources.iter().chain(hub.deployments.iter().map(|deployment| &deployment.item));
            let objects =
                items.map(|item| &item.object).chain(hub.status.findings.iter().map(|finding| &finding.object));
            for object in objects.filter(|object| is_meant(object)) {
                let source = (self.sources.len() > 1).then(|| std::sync::Arc::clone(&source.origin));
                let place = ObjectPlace { source, object: object.clone() };
                if !found.contains(&place) {
                    found.push(place);
                }
            }
        }
        found
    }

    pub(super) fn pick_namespace(&mut self) -> Vec<Effect> {
        let mut names = BTreeSet::new();
        for hub in self.sources.iter().filter_map(|source| source.hub.as_ref()) {
            let items = hub.resources.iter().chain(hub.deployments.iter().map(|deployment| &deployment.item));
            let objects =
                items.map(|item| &item.object).chain(hub.status.findings.iter().map(|finding| &finding.object));
            names.extend(objects.filter_map(|object| object.namespace.clone()));
        }
        names.extend(self.namespace.clone());
        let mut choices = vec![ScreenChoice::AllNamespaces];
        choices.extend(names.into_iter().map(ScreenChoice::Namespace));
        let current = self.namespace.clone();
        let selected = choices.iter().position(|choice| current.as_deref() == Some(choice.title())).unwrap_or(0);
        self.picker = Some(Picker::new("Namespace", choices, selected));
        Vec::new()
    }

    pub(super) fn pick_source(&mut self) -> Vec<Effect> {
        let (choices, selected): (Vec<ScreenChoice>, usize) = if self.sources.len() > 1 {
            let sources = self.sources.iter().enumerate();
            let each = sources.map(|(index, source)| ScreenChoice::Source(index, source.origin.label().to_owned()));
            (std::iter::once(ScreenChoice::AllSources).chain(each).collect(), self.only.map_or(0, |only| only + 1))
        } else {
            let choices: Vec<_> = self.start.contexts.iter().cloned().map(ScreenChoice::Context).collect();
            let current = self.sources.first().map(|source| source.origin.label().to_owned());
            let selected = choices.iter().position(|choice| current.as_deref() == Some(choice.title()));
            (choices, selected.unwrap_or(0))
        };
        let is_snapshot =
            matches!(self.sources.first().map(|source| source.origin.as_ref()), Some(Origin::Snapshot { .. }));
        if choices.is_empty() || is_snapshot && self.sources.len() == 1 {
            return self.note("no other core cluster is known; --contexts, or --from more than once, shows several");
        }
        self.picker = Some(Picker::new("Core cluster", choices, selected));
        Vec::new()
    }

    pub(super) fn pick_with(&mut self, key: KeyCode) -> Vec<Effect> {
        let screen = isize::try_from(self.areas.body_height().saturating_sub(1)).unwrap_or(1).max(1);
        let Some(picker) = &mut self.picker else { return Vec::new() };
        match key {
            KeyCode::Up | KeyCode::Char('k') => picker.move_by(-1),
            KeyCode::Down | KeyCode::Char('j') => picker.move_by(1),
            KeyCode::PageUp => picker.move_by(-screen),
            KeyCode::PageDown | KeyCode::Char(' ') => picker.move_by(screen),
            KeyCode::Home | KeyCode::Char('g') => picker.selected = 0,
            KeyCode::End | KeyCode::Char('G') => picker.move_by(isize::MAX),
            KeyCode::Char('/') => {
                let text = picker.filter.clone();
                self.prompt = Some(Prompt { purpose: PromptPurpose::Filter, text });
            }
            KeyCode::Esc | KeyCode::Char('q') => self.picker = None,
            KeyCode::Enter => return self.choose_picked(),
            _ => {}
        }
        Vec::new()
    }

    fn choose_picked(&mut self) -> Vec<Effect> {
        let Some(picker) = self.picker.take() else { return Vec::new() };
        let choice = picker.shown().get(picker.selected).map(|choice| (*choice).clone());
        choice.map(|choice| self.choose(choice)).unwrap_or_default()
    }

    fn choose(&mut self, choice: ScreenChoice) -> Vec<Effect> {
        let namespace = match choice {
            ScreenChoice::AllNamespaces => None,
            ScreenChoice::Namespace(name) => Some(name),
            ScreenChoice::AllSources | ScreenChoice::Source(..) => {
                self.only = if let ScreenChoice::Source(index, _) = choice { Some(index) } else { None };
                self.lists.iter_mut().for_each(|list| list.select(0));
                self.history = Fetched::Unread;
                let effects = if self.view == View::History { self.refresh() } else { Vec::new() };
                self.rebuild();
                return effects;
            }
            ScreenChoice::Context(context) => {
                return vec![Effect::Connect { context: Some(context), namespace: None }];
            }
        };
        // With `-n`, other namespaces were not read.
        if self.start.namespace.is_some() && self.start.namespace != namespace {
            return vec![Effect::Connect { context: None, namespace }];
        }
        self.namespace = namespace;
        self.rebuild();
        Vec::new()
    }
}
