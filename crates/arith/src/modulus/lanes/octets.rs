//! Vectors of octets, and conversion to and from them.

use crate::nat::{LIMB_BITS, Nat};
use crate::{ring::radix52::from_digits, word};
use carrysave_kernels::{
    Limb,
    mb8::{DIGIT_BITS, DIGIT_MASK, LANES, Octet},
    publish,
};
use core::cell::RefCell;
use core::ops::{Deref, DerefMut};

/// Octets that are wiped when dropped.
pub(super) struct Octets(Vec<Octet>);

/// The most octets that a thread keeps for the next operation: 256 KiB, where those of RSA-4096 fit.
const SPARE: usize = 4096;

thread_local! {
    /// Wiped octets for reuse: the system's allocator took a tenth of a short operation's time.
    static WIPED: RefCell<Spare> = const { RefCell::new(Spare { vectors: Vec::new(), octets: 0 }) };
}

/// Vectors of zeros for reuse, the most recently used last.
struct Spare {
    vectors: Vec<Vec<Octet>>,
    /// Their total capacity in octets.
    octets: usize,
}

impl Spare {
    /// Takes the most recently used vector, which is still in the cache, whose capacity is from `len` to twice that:
    /// longer ones are for longer numbers.
    fn take(&mut self, len: usize) -> Option<Vec<Octet>> {
        let fits = |spare: &Vec<Octet>| (len..=2 * len).contains(&spare.capacity());
        let i = self.vectors.iter().rposition(fits)?;
        let vector = self.vectors.remove(i);
        self.octets -= vector.capacity();
        Some(vector)
    }

    /// Stores a vector, and drops the least recently used ones.
    fn put(&mut self, vector: Vec<Octet>) {
        self.octets += vector.capacity();
        self.vectors.push(vector);
        while self.octets > SPARE {
            self.octets -= self.vectors.remove(0).capacity();
        }
    }
}

impl Octets {
    pub(super) fn zeros(len: usize) -> Octets {
        let spare = WIPED.try_with(|wiped| wiped.borrow_mut().take(len));
        let mut octets = spare.ok().flatten().unwrap_or_default();
        octets.resize(len, Octet::default());
        Octets(octets)
    }

    /// The limbs of numbers as digits of their length: a number a lane; unused lanes repeat the first.
    pub(super) fn of_limbs(numbers: &[&Nat]) -> Octets {
        let len = numbers.iter().map(|x| x.width()).max().unwrap_or(0);
        Octets::of_rows(len, numbers.iter().map(|x| x.limbs()))
    }

    /// A number's words a lane, zeros above them; unused lanes repeat the first.
    fn of_rows<'a>(len: usize, rows: impl Iterator<Item = &'a [Limb]> + Clone) -> Octets {
        let mut octets = Octets::zeros(len);
        let rest = rows.clone().next();
        let rows = rows.chain(rest.into_iter().cycle()).take(LANES);
        for (l, row) in rows.enumerate() {
            for (octet, &word) in octets.iter_mut().zip(row) {
                octet.0[l] = word;
            }
        }
        octets
    }

    /// The number 1 in each lane.
    pub(super) fn one(len: usize) -> Octets {
        let mut one = Octets::zeros(len);
        one[0] = Octet([1; LANES]);
        one
    }

    /// The digits and zeros above them.
    ///
    /// # Panics
    /// If there are more digits.
    pub(super) fn padded(len: usize, digits: &[Octet]) -> Octets {
        let mut padded = Octets::zeros(len);
        padded[..digits.len()].copy_from_slice(digits);
        padded
    }

    /// A number a lane; lanes that are left over take the first.
    ///
    /// # Panics
    /// If one has another number of digits.
    pub(super) fn from_digits<'a>(
        len: usize,
        numbers: impl ExactSizeIterator<Item = &'a [Limb]> + Clone,
    ) -> Octets {
        for digits in numbers.clone() {
            assert_eq!(digits.len(), len, "as many digits in each lane");
        }
        Octets::of_rows(len, numbers)
    }

    /// A number a lane; lanes that are left over take the first.
    ///
    /// # Panics
    /// If one has more digits.
    pub(super) fn from_nats(len: usize, numbers: &[&Nat]) -> Octets {
        let mut octets = Octets::zeros(len);
        for l in 0..LANES {
            let number = numbers.get(l).unwrap_or(&numbers[0]);
            let (limbs, bits) = (number.limbs(), len * DIGIT_BITS);
            // The limb from the end of the digits on, and whole limbs.
            let rest = word::window(limbs, bits, LIMB_BITS);
            let above = limbs.iter().skip(bits.div_ceil(LIMB_BITS));
            let above = publish(above.fold(rest, |all, limb| all | limb));
            assert_eq!(above, 0, "the number has too many digits");
            for (i, octet) in octets.iter_mut().enumerate() {
                octet.0[l] = word::window(limbs, i * DIGIT_BITS, DIGIT_BITS);
            }
        }
        octets
    }

    /// The digits in a lane.
    pub(super) fn lane(&self, lane: usize) -> impl ExactSizeIterator<Item = Limb> {
        self.iter().map(move |octet| octet.0[lane])
    }

    /// The number in a lane, `width` limbs; what is above is lost.
    pub(super) fn to_nat(&self, lane: usize, width: usize) -> Nat {
        from_digits(self.lane(lane), width)
    }

    /// Makes digits from the value of `sum` for each lane and place: signed carries above 52 bits move on.
    pub(super) fn combine(&self, sum: impl Fn(usize, usize) -> Limb) -> Octets {
        let mut octets = Octets::zeros(self.len());
        let mut carry = [0i64; LANES];
        for (i, octet) in octets.iter_mut().enumerate() {
            for (l, (digit, carry)) in octet.0.iter_mut().zip(&mut carry).enumerate() {
                let sum = sum(l, i) as i64 + *carry;
                *digit = sum as Limb & DIGIT_MASK;
                *carry = sum >> DIGIT_BITS;
            }
        }
        octets
    }
}

impl Clone for Octets {
    fn clone(&self) -> Octets {
        Octets::padded(self.len(), self)
    }
}

impl Deref for Octets {
    type Target = [Octet];

    fn deref(&self) -> &[Octet] {
        &self.0
    }
}

impl DerefMut for Octets {
    fn deref_mut(&mut self) -> &mut [Octet] {
        &mut self.0
    }
}

impl Drop for Octets {
    fn drop(&mut self) {
        Octet::wipe(&mut self.0);
        let octets = core::mem::take(&mut self.0);
        // Not when the thread is ending.
        let _ = WIPED.try_with(|wiped| wiped.borrow_mut().put(octets));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spare(lens: &[usize]) -> Spare {
        let mut spare = Spare {
            vectors: Vec::new(),
            octets: 0,
        };
        for &len in lens {
            spare.put(vec![Octet::default(); len]);
        }
        spare
    }

    fn lens(spare: &Spare) -> Vec<usize> {
        let lens: Vec<usize> = spare.vectors.iter().map(Vec::capacity).collect();
        assert_eq!(spare.octets, lens.iter().sum::<usize>());
        lens
    }

    #[test]
    fn what_was_used_last_is_taken_of_what_fits() {
        let mut spare = spare(&[10, 20, 12, 40, 21]);
        assert_eq!(spare.take(10).map(|x| x.len()), Some(12));
        assert_eq!(spare.take(10).map(|x| x.len()), Some(20));
        assert_eq!(lens(&spare), [10, 40, 21]);
        // None is too short or more than twice as long.
        assert!(spare.take(50).is_none() && spare.take(9).is_some() && spare.take(9).is_none());
        assert_eq!(lens(&spare), [40, 21]);
    }

    #[test]
    fn what_has_not_been_used_for_longest_goes() {
        let mut spare = spare(&[SPARE / 2, 1, SPARE / 2 - 1]);
        assert_eq!(lens(&spare), [SPARE / 2, 1, SPARE / 2 - 1]);
        spare.put(vec![Octet::default(); 1]);
        assert_eq!(lens(&spare), [1, SPARE / 2 - 1, 1]);
        spare.put(vec![Octet::default(); SPARE]);
        assert_eq!(lens(&spare), [SPARE]);
        spare.put(vec![Octet::default(); SPARE + 1]);
        assert_eq!(lens(&spare), []);
    }

    #[test]
    fn octets_come_back_as_zeros() {
        let mut octets = Octets::zeros(7);
        octets
            .iter_mut()
            .for_each(|octet| *octet = Octet([!0; LANES]));
        drop(octets);
        assert!(
            Octets::zeros(5)
                .iter()
                .all(|octet| *octet == Octet::default())
        );
        assert!(
            Octets::zeros(9)
                .iter()
                .all(|octet| *octet == Octet::default())
        );
    }
}
