//! A slice of jobs over lanes and threads.

use crate::job::{Class, Error, Job, Output, run_group};
use carrysave_arith::lanes::LANES;
use core::cmp::Reverse;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};
use rand_core::CryptoRng;
use std::collections::{BinaryHeap, HashMap};
use std::panic::resume_unwind;
use std::thread;

/// Runs many jobs at once, on as many threads as it is told.
///
/// Jobs of one class (the same kind of operation, and keys of one size) run side by side, up to eight a group, where the
/// processor is faster that way and no thread idles for it. Groups and single jobs are shared among the threads, the
/// longest first. The calling thread is one of them; the others end before
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
    /// For each job those of the same operation alone, whatever becomes of the others. `OutOfRange` also for a
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
        let groups = groups(jobs, self.threads.get());
        let next = AtomicUsize::new(0);
        let work = || {
            let mut rng = rng();
            let mut done = Vec::new();
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let those: Vec<&Job> = group.jobs.iter().map(|&i| &jobs[i]).collect();
                let results = run_group(&mut rng, &those);
                done.extend(group.jobs.iter().copied().zip(results));
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

/// Jobs that run on one thread without a break, by their indices: side by side, or one alone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    jobs: Vec<usize>,
    /// How long it takes, roughly.
    cost: u64,
}

/// All jobs in groups, the one that takes longest first.
fn groups(jobs: &[Job], threads: usize) -> Vec<Group> {
    let mut classes: HashMap<Class, Vec<usize>> = HashMap::new();
    for (i, job) in jobs.iter().enumerate() {
        classes.entry(job.class()).or_default().push(i);
    }
    let mut groups = Vec::new();
    for class in classes.values() {
        let job = &jobs[class[0]];
        let cost = job.cost();
        for some in class.chunks(LANES) {
            match job.cost_together(some.len()) {
                Some(cost) => groups.push(Group {
                    jobs: some.to_vec(),
                    cost,
                }),
                None => groups.extend(some.iter().map(|&i| Group {
                    jobs: vec![i],
                    cost,
                })),
            }
        }
    }
    longest_first(&mut groups);
    balanced(groups, threads, |i| jobs[i].cost())
}

fn longest_first(groups: &mut [Group]) {
    groups.sort_by_key(|group| (Reverse(group.cost), group.jobs[0]));
}

/// The same jobs, the first few groups broken up if that lets all threads end earlier: eight jobs side by side take less
/// work than alone, but more time than on threads that have nothing else to do.
fn balanced(groups: Vec<Group>, threads: usize, cost: impl Fn(usize) -> u64) -> Vec<Group> {
    let broken_up = |count: usize| {
        let (some, rest) = groups.split_at(count);
        let alone = some.iter().flat_map(|group| &group.jobs).map(|&i| Group {
            jobs: vec![i],
            cost: cost(i),
        });
        let mut groups: Vec<Group> = alone.chain(rest.iter().cloned()).collect();
        longest_first(&mut groups);
        groups
    };
    let most = if threads > 1 {
        threads.min(groups.len())
    } else {
        0
    };
    let choices = (0..=most).map(broken_up);
    let best = choices.min_by_key(|groups| end(groups, threads));
    best.expect("one of them breaks up none")
}

/// When the last of the threads ends, each of which takes the next group when it is done with one.
fn end(groups: &[Group], threads: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..threads).map(|_| Reverse(0)).collect();
    let mut end = 0;
    for group in groups {
        let Some(Reverse(start)) = free.pop() else {
            break;
        };
        let done = start.saturating_add(group.cost);
        end = end.max(done);
        free.push(Reverse(done));
    }
    end
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Groups of eight jobs that take as long as `from` alone, and what is left alone.
    fn balanced_by(from: u64, jobs: usize, threads: usize) -> (u64, Vec<usize>) {
        let all: Vec<usize> = (0..jobs).collect();
        let group = |jobs: &[usize]| Group {
            jobs: jobs.to_vec(),
            cost: if jobs.len() == LANES { from } else { 1 },
        };
        let (full, rest) = all.split_at(jobs / LANES * LANES);
        let groups = full.chunks(LANES).chain(rest.chunks(1)).map(group);
        let groups = balanced(groups.collect(), threads, |_| 1);
        let mut seen: Vec<usize> = groups.iter().flat_map(|group| group.jobs.clone()).collect();
        seen.sort_unstable();
        assert_eq!(seen, all);
        assert!(groups.is_sorted_by_key(|group| Reverse(group.cost)));
        let mut sizes: Vec<usize> = groups.iter().map(|group| group.jobs.len()).collect();
        sizes.retain(|&size| size > 1);
        (end(&groups, threads), sizes)
    }

    #[test]
    fn groups_are_broken_up_where_threads_would_idle() {
        assert_eq!(balanced_by(5, 8, 1), (5, vec![8]));
        assert_eq!(balanced_by(5, 8, 2), (4, vec![]));
        assert_eq!(balanced_by(3, 8, 2), (3, vec![8]));
        assert_eq!(balanced_by(5, 16, 2), (5, vec![8, 8]));
        assert_eq!(balanced_by(5, 24, 2), (9, vec![8, 8]));
        assert_eq!(balanced_by(5, 64, 16), (4, vec![]));
        assert_eq!(balanced_by(5, 64, 12), (5, vec![8; 8]));
        assert_eq!(balanced_by(5, 192, 16), (9, vec![8; 16]));
    }

    /// However many jobs and threads, no later than all jobs alone.
    #[test]
    fn a_batch_is_never_slower_than_its_jobs_alone() {
        for from in 1..=8 {
            for threads in 1..=16 {
                for jobs in 1..=64 {
                    let (end, _) = balanced_by(from, jobs, threads);
                    let alone = jobs.div_ceil(threads) as u64;
                    assert!(end <= alone, "{jobs} jobs, {threads} threads, {from}");
                }
            }
        }
    }
}
