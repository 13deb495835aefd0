//! The Jacobi symbol.

use super::{LIMB_BITS, Nat};
use carrysave_kernels::Limb;

/// Halvings between two passes over the numbers: the most that leave three exact bits in a limb.
const STEPS: u32 = Limb::BITS - 2;

impl Nat {
    /// The Jacobi symbol (self / n): 0 if they have a common factor, otherwise 1 or -1.
    ///
    /// The binary algorithm, 62 steps at a time on the lowest and the highest limb (Pornin, ePrint 2020/972,
    /// algorithm 2), with the signs of the supplementary laws and of reciprocity kept beside it.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// let seven = Nat::from_limb(7);
    /// let symbols = [0, 1, 2, 3].map(|a| Nat::from_limb(a).jacobi_vartime(&seven));
    /// assert_eq!(symbols, [0, 1, 1, -1]); // 1, 2 and 4 are squares modulo 7
    /// ```
    ///
    /// # Panics
    /// If `n` is even.
    pub fn jacobi_vartime(&self, n: &Nat) -> i32 {
        assert!(n.is_odd(), "the Jacobi symbol needs an odd number below");
        let (mut a, mut b) = (self.clone(), n.clone());
        let mut minus = 0;
        loop {
            let bits = a.bits_vartime().max(b.bits_vartime());
            let width = bits.div_ceil(LIMB_BITS);
            (a, b) = (a.truncate(width), b.truncate(width));
            if a.is_zero() {
                break;
            }
            let Halvings { rows, flips } = Halvings::of(&a, &b, bits);
            let [(next, below), (odd, _)] = rows.map(|[f, g]| combine(&a, f, &b, g));
            // (a / -b) = (a / b), and (-1 / b) = -1 if b = 3 (mod 4).
            minus ^= flips ^ (Limb::from(below) & odd.limbs()[0] >> 1);
            (a, b) = (next, odd);
        }
        match (b.is_one(), minus & 1) {
            (false, _) => 0,
            (true, 0) => 1,
            (true, _) => -1,
        }
    }
}

/// The matrix of [`STEPS`] steps of the binary algorithm on (a, b), b odd. Each step halves a, after subtracting b if
/// both are odd. Together they take (a, b) to `(f a + g b) / 2^STEPS` with the rows (f, g).
struct Halvings {
    rows: [[i64; 2]; 2],
    /// Sign changes of the symbol, in the lowest bit.
    flips: Limb,
}

impl Halvings {
    /// The lowest limbs are exact as far as they are used. The highest may compare wrongly, which makes a or b negative
    /// at the end, never both.
    fn of(a: &Nat, b: &Nat, bits: usize) -> Halvings {
        let ((mut a_low, mut a_high), (mut b_low, mut b_high)) = (ends(a, bits), ends(b, bits));
        let (mut a_row, mut b_row) = ([1_i64, 0], [0, 1_i64]);
        let mut flips = 0;
        for _ in 0..STEPS {
            if a_low & 1 == 1 {
                if a_high < b_high {
                    (a_low, b_low) = (b_low, a_low);
                    (a_high, b_high) = (b_high, a_high);
                    (a_row, b_row) = (b_row, a_row);
                    // (a / b) (b / a) = -1 if both are 3 (mod 4), as long as one of them is positive.
                    flips ^= (a_low & b_low) >> 1;
                }
                a_low = a_low.wrapping_sub(b_low);
                a_high -= b_high;
                a_row = [a_row[0] - b_row[0], a_row[1] - b_row[1]];
            }
            a_low >>= 1;
            a_high >>= 1;
            b_row = [b_row[0] << 1, b_row[1] << 1];
            // (2 / b) = -1 if b = 3 or 5 (mod 8), for a negative b, too.
            flips ^= (b_low >> 1) ^ (b_low >> 2);
        }
        Halvings {
            rows: [a_row, b_row],
            flips,
        }
    }
}

/// The lowest limb, and the highest 64 of `bits` bits: the whole of a shorter number.
fn ends(x: &Nat, bits: usize) -> (Limb, Limb) {
    let top = x.shr(bits.saturating_sub(LIMB_BITS));
    (x.limbs()[0], top.limbs()[0])
}

/// `|f a + g b| / 2^STEPS` for numbers of one width, and whether it was below zero.
fn combine(a: &Nat, f: i64, b: &Nat, g: i64) -> (Nat, bool) {
    let (f, g) = (i128::from(f), i128::from(g));
    let mut sum = 0;
    let limbs = a.limbs().iter().zip(b.limbs());
    let mut limbs: Vec<Limb> = limbs
        .map(|(&x, &y)| {
            // |f| + |g| is at most 2^62, so this stays below 2^127.
            sum += i128::from(x) * f + i128::from(y) * g;
            let limb = sum as Limb;
            sum >>= Limb::BITS;
            limb
        })
        .collect();
    limbs.push(sum as Limb);
    if sum < 0 {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(Limb::from(carry));
        }
    }
    (Nat::from_vec(limbs).shr(STEPS as usize), sum < 0)
}
