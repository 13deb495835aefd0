//! Signatures of Ed25519.

use crate::{rng, workshop};
use carrysave_schemes::ec::{AnyPrivateKey, Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature};

const MESSAGE: &[u8] = b"a message of some length";

#[test]
fn signatures_verify_on_the_other_side() {
    let Some(workshop) = workshop() else { return };
    workshop.write("message", MESSAGE);
    let key = Ed25519PrivateKey::generate_with(&mut rng());
    let (private, public) = (
        AnyPrivateKey::from(key.clone()).to_pkcs8_pem(),
        AnyPrivateKey::from(key.clone()).public().to_spki_pem(),
    );
    workshop.write("key.pem", private.as_bytes());
    workshop.write("public.pem", public);
    let verify = "pkeyutl -verify -rawin -pubin -inkey public.pem -in message -sigfile signature";
    let signature = key.sign(MESSAGE);
    workshop.write("signature", signature.0);
    workshop.run(verify);
    workshop.write("signature", key.sign(b"another message").0);
    assert!(!workshop.accepts(verify));
    // Both sign alike.
    workshop.run("pkeyutl -sign -rawin -inkey key.pem -in message -out signature");
    assert_eq!(workshop.read("signature"), signature.0);
    // A key of theirs.
    for words in [
        "genpkey -algorithm ED25519 -outform DER -out theirs.der",
        "pkey -in theirs.der -inform DER -pubout -outform DER -out public.der",
        "pkeyutl -sign -rawin -inkey theirs.der -keyform DER -in message -out signature",
    ] {
        workshop.run(words);
    }
    let public = Ed25519PublicKey::from_spki_der(&workshop.read("public.der")).unwrap();
    let signature = Ed25519Signature(workshop.read("signature").try_into().unwrap());
    assert_eq!(public.verify(MESSAGE, &signature), Ok(()));
    let der = workshop.read("theirs.der");
    let theirs = Ed25519PrivateKey::from_pkcs8_der(&der).unwrap();
    assert_eq!(
        (theirs.public(), theirs.sign(MESSAGE)),
        (&public, signature)
    );
    assert_eq!(*theirs.to_pkcs8_der(), der);
}
