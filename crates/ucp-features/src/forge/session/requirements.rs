//! The requirements of the forge for a pull request.

use serde_json::Value;

use super::error::ForgeError;
use super::{ForgeSession, MOST_PAGES};
use crate::forge::pull_request::PullRequest;
use crate::forge::request::ApiRequest;
use crate::forge::requirements::{RequirementRequest, ResponseReading, UnmetRequirements, add_page};

impl ForgeSession {
    /// Returns the open requirements of the forge for a merge of a pull request.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub async fn unmet_requirements(&self, opened: &PullRequest) -> Result<UnmetRequirements, ForgeError> {
        let requests = self.forge.requirements(opened).map_err(|reason| ForgeError::Unreadable(reason.to_owned()))?;
        let mut responses = Vec::new();
        for request in &requests {
            responses.push(self.read_requirement(request).await?);
        }
        self.forge.unmet(opened, &responses).ok_or_else(|| {
            let number = opened.number;
            ForgeError::Unreadable(format!(
                "the requirements of #{number} in the response of {} are incomplete",
                self.kind.name()
            ))
        })
    }

    async fn read_requirement(&self, wanted: &RequirementRequest) -> Result<Value, ForgeError> {
        let answer = self.send(&wanted.request).await;
        let (list, mut all) = match (wanted.reading, answer) {
            (ResponseReading::IfAllowed, Err(ForgeError::Rejected { .. })) => return Ok(Value::Null),
            (ResponseReading::Pages(list), Ok(all)) => (list, all),
            (_, answer) => return answer,
        };
        for page in 2..=MOST_PAGES {
            let path = format!("{}&page={page}", wanted.request.path);
            let more = self.send(&ApiRequest { path, ..wanted.request.clone() }).await?;
            if !add_page(&mut all, &more, list) {
                return Ok(all);
            }
        }
        Err(ForgeError::Unreadable(format!("the response of {} has no end of its pages", self.kind.name())))
    }
}
