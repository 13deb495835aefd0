//! `curve25519-dalek`: X25519, with vector instructions where a product is with the base point.

use super::{
    Refusal, Rival,
    agreement::{Agreement, Exchange},
};
use ::curve25519_dalek::MontgomeryPoint;

pub(super) const RIVAL: Rival = Rival {
    agreement: Some(|_, exchange, private| {
        let Exchange::X25519 = exchange else {
            return Err(Refusal::NotOffered);
        };
        let k: [u8; 32] = private.try_into().map_err(Refusal::failed)?;
        Agreement::new(
            move || MontgomeryPoint::mul_base_clamped(k).to_bytes().to_vec(),
            move |peer| match peer.try_into() {
                Ok(peer) => MontgomeryPoint(peer).mul_clamped(k).to_bytes().to_vec(),
                Err(_) => vec![],
            },
        )
    }),
    ..Rival::new("curve25519-dalek", || {
        concat!("curve25519-dalek ", env!("LAB_VERSION_CURVE25519_DALEK")).to_owned()
    })
};
