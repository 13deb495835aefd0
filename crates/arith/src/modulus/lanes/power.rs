//! Powers in lanes: the methods of `pow`, for eight exponents at a time.

use super::octets::Octets;
use super::{Element, LANES, LaneClass, ModulusLanes};
use crate::modulus::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::choose;
use crate::word;
use carrysave_kernels::mb8::Octet;
use zeroize::Zeroize;

/// `base^exp mod n` for each `(n, base, exp)`, at most [`LANES`] of one class; results in order.
///
/// One after the other if there are too few, or the processor has no kernels for lanes.
///
/// # Panics
/// If there are more or of several classes, or if a base is not below its modulus and of its width.
///
/// # Timing
/// Depends on the widths of the moduli and exponents.
///
/// ```
/// use carrysave_arith::{Modulus, Nat, lanes};
/// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
/// let (two, ten) = (Nat::from_limb(2), Nat::from_limb(10));
/// assert_eq!(lanes::pow(&[(&n, &two, &ten), (&n, &ten, &two)]), [Nat::from_limb(14), Nat::from_limb(100)]);
/// ```
pub fn pow(jobs: &[(&Modulus, &Nat, &Nat)]) -> Vec<Nat> {
    assert!(jobs.len() <= LANES, "at most eight at once");
    let one_class = jobs
        .windows(2)
        .all(|pair| LaneClass::of(pair[0].0) == LaneClass::of(pair[1].0));
    assert!(one_class, "one class at a time");
    for (n, base, _) in jobs {
        n.check(base);
        assert!(base.lt(n.nat()), "a base below its modulus");
    }
    if !jobs
        .first()
        .is_some_and(|job| job.0.prefers_lanes(jobs.len()))
    {
        return jobs.iter().map(|(n, base, exp)| n.pow(base, exp)).collect();
    }
    let moduli: Vec<&Modulus> = jobs.iter().map(|job| job.0).collect();
    let lanes = ModulusLanes::new(&moduli);
    let bases: Vec<&Nat> = jobs.iter().map(|job| job.1).collect();
    let exps: Vec<&Nat> = jobs.iter().map(|job| job.2).collect();
    let bits = LIMB_BITS * exps.iter().map(|exp| exp.width()).max().unwrap_or(1);
    let mut power = lanes.pow(&lanes.montgomery(&lanes.load(&bases)), &exps, bits);
    lanes.redc(&mut power);
    lanes.store(&power)
}

impl ModulusLanes<'_> {
    /// `base^exp` over the low `bits` bits of each exponent, from Montgomery form to Montgomery form: a fixed window,
    /// every entry of its table read (HAC 14.82).
    ///
    /// # Panics
    /// If there is not an exponent for each modulus, or an element has another number of digits than the moduli.
    ///
    /// # Timing
    /// Depends on the number of digits and on `bits`.
    pub fn pow(&self, base: &Element, exps: &[&Nat], bits: usize) -> Element {
        let windows = Windows::new(self, base, exps, bits);
        let mut r = self.one();
        for i in (0..windows.count).rev() {
            let index = windows.index(i);
            for _ in 0..windows.squarings(i) {
                self.sqr(&mut r);
            }
            windows.multiply(&index, &mut r);
        }
        r
    }

    /// The width of windows.
    fn window(&self) -> usize {
        choose(self.moduli[0].plan().lane_window, self.digits())
    }

    /// [`ModulusLanes::pow`] of these moduli and of others, alternating step by step, as for the two halves of RSA-CRT:
    /// with short numbers one fills the time in which the other waits for its carries.
    ///
    /// # Panics
    /// As [`ModulusLanes::pow`].
    ///
    /// # Timing
    /// Depends on the numbers of digits and on `bits`.
    pub fn pow_pair(
        &self,
        base: &Element,
        exps: &[&Nat],
        other: &ModulusLanes<'_>,
        other_base: &Element,
        other_exps: &[&Nat],
        bits: usize,
    ) -> (Element, Element) {
        // Moduli with plans of their own may want other windows.
        if self.digits() > self.moduli[0].plan().lane_pairs
            || (other.digits(), other.window()) != (self.digits(), self.window())
        {
            return (
                self.pow(base, exps, bits),
                other.pow(other_base, other_exps, bits),
            );
        }
        let first = Windows::new(self, base, exps, bits);
        let second = Windows::new(other, other_base, other_exps, bits);
        let (mut r, mut s) = (self.one(), other.one());
        for i in (0..first.count).rev() {
            let indices = (first.index(i), second.index(i));
            for _ in 0..first.squarings(i) {
                self.sqr(&mut r);
                other.sqr(&mut s);
            }
            first.multiply(&indices.0, &mut r);
            second.multiply(&indices.1, &mut s);
        }
        (r, s)
    }

    /// `a^x b^y` over the low `bits` bits of each exponent, from Montgomery form to Montgomery form. As
    /// [`ModulusLanes::pow`], but the two powers share the squarings (HAC 14.88).
    ///
    /// # Panics
    /// As [`ModulusLanes::pow`].
    ///
    /// # Timing
    /// Depends on the number of digits and on `bits`.
    pub fn pow_product(&self, powers: [(&Element, &[&Nat]); 2], bits: usize) -> Element {
        let [first, second] = powers.map(|(base, exps)| Windows::new(self, base, exps, bits));
        let mut r = self.one();
        for i in (0..first.count).rev() {
            let indices = (first.index(i), second.index(i));
            for _ in 0..first.squarings(i) {
                self.sqr(&mut r);
            }
            first.multiply(&indices.0, &mut r);
            second.multiply(&indices.1, &mut r);
        }
        r
    }

    /// `base^exp` for one public exponent, by its bits from the top; neither base nor result is in Montgomery form.
    ///
    /// # Timing
    /// Depends on the exponent's value.
    pub fn pow_vartime(&self, base: &Element, exp: &Nat) -> Element {
        let bits = exp.bits_vartime();
        let form = self.montgomery(base);
        let mut r = if bits == 0 { self.one() } else { form.clone() };
        for i in (0..bits.saturating_sub(1)).rev() {
            self.sqr(&mut r);
            match word::window(exp.limbs(), i, 1) {
                0 => {}
                // The last factor takes the result out of Montgomery form.
                1 if i == 0 => {
                    self.mul(&mut r, base);
                    return r;
                }
                _ => self.mul(&mut r, &form),
            }
        }
        self.redc(&mut r);
        r
    }
}

/// The windows of exponents, and the table that they index.
struct Windows<'a> {
    lanes: &'a ModulusLanes<'a>,
    /// Their limbs.
    exps: Octets,
    /// Bits of the exponents.
    bits: usize,
    /// Bits of a window.
    w: usize,
    /// Windows of an exponent.
    count: usize,
    /// All `2^w` powers of the base, lowest digits first.
    table: Octets,
}

impl<'a> Windows<'a> {
    fn new(lanes: &'a ModulusLanes<'a>, base: &Element, exps: &[&Nat], bits: usize) -> Windows<'a> {
        assert_eq!(exps.len(), lanes.moduli.len(), "an exponent a modulus");
        let w = lanes.window();
        let mut table = Octets::zeros(lanes.digits() << w);
        let mut power = lanes.one();
        for i in 0..1 << w {
            match i {
                0 => {}
                1 => power.0.copy_from_slice(&base.0),
                _ if i % 2 == 0 => {
                    for (digit, row) in power.0.iter_mut().zip(table.chunks(1 << w)) {
                        *digit = row[i / 2];
                    }
                    lanes.sqr(&mut power);
                }
                _ => lanes.mul(&mut power, base),
            }
            for (digit, row) in power.0.iter().zip(table.chunks_mut(1 << w)) {
                row[i] = *digit;
            }
        }
        Windows {
            lanes,
            exps: Octets::of_limbs(exps),
            bits,
            w,
            count: bits.div_ceil(w),
            table,
        }
    }

    /// The squarings before the multiplication of a window, from the top: none before the first, as r is one.
    fn squarings(&self, i: usize) -> usize {
        if i + 1 < self.count { self.w } else { 0 }
    }

    /// The values of a window of each exponent, counted from the lowest. Call this before the squarings: a vector load
    /// of words just written one by one waits for all earlier work.
    fn index(&self, i: usize) -> Index {
        let bit = i * self.w;
        let len = self.w.min(self.bits - bit);
        let (i, s) = (bit / LIMB_BITS, bit % LIMB_BITS);
        let limb = |i: usize| self.exps.get(i).map_or([0; LANES], |octet| octet.0);
        let mut window = limb(i).map(|limb| limb >> s);
        if s + len > LIMB_BITS {
            let above = limb(i + 1).map(|limb| limb << (LIMB_BITS - s));
            window = core::array::from_fn(|l| window[l] | above[l]);
        }
        Index(Octet(window.map(|window| window & ((1 << len) - 1))))
    }

    /// The multiplication by the entry that each window selects.
    fn multiply(&self, index: &Index, r: &mut Element) {
        let ModulusLanes {
            n,
            k0,
            amm_select,
            scratch,
            ..
        } = self.lanes;
        let scratch = &mut scratch.borrow_mut();
        amm_select.call_in_place(&mut r.0, &self.table, &index.0, n, k0, scratch);
    }
}

/// Entries of tables, one a lane. Wiped when dropped.
struct Index(Octet);

impl Drop for Index {
    fn drop(&mut self) {
        self.0.0.zeroize();
    }
}
