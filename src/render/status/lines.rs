//! Findings in one line each.

use super::with_alike;
use crate::render::fitting::fitted;
use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, HeaderVisibility, TableStyle, words};
use crate::report::sources::Sourced;
use crate::report::status::StatusReport;
use crate::ui::{style as look, styled};
use ucp_core::model::finding::Finding;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;

/// The width of the columns before the object, with their gaps, for the longest verdict, code and age.
const BEFORE_OBJECT: usize = 30;

impl StatusReport {
    /// Returns a line for each finding. On a narrow terminal, the kind and the namespace of an object are shortened before its
    /// name.
    pub(super) fn finding_lines(&self, findings: &[Sourced<Finding>], style: &TableStyle) -> String {
        let columns = [
            TableColumn::Fixed("VERDICT"),
            TableColumn::Fixed("CODE"),
            TableColumn::Fixed("SINCE"),
            TableColumn::Fixed("OBJECT"),
            TableColumn::Flexible("WHY"),
        ];
        let narrow = style.width.filter(|_| style.detail == DetailLevel::Normal);
        let room = narrow.map_or(usize::MAX, |width| width.saturating_sub(BEFORE_OBJECT) * 3 / 5);
        let rows = findings.iter().map(|finding| {
            let since = finding.since.map(|since| age(since, self.moment_of(finding))).unwrap_or_default();
            vec![
                words::verdict(finding.verdict),
                styled(look::FAINT, &finding.code),
                since,
                format!(
                    "{}{}",
                    words::source_line_prefix(finding),
                    fitted(&with_alike(finding), Some(&finding.object), room)
                ),
                one_line(&finding.message),
            ]
        });
        table(&columns, rows, &TableStyle { headers: HeaderVisibility::Hidden, ..*style })
    }
}
