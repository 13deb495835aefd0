//! Natural numbers of a public width.

mod barrett;
mod bnm1;
mod bytes;
mod carry;
mod div;
mod divider;
mod fft;
mod inverse;
mod jacobi;
mod mul;
mod newton;
mod radix;
mod random;
mod toom;
mod wrapped;

use crate::word::nonzero;
pub use barrett::Barrett;
pub(crate) use bnm1::{mul_bnm1, settle};
pub(crate) use carry::add_at;
use carrysave_kernels::{Limb, mpn::Mpn, publish, zeros};
use core::cmp::Ordering;
use core::fmt;
pub(crate) use fft::Spectrum;
pub(crate) use mul::{mul, sqr};
pub(crate) use wrapped::{Sign, Transforms, Wrapped};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bits in a limb.
pub(crate) const LIMB_BITS: usize = Limb::BITS as usize;

/// A natural number: limbs on the heap, least significant first, wiped when dropped.
///
/// Its *width* (the number of limbs, at least 1) is public and may exceed what the value needs; its value may be
/// secret. `Debug` shows the width only.
///
/// ```
/// use carrysave_arith::Nat;
/// let a = Nat::from_hex("ffffffffffffffffff").unwrap();
/// assert_eq!(a.add(&Nat::one()).to_hex_vartime(), "1000000000000000000");
/// ```
#[derive(Clone, ZeroizeOnDrop)]
pub struct Nat {
    limbs: Vec<Limb>,
}

/// Zero, of the same width.
impl Zeroize for Nat {
    fn zeroize(&mut self) {
        self.limbs.as_mut_slice().zeroize();
        self.limbs.spare_capacity_mut().zeroize();
    }
}

impl Nat {
    /// Zero, one limb wide.
    pub fn zero() -> Nat {
        Nat::from_limb(0)
    }

    /// One, one limb wide.
    pub fn one() -> Nat {
        Nat::from_limb(1)
    }

    /// A number of one limb.
    pub fn from_limb(limb: Limb) -> Nat {
        Nat { limbs: vec![limb] }
    }

    /// The number whose limbs are `limbs`, least significant first, with their width.
    pub fn from_limbs(limbs: &[Limb]) -> Nat {
        Nat::from_vec(limbs.to_vec())
    }

    /// Zero, `width` limbs wide.
    pub(crate) fn zeros(width: usize) -> Nat {
        Nat {
            limbs: zeros(width.max(1)),
        }
    }

    pub(crate) fn from_vec(mut limbs: Vec<Limb>) -> Nat {
        if limbs.is_empty() {
            limbs.push(0);
        }
        Nat { limbs }
    }

    /// `2^exponent`, as wide as it needs to be.
    pub fn power_of_two(exponent: usize) -> Nat {
        let mut r = Nat::zeros(exponent / LIMB_BITS + 1);
        r.set_bit(exponent);
        r
    }

    /// The limbs, least significant first.
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    pub(crate) fn limbs_mut(&mut self) -> &mut [Limb] {
        &mut self.limbs
    }

    /// The number of limbs: public, at least 1.
    pub fn width(&self) -> usize {
        self.limbs.len()
    }

    /// The value `width` limbs wide, or `None` if it does not fit.
    ///
    /// # Timing
    /// Reveals only whether it fits.
    pub fn resize(&self, width: usize) -> Option<Nat> {
        let width = width.max(1);
        let keep = width.min(self.width());
        let lost = self.limbs[keep..].iter().fold(0, |all, x| all | x);
        if publish(lost) != 0 {
            return None;
        }
        let mut r = Nat::zeros(width);
        r.limbs[..keep].copy_from_slice(&self.limbs[..keep]);
        Some(r)
    }

    /// The low `width` limbs.
    pub(crate) fn truncate(&self, width: usize) -> Nat {
        let mut r = Nat::zeros(width);
        let keep = width.min(self.width());
        r.limbs[..keep].copy_from_slice(&self.limbs[..keep]);
        r
    }

    /// The value `width` limbs wide; the limbs above must be 0.
    pub(crate) fn shorten(mut self, width: usize) -> Nat {
        self.limbs.truncate(width);
        self
    }

    /// The value as wide as its bit length needs. Only the bit length becomes public.
    pub fn trim(self) -> Nat {
        self.truncate(self.bits().div_ceil(LIMB_BITS))
    }

    /// The value without leading zero limbs. Its size becomes public.
    pub fn trim_vartime(mut self) -> Nat {
        while self.width() > 1 && self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        self
    }

    /// The bit length: 0 for 0, else the position of the highest set bit plus one. Constant time up to the answer.
    pub fn bits(&self) -> usize {
        let mut bits = 0u64;
        for (i, &limb) in self.limbs.iter().enumerate() {
            let here = (i * LIMB_BITS) as u64 + u64::from(Limb::BITS - limb.leading_zeros());
            let take = core::hint::black_box(nonzero(limb)).wrapping_neg();
            bits ^= (bits ^ here) & take;
        }
        publish(bits) as usize
    }

    /// The bit length, found from the top.
    pub fn bits_vartime(&self) -> usize {
        match self.limbs.iter().rposition(|&x| x != 0) {
            Some(i) => (i + 1) * LIMB_BITS - self.limbs[i].leading_zeros() as usize,
            None => 0,
        }
    }

    /// Bit `i`; positions beyond the width hold 0. Constant time up to the answer.
    pub fn bit(&self, i: usize) -> bool {
        let limb = self.limbs.get(i / LIMB_BITS).copied().unwrap_or(0);
        publish(limb >> (i % LIMB_BITS) & 1) == 1
    }

    /// Sets bit `i`.
    ///
    /// # Panics
    /// If `i` is beyond the width.
    pub fn set_bit(&mut self, i: usize) {
        self.limbs[i / LIMB_BITS] |= 1 << (i % LIMB_BITS);
    }

    /// Whether the value is 0. Constant time up to the answer.
    pub fn is_zero(&self) -> bool {
        publish(self.limbs.iter().fold(0, |all, x| all | x)) == 0
    }

    /// Whether the value is 1. Constant time up to the answer.
    pub fn is_one(&self) -> bool {
        let rest = self.limbs[1..]
            .iter()
            .fold(self.limbs[0] ^ 1, |all, x| all | x);
        publish(rest) == 0
    }

    /// Whether the value is odd. Constant time up to the answer.
    pub fn is_odd(&self) -> bool {
        publish(self.limbs[0] & 1) == 1
    }

    /// Whether `self < other`. Constant time up to the answer.
    pub fn lt(&self, other: &Nat) -> bool {
        publish(self.compare(other)) == Limb::MAX
    }

    /// 0, 1 or `Limb::MAX` for equal, above, below: an ordering as a data word, without a branch.
    pub(crate) fn compare(&self, other: &Nat) -> Limb {
        let common = self.width().min(other.width());
        let ((a, a_above), (b, b_above)) =
            (self.limbs.split_at(common), other.limbs.split_at(common));
        let any = |above: &[Limb]| nonzero(above.iter().fold(0, |any, limb| any | limb));
        let (above, below) = (any(a_above), any(b_above));
        // Limbs that only the longer number has outweigh the common ones.
        Mpn::native().cmp.call(a, b) & (above | below).wrapping_sub(1)
            | above
            | below.wrapping_neg()
    }

    /// 1 if the values are equal, else 0: a secret bit for [`Nat::select`].
    pub fn equal(&self, other: &Nat) -> Limb {
        1 ^ nonzero(self.compare(other))
    }

    /// 1 if `self < other`, else 0: a secret bit for [`Nat::select`].
    pub fn below(&self, other: &Nat) -> Limb {
        self.compare(other) >> (LIMB_BITS - 1)
    }

    /// `other` if the bit `c` is 1, `self` if it is 0, in constant time.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// let (a, b) = (Nat::from_limb(7), Nat::from_limb(9));
    /// assert_eq!(a.select(a.below(&b), &b), b);
    /// ```
    ///
    /// # Panics
    /// If their widths differ.
    #[must_use]
    pub fn select(&self, c: Limb, other: &Nat) -> Nat {
        let mut r = self.clone();
        let select = &Mpn::native().cnd_select;
        select.call_in_place(c & 1, r.limbs_mut(), other.limbs());
        r
    }

    /// The ordering of the values, found from the top.
    pub fn cmp_vartime(&self, other: &Nat) -> Ordering {
        let top = self.width().max(other.width());
        let limb = |x: &Nat, i: usize| x.limbs.get(i).copied().unwrap_or(0);
        (0..top)
            .rev()
            .map(|i| limb(self, i).cmp(&limb(other, i)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Declares the number public: for values computed from secrets that reveal nothing of them.
    ///
    /// It marks the place for readers and for valgrind; see [`carrysave_kernels::publish`].
    #[must_use]
    pub fn publish(mut self) -> Nat {
        self.limbs
            .iter_mut()
            .for_each(|limb| *limb = publish(*limb));
        self
    }

    /// `self + other`, one limb wider than the wider of the two.
    pub fn add(&self, other: &Nat) -> Nat {
        let (long, short) = if self.width() >= other.width() {
            (self, other)
        } else {
            (other, self)
        };
        let mut r = long.truncate(long.width() + 1);
        let (low, high) = r.limbs.split_at_mut(short.width());
        let mpn = Mpn::native();
        let carry = mpn.add_n.call_in_place(low, &short.limbs);
        mpn.add_1.call_in_place(high, carry);
        r
    }

    /// `self - other` with the width of `self`, or `None` if that is negative.
    ///
    /// # Timing
    /// Reveals only whether the difference is negative.
    pub fn sub(&self, other: &Nat) -> Option<Nat> {
        let width = self.width().max(other.width());
        let mut r = self.truncate(width);
        let borrow = Mpn::native()
            .sub_n
            .call_in_place(&mut r.limbs, &other.truncate(width).limbs);
        (publish(borrow) == 0).then(|| r.truncate(self.width()))
    }

    /// `self + limb`, one limb wider.
    pub fn add_limb(&self, limb: Limb) -> Nat {
        self.add(&Nat::from_limb(limb))
    }

    /// `self - limb`, or `None` if that is negative.
    pub fn sub_limb(&self, limb: Limb) -> Option<Nat> {
        self.sub(&Nat::from_limb(limb))
    }

    /// `self * 2^s`, wide enough for every bit. The shift count is public.
    pub fn shl(&self, s: usize) -> Nat {
        let (limbs, bits) = (s / LIMB_BITS, (s % LIMB_BITS) as u32);
        let mut r = Nat::zeros(self.width() + limbs + usize::from(bits > 0));
        let end = limbs + self.width();
        if bits > 0 {
            let out = Mpn::native()
                .lshift
                .call(&mut r.limbs[limbs..end], &self.limbs, bits);
            r.limbs[end] = out;
        } else {
            r.limbs[limbs..end].copy_from_slice(&self.limbs);
        }
        r
    }

    /// `self / 2^s` rounded down, narrower by the whole limbs in `s`. The shift count is public.
    pub fn shr(&self, s: usize) -> Nat {
        let (limbs, bits) = (s / LIMB_BITS, (s % LIMB_BITS) as u32);
        if limbs >= self.width() {
            return Nat::zero();
        }
        let mut r = Nat::from_limbs(&self.limbs[limbs..]);
        if bits > 0 {
            Mpn::native().rshift.call_in_place(&mut r.limbs, bits);
        }
        r
    }
}

impl Default for Nat {
    fn default() -> Nat {
        Nat::zero()
    }
}

/// Equality of values, regardless of widths; constant time up to the answer.
impl PartialEq for Nat {
    fn eq(&self, other: &Nat) -> bool {
        publish(self.compare(other)) == 0
    }
}

impl Eq for Nat {}

impl fmt::Debug for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nat({} limbs)", self.width())
    }
}
