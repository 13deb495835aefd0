//! Many operations with one key, of which every rank does a part: signatures, verifications, and the segments of a file.

use carrysave::arith::{Limb, Nat};
use carrysave::engine::Batch;
use carrysave::hash::Hash;
use carrysave::rsa::task::{SignPkcs1v15, VerifyPkcs1v15};
use carrysave::rsa::{KeygenOptions, PrivateKey};
use carrysave::team::{Serial, messages::Comm};
use carrysave_cli::{rng, segmented};
use carrysave_cluster::Ranks;
use carrysave_measure::record::Row;
use std::ops::Range;

/// Operations at once: a multiple of what few ranks take in vector lanes, so that none idles at the end.
pub(super) const JOBS: usize = 192;

/// Who does them, in records.
pub(super) const NAME: &str = "carrysave/lanes";

/// The hash of messages.
const HASH: Hash = Hash::Sha256;

/// The digest of a message.
fn digest(i: usize) -> Vec<u8> {
    HASH.digest(&i.to_le_bytes())
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// RSASSA-PKCS1-v1_5 with SHA-256: always the same signature.
    Sign,
    /// Of these signatures.
    Verify,
    /// Of a file encrypted with RSA alone, segment by segment.
    Decrypt,
}

impl Operation {
    pub(super) const ALL: [Operation; 3] = [Operation::Sign, Operation::Verify, Operation::Decrypt];

    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Sign => "sign",
            Operation::Verify => "verify",
            Operation::Decrypt => "segmented/decrypt",
        }
    }
}

/// Whether there are keys of so many bits.
pub(super) fn takes(bits: usize) -> bool {
    (1024..=8192).contains(&bits) && bits.is_multiple_of(8)
}

/// Whether an operation, or who does them, has this name.
pub(super) fn has(name: &str) -> bool {
    let is = |operation: Operation| Row::is_named(name, operation.name(), NAME);
    Operation::ALL.into_iter().any(is)
}

/// A key, and what operations take, alike on all ranks.
pub(super) struct Keyed {
    key: PrivateKey,
    signatures: Vec<Vec<u8>>,
    /// A file of segments, and its encryption.
    file: Vec<u8>,
    blocks: Vec<u8>,
}

impl Keyed {
    /// With a key of so many bits that rank 0 generates.
    pub(super) fn new(comm: &Ranks, bits: usize) -> Keyed {
        let leads = comm.rank() == 0;
        let der = leads.then(|| {
            let options = KeygenOptions {
                allow_small: true,
                ..Default::default()
            };
            let key = PrivateKey::generate_with(rng, bits, &options, &|_| ());
            let key = key.expect("a length that is generated");
            key.to_pkcs8_der().to_vec()
        });
        let der = shared(comm, der.unwrap_or_default());
        let key = PrivateKey::from_pkcs8_der(&der).expect("as it was written");
        let file = vec![0x5a; JOBS * segmented::segment(key.public())];
        let blocks = leads.then(|| {
            let mut blocks = Vec::new();
            segmented::encrypt(&Serial, rng, key.public(), &mut &file[..], &mut blocks)
                .expect("a file in memory");
            blocks
        });
        // One by one, which is another way than those that are raced.
        let sign = |i: usize| {
            let signed = key.rsassa_pkcs1_v1_5_sign(&mut rng(), HASH, &digest(i));
            signed.expect("a key that signs")
        };
        let signatures = leads.then(|| (0..JOBS).flat_map(sign).collect());
        let signatures = shared(comm, signatures.unwrap_or_default());
        Keyed {
            signatures: signatures.chunks(key.size()).map(<[u8]>::to_vec).collect(),
            key,
            file,
            blocks: shared(comm, blocks.unwrap_or_default()),
        }
    }

    /// What an operation gives for all that there is.
    pub(super) fn expected(&self, operation: Operation) -> Nat {
        Nat::from_be_bytes(&match operation {
            Operation::Sign => self.signatures.concat(),
            Operation::Verify => vec![1; JOBS],
            Operation::Decrypt => self.file.clone(),
        })
    }

    /// An operation by this rank alone.
    pub(super) fn alone(&self, operation: Operation) -> Nat {
        Nat::from_be_bytes(&self.part(operation, 0..JOBS))
    }

    /// An operation of which each rank does a part; rank 0 has the result.
    pub(super) fn by_parts(&self, comm: &Ranks, operation: Operation) -> Option<Nat> {
        let range = |rank: usize| JOBS * rank / comm.size()..JOBS * (rank + 1) / comm.size();
        let mut all = self.part(operation, range(comm.rank()));
        if comm.rank() > 0 {
            comm.send(0, &words(&all));
            return None;
        }
        for rank in 1..comm.size() {
            let len = range(rank).len() * self.octets(operation);
            let mut part = vec![0; len.div_ceil(size_of::<Limb>())];
            comm.recv(rank, &mut part);
            all.extend(part.iter().flat_map(|word| word.to_le_bytes()).take(len));
        }
        Some(Nat::from_be_bytes(&all))
    }

    /// The octets that each operation gives.
    fn octets(&self, operation: Operation) -> usize {
        match operation {
            Operation::Sign => self.key.size(),
            Operation::Verify => 1,
            Operation::Decrypt => self.file.len() / JOBS,
        }
    }

    /// What the operations of a range give, one after the other.
    fn part(&self, operation: Operation, range: Range<usize>) -> Vec<u8> {
        let (key, hash) = (&self.key, HASH);
        match operation {
            // More ranks than operations.
            _ if range.is_empty() => vec![],
            Operation::Sign => {
                let task = |i| SignPkcs1v15 {
                    key: key.clone(),
                    hash,
                    digest: digest(i),
                };
                let signed = Batch::new(1).run(&range.map(task).collect::<Vec<_>>());
                signed
                    .into_iter()
                    .flat_map(|s| s.expect("a key that signs"))
                    .collect()
            }
            Operation::Verify => {
                let task = |i: usize| VerifyPkcs1v15 {
                    key: key.public().clone(),
                    hash,
                    digest: digest(i),
                    signature: self.signatures[i].clone(),
                };
                let verified = Batch::new(1).run(&range.map(task).collect::<Vec<_>>());
                verified
                    .iter()
                    .map(|valid| u8::from(valid.is_ok()))
                    .collect()
            }
            Operation::Decrypt => {
                let size = key.size();
                let mut blocks = &self.blocks[size * range.start..size * range.end];
                let mut file = Vec::new();
                segmented::decrypt(&Serial, rng, key, &mut blocks, &mut file)
                    .expect("as it was encrypted");
                file
            }
        }
    }
}

/// Octets as words, zeros behind them.
fn words(octets: &[u8]) -> Vec<Limb> {
    let word = |chunk: &[u8]| {
        let mut word = [0; size_of::<Limb>()];
        word[..chunk.len()].copy_from_slice(chunk);
        Limb::from_le_bytes(word)
    };
    octets.chunks(size_of::<Limb>()).map(word).collect()
}

/// The octets of rank 0, on all ranks.
fn shared(comm: &Ranks, octets: Vec<u8>) -> Vec<u8> {
    let mut len = [octets.len() as Limb];
    comm.broadcast(0, &mut len);
    let len = len[0] as usize;
    let mut all = words(&octets);
    all.resize(len.div_ceil(size_of::<Limb>()), 0);
    comm.broadcast(0, &mut all);
    all.iter()
        .flat_map(|word| word.to_le_bytes())
        .take(len)
        .collect()
}
