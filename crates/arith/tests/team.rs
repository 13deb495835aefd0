//! Algorithms for several threads, on one to eight threads on any processor, against the oracle.
#![allow(missing_docs)]

mod support;
use carrysave_arith::published::mont_mul::{ALGORITHMS, Algorithm};
use carrysave_arith::published::pow::Version;
use carrysave_arith::{Group, Method, Modulus, Nat};
use carrysave_kernels::mpn::Mpn;
use carrysave_team::{Spawned, Team, messages::Channels};
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use support::{TestRng, num};

/// A team of `threads` threads.
fn scoped(threads: usize) -> Spawned {
    Spawned::new(threads)
}

/// `-v^-1 mod 2^64`, a bit at a time.
fn neg_inverse(v: u64) -> u64 {
    let bits = (0..64).fold(0u64, |x, i| {
        let wrong = v.wrapping_mul(x).wrapping_add(1) >> i & 1;
        x | wrong << i
    });
    assert_eq!(v.wrapping_mul(bits), u64::MAX);
    bits
}

/// The factors and the modulus of a multiplication, and its unique result.
struct Case {
    a: Nat,
    b: Nat,
    n: Nat,
    r: Nat,
    /// The product of a with itself.
    square: Nat,
}

impl Case {
    /// The factors are taken modulo n.
    fn new(a: Nat, b: Nat, n: Nat) -> Case {
        let modulus = Modulus::new(&n).unwrap();
        let k = n.width();
        let [a, b] = [a, b].map(|x| modulus.reduce(&x).resize(k).unwrap());
        let n0 = neg_inverse(n.limbs()[0]);
        let kernel = &Mpn::native().mont_mul;
        let [r, square] = [&b, &a].map(|b| {
            let (mut r, mut t) = (vec![0; k], vec![0; 2 * k]);
            kernel.call(&mut r, a.limbs(), b.limbs(), n.limbs(), n0, &mut t);
            Nat::from_limbs(&r)
        });
        Case { a, b, n, r, square }
    }

    fn check_by_oracle(&self) {
        let [a, n] = [&self.a, &self.n].map(num);
        for (b, r) in [(&self.b, &self.r), (&self.a, &self.square)] {
            let (b, r) = (num(b), num(r));
            assert!(r < n);
            // One long division, of the difference, instead of two.
            let (shifted, product) = (r.shl(64 * self.n.width()), a.mul(&b));
            let apart = shifted.checked_sub(&product);
            let apart = apart.unwrap_or_else(|| product.sub(&shifted));
            assert!(apart.rem(&n).is_zero());
        }
    }

    fn check(&self, algorithm: &Algorithm, team: &dyn Team) {
        let (a, b, n) = (self.a.limbs(), self.b.limbs(), self.n.limbs());
        let mut r = vec![u64::MAX; n.len()];
        algorithm.call(team, &mut r, a, b, n, neg_inverse(n[0]));
        let (k, size) = (n.len(), team.size());
        let at = || format!("{algorithm:?} on {k} limbs and {size} threads");
        assert!(r == self.r.limbs(), "{}", at());
        let (mut r, mut s) = (b.to_vec(), a.to_vec());
        algorithm.call_pair(team, &mut r, &mut s, n, neg_inverse(n[0]));
        assert!(r == self.r.limbs(), "the product of a pair, {}", at());
        assert!(s == self.square.limbs(), "the square of a pair, {}", at());
    }
}

fn ones(k: usize) -> Nat {
    Nat::from_limbs(&vec![u64::MAX; k])
}

#[test]
fn montgomery_multiplication_on_one_to_eight_threads() {
    let mut rng = TestRng(31);
    let few = [
        1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 97, 150, 211, 300,
    ];
    let all = std::env::var_os("CARRYSAVE_SLOW").is_some();
    if !all {
        eprintln!("SKIPPED: all sizes from 1 to 300 limbs: set CARRYSAVE_SLOW=1");
    }
    for k in (1..=300).filter(|k| all || few.contains(k)) {
        let less = |n: &Nat| n.sub_limb(1).unwrap();
        let any = rng.odd(k);
        let mut top = any.clone();
        top.set_bit(64 * k - 1);
        let cases = [
            Case::new(less(&ones(k)), less(&ones(k)), ones(k)),
            Case::new(less(&top), less(&top), top),
            Case::new(rng.nat(k), rng.nat(k), any),
        ];
        // All sizes would take minutes, so most have one case.
        let cases = if few.contains(&k) {
            &cases[..]
        } else {
            &cases[k % 3..][..1]
        };
        for case in cases {
            case.check_by_oracle();
            // Long numbers get one team, another one in each case.
            let teams = match k {
                ..18 => 1..=8,
                _ => {
                    let size = 1 + rng.below(8);
                    size..=size
                }
            };
            for size in teams {
                for algorithm in ALGORITHMS {
                    case.check(algorithm, &scoped(size));
                }
            }
        }
    }
}

/// The lengths of the thesis's tables 4 and 7, 512 to 20,096 words of 32 bits.
#[test]
fn montgomery_multiplication_at_the_published_lengths() {
    let mut rng = TestRng(32);
    for words in (512..=20_096).step_by(1224) {
        let k = words / 2;
        let mut n = rng.odd(k);
        n.set_bit(64 * k - 1);
        let case = Case::new(rng.nat(k), rng.nat(k), n);
        case.check_by_oracle();
        for algorithm in ALGORITHMS {
            // Algorithms that wait at each row are slow with more threads than processors.
            if words < 4000 || algorithm.name == "pfios" || algorithm.name == "pshs" {
                case.check(algorithm, &scoped(2));
            }
        }
    }
}

#[test]
fn powers_by_a_team() {
    let mut rng = TestRng(33);
    for (k, size) in [(1, 3), (9, 2)] {
        let number = rng.odd(k);
        let n = Modulus::new(&number).unwrap();
        let base = n.reduce(&rng.nat(k));
        let exp = rng.nat(1).shr(20);
        let power = num(&base).pow_mod(&num(&exp), &num(&number));
        for algorithm in ALGORITHMS {
            for method in ["fixed_window", "signed_digit", "common_multiplicand"] {
                let method = Method::named(method).unwrap();
                let r = n.pow_by_team(&scoped(size), algorithm, method, &base, &exp);
                assert!(num(&r) == power, "{algorithm:?}, {method:?}");
                if algorithm.by_messages() {
                    let channels = Channels::new(size);
                    scoped(size).run(&|member| {
                        let comm = channels.link(member);
                        let r = n.pow_over(&comm, algorithm, method, &base, &exp);
                        let rank = member.rank();
                        assert!(num(&r) == power, "{algorithm:?}, {method:?}, rank {rank}");
                    });
                }
            }
        }
    }
}

#[test]
fn powers_on_two_threads() {
    let mut rng = TestRng(34);
    for (k, bits) in [(1, 7), (1, 300), (2, 25), (5, 120), (9, 64), (17, 40)] {
        let number = rng.odd(k);
        let n = Modulus::new(&number).unwrap();
        let base = n.reduce(&rng.nat(k));
        let ones = Nat::power_of_two(bits).sub_limb(1).unwrap();
        let width = bits.div_ceil(64);
        let any = rng.nat(width).shr(64 * width - bits);
        for exp in [
            Nat::zero(),
            Nat::one(),
            Nat::from_limb(2),
            Nat::power_of_two(bits - 1),
            ones,
            any,
        ] {
            let power = num(&base).pow_mod(&num(&exp), &num(&number));
            for version in Version::ALL {
                for size in 1..=4 {
                    let r = n.pow_threaded_vartime(&scoped(size), version, &base, &exp);
                    assert!(num(&r) == power, "{version:?} on {size}");
                }
            }
        }
    }
}

/// Powers of one base as their exponents, multiplied by addition, with a count of each thread's multiplications.
struct Counted<'a>(&'a Mutex<Vec<ThreadId>>);

impl Group for Counted<'_> {
    type Element = u128;

    fn one(&self) -> u128 {
        0
    }

    fn square(&mut self, x: &mut u128) {
        let x_too = *x;
        self.mul(x, &x_too);
    }

    fn mul(&mut self, x: &mut u128, y: &u128) {
        *x = x.wrapping_add(*y);
        self.0.lock().unwrap().push(thread::current().id());
    }
}

/// "cryptopp_p4_exponentiation_workload_1024bit_multiplications": group multiplications for a random exponent of 1024
/// bits.
#[test]
fn workloads_are_the_published_ones() {
    let published = [
        (Version::V1, [1070, 1044]),
        (Version::V2, [1087, 146]),
        (Version::V2_1, [1031, 256]),
    ];
    let mut rng = TestRng(35);
    for (version, figures) in published {
        let equations = version.workloads(1024).map(|x| x.round() as usize);
        assert_eq!(equations, figures, "{version:?}");
        let mut counts = [0; 2];
        for _ in 0..20 {
            let limbs: Vec<u64> = (0..16).map(|_| rng.word()).collect();
            let mut exp = Nat::from_limbs(&limbs);
            exp.set_bit(1023);
            let log = Mutex::default();
            let r = version.power_vartime(&scoped(2), &|| Counted(&log), &1, &exp);
            assert_eq!(r, u128::from(limbs[0]) | u128::from(limbs[1]) << 64);
            let log = log.into_inner().unwrap();
            let main = log.iter().filter(|id| **id == thread::current().id());
            let main = main.count();
            counts[0] += main;
            counts[1] += log.len() - main;
        }
        for (count, figure) in counts.iter().zip(figures) {
            assert!(
                (count / 20).abs_diff(figure) < 12,
                "{version:?}: {counts:?}"
            );
        }
    }
}

/// The main thread of version 1 has slightly more work than the helper, at any length.
#[test]
fn version_1_splits_the_exponent_in_even_workloads() {
    for bits in (128..4096).step_by(37) {
        let [main, helper] = Version::V1.workloads(bits);
        assert!(
            main > helper && main < 1.1 * helper,
            "{bits}: {main} {helper}"
        );
    }
}

#[test]
fn names() {
    for algorithm in ALGORITHMS {
        let found = Algorithm::named(algorithm.name).unwrap();
        assert!(std::ptr::eq(found, algorithm));
    }
    assert!(Algorithm::named("pcios").is_none());
}
