//! `Service`: every call gets what its job gives alone, whatever happens around it.

use crate::support::{DL_KEYS, KEYS, LANE_KEYS, Rng, check, job, mixed, rng};
use carrysave_arith::{Cpu, Plan};
use carrysave_engine::{
    self as engine, Decrypter, Job, Metrics, Service, ServiceError, ServiceOptions, Signer,
};
use carrysave_schemes::dl::task::VerifyDsa;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{Error, Padding};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, yield_now};
use std::time::Duration;

fn options(threads: usize) -> ServiceOptions {
    ServiceOptions {
        threads,
        ..Default::default()
    }
}

/// Runs the job, and compares.
fn call(service: &Service, job: Job) {
    let result = service.run(job.clone()).map_err(|e| match e {
        ServiceError::Task(e) => e,
        e => panic!("{e}"),
    });
    check(&job, &result);
}

#[test]
fn many_callers() {
    for threads in [1, 2, 4] {
        let service = Service::with_rng(options(threads), rng).unwrap();
        thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| mixed(8).into_iter().for_each(|job| call(&service, job)));
            }
        });
        let Metrics {
            jobs,
            groups,
            queued,
            queue_total,
            queue_max,
            ..
        } = service.metrics();
        assert_eq!((jobs, queued), (64 * 8, 0));
        assert!(groups <= jobs && jobs <= 8 * groups);
        assert!(queue_max <= queue_total && queue_total <= 64 * 8 * queue_max);
        let fill = service.metrics().mean_fill();
        assert!((1.0..=8.0).contains(&fill));
    }
}

#[test]
fn a_lone_caller_runs_alone() {
    let service = Service::with_rng(options(1), rng).unwrap();
    for job in mixed(20) {
        call(&service, job);
    }
    assert_eq!((service.metrics().jobs, service.metrics().groups), (20, 20));
}

#[test]
fn errors_are_those_of_the_operation() {
    let service = Arc::new(Service::with_rng(options(1), rng).unwrap());
    let (key, hash) = (&KEYS[0], Hash::Sha256);
    let signer = Signer::new(service.clone());
    let error = signer.sign(key, hash, Padding::Pkcs1v15, b"short");
    let expected = Error::DigestLength {
        expected: 32,
        found: 5,
    };
    assert_eq!(error, Err(ServiceError::Task(expected)));
    let decrypter = Decrypter::new(service);
    let decryption = Err(ServiceError::Task(Error::Decryption));
    let oaep = decrypter.rsaes_oaep_decrypt(key, hash, hash, b"", b"short");
    assert_eq!(oaep, decryption);
    assert_eq!(
        decrypter.rsaes_pkcs1_v1_5_decrypt(key, b"short"),
        decryption
    );
}

/// What the next group does.
enum Token {
    Run,
    Panic,
}

/// A service on one thread whose groups each wait for a token; without the sender all run.
fn gated() -> (mpsc::Sender<Token>, Service) {
    gated_with(options(1))
}

fn gated_with(options: ServiceOptions) -> (mpsc::Sender<Token>, Service) {
    let (sender, tokens) = mpsc::channel();
    let tokens = Mutex::new(tokens);
    let service = Service::with_rng(options, move || -> Rng {
        let token = tokens.lock().unwrap().recv();
        if let Ok(Token::Panic) = token {
            // Past the hook that prints a message.
            std::panic::resume_unwind(Box::new("planted"));
        }
        rng()
    });
    (sender, service.unwrap())
}

/// Starts a call, and returns once its group has begun or it is the `place`th in the queue.
fn start<'s>(
    scope: &'s thread::Scope<'s, '_>,
    service: &'s Service,
    job: Job,
    place: usize,
) -> thread::ScopedJoinHandle<'s, Result<(), ServiceError<engine::Error>>> {
    let handle = scope.spawn(move || {
        service
            .run(job.clone())
            .map(|output| check(&job, &Ok(output)))
    });
    while service.metrics().queued < place || service.metrics().jobs == 0 {
        yield_now();
    }
    handle
}

#[test]
fn waiting_calls_share_groups_and_the_oldest_goes_first() {
    let (tokens, service) = gated();
    // Two classes: A is private and B public.
    let a = |i| job(1, &LANE_KEYS[i % 2], i);
    thread::scope(|scope| {
        let first = start(scope, &service, a(0), 0);
        let mut others: Vec<_> = (1..=20).map(|i| start(scope, &service, a(i), i)).collect();
        let b = start(scope, &service, job(6, &LANE_KEYS[0], 0), 21);
        others.extend((22..=41).map(|i| start(scope, &service, a(i), i)));
        // The first, three groups of A that begin with an older call than B, and B.
        for _ in 0..5 {
            tokens.send(Token::Run).unwrap();
        }
        assert_eq!(b.join().unwrap(), Ok(()));
        drop(tokens);
        assert_eq!(first.join().unwrap(), Ok(()));
        for other in others {
            assert_eq!(other.join().unwrap(), Ok(()));
        }
    });
    // 1 and 5 x 8 of A, 1 of B.
    assert_eq!((service.metrics().jobs, service.metrics().groups), (42, 7));
}

#[test]
fn a_caller_waits_for_no_job_of_others_after_its_own() {
    let (tokens, service) = gated();
    thread::scope(|scope| {
        let first = start(scope, &service, job(1, &LANE_KEYS[0], 0), 0);
        let later = start(scope, &service, job(1, &LANE_KEYS[0], 1), 1);
        tokens.send(Token::Run).unwrap();
        assert_eq!(first.join().unwrap(), Ok(()));
        assert!(!later.is_finished());
        drop(tokens);
        assert_eq!(later.join().unwrap(), Ok(()));
    });
}

/// Its threads sleep, and end.
#[test]
fn a_service_can_be_dropped_unused_or_after_use() {
    for calls in [0, 1, 20] {
        let service = Service::with_rng(options(2), rng).unwrap();
        thread::scope(|scope| {
            for i in 0..calls {
                let service = &service;
                scope.spawn(move || call(service, job(6, &LANE_KEYS[0], i)));
            }
        });
        drop(service);
    }
}

/// Each call runs as soon as a thread is free, and none waits for others to join: each wait here would take an hour.
#[test]
fn jobs_that_no_lanes_are_for_are_not_gathered() {
    let (tokens, service) = gated_with(ServiceOptions {
        wait: Duration::from_secs(3600),
        ..options(1)
    });
    let key = KEYS[0].with_cpu(Cpu::portable());
    thread::scope(|scope| {
        let calls: Vec<_> = (0..5)
            .map(|i| start(scope, &service, job(1, &key, i), i))
            .collect();
        drop(tokens);
        for call in calls {
            assert_eq!(call.join().unwrap(), Ok(()));
        }
    });
    assert_eq!((service.metrics().jobs, service.metrics().groups), (5, 5));
}

/// Without lanes, calls of one key run together for its tables: where these pay, and until they are made.
#[test]
fn verifications_of_dsa_are_gathered_where_their_tables_pay() {
    let cpu = Cpu::portable();
    let key = DL_KEYS[0].with_plan(cpu, Plan::best(cpu));
    let (public, hash) = (key.public(), Hash::Sha256);
    let from = public.verifications_from().unwrap();
    for (waiting, groups) in [(from - 1, from), (from, 2), (from, from + 1)] {
        let (tokens, service) = gated();
        thread::scope(|scope| {
            let verify = |i: usize| {
                let digest = hash.digest(&i.to_le_bytes());
                let signature = DL_KEYS[0].dsa_sign(hash, &digest).unwrap().to_der();
                let key = public.clone();
                Job::VerifyDsa(VerifyDsa {
                    key,
                    hash,
                    digest,
                    signature,
                })
            };
            let calls: Vec<_> = (0..=waiting)
                .map(|i| start(scope, &service, verify(i), i))
                .collect();
            drop(tokens);
            for call in calls {
                assert_eq!(call.join().unwrap(), Ok(()));
            }
        });
        assert_eq!(service.metrics().groups, groups as u64);
    }
    assert_eq!(public.verifications_from(), None);
}

#[test]
fn a_panic_reaches_the_callers_of_its_group_only() {
    for first_too in [false, true] {
        let (tokens, service) = gated();
        thread::scope(|scope| {
            let first = start(scope, &service, job(0, &LANE_KEYS[0], 0), 0);
            let unlucky: Vec<_> = (1..=3)
                .map(|i| start(scope, &service, job(0, &LANE_KEYS[0], i), i))
                .collect();
            let other = start(scope, &service, job(6, &LANE_KEYS[0], 0), 4);
            tokens
                .send(if first_too { Token::Panic } else { Token::Run })
                .unwrap();
            tokens.send(Token::Panic).unwrap();
            drop(tokens);
            let panicked = Err(ServiceError::Panicked);
            let expected = if first_too { panicked.clone() } else { Ok(()) };
            assert_eq!(first.join().unwrap(), expected);
            for call in unlucky {
                assert_eq!(call.join().unwrap(), panicked);
            }
            assert_eq!(other.join().unwrap(), Ok(()));
        });
        call(&service, job(0, &LANE_KEYS[0], 0));
        assert_eq!((service.metrics().jobs, service.metrics().groups), (6, 4));
    }
}

/// No call waits for a caller that has not left yet, or for one that was there once: each wait here would take an hour.
#[test]
fn only_company_that_can_come_is_waited_for() {
    let (tokens, service) = gated_with(ServiceOptions {
        wait: Duration::from_secs(3600),
        ..options(1)
    });
    let service = Arc::new(service);
    let (done, ends) = mpsc::channel();
    // Not in a scope, so that a wait fails the test and does not hold it up.
    let start = |number: usize| {
        let (service, done) = (service.clone(), done.clone());
        thread::spawn(move || {
            call(&service, job(1, &LANE_KEYS[0], number));
            done.send(()).unwrap();
        });
    };
    let end = || ends.recv_timeout(Duration::from_secs(60)).unwrap();
    start(0);
    while service.metrics().jobs == 0 {
        yield_now();
    }
    (1..=3).for_each(start);
    while service.metrics().queued < 3 {
        yield_now();
    }
    drop(tokens);
    (0..=3).for_each(|_| end());
    start(4);
    end();
    assert_eq!((service.metrics().jobs, service.metrics().groups), (5, 3));
}

#[test]
fn shutdown_while_busy() {
    for threads in [1, 2] {
        let service = Service::with_rng(options(threads), rng).unwrap();
        let served: u64 = thread::scope(|scope| {
            let callers: Vec<_> = (0..16)
                .map(|i| {
                    let service = &service;
                    scope.spawn(move || {
                        let mut served = 0;
                        loop {
                            match service.run(job(1, &KEYS[i % 6], i)) {
                                Ok(_) => served += 1,
                                Err(e) => {
                                    assert_eq!(e, ServiceError::ShutDown);
                                    break served;
                                }
                            }
                        }
                    })
                })
                .collect();
            while service.metrics().jobs < 100 {
                yield_now();
            }
            service.shutdown();
            let jobs = service.metrics().jobs;
            let served = callers.into_iter().map(|c| c.join().unwrap()).sum();
            assert_eq!(jobs, served);
            served
        });
        assert!(served >= 100);
        service.shutdown();
        let late = service.run(job(1, &LANE_KEYS[0], 0));
        assert_eq!(late.err(), Some(ServiceError::ShutDown));
    }
}

#[test]
fn shutdown_lets_the_queue_finish() {
    let (tokens, service) = gated();
    thread::scope(|scope| {
        let first = start(scope, &service, job(0, &LANE_KEYS[0], 0), 0);
        let waiting: Vec<_> = (1..=20)
            .map(|i| start(scope, &service, mixed(1).remove(0), i))
            .collect();
        let shutdown = scope.spawn(|| service.shutdown());
        drop(tokens);
        shutdown.join().unwrap();
        assert_eq!(service.metrics().jobs, 21);
        for call in waiting.into_iter().chain([first]) {
            assert_eq!(call.join().unwrap(), Ok(()));
        }
    });
}
