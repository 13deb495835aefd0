//! `ark-ff`: Montgomery form for any prime.

use super::{Refusal, Rival, elements::Element};
use ::ark_ff::{
    BigInteger,
    fields::{Fp128, Fp256, MontBackend, MontConfig, PrimeField},
};

pub(super) const RIVAL: Rival = Rival {
    field: Some(|pass| match (pass.prime.w, pass.prime.c) {
        (127, 1) => pass.over(decode::<F127>),
        (127, 735) => pass.over(decode::<F127M735>),
        (128, 159) => pass.over(decode::<F128M159>),
        (255, 19) => pass.over(decode::<F25519>),
        (256, 189) => pass.over(decode::<F256M189>),
        (256, 0x1_0000_03d1) => pass.over(decode::<Secp256k1>),
        _ => Err(Refusal::NotOffered),
    }),
    ..Rival::new("ark-ff", || {
        concat!("ark-ff ", env!("LAB_VERSION_ARK_FF")).to_owned()
    })
};

/// Its parameters and the type; what roots of unity need of the generator is not used.
macro_rules! field {
    ($Field:ident, $Config:ident, $Fp:ident, $limbs:literal, $modulus:literal) => {
        #[derive(MontConfig)]
        #[modulus = $modulus]
        #[generator = "3"]
        struct $Config;
        type $Field = $Fp<MontBackend<$Config, $limbs>>;
    };
}

field!(
    F127,
    F127Config,
    Fp128,
    2,
    "170141183460469231731687303715884105727"
);
field!(
    F127M735,
    F127M735Config,
    Fp128,
    2,
    "170141183460469231731687303715884104993"
);
field!(
    F128M159,
    F128M159Config,
    Fp128,
    2,
    "340282366920938463463374607431768211297"
);
field!(
    F25519,
    F25519Config,
    Fp256,
    4,
    "57896044618658097711785492504343953926634992332820282019728792003956564819949"
);
field!(
    F256M189,
    F256M189Config,
    Fp256,
    4,
    "115792089237316195423570985008687907853269984665640564039457584007913129639747"
);
field!(
    Secp256k1,
    Secp256k1Config,
    Fp256,
    4,
    "115792089237316195423570985008687907853269984665640564039457584007908834671663"
);

fn decode<F: PrimeField>(bytes: &[u8]) -> Ark<F> {
    Ark(F::from_le_bytes_mod_order(bytes))
}

#[derive(Clone)]
struct Ark<F>(F);

impl<F: PrimeField> Element for Ark<F> {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Ark(self.0 * other.0)
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        Ark(self.0.square())
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Ark(self.0 + other.0)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Ark(self.0 - other.0)
    }

    #[inline(always)]
    fn inv(&self) -> Self {
        Ark(self.0.inverse().unwrap_or_default())
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        self.0.into_bigint().to_bytes_le()
    }
}
