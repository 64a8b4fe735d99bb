//! Renders a `SnapshotFile`.

use crate::render::{Report, TableStyle, words};
use crate::report::snapshot::SnapshotFile;
use ucp_core::model::text::{one_line, plain};

impl SnapshotFile {
    fn lines(&self) -> Vec<String> {
        let size = match self.bytes {
            bytes if bytes < 10_000 => format!("{bytes} bytes"),
            bytes if bytes < 10_000_000 => format!("{} kB", bytes / 1000),
            bytes => format!("{} MB", bytes / 1_000_000),
        };
        let mut lines = vec![format!(
            "{}: {} of {}, {size}; {} hidden",
            plain(&self.path),
            words::count(self.objects, "objects"),
            words::count(self.kinds, "kinds"),
            words::count(self.hidden, "values"),
        )];
        for cluster in &self.app_clusters {
            let how = match (&cluster.reason, cluster.unreadable) {
                (Some(reason), _) => format!("not taken: {}", one_line(reason)),
                (None, 0) => format!("in {}", plain(&cluster.directory)),
                (None, lost) => {
                    format!(
                        "in {}, without {} that could not be read",
                        plain(&cluster.directory),
                        words::count(lost, "kinds")
                    )
                }
            };
            lines.push(format!("app cluster {}: {how}", one_line(&cluster.name)));
        }
        lines
    }
}

impl Report for SnapshotFile {
    fn table(&self, _style: &TableStyle) -> String {
        self.lines().join("\n")
    }

    fn names(&self) -> Vec<String> {
        vec![plain(&self.path).into_owned()]
    }

    fn markdown(&self) -> String {
        self.lines().iter().map(|line| format!("- {}\n", words::markdown_cell(line))).collect()
    }
}
