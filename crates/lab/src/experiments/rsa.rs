//! `rsa`: single operations with a two-prime key and e = 65537. Signatures are RSASSA-PKCS1-v1_5, encryption is
//! RSAES-OAEP, both with SHA-256.

use super::{Experiment, Levels, Share};
use crate::{
    Bench, Error,
    bound::Bound,
    record::Size,
    rivals::{Answer, RIVALS, Refusal, RsaKey, padded},
};
use carrysave_kernels::Cpu;
use num_bigint::BigUint;
use rsa::{
    Oaep, PrivateKey as RsaPrivateKey, PublicKey as RsaPublicKey,
    pkcs8::DecodePrivateKey,
    sha2::{Digest, Sha256},
    traits::{PrivateKeyParts, PublicKeyParts},
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "rsa",
    about: "RSA sign and verify (PKCS#1 v1.5), encrypt and decrypt (OAEP), SHA-256, e = 65537",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048, 4096], 0.2, 5.0)),
        standard: Share::new(&[1024, 2048, 3072, 4096, 8192], 0.5, 30.0),
        full: Share::new(&[1024, 1536, 2048, 3072, 4096, 6144, 8192], 0.5, 60.0),
    },
};

/// Keys for benchmarks and nothing else: everybody has them.
static KEYS: &[(usize, &[u8])] = &[
    (1024, include_bytes!("../../data/rsa-1024.p8")),
    (1536, include_bytes!("../../data/rsa-1536.p8")),
    (2048, include_bytes!("../../data/rsa-2048.p8")),
    (3072, include_bytes!("../../data/rsa-3072.p8")),
    (4096, include_bytes!("../../data/rsa-4096.p8")),
    (6144, include_bytes!("../../data/rsa-6144.p8")),
    (8192, include_bytes!("../../data/rsa-8192.p8")),
];

const MESSAGE: &[u8; 32] = b"thirty-two bytes to work upon...";

/// The benchmark key of that many bits, as PKCS#8 DER.
pub(crate) fn pkcs8(bits: usize) -> Result<&'static [u8], Error> {
    KEYS.iter()
        .find(|key| key.0 == bits)
        .map(|key| key.1)
        .ok_or_else(|| {
            let sizes: Vec<String> = KEYS.iter().map(|key| key.0.to_string()).collect();
            Error(format!(
                "there is no benchmark key of {bits} bits; there are {}",
                sizes.join(", ")
            ))
        })
}

/// One operation: its name, how to do it, and whether an answer is right.
struct Operation {
    name: &'static str,
    perform: fn(&mut dyn RsaKey, &Case) -> Answer<Vec<u8>>,
    right: fn(&Case, &[u8]) -> bool,
    bound: fn(Cpu, usize) -> Option<Bound>,
}

static OPERATIONS: [Operation; 4] = [
    Operation {
        name: "sign",
        perform: |key, _| key.sign(MESSAGE),
        right: |case, answer| answer == case.signature,
        bound: Bound::private,
    },
    Operation {
        name: "verify",
        perform: |key, case| key.verify(MESSAGE, &case.signature).map(|()| vec![]),
        right: |_, _| true,
        bound: Bound::public,
    },
    Operation {
        name: "encrypt",
        perform: |key, _| key.encrypt(MESSAGE),
        right: |case, answer| {
            case.key
                .decrypt(Oaep::<Sha256>::new(), answer)
                .is_ok_and(|m| m == MESSAGE)
        },
        bound: Bound::public,
    },
    Operation {
        name: "decrypt",
        perform: |key, case| key.decrypt(&case.ciphertext),
        right: |_, answer| answer == MESSAGE,
        bound: Bound::private,
    },
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    for bits in bench.bits(&[1024, 2048, 3072, 4096, 8192]) {
        let pkcs8 = pkcs8(bits)?;
        let case = Case::new(pkcs8);
        for operation in &OPERATIONS {
            let mut race = bench.race(operation.name, Size::Bits(bits));
            race.bound((operation.bound)(cpu, bits));
            for rival in RIVALS {
                let label = rival.label();
                let Some(load) = rival.rsa.filter(|_| race.wants(&label)) else {
                    continue;
                };
                match load(cpu, pkcs8).and_then(|mut key| {
                    case.trap(key.as_mut())?;
                    (operation.perform)(key.as_mut(), &case)?;
                    Ok(key)
                }) {
                    Ok(mut key) => {
                        let case = &case;
                        race.enter(
                            &label,
                            || (),
                            move |()| (operation.perform)(key.as_mut(), case),
                            |answer| match answer {
                                Ok(answer) if (operation.right)(case, answer) => Ok(()),
                                Ok(_) => Err("its answer is wrong".to_owned()),
                                Err(refusal) => Err(format!("it failed: {refusal:?}")),
                            },
                        );
                    }
                    Err(Refusal::NotOffered) => {}
                    Err(Refusal::Failed(error)) => race.refuse(&label, error),
                }
            }
            race.run();
        }
    }
    Ok(())
}

/// A key with answers that no contender computed: by the definition, with `num-bigint`.
struct Case {
    key: RsaPrivateKey,
    signature: Vec<u8>,
    ciphertext: Vec<u8>,
}

impl Case {
    fn new(pkcs8: &[u8]) -> Case {
        let key = RsaPrivateKey::from_pkcs8_der(pkcs8).expect("benchmark keys are valid");
        let number = |n: &rsa::BoxedUint| BigUint::from_bytes_be(&n.to_be_bytes());
        let k = key.size();
        let encoded = BigUint::from_bytes_be(&emsa_pkcs1_v1_5(k));
        let signature = encoded.modpow(&number(key.d()), &number(key.n()));
        let ciphertext = RsaPublicKey::from(&key)
            .encrypt(
                &mut getrandom::rand_core::UnwrapErr(getrandom::SysRng),
                Oaep::<Sha256>::new(),
                MESSAGE,
            )
            .expect("32 bytes fit every benchmark key");
        Case {
            signature: padded(&signature.to_bytes_be(), k),
            ciphertext,
            key,
        }
    }

    /// Fails an implementation that verifies what it must not.
    fn trap(&self, key: &mut dyn RsaKey) -> Answer<()> {
        let mut forged = self.signature.clone();
        *forged.last_mut().expect("a signature is not empty") ^= 1;
        match key.verify(MESSAGE, &forged) {
            Ok(()) => Err(Refusal::Failed("it verifies a forged signature".to_owned())),
            Err(_) => Ok(()),
        }
    }
}

/// RFC 8017, 9.2, with SHA-256.
fn emsa_pkcs1_v1_5(k: usize) -> Vec<u8> {
    const DIGEST_INFO: [u8; 19] = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
        0x05, 0x00, 0x04, 0x20,
    ];
    let mut encoded = vec![0xff; k];
    encoded[..2].copy_from_slice(&[0, 1]);
    encoded[k - 52] = 0;
    encoded[k - 51..k - 32].copy_from_slice(&DIGEST_INFO);
    encoded[k - 32..].copy_from_slice(&Sha256::digest(MESSAGE));
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right in everything but one bit of its signatures, and it verifies anything.
    struct Saboteur(Vec<u8>);

    impl RsaKey for Saboteur {
        fn sign(&mut self, _: &[u8]) -> Answer<Vec<u8>> {
            Ok(self.0.clone())
        }
        fn verify(&mut self, _: &[u8], _: &[u8]) -> Answer<()> {
            Ok(())
        }
    }

    #[test]
    fn wrong_answers_are_seen() {
        let case = Case::new(pkcs8(1024).unwrap());
        let [sign, _, encrypt, decrypt] = &OPERATIONS;
        assert!((sign.right)(&case, &case.signature) && (encrypt.right)(&case, &case.ciphertext));
        assert!((decrypt.right)(&case, MESSAGE));
        let mut wrong = case.signature.clone();
        wrong[0] ^= 1;
        assert!(
            !(sign.right)(&case, &wrong)
                && !(encrypt.right)(&case, &wrong)
                && !(decrypt.right)(&case, &wrong)
        );
        let mut saboteur = Saboteur(wrong);
        assert!(!(sign.right)(
            &case,
            &(sign.perform)(&mut saboteur, &case).unwrap()
        ));
        assert!(matches!(case.trap(&mut saboteur), Err(Refusal::Failed(_))));
        assert_eq!(
            (encrypt.perform)(&mut saboteur, &case),
            Err(Refusal::NotOffered)
        );
    }

    #[test]
    fn every_benchmark_key_has_the_size_it_says() {
        for (bits, pkcs8) in KEYS {
            let key = RsaPrivateKey::from_pkcs8_der(pkcs8).unwrap();
            assert_eq!(key.n().bit_width() as usize, *bits);
        }
        assert_eq!(
            pkcs8(1000).unwrap_err().to_string().split(';').next(),
            Some("there is no benchmark key of 1000 bits")
        );
    }
}
