//! How whole objects look where the output is no object: as the list that they are of.

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
