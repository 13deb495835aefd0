//! RustCrypto's curves: `p256`, `p384`, `p521` and `k256`.

use super::{
    Refusal, Rival,
    agreement::{Agreement, Exchange},
    signing::{Signer, Signing},
};

/// Loads a private key of one of the crates.
macro_rules! load {
    ($krate:ident, $private:ident) => {{
        use ::$krate::elliptic_curve::sec1::ToSec1Point;
        use ::$krate::{PublicKey, SecretKey, ecdh::diffie_hellman};
        let key = SecretKey::from_slice($private).map_err(Refusal::failed)?;
        let own = key.clone();
        Agreement::new(
            move || own.public_key().to_sec1_point(false).as_bytes().to_vec(),
            move |peer| match PublicKey::from_sec1_bytes(peer) {
                Ok(peer) => diffie_hellman(key.to_nonzero_scalar(), peer.as_affine())
                    .raw_secret_bytes()
                    .to_vec(),
                Err(_) => vec![],
            },
        )
    }};
}

/// Loads a private key of one of the crates that signs.
macro_rules! signer {
    ($krate:ident, $pkcs8:ident) => {{
        use ::$krate::ecdsa::signature::{Signer as _, Verifier};
        use ::$krate::ecdsa::{DerSignature, SigningKey, VerifyingKey};
        use ::$krate::pkcs8::DecodePrivateKey;
        let key = SigningKey::from_pkcs8_der($pkcs8).map_err(Refusal::failed)?;
        let public = VerifyingKey::from(&key);
        Signer::new(
            move |message| {
                let signature: DerSignature = key.sign(message);
                signature.as_bytes().to_vec()
            },
            move |message, signature| {
                let signature = DerSignature::try_from(signature);
                signature.is_ok_and(|signature| public.verify(message, &signature).is_ok())
            },
        )
    }};
}

pub(super) const RIVAL: Rival = Rival {
    agreement: Some(|_, exchange, private| match exchange {
        Exchange::P256 => load!(p256, private),
        Exchange::P384 => load!(p384, private),
        Exchange::P521 => load!(p521, private),
        Exchange::Secp256k1 => load!(k256, private),
        Exchange::X25519 | Exchange::X448 => Err(Refusal::NotOffered),
    }),
    signing: Some(|signing, pkcs8| match signing {
        Signing::Ed25519 | Signing::Ed448 => Err(Refusal::NotOffered),
        Signing::P256 => signer!(p256, pkcs8),
        Signing::P384 => signer!(p384, pkcs8),
        Signing::P521 => signer!(p521, pkcs8),
        Signing::Secp256k1 => signer!(k256, pkcs8),
    }),
    ..Rival::new("rustcrypto/ec", || {
        concat!(
            "p256 ",
            env!("LAB_VERSION_P256"),
            ", p384 ",
            env!("LAB_VERSION_P384"),
            ", p521 ",
            env!("LAB_VERSION_P521"),
            ", k256 ",
            env!("LAB_VERSION_K256"),
        )
        .to_owned()
    })
};
