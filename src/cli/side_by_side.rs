//! Concurrent work on several clusters or files, in threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` for all items, with up to `workers` threads. The results are in the order of the items.
pub(super) fn side_by_side<T: Sync, R: Send>(items: &[T], workers: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut answers: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.min(items.len())).map(|_| scope.spawn(take)).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use ucp_client::source::live::MOST_CLUSTERS;

    #[test]
    fn answers_are_in_the_order_of_the_questions() {
        // No thread continues before all have started.
        let all_at_work = Barrier::new(3);
        let tripled = side_by_side(&[1, 2, 3], MOST_CLUSTERS, |number| {
            all_at_work.wait();
            number * 3
        });
        assert_eq!(tripled, [3, 6, 9]);
        assert_eq!(side_by_side(&[1, 2, 3, 4], 2, |number| *number), [1, 2, 3, 4]);
        assert_eq!(side_by_side(&[], 2, |number: &i32| *number), [0; 0]);
    }
}
