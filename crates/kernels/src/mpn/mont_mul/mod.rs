//! `mpn_mont_mul`: r := a * b / R  (mod n),  R = 2^(64k).
//!
//! Shapes     r\[k\], a\[k\], b\[k\], n\[k\], n0 = -n^-1 mod 2^64, t\[2k\] scratch; n odd; k >= 1.
//! Input      a < n, b < n.
//! Output     r < n, fully reduced. No carry leaves the function. t holds secrets of the call.
//! Overlap    r may be a or b exactly.
//! Timing     depends on k only.
//! Source     Koç, Acar, Kaliski 1996; final subtraction HAC 14.32.

mod cihs;
mod cios;
mod fios;
mod fios_delayed;
mod mont_fips;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod mulx_adx;
mod sos;

use super::montgomery;
use crate::{Isa, Limb, op::*};

op! {
    /// Montgomery multiplication.
    pub struct MontMul("mpn_mont_mul");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k: usize, n0: Limb, t: *mut Limb);
    contract: Contract {
        effect: "r := a * b / R  (mod n),  R = 2^(64k)",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N).holding(Value::Below(Bound::Operand("n"))), Operand::input("b", Len::N).holding(Value::Below(Bound::Operand("n"))), Operand::input("n", Len::N).holding(Value::Odd), Operand::scratch("t", Len::N.times(2))],
        scalar: Scalar::Secret(Word::NegInverse("n", 64)),
        returns: Returns::Nothing,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Koç, Acar, Kaliski 1996; HAC 14.32",
    };
    kernels {
        x86_64 {
            /// Strips of eight limbs, with a product of nothing among the additions of each row.
            mulx_adx_spaced for super::mulx_adx::SPACED: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<true>;
            /// Strips of eight limbs.
            mulx_adx: Isa::BMI2.and(Isa::ADX) => mulx_adx::kernel::<false>;
            /// Rows of one limb on `mul` and `adc`, four limbs a turn.
            mul_adc: Isa::NONE => super::rows::mont_mul::<super::mul_adc::MulAdc>;
        }
        aarch64 {
            /// Rows of one limb on `mul`, `umulh` and `adcs`, four limbs a turn.
            umulh: Isa::NONE => super::rows::mont_mul::<super::umulh::Umulh>;
        }
        any {
            /// Rows of one limb in plain Rust.
            portable: Isa::NONE => super::rows::mont_mul::<super::rows::Plain>;
            fios_delayed: Isa::NONE => { montgomery::by(fios_delayed::fios_delayed::<Limb>, r, a, b, n, k, n0, t) };
            cios: Isa::NONE => { montgomery::by(cios::cios::<Limb>, r, a, b, n, k, n0, t) };
            cihs: Isa::NONE => { montgomery::by(cihs::cihs::<Limb>, r, a, b, n, k, n0, t) };
            mont_fips: Isa::NONE => { montgomery::by(mont_fips::mont_fips::<Limb>, r, a, b, n, k, n0, t) };
            vartime sos: Isa::NONE => { montgomery::by(sos::sos::<Limb>, r, a, b, n, k, n0, t) };
            vartime fios: Isa::NONE => { montgomery::by(fios::fios::<Limb>, r, a, b, n, k, n0, t) };
        }
        little_endian {
            /// `fios_delayed` on 32-bit words.
            fios_delayed_w32: Isa::NONE => { montgomery::by(fios_delayed::fios_delayed::<u32>, r, a, b, n, k, n0, t) };
            /// `cios` on 32-bit words.
            cios_w32: Isa::NONE => { montgomery::by(cios::cios::<u32>, r, a, b, n, k, n0, t) };
            /// `cihs` on 32-bit words.
            cihs_w32: Isa::NONE => { montgomery::by(cihs::cihs::<u32>, r, a, b, n, k, n0, t) };
            /// `mont_fips` on 32-bit words.
            mont_fips_w32: Isa::NONE => { montgomery::by(mont_fips::mont_fips::<u32>, r, a, b, n, k, n0, t) };
            /// `sos` on 32-bit words.
            vartime sos_w32: Isa::NONE => { montgomery::by(sos::sos::<u32>, r, a, b, n, k, n0, t) };
            /// `fios` on 32-bit words.
            vartime fios_w32: Isa::NONE => { montgomery::by(fios::fios::<u32>, r, a, b, n, k, n0, t) };
        }
        x86_64 {
            /// Rows of `pmuludq`, which pass carries on.
            pmuludq: Isa::NONE => super::rows::mont_mul::<super::pmuludq::Pmuludq>;
            pmuludq_carry_save: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.s, x.p[4]);
}

impl MontMul {
    /// `r := a * b / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, k, 2k for one k >= 1.
    pub fn call(
        &self,
        r: &mut [Limb],
        a: &[Limb],
        b: &[Limb],
        n: &[Limb],
        n0: Limb,
        t: &mut [Limb],
    ) {
        let k = r.len();
        assert!(k > 0 && a.len() == k && b.len() == k && n.len() == k && t.len() == 2 * k);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr(),
                a.as_ptr(),
                b.as_ptr(),
                n.as_ptr(),
                k,
                n0,
                t.as_mut_ptr(),
            )
        }
    }

    /// `r := r * b / 2^(64k) mod n`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, 2k for one k >= 1.
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb], n: &[Limb], n0: Limb, t: &mut [Limb]) {
        let k = r.len();
        assert!(k > 0 && b.len() == k && n.len() == k && t.len() == 2 * k);
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), n.as_ptr(), k, n0, t.as_mut_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{cihs, cios, fios, fios_delayed, mont_fips, sos};
    use crate::Limb;
    use crate::mpn::word::{Word, neg_inverse};

    /// A word of B bits, so that all numbers of several words are few.
    #[derive(Clone, Copy, PartialEq)]
    struct Tiny<const B: u32>(u8);

    impl<const B: u32> From<Tiny<B>> for Limb {
        fn from(word: Tiny<B>) -> Limb {
            word.0.into()
        }
    }

    impl<const B: u32> Word for Tiny<B> {
        type Double = u16;
        const ZERO: Self = Tiny(0);

        fn lowest(limb: Limb) -> Self {
            Tiny((limb % (1 << B)) as u8)
        }

        fn wide(self) -> u16 {
            self.0.into()
        }

        fn split(double: u16) -> (Self, Self) {
            assert!(double >> (2 * B) == 0, "a sum has two words");
            (Self::lowest(double.into()), Tiny((double >> B) as u8))
        }
    }

    /// Every product of residues modulo odd numbers of S words of B bits, `step` apart, is below 2n, and right.
    fn all_products<const B: u32, const S: usize>(step: usize) {
        let r = 1_u64 << (B * S as u32);
        let words =
            |x: u64| core::array::from_fn::<_, S, _>(|i| Tiny::<B>::lowest(x >> (B * i as u32)));
        let methods = [
            cihs::cihs,
            cios::cios,
            fios::fios,
            fios_delayed::fios_delayed,
            mont_fips::mont_fips,
            sos::sos,
        ];
        for n in (1..r).step_by(step) {
            let n0 = Tiny::lowest(neg_inverse(n));
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                for (i, method) in methods.iter().enumerate() {
                    let mut t = vec![Tiny(1); 2 * S];
                    let top = method(&words(a), &words(b), &words(n), n0, &mut t);
                    let high = t[S..].iter().rev();
                    let product =
                        high.fold(Limb::from(top), |sum, word| sum << B | Limb::from(*word));
                    assert!(product < 2 * n, "method {i}: {a} * {b} mod {n}");
                    assert_eq!(product * r % n, a * b % n, "method {i}: {a} * {b} mod {n}");
                }
            }
        }
    }

    #[test]
    fn all_products_of_few_bits() {
        all_products::<3, 2>(2);
        all_products::<3, 3>(102);
    }
}
