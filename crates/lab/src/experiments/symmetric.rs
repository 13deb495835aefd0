//! `symmetric`: Threefish, Skein and AES, by the byte.
//!
//! Ciphers and chains race at each size against others that compute the same; trees race against other hash functions;
//! `/threads` are the same on several threads, 1 MiB and 16 MiB at a time; `/cbc/streams` are that many chains side by
//! side. `threefish-256/block` repeats an experiment of 2009 with SIMD within a block, and `aes/rounds` one of a thesis,
//! modes against the number of rounds, as `aes/threads` on several threads; `docs/design/published.md` has what was
//! published.

mod study;

use super::{Experiment, Levels, Share, noise};
use crate::{
    Bench, Error,
    bound::Bound,
    record::Size,
    rivals::{Bulk, Cipher, Mode, RIVALS, Refusal},
};
use carrysave_engine::Threads;
use carrysave_kernels::{
    Cpu,
    threefish::{C5, C240, Decrypt, DecryptV1_1, Encrypt, EncryptV1_1, extend_key},
};
use carrysave_symmetric::{
    aes::Aes,
    skein::{Parameters, Skein512, Tree},
    threefish::Threefish512,
};
use carrysave_team::{Serial, Team};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "symmetric",
    about: "Threefish, Skein and AES on data of 16 KiB and 1 MiB; cycles are a byte's",
    run,
    levels: Levels {
        quick: Some(Share::new(&[131_072], 0.02, 10.0)),
        standard: Share::new(&[], 0.05, 60.0),
        full: Share::new(&[], 0.1, 60.0),
    },
};

/// The bytes at a time.
const SIZES: [usize; 2] = [16 << 10, 1 << 20];
/// The most bytes that threads share.
const SHARED: usize = 16 << 20;
/// The blocks that are encrypted one after the other.
const BLOCKS: usize = 64;
/// How many chains of CBC are side by side.
const STREAMS: [usize; 4] = [1, 4, 16, 32];
/// How many rounds AES is given.
const ROUNDS: [usize; 7] = [4, 6, 8, 10, 12, 14, 16];
/// Several threads.
const TEAM: &str = "carrysave/team";

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let sizes = match bench.bits(&[]) {
        asked if asked.is_empty() => SIZES.to_vec(),
        asked => asked.iter().map(|bits| bits / 8).collect(),
    };
    if let Some(bytes) = sizes.iter().find(|&&bytes| bytes == 0 || bytes % 128 != 0) {
        return Err(Error(format!(
            "symmetric takes whole blocks of 1024 bits, and {} bits are none",
            8 * bytes
        )));
    }
    for &bytes in &sizes {
        for cipher in Cipher::ALL {
            for mode in Mode::ALL {
                race(bench, bytes, Bulk::Cipher(cipher, mode));
            }
        }
        for bits in [256, 512, 1024] {
            race(bench, bytes, Bulk::Skein(bits));
        }
        for key in [128, 256] {
            streams(bench, bytes, key);
        }
        hashes(bench, bytes);
    }
    let largest = sizes.iter().copied().max().unwrap_or(SHARED);
    let shared = SHARED.min(16 * largest);
    threads(bench, shared)?;
    if largest < shared {
        threads(bench, largest)?;
    }
    blocks(bench);
    study::rounds(bench, largest);
    study::rijndael(bench);
    Ok(())
}

fn right(is: bool) -> Result<(), String> {
    if is {
        Ok(())
    } else {
        Err("its answer is wrong".to_owned())
    }
}

/// Everyone who does this. The answers are compared with those of carrysave's kernels in plain Rust.
fn race(bench: &mut Bench<'_>, bytes: usize, bulk: Bulk) {
    let cpu = bench.cpu();
    let name = bulk.to_string();
    let mut race = bench.race(&name, Size::Bytes(bytes));
    if let Bulk::Cipher(cipher, mode) = bulk {
        race.bound(Bound::cipher(cpu, cipher, mode, bytes));
    }
    let mut expected = None;
    for rival in RIVALS {
        let label = rival.label();
        let offered = match rival.bulk.map(|prepare| prepare(cpu, bulk)) {
            None | Some(Err(Refusal::NotOffered)) => continue,
            Some(Err(Refusal::Failed(error))) => Err(error),
            Some(Ok(work)) => Ok(work),
        };
        if !race.wants(&label) {
            continue;
        }
        let expected = expected.get_or_insert_with(|| {
            let plain = RIVALS[0].bulk.map(|prepare| prepare(Cpu::portable(), bulk));
            let Some(Ok(mut plain)) = plain else {
                unreachable!("carrysave does all of it")
            };
            answer(&mut *plain, bytes)
        });
        match offered {
            Ok(mut work) => {
                let check = right(answer(&mut *work, bytes) == *expected);
                race.enter(
                    &label,
                    move || noise(bytes),
                    move |data| work(data),
                    |_| check,
                );
            }
            Err(error) => race.refuse(&label, error),
        }
    }
    race.run();
}

/// What becomes of data, and what is returned.
fn answer(work: &mut dyn FnMut(&mut [u8]) -> Vec<u8>, bytes: usize) -> [Vec<u8>; 2] {
    let mut data = noise(bytes);
    let returned = work(&mut data);
    [data, returned]
}

/// CBC encryption of several streams: side by side by us, by the others one after the other.
fn streams(bench: &mut Bench<'_>, bytes: usize, key: usize) {
    let (cpu, chain) = (bench.cpu(), Bulk::Cipher(Cipher::Aes(key), Mode::Cbc));
    let aes = Aes::with_cpu(cpu, &Cipher::Aes(key).key()).expect("a length of keys");
    let blocks = bytes / 16;
    for streams in STREAMS.into_iter().filter(|n| blocks.is_multiple_of(*n)) {
        let name = format!("{chain}/streams/{streams}");
        let ivs = vec![[0; 16]; streams];
        let ours = |data: &mut [u8]| aes.cbc_encrypt_streams(&ivs, data);
        let mut race = bench.race(&name, Size::Bytes(bytes));
        // Rivals are prepared before it is known whether they are wanted.
        if !race.runs() {
            continue;
        }
        let mut expected = None;
        for rival in RIVALS {
            let label = rival.label();
            let Some(Ok(mut work)) = rival.bulk.map(|prepare| prepare(cpu, chain)) else {
                continue;
            };
            if !race.wants(&label) {
                continue;
            }
            let expected = expected.get_or_insert_with(|| {
                let mut data = noise(bytes);
                ours(&mut data);
                data
            });
            let mut each = move |data: &mut [u8]| {
                for stream in data.chunks_mut(bytes / streams) {
                    work(stream);
                }
            };
            let mut data = noise(bytes);
            each(&mut data);
            let check = right(data == *expected);
            let prepare = move || noise(bytes);
            if label == "carrysave" {
                race.enter(&label, prepare, move |data| ours(data), |()| check);
            } else {
                race.enter(&label, prepare, move |data| each(data), |()| check);
            }
        }
        race.run();
    }
}

/// Trees of Skein beside chains and the hash functions of others.
fn hashes(bench: &mut Bench<'_>, bytes: usize) {
    let cpu = bench.cpu();
    let mut race = bench.race("hash", Size::Bytes(bytes));
    let functions = [512, 256, 1024].map(Bulk::SkeinTree);
    let others = [Bulk::Skein(512), Bulk::Sha256, Bulk::Blake3];
    for bulk in functions.into_iter().chain(others) {
        for rival in RIVALS {
            let label = format!("{}/{bulk}", rival.label());
            let Some(Ok(mut work)) = rival.bulk.map(|prepare| prepare(cpu, bulk)) else {
                continue;
            };
            if !race.wants(&label) {
                continue;
            }
            // Functions of others have been checked by others; here, that it is a function of its input.
            let [first, second] = [(); 2].map(|()| {
                let mut data = noise(bytes);
                let hash = work(&mut data);
                data[bytes / 2] ^= 1;
                (work(&mut data) != hash, hash)
            });
            let check = right(first == second && first.0);
            race.enter(
                &label,
                move || noise(bytes),
                move |data| work(data),
                |_| check,
            );
        }
    }
    race.run();
}

/// Bulk data on several threads.
fn threads(bench: &mut Bench<'_>, bytes: usize) -> Result<(), Error> {
    let cpu = bench.cpu();
    let counts = bench.thread_counts();
    let teams = counts
        .iter()
        .map(|&threads| super::team(threads))
        .collect::<Result<Vec<_>, _>>()?;
    let aes = |key: usize| Aes::with_cpu(cpu, &noise(key)).expect("a length of keys");
    let (aes_128, aes_256) = (aes(16), aes(32));
    let threefish = Threefish512::with_version(
        cpu,
        carrysave_symmetric::threefish::Version::V1_3,
        &noise(64),
    );
    let hash = |team: &dyn Team, data: &mut [u8]| {
        let parameters = Parameters::new(64).tree(Tree::default()).cpu(cpu);
        let mut hash = Skein512::new(&parameters);
        hash.update_on(team, data);
        hash.finalize().read(&mut data[..64]);
    };
    let works: [(&str, Work<'_>); 7] = [
        ("aes-128/ecb", &|team, data| {
            aes_128.ecb_encrypt_on(team, data)
        }),
        ("aes-128/ctr", &|team, data| {
            aes_128.apply_ctr_on(team, &[0; 16], 128, 0, data);
        }),
        ("aes-128/cbc-decrypt", &|team, data| {
            aes_128.cbc_decrypt_on(team, &[0; 16], data);
        }),
        ("aes-256/ctr", &|team, data| {
            aes_256.apply_ctr_on(team, &[0; 16], 128, 0, data);
        }),
        ("threefish-512/ecb", &|team, data| {
            threefish.encrypt_on(team, [0, 0], data);
        }),
        ("threefish-512/ctr", &|team, data| {
            threefish.apply_ctr_on(team, [0, 0], [0; 8], 0, data);
        }),
        ("skein-512/tree", &hash),
    ];
    for (name, work) in works {
        let name = format!("{name}/threads");
        on_teams(bench, &name, bytes, (&teams, &counts), work);
    }
    study::threads(bench, bytes, (&teams, &counts));
    Ok(())
}

type Work<'a> = &'a dyn Fn(&dyn Team, &mut [u8]);

/// Teams, and how many threads each has.
type Teams<'a> = (&'a [Threads], &'a [usize]);

/// Races teams of several sizes with one piece of work, and checks each answer against that of one thread.
fn on_teams(
    bench: &mut Bench<'_>,
    name: &str,
    bytes: usize,
    (teams, counts): Teams<'_>,
    work: Work<'_>,
) {
    let mut race = bench.race(name, Size::Bytes(bytes));
    if !race.wants(TEAM) {
        return;
    }
    let mut expected = noise(bytes);
    work(&Serial, &mut expected);
    race.by_the_wall();
    for (team, &threads) in teams.iter().zip(counts) {
        race.on_threads(threads);
        let mut data = noise(bytes);
        work(team, &mut data);
        let check = right(data == expected);
        race.enter(
            TEAM,
            move || noise(bytes),
            move |data| work(team, data),
            |()| check,
        );
    }
    race.run();
}

/// Every kernel on one block after the other, and many at once behind them; and those with the rotations of Skein 1.1, which
/// the blog had.
fn blocks(bench: &mut Bench<'_>) {
    let cpu = bench.cpu();
    let [key, old] = [C240, C5].map(|constant| {
        let mut key = [0; 5];
        extend_key(&mut key, constant);
        key
    });
    let tweak = [0, 0];
    /// The kernels of an operation, each as a call on some blocks.
    macro_rules! kernels {
        ($Handle:ident, |$kernel:ident, $blocks:ident| $call:expr) => {
            $Handle::all_vartime(cpu)
                .map(|$kernel| -> (&str, Call) {
                    ($kernel.name(), Box::new(move |$blocks: &mut [u8]| $call))
                })
                .collect()
        };
    }
    type Call = Box<dyn Fn(&mut [u8])>;
    let races: [(&str, Vec<(&str, Call)>); 4] = [
        (
            "threefish-256/block",
            kernels!(Encrypt, |kernel, blocks| kernel
                .call_in_place(blocks, &key, tweak, 0)),
        ),
        (
            "threefish-256/block/decrypt",
            kernels!(Decrypt, |kernel, blocks| kernel
                .call_in_place(blocks, &key, tweak, 0)),
        ),
        (
            "threefish-256/block/1.1",
            kernels!(EncryptV1_1, |kernel, blocks| kernel
                .call_in_place(blocks, &old, tweak)),
        ),
        (
            "threefish-256/block/1.1/decrypt",
            kernels!(DecryptV1_1, |kernel, blocks| kernel
                .call_in_place(blocks, &old, tweak)),
        ),
    ];
    // What the blog measured is first, and what it is compared with before all.
    let order = |name: &str| match name {
        "portable" => 0,
        "schedule" => 1,
        name if name.starts_with("block") => 2,
        _ => 3,
    };
    for (operation, mut kernels) in races {
        kernels.sort_by_key(|(name, _)| order(name));
        let mut race = bench.race(operation, Size::Bytes(32));
        race.of_jobs(BLOCKS);
        let answers: Vec<Vec<u8>> = kernels
            .iter()
            .map(|(_, call)| {
                let mut data = noise(32 * BLOCKS);
                call(&mut data);
                data
            })
            .collect();
        let expected = answers[0].clone();
        for ((name, call), answer) in kernels.into_iter().zip(answers) {
            let check = right(answer == expected);
            race.enter(
                &format!("carrysave/{name}"),
                || noise(32 * BLOCKS),
                move |data| call(data),
                |()| check,
            );
        }
        race.run();
    }
}
