//! Scalars split in two halves, for curves with an efficient endomorphism.

use super::weierstrass::{Curve, Endomorphism, residue};
use crate::Limb;
use crate::field::Fe;
use zeroize::{Zeroize, Zeroizing};

/// The limbs of half a scalar.
pub(super) const HALF: usize = 2;

/// A magnitude of half the scalars' length, and 1 if the number is negative.
pub(super) type Half = (Limb, [Limb; HALF]);

impl<C: Curve> Endomorphism<C> {
    /// Secret numbers `x` and `y` with `x + y lambda` equal to a scalar modulo the order: the scalar less the nearest
    /// lattice point.
    pub(super) fn split(&self, scalar: &[Limb]) -> [Half; 2] {
        let mut k = residue::<C>(scalar);
        let mut limbs = k.to_limbs();
        let mut c = self.g.map(|g| {
            let mut wide = widen(Zeroizing::new(scaled(&limbs, &g)));
            let c = Fe::<C::Scalar>::below_power(&wide);
            wide.zeroize();
            c
        });
        let mut y = c[0] * self.b[1] - c[1] * self.b[0];
        let mut x = k - y * self.lambda;
        let halves = [x, y].map(half::<C>);
        limbs.zeroize();
        k.zeroize();
        c.iter_mut().for_each(Zeroize::zeroize);
        x.zeroize();
        y.zeroize();
        halves
    }
}

/// A number with zeros above.
fn widen<const N: usize, const M: usize>(limbs: Zeroizing<[Limb; N]>) -> [Limb; M] {
    core::array::from_fn(|i| if i < N { limbs[i] } else { 0 })
}

/// `k g / 2^384` rounded to nearest, for k of four limbs.
fn scaled(k: &[Limb], g: &[Limb; 4]) -> [Limb; HALF] {
    let mut product = [0; 8];
    for (i, &k) in k.iter().take(4).enumerate() {
        let mut carry = 0;
        for (j, &g) in g.iter().enumerate() {
            (product[i + j], carry) = k.carrying_mul_add(g, product[i + j], carry);
        }
        product[i + 4] = carry;
    }
    let (low, carry) = product[6].carrying_add(product[5] >> 63, false);
    let half = [low, product[7] + Limb::from(carry)];
    product.zeroize();
    half
}

/// A scalar near 0 modulo the order, as magnitude and sign.
fn half<C: Curve>(x: Fe<C::Scalar>) -> Half {
    // A value of 2^128 or above is the order, which is above 2^254, less such a number.
    let mut limbs = x.to_limbs();
    let above = limbs[2] | limbs[3];
    let sign = (above | above.wrapping_neg()) >> 63;
    limbs.zeroize();
    let mut magnitude = Fe::select(&x, &-x, sign);
    let mut limbs = magnitude.to_limbs();
    let half = [limbs[0], limbs[1]];
    limbs.zeroize();
    magnitude.zeroize();
    (sign, half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Nat,
        curve::Secp256k1,
        field::{Field, Residue},
    };

    type Scalar = Fe<<Secp256k1 as Curve>::Scalar>;

    #[test]
    fn halves_add_up() {
        let endomorphism = Secp256k1::endomorphism().expect("it has one");
        assert_eq!(
            endomorphism.lambda.sqr() * endomorphism.lambda,
            Scalar::one()
        );
        assert_eq!(endomorphism.beta.sqr() * endomorphism.beta, Fe::one());
        let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
        let random = (0..1000).map(|_| Scalar::random(rng));
        let small = (0..50).map(Scalar::from_limb);
        // Where the nearest pair of the lattice changes, halves are longest.
        let [c, d] = [1_u64, 3].map(|odd| Scalar::from_limb(odd) * Scalar::from_limb(2).inv());
        let between = small
            .clone()
            .flat_map(|i| [c, d, c * endomorphism.lambda].map(|x| [x + i, x - i]));
        // Where rounding carries into the upper limb: k g is next to 2^382 less than a multiple of 2^448.
        let carries = endomorphism.g.iter().flat_map(|g| {
            [1, 2, 1 << 40].map(|multiple| {
                let product = Nat::from_limb(multiple).shl(448);
                let product = product.sub(&Nat::power_of_two(382)).expect("above");
                let (k, _) = product.div_rem_vartime(&Nat::from_limbs(g));
                let octets = k.to_be_bytes(32).expect("below the order");
                Scalar::from_be_bytes(&octets).expect("below the order")
            })
        });
        let scalars = random.chain(small.clone()).chain(small.map(|x| -x));
        for k in scalars.chain(between.flatten()).chain(carries) {
            let halves = endomorphism.split(&k.to_limbs()[..4]).map(|(sign, limbs)| {
                let half = Scalar::below_power(&widen(Zeroizing::new(limbs)));
                if sign == 1 { -half } else { half }
            });
            assert_eq!(halves[0] + halves[1] * endomorphism.lambda, k);
        }
    }

    #[test]
    fn scalars_of_any_length_are_split() {
        let endomorphism = Secp256k1::endomorphism().expect("it has one");
        let order = <<Secp256k1 as Curve>::Scalar as Field>::Residue::MODULUS;
        for limbs in [&[][..], &[0], &order[..4], &order[..6]] {
            assert_eq!(endomorphism.split(limbs), [(0, [0; 2]); 2]);
        }
        assert_eq!(
            endomorphism.split(&[5]),
            endomorphism.split(&[5, 0, 0, 0, 0, 0])
        );
    }
}
