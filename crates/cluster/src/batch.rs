//! Tasks of the engine over the ranks of a farm.

use crate::farm::{self, Ending, Event, Items, LeaderLost, Mail, Options};
use carrysave::arith::Nat;
use carrysave::ec::AnyPrivateKey;
use carrysave::engine::{self, AnyTask, Output};
use core::convert::Infallible;
use core::fmt::Display;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Runs many tasks over all ranks: each runs [`engine::Batch`] on its share.
///
/// The keys of the tasks are not sent: rank 0 hands out inputs (digests, ciphertexts, numbers), and each rank makes the
/// tasks from them. Results are sent, also a key that a task generates. They are as public as the messages of the MPI
/// library, which are not wiped.
///
/// The results of a piece (at most 256 inputs) are one message, and over MPI a rank has 1 MiB of messages on their way.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The number of threads of each rank.
    pub threads: usize,
    /// The options of the farm.
    pub options: Options<'a>,
}

/// The result of a task; an error is its sentence.
pub type Answer<T> = Result<T, String>;

/// The results of all tasks, and how the run ended.
pub type Answers<T> = (Vec<Answer<T>>, Ending);

/// Results of tasks that can be sent between ranks.
pub trait Wire: Sized {
    /// Encodes the value.
    fn to_wire(&self) -> Zeroizing<Vec<u8>>;

    /// Decodes a value of [`Wire::to_wire`].
    fn from_wire(bytes: &[u8]) -> Self;
}

impl Wire for Vec<u8> {
    fn to_wire(&self) -> Zeroizing<Vec<u8>> {
        self.clone().into()
    }

    fn from_wire(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }
}

impl Wire for Zeroizing<Vec<u8>> {
    fn to_wire(&self) -> Zeroizing<Vec<u8>> {
        self.clone()
    }

    fn from_wire(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
        bytes.to_vec().into()
    }
}

impl Wire for Nat {
    fn to_wire(&self) -> Zeroizing<Vec<u8>> {
        let bytes = self.to_be_bytes(8 * self.width());
        bytes.expect("as wide as it is")
    }

    fn from_wire(bytes: &[u8]) -> Nat {
        Nat::from_be_bytes(bytes)
    }
}

impl Wire for () {
    fn to_wire(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::default()
    }

    fn from_wire(_: &[u8]) {}
}

/// One byte for the kind, then the contents.
impl Wire for Output {
    fn to_wire(&self) -> Zeroizing<Vec<u8>> {
        let (kind, bytes) = match self {
            Output::Bytes(bytes) => (b'b', bytes.to_wire()),
            Output::Number(x) => (b'n', x.to_wire()),
            Output::Key(key) => (b'k', key.to_pkcs8_der()),
            Output::Verified => (b'v', ().to_wire()),
            other => unreachable!("no job of this version gives {other:?}"),
        };
        [&[kind], &bytes[..]].concat().into()
    }

    fn from_wire(bytes: &[u8]) -> Output {
        let (kind, bytes) = bytes.split_first().expect("a kind");
        match kind {
            b'b' => Output::Bytes(Wire::from_wire(bytes)),
            b'n' => Output::Number(Wire::from_wire(bytes)),
            b'k' => {
                let key = AnyPrivateKey::from_pkcs8_der(bytes);
                Output::Key(key.expect("a key that was written").into())
            }
            b'v' => Output::Verified,
            other => unreachable!("no kind is {other}"),
        }
    }
}

impl Batch<'_> {
    /// Returns the results of the tasks that `task` makes from `inputs`, in order, on rank 0, and nothing on the
    /// others. Every rank calls it with the same `task`; only the inputs of rank 0 count. Rank 0 calls `lost` with each
    /// lost rank, the reason, and the inputs that other ranks do in its place. After [`Ending::Lost`] no rank may wait
    /// for all. Where the options' `stop` ends the run early, the answer of an input without a result
    /// is an error.
    ///
    /// # Errors
    /// On other ranks than 0, if rank 0 is lost.
    ///
    /// # Panics
    /// If `threads` is 0, or `task` or the generator panics.
    ///
    /// # Timing
    /// That of [`engine::Batch::run_with`].
    pub fn run<R: CryptoRng, T: AnyTask<Output: Wire, Error: Display>>(
        &self,
        mail: &impl Mail,
        rng: impl Fn() -> R + Sync,
        task: impl Fn(&[u8]) -> T + Sync,
        inputs: &[Vec<u8>],
        mut lost: impl FnMut(usize, &str, &[Vec<u8>]),
    ) -> Result<Answers<T::Output>, LeaderLost> {
        let batch = engine::Batch::new(self.threads);
        let work = |items: &[Vec<u8>]| -> Items {
            let tasks: Vec<T> = items.iter().map(|item| task(numbered(item).1)).collect();
            batch.run_with(&rng, &tasks).iter().map(encode).collect()
        };
        if mail.rank() > 0 {
            let ending = farm::follow(mail, &self.options, |items| Ok(work(items)))?;
            return Ok((vec![], ending));
        }
        let number = |(i, input): (usize, &Vec<u8>)| [&i.to_le_bytes(), &input[..]].concat();
        let stopped = |_| Err("the run was stopped before it had a result".to_owned());
        let mut answers: Vec<Answer<T::Output>> = inputs.iter().map(stopped).collect();
        let (Ok(()), ending) = farm::lead::<Infallible>(
            mail,
            &self.options,
            inputs.len(),
            inputs.iter().enumerate().map(number),
            |items| Ok(work(items)),
            |event| {
                match event {
                    Event::Result(item, answer) => answers[numbered(item).0] = decode(answer),
                    Event::Lost(rank, why, items) => {
                        let inputs = items.iter().map(|item| numbered(item).1.to_vec());
                        lost(rank, why, &inputs.collect::<Items>());
                    }
                    Event::Stopped(_) => {}
                }
                Ok(())
            },
        );
        Ok((answers, ending))
    }
}

/// An input with its number in front, which each item of the farm is.
fn numbered(item: &[u8]) -> (usize, &[u8]) {
    let (number, input) = item.split_first_chunk().expect("a number");
    (usize::from_le_bytes(*number), input)
}

/// One byte for success or error, then the result or the sentence.
fn encode<T: Wire, E: Display>(result: &Result<T, E>) -> Vec<u8> {
    match result {
        Ok(output) => [b"+", &output.to_wire()[..]].concat(),
        Err(e) => [b"-", e.to_string().as_bytes()].concat(),
    }
}

fn decode<T: Wire>(answer: &[u8]) -> Answer<T> {
    let (kind, bytes) = answer.split_first().expect("a kind");
    match kind {
        b'+' => Ok(T::from_wire(bytes)),
        _ => Err(String::from_utf8_lossy(bytes).into_owned()),
    }
}
