//! Many faults at once: bits flip in some of the intermediate values of an operation, alone, in lanes and by a team. What is
//! released is right.
//!
//! Tests of each scheme flip bits of every value alone, and say which value it was: every bit in RSA, DSA and Ed25519, every
//! 15th in Ed448, every third or 13th in ECDSA. This one looks for faults that hide each other. It plants 1000 in each way
//! of each scheme, and 100,000 with `CARRYSAVE_SLOW=1`.

#[path = "support/mod.rs"]
mod support;

use carrysave_arith::{Cpu, Nat, Plan};
use carrysave_schemes::ec::{
    BrainpoolP256r1, Ed448PrivateKey, Ed25519PrivateKey, Named, P256, P521, Secp256k1,
};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::{dl, ec, rsa, testing};
use carrysave_team::{Serial, Spawned, Team};
use rand_core::Rng as _;
use support::{Rng, flipped, rng};

/// Flips bits in a third of the values that it sees: one, or up to 16.
struct Flips {
    rng: Rng,
    /// The values that were changed.
    planted: usize,
    /// The values of these operations with what they were changed to, and the index of the operation.
    made: Vec<(usize, [Nat; 2])>,
}

impl Flips {
    fn of(&mut self, index: usize, value: &Nat) -> Option<Nat> {
        let mut below = |n: usize| (self.rng.next_u64() % n as u64) as usize;
        if below(3) > 0 {
            return None;
        }
        let most = 1 << below(5);
        let count = 1 + below(most);
        let flip = |value: Nat, _| flipped(&value, below(64 * value.width()));
        let changed = (0..count).fold(value.clone(), flip);
        self.planted += 1;
        self.made.push((index, [value.clone(), changed.clone()]));
        Some(changed)
    }

    /// Whether a value of an operation was changed alike twice: what is computed twice to be compared is then wrong twice,
    /// which no check sees.
    fn alike(&self, index: usize) -> bool {
        let mut made = self.made.iter().enumerate();
        made.any(|(i, made)| made.0 == index && self.made[..i].contains(made))
    }
}

/// Runs operations until enough faults were found. `run` gives one or several results, each of which is `right` or `fault`.
fn search<T: PartialEq, E: PartialEq + std::fmt::Debug>(
    what: &str,
    right: &[T],
    fault: &E,
    mut run: impl FnMut(&mut Flips) -> Vec<Result<T, E>>,
) {
    let slow = std::env::var_os("CARRYSAVE_SLOW").is_some();
    let least = if slow { 100_000 } else { 1000 };
    let mut flips = Flips {
        rng: rng(),
        planted: 0,
        made: vec![],
    };
    let mut results = 0;
    let (mut found, mut alike) = (0, 0);
    while flips.planted < least || found < least / 10 {
        flips.made.clear();
        let made = run(&mut flips);
        assert_eq!(made.len(), right.len());
        results += made.len();
        for (i, (made, right)) in made.into_iter().zip(right).enumerate() {
            match made {
                Ok(made) => {
                    let wrong = made != *right;
                    assert!(!wrong || flips.alike(i), "{what}: a wrong result came out");
                    alike += usize::from(wrong);
                }
                Err(error) => {
                    assert_eq!(error, *fault, "{what}");
                    found += 1;
                }
            }
        }
    }
    // Values are long: few changes are alike.
    assert!(
        alike <= 3 + results / 10_000,
        "{what}: {alike} of {results}"
    );
    println!(
        "{what}: {} values were changed, {found} of {results} results withheld, no wrong one released but {alike} that were \
         changed alike twice",
        flips.planted
    );
}

fn rsa_key(primes: usize) -> rsa::PrivateKey {
    let options = rsa::KeygenOptions {
        allow_small: true,
        allow_many_primes: true,
        primes,
        ..Default::default()
    };
    rsa::PrivateKey::generate_with(rng, 512, &options, &|_| ()).unwrap()
}

#[test]
fn rsa_alone_and_by_a_team() {
    let rng = &mut rng();
    let teams: [(&str, &dyn Team); 2] = [("alone", &Serial), ("by a team", &Spawned::new(2))];
    for (by, team) in teams {
        for primes in [2, 3] {
            let key = rsa_key(primes);
            let m = Nat::random_below(key.public().n(), rng);
            let right = key.rsasp1(rng, &m).unwrap();
            let what = format!("RSA with {primes} primes {by}");
            search(&what, &[right], &rsa::Error::Fault, |flips| {
                let mut plant = |i, _, value: &Nat| flips.of(i, value);
                vec![testing::rsadp(&key, team, rng, &m, &mut plant)]
            });
        }
    }
}

#[test]
fn rsa_in_lanes() {
    let rng = &mut rng();
    let keys: Vec<_> = (0..rsa::batch::LANES).map(|_| rsa_key(2)).collect();
    let random = |key: &rsa::PrivateKey| Nat::random_below(key.public().n(), &mut support::rng());
    let numbers: Vec<Nat> = keys.iter().map(random).collect();
    let jobs: Vec<_> = keys.iter().zip(&numbers).collect();
    let each = jobs.iter().map(|(key, m)| key.rsasp1(rng, m).unwrap());
    let right: Vec<Nat> = each.collect();
    search("RSA in lanes", &right, &rsa::Error::Fault, |flips| {
        let mut plant = |i, _, value: &Nat| flips.of(i, value);
        testing::rsadp_in_lanes(rng, &jobs, &mut plant)
    });
}

#[test]
fn dsa_alone_and_in_lanes() {
    let (rng, hash, cpu) = (&mut rng(), Hash::Sha256, Cpu::native());
    let (group, _) = dl::Group::generate_with(rng, 512, 160, hash, &mut || ()).unwrap();
    let digest = hash.digest(b"a message");
    for count in [1, dl::batch::LANES] {
        let plan = Plan::best(cpu).always_in_lanes();
        let key =
            |_| dl::PrivateKey::generate_with(&group, &mut support::rng()).with_plan(cpu, plan);
        let keys: Vec<_> = (0..count).map(key).collect();
        let jobs: Vec<_> = keys.iter().map(|key| (key, hash, &digest[..])).collect();
        let each = keys.iter().map(|key| key.dsa_sign(hash, &digest).unwrap());
        let right: Vec<_> = each.collect();
        let what = format!("DSA, {count} at once");
        search(&what, &right, &dl::Error::Fault, |flips| {
            let mut plant = |i, _, value: &Nat| flips.of(i, value);
            match &keys[..] {
                [key] => vec![testing::dsa_sign(key, hash, &digest, &[], &mut plant)],
                _ => testing::dsa_sign_group(&jobs, &mut plant),
            }
        });
    }
}

fn ecdsa_on<C: Named>() {
    let (key, hash) = (ec::PrivateKey::<C>::generate(), Hash::Sha256);
    let digest = hash.digest(b"a message");
    let right = key.ecdsa_sign_recoverable(hash, &digest).unwrap();
    let what = format!("ECDSA on {}", C::NAME);
    search(&what, &[right], &ec::Error::Fault, |flips| {
        let mut plant = |i, _, value: &Nat| flips.of(i, value);
        vec![testing::ecdsa_sign(&key, hash, &digest, &[], &mut plant)]
    });
}

#[test]
fn ecdsa() {
    ecdsa_on::<P256>();
    ecdsa_on::<P521>();
    ecdsa_on::<Secp256k1>();
}

fn ecdsa_at_once_on<C: Named>(hash: Hash) {
    let digest = hash.digest(b"a message");
    for count in [1, 8] {
        let keys: Vec<_> = (0..count)
            .map(|_| ec::PrivateKey::<C>::generate())
            .collect();
        let jobs: Vec<_> = keys.iter().map(|key| (key, hash, &digest[..])).collect();
        let each = keys.iter().map(|key| key.ecdsa_sign(hash, &digest));
        let right: Vec<_> = each.map(Result::unwrap).collect();
        let what = format!("ECDSA on {}, {count} at once", C::NAME);
        search(&what, &right, &ec::Error::Fault, |flips| {
            testing::ecdsa_sign_group(&jobs, &mut |i, _, value: &Nat| flips.of(i, value))
        });
    }
}

/// With and without lanes for the curve.
#[test]
fn ecdsa_many_at_once() {
    ecdsa_at_once_on::<P256>(Hash::Sha256);
    ecdsa_at_once_on::<P521>(Hash::Sha512);
    ecdsa_at_once_on::<BrainpoolP256r1>(Hash::Sha256);
}

#[test]
fn ed25519_alone_and_in_lanes() {
    for count in [1, 8] {
        let keys: Vec<_> = (0..count).map(|_| Ed25519PrivateKey::generate()).collect();
        let jobs: Vec<_> = keys.iter().map(|key| (key, &b"a message"[..])).collect();
        let right: Vec<_> = keys.iter().map(|key| key.sign(b"a message")).collect();
        let what = format!("Ed25519, {count} at once");
        search(&what, &right, &ec::Error::Fault, |flips| {
            testing::ed25519_sign(&jobs, &mut |i, _, value: &Nat| flips.of(i, value))
        });
    }
}

#[test]
fn ed448() {
    let key = Ed448PrivateKey::generate();
    let right = key.sign(b"a message");
    search("Ed448", &[right], &ec::Error::Fault, |flips| {
        let mut plant = |i, _, value: &Nat| flips.of(i, value);
        vec![testing::ed448_sign(&key, b"a message", &mut plant)]
    });
}
