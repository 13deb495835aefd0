//! Encrypted files, on their way to the owner of a key, RSA or of a curve, or of a password, and ciphertexts of ECIES.
//! Whatever they are, no plaintext that is authenticated comes out but that of the seeds, which are all there is for these.

#![no_main]

use carrysave_fuzz::{CURVES, KEY, PASSWORD, TEXT};
use carrysave_schemes::{
    cms::{self, DecryptOptions, Identity},
    ec::AnyPrivateKey,
    hash::Hash,
    legacy::ies::ecies_decrypt,
};
use getrandom::SysRng;
use libfuzzer_sys::fuzz_target;
use rand_core::UnwrapErr;

fuzz_target!(|data: &[u8]| {
    let curves = CURVES.iter().map(Identity::from);
    let others = [Identity::from(&*KEY), Identity::password(PASSWORD)];
    // Derivation of a key from a password takes as long as it is told to.
    let options = DecryptOptions {
        max_iterations: 1000,
        ..Default::default()
    };
    for identity in curves.chain(others) {
        let mut plain = Vec::new();
        let opened = cms::decrypt(
            &mut UnwrapErr(SysRng),
            identity,
            &options,
            &mut &data[..],
            &mut plain,
        );
        if opened.is_ok_and(|opened| opened.authenticated) {
            assert_eq!(plain[..], TEXT, "a forgery");
        }
    }
    if let AnyPrivateKey::P256(key) = &CURVES[0]
        && let Ok(plain) = ecies_decrypt(key, Hash::Sha256, b"", data)
    {
        assert_eq!(plain[..], TEXT, "a forgery");
    }
});
