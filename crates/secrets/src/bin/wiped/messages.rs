//! Messages, and the keys and passwords that open them.

use super::{below, filled, keys, rng};
use carrysave_arith::curve::P256;
use carrysave_schemes::{
    cms,
    dl::{self, Named},
    ec::{self, Algorithm, AnyPrivateKey},
    hash::Hash,
    legacy::ies,
};
use carrysave_secrets::memory::Needles;
use zeroize::Zeroizing;

pub fn ies(needles: &mut Needles) {
    let (rng, hash) = (&mut rng(), Hash::Sha256);
    let m = filled(64);
    needles.add("the message", &m);
    let key = below(|| ec::PrivateKey::<P256>::generate_with(rng));
    let c = below(|| ies::ecies_encrypt(key.public(), rng, hash, b"", &m)).expect("a good key");
    let opened = below(|| ies::ecies_decrypt(&key, hash, b"", &c)).expect("a message");
    assert!(opened[..] == m[..]);
    let key = below(|| dl::PrivateKey::generate_with(&Named::Ffdhe2048.group(), rng));
    let c = below(|| ies::dlies_encrypt(key.public(), rng, hash, b"", &m)).expect("a good key");
    let opened = below(|| ies::dlies_decrypt(&key, hash, b"", &c)).expect("a message");
    assert!(opened[..] == m[..]);
}

pub fn cms(needles: &mut Needles) {
    let rsa = keys::rsa_key(needles, 2048);
    let m = filled(300_000);
    needles.add("the message", &m);
    let password = filled(32);
    needles.add("the password", &password);
    let curves: Vec<AnyPrivateKey> = Algorithm::ALL
        .iter()
        .filter(|algorithm| algorithm.agrees())
        .map(|&curve| below(|| AnyPrivateKey::generate_with(curve, &mut rng())))
        .collect();
    let mut recipients = vec![
        cms::Recipient::from_public_key(rsa.public().clone()).expect("a recipient"),
        cms::Recipient::from_password(&password),
    ];
    for key in &curves {
        keys::add_any(needles, key);
        recipients.push(cms::Recipient::from_curve_key(key.public()).expect("a recipient"));
    }
    let identities = curves.iter().map(cms::Identity::from).chain([
        cms::Identity::from(&rsa),
        cms::Identity::password(&password),
    ]);
    let options = cms::EncryptOptions {
        iterations: 1000,
        ..Default::default()
    };
    let mut c = Vec::new();
    below(|| cms::encrypt(&mut rng(), &recipients, &options, &mut &m[..], &mut c))
        .expect("a message");
    drop(recipients);
    // Allocated in full: a vector that grows leaves copies.
    let mut opened = Zeroizing::new(Vec::with_capacity(m.len()));
    let options = cms::DecryptOptions::default();
    for identity in identities {
        opened.clear();
        below(|| cms::decrypt(&mut rng(), identity, &options, &mut &c[..], &mut *opened))
            .expect("the message");
        assert!(opened[..] == m[..]);
    }
}
