//! Key generation, and every defect of a key.

use crate::support::*;
use crate::*;
use carrysave_arith::Nat;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_schemes::legacy::KeyError;
use der::{Decode, Encode, asn1::UintRef};

fn numbers(der: &[u8]) -> Vec<Nat> {
    let numbers = Vec::<UintRef<'_>>::from_der(der).unwrap();
    numbers
        .iter()
        .map(|x| Nat::from_be_bytes(x.as_bytes()).trim_vartime())
        .collect()
}

fn written(numbers: &[Nat]) -> Vec<u8> {
    let octets: Vec<Vec<u8>> = numbers.iter().map(Nat::to_be_bytes_vartime).collect();
    let uints: Vec<UintRef<'_>> = octets.iter().map(|x| UintRef::new(x).unwrap()).collect();
    uints.to_der().unwrap()
}

/// Counts keys that were refused with a sentence that says what to do.
#[derive(Default)]
struct Refused(usize);

impl Refused {
    fn count<T>(&mut self, what: &str, result: Result<T, KeyError>) {
        let error = result
            .err()
            .unwrap_or_else(|| panic!("{what} was accepted"));
        let text = error.to_string();
        let remedies = ["get the key again", "check which file", ": use ", "use a"];
        assert!(
            remedies.iter().any(|remedy| text.contains(remedy)),
            "{what}: {text}"
        );
        self.0 += 1;
    }

    /// A key with one number replaced by each of many. `fits` tells which numbers are good ones, too.
    fn replaced<T>(
        &mut self,
        good: &[Nat],
        fits: impl Fn(usize, &Nat) -> bool,
        read: impl Fn(&[u8]) -> Result<T, KeyError>,
    ) {
        for (i, x) in good.iter().enumerate() {
            let edits = [
                ("0", Nat::zero()),
                ("1", Nat::one()),
                ("2", Nat::from_limb(2)),
                ("x + 1", x.add_limb(1)),
                ("x - 1", x.sub_limb(1).unwrap()),
                ("x + 8", x.add_limb(8)),
                ("x - 8", x.sub_limb(8).unwrap_or_default()),
                ("2 x", x.shl(1)),
                ("x^2", x.sqr()),
                ("3 x", x.mul_limb(3)),
                ("x / 2", x.shr(1)),
                ("x + n", x.add(&good[0])),
                ("n", good[0].clone()),
                ("the next number", good[(i + 1) % good.len()].clone()),
                ("a long number", Nat::power_of_two(20_000).add_limb(5)),
            ];
            for (what, y) in edits {
                let mut numbers = good.to_vec();
                numbers[i] = y.trim_vartime();
                if numbers[i] != *x && !fits(i, &numbers[i]) {
                    self.count(&format!("number {i} := {what}"), read(&written(&numbers)));
                }
            }
        }
    }

    /// Files that are no keys.
    fn malformed<T>(&mut self, good: &[Nat], read: impl Fn(&[u8]) -> Result<T, KeyError>) {
        let der = written(good);
        let longer = [good, &[Nat::one()]].concat();
        // Each number is 02 01 01; the last becomes -127.
        let mut negative = written(&vec![Nat::one(); good.len()]);
        *negative.last_mut().unwrap() = 0x81;
        for (what, bytes) in [
            ("nothing", Vec::new()),
            ("a number less", written(&good[1..])),
            ("a number more", written(&longer)),
            ("a byte less", der[..der.len() - 1].to_vec()),
            ("a byte more", [&der[..], &[0]].concat()),
            ("a negative number", negative),
            ("another tag", [&[0x31], &der[1..]].concat()),
            ("text", b"-----BEGIN PUBLIC KEY-----".to_vec()),
        ] {
            self.count(what, read(&bytes));
        }
    }

    fn more_than_90(&self) {
        println!("{} bad keys refused", self.0);
        assert!(self.0 > 90, "{}", self.0);
    }
}

/// A prime of this length and class.
fn prime(bits: usize, class: (u64, u64)) -> Nat {
    let options = PrimeOptions {
        top_two_bits: true,
        congruent: Some(class),
        ..Default::default()
    };
    random_prime(bits, &options, &mut rng(), &mut || ()).unwrap()
}

/// The next prime of this class.
fn next_prime(after: &Nat, (a, m): (u64, u64)) -> Nat {
    let start = after
        .add_limb(m)
        .sub_limb(after.limbs()[0] % m)
        .unwrap()
        .add_limb(a);
    let mut candidates = (0..).map(|i| start.add_limb(m * i).trim_vartime());
    candidates
        .find(carrysave_arith::prime::is_prime_vartime)
        .unwrap()
}

/// Composites of this length and class, with two factors.
fn composite(bits: usize, (a, m): (u64, u64)) -> Nat {
    loop {
        let product = prime(bits / 2, (1, 2))
            .mul(&prime(bits - bits / 2, (1, 2)))
            .trim_vartime();
        if product.limbs()[0] % m == a && product.bits_vartime() == bits {
            return product;
        }
    }
}

#[test]
fn bad_rw_keys_are_refused() {
    let mut refused = Refused::default();
    let key = rw_key(512);
    let good = numbers(&key.to_der());
    let read = rw::PrivateKey::from_der;
    refused.replaced(&good, |_, _| false, read);
    refused.malformed(&good, read);
    let public = numbers(&key.public().to_der());
    refused.malformed(&public, rw::PublicKey::from_der);
    let of_class =
        |_: usize, n: &Nat| n.limbs()[0] % 8 == 5 && (512..=16_384).contains(&n.bits_vartime());
    refused.replaced(&public, of_class, rw::PublicKey::from_der);
    let product = |p: &Nat, q: &Nat| p.mul(q).trim_vartime();
    let mut primes = |what, p: Nat, q: Nat| {
        refused.count(what, rw::PrivateKey::from_components(product(&p, &q), p, q));
    };
    primes("p and q swapped", good[2].clone(), good[1].clone());
    primes("a composite p", composite(256, (3, 8)), good[2].clone());
    primes("a composite q", good[1].clone(), composite(256, (7, 8)));
    primes("a short p", prime(250, (3, 8)), prime(262, (7, 8)));
    primes("a short q", prime(262, (3, 8)), prime(250, (7, 8)));
    primes("equal primes", good[1].clone(), good[1].clone());
    primes(
        "close primes",
        good[1].clone(),
        next_prime(&good[1], (7, 8)),
    );
    primes(
        "p = 7, q = 3 (mod 8)",
        prime(256, (7, 8)),
        prime(256, (3, 8)),
    );
    primes("p = 7 (mod 8)", prime(256, (7, 8)), prime(256, (7, 8)));
    primes("q = 3 (mod 8)", prime(256, (3, 8)), prime(256, (3, 8)));
    primes(
        "p = 1, q = 5 (mod 8)",
        prime(256, (1, 8)),
        prime(256, (5, 8)),
    );
    primes("a small key", prime(128, (3, 8)), prime(128, (7, 8)));
    refused.more_than_90();
    assert!(read(&written(&good)).is_ok());
}

#[test]
fn bad_rabin_keys_are_refused() {
    let mut refused = Refused::default();
    let key = rabin_key(512);
    let good = numbers(&key.to_der());
    let read = rabin::PrivateKey::from_der;
    let symbols = |x: &Nat| [x.jacobi_vartime(&good[3]), x.jacobi_vartime(&good[4])];
    // Another r or s of the right kind is as good.
    let fits = |i: usize, x: &Nat| match i {
        1 => x.lt(&good[0]) && symbols(x) == [1, -1],
        2 => x.lt(&good[0]) && symbols(x) == [-1, 1],
        _ => false,
    };
    refused.replaced(&good, fits, read);
    refused.malformed(&good, read);
    let public = numbers(&key.public().to_der());
    refused.malformed(&public, rabin::PublicKey::from_der);
    let minus = |x: &Nat, n: &Nat| x.lt(n) && x.jacobi_vartime(n) == -1;
    let fits = |i: usize, x: &Nat| match i {
        0 => {
            let of_class = x.limbs()[0] % 4 == 1 && (512..=16_384).contains(&x.bits_vartime());
            of_class && minus(&public[1], x) && minus(&public[2], x)
        }
        1 => minus(x, &public[0]) && *x != public[2],
        _ => minus(x, &public[0]) && *x != public[1],
    };
    refused.replaced(&public, fits, rabin::PublicKey::from_der);
    let [n, r, s, p, q, _] = &good[..] else {
        unreachable!()
    };
    let mut parts = |what, n: &Nat, r: &Nat, s: &Nat, p: &Nat, q: &Nat| {
        let [n, r, s, p, q] = [n, r, s, p, q].map(|x| x.clone().trim_vartime());
        refused.count(what, rabin::PrivateKey::from_components(n, r, s, p, q));
    };
    parts("r and s swapped", n, s, r, p, q);
    parts("p and q swapped", n, r, s, q, p);
    parts("r twice", n, r, r, p, q);
    parts("s twice", n, s, s, p, q);
    let other = prime(256, (3, 4));
    parts("another p", n, r, s, &other, q);
    parts(
        "another p and n",
        &other.mul(q),
        &Nat::from_limb(4),
        s,
        &other,
        q,
    );
    for (what, p, q) in [
        ("a composite p", composite(256, (3, 4)), q.clone()),
        ("a composite q", p.clone(), composite(256, (3, 4))),
        ("primes 1 modulo 4", prime(256, (1, 4)), prime(256, (1, 4))),
        ("a short p", prime(250, (3, 4)), prime(262, (3, 4))),
        ("a short q", prime(262, (3, 4)), prime(250, (3, 4))),
        ("equal primes", p.clone(), p.clone()),
        ("close primes", p.clone(), next_prime(p, (3, 4))),
        ("a small key", prime(128, (3, 4)), prime(128, (3, 4))),
    ] {
        let n = p.mul(&q).trim_vartime();
        // r and s that are right as far as they can be.
        let find = |symbols: [i32; 2]| {
            let mut numbers = (2..2_000).map(Nat::from_limb);
            let found = numbers.find(|t| [t.jacobi_vartime(&p), t.jacobi_vartime(&q)] == symbols);
            found.unwrap_or(Nat::from_limb(2))
        };
        parts(what, &n, &find([1, -1]), &find([-1, 1]), &p, &q);
    }
    refused.more_than_90();
    assert!(read(&written(&good)).is_ok());
}

#[test]
fn bad_esign_keys_are_refused() {
    let mut refused = Refused::default();
    let key = esign_key(768);
    let good = numbers(&key.to_der());
    let read = esign::PrivateKey::from_der;
    let exponent = |e: &Nat| (4..=64).contains(&e.bits_vartime());
    refused.replaced(&good, |i, x| i == 1 && exponent(x), read);
    refused.malformed(&good, read);
    let public = numbers(&key.public().to_der());
    refused.malformed(&public, esign::PublicKey::from_der);
    let fits = |i: usize, x: &Nat| match i {
        0 => {
            let bits = x.bits_vartime();
            x.bit(0) && bits.is_multiple_of(3) && (512..=16_384).contains(&bits)
        }
        _ => exponent(x),
    };
    refused.replaced(&public, fits, esign::PublicKey::from_der);
    for e in [0, 1, 2, 3, 4, 7] {
        let [n, p, q] = [0, 2, 3].map(|i| good[i].clone());
        let e = Nat::from_limb(e);
        refused.count(
            "a small exponent",
            esign::PublicKey::new(n.clone(), e.clone()),
        );
        refused.count(
            "a small exponent",
            esign::PrivateKey::from_components(n, e, p, q),
        );
    }
    // From 8 on, and of 64 bits at most.
    let exponent = |e| esign::PublicKey::new(good[0].clone(), e);
    let most = Nat::power_of_two(64);
    refused.count("a long exponent", exponent(most.clone()));
    for e in [Nat::from_limb(8), most.sub_limb(1).unwrap()] {
        assert!(exponent(e).is_ok());
    }
    let mut primes = |what, p: &Nat, q: &Nat| {
        let n = p.sqr().mul(q).trim_vartime();
        let e = Nat::from_limb(32);
        refused.count(
            what,
            esign::PrivateKey::from_components(n, e, p.clone(), q.clone()),
        );
    };
    let (p, q) = (&good[2], &good[3]);
    primes("a composite p", &composite(256, (1, 2)), q);
    primes("a composite q", p, &composite(256, (1, 2)));
    primes("a cube", p, p);
    primes("close primes", p, &next_prime(p, (1, 2)));
    primes("a short p", &prime(250, (1, 2)), &prime(268, (1, 2)));
    primes("a short q", &prime(260, (1, 2)), &prime(248, (1, 2)));
    primes("a small key", &prime(128, (1, 2)), &prime(128, (1, 2)));
    primes("an even p", &p.add_limb(1).trim_vartime(), q);
    // Three times the length of q is that of the modulus.
    let [longer, shorter] = [255, 254].map(|bits| next_prime(&Nat::power_of_two(bits), (1, 2)));
    primes("a p of a bit more", &longer, &shorter);
    refused.more_than_90();
    assert!(read(&written(&good)).is_ok());
}

#[test]
fn generated_keys_keep_the_rules() {
    for bits in [512, 520, 1024] {
        let key = rabin_key(bits);
        key.validate().unwrap();
        assert_eq!(key.public().bits(), bits);
        let key = rw_key(bits);
        key.validate().unwrap();
        assert_eq!(
            (key.public().bits(), key.public().signature_len()),
            (bits, bits / 8)
        );
    }
    for bits in [768, 1023, 1026] {
        let key = esign_key(bits);
        key.validate().unwrap();
        assert_eq!(
            (key.public().bits(), key.public().k()),
            (bits, bits / 3 - 1)
        );
        assert_eq!(*key.public().e(), Nat::from_limb(32));
    }
}

#[test]
fn generation_refuses_what_cannot_be() {
    let (mut rng, default) = (rng(), KeygenOptions::default());
    let mut refused = Refused::default();
    for (bits, options) in [
        (504, SMALL),
        (513, SMALL),
        (1024, default),
        (2047, default),
        (16_392, default),
    ] {
        refused.count(
            "rabin",
            rabin::PrivateKey::generate_with(&mut rng, bits, options),
        );
        refused.count("rw", rw::PrivateKey::generate_with(&mut rng, bits, options));
    }
    for (bits, options) in [
        (765, SMALL),
        (769, SMALL),
        (1023, default),
        (2047, default),
        (16_386, default),
    ] {
        refused.count(
            "esign",
            esign::PrivateKey::generate_with(&mut rng, bits, options),
        );
    }
    assert_eq!(refused.0, 15);
}
