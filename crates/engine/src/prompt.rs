//! Whether the members of a team come in time: [`Promptness`].

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use core::time::Duration;
use std::time::Instant;

/// How a team's last operations went. After two late ones in a row the next operations are the caller's alone: one, three,
/// seven, up to [`MOST`], and for [`AMENDS`] times as long as was lost; then some are shared again, to find out. One late
/// operation tells nothing: it wakes members that sleep.
#[derive(Debug)]
pub(crate) struct Promptness {
    /// When the team was made.
    begin: Instant,
    /// Operations until one is shared again.
    alone: AtomicU32,
    /// Nanoseconds after `begin` until one is shared again.
    until: AtomicU64,
    /// Operations that were left alone at last, 0 if the last ones were not late.
    after: AtomicU32,
    /// Whether the last operation was the first late one.
    first: AtomicBool,
}

/// The most operations in a row that are left alone, where little is lost by trying.
const MOST: u32 = 127;
/// How many times as long as the caller has waited operations are left alone.
const AMENDS: u32 = 32;

/// How an operation went.
pub(crate) struct Offer {
    /// Whether a member had come when the caller ended its own part.
    pub(crate) came: bool,
    /// How long the caller's own part took, with what it waits for in there.
    pub(crate) own: Duration,
    /// How long the whole took.
    pub(crate) whole: Duration,
}

impl Promptness {
    pub(crate) fn new() -> Promptness {
        Promptness {
            begin: Instant::now(),
            alone: AtomicU32::new(0),
            until: AtomicU64::new(0),
            after: AtomicU32::new(0),
            first: AtomicBool::new(false),
        }
    }

    /// Notes an operation whose members have parts of nearly the same length.
    pub(crate) fn note(&self, offer: &Offer) {
        self.note_at(self.begin.elapsed(), offer);
    }

    /// Whether the next operation is to be shared.
    pub(crate) fn is_prompt(&self) -> bool {
        self.is_prompt_at(self.begin.elapsed())
    }

    fn note_at(&self, now: Duration, offer: &Offer) {
        let lost = offer.whole.saturating_sub(offer.own);
        let late = !offer.came || lost > offer.own / 4;
        let first = self.first.fetch_xor(late, Relaxed);
        if late && !first {
            return;
        }
        let after = match late {
            true => MOST.min(2 * self.after.load(Relaxed) + 1),
            false => 0,
        };
        let amends = if late { AMENDS * lost } else { Duration::ZERO };
        self.first.store(false, Relaxed);
        self.after.store(after, Relaxed);
        self.alone.store(after, Relaxed);
        self.until.store(nanoseconds(now + amends), Relaxed);
    }

    fn is_prompt_at(&self, now: Duration) -> bool {
        let less = |alone: u32| alone.checked_sub(1);
        let waits = self.alone.fetch_update(Relaxed, Relaxed, less).is_ok();
        !waits && nanoseconds(now) >= self.until.load(Relaxed)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap_or(u64::MAX)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Operations that are left alone at a time before one is shared.
    fn alone(promptness: &Promptness, now: Duration) -> u32 {
        (0..1000)
            .take_while(|_| !promptness.is_prompt_at(now))
            .count() as u32
    }

    fn took(own: u32, whole: u32) -> Offer {
        Offer {
            came: true,
            own: own * MS,
            whole: whole * MS,
        }
    }

    #[test]
    fn late_operations_are_tried_less_and_less_often() {
        let promptness = Promptness::new();
        let nobody = || Offer {
            came: false,
            ..took(4, 4)
        };
        assert_eq!(alone(&promptness, MS), 0);
        for expected in [1, 3, 7, 15, 31, 63, 127, 127] {
            promptness.note_at(MS, &took(4, 6));
            assert_eq!(alone(&promptness, MS), 0);
            promptness.note_at(MS, &nobody());
            assert_eq!(alone(&promptness, MS), expected);
        }
        // One in time begins anew, also between two late ones.
        promptness.note_at(MS, &took(4, 6));
        for _ in 0..2 {
            promptness.note_at(MS, &took(4, 5));
            promptness.note_at(MS, &took(4, 6));
            assert_eq!(alone(&promptness, MS), 0);
        }
        promptness.note_at(MS, &nobody());
        assert_eq!(alone(&promptness, MS), 1);
    }

    #[test]
    fn what_was_lost_is_made_up_for() {
        let promptness = Promptness::new();
        for _ in 0..2 {
            promptness.note_at(10 * MS, &took(1, 4));
        }
        // For 32 times three milliseconds, however many operations these are.
        assert_eq!(alone(&promptness, 105 * MS), 1000);
        assert_eq!(alone(&promptness, 106 * MS), 0);
        // Unless one comes in time meanwhile, as when several threads call.
        for _ in 0..2 {
            promptness.note_at(10 * MS, &took(1, 4));
        }
        promptness.note_at(12 * MS, &took(4, 4));
        assert_eq!(alone(&promptness, 12 * MS), 0);
    }
}
