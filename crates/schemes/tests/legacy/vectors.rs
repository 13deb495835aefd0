//! Crypto++'s keys and vectors, and a vector of NTT's, which the repository has.

use crate::support::*;
use crate::*;
use carrysave_arith::Nat;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::{Error, KeyError};

/// A key file of Crypto++: DER in hexadecimal.
fn key_file(name: &str) -> Option<Vec<u8>> {
    Some(hex(&read(&format!("cryptopp/TestData/{name}.dat"))?))
}

#[test]
fn cryptopps_rabin_key_works() {
    let Some(der) = key_file("rabi2048") else {
        return;
    };
    let (mut rng, digest) = (rng(), Hash::Sha256.digest(b"message"));
    let key = rabin::PrivateKey::from_der(&der).unwrap();
    assert_eq!(*key.to_der(), der);
    key.validate().unwrap();
    for key in masks().into_iter().map(|cpu| key.with_cpu(cpu)) {
        let public = rabin::PublicKey::from_der(&key.public().to_der()).unwrap();
        for hash in [Hash::Sha1, Hash::Sha256, Hash::Sha512] {
            let c = public
                .rabines_oaep_encrypt(&mut rng, hash, b"label", b"a secret")
                .unwrap();
            let m = key
                .rabines_oaep_decrypt(&mut rng, hash, b"label", &c)
                .unwrap();
            assert_eq!(*m, b"a secret");
            let refused = key.rabines_oaep_decrypt(&mut rng, hash, b"other", &c);
            assert_eq!(refused, Err(Error::Decryption));
        }
        for m1 in [&b""[..], b"inside"] {
            let signature = key
                .rabinss_pssr_sign(&mut rng, Hash::Sha256, m1, &digest)
                .unwrap();
            public
                .rabinss_pssr_verify(Hash::Sha256, m1, &digest, &signature)
                .unwrap();
            assert_eq!(
                public
                    .rabinss_pssr_recover(Hash::Sha256, &digest, &signature)
                    .unwrap(),
                m1
            );
        }
    }
}

/// A signature gives back the part of the message inside, up to the longest, with the digest of the rest alone.
#[test]
fn messages_are_recovered_from_their_signatures_alone() {
    let (key, rng, hash) = (rabin_key(1024), &mut rng(), Hash::Sha256);
    let (public, digest, other) = (key.public(), hash.digest(b"rest"), hash.digest(b"other"));
    let Err(Error::MessageTooLong { max }) = key.rabinss_pssr_sign(rng, hash, &[1; 200], &digest)
    else {
        panic!("a part of 200 octets fits in 128");
    };
    for length in [0, 1, max - 1, max] {
        let m1 = vec![7; length];
        let signature = key.rabinss_pssr_sign(rng, hash, &m1, &digest).unwrap();
        let recover =
            |digest: &[u8], signature: &[u8]| public.rabinss_pssr_recover(hash, digest, signature);
        assert_eq!(recover(&digest, &signature), Ok(m1.clone()));
        assert_eq!(recover(&other, &signature), Err(Error::Verification));
        let more = [&m1[..], &[7]].concat();
        let verified = public.rabinss_pssr_verify(hash, &more, &digest, &signature);
        assert_eq!(verified, Err(Error::Verification));
        let mut changed = signature;
        changed[100] ^= 1;
        assert_eq!(recover(&digest, &changed), Err(Error::Verification));
    }
    let longer = key.rabinss_pssr_sign(rng, hash, &vec![7; max + 1], &digest);
    assert_eq!(longer, Err(Error::MessageTooLong { max }));
}

#[test]
fn rabin_inverts_every_kind_of_number() {
    let key = rabin_key(512);
    let (mut rng, n) = (rng(), key.public().n().clone());
    let mut kinds = [0; 4];
    let edges = [
        Nat::zero(),
        Nat::one(),
        Nat::from_limb(2),
        n.sub_limb(1).unwrap(),
    ];
    let random = (0..200).map(|_| Nat::random_below(&n, &mut rng));
    for m in random.collect::<Vec<_>>().into_iter().chain(edges) {
        kinds[usize::from(m.bit(0)) + 2 * usize::from(m.jacobi_vartime(&n) == -1)] += 1;
        let image = key.public().apply(&mut rng, &m).unwrap();
        assert_eq!(key.public().apply_vartime(&m).unwrap(), image);
        assert_eq!(key.invert(&mut rng, &image).unwrap(), m);
        // Anything is an image.
        let back = key.invert(&mut rng, &m).unwrap();
        assert_eq!(key.public().apply_vartime(&back).unwrap(), m);
    }
    assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
    assert_eq!(key.invert(&mut rng, &n), Err(Error::OutOfRange));
    assert_eq!(key.public().apply(&mut rng, &n), Err(Error::OutOfRange));
    assert_eq!(key.public().apply_vartime(&n), Err(Error::OutOfRange));
}

#[test]
fn cryptopps_rw_key_works() {
    let Some(der) = key_file("rw2048") else {
        return;
    };
    let (mut rng, digest) = (rng(), Hash::Sha256.digest(b"message"));
    let key = rw::PrivateKey::from_der(&der).unwrap();
    assert_eq!(*key.to_der(), der);
    key.validate().unwrap();
    for key in masks().into_iter().map(|cpu| key.with_cpu(cpu)) {
        let public = rw::PublicKey::from_der(&key.public().to_der()).unwrap();
        for m1 in [&b""[..], b"inside"] {
            let signature = key
                .rwss_pssr_sign(&mut rng, Hash::Sha256, m1, &digest)
                .unwrap();
            public
                .rwss_pssr_verify(Hash::Sha256, m1, &digest, &signature)
                .unwrap();
            assert_eq!(
                public
                    .rwss_pssr_recover(Hash::Sha256, &digest, &signature)
                    .unwrap(),
                m1
            );
        }
        let signature = key
            .rwss_emsa2_sign(&mut rng, Hash::Sha256, &digest)
            .unwrap();
        public
            .rwss_emsa2_verify(Hash::Sha256, &digest, &signature)
            .unwrap();
    }
}

#[test]
fn cryptopps_rw_signatures() {
    let Some(text) = read("cryptopp/TestVectors/rw.txt") else {
        return;
    };
    let (mut rng, mut verified, mut same) = (rng(), 0, 0);
    let mut keys = Last::new();
    for_each_case(continued(&text), "Test", |fields| {
        let numbers = ["Modulus", "Prime1", "Prime2"].map(|name| fields.nat(name));
        let keys = keys.get(numbers, |[n, p, q]| {
            let key = rw::PrivateKey::from_components(n.clone(), p.clone(), q.clone()).unwrap();
            let u = fields.nat("MultiplicativeInverseOfPrime2ModPrime1");
            assert!(key.to_der().ends_with(&u.to_be_bytes_vartime()));
            masks()
                .into_iter()
                .map(|cpu| key.with_cpu(cpu))
                .collect::<Vec<_>>()
        });
        match fields.text("Test") {
            "KeyPairValidAndConsistent" => keys.iter().for_each(|key| key.validate().unwrap()),
            "Verify" => {
                let (message, signature) = (fields.bytes("Message"), fields.bytes("Signature"));
                let digest = Hash::Sha1.digest(&message);
                for key in keys {
                    let public = key.public();
                    public
                        .rwss_emsa2_verify(Hash::Sha1, &digest, &signature)
                        .unwrap();
                    // The standard's root is a square or the negative of one. Crypto++ 5.1 took another for
                    // half of all messages.
                    let theirs = Nat::from_be_bytes(&signature);
                    let em = rw::emsa2_encode(Hash::Sha1, &digest, public.bits() - 1).unwrap();
                    let s = key.ifsp_rw(&mut rng, &Nat::from_be_bytes(&em)).unwrap();
                    let standard = theirs.jacobi_vartime(public.n()) == 1;
                    assert_eq!(s == theirs, standard);
                    same += usize::from(standard);
                    let other = Hash::Sha1.digest(b"another");
                    let refused = public.rwss_emsa2_verify(Hash::Sha1, &other, &signature);
                    assert_eq!(refused, Err(Error::Verification));
                }
                verified += 1;
            }
            test => panic!("{test}"),
        }
    });
    assert!(
        verified == 24 && same >= 5 * masks().len(),
        "{verified} {same}"
    );
}

/// CVE-2015-2141: with a blinding factor that is not a square, two signatures of one message reveal the primes.
#[test]
fn a_thousand_rw_signatures_of_a_message_are_one() {
    let (key, mut rng) = (rw_key(512), rng());
    let bound = key.public().n().shr(4);
    // All four kinds of representatives occur.
    for _ in 0..8 {
        let f = Nat::random_below(&bound, &mut rng).shl(4).add_limb(12);
        let first = key.ifsp_rw(&mut rng, &f).unwrap();
        for _ in 0..125 {
            assert_eq!(key.ifsp_rw(&mut rng, &f).unwrap(), first);
        }
    }
}

#[test]
fn cryptopps_esign_keys_work() {
    for (name, bits) in [("esig1023", 1023), ("esig2046", 2046)] {
        let Some(der) = key_file(name) else { return };
        let (mut rng, digest) = (rng(), Hash::Sha256.digest(b"message"));
        let key = esign::PrivateKey::from_der(&der).unwrap();
        assert_eq!(*key.to_der(), der);
        assert_eq!(key.public().bits(), bits);
        for key in masks().into_iter().map(|cpu| key.with_cpu(cpu)) {
            let public = esign::PublicKey::from_der(&key.public().to_der()).unwrap();
            for _ in 0..20 {
                let signature = key
                    .esign_emsa5_sign(&mut rng, Hash::Sha256, &digest)
                    .unwrap();
                public
                    .esign_emsa5_verify(Hash::Sha256, &digest, &signature)
                    .unwrap();
            }
        }
    }
}

/// A message in quotes, or in hexadecimal.
fn message(fields: &Fields) -> Vec<u8> {
    let text = fields.text("Message");
    match text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        Some(text) => text.as_bytes().to_vec(),
        None => hex(text),
    }
}

#[test]
fn cryptopps_esign_signatures() {
    let Some(text) = read("cryptopp/TestVectors/esign.txt") else {
        return;
    };
    let (mut verified, mut refused) = (0, 0);
    for_each_case(continued(&text), "Test", |fields| {
        let key = match fields.text("KeyFormat") {
            "DER" => esign::PrivateKey::from_der(&fields.bytes("PrivateKey")).unwrap(),
            _ => {
                let parts = ["Modulus", "PublicExponent", "Prime1", "Prime2"];
                let [n, e, p, q] = parts.map(|name| fields.nat(name));
                esign::PrivateKey::from_components(n, e, p, q).unwrap()
            }
        };
        if fields.text("Test") == "KeyPairValidAndConsistent" {
            return key.validate().unwrap();
        }
        let (digest, signature) = (
            Hash::Sha1.digest(&message(fields)),
            fields.bytes("Signature"),
        );
        for cpu in masks() {
            let key = key.with_cpu(cpu);
            let found = key
                .public()
                .esign_emsa5_verify(Hash::Sha1, &digest, &signature);
            match fields.text("Test") {
                "Verify" => assert_eq!(found, Ok(())),
                "NotVerify" => assert_eq!(found, Err(Error::Verification)),
                test => panic!("{test}"),
            }
        }
        match fields.text("Test") {
            "Verify" => verified += 1,
            _ => refused += 1,
        }
    });
    assert_eq!((verified, refused), (10, 1));
}

/// ESIGN with EMSA5, test vector 1 of NTT (esign_emsa5_data_ntt.txt), of 1152 bits and e = 1024.
#[test]
fn ntts_esign_signature() {
    let p = nat(
        "ec8b4bdc9a56ae7b60619814ec45d617246063b5aac39c286f7c82ec2824c245001b678217a7cf178979c7270eb510db",
    );
    let q = nat(
        "e7b1c3ae3494d0ac7b6868a53a5fe3ba19471437c54b25699e8c348a003e5e1d4c6d244d4f6a78f260c98fc54795a6a3",
    );
    let n = p.sqr().mul(&q).trim_vartime();
    let key = esign::PrivateKey::from_components(n, Nat::from_limb(1024), p, q).unwrap();
    let digest = Hash::Sha1.digest(&hex("86f28c1cb5e640548309b85dc6e64c1a"));
    let signature = hex(NTT_1);
    for key in masks().into_iter().map(|cpu| key.with_cpu(cpu)) {
        key.public()
            .esign_emsa5_verify(Hash::Sha1, &digest, &signature)
            .unwrap();
    }
    // A signature is for one message and of one length, and every bit of it counts.
    let other = Hash::Sha1.digest(b"another");
    let verify = |digest, signature: &[u8]| {
        key.public()
            .esign_emsa5_verify(Hash::Sha1, digest, signature)
    };
    assert_eq!(verify(&other, &signature), Err(Error::Verification));
    assert_eq!(verify(&digest, &signature[1..]), Err(Error::Verification));
    assert_eq!(
        verify(&digest, &[&[0], &signature[..]].concat()),
        Err(Error::Verification)
    );
    for byte in 0..signature.len() / 2 {
        let mut wrong = signature.clone();
        wrong[byte] ^= 1;
        assert_eq!(verify(&digest, &wrong), Err(Error::Verification));
    }
}

const NTT_1: &str = "348dc9a0943b1e2ba7ef501cbe970a023b37ca4019b9a5cb35ffc3bcdb28dcbd4193d7817d418bbaf291d97a1eeb918a03ee65caa7ad26c24f9ef807c8798ade5b70d7328cd36ac0844bf63f511bb63067e8236d084cf8af68e88155ea94b978aab6bd0339c55d976434423fc779d549779e81f528d028c7343e060544410e528814fb0874417d1eedf38d6db4b97dd6";

/// The octets of IEEE 1363-2000, 12.1.2, and the bits of IEEE 1363a-2004, 12.1.5.
#[test]
fn encodings_have_their_form() {
    let digest = Hash::Sha256.digest(b"abc");
    let em = rw::emsa2_encode(Hash::Sha256, &digest, 1023).unwrap();
    assert_eq!(em.len(), 128);
    assert_eq!((em[0], em[1], em[92], em[93]), (0x6b, 0xbb, 0xbb, 0xba));
    assert_eq!((&em[94..126], &em[126..]), (&digest[..], &[0x34, 0xcc][..]));
    let empty = rw::emsa2_encode(Hash::Sha256, &Hash::Sha256.digest(b""), 1023).unwrap();
    assert_eq!(empty[0], 0x4b);
    let fail = |hash: Hash, bits| rw::emsa2_encode(hash, &hash.digest(b"abc"), bits).unwrap_err();
    assert!(matches!(fail(Hash::Sha256, 1022), Error::Unfit(_)));
    assert!(matches!(fail(Hash::Sha3_256, 1023), Error::Unfit(_)));
    assert_eq!(fail(Hash::Sha512, 511), Error::KeyTooSmall);
    assert_eq!(
        rw::emsa2_encode(Hash::Sha256, b"abc", 1023).unwrap_err(),
        Error::DigestLength {
            expected: 32,
            found: 3
        }
    );
    // The numbers of ISO 10118-3.
    for (hash, number) in [
        (Hash::Sha1, 0x33),
        (Hash::Sha224, 0x38),
        (Hash::Sha384, 0x36),
        (Hash::Sha512, 0x35),
    ] {
        let em = rw::emsa2_encode(hash, &hash.digest(b"abc"), 1023).unwrap();
        assert_eq!(em[126..], [number, 0xcc], "{hash}");
    }
    let em = esign::emsa5_encode(Hash::Sha256, &digest, 681).unwrap();
    assert!(em.len() == 86 && em[0] < 2);
    let em = esign::emsa5_encode(Hash::Sha256, &digest, 0).unwrap();
    assert!(em.is_empty());
}

/// The modulus may need an octet more than half of it.
#[test]
fn signatures_of_rw_are_as_long_as_half_of_the_modulus() {
    let key = rw::PublicKey::new(Nat::power_of_two(520).add_limb(5)).unwrap();
    assert_eq!((key.bits(), key.signature_len()), (521, 65));
}

/// Most numbers are the signature of nothing, and what the others sign is a representative.
#[test]
fn numbers_that_are_no_signature_are_refused() {
    let (mut rng, rw, esign) = (rng(), rw_key(512), esign_key(768));
    let (n, mut found) = (rw.public().n(), 0);
    for _ in 0..400 {
        let s = Nat::random_below(&n.shr(1), &mut rng);
        match rw.public().ifvp_rw(&s) {
            Ok(f) => {
                assert!(f.lt(n) && f.limbs()[0] % 16 == 12);
                found += 1;
            }
            Err(error) => assert_eq!(error, Error::Verification),
        }
    }
    assert!((50..200).contains(&found), "{found}");
    let public = esign.public();
    for _ in 0..100 {
        match public.ifvp_esign(&Nat::random_below(public.n(), &mut rng)) {
            Ok(f) => assert!(f.bits() <= public.k()),
            Err(error) => assert_eq!(error, Error::Verification),
        }
    }
}

#[test]
fn operations_refuse_what_does_not_fit() {
    let mut rng = rng();
    let (rabin, rw, esign) = (rabin_key(1024), rw_key(1024), esign_key(1023));
    let (sha1, sha256) = (Hash::Sha1.digest(b""), Hash::Sha256.digest(b""));
    assert_eq!(
        rabin.rabinss_pssr_sign(&mut rng, Hash::Sha1, b"", &sha1),
        Err(Error::Sha1Signature)
    );
    assert_eq!(
        rw.rwss_pssr_sign(&mut rng, Hash::Sha1, b"", &sha1),
        Err(Error::Sha1Signature)
    );
    assert_eq!(
        rw.rwss_emsa2_sign(&mut rng, Hash::Sha1, &sha1),
        Err(Error::Sha1Signature)
    );
    assert_eq!(
        esign.esign_emsa5_sign(&mut rng, Hash::Sha1, &sha1),
        Err(Error::Sha1Signature)
    );
    let wrong = Err(Error::DigestLength {
        expected: 32,
        found: 20,
    });
    assert_eq!(
        rabin.rabinss_pssr_sign(&mut rng, Hash::Sha256, b"", &sha1),
        wrong
    );
    assert_eq!(rw.rwss_pssr_sign(&mut rng, Hash::Sha256, b"", &sha1), wrong);
    assert_eq!(esign.esign_emsa5_sign(&mut rng, Hash::Sha256, &sha1), wrong);
    // 128 bytes for 0x01, the part of the message, salt, hash and trailer
    let max = Err(Error::MessageTooLong { max: 62 });
    assert_eq!(
        rabin.rabinss_pssr_sign(&mut rng, Hash::Sha256, &[0; 63], &sha256),
        max
    );
    assert_eq!(
        rw.rwss_pssr_sign(&mut rng, Hash::Sha256, &[0; 63], &sha256),
        max
    );
    let sha512 = Hash::Sha512.digest(b"");
    let small = Err(Error::KeyTooSmall);
    assert_eq!(
        rabin.rabinss_pssr_sign(&mut rng, Hash::Sha512, b"", &sha512),
        small
    );
    assert_eq!(
        rw.rwss_pssr_sign(&mut rng, Hash::Sha512, b"", &sha512),
        small
    );
    let public = rabin.public();
    assert_eq!(
        public.rabines_oaep_encrypt(&mut rng, Hash::Sha256, b"", &[0; 63]),
        Err(Error::MessageTooLong { max: 62 })
    );
    for c in [&[0; 127][..], &[0; 128], &[0xff; 128], &[0; 129], &[]] {
        let m = rabin.rabines_oaep_decrypt(&mut rng, Hash::Sha256, b"", c);
        assert_eq!(m, Err(Error::Decryption));
        assert_eq!(
            public.rabinss_pssr_verify(Hash::Sha256, b"", &sha256, c),
            Err(Error::Verification)
        );
        assert_eq!(
            rw.public().rwss_pssr_verify(Hash::Sha256, b"", &sha256, c),
            Err(Error::Verification)
        );
        assert_eq!(
            rw.public().rwss_emsa2_verify(Hash::Sha256, &sha256, c),
            Err(Error::Verification)
        );
        assert_eq!(
            esign.public().esign_emsa5_verify(Hash::Sha256, &sha256, c),
            Err(Error::Verification)
        );
    }
    let n = rw.public().n();
    // The least above the modulus that is 12 modulo 16, too.
    let above = n.add_limb((28 - n.limbs()[0] % 16) % 16);
    for f in [n.clone(), above, Nat::from_limb(11), Nat::from_limb(4)] {
        assert_eq!(rw.ifsp_rw(&mut rng, &f), Err(Error::OutOfRange));
    }
    assert_eq!(
        esign.ifsp_esign(&mut rng, &Nat::power_of_two(340)),
        Err(Error::OutOfRange)
    );
}

/// What has another length than signatures and ciphertexts have is none, whatever its number.
#[test]
fn an_octet_more_in_front_is_refused() {
    let (mut rng, hash) = (rng(), Hash::Sha256);
    let digest = hash.digest(b"message");
    let longer = |octets: &[u8]| [&[0], octets].concat();
    let (rw, rabin) = (rw_key(1024), rabin_key(1024));
    let refused = Err(Error::Verification);
    let signature = rw.rwss_pssr_sign(&mut rng, hash, b"", &digest).unwrap();
    let found = rw
        .public()
        .rwss_pssr_verify(hash, b"", &digest, &longer(&signature));
    assert_eq!(found, refused);
    let signature = rw.rwss_emsa2_sign(&mut rng, hash, &digest).unwrap();
    let found = rw
        .public()
        .rwss_emsa2_verify(hash, &digest, &longer(&signature));
    assert_eq!(found, refused);
    let signature = rabin
        .rabinss_pssr_sign(&mut rng, hash, b"", &digest)
        .unwrap();
    let found = rabin
        .public()
        .rabinss_pssr_verify(hash, b"", &digest, &longer(&signature));
    assert_eq!(found, refused);
    let c = rabin
        .public()
        .rabines_oaep_encrypt(&mut rng, hash, b"", b"a secret")
        .unwrap();
    let found = rabin.rabines_oaep_decrypt(&mut rng, hash, b"", &longer(&c));
    assert_eq!(found, Err(Error::Decryption));
}

/// A valid signature in another representation is refused, so it is not malleable.
#[test]
fn signatures_are_not_malleable() {
    let (mut rng, digest) = (rng(), Hash::Sha256.digest(b"message"));
    let number = |n: &Nat, len| n.to_be_bytes(len).unwrap().to_vec();
    let key = rw_key(1024);
    let signature = key
        .rwss_pssr_sign(&mut rng, Hash::Sha256, b"", &digest)
        .unwrap();
    let other = key
        .public()
        .n()
        .sub(&Nat::from_be_bytes(&signature))
        .unwrap();
    let refused = key
        .public()
        .rwss_pssr_verify(Hash::Sha256, b"", &digest, &number(&other, 128));
    assert_eq!(refused, Err(Error::Verification));
    let key = rabin_key(1024);
    let signature = key
        .rabinss_pssr_sign(&mut rng, Hash::Sha256, b"", &digest)
        .unwrap();
    let other = key
        .public()
        .n()
        .sub(&Nat::from_be_bytes(&signature))
        .unwrap();
    let refused =
        key.public()
            .rabinss_pssr_verify(Hash::Sha256, b"", &digest, &number(&other, 128));
    assert_eq!(refused, Err(Error::Verification));
    // The modulus of 1023 bits leaves room for it once more.
    let key = esign_key(1023);
    let signature = key
        .esign_emsa5_sign(&mut rng, Hash::Sha256, &digest)
        .unwrap();
    let other = key.public().n().add(&Nat::from_be_bytes(&signature));
    if let Some(other) = other.to_be_bytes(128) {
        let refused = key
            .public()
            .esign_emsa5_verify(Hash::Sha256, &digest, &other);
        assert_eq!(refused, Err(Error::Verification));
    }
}

#[test]
fn key_files_of_another_scheme_are_refused() {
    let (rabin, rw, esign) = (rabin_key(512), rw_key(512), esign_key(768));
    let format = |error: KeyError| assert!(matches!(error, KeyError::Format { .. }), "{error}");
    format(rabin::PrivateKey::from_der(&rw.to_der()).unwrap_err());
    format(rabin::PrivateKey::from_der(&rabin.public().to_der()).unwrap_err());
    format(rabin::PublicKey::from_der(&rw.public().to_der()).unwrap_err());
    format(rw::PrivateKey::from_der(&rabin.to_der()).unwrap_err());
    format(rw::PublicKey::from_der(&esign.public().to_der()).unwrap_err());
    format(esign::PrivateKey::from_der(&rabin.to_der()).unwrap_err());
    format(esign::PublicKey::from_der(&rw.public().to_der()).unwrap_err());
}
