//! A slice of jobs over lanes and threads.

use crate::job::{Class, Error, Job, Output, run_group};
use crate::team::Threads;
use carrysave_arith::lanes::LANES;
use carrysave_team::Team;
use core::cmp::Reverse;
use core::iter::once;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use rand_core::CryptoRng;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Nanoseconds until a thread that is woken begins, and those that waking one takes the caller.
const WAKING: u64 = 50_000;
const WAKE: u64 = 10_000;

/// Units of [`Job::cost`] that a thread does in a nanosecond, until a batch has found out: as many as on fast
/// processors, as a thread that is not woken costs less than one that finds nothing to do.
const PACE: u64 = 1 << 14;

/// Runs many jobs at once, on as many threads as it is told.
///
/// Jobs of one class (the same kind of operation, and keys of one size) run side by side, up to eight a group, where
/// the processor is faster that way and no thread idles for it. Groups and single jobs are shared among the threads,
/// the longest first. The calling thread is one of them. The others sleep, are woken where there is so much to do that
/// it pays, and end when the last clone of the batch is dropped.
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
#[derive(Clone, Debug)]
pub struct Batch(Arc<Crew>);

#[derive(Debug)]
struct Crew {
    team: Threads,
    /// Units of [`Job::cost`] that the last caller did in a nanosecond.
    pace: AtomicU64,
}

impl Batch {
    /// On `threads` threads, one of which is the caller's, the others started here; on fewer where the system starts no
    /// more, and on no more than [`MAX_THREADS`](carrysave_team::MAX_THREADS). Calls that come while one is
    /// running are on their callers' threads alone.
    pub fn new(threads: NonZeroUsize) -> Batch {
        Batch(Arc::new(Crew {
            team: Threads::unmeasured(threads),
            pace: AtomicU64::new(PACE),
        }))
    }

    /// How many threads it has, the caller's included.
    ///
    /// ```
    /// use carrysave_engine::Batch;
    /// assert_eq!(Batch::new(2.try_into().unwrap()).threads().get(), 2);
    /// ```
    pub fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0.team.size()).unwrap_or(NonZeroUsize::MIN)
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
    /// sizes of the jobs, by how fast earlier ones were, and by whether another call is running.
    pub fn run<R: CryptoRng>(
        &self,
        rng: impl Fn() -> R + Sync,
        jobs: &[Job],
    ) -> Vec<Result<Output, Error>> {
        let Crew { team, pace } = &*self.0;
        // Groups are made for the threads that there are: while another call has the others, for one.
        let turn = team.try_turn();
        let threads = if turn.is_some() { team.size() } else { 1 };
        let (groups, threads) = groups(jobs, threads, pace.load(Relaxed));
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(jobs.len()));
        team.offer_to(turn, threads - 1, &|member| {
            let mut rng = rng();
            let mut mine = Vec::new();
            let (start, mut cost) = (Instant::now(), 0_u64);
            while let Some(group) = groups.get(next.fetch_add(1, Relaxed)) {
                cost = cost.saturating_add(group.cost);
                let those: Vec<&Job> = group.jobs.iter().map(|&i| &jobs[i]).collect();
                let results = run_group(&mut rng, &those);
                mine.extend(group.jobs.iter().copied().zip(results));
            }
            if member.rank() == 0 && cost > 0 {
                let nanos = start.elapsed().as_nanos().max(1) as u64;
                pace.store((cost / nanos).max(1), Relaxed);
            }
            (done.lock().unwrap_or_else(PoisonError::into_inner)).extend(mine);
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
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

/// All jobs in groups, the one that takes longest first, and on how many of the threads they are done soonest.
fn groups(jobs: &[Job], threads: usize, pace: u64) -> (Vec<Group>, usize) {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<Class, usize> = HashMap::new();
    let mut last = None;
    for (i, job) in jobs.iter().enumerate() {
        let class = job.class();
        // Neighbours are mostly of one class, which need not be looked up.
        let at = match last {
            Some((of_last, at)) if of_last == class => at,
            _ => *known.entry(class).or_insert(classes.len()),
        };
        if at == classes.len() {
            classes.push(Vec::new());
        }
        classes[at].push(i);
        last = Some((class, at));
    }
    let mut groups = Vec::new();
    for class in &classes {
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
    soonest(groups, threads.min(jobs.len()), pace, |i| jobs[i].cost())
}

/// The groups, some of them broken up, for one thread, or for as many as have more to do than it takes to wake them.
fn soonest(
    groups: Vec<Group>,
    threads: usize,
    pace: u64,
    cost: impl Fn(usize) -> u64,
) -> (Vec<Group>, usize) {
    let all = (groups.iter()).fold(0, |sum: u64, group| sum.saturating_add(group.cost));
    let worth = usize::try_from(all / pace.saturating_mul(WAKING)).unwrap_or(usize::MAX);
    let threads = threads.min(worth);
    if threads <= 1 {
        return (groups, 1);
    }
    let together = balanced(groups.clone(), threads, cost);
    match end(&together, threads, pace) < end(&groups, 1, pace) {
        true => (together, threads),
        false => (groups, 1),
    }
}

fn longest_first(groups: &mut [Group]) {
    groups.sort_by_key(|group| (Reverse(group.cost), group.jobs[0]));
}

/// The same jobs, the first few groups broken up if that lets threads that are awake end earlier: eight jobs side by
/// side take less work than alone, but more time than on threads that have nothing else to do.
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
    let best = choices.min_by_key(|groups| end(groups, threads, 0));
    best.expect("one of them breaks up none")
}

/// When the last of the threads ends, each of which takes the next group when it is done with one. The first one wakes
/// the others before it begins, which takes no time if `pace` is 0.
fn end(groups: &[Group], threads: usize, pace: u64) -> u64 {
    let woken = threads as u64 - 1;
    let after = |nanos: u64| pace.saturating_mul(nanos);
    let others = (1..=woken).map(|i| after(i * WAKE + WAKING));
    let starts = once(after(woken * WAKE)).chain(others);
    let mut free: BinaryHeap<Reverse<u64>> = starts.map(Reverse).collect();
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

    /// Groups of eight jobs that take as long as `from` alone, and what is left alone, for jobs that take so long.
    fn groups_by(from: u64, jobs: usize, cost: u64) -> Vec<Group> {
        let all: Vec<usize> = (0..jobs).collect();
        let group = |jobs: &[usize]| Group {
            jobs: jobs.to_vec(),
            cost: if jobs.len() == LANES {
                from * cost
            } else {
                cost
            },
        };
        let (full, rest) = all.split_at(jobs / LANES * LANES);
        full.chunks(LANES)
            .chain(rest.chunks(1))
            .map(group)
            .collect()
    }

    /// When they end, broken up for so many threads, and the groups that are left.
    fn balanced_by(from: u64, jobs: usize, threads: usize) -> (u64, Vec<usize>) {
        let groups = balanced(groups_by(from, jobs, 1), threads, |_| 1);
        let mut seen: Vec<usize> = groups.iter().flat_map(|group| group.jobs.clone()).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..jobs));
        assert!(groups.is_sorted_by_key(|group| Reverse(group.cost)));
        let mut sizes: Vec<usize> = groups.iter().map(|group| group.jobs.len()).collect();
        sizes.retain(|&size| size > 1);
        (end(&groups, threads, 0), sizes)
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

    /// How many threads do so many jobs that take so many nanoseconds.
    fn woken_for(jobs: usize, nanos: u64, threads: usize) -> usize {
        let used = [1, 1000].map(|pace| {
            let cost = nanos * pace;
            let (groups, used) = soonest(groups_by(4, jobs, cost), threads, pace, |_| cost);
            let alone = groups_by(4, jobs, cost);
            assert!(end(&groups, used, pace) <= end(&alone, 1, pace));
            used
        });
        assert_eq!(used[0], used[1]);
        used[0]
    }

    #[test]
    fn threads_are_woken_for_what_takes_longer_than_that() {
        let second = 1_000_000_000;
        for nanos in [1, WAKING / 16, WAKING, second] {
            assert_eq!(woken_for(64, nanos, 1), 1);
            assert_eq!(woken_for(1, nanos, 2), 1);
        }
        for few in [2, 7, 16, 64] {
            assert_eq!(woken_for(few, WAKING / 64, 8), 1);
        }
        assert_eq!(woken_for(2, WAKING, 2), 1);
        assert_eq!(woken_for(2, 4 * WAKING, 2), 2);
        assert_eq!(woken_for(64, WAKING / 8, 2), 2);
        assert_eq!(woken_for(64, WAKING / 8, 64), 4);
        assert_eq!(woken_for(64, second, 64), 64);
    }
}
