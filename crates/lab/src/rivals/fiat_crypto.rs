//! `fiat-crypto`: fields whose code was generated together with a proof. It has no inverses.

use super::{
    Refusal, Rival,
    elements::{Element, Step},
};
use ::fiat_crypto::{
    curve25519_64::{
        fiat_25519_add, fiat_25519_carry, fiat_25519_carry_mul, fiat_25519_carry_square,
        fiat_25519_from_bytes, fiat_25519_loose_field_element as Loose, fiat_25519_relax,
        fiat_25519_sub, fiat_25519_tight_field_element as Tight, fiat_25519_to_bytes,
    },
    secp256k1_montgomery_64::{
        fiat_secp256k1_montgomery_add, fiat_secp256k1_montgomery_from_bytes,
        fiat_secp256k1_montgomery_from_montgomery,
        fiat_secp256k1_montgomery_montgomery_domain_field_element as Domain,
        fiat_secp256k1_montgomery_mul,
        fiat_secp256k1_montgomery_non_montgomery_domain_field_element as Number,
        fiat_secp256k1_montgomery_square, fiat_secp256k1_montgomery_sub,
        fiat_secp256k1_montgomery_to_bytes, fiat_secp256k1_montgomery_to_montgomery,
    },
};

pub(super) const RIVAL: Rival = Rival {
    field: Some(|pass| match (pass.prime.w, pass.prime.c, pass.step) {
        (_, _, Step::Inv) => Err(Refusal::NotOffered),
        (255, 19, _) => pass.over(|bytes| {
            let mut r = Tight([0; 5]);
            fiat_25519_from_bytes(&mut r, bytes.try_into().expect("32 bytes"));
            F25519(r)
        }),
        (256, 0x1_0000_03d1, _) => pass.over(|bytes| {
            let (mut number, mut r) = (Number([0; 4]), Domain([0; 4]));
            let bytes = bytes.try_into().expect("32 bytes");
            fiat_secp256k1_montgomery_from_bytes(&mut number.0, bytes);
            fiat_secp256k1_montgomery_to_montgomery(&mut r, &number);
            Secp256k1(r)
        }),
        _ => Err(Refusal::NotOffered),
    }),
    ..Rival::new("fiat-crypto", || {
        concat!("fiat-crypto ", env!("LAB_VERSION_FIAT_CRYPTO")).to_owned()
    })
};

/// Five limbs of 51 bits.
#[derive(Clone)]
struct F25519(Tight);

impl F25519 {
    #[inline(always)]
    fn relax(&self) -> Loose {
        let mut r = Loose([0; 5]);
        fiat_25519_relax(&mut r, &self.0);
        r
    }
}

impl Element for F25519 {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let mut r = Tight([0; 5]);
        fiat_25519_carry_mul(&mut r, &self.relax(), &other.relax());
        F25519(r)
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        let mut r = Tight([0; 5]);
        fiat_25519_carry_square(&mut r, &self.relax());
        F25519(r)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let (mut sum, mut r) = (Loose([0; 5]), Tight([0; 5]));
        fiat_25519_add(&mut sum, &self.0, &other.0);
        fiat_25519_carry(&mut r, &sum);
        F25519(r)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let (mut difference, mut r) = (Loose([0; 5]), Tight([0; 5]));
        fiat_25519_sub(&mut difference, &self.0, &other.0);
        fiat_25519_carry(&mut r, &difference);
        F25519(r)
    }

    fn inv(&self) -> Self {
        unreachable!("it is not offered")
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        let mut bytes = [0; 32];
        fiat_25519_to_bytes(&mut bytes, &self.0);
        bytes.to_vec()
    }
}

/// Montgomery form.
#[derive(Clone)]
struct Secp256k1(Domain);

impl Element for Secp256k1 {
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let mut r = Domain([0; 4]);
        fiat_secp256k1_montgomery_mul(&mut r, &self.0, &other.0);
        Secp256k1(r)
    }

    #[inline(always)]
    fn sqr(&self) -> Self {
        let mut r = Domain([0; 4]);
        fiat_secp256k1_montgomery_square(&mut r, &self.0);
        Secp256k1(r)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let mut r = Domain([0; 4]);
        fiat_secp256k1_montgomery_add(&mut r, &self.0, &other.0);
        Secp256k1(r)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let mut r = Domain([0; 4]);
        fiat_secp256k1_montgomery_sub(&mut r, &self.0, &other.0);
        Secp256k1(r)
    }

    fn inv(&self) -> Self {
        unreachable!("it is not offered")
    }

    fn to_le_bytes(&self) -> Vec<u8> {
        let (mut number, mut bytes) = (Number([0; 4]), [0; 32]);
        fiat_secp256k1_montgomery_from_montgomery(&mut number, &self.0);
        fiat_secp256k1_montgomery_to_bytes(&mut bytes, &number.0);
        bytes.to_vec()
    }
}
