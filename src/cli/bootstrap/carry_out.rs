//! Writes the planned objects, wave by wave.

use std::collections::BTreeMap;

use super::answers::SecretValues;
use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::render::words;
use crate::ui::progress::Progress;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::object::ObjectKey;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::bootstrap::write::{BootstrapWriter, SecretWriteResult, WritePrecondition};
use ucp_features::bootstrap::{BootstrapAction, BootstrapStep, Wave};

/// Writes the planned objects. After an error, the objects written so far remain, and the next run continues after
/// them.
///
/// # Errors
/// Fails when the server refuses an object, or does not respond.
pub(super) fn carry_out(
    context: &Context,
    look: &BootstrapComparison,
    answers: &BTreeMap<NamespacedName, SecretValues>,
    conflicts: ConflictPolicy,
) -> Result<()> {
    let steps: Vec<&BootstrapStep> = look.steps.iter().filter(|step| step.writes()).collect();
    if steps.is_empty() {
        return Ok(());
    }
    let roots = steps.partition_point(|step| step.wave < Wave::Roots);
    let (before, after) = steps.split_at(roots);
    let progress = context.ui.progress("writing");
    progress.set_total(steps.len());
    let mut written = BTreeMap::new();
    let result = write_steps(context, look, before, answers, conflicts, &progress, &mut written).and_then(|()| {
        if after.is_empty() {
            return Ok(());
        }
        look.examine_again(context)?;
        write_steps(context, look, after, answers, conflicts, &progress, &mut written)?;
        let is_created = |step: &&&BootstrapStep| matches!(look.planned(&step.object), WritePrecondition::Absent);
        let created = after.iter().filter(is_created).map(|step| ObjectKey::from(&step.object)).collect();
        look.examine_written(context, &created)
    });
    drop(progress);
    for (wave, number) in written {
        context.ui.message(&format!("{}: {number} written.", wave.title()));
    }
    result
}

fn write_steps(
    context: &Context,
    look: &BootstrapComparison,
    steps: &[&BootstrapStep],
    answers: &BTreeMap<NamespacedName, SecretValues>,
    conflicts: ConflictPolicy,
    progress: &Progress,
    written: &mut BTreeMap<Wave, usize>,
) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let flags = &context.globals.connection;
    live::runtime()?.block_on(async {
        let api = ApiWriter::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
        let mut writer = BootstrapWriter::open(api, conflicts).await?;
        for step in steps {
            let made = write(&mut writer, look, step, answers).await;
            let made = made.map_err(|reason| {
                Error::failed(format!("{}: {reason}", words::object(&step.object)))
                    .hint("objects that were written are kept: fix the cause and run the command again")
            })?;
            if made == SecretWriteResult::Written {
                *written.entry(step.wave).or_default() += 1;
            }
            progress.add_step();
        }
        Ok(())
    })
}

async fn write(
    writer: &mut BootstrapWriter,
    look: &BootstrapComparison,
    step: &BootstrapStep,
    answers: &BTreeMap<NamespacedName, SecretValues>,
) -> Result<SecretWriteResult, Failure> {
    if step.wave == Wave::Secrets {
        let demand = look.desire.demands.iter().find(|demand| demand.secret.secret() == step.object);
        let demand = demand.ok_or("nothing requires it")?;
        let none = SecretValues::new();
        let values = values(step.action, answers.get(&demand.secret), &none)?;
        return writer.secret(demand, look.is_there(&demand.secret), values).await;
    }
    match look.desire.applied.iter().find(|wanted| wanted.object == step.object) {
        Some(wanted) => writer.apply(wanted, look.planned(&wanted.object)).await?,
        None => writer.namespace(&step.object.name).await?,
    }
    Ok(SecretWriteResult::Written)
}

/// Returns the values of a Secret; none are needed if the repository declares them.
fn values<'a>(
    action: BootstrapAction,
    answers: Option<&'a SecretValues>,
    none: &'a SecretValues,
) -> Result<&'a SecretValues, Failure> {
    match (answers.filter(|values| !values.is_empty()), action) {
        (Some(values), _) => Ok(values),
        (None, BootstrapAction::Ask) => fail!("it has no value"),
        (None, _) => Ok(none),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::SecretSlice;

    #[test]
    fn a_requested_secret_is_never_created_without_a_value() {
        let none = SecretValues::new();
        let some = SecretValues::from([("key".to_owned(), SecretSlice::from(vec![1]))]);
        assert_eq!(values(BootstrapAction::Ask, Some(&some), &none).unwrap().len(), 1);
        for nothing in [None, Some(&none)] {
            assert_eq!(values(BootstrapAction::Ask, nothing, &none).unwrap_err().as_str(), "it has no value");
            assert!(values(BootstrapAction::Create, nothing, &none).unwrap().is_empty());
            assert!(values(BootstrapAction::Update, nothing, &none).unwrap().is_empty());
        }
    }
}
