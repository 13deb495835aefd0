//! Text with keys in it. What a strict reader of PEM takes, the lax one takes for the same. Signatures of OpenSSH, which are
//! read as they are written.

#![no_main]

use carrysave_schemes::{keys, sshsig::SshSignature};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let entries = keys::read(text, None);
    assert!(!entries.is_empty());
    let lines = text.iter().filter(|&&c| c == b'\n').count() + 1;
    assert!(entries.iter().all(|entry| entry.line <= lines));
    let strict = ["PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE"];
    if let Ok((label, der)) = der::pem::decode_vec(text)
        && strict.contains(&label)
    {
        let from_der = keys::read(&der, None).remove(0).content;
        let from_text = entries[0].content.as_ref();
        assert_eq!(
            from_text.is_ok(),
            from_der.is_ok(),
            "{from_text:?} {from_der:?}"
        );
    }
    if let Ok(signature) = SshSignature::from_pem(text) {
        let again = SshSignature::from_pem(signature.to_pem().as_bytes());
        assert_eq!(again.ok(), Some(signature));
    }
});
