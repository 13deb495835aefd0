//! DLIES and ECIES: Crypto++'s vectors, both directions, and invalid ciphertexts.

use crate::cryptopp::peer;
use crate::support::*;
use carrysave_arith::Plan;
use carrysave_schemes::dl::{self, Form, Group};
use carrysave_schemes::ec::{self, P256, P384, P521, Secp256k1};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::ies::{dlies_decrypt, dlies_encrypt, ecies_decrypt, ecies_encrypt};

#[test]
fn cryptopps_dlies_ciphertexts() {
    let Some(text) = read("cryptopp/TestVectors/dlies.txt") else {
        return;
    };
    let (mut keys, mut decrypted) = (Last::new(), 0);
    for_each_case(continued(&text), "Test", |fields| {
        let keys = keys.get(fields.text("PrivateKey").to_owned(), |private| {
            let der = hex(private);
            let (form, key) = dl::PrivateKey::from_pkcs8_der(&der).unwrap();
            assert_eq!(form, Form::Dsa);
            let public = dl::PublicKey::from_spki_der(&fields.bytes("PublicKey")).unwrap();
            assert_eq!(public, (Form::Dsa, key.public().clone()));
            let on = |cpu| key.with_plan(cpu, Plan::best(cpu));
            masks().into_iter().map(on).collect::<Vec<_>>()
        });
        if fields.text("Test") != "DecryptMatch" {
            return assert_eq!(fields.text("Test"), "KeyPairValidAndConsistent");
        }
        let (m, c) = (fields.bytes("Plaintext"), fields.bytes("Ciphertext"));
        for key in keys {
            assert_eq!(*dlies_decrypt(key, Hash::Sha1, b"", &c).unwrap(), m);
        }
        decrypted += 1;
    });
    assert_eq!(decrypted, 66);
}

#[test]
fn cryptopps_dlies_key_works() {
    let Some(text) = read("cryptopp/TestData/dlie2048.dat") else {
        return;
    };
    let (form, key) = dl::PrivateKey::from_pkcs8_der(&hex(&text)).unwrap();
    assert_eq!(*key.to_pkcs8_der(form).unwrap(), hex(&text));
    let c = dlies_encrypt(key.public(), &mut rng(), Hash::Sha256, b"", b"a secret").unwrap();
    assert_eq!(
        *dlies_decrypt(&key, Hash::Sha256, b"", &c).unwrap(),
        b"a secret"
    );
}

/// Every bit, and every length, of a ciphertext counts, and so do its label, hash and key.
fn only_right_ones<E: PartialEq + std::fmt::Debug>(
    c: &[u8],
    decrypt: impl Fn(Hash, &[u8], &[u8]) -> Result<Vec<u8>, E>,
    refused: &E,
) -> usize {
    let mut count = 0;
    let mut refuse = |hash, label: &[u8], c: &[u8]| {
        assert_eq!(decrypt(hash, label, c).as_ref(), Err(refused));
        count += 1;
    };
    for byte in 0..c.len() {
        let mut wrong = c.to_vec();
        wrong[byte] ^= 1 << (byte % 8);
        refuse(Hash::Sha256, b"label", &wrong);
    }
    for len in 0..c.len() {
        refuse(Hash::Sha256, b"label", &c[..len]);
    }
    refuse(Hash::Sha256, b"label", &[c, &[0]].concat());
    refuse(Hash::Sha256, b"labe", c);
    refuse(Hash::Sha256, b"", c);
    refuse(Hash::Sha1, b"label", c);
    refuse(Hash::Sha512, b"label", c);
    assert_eq!(
        decrypt(Hash::Sha256, b"label", c),
        Ok(b"a message".to_vec())
    );
    count
}

#[test]
fn nothing_but_a_ciphertext_is_decrypted() {
    let rng = &mut rng();
    let group = Group::generate_safe_prime_with(rng, 512, &mut || ()).unwrap();
    let [key, other] = [(); 2].map(|_| dl::PrivateKey::generate_with(&group, rng));
    let c = dlies_encrypt(key.public(), rng, Hash::Sha256, b"label", b"a message").unwrap();
    let decrypt =
        |hash, label: &[u8], c: &[u8]| dlies_decrypt(&key, hash, label, c).map(|m| m.to_vec());
    assert!(only_right_ones(&c, decrypt, &dl::Error::Decryption) > 200);
    assert_eq!(
        dlies_decrypt(&other, Hash::Sha256, b"label", &c),
        Err(dl::Error::Decryption)
    );
    // Invalid elements: 0, 1, -1, p, and a non-square.
    let p = group.p();
    let one = carrysave_arith::Nat::one();
    let minus_one = p.sub(&one).unwrap();
    for v in [carrysave_arith::Nat::zero(), one, minus_one, p.clone()] {
        let forged = [&v.to_be_bytes(64).unwrap()[..], &c[64..]].concat();
        let m = dlies_decrypt(&key, Hash::Sha256, b"label", &forged);
        assert_eq!(m, Err(dl::Error::Decryption));
    }
    let [key, other] = [(); 2].map(|_| ec::PrivateKey::<P256>::generate_with(rng));
    let c = ecies_encrypt(key.public(), rng, Hash::Sha256, b"label", b"a message").unwrap();
    let decrypt =
        |hash, label: &[u8], c: &[u8]| ecies_decrypt(&key, hash, label, c).map(|m| m.to_vec());
    assert!(only_right_ones(&c, decrypt, &ec::Error::Decryption) > 200);
    assert_eq!(
        ecies_decrypt(&other, Hash::Sha256, b"label", &c),
        Err(ec::Error::Decryption)
    );
}

const MESSAGES: [&[u8]; 4] = [b"", b"x", b"a message", &[7; 300]];
const HASHES: [Hash; 2] = [Hash::Sha1, Hash::Sha256];

#[test]
fn dlies_goes_both_ways() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    let groups = [
        Group::generate_safe_prime_with(rng, 512, &mut || ()).unwrap(),
        Group::generate_with(rng, 1024, 160, Hash::Sha1, &mut || ())
            .unwrap()
            .0,
        dl::Named::Ffdhe2048.group(),
    ];
    for group in groups {
        let key = dl::PrivateKey::generate_with(&group, rng);
        let private = key.to_pkcs8_der(Form::Dsa).unwrap();
        let public = key.public().to_spki_der(Form::Dsa).unwrap();
        for (hash, m) in HASHES
            .into_iter()
            .flat_map(|hash| MESSAGES.map(|m| (hash, m)))
        {
            for label in [&b""[..], b"label"] {
                let c = peer.one(&format!("dlies-encrypt-{hash}"), &[&public, label, m]);
                assert_eq!(*dlies_decrypt(&key, hash, label, &c).unwrap(), m);
                let c = dlies_encrypt(key.public(), rng, hash, label, m).unwrap();
                let from = format!("dlies-decrypt-{hash}");
                assert_eq!(peer.one(&from, &[&private, label, &c]), m);
                peer.refuses(&from, &[&private, b"another", &c]);
            }
        }
    }
}

fn ecies<C: ec::Named>() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    let key = ec::PrivateKey::<C>::generate_with(rng);
    let (private, public) = (key.to_pkcs8_der(), key.public().to_spki_der());
    for (hash, m) in HASHES
        .into_iter()
        .flat_map(|hash| MESSAGES.map(|m| (hash, m)))
    {
        let c = peer.one(&format!("ecies-encrypt-{hash}"), &[&public, b"label", m]);
        assert_eq!(*ecies_decrypt(&key, hash, b"label", &c).unwrap(), m);
        let c = ecies_encrypt(key.public(), rng, hash, b"label", m).unwrap();
        let from = format!("ecies-decrypt-{hash}");
        assert_eq!(peer.one(&from, &[&private, b"label", &c]), m);
        peer.refuses(&from, &[&private, b"another", &c]);
    }
}

#[test]
fn ecies_goes_both_ways() {
    ecies::<P256>();
    ecies::<P384>();
    ecies::<P521>();
    ecies::<Secp256k1>();
}
