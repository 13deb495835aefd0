//! `batch`: many RSA operations at once with one key: RSASSA-PSS with SHA-256 and a salt of 32 bytes, e = 65537, with
//! padding, blinding and checks; and verifications of RSASSA-PKCS1-v1_5, which are almost nothing but their powers.
//!
//! Rivals, and carrysave without its batches, do the same operations one by one, on as many threads as the batch. All
//! hash the message, and the threads of all are there before and asleep.

mod service;

use super::{Experiment, Levels, Share, at_once, mpn, rsa::pkcs8, team};
use crate::{
    Bench, Error,
    bench::Race,
    bound::{Bound, Spin},
    record::Size,
    rivals::{Answer, RIVALS, Refusal, RsaKey, many::ManyRsa},
};
use carrysave_engine::{Batch, Job, Output, Threads};
use carrysave_kernels::{Cpu, REGISTRY};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{
    PrivateKey,
    task::{SignPss, VerifyPkcs1v15, VerifyPss},
};
use carrysave_team::Team;
use getrandom::{SysRng, rand_core::UnwrapErr};
use rsa::{
    Pkcs1v15Sign, PrivateKey as RsaPrivateKey, Pss, PublicKey as RsaPublicKey,
    pkcs8::DecodePrivateKey, sha2::Sha256,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "batch",
    about: "1 to 64 RSA operations at once (PSS and PKCS #1 v1.5, SHA-256, e = 65537), on one thread up to one a core",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048, 4096], 0.2, 25.0).only("private/64")),
        standard: Share::new(&[2048, 4096], 0.2, 120.0),
        full: Share::new(&[1024, 2048, 3072, 4096, 8192], 0.3, 300.0),
    },
};

/// How many operations are in flight.
const FLIGHTS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

const MESSAGE: &[u8; 32] = b"thirty-two bytes to work upon...";
const HASH: Hash = Hash::Sha256;

/// Does an operation so many times at once.
type PerformMany<'a> = Box<dyn FnMut(usize) -> Vec<Answer<Vec<u8>>> + 'a>;

/// One operation: its name, how carrysave and rivals do it, one by one or many at once, and whether an answer is right.
struct Operation {
    name: &'static str,
    job: fn(&Case) -> Job,
    perform: fn(&mut dyn RsaKey, &Case) -> Answer<Vec<u8>>,
    many: Option<for<'a> fn(ManyRsa, &'a Case) -> PerformMany<'a>>,
    right: fn(&Case, &[u8]) -> bool,
    bound: fn(Cpu, usize) -> Option<Bound>,
}

static OPERATIONS: [Operation; 3] = [
    Operation {
        name: "private",
        job: |case| {
            Job::SignPss(SignPss {
                key: case.key.clone(),
                hash: HASH,
                mgf: HASH,
                salt_len: HASH.len(),
                digest: HASH.digest(MESSAGE),
            })
        },
        perform: |key, _| key.sign_pss(MESSAGE),
        many: Some(|mut key, _| {
            Box::new(move |count| {
                let all = (key.sign_pss)(MESSAGE, count);
                all.into_iter().map(Ok).collect()
            })
        }),
        right: Case::verifies,
        bound: Bound::private,
    },
    Operation {
        name: "public",
        job: |case| case.verify_pss(&case.pss),
        perform: |key, case| key.verify_pss(MESSAGE, &case.pss).map(|()| vec![]),
        many: None,
        right: |_, _| true,
        bound: Bound::public,
    },
    Operation {
        name: "public-pkcs1v15",
        job: |case| case.verify_pkcs1v15(&case.pkcs1v15),
        perform: |key, case| key.verify(MESSAGE, &case.pkcs1v15).map(|()| vec![]),
        many: Some(|mut key, case| {
            let verdict = |right: bool| {
                let refused = || Refusal::Failed("it refuses the signature".to_owned());
                right.then(Vec::new).ok_or_else(refused)
            };
            Box::new(move |count| {
                let all = (key.verify_pkcs1v15)(MESSAGE, &case.pkcs1v15, count);
                all.into_iter().map(verdict).collect()
            })
        }),
        right: |_, _| true,
        bound: Bound::public,
    },
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let (cpu, counts) = (bench.cpu(), bench.thread_counts());
    for bits in bench.bits(&[1024, 2048, 3072, 4096, 8192]) {
        let case = Case::new(bench.cpu(), pkcs8(bits)?);
        let most = counts.iter().copied().max().unwrap_or(1);
        let mut crews = crews(bench, pkcs8(bits)?, most, &case);
        for &threads in &counts {
            // All threads of a team are woken, so it has no more than there are jobs.
            let sizes: BTreeSet<usize> = FLIGHTS.iter().map(|&jobs| threads.min(jobs)).collect();
            let teams = sizes.into_iter().map(|size| Ok((size, team(size)?)));
            let teams: BTreeMap<usize, Threads> = teams.collect::<Result<_, Error>>()?;
            for operation in &OPERATIONS {
                for jobs in FLIGHTS {
                    let name = format!("{}/{jobs}", operation.name);
                    let mut race = bench.race(&name, Size::Bits(bits));
                    race.on_threads(threads);
                    race.of_jobs(jobs);
                    race.bound((operation.bound)(cpu, bits));
                    enter_batch(&mut race, operation, &case, jobs, threads);
                    for crew in &mut crews {
                        crew.enter(
                            &mut race,
                            operation,
                            &case,
                            jobs,
                            &teams[&threads.min(jobs)],
                        );
                    }
                    if threads == 1 {
                        enter_many(&mut race, operation, &case, pkcs8(bits)?, jobs);
                    }
                    race.run();
                }
            }
            service::races(bench, bits, &case, threads)?;
        }
    }
    for bits in bench.bits(&[1024, 2048, 3072, 4096, 6144, 8192]) {
        kernels(bench, bits / 2);
    }
    Ok(())
}

/// The kernels of eight numbers of `bits` bits, against the `vpmadd52` alone that they have to execute.
fn kernels(bench: &mut Bench<'_>, bits: usize) {
    let Some(madd52) = Spin::madd52(bench.cpu()) else {
        return;
    };
    for op in REGISTRY {
        let instructions: fn(usize) -> usize = match op.name {
            "mb8_amm" => |n| 4 * n * n,
            "mb8_ams" => |n| 3 * n * n + n,
            _ => continue,
        };
        let name = format!("kernel/{}", op.name);
        mpn::race(bench, &name, op, bits, |race, n| {
            let bound = move |_: &mut ()| madd52.run(instructions(n));
            race.enter("vpmadd52", || (), bound, |()| Ok(()));
        });
    }
}

fn enter_batch<'a>(
    race: &mut Race<'a, '_>,
    operation: &'static Operation,
    case: &'a Case,
    jobs: usize,
    threads: usize,
) {
    let batch = Batch::new(threads.max(1));
    race.enter(
        "carrysave/batch",
        || (),
        move |()| {
            let jobs: Vec<Job> = (0..jobs).map(|_| (operation.job)(case)).collect();
            batch.run_with(|| UnwrapErr(SysRng), &jobs)
        },
        |answers| {
            case.trap(&Batch::new(1))?;
            let bytes = |output: &Output| match output {
                Output::Bytes(signature) => signature.to_vec(),
                _ => vec![],
            };
            let answers = answers
                .iter()
                .map(|a| a.as_ref().map(bytes).map_err(Refusal::failed));
            check(operation, case, jobs, answers)
        },
    );
}

/// Libraries that do many operations at once, on one thread.
fn enter_many<'a>(
    race: &mut Race<'a, '_>,
    operation: &'static Operation,
    case: &'a Case,
    pkcs8: &[u8],
    jobs: usize,
) {
    let Some(many) = operation.many else {
        return;
    };
    for (label, key) in at_once(race, |library| (library.rsa)(pkcs8)) {
        let mut perform = many(key, case);
        let all = move |_: &mut ()| perform(jobs);
        let right = |answers: &Vec<_>| check(operation, case, jobs, answers.iter().cloned());
        race.enter(&label, || (), all, right);
    }
}

/// Whether all answers are there and right.
fn check(
    operation: &Operation,
    case: &Case,
    jobs: usize,
    answers: impl ExactSizeIterator<Item = Answer<Vec<u8>>>,
) -> Result<(), String> {
    if answers.len() != jobs {
        return Err(format!("{} answers to {jobs} jobs", answers.len()));
    }
    for answer in answers {
        match answer {
            Ok(answer) if (operation.right)(case, &answer) => {}
            Ok(_) => return Err("its answer is wrong".to_owned()),
            Err(refusal) => return Err(format!("it failed: {refusal:?}")),
        }
    }
    Ok(())
}

/// An implementation that does one operation after the other, with a key for each thread.
struct Crew {
    label: String,
    keys: Answer<Vec<Box<dyn RsaKey>>>,
}

/// The rivals that sign with PSS and detect a forged signature, with their keys.
fn crews(bench: &Bench<'_>, pkcs8: &[u8], threads: usize, case: &Case) -> Vec<Crew> {
    let mut crews = vec![];
    for rival in RIVALS {
        let Some(load) = rival.rsa else { continue };
        let key = || {
            let mut key = load(bench.cpu(), pkcs8)?;
            key.sign_pss(MESSAGE)?;
            let forged = [
                key.verify_pss(MESSAGE, &forged(&case.pss)),
                key.verify(MESSAGE, &forged(&case.pkcs1v15)),
            ];
            match forged.iter().any(Result::is_ok) {
                true => Err(Refusal::Failed("it verifies a forged signature".to_owned())),
                false => Ok(key),
            }
        };
        let keys: Answer<Vec<_>> = (0..threads).map(|_| key()).collect();
        if !matches!(keys, Err(Refusal::NotOffered)) {
            let label = rival.label();
            crews.push(Crew { label, keys });
        }
    }
    crews
}

impl Crew {
    fn enter<'a>(
        &'a mut self,
        race: &mut Race<'a, '_>,
        operation: &'static Operation,
        case: &'a Case,
        jobs: usize,
        team: &'a Threads,
    ) {
        match &mut self.keys {
            Ok(keys) => {
                let keys = &mut keys[..team.size()];
                race.enter(
                    &self.label,
                    || (),
                    move |()| shared(team, keys, jobs, |key| (operation.perform)(key, case)),
                    |answers| check(operation, case, jobs, answers.iter().cloned()),
                );
            }
            Err(refusal) => {
                if race.wants(&self.label) {
                    race.refuse(&self.label, format!("{refusal:?}"));
                }
            }
        }
    }
}

/// Does something `jobs` times. Each key does its share on a thread of its own: as many as the team has.
fn shared<T: Send>(
    team: &dyn Team,
    keys: &mut [Box<dyn RsaKey>],
    jobs: usize,
    f: impl Fn(&mut dyn RsaKey) -> T + Sync,
) -> Vec<T> {
    let keys: Vec<_> = keys.iter_mut().map(Mutex::new).collect();
    let all = Mutex::new(vec![]);
    team.run(&|member| {
        let mut key = keys[member.rank()].lock().expect("a rival does not panic");
        let share = (member.rank()..jobs).step_by(member.size());
        let mine: Vec<T> = share.map(|_| f(key.as_mut())).collect();
        all.lock().expect("a rival does not panic").extend(mine);
    });
    all.into_inner().expect("a rival does not panic")
}

/// A key, and signatures that no contender made.
struct Case {
    key: PrivateKey,
    judge: RsaPublicKey,
    pss: Vec<u8>,
    pkcs1v15: Vec<u8>,
}

impl Case {
    fn new(cpu: Cpu, pkcs8: &[u8]) -> Case {
        let key = PrivateKey::from_pkcs8_der(pkcs8).expect("benchmark keys are valid");
        let other = RsaPrivateKey::from_pkcs8_der(pkcs8).expect("benchmark keys are valid");
        let pss = other.sign_with_rng(
            &mut UnwrapErr(SysRng),
            Pss::<Sha256>::new(),
            &HASH.digest(MESSAGE),
        );
        let pkcs1v15 = other.sign(Pkcs1v15Sign::new::<Sha256>(), &HASH.digest(MESSAGE));
        Case {
            key: key.with_cpu(cpu),
            judge: other.to_public_key(),
            pss: pss.expect("every benchmark key is long enough for PSS"),
            pkcs1v15: pkcs1v15.expect("every benchmark key is long enough for SHA-256"),
        }
    }

    fn verifies(&self, signature: &[u8]) -> bool {
        let scheme = Pss::<Sha256>::new();
        self.judge
            .verify(scheme, &HASH.digest(MESSAGE), signature)
            .is_ok()
    }

    /// Fails a batch that verifies what it must not, or lets it spoil its neighbour.
    fn trap(&self, batch: &Batch) -> Result<(), String> {
        let pss = [forged(&self.pss), self.pss.clone()].map(|s| self.verify_pss(&s));
        let pkcs1v15 =
            [forged(&self.pkcs1v15), self.pkcs1v15.clone()].map(|s| self.verify_pkcs1v15(&s));
        for jobs in [pss, pkcs1v15] {
            let [Err(_), Ok(Output::Verified)] = &batch.run_with(|| UnwrapErr(SysRng), &jobs)[..]
            else {
                return Err("it verifies a forged signature, or not the one beside it".to_owned());
            };
        }
        Ok(())
    }

    fn verify_pss(&self, signature: &[u8]) -> Job {
        Job::VerifyPss(VerifyPss {
            key: self.key.public().clone(),
            hash: HASH,
            mgf: HASH,
            salt_len: Some(HASH.len()),
            digest: HASH.digest(MESSAGE),
            signature: signature.to_vec(),
        })
    }

    fn verify_pkcs1v15(&self, signature: &[u8]) -> Job {
        Job::VerifyPkcs1v15(VerifyPkcs1v15 {
            key: self.key.public().clone(),
            hash: HASH,
            digest: HASH.digest(MESSAGE),
            signature: signature.to_vec(),
        })
    }
}

fn forged(signature: &[u8]) -> Vec<u8> {
    let mut forged = signature.to_vec();
    *forged.last_mut().expect("a signature is not empty") ^= 1;
    forged
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::HashSet,
        thread::{self, ThreadId},
    };

    #[test]
    fn wrong_answers_are_seen() {
        let case = Case::new(Cpu::native(), pkcs8(1024).unwrap());
        let [private, public, _] = &OPERATIONS;
        let check = |operation, answers: &[Answer<Vec<u8>>]| {
            check(operation, &case, 2, answers.iter().cloned()).is_ok()
        };
        let (good, forged) = (Ok(case.pss.clone()), Ok(forged(&case.pss)));
        let failed = Err(Refusal::NotOffered);
        assert!(check(private, &[good.clone(), good.clone()]));
        assert!(!check(private, &[good.clone(), forged]));
        assert!(!check(private, &[failed.clone(), good.clone()]));
        assert!(!check(private, &[good]));
        assert!(!check(public, &[Ok(vec![]), failed]));
    }

    #[test]
    fn every_job_is_done_once_whatever_the_threads() {
        struct Nobody;
        impl RsaKey for Nobody {
            fn sign(&mut self, _: &[u8]) -> Answer<Vec<u8>> {
                Err(Refusal::NotOffered)
            }
            fn verify(&mut self, _: &[u8], _: &[u8]) -> Answer<()> {
                Err(Refusal::NotOffered)
            }
        }
        for threads in 1..5 {
            let team = team(threads).unwrap();
            let mut keys: Vec<Box<dyn RsaKey>> =
                (0..threads).map(|_| Box::new(Nobody) as _).collect();
            for jobs in [threads, 7, 64] {
                let on = shared(&team, &mut keys, jobs, |_| thread::current().id());
                assert_eq!(on.len(), jobs);
                let on: HashSet<ThreadId> = on.into_iter().collect();
                assert_eq!(on.len(), threads);
            }
        }
    }
}
