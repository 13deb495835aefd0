//! The block-by-block form of the 2011 thesis: each segment of a file is one RSAES-PKCS1-v1_5 ciphertext.
//!
//! A segment is 12 bytes shorter than the key, as in the thesis. There is no header, and nothing detects altered,
//! exchanged or missing blocks. It is for study.
//!
//! The threads of a team read pieces of some segments, work on them side by side in vector lanes, and write them in
//! order. So memory does not grow with the file.

use carrysave::cms::Error;
use carrysave::engine::{AnyTask, Batch};
use carrysave::rsa::task::{DecryptPkcs1v15, EncryptPkcs1v15};
use carrysave::rsa::{self, PrivateKey, PublicKey};
use carrysave::team::{Team, in_order};
use rand_core::CryptoRng;
use std::io::{Read, Write};
use zeroize::Zeroizing;

/// The warning that is always printed.
pub const WARNING: &str = "carrysave: warning: --segmented is for study only: nothing protects the order of the blocks \
     or notices a change; leave it out for a file that matters";

/// The difference in length of a key and a segment.
const OVERHEAD: usize = 12;

/// The number of segments of a piece. A private operation takes so long that one group of lanes is enough.
const ENCRYPTED: usize = 32;
const DECRYPTED: usize = 8;

/// The length of a plaintext from which several threads pay.
pub fn long_plaintext(key: &PublicKey) -> u64 {
    (ENCRYPTED * segment(key)) as u64
}

/// The length of a ciphertext from which several threads pay.
pub fn long_ciphertext(key: &PublicKey) -> u64 {
    (DECRYPTED * key.size()) as u64
}

/// The bytes of a segment under `key`.
pub fn segment(key: &PublicKey) -> usize {
    key.size() - OVERHEAD
}

/// Encrypts segment after segment; an empty input becomes one empty segment.
///
/// Each thread takes random numbers from a generator that `rng` makes.
///
/// # Errors
/// Of reading, writing and the operation.
pub fn encrypt<G: CryptoRng>(
    team: &dyn Team,
    rng: impl Fn() -> G + Sync,
    key: &PublicKey,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    let (mut bytes, mut first) = (0, true);
    let task = |message: Zeroizing<Vec<u8>>| EncryptPkcs1v15 {
        key: key.clone(),
        message,
    };
    let put = |ciphertexts: Vec<Result<Vec<u8>, rsa::Error>>| {
        ciphertexts
            .into_iter()
            .try_for_each(|c| output.write_all(&c?).map_err(Error::Write))
    };
    let take = |segments: &mut Vec<Zeroizing<Vec<u8>>>| {
        let more = read(input, segment(key), ENCRYPTED, segments)?;
        if segments.is_empty() && first {
            segments.push(Zeroizing::default());
        }
        first = false;
        bytes += segments.iter().map(|m| m.len() as u64).sum::<u64>();
        Ok(more)
    };
    through(team, rng, take, task, put)?;
    Ok(bytes)
}

/// Decrypts block by block. The only possible check is that all segments except the last are full.
///
/// Each thread takes random numbers from a generator that `rng` makes.
///
/// # Errors
/// Of reading, writing and the operation; of an input that is empty or ends within a block, and of a short segment
/// before others.
pub fn decrypt<G: CryptoRng>(
    team: &dyn Team,
    rng: impl Fn() -> G + Sync,
    key: &PrivateKey,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
) -> Result<u64, Error> {
    let len = segment(key.public());
    let (mut bytes, mut first, mut last) = (0, true, false);
    let task = |mut block: Zeroizing<Vec<u8>>| DecryptPkcs1v15 {
        key: key.clone(),
        ciphertext: core::mem::take(&mut *block),
    };
    let take = |blocks: &mut Vec<Zeroizing<Vec<u8>>>| {
        let more = read(input, key.size(), DECRYPTED, blocks)?;
        if blocks.is_empty() && first {
            return Err(Error::Empty);
        }
        first = false;
        match blocks.last() {
            Some(block) if block.len() < key.size() => Err(Error::Truncated),
            _ => Ok(more),
        }
    };
    let put = |segments: Vec<Result<Zeroizing<Vec<u8>>, rsa::Error>>| {
        segments.into_iter().try_for_each(|m| {
            let m = m?;
            if m.len() > len || last {
                return Err(Error::Decryption);
            }
            last = m.len() < len;
            bytes += m.len() as u64;
            output.write_all(&m).map_err(Error::Write)
        })
    };
    through(team, rng, take, task, put)?;
    Ok(bytes)
}

/// Takes pieces of inputs, runs a task for each input of a piece, and puts down the answers. `take` says whether there may
/// be more, and is not asked again when there are not: a terminal would wait, and a file may grow.
fn through<G: CryptoRng, T: AnyTask<Error = rsa::Error>>(
    team: &dyn Team,
    rng: impl Fn() -> G + Sync,
    mut take: impl FnMut(&mut Vec<Zeroizing<Vec<u8>>>) -> Result<bool, Error> + Send,
    task: impl Fn(Zeroizing<Vec<u8>>) -> T + Sync,
    mut put: impl FnMut(Vec<Result<T::Output, T::Error>>) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    let (lanes, mut more) = (Batch::new(1), true);
    in_order(
        team,
        || (Vec::new(), Vec::new()),
        |(inputs, _)| {
            if more {
                more = take(inputs)?;
            }
            Ok(!inputs.is_empty())
        },
        |(inputs, answers)| {
            let tasks: Vec<T> = inputs.drain(..).map(&task).collect();
            *answers = lanes.run_with(&rng, &tasks);
        },
        |(_, answers)| put(core::mem::take(answers)),
    )
}

/// Reads at most `most` segments, and says whether the input goes on. The last is shorter where it ends within it, and there
/// is none at its end.
fn read(
    input: &mut dyn Read,
    len: usize,
    most: usize,
    segments: &mut Vec<Zeroizing<Vec<u8>>>,
) -> Result<bool, Error> {
    while segments.len() < most {
        let mut segment = Zeroizing::new(Vec::with_capacity(len));
        let part = &mut input.take(len as u64);
        part.read_to_end(&mut segment).map_err(Error::Read)?;
        let ended = segment.len() < len;
        if !segment.is_empty() {
            segments.push(segment);
        }
        if ended {
            return Ok(false);
        }
    }
    Ok(true)
}
