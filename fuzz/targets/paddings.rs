//! What is taken off a number that a key gave, and signatures.

#![no_main]

use carrysave_fuzz::KEY;
use carrysave_schemes::{
    dl,
    ec::{P256, P521, ecdsa},
    hash::Hash,
    rsa,
};
use getrandom::SysRng;
use libfuzzer_sys::fuzz_target;
use rand_core::UnwrapErr;

fuzz_target!(|data: &[u8]| {
    macro_rules! signatures {
        ($($Signature:ty)*) => {$(
            if let Ok(signature) = <$Signature>::from_der(data) {
                assert_eq!(signature.to_der(), data, "two encodings of one signature");
            }
        )*};
    }
    signatures!(dl::Signature ecdsa::Signature<P256> ecdsa::Signature<P521>);
    let [choice, em @ ..] = data else { return };
    let hash = Hash::ALL[usize::from(*choice) % Hash::ALL.len()];
    if let Ok(message) = rsa::eme_oaep_decode(hash, hash, b"", em) {
        assert!(message.len() + 2 * hash.len() + 2 <= em.len());
    }
    let digest = hash.digest(em);
    for unused in 0..8 {
        let _ = rsa::emsa_pss_verify(
            hash,
            hash,
            None,
            &digest,
            em,
            (8 * em.len()).saturating_sub(unused),
        );
    }
    // Implicit rejection: there is a message in everything that is as long as the key.
    if let Some(c) = em.first_chunk::<128>().filter(|c| c[0] < 0x80) {
        assert!(
            KEY.rsaes_pkcs1_v1_5_decrypt(&mut UnwrapErr(SysRng), c)
                .is_ok()
        );
    }
});
