//! Renders whole objects in formats other than JSON and YAML, in the same form as the list that contains them.

use crate::render::{Report, Style};
use crate::report::whole::WholeList;
use crate::ui::pager::LongLines;

impl Report for WholeList {
    fn table(&self, style: &Style) -> String {
        self.list.table(style)
    }

    fn long_lines(&self) -> LongLines {
        self.list.long_lines()
    }

    fn names(&self) -> Vec<String> {
        self.list.names()
    }

    fn markdown(&self) -> String {
        self.list.markdown()
    }
}
