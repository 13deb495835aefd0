//! Division by underestimates that are subtracted until nothing is left to subtract.

use crate::{BITS, Num, RADIX};

impl Num {
    /// Quotient and remainder.
    ///
    /// At each position the quotient's digit is guessed from the two leading digits of the divisor, rounded up, and the
    /// three of the remainder above that position, so the guess is never too large; what the guess left is divided again.
    ///
    /// # Panics
    /// If `divisor` is 0.
    pub fn div_rem(&self, divisor: &Num) -> (Num, Num) {
        assert!(!divisor.is_zero(), "division by zero");
        let len = divisor.digits.len();
        let lead =
            divisor.digit(len - 1) << BITS | if len > 1 { divisor.digit(len - 2) } else { 0 };
        let mut rest: Vec<u64> = self.digits.iter().map(|&d| d.into()).collect();
        rest.resize(self.digits.len().max(len) + 1, 0);
        let mut quotient = vec![0; rest.len()];
        for at in (0..rest.len() - len).rev() {
            loop {
                // The window rest[at ..= at + len] is below radix * divisor.
                let below = if len > 1 { rest[at + len - 2] } else { 0 };
                let top = (rest[at + len] << BITS | rest[at + len - 1]) << BITS | below;
                let mut guess = top / (lead + 1);
                if guess == 0 {
                    if !at_least(&rest[at..=at + len], divisor) {
                        break;
                    }
                    guess = 1;
                }
                subtract(&mut rest[at..=at + len], divisor, guess);
                quotient[at] += guess;
            }
        }
        (Num::carry(quotient), Num::carry(rest))
    }

    /// The remainder.
    ///
    /// # Panics
    /// If `modulus` is 0.
    pub fn rem(&self, modulus: &Num) -> Num {
        self.div_rem(modulus).1
    }
}

/// Whether the window holds `divisor` or more.
fn at_least(window: &[u64], divisor: &Num) -> bool {
    for (i, &w) in window.iter().enumerate().rev() {
        if w != divisor.digit(i) {
            return w > divisor.digit(i);
        }
    }
    true
}

/// The window less `times * divisor`, which is not larger.
fn subtract(window: &mut [u64], divisor: &Num, times: u64) {
    let mut owed = 0;
    for (i, w) in window.iter_mut().enumerate() {
        let due = divisor.digit(i) * times + owed;
        owed = due.saturating_sub(*w).div_ceil(RADIX);
        *w = *w + owed * RADIX - due;
    }
    assert_eq!(owed, 0, "a quotient digit was too large");
}
