//! Renders whole objects in formats other than JSON and YAML, in the same form as the list that contains them.

use crate::render::{Report, TableStyle};
use crate::report::whole::CompleteObjectList;
use crate::ui::pager::LongLineMode;

impl Report for CompleteObjectList {
    fn table(&self, style: &TableStyle) -> String {
        self.list.table(style)
    }

    fn long_lines(&self) -> LongLineMode {
        self.list.long_lines()
    }

    fn names(&self) -> Vec<String> {
        self.list.names()
    }

    fn markdown(&self) -> String {
        self.list.markdown()
    }
}
