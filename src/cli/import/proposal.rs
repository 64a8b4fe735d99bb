//! The import plan as a proposal, which the commands that write files show and carry out.

use crate::cli::writing::{CommittedEdits, EditProposal};
use crate::promote::landing::Landable;
use crate::report::import::{ImportPlan, ImportStep};
use crate::report::promotion::{Receipt, RepositoryPath};
use ucp_core::error::Outcome;
use ucp_repo::gitops::files::FileEdit;

impl Landable for ImportPlan {
    fn files(&self) -> &[FileEdit] {
        &self.files
    }

    fn refuses(&self) -> bool {
        false
    }

    fn makes_files(&self) -> bool {
        true
    }
}

impl CommittedEdits for ImportPlan {
    const MEANWHILE: &'static str = "Nothing to push: all manifests were pushed in the meantime.";

    fn summary(&self) -> Vec<String> {
        let written = self.items.iter().filter(|item| item.manifest.is_some());
        written
            .map(|item| {
                let name = item.object.as_ref().map(|object| object.kind_and_name()).unwrap_or_default();
                format!("{} {name} ({})", item.step.as_str(), item.external_name.as_deref().unwrap_or_default())
            })
            .collect()
    }

    fn note_receipt(&mut self, receipt: Receipt) {
        self.receipt = receipt;
    }
}

impl EditProposal for ImportPlan {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn stops(&self) -> Option<(Outcome, String)> {
        self.files.is_empty().then(|| {
            let (outcome, message) = self.ends();
            (outcome, message.unwrap_or_else(|| "Nothing to do: all resources are already owned.".to_owned()))
        })
    }

    fn dry_run(&self) -> Outcome {
        self.ends().0
    }

    fn question(&self) -> String {
        let (observe, own) = (self.count(ImportStep::Observe), self.count(ImportStep::Own));
        let written = [(observe, "observe"), (own, "own")];
        let verbs: Vec<_> =
            written.iter().filter(|(count, _)| *count > 0).map(|(count, verb)| format!("{verb} {count}")).collect();
        match verbs.as_slice() {
            [] => "Complete the kustomizations?".to_owned(),
            verbs => format!("Write the manifests that {}?", verbs.join(" and ")),
        }
    }

    fn note_source(&mut self, source: RepositoryPath) {
        self.repository = source;
    }

    fn ends(&self) -> (Outcome, Option<String>) {
        let count = |step: ImportStep| self.count(step);
        let (refused, differs, waiting) =
            (count(ImportStep::Refused), count(ImportStep::Differs), count(ImportStep::Waiting));
        let verb = |number: usize, one: &'static str, many: &'static str| if number == 1 { one } else { many };
        let parts = [
            (refused, "refused", ""),
            (differs, verb(differs, "stays", "stay"), " observed, because the external resource may change"),
            (waiting, verb(waiting, "waits", "wait"), ""),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, verb, rest)| format!("{count} {verb}{rest}"))
            .collect();
        let outcome = match (refused + differs, waiting + self.unreadable.len()) {
            (1.., _) => Outcome::Findings,
            (0, 1..) => Outcome::Incomplete,
            (0, 0) => Outcome::Clean,
        };
        let observed = count(ImportStep::Observe) > 0;
        let next =
            "After they are deployed and ready, run the same command again to write manifests that own the resources.";
        let mut message = said.join("; ");
        if !message.is_empty() {
            message.push('.');
        }
        if observed && refused + differs + waiting < self.items.len() {
            message = format!("{message}{}{next}", if message.is_empty() { "" } else { " " });
        }
        (outcome, Some(message).filter(|message| !message.is_empty()))
    }
}
