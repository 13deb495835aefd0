//! Encrypted files, on their way to the owner of the key. Whatever they are, no plaintext that is authenticated comes out
//! but that of the seeds, which are all there is for this key.

#![no_main]

use carrysave_fuzz::KEY;
use carrysave_schemes::cms;
use getrandom::SysRng;
use libfuzzer_sys::fuzz_target;
use rand_core::UnwrapErr;

fuzz_target!(|data: &[u8]| {
    let mut plain = Vec::new();
    let opened = cms::decrypt(
        &mut UnwrapErr(SysRng),
        &KEY,
        None,
        &mut &data[..],
        &mut plain,
    );
    if opened.is_ok_and(|opened| opened.authenticated) {
        assert!(plain.iter().all(|&byte| byte == b'x'), "a forgery");
    }
});
