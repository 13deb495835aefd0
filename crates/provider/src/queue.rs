//! Operations that wait for one thread, which takes the oldest and those that run beside it.

#[cfg(loom)]
use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// What is shared between the queue and who waits.
pub type Shared<T> = Arc<T>;

/// What waits.
pub trait Work {
    /// What operations that run side by side have in common.
    type Class;
    /// What it gives.
    type Result;

    /// The class.
    fn class(&self) -> Self::Class;

    /// Whether it is of a class.
    fn is_of(&self, class: &Self::Class) -> bool;

    /// How many run side by side at most, where so many of its class wait.
    fn most_of(&self, waiting: usize) -> usize;
}

/// What wakes who waits.
pub trait Event {
    /// Wakes them, now or when they wait next.
    fn set(&self);
}

/// Where the result of an operation comes.
pub struct Request<R, E> {
    result: Mutex<Option<R>>,
    event: E,
}

impl<R, E: Event> Request<R, E> {
    /// Takes the result, if it is there. It is there before the event.
    pub fn result(&self) -> Option<R> {
        lock(&self.result).take()
    }

    /// Hands the result over.
    pub fn finish(&self, result: R) {
        *lock(&self.result) = Some(result);
        self.event.set();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The request of an operation.
type Awaited<J, E> = Shared<Request<<J as Work>::Result, E>>;

/// An operation with its request.
type Waiting<J, E> = (J, Awaited<J, E>);

/// Operations that wait.
pub struct Queue<J: Work, E> {
    waiting: Mutex<Vec<Waiting<J, E>>>,
    more: Condvar,
}

impl<J: Work, E: Event> Queue<J, E> {
    pub fn new() -> Self {
        Queue {
            waiting: Mutex::new(Vec::new()),
            more: Condvar::new(),
        }
    }

    /// Queues an operation. Its event is set when the result is there, also where nobody keeps the request.
    pub fn put(&self, job: J, event: E) -> Awaited<J, E> {
        let result = Mutex::new(None);
        let request = Arc::new(Request { result, event });
        let mut waiting = lock(&self.waiting);
        waiting.push((job, request.clone()));
        // The thread sleeps only while nothing waits.
        if waiting.len() == 1 {
            self.more.notify_one();
        }
        request
    }

    /// The oldest operation, with others that run beside it if that is faster, and the request of each. Waits for one. Only one
    /// thread calls this.
    pub fn next(&self) -> (Vec<J>, Vec<Awaited<J, E>>) {
        let mut waiting = lock(&self.waiting);
        while waiting.is_empty() {
            let woken = self.more.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
        let oldest = &waiting[0].0;
        let class = oldest.class();
        let alike = waiting.iter().filter(|(job, _)| job.is_of(&class)).count();
        let mut left = oldest.most_of(alike).min(alike);
        // What stays keeps the order of its arrival, whatever its class: none waits for all of another class that still come.
        let taken = waiting.extract_if(.., |(job, _)| {
            let takes = left > 0 && job.is_of(&class);
            left -= usize::from(takes);
            takes
        });
        taken.unzip()
    }
}

/// A number, in tests. Numbers of one parity run side by side, two at most.
#[cfg(test)]
struct Number(usize);

#[cfg(test)]
impl Work for Number {
    type Class = usize;
    type Result = usize;

    fn class(&self) -> usize {
        self.0 % 2
    }

    fn is_of(&self, class: &usize) -> bool {
        self.class() == *class
    }

    fn most_of(&self, _: usize) -> usize {
        2
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    impl Event for () {
        fn set(&self) {}
    }

    /// Operations of one class that keep coming do not keep those of another waiting.
    #[test]
    fn the_oldest_comes_first() {
        let queue = Queue::new();
        let put = |numbers: &[usize]| {
            for &number in numbers {
                queue.put(Number(number), ());
            }
        };
        let next = || queue.next().0.into_iter().map(|number| number.0);
        put(&[1, 3, 5, 7, 2]);
        assert!(next().eq([1, 3]));
        put(&[9, 11]);
        assert!(next().eq([5, 7]));
        put(&[13, 4]);
        assert!(next().eq([2, 4]));
        assert!(next().eq([9, 11]));
        assert!(next().eq([13]));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Notify;
    use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use loom::thread;

    impl Event for Arc<Notify> {
        fn set(&self) {
            self.notify();
        }
    }

    /// A thread that serves as many operations as there are numbers, and one for each number: it waits for the result, unless the
    /// number is one of `gone`, whose connection is torn down. Each gets its own result, and none waits for ever, which loom
    /// reports as a deadlock. All interleavings with so many preemptions are tried.
    fn model(preemptions: usize, numbers: &'static [usize], gone: &'static [usize]) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(move || {
            let queue = Arc::new(Queue::<Number, Arc<Notify>>::new());
            let server = queue.clone();
            let server = thread::spawn(move || {
                let mut served = 0;
                while served < numbers.len() {
                    let (jobs, requests) = server.next();
                    assert!(jobs.len() <= 2 && jobs.len() == requests.len());
                    assert!(jobs.iter().all(|job| job.is_of(&jobs[0].class())));
                    for (job, request) in jobs.iter().zip(&requests) {
                        request.finish(job.0 + 100);
                        served += 1;
                    }
                }
                served
            });
            let finished = Arc::new(AtomicUsize::new(0));
            let connection = |number: usize| {
                let (queue, finished) = (queue.clone(), finished.clone());
                move || {
                    let event = Arc::new(Notify::new());
                    let request = queue.put(Number(number), event.clone());
                    if gone.contains(&number) {
                        return;
                    }
                    // A connection is also resumed without a reason.
                    let result = loop {
                        event.wait();
                        if let Some(result) = request.result() {
                            break result;
                        }
                    };
                    assert_eq!((result, request.result()), (number + 100, None));
                    finished.fetch_add(1, Relaxed);
                }
            };
            let (own, others) = numbers.split_first().expect("a number");
            let others = others
                .iter()
                .map(|&number| thread::spawn(connection(number)));
            let others: Vec<_> = others.collect();
            connection(*own)();
            others.into_iter().for_each(|other| other.join().unwrap());
            assert_eq!(server.join().unwrap(), numbers.len());
            assert_eq!(finished.load(Relaxed), numbers.len() - gone.len());
        });
    }

    #[test]
    fn each_gets_its_own_result() {
        model(3, &[1, 3], &[]);
        model(3, &[1, 2], &[]);
    }

    #[test]
    fn connections_that_are_torn_down_disturb_no_others() {
        model(3, &[1, 3], &[1]);
        model(3, &[1, 2], &[2]);
    }

    #[test]
    fn three_of_one_class_take_two_groups() {
        model(1, &[1, 3, 5], &[]);
    }
}
