//! The traits of the crates `pkcs8` and `spki`, with keys of every kind.

use carrysave_schemes::ec::ecdsa::SigningKey;
use carrysave_schemes::ec::{
    BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Ed448PrivateKey, Ed25519PrivateKey, Named,
    P224, P256, P384, P521, PublicKey, Secp256k1, X448PrivateKey, X25519PrivateKey,
};
use der::asn1::ObjectIdentifier;
use pkcs8::{DecodePrivateKey, EncodePrivateKey};
use spki::{DecodePublicKey, EncodePublicKey};
use std::fmt::Debug;

/// The files of a key pair, and why readers of its kind refuse a file.
struct Kind {
    oid: ObjectIdentifier,
    private: Vec<u8>,
    public: Vec<u8>,
    refuses_private: fn(&[u8]) -> Option<pkcs8::Error>,
    refuses_public: fn(&[u8]) -> Option<spki::Error>,
}

/// A key pair that the traits write as our own writers do, and read again.
fn kind<K, P>(oid: ObjectIdentifier, key: &K, public: P, own: [&[u8]; 2]) -> Kind
where
    K: EncodePrivateKey + DecodePrivateKey,
    P: EncodePublicKey + DecodePublicKey + PartialEq + Debug,
{
    let written = key.to_pkcs8_der().expect("a key");
    assert!(written.as_bytes() == own[0], "{oid}");
    let read = K::from_pkcs8_der(own[0]).expect("what was written");
    let again = read.to_pkcs8_der().expect("a key");
    assert!(again.as_bytes() == own[0], "{oid}");
    let written = public.to_public_key_der().expect("a key");
    assert_eq!(written.as_bytes(), own[1], "{oid}");
    assert_eq!(P::from_public_key_der(own[1]), Ok(public), "{oid}");
    Kind {
        oid,
        private: own[0].to_vec(),
        public: own[1].to_vec(),
        refuses_private: |der| K::from_pkcs8_der(der).err(),
        refuses_public: |der| P::from_public_key_der(der).err(),
    }
}

/// A key on a curve, as it is and with the hash of the curve.
fn curve<C: Named>() -> [Kind; 2] {
    let signing = SigningKey::<C>::generate();
    let key = signing.private_key();
    let (private, public) = (key.to_pkcs8_der(), key.public().to_spki_der());
    let read = SigningKey::<C>::from_pkcs8_der(&private).expect("what was written");
    assert_eq!(read.sign(b"a message"), signing.sign(b"a message"));
    assert_eq!(read.verifying_key(), signing.verifying_key());
    let own: [&[u8]; 2] = [&private, &public];
    [
        kind(C::OID, key, key.public().clone(), own),
        kind(C::OID, &signing, signing.verifying_key(), own),
    ]
}

/// A key that is octets.
macro_rules! octets {
    ($Private:ty, $oid:literal) => {{
        let key = <$Private>::generate();
        let public = key.public().to_owned();
        let (der, spki) = (key.to_pkcs8_der(), public.to_spki_der());
        let own: [&[u8]; 2] = [&der, &spki];
        [kind(ObjectIdentifier::new_unwrap($oid), &key, public, own)]
    }};
}

#[test]
fn keys_of_every_kind_go_through_the_traits() {
    let mut kinds = Vec::new();
    kinds.extend(curve::<P224>());
    kinds.extend(curve::<P256>());
    kinds.extend(curve::<P384>());
    kinds.extend(curve::<P521>());
    kinds.extend(curve::<Secp256k1>());
    kinds.extend(curve::<BrainpoolP256r1>());
    kinds.extend(curve::<BrainpoolP384r1>());
    kinds.extend(curve::<BrainpoolP512r1>());
    kinds.extend(octets!(X25519PrivateKey, "1.3.101.110"));
    kinds.extend(octets!(X448PrivateKey, "1.3.101.111"));
    kinds.extend(octets!(Ed25519PrivateKey, "1.3.101.112"));
    kinds.extend(octets!(Ed448PrivateKey, "1.3.101.113"));
    // A key of another algorithm is refused by the name of that.
    for own in &kinds {
        for other in &kinds {
            let oid = other.oid;
            let refused = (own.oid != oid).then_some(spki::Error::OidUnknown { oid });
            assert_eq!((own.refuses_public)(&other.public), refused, "{}", own.oid);
            let refused = refused.map(pkcs8::Error::PublicKey);
            assert_eq!(
                (own.refuses_private)(&other.private),
                refused,
                "{}",
                own.oid
            );
        }
    }
}

#[test]
fn damaged_keys_are_malformed() {
    let key = Ed25519PrivateKey::from_bytes(&[7; 32]);
    let mut der = key.to_pkcs8_v2_der();
    assert!(<Ed25519PrivateKey as DecodePrivateKey>::from_pkcs8_der(&der).is_ok());
    *der.last_mut().expect("a file") ^= 1;
    let refused = <Ed25519PrivateKey as DecodePrivateKey>::from_pkcs8_der(&der).err();
    let malformed = pkcs8::Error::KeyMalformed(pkcs8::KeyError::Invalid);
    assert_eq!(refused, Some(malformed));
    let mut spki = SigningKey::<P256>::generate()
        .private_key()
        .public()
        .to_spki_der();
    *spki.last_mut().expect("a file") ^= 1;
    assert_eq!(
        PublicKey::<P256>::from_public_key_der(&spki),
        Err(spki::Error::KeyMalformed)
    );
    let cut = <X25519PrivateKey as DecodePrivateKey>::from_pkcs8_der(&der[..20]).err();
    assert!(matches!(cut, Some(pkcs8::Error::Asn1(_))), "{cut:?}");
}
