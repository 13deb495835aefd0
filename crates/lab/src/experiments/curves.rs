//! `curves`: key agreement and signatures on elliptic curves, and a published experiment with scalar multiplication on
//! two threads.
//!
//! `agree` takes the octets of another's public key to the shared secret; `public` takes the private key to the public
//! one; `sign` and `verify` hash a short message, too. `many`, `public-many`, `sign-many` and `verify-many`
//! are those of 64 at once, by the engine's batch or in lanes, against one after the other. `threads` is the second published table of powers on two threads; `docs/design/published.md` has its figures.

mod many;

use super::{Experiment, Levels, Share, at_once, random_limbs, siblings::teams_of_two};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{
        RIVALS, Refusal,
        agreement::{Agreement, Exchange},
        signing::Signing,
    },
};
use carrysave_arith::{
    Cpu, Limb, Nat,
    curve::{CryptoPP168, Point, Points},
    published::pow::Version,
};
use carrysave_schemes::ec::AnyPrivateKey;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "curves",
    about: "ECDH, X25519, X448, ECDSA, Ed25519 and Ed448, and scalar multiplication on two threads by published algorithms",
    run,
    levels: Levels {
        quick: Some(Share::new(&[255, 256], 0.05, 5.0)),
        standard: Share::new(&[], 0.2, 20.0),
        full: Share::new(&[], 0.5, 30.0),
    },
};

/// Operations at a time, each with a public key of its own: a whole number of lanes.
const AT_ONCE: usize = 64;
/// The bits of the curve of the published experiment.
const PUBLISHED: usize = 168;
/// The bits of its scalars.
const SCALARS: [usize; 5] = [8, 16, 62, 124, 248];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let sizes = [255, 256, 384, 448, 521, PUBLISHED];
    let asked = bench.bits(&sizes);
    if let Some(bits) = asked.iter().find(|bits| !sizes.contains(bits)) {
        return Err(Error(format!(
            "there is no benchmark curve of {bits} bits; there are 255, 256, 384, 448, 521, {PUBLISHED}"
        )));
    }
    for exchange in Exchange::ALL {
        if asked.contains(&exchange.bits()) {
            agree(bench, exchange, false);
            public(bench, exchange, false);
            if exchange.has_lanes() {
                agree(bench, exchange, true);
                public(bench, exchange, true);
            }
        }
    }
    for signing in Signing::ALL {
        if asked.contains(&signing.exchange().bits()) {
            sign(bench, signing)?;
        }
    }
    if asked.contains(&PUBLISHED) {
        for bits in SCALARS {
            on_threads(bench, bits)?;
        }
    }
    Ok(())
}

/// A private key: below the order of every curve of this length, for its highest bits are clear.
fn random_private(exchange: Exchange) -> Vec<u8> {
    let bytes = random_limbs(9).into_iter().flat_map(Limb::to_be_bytes);
    let mut bytes: Vec<u8> = bytes.take(exchange.bits().div_ceil(8)).collect();
    bytes[0] = 0;
    bytes
}

/// A key as carrysave has it on this processor.
fn ours(cpu: Cpu, exchange: Exchange, private: &[u8]) -> Agreement {
    let load = RIVALS[0].agreement.expect("carrysave agrees on keys");
    match load(cpu, exchange, private) {
        Ok(key) => key,
        Err(_) => unreachable!("carrysave has all curves"),
    }
}

/// Shared secrets: ours in lanes and by the batch, where there are many, and each by itself.
fn agree(bench: &mut Bench<'_>, exchange: Exchange, many: bool) {
    let cpu = bench.cpu();
    let private = random_private(exchange);
    let peers: Vec<Vec<u8>> = (0..AT_ONCE)
        .map(|_| (ours(Cpu::portable(), exchange, &random_private(exchange)).public)())
        .collect();
    let mut plain = ours(Cpu::portable(), exchange, &private);
    let expected: Vec<Vec<u8>> = peers.iter().map(|peer| (plain.agree)(peer)).collect();
    let check = |answer: &Vec<Vec<u8>>| match *answer == expected {
        true => Ok(()),
        false => Err("its shared secret is wrong".to_owned()),
    };
    let name = format!("{exchange}/{}", if many { "many" } else { "agree" });
    let mut race = bench.race(&name, Size::Bits(exchange.bits()));
    race.of_jobs(AT_ONCE);
    // Keys compute with what the machine has.
    if many && cpu == Cpu::native() {
        let mut all = self::many::agree(exchange, &private, &peers);
        race.enter("carrysave/batch", || (), move |()| all(), check);
    }
    for rival in RIVALS {
        let label = rival.label();
        let Some(load) = rival.agreement.filter(|_| race.wants(&label)) else {
            continue;
        };
        match load(cpu, exchange, &private) {
            Ok(mut key) => {
                let peers = &peers;
                let all = move |_: &mut ()| -> Vec<Vec<u8>> {
                    peers.iter().map(|peer| (key.agree)(peer)).collect()
                };
                race.enter(&label, || (), all, check);
            }
            Err(Refusal::NotOffered) => {}
            Err(Refusal::Failed(error)) => race.refuse(&label, error),
        }
    }
    if many {
        for (label, mut key) in
            at_once(&mut race, |library| (library.agreement)(exchange, &private))
        {
            let peers = &peers;
            race.enter(&label, || (), move |()| (key.agree)(peers), check);
        }
    }
    race.run();
}

/// Public keys: of one private key again and again, or ours of many new ones.
fn public(bench: &mut Bench<'_>, exchange: Exchange, many: bool) {
    let count = if many { AT_ONCE } else { 1 };
    let cpu = bench.cpu();
    let private = random_private(exchange);
    let expected = (ours(Cpu::portable(), exchange, &private).public)();
    let name = format!("{exchange}/public{}", if many { "-many" } else { "" });
    let mut race = bench.race(&name, Size::Bits(exchange.bits()));
    race.of_jobs(count);
    let check = |answer: &Vec<Vec<u8>>| match answer.iter().all(|key| *key == expected) {
        true => Ok(()),
        false => Err("its public key is wrong".to_owned()),
    };
    if many && cpu == Cpu::native() {
        let check = |answer: &Vec<[Vec<u8>; 2]>| {
            let right = |[private, public]: &[Vec<u8>; 2]| {
                (ours(Cpu::portable(), exchange, private).public)() == *public
            };
            match answer.len() == count && answer.iter().all(right) {
                true => Ok(()),
                false => Err("its public key is wrong".to_owned()),
            }
        };
        let generate = move |_: &mut ()| self::many::generate(exchange, count);
        race.enter("carrysave/lanes", || (), generate, check);
    }
    for rival in RIVALS {
        let label = rival.label();
        let Some(load) = rival.agreement.filter(|_| race.wants(&label)) else {
            continue;
        };
        if let Ok(mut key) = load(cpu, exchange, &private) {
            let all = move |_: &mut ()| (0..count).map(|_| (key.public)()).collect();
            race.enter(&label, || (), all, check);
        }
    }
    if many {
        for (label, mut key) in
            at_once(&mut race, |library| (library.agreement)(exchange, &private))
        {
            race.enter(&label, || (), move |()| (key.public)(count), check);
        }
    }
    race.run();
}

/// Signatures of a message, and their verification.
fn sign(bench: &mut Bench<'_>, signing: Signing) -> Result<(), Error> {
    const MESSAGE: &[u8] = b"a message of a few words";
    let broken = |_| Error(format!("a key for {signing} cannot be made"));
    let key = Arc::new(AnyPrivateKey::generate(many::algorithm(signing)));
    let (pkcs8, hash) = (key.to_pkcs8_der(), key.algorithm().hash());
    let load = RIVALS[0].signing.expect("carrysave signs");
    let mut ours = load(signing, &pkcs8).map_err(broken)?;
    let signature = (ours.sign)(MESSAGE);
    let size = Size::Bits(signing.exchange().bits());
    let native = bench.cpu() == Cpu::native();
    let counts: &[usize] = match signing.exchange().has_lanes() {
        true => &[1, AT_ONCE],
        false => &[1],
    };
    let races = counts
        .iter()
        .flat_map(|&count| [(count, false), (count, true)]);
    for (count, verifies) in races {
        let what = if verifies { "verify" } else { "sign" };
        let name = format!("{signing}/{what}{}", if count > 1 { "-many" } else { "" });
        let mut race = bench.race(&name, size);
        race.of_jobs(count);
        let right = |it: bool| match it {
            true => Ok(()),
            false => Err("its answer is wrong".to_owned()),
        };
        if count > 1 && native {
            let mut judge = load(signing, &pkcs8).map_err(broken)?.verify;
            let mut all = match verifies {
                true => many::verify(&key, hash, MESSAGE, signature.clone(), count),
                false => many::sign(&key, hash, MESSAGE, count),
            };
            let check = move |answers: &Vec<Vec<u8>>| {
                let right = |it: &Vec<u8>| {
                    if verifies {
                        it == &[1]
                    } else {
                        judge(MESSAGE, it)
                    }
                };
                match answers.len() == count && answers.iter().all(right) {
                    true => Ok(()),
                    false => Err("an answer is wrong".to_owned()),
                }
            };
            race.enter("carrysave/batch", || (), move |()| all(), check);
        }
        for rival in RIVALS {
            let label = rival.label();
            let Some(load) = rival.signing.filter(|_| race.wants(&label)) else {
                continue;
            };
            let mut signer = match load(signing, &pkcs8) {
                Ok(signer) => signer,
                Err(Refusal::NotOffered) => continue,
                Err(Refusal::Failed(error)) => {
                    race.refuse(&label, error);
                    continue;
                }
            };
            let mut judge = load(signing, &pkcs8).map_err(broken)?.verify;
            let signature = signature.clone();
            if verifies {
                let verify =
                    move |_: &mut ()| (0..count).all(|_| (signer.verify)(MESSAGE, &signature));
                race.enter(&label, || (), verify, |it| right(*it));
            } else {
                let sign = move |_: &mut ()| -> Vec<Vec<u8>> {
                    (0..count).map(|_| (signer.sign)(MESSAGE)).collect()
                };
                let check =
                    move |all: &Vec<Vec<u8>>| right(all.iter().all(|it| judge(MESSAGE, it)));
                race.enter(&label, || (), sign, check);
            }
        }
        if count > 1 {
            for (label, mut key) in at_once(&mut race, |library| (library.signing)(signing, &pkcs8))
            {
                let mut judge = load(signing, &pkcs8).map_err(broken)?.verify;
                let signature = signature.clone();
                if verifies {
                    let verify = move |_: &mut ()| (key.verify)(MESSAGE, &signature, count);
                    let check =
                        |all: &Vec<bool>| right(all.len() == count && !all.contains(&false));
                    race.enter(&label, || (), verify, check);
                } else {
                    let sign = move |_: &mut ()| (key.sign)(MESSAGE, count);
                    let check =
                        move |all: &Vec<Vec<u8>>| right(all.iter().all(|it| judge(MESSAGE, it)));
                    race.enter(&label, || (), sign, check);
                }
            }
        }
        race.run();
    }
    Ok(())
}

/// Scalar multiplication by sliding windows from the right on two threads, or on one if so few were asked for.
fn on_threads(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    let (cpu, threads) = (bench.cpu(), bench.threads(2).min(2));
    let teams = teams_of_two(threads)?;
    let mut limbs = random_limbs(bits.div_ceil(64));
    let top = limbs.last_mut().expect("a limb at least");
    *top = (*top | 1 << 63) >> (bits.next_multiple_of(64) - bits);
    let scalar = &Nat::from_limbs(&limbs);
    let base = &Point::<CryptoPP168>::generator();
    let expected = base.mul(Cpu::portable(), &limbs);
    let check = |point: &Point<CryptoPP168>| match *point == expected {
        true => Ok(()),
        false => Err("its point is wrong".to_owned()),
    };
    let name = format!("threads/{bits}");
    let mut race = bench.race(&name, Size::Bits(PUBLISHED));
    race.enter(
        "carrysave/sliding_rl_average",
        || (),
        |()| base.mul_vartime(cpu, scalar),
        check,
    );
    race.enter(
        "carrysave/sliding_rl_unsigned",
        || (),
        |()| {
            let mut unsigned = Points::new(cpu).without_inverses();
            unsigned.power_vartime(base, scalar)
        },
        check,
    );
    race.on_threads(threads);
    for version in Version::ALL {
        for (team, kind) in &teams {
            let name = format!("carrysave/{}{kind}", format!("{version:?}").to_lowercase());
            let power = move |_: &mut ()| {
                version.power_vartime(&**team, &|| Points::new(cpu), base, scalar)
            };
            race.enter(&name, || (), power, check);
        }
    }
    race.run();
    Ok(())
}
