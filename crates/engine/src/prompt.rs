//! Whether the members of a team come in time: [`Promptness`].

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use core::time::Duration;

/// How a team's last operations went. After two late ones in a row the next operations are the caller's alone: one, three,
/// seven, up to [`MOST`], or as many as take [`AMENDS`] times what was lost; then some are shared again, to find out. One late
/// operation tells nothing: it wakes members that sleep.
#[derive(Debug, Default)]
pub(crate) struct Promptness {
    /// Operations until one is shared again.
    alone: AtomicU32,
    /// Operations that were left alone at last, 0 if the last ones were not late.
    after: AtomicU32,
    /// Whether the last operation was the first late one.
    first: AtomicBool,
}

/// The most operations in a row that are left alone, where little is lost by trying.
const MOST: u32 = 127;
/// How many times as long as the caller has waited operations are left alone.
const AMENDS: u128 = 32;

impl Promptness {
    /// Notes an operation that was offered: whether a member came, how long the caller's own part took, and how long the
    /// whole.
    pub(crate) fn note(&self, came: bool, own: Duration, whole: Duration) {
        // Members have parts of nearly the same length; a late one is waited for.
        let late = !came || whole > own + own / 4;
        let first = self.first.fetch_xor(late, Relaxed);
        let after = match late {
            true if !first => return,
            true => {
                let lost = (whole - own).as_nanos() / own.as_nanos().max(1);
                let amends = (AMENDS * lost).min(1 << 16) as u32;
                MOST.min(2 * self.after.load(Relaxed) + 1).max(amends)
            }
            false => 0,
        };
        self.first.store(false, Relaxed);
        self.after.store(after, Relaxed);
        self.alone.store(after, Relaxed);
    }

    /// Whether the next operation is to be shared.
    pub(crate) fn is_prompt(&self) -> bool {
        let less = |alone: u32| alone.checked_sub(1);
        self.alone.fetch_update(Relaxed, Relaxed, less).is_err()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Operations that are left alone before one is shared.
    fn alone(promptness: &Promptness) -> u32 {
        (0..).take_while(|_| !promptness.is_prompt()).count() as u32
    }

    #[test]
    fn late_operations_are_tried_less_and_less_often() {
        let promptness = Promptness::default();
        let ms = Duration::from_millis;
        assert_eq!(alone(&promptness), 0);
        for expected in [1, 3, 7, 15, 31, 63, 127, 127] {
            promptness.note(true, ms(4), ms(6));
            assert_eq!(alone(&promptness), 0);
            promptness.note(false, ms(4), ms(4));
            assert_eq!(alone(&promptness), expected);
        }
        // Where the caller has waited for three times its own time.
        promptness.note(true, ms(4), ms(5));
        for _ in 0..2 {
            promptness.note(true, ms(1), ms(4));
        }
        assert_eq!(alone(&promptness), 96);
        // One in time begins anew, also between two late ones.
        promptness.note(true, ms(4), ms(6));
        for _ in 0..2 {
            promptness.note(true, ms(4), ms(5));
            promptness.note(true, ms(4), ms(6));
            assert_eq!(alone(&promptness), 0);
        }
        promptness.note(true, ms(4), ms(6));
        assert_eq!(alone(&promptness), 1);
    }
}
