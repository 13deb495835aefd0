//! `crypto-bigint`: constant-time arithmetic of RustCrypto, with long numbers on the heap, as `rsa` uses it, and with
//! elements of fields in Montgomery form, or reduced as `2^w - c` is.

use super::{
    Refusal, Rival,
    elements::{Element, Step},
};
use ::crypto_bigint::{
    BoxedUint, Limb, Odd, U128, U256, Uint, const_monty_params,
    modular::{BoxedMontyForm, BoxedMontyParams, ConstMontyForm, ConstMontyParams},
};

pub(super) const RIVAL: Rival = Rival {
    modexp: Some(|_, power| {
        let bits = power.modulus.len() as u32 * 8;
        if !bits.is_multiple_of(64) {
            return Err(Refusal::NotOffered);
        }
        let number = |bytes: &[u8]| BoxedUint::from_be_slice(bytes, bits).map_err(Refusal::failed);
        let modulus = Option::from(Odd::new(number(&power.modulus)?)).ok_or(Refusal::NotOffered)?;
        let params = BoxedMontyParams::new(modulus);
        let (base, exponent) = (number(&power.base)?, number(&power.exponent)?);
        Ok(Box::new(move || {
            let base = BoxedMontyForm::new(base.clone(), &params);
            base.pow(&exponent).retrieve().to_be_bytes().into()
        }))
    }),
    field: Some(|pass| match (pass.prime.w, pass.prime.c) {
        (127, 1) => pass.over(montgomery::<P127, 2>),
        (127, 735) => pass.over(montgomery::<P127M735, 2>),
        (128, 159) => pass.over(montgomery::<P128M159, 2>),
        (255, 19) => pass.over(montgomery::<P25519, 4>),
        (256, 189) => pass.over(montgomery::<P256M189, 4>),
        (256, 0x1_0000_03d1) => pass.over(montgomery::<Secp256k1, 4>),
        _ => Err(Refusal::NotOffered),
    }),
    ..Rival::new("crypto-bigint", version)
};

/// Its functions for primes just below a power of two: it has no inverse for them.
pub(super) const SPECIAL: Rival = Rival {
    field: Some(|pass| match (pass.prime.w, pass.prime.c, pass.step) {
        (_, _, Step::Inv) => Err(Refusal::NotOffered),
        (128, 159, _) => pass.over(|bytes| Special::<2, 159>(uint(bytes))),
        (256, 189, _) => pass.over(|bytes| Special::<4, 189>(uint(bytes))),
        (256, 0x1_0000_03d1, _) => pass.over(|bytes| Special::<4, 0x1_0000_03d1>(uint(bytes))),
        _ => Err(Refusal::NotOffered),
    }),
    ..Rival::new("crypto-bigint/special", version)
};

fn version() -> String {
    concat!("crypto-bigint ", env!("LAB_VERSION_CRYPTO_BIGINT")).to_owned()
}

const_monty_params!(P127, U128, "7fffffffffffffffffffffffffffffff");
const_monty_params!(P127M735, U128, "7ffffffffffffffffffffffffffffd21");
const_monty_params!(P128M159, U128, "ffffffffffffffffffffffffffffff61");
const_monty_params!(
    P25519,
    U256,
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"
);
const_monty_params!(
    P256M189,
    U256,
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff43"
);
const_monty_params!(
    Secp256k1,
    U256,
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
);

fn uint<const N: usize>(bytes: &[u8]) -> Uint<N> {
    let mut words = [0; N];
    for (i, &byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    Uint::from_words(words)
}

fn bytes<const N: usize>(number: &Uint<N>) -> Vec<u8> {
    let words = number.as_words();
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn montgomery<P: ConstMontyParams<N>, const N: usize>(bytes: &[u8]) -> ConstMontyForm<P, N> {
    ConstMontyForm::new(&uint(bytes))
}

impl<P: ConstMontyParams<N>, const N: usize> Element for ConstMontyForm<P, N> {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        ConstMontyForm::mul(self, other)
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        self.square()
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        ConstMontyForm::add(self, other)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        ConstMontyForm::sub(self, other)
    }

    #[inline(always)]
    fn inv(&self) -> Self {
        self.invert().unwrap_or(*self)
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        bytes(&self.retrieve())
    }
}

/// A number below `2^(64N) - C`.
#[derive(Clone, Copy)]
struct Special<const N: usize, const C: u64>(Uint<N>);

impl<const N: usize, const C: u64> Element for Special<N, C> {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Special(self.0.mul_mod_special(&other.0, Limb(C)))
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        self.mul(self)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Special(self.0.add_mod_special(&other.0, Limb(C)))
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Special(self.0.sub_mod_special(&other.0, Limb(C)))
    }

    fn inv(&self) -> Self {
        unreachable!("it is not offered")
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        bytes(&self.0)
    }
}
