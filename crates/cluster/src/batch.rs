//! Jobs of the engine over the ranks of a farm.

use crate::farm::{self, Ending, Event, Items, LeaderLost, Mail, Options};
use carrysave::arith::Nat;
use carrysave::engine::{self, Job, Output};
use core::convert::Infallible;
use core::num::NonZeroUsize;
use rand_core::CryptoRng;

/// Runs many jobs over all ranks, each of which runs [`engine::Batch`] on its share.
///
/// Keys do not travel: each rank makes the jobs out of what they are applied to (a digest, a ciphertext, a number), which
/// rank 0 hands out. What comes back is as public as the messages of the MPI library are.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Of each rank.
    pub threads: NonZeroUsize,
    /// Of the farm.
    pub options: Options<'a>,
}

/// What became of a job; an error as its sentence.
pub type Answer = Result<Output, String>;

impl Batch<'_> {
    /// The results of the jobs that `job` makes of `inputs`, in order, on rank 0; nothing on the others. Every rank
    /// calls it, with the same `job`; the inputs of rank 0 count, and it calls `lost` with each rank that was lost, why,
    /// and the inputs that others did in its place. After [`Ending::Lost`] nobody may wait for all ranks.
    ///
    /// # Errors
    /// On other ranks than 0, if rank 0 is lost.
    ///
    /// # Timing
    /// That of [`engine::Batch::run`].
    pub fn run<R: CryptoRng>(
        &self,
        mail: &impl Mail,
        rng: impl Fn() -> R + Sync,
        job: impl Fn(&[u8]) -> Job + Sync,
        inputs: &[Vec<u8>],
        mut lost: impl FnMut(usize, &str, &[Vec<u8>]),
    ) -> Result<(Vec<Answer>, Ending), LeaderLost> {
        let batch = engine::Batch::new(self.threads);
        let work = |inputs: &[Vec<u8>]| -> Items {
            let jobs: Vec<Job> = inputs.iter().map(|input| job(input)).collect();
            batch.run(&rng, &jobs).iter().map(encode).collect()
        };
        if mail.rank() > 0 {
            let ending = farm::follow(mail, &self.options, |inputs| Ok(work(inputs)))?;
            return Ok((vec![], ending));
        }
        let mut answers = vec![];
        let (Ok(()), ending) = farm::lead::<Infallible>(
            mail,
            &self.options,
            inputs.len(),
            inputs.iter().cloned(),
            |inputs| Ok(work(inputs)),
            |event| {
                match event {
                    Event::Result(_, answer) => answers.push(decode(answer)),
                    Event::Lost(rank, why, inputs) => lost(rank, why, inputs),
                    Event::Stopped(_) => {}
                }
                Ok(())
            },
        );
        Ok((answers, ending))
    }
}

/// One byte for the kind, and what there is of it.
fn encode(answer: &Result<Output, engine::Error>) -> Vec<u8> {
    let (kind, bytes) = match answer {
        Ok(Output::Bytes(bytes)) => (b'b', bytes.to_vec()),
        Ok(Output::Number(x)) => {
            let bytes = x.to_be_bytes(8 * x.width()).expect("as wide as it is");
            (b'n', bytes.to_vec())
        }
        Ok(Output::Verified) => (b'v', vec![]),
        Ok(other) => unreachable!("no job of this version gives {other:?}"),
        Err(e) => (b'e', e.to_string().into_bytes()),
    };
    [&[kind], &bytes[..]].concat()
}

fn decode(answer: &[u8]) -> Answer {
    let (kind, bytes) = answer.split_first().expect("a kind");
    match kind {
        b'b' => Ok(Output::Bytes(bytes.to_vec().into())),
        b'n' => Ok(Output::Number(Nat::from_be_bytes(bytes))),
        b'v' => Ok(Output::Verified),
        _ => Err(String::from_utf8_lossy(bytes).into_owned()),
    }
}
