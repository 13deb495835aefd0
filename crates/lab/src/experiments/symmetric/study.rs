//! AES in each mode with numbers of rounds that are not its own, those of 10, 12 and 14 being AES-128, -192 and -256; and
//! Rijndael, which it was chosen from, with other blocks.

use super::{ROUNDS, Teams, on_teams, right};
use crate::{Bench, experiments::noise, record::Size};
use carrysave_kernels::{
    Cpu,
    aes::{Block, CbcDecrypt, CbcEncrypt, Ctr, Encrypt},
};
use carrysave_symmetric::rijndael::Rijndael;
use carrysave_team::Team;
use std::sync::Mutex;

/// The chains that the widest kernel has side by side. It repeats one where it has fewer, so that a thread with half as
/// many is half as fast.
const LANES: usize = 32;
/// The bytes that Rijndael is given: whole blocks of each length.
const RIJNDAEL: usize = 3 << 12;

/// Part of the data.
struct Part<'d> {
    /// How many blocks stand before it.
    first: usize,
    /// The last of those, or zeros.
    before: Block,
    data: &'d mut [u8],
}

/// A mode with its kernels.
struct Mode<'k> {
    name: &'static str,
    /// Whether what comes later needs what came before, whole.
    chained: bool,
    /// The bytes of what is not cut.
    unit: usize,
    best: &'static str,
    kernels: Vec<(&'static str, Kernel<'k>)>,
}

type Kernel<'k> = Box<dyn Fn(Part<'_>) + Sync + 'k>;

impl<'k> Mode<'k> {
    /// All modes on `bytes` bytes, with these round keys, and chains as long as `stream`.
    fn all(cpu: Cpu, keys: &'k [Block], bytes: usize, stream: usize) -> [Mode<'k>; 5] {
        let ecb = Encrypt::all_vartime(cpu).map(|kernel| -> (_, Kernel<'_>) {
            let name = kernel.name();
            (
                name,
                Box::new(move |part| kernel.call_in_place(part.data, keys)),
            )
        });
        let ctr = Ctr::all_vartime(cpu).map(|kernel| -> (_, Kernel<'_>) {
            let counter = |part: &Part<'_>| (part.first as u128).to_be_bytes();
            (
                kernel.name(),
                Box::new(move |part| kernel.call_in_place(part.data, keys, &counter(&part))),
            )
        });
        let chains = |stream: usize| {
            let kernels = CbcEncrypt::all_vartime(cpu).map(|kernel| -> (_, Kernel<'_>) {
                let first = move |part: &Part<'_>| vec![[0; 16]; part.data.len() / stream];
                (
                    kernel.name(),
                    Box::new(move |part| kernel.call_in_place(part.data, keys, &first(&part))),
                )
            });
            kernels.collect()
        };
        let cbc_decrypt = CbcDecrypt::all_vartime(cpu).map(|kernel| -> (_, Kernel<'_>) {
            (
                kernel.name(),
                Box::new(move |part| kernel.call_in_place(part.data, keys, &part.before)),
            )
        });
        let (encrypt, cbc_encrypt) = (Encrypt::best(cpu).name(), CbcEncrypt::best(cpu).name());
        let mode = |name, unit, best, kernels| Mode {
            name,
            chained: unit == bytes,
            unit,
            best,
            kernels,
        };
        [
            mode("ecb", 16, encrypt, ecb.collect()),
            mode("ctr", 16, Ctr::best(cpu).name(), ctr.collect()),
            mode("cbc", bytes, cbc_encrypt, chains(bytes)),
            mode("cbc-streams", stream, cbc_encrypt, chains(stream)),
            mode(
                "cbc-decrypt",
                16,
                CbcDecrypt::best(cpu).name(),
                cbc_decrypt.collect(),
            ),
        ]
    }

    /// The best kernel.
    fn kernel(&self) -> &Kernel<'k> {
        let mut kernels = self.kernels.iter();
        let best = kernels.find(|(name, _)| *name == self.best);
        &best.expect("the best kernel is one of them").1
    }

    /// Runs the best kernel on a team: each member works on a part of the data of its own.
    fn on(&self, team: &dyn Team, data: &mut [u8]) {
        let share = (data.len() / self.unit).div_ceil(team.size()) * self.unit;
        // What stands before a part is another member's to overwrite.
        let before: Vec<Block> = (0..data.len())
            .step_by(share)
            .map(|at| match data[..at].last_chunk() {
                Some(block) => *block,
                None => [0; 16],
            })
            .collect();
        let parts: Vec<_> = data
            .chunks_mut(share)
            .zip(before)
            .enumerate()
            .map(|(i, (data, before))| {
                let first = i * share / 16;
                Mutex::new(Some(Part {
                    first,
                    before,
                    data,
                }))
            })
            .collect();
        let kernel = self.kernel();
        team.run(&|member| {
            let part = parts.get(member.rank()).map(Mutex::lock);
            if let Some(part) = part.and_then(|part| part.ok()?.take()) {
                kernel(part);
            }
        });
    }
}

/// All data at once.
fn whole(data: &mut [u8]) -> Part<'_> {
    Part {
        first: 0,
        before: [0; 16],
        data,
    }
}

/// Keys for `rounds` rounds.
fn round_keys(rounds: usize) -> Vec<Block> {
    let keys = noise(16 * (rounds + 1));
    let (blocks, _) = keys.as_chunks();
    blocks.to_vec()
}

/// Each mode by the best kernel, and by each of the others.
pub(super) fn rounds(bench: &mut Bench<'_>, bytes: usize) {
    let cpu = bench.cpu();
    // As many chains of one length as the blocks are good for.
    let stream = bytes / (2 * LANES).min(1 << (bytes / 16).trailing_zeros());
    for rounds in ROUNDS {
        let keys = round_keys(rounds);
        let [modes, plain] = [cpu, Cpu::portable()].map(|cpu| Mode::all(cpu, &keys, bytes, stream));
        for (mode, plain) in modes.iter().zip(plain) {
            let answer = |kernel: &Kernel<'_>| {
                let mut data = noise(bytes);
                kernel(whole(&mut data));
                data
            };
            let name = format!("aes/rounds/{}/{rounds}", mode.name);
            let mut race = bench.race(&name, Size::Bytes(bytes));
            let mut expected = None;
            for (name, kernel) in &mode.kernels {
                let name = match *name {
                    name if name == mode.best => "carrysave".to_owned(),
                    name => format!("carrysave/{name}"),
                };
                if !race.wants(&name) {
                    continue;
                }
                let expected = expected.get_or_insert_with(|| answer(plain.kernel()));
                let check = right(answer(kernel) == *expected);
                race.enter(
                    &name,
                    || noise(bytes),
                    move |data| kernel(whole(data)),
                    |()| check,
                );
            }
            race.run();
        }
    }
}

/// How many chains fill the lanes of every member of a team of any of these sizes.
fn full_lanes(teams: &[usize]) -> usize {
    let most = teams.iter().copied().max().unwrap_or(1);
    let mut multiples = (most..).step_by(most);
    let shared = multiples.find(|n| teams.iter().all(|team| n.is_multiple_of(*team)));
    LANES * shared.expect("their product is one of them")
}

/// Each mode by teams, where what comes later does not wait for all that came before. They work on `bytes` bytes or,
/// where chains would not be of one length, a few more.
pub(super) fn threads(bench: &mut Bench<'_>, bytes: usize, teams: Teams<'_>) {
    let streams = full_lanes(teams.1);
    let stream = bytes.div_ceil(16 * streams) * 16;
    let bytes = stream * streams;
    for rounds in ROUNDS {
        let keys = round_keys(rounds);
        for mode in Mode::all(bench.cpu(), &keys, bytes, stream) {
            if !mode.chained {
                let name = format!("aes/threads/{}/{rounds}", mode.name);
                on_teams(bench, &name, bytes, teams, &|team, data| {
                    mode.on(team, data)
                });
            }
        }
    }
}

/// Rijndael with a key of 256 bits and blocks of 128, which are AES's, 192 and 256.
pub(super) fn rijndael(bench: &mut Bench<'_>) {
    let cpu = bench.cpu();
    for rounds in ROUNDS {
        let name = format!("rijndael/rounds/{rounds}");
        let mut race = bench.race(&name, Size::Bytes(RIJNDAEL));
        for block in [16, 24, 32] {
            let name = format!("carrysave/blocks-of-{}", 8 * block);
            if !race.wants(&name) {
                continue;
            }
            let cipher = Rijndael::with_rounds(cpu, block, &noise(32), rounds);
            let cipher = cipher.expect("lengths and a number of rounds that there are");
            let mut data = noise(RIJNDAEL);
            cipher.encrypt(&mut data);
            let changed = data != noise(RIJNDAEL);
            cipher.decrypt(&mut data);
            let check = right(changed && data == noise(RIJNDAEL));
            race.enter(
                &name,
                || noise(RIJNDAEL),
                move |data| cipher.encrypt(data),
                |()| check,
            );
        }
        race.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_team::Serial;

    #[test]
    fn every_member_of_every_team_has_full_lanes() {
        assert_eq!(full_lanes(&[1, 2]), 64);
        assert_eq!(full_lanes(&[7]), 7 * 32);
        for teams in [&[1, 2, 4, 8, 12][..], &[1, 2, 4, 8, 16, 32, 64, 96]] {
            let streams = full_lanes(teams);
            assert!(
                teams
                    .iter()
                    .all(|team| streams.is_multiple_of(LANES * team))
            );
            assert!(16 * streams < 1 << 20, "chains of 1 MiB have blocks");
        }
    }

    #[test]
    fn chains_are_as_long_as_asked_for() {
        let keys = round_keys(10);
        let modes = Mode::all(Cpu::portable(), &keys, 96 * 48, 48);
        let mode = modes.iter().find(|mode| mode.name == "cbc-streams");
        let mut data = vec![0; 96 * 48];
        mode.unwrap().on(&Serial, &mut data);
        let (first, rest) = data.split_at(48);
        assert!(rest.chunks(48).all(|chain| chain == first) && first[..16] != first[16..32]);
    }
}
