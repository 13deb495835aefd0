//! `segmented`: files encrypted and decrypted with RSA alone, segment by segment, as the thesis's program does.
//!
//! `encrypt` and `decrypt` are a segment of a file of 512: one after the other, which is the thesis's sequential
//! form, and as the program does it, in vector lanes and on several threads. `hybrid/encrypt` and `hybrid/decrypt` are a
//! file of 1 MiB as CMS, the form for files that matter. `block/encrypt` and `block/decrypt` are one segment by each of the
//! thesis's eight ways to raise to a power (its list 20), on words of 32 bits.

use super::{
    Experiment, Levels, Share, noise,
    rsa::pkcs8,
    team,
    thesis::{WORDS_OF_32, Way, ways},
};
use crate::{Bench, Error, record::Size, rivals::padded};
use carrysave_arith::Nat;
use carrysave_cli::segmented;
use carrysave_engine::Threads;
use carrysave_schemes::cms::{self, DecryptOptions, EncryptOptions, Recipient};
use carrysave_schemes::rsa::{PrivateKey, eme_pkcs1_v1_5_encode};
use carrysave_team::Team;
use getrandom::{
    SysRng,
    rand_core::{Rng, UnwrapErr},
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "segmented",
    about: "files encrypted and decrypted with RSA alone, segment by segment, and the hybrid form beside it",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[2048], 0.2, 10.0),
        full: Share::new(&[], 0.5, 60.0),
    },
};

/// The segments of a file: a multiple of what the threads take at once, so that none idles at the end.
const SEGMENTS: usize = 512;

/// The bytes of a file in the hybrid form.
const HYBRID: usize = 1 << 20;

/// A file that was made of another.
type Made = Result<Vec<u8>, cms::Error>;

/// Makes a file of another.
type Make<'a> = &'a dyn Fn(&[u8]) -> Made;

/// The way on a team.
type MakeOn<'a> = &'a dyn Fn(&Threads, &[u8]) -> Made;

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let teams = bench.thread_counts().into_iter().map(team);
    let teams = &teams.collect::<Result<Vec<_>, _>>()?;
    for bits in bench.bits(&[1024, 2048, 3072, 4096, 6144]) {
        let key = PrivateKey::from_any(pkcs8(bits)?, None).map_err(|e| Error(e.to_string()))?;
        alone(bench, teams, bits, &key);
        hybrid(bench, teams, bits, &key);
        block(bench, bits, &key);
    }
    Ok(())
}

/// RSA alone.
fn alone(bench: &mut Bench<'_>, teams: &[Threads], bits: usize, key: &PrivateKey) {
    let public = key.public();
    let encrypt: MakeOn<'_> = &|team, mut m| {
        let mut c = Vec::new();
        segmented::encrypt(team, rng, public, &mut m, &mut c)?;
        Ok(c)
    };
    let decrypt: MakeOn<'_> = &|team, mut c| {
        let mut m = Vec::new();
        segmented::decrypt(team, rng, key, &mut c, &mut m)?;
        Ok(m)
    };
    let one_by_one: Make<'_> = &|m| {
        let mut c = Vec::new();
        for segment in m.chunks(segmented::segment(public)) {
            c.extend(public.rsaes_pkcs1_v1_5_encrypt(&mut rng(), segment)?);
        }
        Ok(c)
    };
    let block_by_block: Make<'_> = &|c| {
        let mut m = Vec::new();
        for block in c.chunks(key.size()) {
            m.extend_from_slice(&key.rsaes_pkcs1_v1_5_decrypt(&mut rng(), block)?);
        }
        Ok(m)
    };
    let file = noise(SEGMENTS * segmented::segment(public));
    let ways = [
        ("encrypt", encrypt, Some(one_by_one)),
        ("decrypt", decrypt, Some(block_by_block)),
    ];
    there_and_back(bench, teams, bits, SEGMENTS, &file, ways);
}

/// As CMS.
fn hybrid(bench: &mut Bench<'_>, teams: &[Threads], bits: usize, key: &PrivateKey) {
    let Ok(to) = Recipient::from_public_key(key.public().clone()) else {
        return bench.refuse(
            "hybrid/encrypt",
            Size::Bits(bits),
            "carrysave",
            "the key has no name".to_owned(),
        );
    };
    let encrypt: MakeOn<'_> = &|team, mut m| {
        let (mut c, options) = (Vec::new(), EncryptOptions::default());
        cms::encrypt_on(
            team,
            &mut rng(),
            core::slice::from_ref(&to),
            &options,
            &mut m,
            &mut c,
        )?;
        Ok(c)
    };
    let decrypt: MakeOn<'_> = &|team, mut c| {
        let (mut m, options) = (Vec::new(), DecryptOptions::default());
        cms::decrypt_on(team, &mut rng(), key, &options, &mut c, &mut m)?;
        Ok(m)
    };
    let ways = [
        ("hybrid/encrypt", encrypt, None),
        ("hybrid/decrypt", decrypt, None),
    ];
    there_and_back(bench, teams, bits, 1, &noise(HYBRID), ways);
}

/// Races both ways of a file, `jobs` operations each: on one thread one by one where there is such a form, and on each of the
/// teams.
fn there_and_back(
    bench: &mut Bench<'_>,
    teams: &[Threads],
    bits: usize,
    jobs: usize,
    file: &[u8],
    [there, back]: [(&str, MakeOn<'_>, Option<Make<'_>>); 2],
) {
    let backwards = |c: &Made| match c {
        Ok(c) => same(&(back.1)(&teams[0], c), file),
        Err(e) => Err(e.to_string()),
    };
    let mut one_way = |(name, on, one_by_one): (&str, MakeOn<'_>, Option<Make<'_>>),
                       from: &[u8],
                       check: &dyn Fn(&Made) -> Result<(), String>| {
        let mut race = bench.race(name, Size::Bits(bits));
        race.of_jobs(jobs);
        if let Some(one_by_one) = one_by_one {
            let make = move |_: &mut ()| one_by_one(from);
            race.enter("carrysave/sequential", || (), make, check);
        }
        for team in teams {
            race.on_threads(team.size());
            race.enter("carrysave", || (), move |_| on(team, from), check);
        }
        race.run();
    };
    one_way(there, file, &backwards);
    match (there.1)(&teams[0], file) {
        Ok(made) => one_way(back, &made, &|m| same(m, file)),
        Err(e) => bench.refuse(back.0, Size::Bits(bits), "carrysave", e.to_string()),
    }
}

/// One segment by each of the thesis's ways, and as it is done here. The thesis's private operation takes no primes.
fn block(bench: &mut Bench<'_>, bits: usize, key: &PrivateKey) {
    let public = key.public();
    let (cpu, size) = (bench.cpu(), key.size());
    let (m, ways) = (
        &noise(segmented::segment(public))[..],
        &ways(public.n(), cpu, WORDS_OF_32),
    );
    let power = |way: &Way, octets: &[u8], exponent: &Nat| {
        let power = way.pow(&Nat::from_be_bytes(octets), exponent);
        padded(&power.to_be_bytes_vartime(), size)
    };
    let encrypt = |way: &Way| power(way, &encoded(m, size), public.e());
    let decrypt = |way: &Way, c: &[u8]| -> Made { Ok(decoded(&power(way, c, key.d())).to_vec()) };
    let private = |c: &[u8]| -> Made {
        let m = key.rsaes_pkcs1_v1_5_decrypt(&mut rng(), c)?;
        Ok(m.to_vec())
    };
    let mut race = bench.race("block/encrypt", Size::Bits(bits));
    let whole = |_: &mut ()| public.rsaes_pkcs1_v1_5_encrypt(&mut rng(), m);
    race.enter(
        "carrysave",
        || (),
        whole,
        |c| match c {
            Ok(c) => same(&private(c), m),
            Err(e) => Err(e.to_string()),
        },
    );
    for way in ways {
        race.enter(
            &way.label,
            || (),
            move |_| encrypt(way),
            |c| same(&private(c), m),
        );
    }
    race.run();
    let c = &match public.rsaes_pkcs1_v1_5_encrypt(&mut rng(), m) {
        Ok(c) => c,
        Err(e) => {
            return bench.refuse(
                "block/decrypt",
                Size::Bits(bits),
                "carrysave",
                e.to_string(),
            );
        }
    };
    let mut race = bench.race("block/decrypt", Size::Bits(bits));
    race.enter("carrysave", || (), |_| private(c), |made| same(made, m));
    for way in ways {
        race.enter(
            &way.label,
            || (),
            move |_| decrypt(way, c),
            |made| same(made, m),
        );
    }
    race.run();
}

/// A block of encryption that carries m.
fn encoded(m: &[u8], size: usize) -> Vec<u8> {
    let block = eme_pkcs1_v1_5_encode(m, size, |padding| {
        rng().fill_bytes(padding);
        padding
            .iter_mut()
            .for_each(|octet| *octet = (*octet).max(1));
    });
    block.expect("a segment fits").to_vec()
}

/// What such a block carries; nothing if it is none.
fn decoded(block: &[u8]) -> &[u8] {
    match block.strip_prefix(&[0, 2]) {
        Some(rest) => match rest.iter().position(|&octet| octet == 0) {
            Some(end) => &rest[end + 1..],
            None => &[],
        },
        None => &[],
    }
}

/// Fails unless that was made.
fn same(made: &Made, wanted: &[u8]) -> Result<(), String> {
    match made {
        Ok(bytes) if bytes == wanted => Ok(()),
        Ok(_) => Err("its answer is wrong".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_carries_what_it_was_given_and_others_nothing() {
        for m in [&b""[..], b"0", &[0; 116]] {
            let block = encoded(m, 128);
            assert_eq!((block.len(), decoded(&block)), (128, m));
            assert_eq!(
                block[2..].iter().position(|&octet| octet == 0),
                Some(125 - m.len())
            );
        }
        assert_eq!(decoded(&[0, 1, 1, 0, 5]), b"");
        assert_eq!(decoded(&[0, 2, 1, 1]), b"");
    }

    #[test]
    fn every_way_of_the_thesis_opens_a_block() {
        let key = PrivateKey::from_any(pkcs8(1024).unwrap(), None).unwrap();
        let public = key.public();
        let c = public.rsaes_pkcs1_v1_5_encrypt(&mut rng(), b"few").unwrap();
        for way in ways(public.n(), carrysave_arith::Cpu::native(), WORDS_OF_32) {
            let power = way.pow(&Nat::from_be_bytes(&c), key.d());
            let block = padded(&power.to_be_bytes_vartime(), key.size());
            assert_eq!(decoded(&block), b"few", "{}", way.label);
        }
    }
}
