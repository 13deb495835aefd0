//! Farms over ranks that are threads: order, loss, stops, and jobs.

use carrysave::arith::Nat;
use carrysave::ec::Algorithm;
use carrysave::ec::task::{Generate, Generator};
use carrysave::engine::{Job, Output};
use carrysave::hash::Hash;
use carrysave::rsa::task::{RawPrivate, SignPkcs1v15, VerifyPkcs1v15};
use carrysave::rsa::{KeygenOptions, PrivateKey};
use carrysave_cluster::Batch;
use carrysave_cluster::farm::{self, Ending, Event, LeaderLost, Mail, Options};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;

/// A rank that is a thread. It dies after a given number of messages: later ones that it sends do not arrive.
struct Rank {
    number: usize,
    all: Vec<Sender<(usize, Vec<u8>)>>,
    inbox: Receiver<(usize, Vec<u8>)>,
    lives: Arc<AtomicUsize>,
}

impl Mail for Rank {
    fn rank(&self) -> usize {
        self.number
    }

    fn size(&self) -> usize {
        self.all.len()
    }

    fn post(&self, to: usize, message: &[u8]) {
        if self.lives.load(Ordering::Relaxed) > 0 {
            // The rank may be gone.
            let _ = self.all[to].send((self.number, message.to_vec()));
            self.lives.fetch_sub(1, Ordering::Release);
        }
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        self.inbox.try_recv().ok()
    }
}

fn ranks(size: usize) -> Vec<Rank> {
    let (all, inboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let rank = |(number, inbox)| Rank {
        number,
        all: all.clone(),
        inbox,
        lives: Arc::new(usize::MAX.into()),
    };
    inboxes.into_iter().enumerate().map(rank).collect()
}

static RUN: AtomicBool = AtomicBool::new(false);

const PATIENT: Options<'_> = Options {
    patience: Duration::from_secs(60),
    stop: &RUN,
};

const HASTY: Options<'_> = Options {
    patience: Duration::from_millis(400),
    stop: &RUN,
};

fn item(i: usize) -> Vec<u8> {
    format!("{i}").into_bytes()
}

/// The result of an item: longer and shorter than it, and empty.
fn result(item: &[u8]) -> Vec<u8> {
    item.repeat(item.len() % 4)
}

fn work(items: &[Vec<u8>]) -> Vec<Vec<u8>> {
    items.iter().map(|item| result(item)).collect()
}

/// The leader's events: results, and lost ranks.
type Events = (Vec<(Vec<u8>, Vec<u8>)>, Vec<(usize, String, usize)>);

fn take_down(events: &mut Events, event: Event<'_>) {
    match event {
        Event::Result(item, result) => events.0.push((item.to_vec(), result.to_vec())),
        Event::Lost(rank, why, items) => events.1.push((rank, why.to_owned(), items.len())),
        Event::Stopped(_) => panic!("nobody stopped it"),
    }
}

fn all_in_order(events: &Events, total: usize) {
    let expected: Vec<_> = (0..total).map(|i| (item(i), result(&item(i)))).collect();
    assert_eq!(events.0, expected);
}

/// Starts patient followers, for which the farm ends in this way.
fn follow_all<'scope>(scope: &'scope Scope<'scope, '_>, followers: Vec<Rank>, ending: Ending) {
    for rank in followers {
        scope.spawn(move || {
            let found = farm::follow(&rank, &PATIENT, |items| Ok(work(items)));
            assert_eq!(found, Ok(ending));
        });
    }
}

/// The events of a leader that is patient, and loses nobody.
fn led(rank: &Rank, total: usize, announced: usize) -> Events {
    let mut events = Events::default();
    let (result, ending) = farm::lead::<()>(
        rank,
        &PATIENT,
        announced,
        (0..total).map(item),
        |items| Ok(work(items)),
        |event| {
            take_down(&mut events, event);
            Ok(())
        },
    );
    assert_eq!((result, ending), (Ok(()), Ending::Whole));
    events
}

#[test]
fn every_item_has_its_result_in_order() {
    for size in 1..=5 {
        for (total, announced) in [(0, 0), (1, 1), (7, 7), (3000, 3000), (500, 20), (20, 500)] {
            let mut ranks = ranks(size);
            let followers = ranks.split_off(1);
            let events = thread::scope(|scope| {
                follow_all(scope, followers, Ending::Whole);
                led(&ranks[0], total, announced)
            });
            all_in_order(&events, total);
            assert!(events.1.is_empty());
        }
    }
}

#[test]
fn others_do_what_a_lost_rank_had() {
    // Dead before its first message, with its first piece, and with its third.
    for lives in [0, 1, 3] {
        let mut events = Events::default();
        let mut ranks = ranks(3);
        ranks[2].lives = Arc::new(lives.into());
        let followers = ranks.split_off(1);
        thread::scope(|scope| {
            for rank in followers {
                scope.spawn(move || {
                    let ending = farm::follow(&rank, &HASTY, |items| {
                        thread::sleep(Duration::from_millis(1));
                        Ok(work(items))
                    });
                    // The dead rank times out. One that never sent a message may not have been missed.
                    assert!(ending != Ok(Ending::Whole) || lives == 0);
                });
            }
            let (result, ending) = farm::lead::<()>(
                &ranks[0],
                &HASTY,
                2000,
                (0..2000).map(item),
                |items| {
                    thread::sleep(Duration::from_millis(1));
                    Ok(work(items))
                },
                |event| {
                    take_down(&mut events, event);
                    Ok(())
                },
            );
            assert_eq!(result, Ok(()));
            assert!(ending == Ending::Lost || lives == 0);
        });
        all_in_order(&events, 2000);
        if lives > 0 {
            let [(2, why, items)] = &events.1[..] else {
                panic!("{:?}", events.1)
            };
            assert!(why.starts_with("not heard of") && *items >= 8);
        }
    }
}

/// Rank 1 holds the first piece that is handed to a follower while others finish later ones: these are reported, too.
#[test]
fn a_stop_reports_what_is_done_out_of_order() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let stoppable = Options {
        stop: &STOP,
        ..PATIENT
    };
    let (mut done, mut left) = (0, 0);
    let mut ranks = ranks(2);
    let follower = ranks.remove(1);
    let held = AtomicBool::new(false);
    let held = &held;
    thread::scope(|scope| {
        scope.spawn(move || {
            farm::follow(&follower, &stoppable, |items| {
                held.store(true, Ordering::Relaxed);
                while !STOP.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                Ok(work(items))
            })
        });
        let mut pieces = 0;
        let (result, _) = farm::lead::<()>(
            &ranks[0],
            &stoppable,
            2000,
            (0..2000).map(item),
            |items| {
                while !held.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                pieces += 1;
                STOP.store(pieces == 3, Ordering::Relaxed);
                Ok(work(items))
            },
            |event| {
                match event {
                    Event::Result(..) => done += 1,
                    Event::Lost(..) => panic!("nobody is lost"),
                    Event::Stopped(items) => left = items.len(),
                }
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
    });
    // Of pieces of 250, fewer later, the first one and what follows the held one.
    assert_eq!(done + left, 2000);
    assert!(done > 250, "{done}");
}

#[test]
fn a_panic_of_the_leader_ends_all() {
    let mut ranks = ranks(3);
    let followers = ranks.split_off(1);
    thread::scope(|scope| {
        follow_all(scope, followers, Ending::Lost);
        let led = catch_unwind(AssertUnwindSafe(|| {
            let items = (0..5000).map(item);
            farm::lead::<()>(
                &ranks[0],
                &PATIENT,
                5000,
                items,
                |_| panic!("on purpose"),
                |_| Ok(()),
            )
        }));
        assert!(led.is_err());
    });
}

/// On another host a message to a dead rank may never be sent, so there is none.
#[test]
fn a_silent_rank_gets_no_message_any_more() {
    const LONGER: Options<'_> = Options {
        patience: Duration::from_secs(2),
        stop: &RUN,
    };
    let mut ranks = ranks(2);
    let silent = ranks.remove(1);
    // It says that it is ready, and nothing more.
    silent.lives.store(1, Ordering::Relaxed);
    let lives = silent.lives.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            let ending = farm::follow(&silent, &LONGER, |items| Ok(work(items)));
            assert_eq!(ending, Err(LeaderLost));
        });
        // The leader has been told so before it begins.
        while lives.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
        let items = (0..100).map(item);
        let work = |items: &[Vec<u8>]| Ok(work(items));
        let (result, ending) = farm::lead::<()>(&ranks[0], &HASTY, 100, items, work, |_| Ok(()));
        assert_eq!((result, ending), (Ok(()), Ending::Lost));
    });
}

#[test]
fn a_rank_that_cannot_work_says_why() {
    let mut events = Events::default();
    let mut ranks = ranks(2);
    let follower = ranks.remove(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            let ending = farm::follow(&follower, &PATIENT, |_| Err("no key".into()));
            assert_eq!(ending, Ok(Ending::Lost));
        });
        let (result, _) = farm::lead::<()>(
            &ranks[0],
            &PATIENT,
            1000,
            (0..1000).map(item),
            |items| {
                thread::sleep(Duration::from_millis(2));
                Ok(work(items))
            },
            |event| {
                take_down(&mut events, event);
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
    });
    all_in_order(&events, 1000);
    assert!(
        matches!(&events.1[..], [(1, why, 8..)] if why == "no key"),
        "{:?}",
        events.1
    );
}

#[test]
fn an_error_of_the_leader_ends_all() {
    let mut ranks = ranks(3);
    let followers = ranks.split_off(1);
    thread::scope(|scope| {
        follow_all(scope, followers, Ending::Whole);
        let (result, _) = farm::lead(
            &ranks[0],
            &PATIENT,
            5000,
            (0..5000).map(item),
            |_| Err("hopeless"),
            |_| Ok(()),
        );
        assert_eq!(result, Err("hopeless"));
    });
}

#[test]
fn a_stop_names_what_is_left() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let stoppable = Options {
        stop: &STOP,
        ..PATIENT
    };
    let (mut done, mut left) = (vec![], vec![]);
    let mut ranks = ranks(3);
    let followers = ranks.split_off(1);
    thread::scope(|scope| {
        for rank in followers {
            scope.spawn(move || {
                let ending = farm::follow(&rank, &stoppable, |items| {
                    thread::sleep(Duration::from_millis(1));
                    Ok(work(items))
                });
                assert_eq!(ending, Ok(Ending::Whole));
            });
        }
        let (result, _) = farm::lead::<()>(
            &ranks[0],
            &stoppable,
            100_000,
            (0..100_000).map(item),
            |items| {
                thread::sleep(Duration::from_millis(1));
                Ok(work(items))
            },
            |event| {
                match event {
                    Event::Result(item, _) => done.push(item.to_vec()),
                    Event::Lost(..) => panic!("nobody is lost"),
                    Event::Stopped(items) => left = items,
                }
                if done.len() > 2000 {
                    STOP.store(true, Ordering::Relaxed);
                }
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
    });
    assert!(done.len() > 2000 && left.len() > 10_000);
    let mut numbers: Vec<usize> = [done, left]
        .concat()
        .iter()
        .map(|item| number(item))
        .collect();
    numbers.sort_unstable();
    // Each item is one or the other, also one that was done out of order when the stop came.
    assert!(numbers.into_iter().eq(0..100_000));
}

fn number(item: &[u8]) -> usize {
    String::from_utf8_lossy(item).parse().unwrap()
}

#[test]
fn a_leader_that_prepares_for_long_is_not_lost() {
    let mut ranks = ranks(3);
    let followers = ranks.split_off(1);
    thread::scope(|scope| {
        let ended: Vec<_> = followers
            .into_iter()
            .map(|rank| scope.spawn(move || farm::follow(&rank, &HASTY, |items| Ok(work(items)))))
            .collect();
        let total = farm::prepare(&ranks[0], &HASTY, || {
            thread::sleep(3 * HASTY.patience);
            100
        });
        all_in_order(&led(&ranks[0], total, total), total);
        for follower in ended {
            assert_eq!(follower.join().unwrap(), Ok(Ending::Whole));
        }
    });
}

#[test]
fn a_follower_ends_when_the_leader_is_gone() {
    let mut ranks = ranks(2);
    let follower = ranks.remove(1);
    let ending = farm::follow(&follower, &HASTY, |items| Ok(work(items)));
    assert_eq!(ending, Err(LeaderLost));
}

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

#[test]
fn jobs_come_back_in_order() {
    let options = KeygenOptions {
        allow_small: true,
        ..Default::default()
    };
    let key = PrivateKey::generate_with(rng, 512, &options, &|_| ()).unwrap();
    let batch = Batch {
        threads: 1,
        options: PATIENT,
    };
    // Every kind of result, including errors.
    let job = |input: &[u8]| match input[0] % 5 {
        0 => Job::SignPkcs1v15(SignPkcs1v15 {
            key: key.clone(),
            hash: Hash::Sha256,
            digest: Hash::Sha256.digest(input),
        }),
        1 => Job::RawPrivate(RawPrivate {
            key: key.clone(),
            x: Nat::from_be_bytes(input),
        }),
        2 => Job::VerifyPkcs1v15(VerifyPkcs1v15 {
            key: key.public().clone(),
            hash: Hash::Sha256,
            digest: Hash::Sha256.digest(b"m"),
            signature: key
                .rsassa_pkcs1_v1_5_sign(&mut rng(), Hash::Sha256, &Hash::Sha256.digest(b"m"))
                .unwrap(),
        }),
        3 => Job::GenerateEc(Generate(Generator(Algorithm::Ed25519))),
        _ => Job::SignPkcs1v15(SignPkcs1v15 {
            key: key.clone(),
            hash: Hash::Sha256,
            digest: vec![0; 3],
        }),
    };
    let inputs: Vec<Vec<u8>> = (0..100_u8).map(|i| vec![i, 7, i]).collect();
    let mut all = ranks(3);
    let followers = all.split_off(1);
    thread::scope(|scope| {
        for rank in followers {
            let job = &job;
            scope.spawn(move || {
                let (answers, ending) = batch.run(&rank, rng, job, &[], |_, _, _| ()).unwrap();
                assert!(answers.is_empty() && ending == Ending::Whole);
            });
        }
        let lost = |rank, why: &str, _: &[Vec<u8>]| panic!("{rank}: {why}");
        let (answers, _) = batch.run(&all[0], rng, job, &inputs, lost).unwrap();
        assert_eq!(answers.len(), inputs.len());
        for (input, answer) in inputs.iter().zip(answers) {
            match (input[0] % 5, answer) {
                (0, Ok(Output::Bytes(signature))) => {
                    let digest = Hash::Sha256.digest(input);
                    let public = key.public();
                    public
                        .rsassa_pkcs1_v1_5_verify(Hash::Sha256, &digest, &signature)
                        .unwrap();
                }
                (1, Ok(Output::Number(y))) => {
                    let x = Nat::from_be_bytes(input);
                    assert_eq!(
                        y.to_be_bytes(64),
                        key.rsadp(&mut rng(), &x).unwrap().to_be_bytes(64)
                    );
                }
                (2, Ok(Output::Verified)) => {}
                (3, Ok(Output::Key(key))) => assert_eq!(key.algorithm(), Algorithm::Ed25519),
                (4, Err(why)) => assert!(!why.is_empty()),
                (_, other) => panic!("{input:?}: {other:?}"),
            }
        }
    });
}

/// A batch that was stopped before it began has an answer for each input nevertheless.
#[test]
fn a_stopped_batch_says_what_had_no_turn() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let options = Options {
        stop: &STOP,
        ..PATIENT
    };
    let batch = Batch {
        threads: 1,
        options,
    };
    let job = |_: &[u8]| Job::GenerateEc(Generate(Generator(Algorithm::Ed25519)));
    let lost = |rank, why: &str, _: &[Vec<u8>]| panic!("{rank}: {why}");
    let (answers, ending) = batch
        .run(&ranks(1)[0], rng, job, &[vec![7], vec![8]], lost)
        .unwrap();
    let whys: Vec<_> = answers
        .into_iter()
        .map(|answer| answer.unwrap_err())
        .collect();
    assert_eq!(whys, ["the run was stopped before it had a result"; 2]);
    assert_eq!(ending, Ending::Whole);
}
