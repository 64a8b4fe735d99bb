//! Weighs the signs of a status against each other.

use super::sign::{SignWeight, StatusSign};
use crate::model::convention::RunningMeaning;
use crate::model::verdict::Verdict;

/// Returns the worst sign that is not outweighed; `None` if there are no signs.
pub(super) fn worst_sign(mut signs: Vec<StatusSign>, running: RunningMeaning) -> Option<StatusSign> {
    weigh_steps(&mut signs);
    let bad = |sign: &StatusSign| sign.verdict < Verdict::Stuck;
    let is_final = signs.iter().any(|sign| sign.weight == SignWeight::Final);
    // The parts of a task that is complete are no longer needed.
    let is_over = is_final && running == RunningMeaning::Progress;
    let is_paused = signs.iter().any(|sign| sign.verdict == Verdict::Paused && sign.weight == SignWeight::Deciding);
    let decided = |sign: &StatusSign| {
        matches!(sign.weight, SignWeight::Final | SignWeight::Deciding) && sign.verdict != Verdict::Unknown
    };
    let is_decided = signs.iter().any(decided);
    for sign in signs.iter_mut().filter(|_| is_decided) {
        let is_doubtful = match sign.weight {
            // A failed last attempt is not outweighed: the next attempt may fail, too.
            SignWeight::Last | SignWeight::Past => !matches!(sign.verdict, Verdict::Ok | Verdict::Paused),
            SignWeight::Aside => match sign.verdict {
                Verdict::Progressing => !is_over && !is_paused,
                Verdict::Stuck | Verdict::Unknown => !is_over,
                _ => false,
            },
            _ => false,
        };
        if is_doubtful {
            // A part in progress is known to be; all else of a part, or of the past, is a doubt.
            let is_in_progress = sign.weight == SignWeight::Aside && sign.verdict == Verdict::Progressing;
            sign.verdict = if is_in_progress { Verdict::Progressing } else { Verdict::Unknown };
            sign.weight = SignWeight::Doubt;
        }
    }
    signs.retain(|sign| {
        let aside = sign.weight == SignWeight::Aside;
        match sign.verdict {
            // What is paused makes no progress.
            Verdict::Progressing if is_paused => false,
            _ if sign.weight == SignWeight::Doubt => true,
            _ if is_decided && matches!(sign.weight, SignWeight::Last | SignWeight::Past) => false,
            _ if is_over && aside => false,
            Verdict::Progressing if is_over || is_paused => false,
            _ if is_decided && aside => bad(sign),
            _ if is_decided && sign.weight == SignWeight::Weak => bad(sign) || sign.verdict == Verdict::Paused,
            Verdict::Unknown => !is_decided,
            _ => true,
        }
    });
    // Of several signs of progress, one with a time shows whether there is any.
    let is_undated = |sign: &StatusSign| sign.verdict == Verdict::Progressing && sign.since.is_none();
    signs.into_iter().min_by_key(|sign| (sign.verdict, is_undated(sign)))
}

/// Weighs first steps: next to another good state, the object is beyond them. Alone, they do not say that it is complete.
fn weigh_steps(signs: &mut [StatusSign]) {
    let is_of_present =
        |sign: &&StatusSign| !matches!(sign.weight, SignWeight::Step | SignWeight::Past | SignWeight::Last);
    let is_beyond = signs.iter().filter(is_of_present).any(|sign| sign.verdict == Verdict::Ok);
    for sign in signs.iter_mut().filter(|sign| sign.weight == SignWeight::Step) {
        match (is_beyond, sign.verdict) {
            (true, _) => (sign.verdict, sign.weight) = (Verdict::Ok, SignWeight::Deciding),
            (false, Verdict::Ok) => {
                let message = format!("{}; no state shows that it is complete", sign.message);
                *sign = StatusSign { verdict: Verdict::Unknown, weight: SignWeight::Weak, message, ..sign.clone() };
            }
            (false, _) => sign.weight = SignWeight::Weak,
        }
    }
}
