//! Group elements with an optional table of powers.

use carrysave_arith::{FixedBase, Modulus, Nat, once};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The memory for tables that are made without a request: about five hundred of 2048 bits.
static UNASKED: Budget = Budget::of(64 << 20);

/// A group element that is raised to several powers, with a table if requested or if it pays.
pub(super) struct Base {
    /// As wide as p.
    pub(super) element: Nat,
    table: OnceLock<Arc<Table>>,
    /// The number of powers counted; `None` if no table is to be made without a request.
    powers: Option<AtomicUsize>,
}

struct Table {
    powers: FixedBase,
    /// The table's share of the budget, if it was not requested.
    _share: Option<Share>,
}

impl Clone for Base {
    fn clone(&self) -> Base {
        let (element, table) = (self.element.clone(), self.table.clone());
        let counted = |powers: &AtomicUsize| AtomicUsize::new(powers.load(Relaxed));
        let powers = self.powers.as_ref().map(counted);
        Base {
            element,
            table,
            powers,
        }
    }
}

impl Base {
    pub(super) fn new(element: Nat) -> Base {
        Base {
            element,
            table: OnceLock::new(),
            powers: Some(AtomicUsize::new(0)),
        }
    }

    /// Copies the element without its table; the copy gets one only on request.
    pub(super) fn without_table(&self) -> Base {
        Base {
            element: self.element.clone(),
            table: OnceLock::new(),
            powers: None,
        }
    }

    /// The table, if it is for exponents of `bits` bits.
    pub(super) fn table(&self, bits: usize) -> Option<&FixedBase> {
        let powers = &self.table.get()?.powers;
        (bits <= powers.bits()).then_some(powers)
    }

    /// Makes the table, for exponents of up to `bits` bits.
    pub(super) fn precompute(&self, p: &Modulus, bits: usize) {
        self.make_table(p, bits, None);
    }

    /// Counts a power to an exponent of `bits` bits. Once a table would have paid, makes one for all that share this
    /// element, if the budget of memory allows.
    pub(super) fn expect_power(&self, p: &Modulus, bits: usize) {
        if let (None, Some(powers)) = (self.table.get(), &self.powers) {
            let powers = powers.fetch_add(1, Relaxed).saturating_add(1);
            if powers >= FixedBase::pays_from(p, bits) {
                self.precompute_unasked(p, bits);
            }
        }
    }

    /// The table, if the budget has room.
    pub(super) fn precompute_unasked(&self, p: &Modulus, bits: usize) {
        if self.table.get().is_none()
            && self.powers.is_some()
            && let Some(share) = UNASKED.take(FixedBase::bytes(p, bits))
        {
            self.make_table(p, bits, Some(share));
        }
    }

    fn make_table(&self, p: &Modulus, bits: usize, share: Option<Share>) {
        once(&self.table, || {
            Arc::new(Table {
                powers: FixedBase::new(p, &self.element, bits),
                _share: share,
            })
        });
    }

    /// The power over `bits` bits of a secret exponent; counts it.
    pub(super) fn power(&self, p: &Modulus, x: &Nat, bits: usize) -> Nat {
        self.expect_power(p, bits);
        match self.table(bits) {
            Some(table) => table.pow(x),
            None => p.pow_bits(&self.element, x, bits),
        }
    }

    /// The power to a public exponent.
    pub(super) fn power_vartime(&self, p: &Modulus, x: &Nat) -> Nat {
        match self.table(x.bits_vartime()) {
            Some(table) => table.pow(x),
            None => p.pow_vartime(&self.element, x),
        }
    }
}

/// A budget of bytes; the holder of a share returns it when dropped.
struct Budget {
    taken: AtomicUsize,
    most: usize,
}

/// A share of a budget.
struct Share {
    budget: &'static Budget,
    bytes: usize,
}

impl Budget {
    const fn of(most: usize) -> Budget {
        Budget {
            taken: AtomicUsize::new(0),
            most,
        }
    }

    /// Takes this many bytes, if as many are left.
    fn take(&'static self, bytes: usize) -> Option<Share> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|sum| *sum <= self.most);
        self.taken.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(Share {
            budget: self,
            bytes,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_never_exceeded_and_what_is_dropped_comes_back() {
        static TEN: Budget = Budget::of(10);
        let (four, six) = (TEN.take(4), TEN.take(6));
        assert!(four.is_some() && six.is_some());
        assert!(TEN.take(1).is_none());
        drop(four);
        assert!(TEN.take(5).is_none() && TEN.take(usize::MAX).is_none());
        assert!(TEN.take(4).is_some());
        drop(six);
        assert!(TEN.take(10).is_some());
        assert_eq!(TEN.taken.load(Relaxed), 0);
    }

    #[test]
    fn a_table_takes_what_it_said_while_it_is_there() {
        let p = Modulus::new(&Nat::from_limb(1_000_003)).expect("odd");
        let base = Base::new(Nat::from_limb(2));
        base.precompute_unasked(&p, 64);
        let (table, clone) = (base.table.get().expect("there is room"), base.clone());
        let share = table
            ._share
            .as_ref()
            .expect("it was made without a request");
        assert_eq!(share.bytes, FixedBase::bytes(&p, 64));
        assert!(share.budget.taken.load(Relaxed) >= share.bytes);
        let asked = Base::new(Nat::from_limb(2));
        asked.precompute(&p, 64);
        assert!(
            asked
                .table
                .get()
                .is_some_and(|table| table._share.is_none())
        );
        drop(base);
        assert!(clone.table(64).is_some());
    }
}
