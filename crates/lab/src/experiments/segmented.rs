//! `segmented`: files encrypted and decrypted with RSA alone, segment by segment, as the thesis's program does.
//!
//! `encrypt` and `decrypt` are a segment of a file of 512: one after the other, which is the thesis's sequential
//! form, and as the program does it, in vector lanes and on several threads. `hybrid/encrypt` and `hybrid/decrypt` are a
//! file of 1 MiB as CMS, the form for files that matter.

use super::{Experiment, Levels, Share, noise, rsa::pkcs8, team};
use crate::{Bench, Error, record::Size};
use carrysave_cli::segmented;
use carrysave_engine::Threads;
use carrysave_schemes::cms::{self, DecryptOptions, EncryptOptions, Recipient};
use carrysave_schemes::rsa::PrivateKey;
use carrysave_team::Team;
use getrandom::{SysRng, rand_core::UnwrapErr};

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
    let same = |made: &Made, wanted: &[u8]| match made {
        Ok(bytes) if bytes == wanted => Ok(()),
        Ok(_) => Err("its answer is wrong".to_owned()),
        Err(e) => Err(e.to_string()),
    };
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

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}
