//! Counters of a service.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

/// Counters of a [`Service`](crate::Service) since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Jobs that ran, including those that failed.
    pub jobs: u64,
    /// Groups in which they ran.
    pub groups: u64,
    /// Calls that wait for a group at this moment.
    pub queued: usize,
    /// The time from a call to the start of its group, summed over all calls.
    pub queue_total: Duration,
    /// The longest of these times.
    pub queue_max: Duration,
}

impl Metrics {
    /// Mean number of jobs a group: the lanes filled, or 1 for a job that ran alone. Zero before the first group.
    pub fn mean_fill(&self) -> f64 {
        self.jobs as f64 / self.groups.max(1) as f64
    }

    /// The mean time from a call to the start of its group.
    pub fn mean_queue(&self) -> Duration {
        Duration::from_nanos(self.queue_total.as_nanos() as u64 / self.jobs.max(1))
    }
}

/// The counters behind [`Metrics`].
#[derive(Default)]
pub(crate) struct Meters {
    jobs: AtomicU64,
    groups: AtomicU64,
    queue_total: AtomicU64,
    queue_max: AtomicU64,
}

impl Meters {
    /// Counts a group whose calls waited for these times.
    pub(crate) fn group(&self, waits: impl Iterator<Item = Duration>) {
        let (mut jobs, mut total, mut max) = (0, 0, 0);
        for wait in waits {
            let wait = wait.as_nanos() as u64;
            jobs += 1;
            total += wait;
            max = max.max(wait);
        }
        self.jobs.fetch_add(jobs, Ordering::Relaxed);
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.queue_total.fetch_add(total, Ordering::Relaxed);
        self.queue_max.fetch_max(max, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Metrics {
        let nanos = |x: &AtomicU64| Duration::from_nanos(x.load(Ordering::Relaxed));
        Metrics {
            jobs: self.jobs.load(Ordering::Relaxed),
            groups: self.groups.load(Ordering::Relaxed),
            queued: 0,
            queue_total: nanos(&self.queue_total),
            queue_max: nanos(&self.queue_max),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn waits_are_added_up_and_the_longest_is_kept() {
        let meters = Meters::default();
        let none = meters.read();
        assert_eq!((none.mean_fill(), none.mean_queue()), (0.0, Duration::ZERO));
        meters.group([3, 5, 4].map(Duration::from_nanos).into_iter());
        let some = meters.read();
        assert_eq!((some.jobs, some.groups), (3, 1));
        assert_eq!(
            (some.mean_fill(), some.mean_queue()),
            (3.0, Duration::from_nanos(4))
        );
        assert_eq!(some.queue_max, Duration::from_nanos(5));
    }
}
