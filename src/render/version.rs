//! Renders a `Version` in the format of `kubectl version`.

use crate::render::{Report, TableStyle, words};
use crate::report::version::VersionReport;
use ucp_core::model::text::one_line;

impl VersionReport {
    fn lines(&self) -> Vec<(&str, String)> {
        let lines = [
            ("Client Version", Some(self.client.git_version.clone())),
            ("Commit", self.client.git_commit.map(str::to_owned)),
            ("Build Date", self.client.build_date.map(str::to_owned)),
            ("Platform", Some(self.client.platform.clone())),
            ("Server Version", self.server.as_ref().map(|server| one_line(&server.git_version))),
        ];
        let engines = self.engines.iter().map(|engine| (engine.name.as_str(), one_line(&engine.version)));
        lines.into_iter().filter_map(|(name, value)| Some((name, value?))).chain(engines).collect()
    }
}

impl Report for VersionReport {
    fn table(&self, _style: &TableStyle) -> String {
        self.lines().iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    fn names(&self) -> Vec<String> {
        vec![self.client.git_version.clone()]
    }

    fn markdown(&self) -> String {
        let rows = self.lines();
        let rows = rows.iter().map(|(name, value)| format!("| {name} | {} |\n", words::markdown_cell(value)));
        std::iter::once("| | |\n|---|---|\n".to_owned()).chain(rows).collect()
    }
}
