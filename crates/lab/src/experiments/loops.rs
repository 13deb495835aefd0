//! `loops`: RSA's private operation by the inner loop of its products: "SSE2 assisted RSA" (2004) on this processor.
//!
//! On 32-bit words in integer registers, by `pmuludq`, and by `pmuludq` with every carry saved, on limbs, and what is chosen
//! today. The first is what the others are compared with: the source's improvement. `docs/design/published.md` has the
//! published figures.

use super::{Experiment, Levels, Share, rsa::pkcs8};
use crate::{Bench, Error, record::Size};
use carrysave_arith::{Modulus, Nat, inv_mod_vartime};
use carrysave_schemes::rsa::{PrivateKey, PublicKey};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "loops",
    about: "RSA's private operation (CRT, no blinding, no check) by the inner loop of its products",
    run,
    levels: Levels {
        quick: Some(Share::new(&[1024], 0.1, 1.0)),
        standard: Share::new(&[1024, 2048], 0.3, 3.0),
        full: Share::new(&[], 0.5, 6.0),
    },
};

/// Kernels of `mpn_mont_mul`, squares are products: the integer loop of the source, its SSE2 loop, the form that it
/// proposes, and loops on limbs.
const KERNELS: [&str; 6] = [
    "cios_w32",
    "pmuludq",
    "pmuludq_carry_save",
    "mul_adc",
    "mulx_adx",
    "mulx_adx_spaced",
];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let cpu = bench.cpu();
    for bits in bench.bits(&[1024, 2048, 4096]) {
        let key = PrivateKey::from_any(pkcs8(bits)?, None);
        let key = key.map_err(|error| Error(error.to_string()))?;
        let c = &Nat::from_be_bytes(&super::noise(bits / 8 - 1));
        let check = |s: &Nat| match right(key.public(), s, c) {
            true => Ok(()),
            false => Err("its result is wrong".to_owned()),
        };
        let mut race = bench.race("private", Size::Bits(bits));
        for kernel in KERNELS {
            let modulus = |n: &Nat| Modulus::with_kernel_vartime(n, cpu, kernel);
            if let Some(halves) = Halves::new(&key, modulus) {
                let label = format!("carrysave/{kernel}");
                race.enter(&label, || (), move |()| halves.private(c), check);
            }
        }
        let today = Halves::new(&key, |n| Modulus::with_cpu(n, cpu)).expect("primes are odd");
        race.enter("carrysave", || (), move |()| today.private(c), check);
        race.run();
    }
    Ok(())
}

/// Whether `s` is what the key makes of `c`.
fn right(key: &PublicKey, s: &Nat, c: &Nat) -> bool {
    key.rsavp1(s).is_ok_and(|back| back == *c)
}

/// A key by its primes (RFC 8017, 5.1.2, step 2b).
struct Halves {
    p: Modulus,
    q: Modulus,
    d_p: Nat,
    d_q: Nat,
    q_inv: Nat,
}

impl Halves {
    /// The halves of a key of two primes of one length, if `modulus` takes them.
    fn new(key: &PrivateKey, modulus: impl Fn(&Nat) -> Option<Modulus>) -> Option<Halves> {
        let [p, q] = [0, 1].map(|i| key.primes().nth(i).expect("a key of two primes"));
        let exponent = |prime: &Nat| {
            let order = prime.sub(&Nat::one()).expect("a prime is above 1");
            key.d().div_rem_vartime(&order).1
        };
        Some(Halves {
            d_p: exponent(p),
            d_q: exponent(q),
            q_inv: inv_mod_vartime(q, p).expect("two primes"),
            p: modulus(p)?,
            q: modulus(q)?,
        })
    }

    fn private(&self, c: &Nat) -> Nat {
        let Halves {
            p,
            q,
            d_p,
            d_q,
            q_inv,
        } = self;
        let (x, y) = (p.reduce(c), q.reduce(c));
        let bits = p.bits().max(q.bits());
        let (x, y) = p.pow_pair(&x, d_p, q, &y, d_q, bits);
        let h = p.mul(&p.sub(&x, &p.reduce(&y)), q_inv);
        y.add(&q.nat().mul(&h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_kernels::Cpu;

    #[test]
    fn every_loop_makes_what_the_key_makes() {
        let key = PrivateKey::from_any(pkcs8(1024).unwrap(), None).unwrap();
        let c = Nat::from_limb(42);
        let mut loops = 0;
        for kernel in KERNELS {
            let modulus = |n: &Nat| Modulus::with_kernel_vartime(n, Cpu::native(), kernel);
            if let Some(halves) = Halves::new(&key, modulus) {
                let s = halves.private(&c);
                assert!(right(key.public(), &s, &c), "{kernel}");
                assert!(!right(key.public(), &s.add_limb(1), &c), "{kernel}");
                loops += 1;
            }
        }
        assert!(loops > 0);
    }
}
