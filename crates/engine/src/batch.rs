//! A slice of tasks over lanes and threads.

use crate::any::{AnyTask, Entry, Pending, TaskClass, run_group};
use crate::team::Threads;
use carrysave_arith::lanes::LANES;
use carrysave_team::Team;
use core::cmp::Reverse;
use core::iter::once;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// Nanoseconds until a woken thread begins, and nanoseconds that the caller spends on waking it.
const WAKING: u64 = 50_000;
const WAKE: u64 = 10_000;

/// Initial throughput estimate in units of [`Primitive::cost`](carrysave_team::task::Primitive::cost) per nanosecond,
/// used until the first batch has been timed. Set high: failing to wake a thread costs less than waking one for
/// nothing.
const THROUGHPUT: u64 = 1 << 14;

/// Runs many tasks at once, on a number of threads that its maker chooses.
///
/// Tasks of one class (one kind of long operation, keys of one size) run side by side, mostly up to eight a group,
/// where that is faster and leaves no thread idle. The threads share groups and single tasks, the longest first. The
/// calling thread is one of them. The others sleep, are woken if the work is worth it, and end when the last clone of
/// the batch is dropped.
///
/// ```
/// use carrysave_engine::Batch;
/// use carrysave_schemes::hash::Hash;
/// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey, task::SignPss};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
///
/// # let options = KeygenOptions { allow_small: true, ..Default::default() };
/// # let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
/// let messages = ["one", "two", "three"];
/// let tasks = messages.map(|message| SignPss {
///     key: key.clone(),
///     hash: Hash::Sha256,
///     mgf: Hash::Sha256,
///     salt_len: 32,
///     digest: Hash::Sha256.digest(message.as_bytes()),
/// });
/// let batch = Batch::new(2);
/// for (message, signature) in messages.iter().zip(batch.run(&tasks)) {
///     let digest = Hash::Sha256.digest(message.as_bytes());
///     key.public().rsassa_pss_verify(Hash::Sha256, Hash::Sha256, Some(32), &digest, &signature.unwrap()).unwrap();
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Batch(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    team: Threads,
    /// Throughput of the last run, in units of cost per nanosecond.
    throughput: AtomicU64,
}

impl Batch {
    /// A batch on `threads` threads: the caller's, and others that are started here. There are fewer if the system
    /// starts no more, and at most [`MAX_THREADS`](carrysave_team::MAX_THREADS). A call that comes while another is
    /// running uses its caller's thread only.
    ///
    /// # Panics
    /// If `threads` is 0.
    pub fn new(threads: usize) -> Batch {
        Batch(Arc::new(Pool {
            team: Threads::unmeasured(threads),
            throughput: AtomicU64::new(THROUGHPUT),
        }))
    }

    /// How many threads it has, the caller's included.
    ///
    /// ```
    /// use carrysave_engine::Batch;
    /// assert_eq!(Batch::new(2).threads(), 2);
    /// ```
    pub fn threads(&self) -> usize {
        self.0.team.size()
    }

    /// Its threads as a team, for one long operation. The first call measures their round trip, which takes some
    /// milliseconds. An operation of the team waits until tasks that run have finished; tasks that come during one use
    /// their caller's thread only.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_engine::Batch;
    /// let batch = Batch::new(2);
    /// let a = Nat::power_of_two(100_000);
    /// assert_eq!(a.mul_on(batch.team(), &a), Nat::power_of_two(200_000));
    /// ```
    pub fn team(&self) -> &Threads {
        self.0.team.measured()
    }

    /// Runs `tasks` with the operating system's randomness and returns their results in order. The tasks have one type,
    /// which may be a list of types such as [`Job`](crate::Job).
    ///
    /// # Errors
    /// Each task fails as its operation alone would; the others are not affected.
    ///
    /// # Panics
    /// If the operating system has no randomness, after all threads have finished.
    ///
    /// # Timing
    /// As [`Batch::run_with`].
    pub fn run<T: AnyTask>(&self, tasks: &[T]) -> Vec<Result<T::Output, T::Error>> {
        self.run_with(|| UnwrapErr(SysRng), tasks)
    }

    /// Runs `tasks` as [`Batch::run`] does, with generators of random numbers that `rng` makes, one for each thread.
    ///
    /// # Errors
    /// Each task fails as its operation alone would; the others are not affected.
    ///
    /// # Panics
    /// If a generator panics, after all threads have finished.
    ///
    /// # Timing
    /// That of the operations, which depends on no secret. The grouping depends on the kinds and sizes of the tasks, on
    /// the measured throughput, and on whether another call is running.
    pub fn run_with<R: CryptoRng, T: AnyTask>(
        &self,
        rng: impl Fn() -> R + Sync,
        tasks: &[T],
    ) -> Vec<Result<T::Output, T::Error>> {
        let pending: Vec<Pending<T, &T>> = tasks.iter().map(Pending::new).collect();
        let entries: Vec<&dyn Entry> = pending.iter().map(|task| task as &dyn Entry).collect();
        self.run_entries(rng, &entries);
        pending.into_iter().map(Pending::into_result).collect()
    }

    fn run_entries<R: CryptoRng>(&self, rng: impl Fn() -> R + Sync, entries: &[&dyn Entry]) {
        let Pool { team, throughput } = &*self.0;
        // Groups are made for the threads available: one, while another call has the others.
        let turn = team.try_turn();
        let threads = if turn.is_some() { team.size() } else { 1 };
        let (groups, threads) = groups(entries, threads, throughput.load(Relaxed));
        let next = AtomicUsize::new(0);
        team.offer_to(turn, threads - 1, &|member| {
            let mut rng = rng();
            let (start, mut cost) = (Instant::now(), 0_u64);
            while let Some(group) = groups.get(next.fetch_add(1, Relaxed)) {
                cost = cost.saturating_add(group.cost);
                let group: Vec<&dyn Entry> = group.tasks.iter().map(|&i| entries[i]).collect();
                run_group(&mut rng, &group);
            }
            if member.rank() == 0 && cost > 0 {
                let nanos = start.elapsed().as_nanos().max(1) as u64;
                throughput.store((cost / nanos).max(1), Relaxed);
            }
        });
    }
}

/// The indices of tasks that run on one thread without a break: side by side, or one alone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    tasks: Vec<usize>,
    /// Estimated time.
    cost: u64,
}

/// All jobs in groups, the longest first, and the number of threads that finishes them soonest.
fn groups(entries: &[&dyn Entry], threads: usize, throughput: u64) -> (Vec<Group>, usize) {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<TaskClass, usize> = HashMap::new();
    let mut last: Option<(TaskClass, usize)> = None;
    for (i, entry) in entries.iter().enumerate() {
        let primitive = entry.primitive();
        // Neighbours mostly have one class, which saves the lookup.
        let at = match &last {
            Some((of_last, at)) if primitive.is_of(of_last) => *at,
            _ => {
                let at = *known.entry(primitive.any_class()).or_insert(classes.len());
                last = Some((primitive.any_class(), at));
                at
            }
        };
        if at == classes.len() {
            classes.push(Vec::new());
        }
        classes[at].push(i);
    }
    let mut groups = Vec::new();
    for class in &classes {
        let primitive = entries[class[0]].primitive();
        let cost = primitive.any_cost();
        for some in class.chunks(group_size(class.len(), threads, primitive.group_most())) {
            match primitive.any_group_cost(some.len()) {
                Some(cost) => groups.push(Group {
                    tasks: some.to_vec(),
                    cost,
                }),
                None => groups.extend(some.iter().map(|&i| Group {
                    tasks: vec![i],
                    cost,
                })),
            }
        }
    }
    longest_first(&mut groups);
    let cost = |i: usize| entries[i].primitive().any_cost();
    soonest(groups, threads.min(entries.len()), throughput, cost)
}

/// The size of a group of one class: enough to fill all lanes of each thread, and at most what a group takes.
fn group_size(tasks: usize, threads: usize, most: usize) -> usize {
    tasks.div_ceil(threads).next_multiple_of(LANES).min(most)
}

/// The groups, some of them broken up, for one thread, or for as many as have more work than their waking costs.
fn soonest(
    groups: Vec<Group>,
    threads: usize,
    throughput: u64,
    cost: impl Fn(usize) -> u64,
) -> (Vec<Group>, usize) {
    let all = (groups.iter()).fold(0, |sum: u64, group| sum.saturating_add(group.cost));
    let worth = usize::try_from(all / throughput.saturating_mul(WAKING)).unwrap_or(usize::MAX);
    let threads = threads.min(worth);
    if threads <= 1 {
        return (groups, 1);
    }
    let together = balanced(groups.clone(), threads, cost);
    match end(&together, threads, throughput) < end(&groups, 1, throughput) {
        true => (together, threads),
        false => (groups, 1),
    }
}

fn longest_first(groups: &mut [Group]) {
    groups.sort_by_key(|group| (Reverse(group.cost), group.tasks[0]));
}

/// The tasks with the first few groups broken up if the woken threads then end earlier: eight tasks side by side are
/// less work than alone, but take longer than on idle threads.
fn balanced(groups: Vec<Group>, threads: usize, cost: impl Fn(usize) -> u64) -> Vec<Group> {
    let broken_up = |count: usize| {
        let (some, rest) = groups.split_at(count);
        let alone = some.iter().flat_map(|group| &group.tasks).map(|&i| Group {
            tasks: vec![i],
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
    // A group of one is not broken up.
    let counts = (0..=most).filter(|&count| count == 0 || groups[count - 1].tasks.len() > 1);
    let choices = counts.map(broken_up);
    let best = choices.min_by_key(|groups| end(groups, threads, 0));
    best.expect("one of them breaks up none")
}

/// The time at which the last thread ends. Each thread takes the next group when it has finished one. The first thread
/// wakes the others before it begins, which takes no time if `throughput` is 0.
fn end(groups: &[Group], threads: usize, throughput: u64) -> u64 {
    let woken = threads as u64 - 1;
    let after = |nanos: u64| throughput.saturating_mul(nanos);
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

    /// Groups of eight jobs, each as long as `from` jobs alone, and the remaining jobs alone, for jobs of these times.
    fn groups_by(from: u64, jobs: usize, cost: u64) -> Vec<Group> {
        let all: Vec<usize> = (0..jobs).collect();
        let group = |jobs: &[usize]| Group {
            tasks: jobs.to_vec(),
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

    /// When the groups end, broken up for a number of threads, and the groups that are left.
    fn balanced_by(from: u64, jobs: usize, threads: usize) -> (u64, Vec<usize>) {
        let groups = balanced(groups_by(from, jobs, 1), threads, |_| 1);
        let mut seen: Vec<usize> = groups
            .iter()
            .flat_map(|group| group.tasks.clone())
            .collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..jobs));
        assert!(groups.is_sorted_by_key(|group| Reverse(group.cost)));
        let mut sizes: Vec<usize> = groups.iter().map(|group| group.tasks.len()).collect();
        sizes.retain(|&size| size > 1);
        (end(&groups, threads, 0), sizes)
    }

    #[test]
    fn groups_fill_their_lanes() {
        for (tasks, threads, most, expected) in [
            (1, 1, 64, LANES),
            (9, 2, 64, LANES),
            (17, 2, 64, 2 * LANES),
            (200, 1, 64, 64),
            (200, 16, 64, 2 * LANES),
            (3, 4, LANES, LANES),
        ] {
            let size = group_size(tasks, threads, most);
            assert_eq!(size, expected, "{tasks} on {threads}");
        }
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

    /// For any number of jobs and threads, no later than all jobs alone.
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

    /// The number of threads used for `jobs` jobs that take `nanos` nanoseconds each.
    fn woken_for(jobs: usize, nanos: u64, threads: usize) -> usize {
        let used = [1, 1000].map(|throughput| {
            let cost = nanos * throughput;
            let (groups, used) = soonest(groups_by(4, jobs, cost), threads, throughput, |_| cost);
            let alone = groups_by(4, jobs, cost);
            assert!(end(&groups, used, throughput) <= end(&alone, 1, throughput));
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
