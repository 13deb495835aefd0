//! `crrl`: fields and curves in plain Rust.

use super::{
    Refusal, Rival,
    agreement::{Agreement, Exchange},
    elements::{Element, Pass},
};
use ::crrl::{
    field::{GF25519, GFsecp256k1, ModInt256},
    p256, secp256k1,
    x448::{x448, x448_base},
    x25519::{x25519, x25519_base},
};

/// Loads a private key of a Weierstrass curve.
macro_rules! load {
    ($curve:ident, $private:ident) => {{
        use $curve::{Point, Scalar};
        let mut octets = $private.to_vec();
        octets.reverse();
        let d = Scalar::decode(&octets).ok_or(Refusal::NotOffered)?;
        Agreement::new(
            move || Point::mulgen(&d).encode_uncompressed().to_vec(),
            move |peer| match Point::decode(peer) {
                Some(peer) => (peer * d).encode_uncompressed()[1..33].to_vec(),
                None => vec![],
            },
        )
    }};
}

/// Loads a private key of a Montgomery curve.
macro_rules! montgomery {
    ($ladder:ident, $base:ident, $len:literal octets, $private:ident) => {{
        let k: [u8; $len] = $private.try_into().map_err(Refusal::failed)?;
        Agreement::new(
            move || $base(&k).to_vec(),
            move |peer| {
                let peer = peer.try_into();
                peer.map_or(vec![], |peer| $ladder(peer, &k).to_vec())
            },
        )
    }};
}

pub(super) const RIVAL: Rival = Rival {
    field: Some(|pass: &Pass| match (pass.prime.w, pass.prime.c) {
        (255, 19) => pass.over(|bytes| GF25519::decode(bytes).expect("below the prime")),
        (256, 189) => pass.over(|bytes| F256M189::decode(bytes).expect("below the prime")),
        (256, 0x1_0000_03d1) => {
            pass.over(|bytes| GFsecp256k1::decode(bytes).expect("below the prime"))
        }
        _ => Err(Refusal::NotOffered),
    }),
    agreement: Some(|_, exchange, private| match exchange {
        Exchange::P256 => load!(p256, private),
        Exchange::Secp256k1 => load!(secp256k1, private),
        Exchange::X25519 => montgomery!(x25519, x25519_base, 32 octets, private),
        Exchange::X448 => montgomery!(x448, x448_base, 56 octets, private),
        Exchange::P384 | Exchange::P521 => Err(Refusal::NotOffered),
    }),
    ..Rival::new("crrl", || {
        concat!("crrl ", env!("LAB_VERSION_CRRL")).to_owned()
    })
};

/// In Montgomery form, as any modulus.
type F256M189 = ModInt256<{ u64::MAX - 188 }, { u64::MAX }, { u64::MAX }, { u64::MAX }>;

macro_rules! element {
    ($($Field:ty),*) => {$(
        impl Element for $Field {
            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn sqr(&self) -> Self {
                self.square()
            }

            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn sub(&self, other: &Self) -> Self {
                self - other
            }

            #[inline(always)]
            fn inv(&self) -> Self {
                Self::ONE / *self
            }

            fn to_le_bytes(&self) -> Vec<u8> {
                self.encode32().to_vec()
            }
        }
    )*};
}

element!(GF25519, F256M189, GFsecp256k1);
