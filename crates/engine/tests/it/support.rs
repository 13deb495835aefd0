//! Keys, jobs of every kind, and what they give alone.

use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_arith::{
    Cpu, Modulus, Nat, Plan,
    task::{OutOfRange, Power},
};
use carrysave_engine::{Error, Job, Output};
use carrysave_schemes::dl::{
    self,
    task::{DhAgree, SignDsa, VerifyDsa},
};
use carrysave_schemes::ec::{
    self, Named, P256, P384, P521, Secp256k1, X25519PrivateKey,
    task::{EcdhAgree, X25519Agree},
};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::task::{
    DecryptOaep, DecryptPkcs1v15, RawPrivate, RawPublic, SignPkcs1v15, SignPss, VerifyPkcs1v15,
    VerifyPss,
};
use carrysave_schemes::rsa::{self, KeygenOptions, PrivateKey};
use carrysave_team::task::Task;
use rand_core::{Rng as _, UnwrapErr};
use std::sync::LazyLock;

pub type Rng = UnwrapErr<getrandom::SysRng>;

pub fn rng() -> Rng {
    UnwrapErr(getrandom::SysRng)
}

/// Small ones, to be quick: two of one class with different exponents, one of three primes, one whose primes are of
/// different classes (516 and 517 bits are 10 and 11 digits), one with a short exponent, shorter ones.
pub static KEYS: LazyLock<Vec<PrivateKey>> = LazyLock::new(|| {
    let generate = |bits, primes, e| {
        let options = KeygenOptions {
            e: Nat::from_limb(e),
            allow_small: true,
            primes,
            ..Default::default()
        };
        PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap()
    };
    let e = Nat::from_limb(65_537);
    let odd = [517, 516].map(|bits| {
        let options = PrimeOptions {
            top_two_bits: true,
            coprime_to_minus_one: Some(&e),
            ..Default::default()
        };
        random_prime(bits, &options, &mut rng(), &mut || ()).unwrap()
    });
    vec![
        generate(1024, 2, 65_537),
        generate(1024, 2, 65_539),
        generate(1024, 3, 65_537),
        PrivateKey::from_primes(odd.into(), e.clone()).unwrap(),
        generate(1016, 2, 3),
        generate(768, 2, 65_537),
    ]
});

/// [`KEYS`] with operations always in lanes. They share classes with the others.
pub static LANE_KEYS: LazyLock<Vec<PrivateKey>> = LazyLock::new(|| {
    let (cpu, plan) = (Cpu::native(), Plan::best(Cpu::native()).always_in_lanes());
    KEYS.iter().map(|key| key.with_plan(cpu, plan)).collect()
});

/// A modulus whose powers are always in lanes.
pub fn in_lanes(n: &Nat) -> Modulus {
    let cpu = Cpu::native();
    Modulus::with_plan(n, cpu, Plan::best(cpu).always_in_lanes()).unwrap()
}

/// Two keys of one group, one of another whose lengths are of the same class, and one with tables.
pub static DL_KEYS: LazyLock<Vec<dl::PrivateKey>> = LazyLock::new(|| {
    let group = |bits, order_bits| {
        let hash = Hash::Sha256;
        let made = dl::Group::generate_with(&mut rng(), bits, order_bits, hash, &mut || ());
        made.unwrap().0
    };
    let (one, other) = (group(512, 160), group(514, 170));
    let key = |group| dl::PrivateKey::generate_with(group, &mut rng());
    vec![key(&one), key(&one), key(&other), key(&one).precomputed()]
});

/// [`DL_KEYS`] with operations always in lanes, without the key that has tables.
pub static DL_LANE_KEYS: LazyLock<Vec<dl::PrivateKey>> = LazyLock::new(|| {
    let (cpu, plan) = (Cpu::native(), Plan::best(Cpu::native()).always_in_lanes());
    let keys = DL_KEYS[..3].iter();
    keys.map(|key| key.with_plan(cpu, plan)).collect()
});

/// How many kinds of job [`job`] makes.
pub const KINDS: usize = 17;

/// A job that succeeds: its kind, whose key it takes, and a number that makes it differ from others.
pub fn job(kind: usize, key: &PrivateKey, number: usize) -> Job {
    let (hash, mgf) = (Hash::Sha256, Hash::Sha384);
    let message = number.to_le_bytes();
    let digest = hash.digest(&message);
    let dl_keys = match key.lanes_from() {
        Some(1) => &DL_LANE_KEYS,
        _ => &DL_KEYS,
    };
    let dl_key = dl_keys[number % dl_keys.len()].clone();
    let (key, public) = (key.clone(), key.public().clone());
    let x = Nat::random_below(public.n(), &mut rng());
    match kind {
        0 => Job::SignPss(SignPss {
            key,
            hash,
            mgf,
            salt_len: number % 33,
            digest,
        }),
        1 => Job::SignPkcs1v15(SignPkcs1v15 { key, hash, digest }),
        2 => Job::DecryptOaep(DecryptOaep {
            ciphertext: public
                .rsaes_oaep_encrypt(&mut rng(), hash, mgf, b"label", &message)
                .unwrap(),
            key,
            hash,
            mgf,
            label: b"label".to_vec(),
        }),
        3 => Job::DecryptPkcs1v15(DecryptPkcs1v15 {
            ciphertext: public
                .rsaes_pkcs1_v1_5_encrypt(&mut rng(), &message)
                .unwrap(),
            key,
        }),
        4 => Job::RawPrivate(RawPrivate { key, x }),
        5 => Job::VerifyPss(VerifyPss {
            signature: key
                .rsassa_pss_sign(&mut rng(), hash, mgf, 20, &digest)
                .unwrap(),
            key: public,
            hash,
            mgf,
            salt_len: number.is_multiple_of(2).then_some(20),
            digest,
        }),
        6 => Job::VerifyPkcs1v15(VerifyPkcs1v15 {
            signature: key
                .rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest)
                .unwrap(),
            key: public,
            hash,
            digest,
        }),
        7 => Job::RawPublic(RawPublic { key: public, x }),
        8 => {
            let exponent = Nat::random_bits(200 + number % 100, &mut rng());
            Power::new(in_lanes(public.n()), x, exponent).into()
        }
        9 => Job::DhAgree(DhAgree {
            public: dl::PrivateKey::generate_with(dl_key.group(), &mut rng())
                .public()
                .clone(),
            key: dl_key,
        }),
        10 => Job::SignDsa(SignDsa {
            key: dl_key,
            hash,
            digest,
        }),
        11 => Job::VerifyDsa(VerifyDsa {
            signature: dl_key.dsa_sign(hash, &digest).unwrap().to_der(),
            key: dl_key.public().clone(),
            hash,
            digest,
        }),
        12 => {
            let [key, other] = [(); 2].map(|()| X25519PrivateKey::generate_with(&mut rng()));
            let public = other.public();
            X25519Agree { key, public }.into()
        }
        13 => ecdh::<P256>().into(),
        14 => ecdh::<P384>().into(),
        15 => ecdh::<P521>().into(),
        16 => ecdh::<Secp256k1>().into(),
        _ => unreachable!("kinds are 0 to 16"),
    }
}

/// `count` jobs of all kinds and keys, in no order.
pub fn mixed(count: usize) -> Vec<Job> {
    let keys: Vec<&PrivateKey> = KEYS.iter().chain(LANE_KEYS.iter()).collect();
    (0..count)
        .map(|i| {
            let random = rng().next_u32() as usize;
            job(random % KINDS, keys[random / KINDS % keys.len()], i)
        })
        .collect()
}

/// The job done by itself.
pub fn alone(job: &Job) -> Result<Output, Error> {
    let rng = &mut rng();
    let bytes = |bytes: Vec<u8>| Output::Bytes(bytes.into());
    let of_rsa = |result: Result<Output, rsa::Error>| result.map_err(Error::from);
    let of_dl = |result: Result<Output, dl::Error>| result.map_err(Error::from);
    of_rsa(match job {
        Job::SignPss(SignPss {
            key,
            hash,
            mgf,
            salt_len,
            digest,
        }) => key
            .rsassa_pss_sign(rng, *hash, *mgf, *salt_len, digest)
            .map(bytes),
        Job::SignPkcs1v15(SignPkcs1v15 { key, hash, digest }) => {
            key.rsassa_pkcs1_v1_5_sign(rng, *hash, digest).map(bytes)
        }
        Job::DecryptOaep(DecryptOaep {
            key,
            hash,
            mgf,
            label,
            ciphertext,
        }) => key
            .rsaes_oaep_decrypt(rng, *hash, *mgf, label, ciphertext)
            .map(Output::Bytes),
        Job::DecryptPkcs1v15(DecryptPkcs1v15 { key, ciphertext }) => key
            .rsaes_pkcs1_v1_5_decrypt(rng, ciphertext)
            .map(Output::Bytes),
        Job::RawPrivate(RawPrivate { key, x }) => key.rsadp(rng, x).map(Output::Number),
        Job::VerifyPss(VerifyPss {
            key,
            hash,
            mgf,
            salt_len,
            digest,
            signature,
        }) => key
            .rsassa_pss_verify(*hash, *mgf, *salt_len, digest, signature)
            .map(|()| Output::Verified),
        Job::VerifyPkcs1v15(VerifyPkcs1v15 {
            key,
            hash,
            digest,
            signature,
        }) => key
            .rsassa_pkcs1_v1_5_verify(*hash, digest, signature)
            .map(|()| Output::Verified),
        Job::RawPublic(RawPublic { key, x }) => key.rsaep(x).map(Output::Number),
        Job::Power(power) => {
            let (base, of) = (power.base(), power.primitive());
            let n = of.modulus();
            return match base.lt(n.nat()) {
                true => {
                    let base = base.resize(n.width()).unwrap();
                    Ok(Output::Number(n.pow(&base, of.exponent())))
                }
                false => Err(OutOfRange.into()),
            };
        }
        Job::DhAgree(DhAgree { key, public }) => {
            return of_dl(key.agree(public).map(Output::Bytes));
        }
        Job::SignDsa(SignDsa { key, hash, digest }) => {
            let signature = key.dsa_sign(*hash, digest);
            return of_dl(signature.map(|signature| bytes(signature.to_der())));
        }
        Job::VerifyDsa(VerifyDsa {
            key,
            hash,
            digest,
            signature,
        }) => {
            let signature = dl::Signature::from_der(signature);
            let result = signature.and_then(|s| key.dsa_verify(*hash, digest, &s));
            return of_dl(result.map(|()| Output::Verified));
        }
        Job::X25519(X25519Agree { key, public }) => {
            let secret = key.agree(public).map(Output::Bytes);
            return secret.map_err(Error::from);
        }
        Job::EcdhP256(agree) => return Ok(agreed(agree)),
        Job::EcdhP384(agree) => return Ok(agreed(agree)),
        Job::EcdhP521(agree) => return Ok(agreed(agree)),
        Job::EcdhSecp256k1(agree) => return Ok(agreed(agree)),
        _ => unreachable!("no other kinds"),
    })
}

fn agreed<C: Named>(EcdhAgree { key, public }: &EcdhAgree<C>) -> Output {
    Output::Bytes(key.agree(public).expect("a point of the curve"))
}

fn ecdh<C: Named>() -> EcdhAgree<C> {
    let [key, other] = [(); 2].map(|()| ec::PrivateKey::generate_with(&mut rng()));
    let public = other.public().clone();
    EcdhAgree { key, public }
}

/// Whether `result` is what `job` gives alone; a signature with a random salt is verified instead.
pub fn check(job: &Job, result: &Result<Output, Error>) {
    if let (
        Job::SignPss(SignPss {
            key,
            hash,
            mgf,
            salt_len,
            digest,
        }),
        Ok(Output::Bytes(signature)),
    ) = (job, result)
    {
        key.public()
            .rsassa_pss_verify(*hash, *mgf, Some(*salt_len), digest, signature)
            .unwrap();
        return;
    }
    let same = match (result, alone(job)) {
        (Ok(Output::Bytes(a)), Ok(Output::Bytes(b))) => *a == b,
        (Ok(Output::Number(a)), Ok(Output::Number(b))) => *a == b,
        (Ok(Output::Verified), Ok(Output::Verified)) => true,
        (Err(a), Err(b)) => *a == b,
        _ => false,
    };
    assert!(same, "{job:?} gave {result:?}");
}
