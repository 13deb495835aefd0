//! `crypto-bigint`: constant-time arithmetic of RustCrypto, with numbers on the heap, as `rsa` uses it.

use super::{Refusal, Rival};
use ::crypto_bigint::{
    BoxedUint, Odd,
    modular::{BoxedMontyForm, BoxedMontyParams},
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
    ..Rival::new("crypto-bigint", || {
        concat!("crypto-bigint ", env!("LAB_VERSION_CRYPTO_BIGINT")).to_owned()
    })
};
