//! Evaluates if objects have reached a goal, are on their way to it, or will not reach it without intervention.

mod criteria;
mod evaluation;
pub mod goal;
pub mod hopeless;
pub mod survey;
pub mod targets;

pub use criteria::{WaitCriteria, WaitOutlook, WaitPhase};
pub use goal::WaitGoal;
pub use hopeless::HopelessTimes;
pub use survey::{WaitSurvey, WaitedObject};
pub use targets::{NamedTarget, WaitTargets};

#[cfg(test)]
mod tests;
