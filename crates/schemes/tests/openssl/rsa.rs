//! RSA: every key format, padding and hash.

use crate::{Workshop, rng, workshop};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, PublicKey};
use std::process::Command;

/// A key of `openssl` and one of ours.
fn keys(workshop: &Workshop) -> Vec<PrivateKey> {
    workshop.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out theirs.pem");
    let options = KeygenOptions {
        threads: 2,
        ..Default::default()
    };
    vec![
        PrivateKey::from_any(&workshop.read("theirs.pem"), None).unwrap(),
        PrivateKey::generate_with(rng, 2048, &options, &|_| ()).unwrap(),
    ]
}

#[test]
fn private_key_formats() {
    let Some(workshop) = workshop() else { return };
    for key in keys(&workshop) {
        let encrypted = key.to_pkcs8_encrypted_pem(b"secret", &mut rng());
        let ours: [(&str, Vec<u8>); 6] = [
            ("pkcs8.pem", key.to_pkcs8_pem().as_bytes().to_vec()),
            ("pkcs8.der", key.to_pkcs8_der().to_vec()),
            ("pkcs1.pem", key.to_pkcs1_pem().as_bytes().to_vec()),
            ("pkcs1.der", key.to_pkcs1_der().to_vec()),
            ("encrypted.pem", encrypted.as_bytes().to_vec()),
            (
                "encrypted.der",
                key.to_pkcs8_encrypted_der(b"secret", &mut rng()).to_vec(),
            ),
        ];
        for (name, bytes) in ours {
            let form = name.rsplit('.').next().unwrap();
            workshop.write(name, bytes);
            workshop.run(&format!(
                "pkey -in {name} -inform {form} -passin pass:secret -check -noout"
            ));
            workshop.run(&format!(
                "pkey -in {name} -inform {form} -passin pass:secret -out back.pem"
            ));
            assert_eq!(
                *PrivateKey::from_any(&workshop.read("back.pem"), None)
                    .unwrap()
                    .to_pkcs8_der(),
                *key.to_pkcs8_der()
            );
        }
        let theirs = [
            "pkey -in pkcs8.pem -out back",
            "pkey -in pkcs8.pem -outform DER -out back",
            "pkey -in pkcs8.pem -traditional -out back",
            "rsa -in pkcs8.pem -traditional -outform DER -out back",
            "pkcs8 -topk8 -nocrypt -in pkcs8.pem -out back",
            "pkcs8 -topk8 -in pkcs8.pem -passout pass:secret -out back",
            "pkcs8 -topk8 -in pkcs8.pem -passout pass:secret -outform DER -out back",
            "pkcs8 -topk8 -in pkcs8.pem -passout pass:secret -v2 aes-128-cbc -v2prf hmacWithSHA512 -iter 100000 -out back",
            "pkcs8 -topk8 -in pkcs8.pem -passout pass:secret -v2 des3 -v2prf hmacWithSHA1 -out back",
            "pkcs8 -topk8 -in pkcs8.pem -passout pass:secret -scrypt -out back",
        ];
        for words in theirs {
            workshop.run(words);
            let back = PrivateKey::from_any(&workshop.read("back"), Some(b"secret"));
            let back = back.unwrap_or_else(|e| panic!("openssl {words}: {e}"));
            assert_eq!(*back.to_pkcs8_der(), *key.to_pkcs8_der(), "openssl {words}");
        }
    }
}

#[test]
fn public_key_formats() {
    let Some(workshop) = workshop() else { return };
    for key in keys(&workshop) {
        let public = key.public();
        let ours: [(&str, Vec<u8>, &str); 4] = [
            (
                "spki.pem",
                public.to_spki_pem().into_bytes(),
                "-pubin -inform PEM",
            ),
            ("spki.der", public.to_spki_der(), "-pubin -inform DER"),
            (
                "pkcs1.pem",
                public.to_pkcs1_pem().into_bytes(),
                "-RSAPublicKey_in -inform PEM",
            ),
            (
                "pkcs1.der",
                public.to_pkcs1_der(),
                "-RSAPublicKey_in -inform DER",
            ),
        ];
        for (name, bytes, form) in ours {
            workshop.write(name, bytes);
            workshop.run(&format!("rsa -in {name} {form} -pubout -out back.pem"));
            assert_eq!(
                PublicKey::from_any(&workshop.read("back.pem")).as_ref(),
                Ok(public),
                "{name}"
            );
        }
        for words in [
            "-pubout",
            "-pubout -outform DER",
            "-RSAPublicKey_out",
            "-RSAPublicKey_out -outform DER",
        ] {
            workshop.run(&format!("rsa -in spki.pem -pubin {words} -out back"));
            assert_eq!(
                PublicKey::from_any(&workshop.read("back")).as_ref(),
                Ok(public),
                "{words}"
            );
        }
    }
}

#[test]
fn openssh_keys() {
    let Some(workshop) = workshop() else { return };
    if Command::new("ssh-keygen").arg("-?").output().is_err() {
        eprintln!("SKIPPED: no program `ssh-keygen`: install OpenSSH to check its key format");
        return;
    }
    for key in keys(&workshop) {
        let file = workshop.write("key.pub", key.public().to_openssh("a comment") + "\n");
        let output = Command::new("ssh-keygen")
            .args(["-e", "-m", "PKCS8", "-f", &file])
            .output()
            .unwrap();
        assert_eq!(
            PublicKey::from_any(&output.stdout).as_ref(),
            Ok(key.public())
        );
        let file = workshop.write("key.spki", key.public().to_spki_pem());
        let output = Command::new("ssh-keygen")
            .args(["-i", "-m", "PKCS8", "-f", &file])
            .output()
            .unwrap();
        assert_eq!(
            PublicKey::from_any(&output.stdout).as_ref(),
            Ok(key.public())
        );
    }
}

/// The hashes under the names by which `openssl` knows them; SHAKE is not for these paddings there.
fn hashes() -> impl Iterator<Item = (Hash, &'static str)> {
    let fixed = Hash::ALL
        .iter()
        .copied()
        .filter(|hash| !matches!(hash, Hash::Shake128 | Hash::Shake256));
    fixed.map(|hash| (hash, hash.name()))
}

#[test]
fn signatures() {
    let Some(workshop) = workshop() else { return };
    let message = b"a message for both";
    workshop.write("message", message);
    for key in keys(&workshop) {
        workshop.write("key.pem", &*key.to_pkcs8_pem());
        workshop.write("public.pem", key.public().to_spki_pem());
        for (hash, name) in hashes() {
            let digest = hash.digest(message);
            let paddings = [
                ("".to_owned(), None),
                ("-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest".to_owned(), Some((hash, hash.len()))),
                ("-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:0".to_owned(), Some((hash, 0))),
                (
                    "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:11 -sigopt rsa_mgf1_md:sha256".to_owned(),
                    Some((Hash::Sha256, 11)),
                ),
            ];
            for (words, pss) in paddings {
                workshop.run(&format!(
                    "dgst -{name} -sign key.pem {words} -out signature message"
                ));
                let theirs = workshop.read("signature");
                match pss {
                    None => key
                        .public()
                        .rsassa_pkcs1_v1_5_verify(hash, &digest, &theirs)
                        .unwrap(),
                    Some((mgf, salt)) => {
                        key.public()
                            .rsassa_pss_verify(hash, mgf, Some(salt), &digest, &theirs)
                            .unwrap();
                        key.public()
                            .rsassa_pss_verify(hash, mgf, None, &digest, &theirs)
                            .unwrap();
                    }
                }
                if hash == Hash::Sha1 {
                    continue;
                }
                let ours = match pss {
                    None => key
                        .rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest)
                        .unwrap(),
                    Some((mgf, salt)) => key
                        .rsassa_pss_sign(&mut rng(), hash, mgf, salt, &digest)
                        .unwrap(),
                };
                assert!(
                    pss.is_some() || ours == theirs,
                    "{name}: RSASSA-PKCS1-v1_5 is deterministic"
                );
                workshop.write("ours", ours);
                workshop.run(&format!(
                    "dgst -{name} -verify public.pem {words} -signature ours message"
                ));
            }
        }
    }
}

#[test]
fn encryption() {
    let Some(workshop) = workshop() else { return };
    let message = b"a secret for both";
    workshop.write("message", message);
    for key in keys(&workshop) {
        workshop.write("key.pem", &*key.to_pkcs8_pem());
        workshop.write("public.pem", key.public().to_spki_pem());
        let public = key.public();
        // PKCS #1 v1.5
        workshop.run("pkeyutl -encrypt -pubin -inkey public.pem -pkeyopt rsa_padding_mode:pkcs1 -in message -out c");
        assert_eq!(
            *key.rsaes_pkcs1_v1_5_decrypt(&mut rng(), &workshop.read("c"))
                .unwrap(),
            message
        );
        workshop.write(
            "ours",
            public
                .rsaes_pkcs1_v1_5_encrypt(&mut rng(), message)
                .unwrap(),
        );
        workshop
            .run("pkeyutl -decrypt -inkey key.pem -pkeyopt rsa_padding_mode:pkcs1 -in ours -out m");
        assert_eq!(workshop.read("m"), message);
        // OAEP
        for (hash, name) in hashes() {
            for (mgf, label) in [(hash, ""), (Hash::Sha1, "c0ffee")] {
                let mut words = format!(
                    "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:{name} -pkeyopt rsa_mgf1_md:{}",
                    mgf.name()
                );
                if !label.is_empty() {
                    words += &format!(" -pkeyopt rsa_oaep_label:{label}");
                }
                let label: &[u8] = if label.is_empty() {
                    b""
                } else {
                    b"\xc0\xff\xee"
                };
                workshop.run(&format!(
                    "pkeyutl -encrypt -pubin -inkey public.pem {words} -in message -out c"
                ));
                let m = key
                    .rsaes_oaep_decrypt(&mut rng(), hash, mgf, label, &workshop.read("c"))
                    .unwrap();
                assert_eq!(*m, message);
                workshop.write(
                    "ours",
                    public
                        .rsaes_oaep_encrypt(&mut rng(), hash, mgf, label, message)
                        .unwrap(),
                );
                workshop.run(&format!(
                    "pkeyutl -decrypt -inkey key.pem {words} -in ours -out m"
                ));
                assert_eq!(workshop.read("m"), message);
            }
        }
    }
}

#[test]
fn multi_prime_keys() {
    let Some(workshop) = workshop() else { return };
    workshop.run("genrsa -primes 3 -out theirs.pem 2048");
    let theirs = PrivateKey::from_any(&workshop.read("theirs.pem"), None).unwrap();
    let options = KeygenOptions {
        primes: 3,
        threads: 2,
        ..Default::default()
    };
    let ours = PrivateKey::generate_with(rng, 2048, &options, &|_| ()).unwrap();
    workshop.write("message", b"m");
    for key in [theirs, ours] {
        assert_eq!(key.primes().count(), 3);
        workshop.write("key.pem", &*key.to_pkcs8_pem());
        workshop.run("pkey -in key.pem -check -noout");
        workshop.run("dgst -sha256 -sign key.pem -out signature message");
        let digest = Hash::Sha256.digest(b"m");
        let signature = key
            .rsassa_pkcs1_v1_5_sign(&mut rng(), Hash::Sha256, &digest)
            .unwrap();
        assert_eq!(signature, workshop.read("signature"));
    }
}
