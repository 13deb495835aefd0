//! The scheduler behind `Service`: a bounded number of compute slots and a queue of waiting calls. Generic over the
//! work, so that loom can model it with dummy work.

use super::ServiceOptions;
use crate::metrics::{Meters, Metrics};
use crate::sync::{Arc, AtomicUsize, Condvar, Mutex, MutexGuard, yield_now};
use crate::workers::{Workers, check, start};
use carrysave_arith::lanes::LANES;
use core::sync::atomic::Ordering;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The number of waiting calls that fill the next group by themselves; small under loom, which models few calls.
const NEXT: usize = if cfg!(loom) { 1 } else { LANES };

/// The work of one call.
pub(super) trait Work: Send + Sync + 'static {
    /// Only work of one class runs side by side.
    type Class: PartialEq + Send + Sync;
    /// The result.
    type Output: Send;

    fn class(&self) -> Self::Class;

    /// The smallest group that runs side by side; `None` if none does.
    fn group_from(&self) -> Option<usize>;

    /// The largest group that runs side by side.
    fn group_most(&self) -> usize;
}

/// Why a call has no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The pool takes no more calls.
    ShutDown,
    /// The group of the call panicked.
    Panicked,
}

type Answer<W> = Result<<W as Work>::Output, Refusal>;

/// Runs a group of one class.
type Run<W> = dyn Fn(&[&W]) -> Vec<Answer<W>> + Send + Sync;

/// Runs the work of calls, side by side where that is faster, on the callers' threads and on its own.
pub(super) struct Pool<W: Work> {
    shared: Arc<Shared<W>>,
    workers: Workers,
}

/// State shared by callers and workers.
struct Shared<W: Work> {
    options: ServiceOptions,
    run: Box<Run<W>>,
    state: Mutex<State<W>>,
    /// Notified when a slot is left to a worker, and when the pool is dropped.
    wake: Condvar,
    /// Notified when the last call has left a pool that was shut down.
    empty: Condvar,
    /// The length of the queue, readable without the lock.
    queued: AtomicUsize,
    meters: Meters,
}

struct State<W: Work> {
    /// Waiting calls, the oldest first. Empty unless all slots are taken.
    queue: VecDeque<Arc<Call<W>>>,
    /// Slots taken by callers, by workers, or left to a worker; at most the number of threads.
    slots: usize,
    /// Slots left to a worker that no worker has taken up yet.
    left: usize,
    /// Calls that have not returned.
    inside: usize,
    /// The expected concurrency: the number of pending calls when the last group ended, and 0 once all have left.
    concurrency: usize,
    closed: bool,
    dropped: bool,
}

struct Call<W: Work> {
    work: W,
    class: W::Class,
    group_from: Option<usize>,
    since: Instant,
    notice: Mutex<Option<Notice<W>>>,
    done: Condvar,
}

/// What a waiting call receives: its result, and the calls that it wakes in turn.
struct Notice<W: Work> {
    result: Answer<W>,
    wakes: Vec<Arc<Call<W>>>,
}

impl<W: Work> Pool<W> {
    /// Starts a pool and its threads. `run` runs a group and returns its results in order.
    ///
    /// # Errors
    /// The system's, if it starts no more threads; 0 and more than `MAX_THREADS` are refused.
    pub(super) fn new(
        options: ServiceOptions,
        run: impl Fn(&[&W]) -> Vec<Answer<W>> + Send + Sync + 'static,
    ) -> io::Result<Pool<W>> {
        check(options.threads)?;
        let shared = Arc::new(Shared {
            options,
            run: Box::new(run),
            state: Mutex::new(State {
                queue: VecDeque::new(),
                slots: 0,
                left: 0,
                inside: 0,
                concurrency: 0,
                closed: false,
                dropped: false,
            }),
            wake: Condvar::new(),
            empty: Condvar::new(),
            queued: AtomicUsize::new(0),
            meters: Meters::default(),
        });
        let mut pool = Pool {
            shared,
            workers: Workers::default(),
        };
        for i in 1..=options.threads {
            let shared = pool.shared.clone();
            // If one is refused, dropping the pool joins those before it.
            let worker = start(format!("service {i}"), move || shared.work())?;
            pool.workers.push(worker);
        }
        Ok(pool)
    }

    pub(super) fn options(&self) -> ServiceOptions {
        self.shared.options
    }

    /// Runs `work` on this thread or on one of the pool, and returns its result.
    ///
    /// # Errors
    /// That of the work; [`Refusal::ShutDown`] after [`Pool::shutdown`]; [`Refusal::Panicked`] to all calls
    /// of a group in which something panicked.
    pub(super) fn run(&self, work: W) -> Answer<W> {
        if self.workers.gone() {
            return self.shared.answers(&[&work]).remove(0);
        }
        let call = Arc::new(Call {
            class: work.class(),
            group_from: work.group_from(),
            work,
            since: Instant::now(),
            notice: Mutex::new(None),
            done: Condvar::new(),
        });
        let shared = &*self.shared;
        let result = if shared.enter(&call)? {
            shared.take_slot(call)
        } else {
            call.wait()
        };
        shared.leave();
        result
    }

    /// Refuses new calls from now on, and returns when all pending calls have their results. A forked process has nothing to
    /// shut down.
    pub(super) fn shutdown(&self) {
        if self.workers.gone() {
            return;
        }
        let mut state = self.shared.lock();
        state.closed = true;
        drop(wait_while(&self.shared.empty, state, |state| {
            state.inside > 0
        }));
    }

    /// Counters since the pool was made.
    pub(super) fn metrics(&self) -> Metrics {
        Metrics {
            queued: self.shared.queued.load(Ordering::Relaxed),
            ..self.shared.meters.read()
        }
    }
}

impl<W: Work> Drop for Pool<W> {
    fn drop(&mut self) {
        self.workers.end(|| {
            self.shared.lock().dropped = true;
            self.shared.wake.notify_all();
        });
    }
}

impl<W: Work> Shared<W> {
    /// Whether the call takes a slot; otherwise it has been queued.
    fn enter(&self, call: &Arc<Call<W>>) -> Result<bool, Refusal> {
        let mut state = self.lock();
        if state.closed {
            return Err(Refusal::ShutDown);
        }
        state.inside += 1;
        let free = state.slots < self.options.threads;
        if free {
            state.slots += 1;
        } else {
            state.queue.push_back(call.clone());
            self.queued.store(state.queue.len(), Ordering::Relaxed);
        }
        Ok(free)
    }

    fn leave(&self) {
        let mut state = self.lock();
        state.inside -= 1;
        if state.inside == 0 {
            state.concurrency = 0;
            if state.closed {
                self.empty.notify_all();
            }
        }
    }

    /// Runs a group with `own` in it on the caller's thread, and leaves the slot to a worker if others wait.
    fn take_slot(&self, own: Arc<Call<W>>) -> Answer<W> {
        let group = self.gather(own);
        let mut results = self.run_group(&group).into_iter();
        let mut state = self.lock();
        // This caller is not counted: it has a result and will leave.
        state.concurrency = state.inside - 1;
        if state.queue.is_empty() {
            state.slots -= 1;
        } else {
            // There are as many workers as slots, so one is free.
            state.left += 1;
            self.wake.notify_one();
        }
        drop(state);
        let result = results.next().expect("its own is the first");
        notify(&group[1..], results, false);
        result
    }

    /// The main loop of a worker: takes up a slot, and runs groups until the queue is empty.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            state = wait_while(&self.wake, state, |state| state.left == 0 && !state.dropped);
            if state.left == 0 {
                return;
            }
            state.left -= 1;
            while let Some(first) = state.queue.pop_front() {
                self.queued.store(state.queue.len(), Ordering::Relaxed);
                drop(state);
                let group = self.gather(first);
                let results = self.run_group(&group).into_iter();
                state = self.lock();
                state.concurrency = state.inside;
                let next = state.queue.len() >= NEXT;
                drop(state);
                notify(&group, results, next);
                // Not under the lock: the last owner of a job wipes it.
                drop(group);
                state = self.lock();
            }
            state.slots -= 1;
        }
    }

    /// Takes calls of `first`'s class out of the queue, up to a group, if they are faster side by side. Waits a short
    /// time if enough calls are expected.
    fn gather(&self, first: Arc<Call<W>>) -> Vec<Arc<Call<W>>> {
        let mut group = vec![first];
        if let Some(from) = group[0].group_from {
            self.join(&mut group, from);
        }
        self.meters
            .group(group.iter().map(|call| call.since.elapsed()));
        group
    }

    /// Adds calls of its class, if the group then has at least `from`.
    fn join(&self, group: &mut Vec<Arc<Call<W>>>, from: usize) {
        let state = self.lock();
        let concurrency = if state.closed { 0 } else { state.concurrency };
        drop(state);
        let most = group[0].work.group_most();
        let expected = concurrency.div_ceil(self.options.threads).min(most);
        if expected > 1 && expected >= from {
            let start = Instant::now();
            // loom has no clock: the queue is read once.
            let late = || cfg!(loom) || start.elapsed() >= self.options.wait;
            while self.queued.load(Ordering::Relaxed) + 1 < expected && !late() {
                yield_now();
            }
        }
        let mut state = self.lock();
        let first = group[0].clone();
        let class = &first.class;
        let alike = state.queue.iter().filter(|call| call.class == *class);
        if alike.count() + 1 < from {
            return;
        }
        let mut i = 0;
        while i < state.queue.len() && group.len() < most {
            if state.queue[i].class == *class {
                group.extend(state.queue.remove(i));
            } else {
                i += 1;
            }
        }
        self.queued.store(state.queue.len(), Ordering::Relaxed);
    }

    fn run_group(&self, group: &[Arc<Call<W>>]) -> Vec<Answer<W>> {
        self.answers(&group.iter().map(|call| &call.work).collect::<Vec<_>>())
    }

    /// What becomes of a group's work. Takes no lock.
    fn answers(&self, work: &[&W]) -> Vec<Answer<W>> {
        // Nothing that a panic could leave half done outlives the closure.
        let results = catch_unwind(AssertUnwindSafe(|| (self.run)(work)));
        results.unwrap_or_else(|_| {
            let panicked = work.iter().map(|_| Err(Refusal::Panicked));
            panicked.collect()
        })
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().expect(UNPOISONED)
    }
}

const UNPOISONED: &str = "nothing panics under this lock";

/// Sleeps while `so` holds.
fn wait_while<'a, T>(
    condition: &Condvar,
    mut state: MutexGuard<'a, T>,
    so: impl Fn(&T) -> bool,
) -> MutexGuard<'a, T> {
    while so(&state) {
        state = condition.wait(state).expect(UNPOISONED);
    }
    state
}

impl<W: Work> Call<W> {
    /// Sleeps until the result is there.
    fn wait(&self) -> Answer<W> {
        let notice = self.notice.lock().expect(UNPOISONED);
        let mut notice = wait_while(&self.done, notice, Option::is_none);
        let Notice { result, wakes } = notice.take().expect("it was waited for");
        drop(notice);
        for other in wakes {
            other.done.notify_one();
        }
        result
    }
}

/// Delivers results. Waking a thread takes as long as a part of a signature. So if the `next` group waits already, only
/// the first call is woken here, and each wakes two more.
fn notify<W: Work, I>(calls: &[Arc<Call<W>>], results: I, next: bool)
where
    I: DoubleEndedIterator<Item = Answer<W>> + ExactSizeIterator,
{
    let (woken, each) = if next { (1, 2) } else { (calls.len(), 0) };
    // From the last to the first: a call that finds its result without being woken wakes others at once, which must
    // find theirs.
    for ((i, call), result) in calls.iter().enumerate().zip(results).rev() {
        let wakes = calls.iter().skip(2 * i + 1).take(each).cloned().collect();
        *call.notice.lock().expect(UNPOISONED) = Some(Notice { result, wakes });
    }
    for call in calls.iter().take(woken) {
        call.done.notify_one();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use core::time::Duration;
    use std::sync::mpsc;
    use std::thread;

    /// How long a test waits for what must come.
    const LONG: Duration = Duration::from_secs(60);

    /// A call of a class, which runs side by side from three on, and answers how many ran with it.
    struct OfClass(char);

    impl Work for OfClass {
        type Class = char;
        type Output = usize;

        fn class(&self) -> char {
            self.0
        }

        fn group_from(&self) -> Option<usize> {
            Some(3)
        }

        fn group_most(&self) -> usize {
            LANES
        }
    }

    /// What a caller of class 'a' gets who has the only slot while others of these classes come, and what they get. They
    /// come before the caller looks; or later, where it expects some.
    fn answers(others: &str, expected: usize) -> (usize, Vec<usize>) {
        let wait = if expected > 0 { LONG } else { Duration::ZERO };
        let options = ServiceOptions { threads: 1, wait };
        let answer = |group: &[&OfClass]| vec![Ok(group.len()); group.len()];
        let pool = Pool::new(options, answer).unwrap();
        let shared = &*pool.shared;
        let own = Arc::new(Call {
            work: OfClass('a'),
            class: 'a',
            group_from: Some(3),
            since: Instant::now(),
            notice: Mutex::new(None),
            done: Condvar::new(),
        });
        assert_eq!(shared.enter(&own), Ok(true));
        shared.lock().concurrency = expected;
        thread::scope(|scope| {
            let caller = || {
                let answer = shared.take_slot(own);
                shared.leave();
                answer.unwrap()
            };
            let waiting = (expected > 0).then(|| scope.spawn(caller.clone()));
            if waiting.is_some() {
                // It looks now, and finds nobody.
                thread::sleep(Duration::from_millis(50));
            }
            let (sender, receiver) = mpsc::channel();
            for (i, class) in others.chars().enumerate() {
                let (pool, sender) = (&pool, sender.clone());
                scope.spawn(move || {
                    let answer = pool.run(OfClass(class));
                    sender.send((i, answer.unwrap())).unwrap();
                });
            }
            let own = match waiting {
                Some(caller) => caller.join().unwrap(),
                None => {
                    while shared.queued.load(Ordering::Relaxed) < others.len() {
                        thread::yield_now();
                    }
                    caller()
                }
            };
            let answer = |_| {
                receiver
                    .recv_timeout(LONG)
                    .expect("every call has an answer")
            };
            let mut theirs: Vec<_> = (0..others.len()).map(answer).collect();
            theirs.sort_unstable();
            (own, theirs.into_iter().map(|(_, answer)| answer).collect())
        })
    }

    #[test]
    fn a_caller_takes_those_of_its_class_along() {
        assert_eq!(answers("aab", 0), (3, vec![3, 3, 1]));
    }

    #[test]
    fn calls_of_other_classes_do_not_make_a_group() {
        assert_eq!(answers("ab", 0), (1, vec![1, 1]));
    }

    #[test]
    fn a_caller_waits_for_as_many_as_came_last_time() {
        assert_eq!(answers("aa", 3), (3, vec![3, 3]));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use core::cell::Cell;
    use core::time::Duration;
    use std::panic::resume_unwind;
    use std::sync::{Arc as Kept, Mutex as Log, atomic::AtomicUsize as Count};

    /// The number of a call. Those from `ALONE` on never run side by side; `GUILTY` panics.
    struct Number(usize);
    const GUILTY: usize = 50;
    const ALONE: usize = 100;

    impl Work for Number {
        type Class = bool;
        type Output = usize;

        fn class(&self) -> bool {
            self.0 < ALONE
        }

        fn group_from(&self) -> Option<usize> {
            self.class().then_some(2)
        }

        fn group_most(&self) -> usize {
            LANES
        }
    }

    /// How many groups of several calls there were in all interleavings.
    static GROUPED: Count = Count::new(0);

    loom::thread_local! {
        /// The current call of this thread.
        static OWN: Cell<Option<usize>> = Cell::new(None);
    }

    /// A pool, and the groups that it ran, each with the call that its thread was in.
    struct Case {
        pool: Pool<Number>,
        groups: Kept<Log<Vec<(Option<usize>, Vec<usize>)>>>,
    }

    impl Case {
        fn new(threads: usize) -> Arc<Case> {
            let options = ServiceOptions {
                threads,
                wait: Duration::ZERO,
            };
            let groups = Kept::new(Log::new(Vec::new()));
            let log = groups.clone();
            let run = move |group: &[&Number]| {
                let numbers: Vec<usize> = group.iter().map(|number| number.0).collect();
                let guilty = numbers.contains(&GUILTY);
                let results = numbers.iter().map(|number| Ok(number + 1)).collect();
                log.lock().unwrap().push((OWN.with(Cell::get), numbers));
                if guilty {
                    resume_unwind(Box::new(())); // without a message
                }
                results
            };
            let pool = Pool::new(options, run).unwrap();
            Arc::new(Case { pool, groups })
        }

        fn call(&self, number: usize) -> Answer<Number> {
            OWN.with(|own| own.set(Some(number)));
            let answer = self.pool.run(Number(number));
            OWN.with(|own| own.set(None));
            answer
        }

        /// Checks that each accepted call ran once, in a group of its class; that exactly the calls of a panicking
        /// group panicked; and that no caller ran a group other than its own.
        fn check(&self, answers: &[(usize, Answer<Number>)]) {
            let groups = self.groups.lock().unwrap();
            for (number, answer) in answers {
                let mut of = groups.iter().filter(|group| group.1.contains(number));
                let expected = match of.next() {
                    None => Err(Refusal::ShutDown),
                    Some((_, group)) if group.contains(&GUILTY) => Err(Refusal::Panicked),
                    Some(_) => Ok(number + 1),
                };
                assert_eq!(*answer, expected);
                assert!(of.next().is_none(), "call {number} was done twice");
            }
            for (own, group) in groups.iter() {
                assert!(own.is_none_or(|own| group[0] == own));
                assert!(group.len() == 1 || group.iter().all(|&number| number < ALONE));
                GROUPED.fetch_add(usize::from(group.len() > 1), Ordering::Relaxed);
            }
            let done: usize = groups.iter().map(|group| group.1.len()).sum();
            let metrics = self.pool.metrics();
            let counted = (
                metrics.jobs as usize,
                metrics.groups as usize,
                metrics.queued,
            );
            assert_eq!(counted, (done, groups.len(), 0));
        }
    }

    /// Concurrent calls, one of them on this thread: each number and its answer.
    fn calls(case: &Arc<Case>, numbers: &[usize]) -> Vec<(usize, Answer<Number>)> {
        let spawn = |&number| {
            let case = case.clone();
            loom::thread::spawn(move || (number, case.call(number)))
        };
        let others: Vec<_> = numbers[1..].iter().map(spawn).collect();
        let own = (numbers[0], case.call(numbers[0]));
        let others = others.into_iter().map(|other| other.join().unwrap());
        [own].into_iter().chain(others).collect()
    }

    /// Tries all interleavings with one preemption, and the first 20,000 with up to two and three. loom reports a lost
    /// call, or a pool that does not end, as a deadlock.
    fn check(name: &str, what: impl Fn() + Copy + Sync + Send + 'static) {
        for bound in 1..=3 {
            let runs = Kept::new(Count::new(0));
            let mut model = loom::model::Builder::new();
            model.preemption_bound = Some(bound);
            model.max_permutations = (bound > 1).then_some(20_000);
            let counted = runs.clone();
            model.check(move || {
                counted.fetch_add(1, Ordering::Relaxed);
                what();
            });
            let runs = runs.load(Ordering::Relaxed);
            println!("{name}: {runs} interleavings with up to {bound} preemptions");
            // A model that has nothing to order would have one.
            assert!(runs > if bound > 1 { 100 } else { 10 }, "{name}: {runs}");
        }
    }

    #[test]
    fn every_call_is_done_once() {
        // Side by side and not; in one slot and in two; two notified while another waits.
        let cases: [(usize, &[usize]); 4] = [
            (1, &[1, 2, 3]),
            (1, &[1, ALONE, 3]),
            (2, &[1, 2, 3]),
            (1, &[ALONE, 1, 2, ALONE + 1]),
        ];
        for (slots, numbers) in cases {
            check(&format!("{numbers:?} on {slots}"), move || {
                let case = Case::new(slots);
                case.check(&calls(&case, numbers));
            });
        }
        let grouped = GROUPED.load(Ordering::Relaxed);
        println!("{grouped} groups of several calls");
        assert!(grouped > 1000, "{grouped}");
    }

    #[test]
    fn a_notified_call_wakes_others() {
        check("notices", || {
            let call = |number| {
                Arc::new(Call {
                    work: Number(number),
                    class: true,
                    group_from: None,
                    since: Instant::now(),
                    notice: Mutex::new(None),
                    done: Condvar::new(),
                })
            };
            let calls = [1, 2, 3].map(call);
            let waiting = calls
                .clone()
                .map(|call| loom::thread::spawn(move || call.wait()));
            notify(&calls, vec![Ok(1), Ok(2), Ok(3)].into_iter(), true);
            let answers = waiting.map(|call| call.join().unwrap());
            assert_eq!(answers, [Ok(1), Ok(2), Ok(3)]);
        });
    }

    #[test]
    fn a_panic_is_that_of_its_group() {
        for numbers in [[1, GUILTY, 2], [GUILTY, 1, ALONE]] {
            check(&format!("{numbers:?}"), move || {
                let case = Case::new(1);
                case.check(&calls(&case, &numbers));
                // The threads are as good as before.
                case.check(&[(7, case.call(7))]);
            });
        }
    }

    #[test]
    fn a_shutdown_refuses_calls_and_waits_for_those_inside() {
        check("shutdown", || {
            let case = Case::new(1);
            let others = loom::thread::spawn({
                let case = case.clone();
                move || calls(&case, &[1, 2])
            });
            case.pool.shutdown();
            let done = case.groups.lock().unwrap().len();
            assert_eq!(case.call(3), Err(Refusal::ShutDown));
            case.check(&others.join().unwrap());
            assert_eq!(
                case.groups.lock().unwrap().len(),
                done,
                "nothing is done after it"
            );
        });
    }
}
