//! Diffie-Hellman modulo primes: groups, keys, agreement. A group is one of [`KNOWN`], or any p and g that a program or a
//! peer states, as TLS 1.2 and PKCS #3 have them.

pub mod exchange;
pub mod keys;
mod rfc5114;

use crate::failure::Failure;
use crate::groups::{self, ANY, TLS_1_3};
use crate::param::names;
use carrysave::arith::{Nat, once};
use carrysave::dl::{Named, Parameters};
use carrysave::system_rng;
use core::ffi::{CStr, c_int};
use std::sync::{Arc, OnceLock};

/// A group that OpenSSL has a name for.
struct Known {
    name: &'static CStr,
    numbers: Numbers,
    /// Its number and its strength in TLS.
    tls: Option<(c_int, c_int)>,
    group: OnceLock<Option<Arc<Group>>>,
}

enum Numbers {
    /// With a safe prime.
    Named(Named),
    Listed(&'static rfc5114::Group),
}

const fn known(name: &'static CStr, numbers: Numbers, tls: Option<(c_int, c_int)>) -> Known {
    Known {
        name,
        numbers,
        tls,
        group: OnceLock::new(),
    }
}

/// The groups by name. Those of TLS are those of OpenSSL's default provider (RFC 7919).
#[rustfmt::skip]
static KNOWN: [Known; 14] = [
    known(c"ffdhe2048", Numbers::Named(Named::Ffdhe2048), Some((0x100, 112))),
    known(c"ffdhe3072", Numbers::Named(Named::Ffdhe3072), Some((0x101, 128))),
    known(c"ffdhe4096", Numbers::Named(Named::Ffdhe4096), Some((0x102, 128))),
    known(c"ffdhe6144", Numbers::Named(Named::Ffdhe6144), Some((0x103, 128))),
    known(c"ffdhe8192", Numbers::Named(Named::Ffdhe8192), Some((0x104, 192))),
    known(c"modp_1536", Numbers::Named(Named::Modp1536Legacy), None),
    known(c"modp_2048", Numbers::Named(Named::Modp2048), None),
    known(c"modp_3072", Numbers::Named(Named::Modp3072), None),
    known(c"modp_4096", Numbers::Named(Named::Modp4096), None),
    known(c"modp_6144", Numbers::Named(Named::Modp6144), None),
    known(c"modp_8192", Numbers::Named(Named::Modp8192), None),
    known(c"dh_1024_160", Numbers::Listed(&rfc5114::P1024_Q160), None),
    known(c"dh_2048_224", Numbers::Listed(&rfc5114::P2048_Q224), None),
    known(c"dh_2048_256", Numbers::Listed(&rfc5114::P2048_Q256), None),
];

impl Known {
    fn group(&self) -> Result<Arc<Group>, Failure> {
        let made = once(&self.group, || {
            let (parameters, q) = match self.numbers {
                Numbers::Named(named) => {
                    let parameters = Parameters::from(named);
                    let q = parameters.p().shr(1).trim_vartime();
                    (parameters, q)
                }
                Numbers::Listed(listed) => {
                    let number = |digits| Nat::from_hex(digits).map(Nat::trim_vartime);
                    let parameters = Parameters::new(number(listed.p)?, number(listed.g)?);
                    (parameters.ok()?, number(listed.q)?)
                }
            };
            Some(Arc::new(Group {
                parameters,
                q: Some(q),
                name: Some(self.name),
                length: None,
            }))
        });
        made.clone().ok_or_else(Failure::order)
    }

    /// Whether it is the group of these parameters.
    fn is(&self, parameters: &Parameters) -> bool {
        match self.numbers {
            Numbers::Named(named) => parameters.named() == Some(named),
            Numbers::Listed(listed) => {
                4 * listed.p.len() == parameters.bits()
                    && self
                        .group()
                        .is_ok_and(|group| group.parameters == *parameters)
            }
        }
    }
}

/// A group.
#[derive(Clone)]
pub struct Group {
    parameters: Parameters,
    /// The order of g, if it is known.
    q: Option<Nat>,
    name: Option<&'static CStr>,
    /// The length of private exponents in bits, if it is stated.
    length: Option<usize>,
}

impl Group {
    /// The group of a name.
    fn find(name: &str) -> Result<Arc<Group>, Failure> {
        let known = KNOWN.iter().find(|known| names(name, known.name, &[])).ok_or_else(|| {
            Failure::new(format!(
                "there is no group \"{name}\": use ffdhe2048, or another of RFC 7919, RFC 3526 and RFC 5114"
            ))
        })?;
        known.group()
    }

    /// The group of these numbers, which may have a name.
    fn stated(p: Nat, g: Nat, q: Option<Nat>) -> Result<Arc<Group>, Failure> {
        let parameters = Parameters::new(p, g)?;
        if let Some(q) = &q
            && (q.bits_vartime() < 2 || q.cmp_vartime(parameters.p()).is_ge())
        {
            return Err(Failure::new(
                "the order q is not between 1 and p: leave it out if it is not known",
            ));
        }
        if let Some(known) = KNOWN.iter().find(|known| known.is(&parameters)) {
            let group = known.group()?;
            if q.is_none() || q == group.q {
                return Ok(group);
            }
        }
        Ok(Arc::new(Group {
            parameters,
            q,
            name: None,
            length: None,
        }))
    }

    /// The group with private exponents of another length.
    fn with_length(group: Arc<Group>, length: Option<usize>) -> Arc<Group> {
        if length == group.length {
            return group;
        }
        Arc::new(Group {
            length,
            ..Group::clone(&group)
        })
    }

    /// Whether it is a standard group with a safe prime. Then what is in the range of public keys is one.
    fn is_standard(&self) -> bool {
        self.name.is_some() && self.parameters.named().is_some()
    }

    /// Whether both sides of an agreement have this group: an order that only the other side states does not count.
    fn agrees_with(&self, other: &Group) -> bool {
        self.parameters == other.parameters && (self.q.is_none() || self.q == other.q)
    }

    fn order_bits(&self) -> Option<usize> {
        self.q.as_ref().map(Nat::bits_vartime)
    }

    /// The strength in bits, by the default provider's account (SP 800-57, part 1, table 2).
    fn security_bits(&self) -> usize {
        let strength = match self.parameters.bits() {
            7680.. => 192,
            3072.. => 128,
            2048.. => 112,
            1024.. => 80,
            _ => 0,
        };
        match self.order_bits().or(self.length) {
            Some(bits) if bits < 160 => 0,
            Some(bits) => strength.min(bits / 2),
            None => strength,
        }
    }

    /// The length of new private exponents, by the default provider's rules.
    fn exponent_bits(&self) -> Result<usize, Failure> {
        let (own, strength) = (self.parameters.exponent_bits(), 2 * self.security_bits());
        let bits = match (self.order_bits(), self.length) {
            (Some(order), length) if self.name.is_some() => {
                let usual = if self.is_standard() { own } else { strength };
                Some(length.unwrap_or(usual)).filter(|bits| (strength..=order).contains(bits))
            }
            (Some(order), _) => Some(order),
            (None, Some(length)) if length >= self.parameters.bits() => None,
            (None, length) => Some(length.unwrap_or(own).min(own)),
        };
        bits.ok_or_else(|| {
            Failure::new(
                "the length of private keys (priv_len) does not fit the group: leave it out",
            )
        })
    }

    /// A new private exponent.
    fn generate(&self) -> Result<Private, Failure> {
        let bits = self.exponent_bits()?;
        let mut rng = system_rng();
        let x = self
            .parameters
            .random_exponent(bits, self.q.as_ref(), &mut rng);
        Private::new(self, &x)
    }

    /// Checks a public key further than its range.
    fn check_public(&self, y: &Nat) -> Result<(), Failure> {
        match &self.q {
            Some(q) if !self.is_standard() && !self.parameters.has_order_vartime(y, q) => Err(
                Failure::new("the public key is no element of the group: get it again"),
            ),
            _ => Ok(()),
        }
    }
}

/// A private exponent.
pub struct Private {
    x: Nat,
    /// The bits that powers go over: those of the group's exponents, or of p if it is longer.
    bits: usize,
}

impl Private {
    /// The exponent x of any width, which is below `2^bits` for the bits of p.
    fn new(group: &Group, x: &Nat) -> Result<Private, Failure> {
        let short = group.exponent_bits().ok();
        let lengths = short.into_iter().chain([group.parameters.bits()]);
        let fitting = lengths.filter_map(|bits| {
            let x = x.resize(bits.div_ceil(64))?;
            x.shr(bits).is_zero().then_some(Private { x, bits })
        });
        let private = { fitting }.next().filter(|private| !private.x.is_zero());
        private.ok_or_else(|| Failure::new("the private number is 0, or longer than p"))
    }

    fn public(&self, group: &Group) -> Nat {
        group.parameters.power(&self.x, self.bits)
    }

    /// Checks that it is in the range of private numbers.
    fn check(&self, group: &Group) -> Result<(), Failure> {
        let fits = match (&group.q, group.length) {
            (Some(q), _) => self.x.lt(q),
            (None, Some(length)) => self.x.bits() == length,
            (None, None) => self.x.shr(group.parameters.bits() - 1).is_zero() && !self.x.is_one(),
        };
        match fits {
            true => Ok(()),
            false => Err(Failure::new("the private number is not in its range")),
        }
    }
}

/// The groups of TLS 1.3 (RFC 8446, 4.2.7). Earlier versions state p and g.
pub fn groups() -> impl Iterator<Item = groups::Group> {
    KNOWN.iter().filter_map(|known| {
        let (id, security_bits) = known.tls?;
        Some(groups::Group {
            name: known.name,
            keys: known.name,
            algorithm: c"DH",
            id,
            security_bits,
            versions: [TLS_1_3, ANY],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stack of OpenSSL's asynchronous jobs is enough, as agreements run on it.
    #[test]
    fn agreements_fit_the_stack_of_a_job() {
        let all = || {
            let longest = Nat::power_of_two(Parameters::MAX_BITS).sub_limb(1);
            let longest = Group::stated(longest.expect("above 0"), Nat::from_limb(3), None);
            for group in [Group::find("ffdhe2048"), Group::find("modp_8192"), longest] {
                let group = group.expect("a group");
                let [a, b] = [(); 2].map(|()| group.generate().expect("an exponent"));
                let agree = |own: &Private, other: &Private| {
                    let public = other.public(&group);
                    group.parameters.agree(&public, &own.x, own.bits)
                };
                let secret = agree(&a, &b).expect("a secret");
                assert_eq!(Ok(secret), agree(&b, &a));
            }
        };
        let thread = std::thread::Builder::new().stack_size(32 << 10);
        let thread = thread.spawn(all).expect("a thread");
        thread.join().expect("no fault");
    }

    #[test]
    fn known_groups_are_found_by_name_and_by_numbers() {
        for known in &KNOWN {
            let name = known.name.to_str().expect("ASCII");
            let group = Group::find(&name.to_uppercase()).expect("it is known");
            let q = group.q.clone().expect("it is known");
            let (p, g) = (group.parameters.p(), group.parameters.g());
            for stated in [None, Some(q)] {
                let again = Group::stated(p.clone(), g.clone(), stated).expect("good");
                assert!(Arc::ptr_eq(&again, &group), "{name}");
            }
            let other = Group::stated(p.clone(), g.clone(), Some(Nat::from_limb(11)));
            assert!(other.expect("not checked").name.is_none());
        }
    }

    #[test]
    fn lengths_of_exponents_are_the_default_providers() {
        let [standard, old] =
            ["ffdhe3072", "dh_2048_256"].map(|name| Group::find(name).expect("known"));
        let own = Group::stated(standard.parameters.p().clone(), Nat::from_limb(5), None);
        let own = own.expect("good");
        let bits = |group: &Arc<Group>, length| {
            let group = Group::with_length(group.clone(), length);
            group.exponent_bits().ok()
        };
        assert_eq!(bits(&standard, None), Some(275));
        assert_eq!(bits(&standard, Some(256)), Some(256));
        assert_eq!(bits(&standard, Some(255)), None);
        assert_eq!(bits(&standard, Some(3072)), None);
        assert_eq!(bits(&old, None), Some(224));
        assert_eq!(bits(&old, Some(256)), Some(256));
        assert_eq!(bits(&own, None), Some(3070));
        assert_eq!(bits(&own, Some(300)), Some(300));
        assert_eq!(bits(&own, Some(3071)), Some(3070));
        assert_eq!(bits(&own, Some(3072)), None);
    }
}
