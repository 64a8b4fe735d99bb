//! The automatic merge of a pull request: read, scheduled, and canceled.

use std::time::Duration;

use super::{ForgeError, ForgeSession};
use crate::forge::merging::{MergeSchedule, ScheduleState};
use crate::forge::pull_request::PullRequest;
use ucp_core::failure::Failure;

/// Reads of a pull request that its forge still examines.
const EXAMINATIONS: u32 = 15;
/// Pause between them.
const PAUSE: Duration = Duration::from_secs(1);

impl ForgeSession {
    /// Schedules the merge of a pull request, unless it is scheduled already.
    ///
    /// # Errors
    /// Fails with the reason why none is scheduled.
    pub(super) async fn schedule_merge(&self, opened: &PullRequest) -> Result<(), Failure> {
        // If the allowed methods cannot be read, the forge decides.
        let schedule = self.examined(opened).await.unwrap_or_default();
        if schedule.state == ScheduleState::Scheduled {
            return Ok(());
        }
        let request = self.forge.merge_when_ready(opened, schedule.method.as_deref())?;
        match self.send(&request).await {
            Err(ForgeError::Rejected { status, reason }) if self.forge.is_scheduled_before(status, &reason) => Ok(()),
            other => other.map(drop).map_err(Failure::from),
        }
    }

    /// Cancels the automatic merge that an earlier run may have requested. Returns true if there was one.
    ///
    /// # Errors
    /// Fails when the merge may still be scheduled.
    pub async fn cancel_merge(&self, opened: &PullRequest) -> Result<bool, Failure> {
        let Ok(request) = self.forge.cancel_merge(opened) else { return Ok(false) };
        let schedule = self.merge_schedule(opened).await.unwrap_or_default();
        if matches!(schedule.state, ScheduleState::Unscheduled | ScheduleState::Examined) {
            return Ok(false);
        }
        match self.send(&request).await {
            Err(ForgeError::Rejected { status, .. }) if self.forge.is_none_to_cancel(status) => Ok(false),
            other => other.map(|_| true).map_err(Failure::from),
        }
    }

    async fn merge_schedule(&self, opened: &PullRequest) -> Result<MergeSchedule, ForgeError> {
        match self.forge.merge_settings(opened) {
            Some(request) => Ok(self.forge.read_schedule(&self.send(&request).await?)),
            None => Ok(MergeSchedule::default()),
        }
    }

    /// Reads it after the forge has examined the pull request: before, it accepts no request for a merge.
    async fn examined(&self, opened: &PullRequest) -> Result<MergeSchedule, ForgeError> {
        for _ in 0..EXAMINATIONS {
            let schedule = self.merge_schedule(opened).await?;
            if schedule.state != ScheduleState::Examined {
                return Ok(schedule);
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.merge_schedule(opened).await
    }
}
