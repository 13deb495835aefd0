//! What goes on in a process of its own: it reads for how many seconds to go on, works, and says how much it did.

use super::{Disturber, Outcome, Setting, Trial};
use crate::processes::Processes;
use carrysave_arith::Nat;
use carrysave_engine::{Batch, Decrypter, Service, ServiceOptions, Signer, Threads};
use carrysave_schemes::ec::task::X25519Agree;
use carrysave_schemes::ec::{self, Ed25519PrivateKey, P256, X25519PrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{Padding, PrivateKey, task::SignPkcs1v15};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// A process that does not answer for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const HASH: Hash = Hash::Sha256;

/// What works until then, and says how many operations that were. It panics at a wrong result.
type Work = Box<dyn Fn(Instant) -> u64>;

/// A name, and what begins that work with so many threads.
type Row = (&'static str, fn(usize) -> Work);

const WORKS: [Row; 2] = [("signer", signs), ("service", serves)];

pub(super) fn signer(setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
    Inside::start("signer", setting, disturber)
}

pub(super) fn service(setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
    Inside::start("service", setting, disturber)
}

/// A process that works inside.
struct Inside {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    operations: u64,
}

impl Inside {
    fn start(name: &str, setting: &Setting, disturber: &Disturber) -> io::Result<Box<dyn Trial>> {
        let mut child = Command::new(&setting.program)
            .args(["soak", "--inside", name])
            .args(["--clients", &setting.clients.to_string()])
            .envs(
                disturber
                    .wall_clock()
                    .map(|library| ("LD_PRELOAD", library)),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (answer, answers) = mpsc::channel();
        thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.for_each(|line| _ = answer.send(line));
        });
        Ok(Box::new(Inside {
            child,
            input,
            answers,
            operations: 0,
        }))
    }
}

impl Trial for Inside {
    fn processes(&self) -> Processes {
        Processes(self.child.id())
    }

    fn go_on(&mut self, time: Duration) -> io::Result<()> {
        writeln!(self.input, "{}", time.as_secs_f64())?;
        let answer = self.answers.recv_timeout(time + PATIENCE);
        let answer = answer.map_err(|_| {
            io::Error::other(match self.child.try_wait() {
                Ok(Some(status)) => format!("it ended too early: {status}"),
                _ => format!("it did not answer for {} s", PATIENCE.as_secs()),
            })
        })?;
        self.operations += answer.parse::<u64>().map_err(io::Error::other)?;
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<Outcome> {
        // It ends with its input.
        drop(self.input);
        let ended = Instant::now();
        while self.child.try_wait()?.is_none() {
            if ended.elapsed() > PATIENCE {
                self.child.kill()?;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let status = self.child.wait()?;
        let mut faults = Vec::new();
        if !status.success() {
            faults.push(format!("it ended with {status}"));
        }
        if self.operations == 0 {
            faults.push("it did nothing".to_owned());
        }
        let did = format!("{} operations, each checked", self.operations);
        Ok(Outcome { did, faults })
    }
}

/// What a process of a subject does: for each line of standard input, which is a number of seconds, it works for so long,
/// and then prints how many operations that were. It says so in a sentence if there is no such work.
///
/// # Errors
/// Those of standard input and output, and of a line that is no number of seconds.
///
/// # Panics
/// If a result is wrong: nobody is to go on then.
pub fn work(name: &str, callers: usize) -> io::Result<()> {
    let found = WORKS.iter().find(|(of, _)| *of == name);
    let (_, make) = found.ok_or_else(|| io::Error::other(format!("nothing is called {name}")))?;
    let work = make(callers);
    for line in io::stdin().lines() {
        let seconds: f64 = line?.parse().map_err(io::Error::other)?;
        let time = Duration::try_from_secs_f64(seconds).map_err(io::Error::other)?;
        let mut output = io::stdout();
        writeln!(output, "{}", work(Instant::now() + time))?;
        output.flush()?;
    }
    Ok(())
}

/// As many threads, each of which takes numbers from 0 on until then, one at least: how many there were.
fn threads(count: usize, until: Instant, one: impl Fn(usize, u64) + Sync) -> u64 {
    thread::scope(|scope| {
        let one = &one;
        let all: Vec<_> = (0..count)
            .map(|thread| {
                scope.spawn(move || {
                    for number in 0.. {
                        one(thread, number);
                        if Instant::now() >= until {
                            return number + 1;
                        }
                    }
                    unreachable!("time passes")
                })
            })
            .collect();
        let counts = all
            .into_iter()
            .map(|one| one.join().expect("no result is wrong"));
        counts.sum()
    })
}

fn rsa(octets: &[u8]) -> PrivateKey {
    PrivateKey::from_pkcs8_der(octets).expect("a key of the laboratory")
}

/// Two threads sign with keys that they share. One of them also has a team, and makes keys, writes them and reads them.
fn signs(_: usize) -> Work {
    let rng = || UnwrapErr(SysRng);
    let short = rsa(include_bytes!("../../data/rsa-2048.p8"));
    let long = rsa(include_bytes!("../../data/rsa-8192.p8"));
    let on_p256 = ec::PrivateKey::<P256>::generate_with(&mut rng());
    let on_25519 = Ed25519PrivateKey::generate_with(&mut rng());
    let team = Threads::up_to(2);
    Box::new(move |until| {
        threads(2, until, |thread, i| {
            let message = [thread as u64, i].map(u64::to_le_bytes).concat();
            let digest = HASH.digest(&message);
            match i % 64 {
                0 if thread == 0 => {
                    let m = Nat::from_be_bytes(&digest);
                    let s = long.rsadp_on(&team, &mut rng(), &m).expect("below n");
                    assert_eq!(long.public().rsavp1(&s), Ok(m));
                }
                32 if thread == 0 => {
                    let key = ec::PrivateKey::<P256>::generate_with(&mut rng());
                    let read = ec::PrivateKey::<P256>::from_pkcs8_der(&key.to_pkcs8_der());
                    let signature = read.expect("it was written").ecdsa_sign(HASH, &digest);
                    let signature = signature.expect("a signature");
                    assert_eq!(key.public().ecdsa_verify(HASH, &digest, &signature), Ok(()));
                }
                n if n % 4 == 1 => {
                    let signature = on_p256.ecdsa_sign(HASH, &digest).expect("a signature");
                    assert_eq!(
                        on_p256.public().ecdsa_verify(HASH, &digest, &signature),
                        Ok(())
                    );
                }
                n if n % 4 == 2 => {
                    let signature = on_25519.sign(&message);
                    assert_eq!(on_25519.public().verify(&message, &signature), Ok(()));
                }
                _ => {
                    let signature = short.rsassa_pss_sign(&mut rng(), HASH, HASH, 32, &digest);
                    let signature = signature.expect("a signature");
                    let public = short.public();
                    let verified =
                        public.rsassa_pss_verify(HASH, HASH, Some(32), &digest, &signature);
                    assert_eq!(verified, Ok(()));
                }
            }
        })
    })
}

/// As many callers sign, decrypt and agree by one service. One more makes services and batches that go away.
fn serves(callers: usize) -> Work {
    let rng = || UnwrapErr(SysRng);
    let key = rsa(include_bytes!("../../data/rsa-2048.p8"));
    let own = X25519PrivateKey::generate_with(&mut rng());
    let other = X25519PrivateKey::generate_with(&mut rng());
    let service = Arc::new(Service::new(ServiceOptions::default()).expect("threads"));
    let (signer, decrypter) = (
        Signer::new(service.clone()),
        Decrypter::new(service.clone()),
    );
    Box::new(move |until| {
        threads(callers + 1, until, |thread, i| {
            let message = [thread as u64, i].map(u64::to_le_bytes).concat();
            let digest = HASH.digest(&message);
            let verify = |signature: &[u8]| {
                let public = key.public();
                let verified = public.rsassa_pkcs1_v1_5_verify(HASH, &digest, signature);
                assert_eq!(verified, Ok(()));
            };
            if thread == callers {
                let tasks = vec![
                    SignPkcs1v15 {
                        key: key.clone(),
                        hash: HASH,
                        digest: digest.clone(),
                    };
                    16
                ];
                if i.is_multiple_of(2) {
                    let signatures = Batch::new(2).run(&tasks);
                    signatures
                        .iter()
                        .for_each(|one| verify(one.as_ref().expect("a signature")));
                } else {
                    let service = Service::new(ServiceOptions::default()).expect("threads");
                    verify(&service.run(tasks[0].clone()).expect("a signature"));
                    service.shutdown();
                    assert!(service.run(tasks[0].clone()).is_err());
                }
                return;
            }
            match i % 4 {
                0 | 1 => verify(
                    &signer
                        .sign(&key, HASH, Padding::Pkcs1v15, &digest)
                        .expect("a signature"),
                ),
                2 => {
                    let public = key.public();
                    let text = public.rsaes_oaep_encrypt(&mut rng(), HASH, HASH, b"", &message);
                    let text = text.expect("a short message");
                    let text = decrypter.rsaes_oaep_decrypt(&key, HASH, HASH, b"", &text);
                    assert_eq!(*text.expect("it was encrypted"), message);
                }
                _ => {
                    let task = X25519Agree {
                        key: own.clone(),
                        public: other.public(),
                    };
                    let shared = service.run(task).expect("a shared secret");
                    assert_eq!(Ok(shared), other.agree(&own.public()));
                }
            }
        })
    })
}
