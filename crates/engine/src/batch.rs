//! A slice of jobs over lanes and threads.

use crate::job::{Class, Job, Output, run_group};
use carrysave_arith::lanes::LANES;
use carrysave_schemes::rsa::Error;
use core::cmp::Reverse;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use rand_core::CryptoRng;
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;

/// Runs many jobs at once, on as many threads as it is told.
///
/// Jobs of one class (the same kind of operation, and keys of one size) run side by side, up to eight a group. Groups
/// are shared among the threads, the longest first. The calling thread is one of them; the others end before
/// [`Batch::run`] returns.
///
/// ```
/// use carrysave_engine::{Batch, Job, Output};
/// use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, PrivateKey}};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// use std::thread::available_parallelism;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let messages = ["one", "two", "three"];
/// let jobs = messages.map(|message| Job::SignPss {
///     key: key.clone(),
///     hash: Hash::Sha256,
///     mgf: Hash::Sha256,
///     salt_len: 32,
///     digest: Hash::Sha256.digest(message.as_bytes()),
/// });
/// let batch = Batch::new(available_parallelism().unwrap());
/// for (message, result) in messages.iter().zip(batch.run(|| UnwrapErr(SysRng), &jobs)) {
///     let Ok(Output::Bytes(signature)) = result else { panic!("{message}: {result:?}") };
///     let digest = Hash::Sha256.digest(message.as_bytes());
///     key.public().rsassa_pss_verify(Hash::Sha256, Hash::Sha256, Some(32), &digest, &signature).unwrap();
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    threads: NonZeroUsize,
}

impl Batch {
    /// On `threads` threads, one of which is the caller's; on fewer where the system starts no more.
    pub fn new(threads: NonZeroUsize) -> Batch {
        Batch { threads }
    }

    /// The results of `jobs`, in order. `rng` makes a generator for each thread.
    ///
    /// # Errors
    /// For each job those of the same operation alone, whatever becomes of the others. [`Error::OutOfRange`] also for a
    /// power whose base is not below its modulus.
    ///
    /// # Panics
    /// If a generator does, once the threads have nothing more to do.
    ///
    /// # Timing
    /// That of the operations alone, which depends on no secret. What runs side by side is decided by the kinds and
    /// sizes of the jobs.
    pub fn run<R: CryptoRng>(
        &self,
        rng: impl Fn() -> R + Sync,
        jobs: &[Job],
    ) -> Vec<Result<Output, Error>> {
        let groups = groups(jobs);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut rng = rng();
            let mut done = Vec::new();
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let side_by_side: Vec<&Job> = group.iter().map(|&i| &jobs[i]).collect();
                done.extend(
                    group
                        .iter()
                        .copied()
                        .zip(run_group(&mut rng, &side_by_side)),
                );
            }
            done
        };
        let helpers = self.threads.get().min(groups.len()).saturating_sub(1);
        let mut done = thread::scope(|scope| {
            // Whatever the system refuses to start, those that there are do it all.
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let helpers: Vec<_> = (0..helpers).map_while(start).collect();
            let mut done = work();
            for helper in helpers {
                done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|&(i, _)| i);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// The indices of jobs of one class in groups of up to [`LANES`], the group that takes longest first.
fn groups(jobs: &[Job]) -> Vec<Vec<usize>> {
    let mut classes: HashMap<Class, Vec<usize>> = HashMap::new();
    for (i, job) in jobs.iter().enumerate() {
        classes.entry(job.class()).or_default().push(i);
    }
    let mut groups: Vec<Vec<usize>> = classes
        .values()
        .flat_map(|class| class.chunks(LANES).map(<[usize]>::to_vec))
        .collect();
    groups.sort_by_key(|group| {
        let cost = jobs[group[0]].cost();
        (Reverse(cost.saturating_mul(group.len() as u64)), group[0])
    });
    groups
}
