//! Key agreement with two key pairs on each side, compatible with Crypto++'s `MQV`, `HMQV` and `FHMQV` in GF(p)*, and
//! `ECMQV`, `ECHMQV` and `ECFHMQV` on curves. Legacy.
//!
//! All three blend a side's static key pair (a, A) and its ephemeral one (x, X) into x + d a, and those of the other
//! side into Y + e B, for public numbers d and e of half the length of the order. They differ in these numbers, and in
//! the use of the result.
//!
//! ```
//! use carrysave_schemes::{ec::{P256, PrivateKey}, legacy::mqv::mqv_agree};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let [a, x, b, y] = [(); 4].map(|_| PrivateKey::<P256>::generate_with(rng));
//! let mine = mqv_agree([&a, &x], [b.public(), y.public()]);
//! assert_eq!(mine, mqv_agree([&b, &y], [a.public(), x.public()]));
//! ```

use crate::hash::Hash;
use crate::{STACK, dl, ec};
use carrysave_arith::{Cpu, Nat, field::Fe, off_stack};
use zeroize::{Zeroize, Zeroizing};

/// A side of a key agreement, where the sides differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The side whose keys come first: Crypto++'s client.
    Initiator,
    /// The other side: Crypto++'s server.
    Responder,
}

mod sealed {
    use super::{Nat, Zeroizing};

    pub trait Party {
        type Public;
        type Error;

        fn public_key(&self) -> &Self::Public;
        /// The length of the order in bits.
        fn order_bits(&self) -> usize;
        /// The number that MQV derives from an element, big-endian, as long as a shared secret.
        fn number(public: &Self::Public) -> Vec<u8>;
        /// The encoding of an element.
        fn octets(public: &Self::Public) -> Vec<u8>;
        /// The octets of (x + d a) (Y + e B), for one's own keys a and x, and the other side's keys B and Y.
        fn blend(
            own: [&Self; 2],
            d: &Nat,
            other: [&Self::Public; 2],
            e: &Nat,
        ) -> Result<Zeroizing<Vec<u8>>, Self::Error>;
    }
}

/// A private key for these agreements: [`dl::PrivateKey`] or [`ec::PrivateKey`].
pub trait Party: sealed::Party {}

impl<P: sealed::Party> Party for P {}

/// The shared secret of MQV (Law, Menezes, Qu, Solinas, Vanstone 2003; SP 800-56A, 5.7.2), from a static and an
/// ephemeral key of each side. In GF(p)* it has as many octets as p; on a curve it is an x-coordinate, big-endian.
///
/// It is not uniform: derive keys from it and from both identities by a key derivation function.
///
/// # Errors
/// `OtherGroup` if the keys are of different groups; `SmallOrder` if the result is the neutral element, which only a
/// crafted public key causes.
///
/// # Timing
/// Depends on the group and on public values.
pub fn mqv_agree<P: Party>(
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Zeroizing<Vec<u8>>, P::Error> {
    let [key, ephemeral] = own;
    // The lower half of an element, with a one before it.
    let bits = key.order_bits().div_ceil(2);
    let associate = |public| {
        let number = Nat::from_be_bytes(&P::number(public));
        let lower = number.sub(&number.shr(bits).shl(bits)).expect("a part");
        lower.add(&Nat::power_of_two(bits)).trim()
    };
    let (d, e) = (associate(ephemeral.public_key()), associate(other[1]));
    off_stack::<STACK, _>(|| P::blend(own, &d, other, &e))
}

/// The key of HMQV (Krawczyk, ePrint 2005/176), compatible with Crypto++: d and e are hashes of the sent element and of
/// the receiver's static key; the result is hashed to the length of the secret of [`mqv_agree`].
///
/// # Errors
/// As [`mqv_agree`].
///
/// # Timing
/// As [`mqv_agree`].
pub fn hmqv_agree<P: Party>(
    hash: Hash,
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Zeroizing<Vec<u8>>, P::Error> {
    let [key, ephemeral] = own;
    let number = |sent, got_by| {
        let parts = [&P::octets(sent)[..], &P::octets(got_by)];
        half(hash, &parts, key.order_bits())
    };
    let d = number(ephemeral.public_key(), other[0]);
    let e = number(other[1], key.public_key());
    off_stack::<STACK, _>(|| {
        let sigma = P::blend(own, &d, other, &e)?;
        Ok(stretch(hash, &[&sigma], sigma.len()))
    })
}

/// The key of FHMQV (Sarr, Elbaz-Vincent, Bajard, ePrint 2009/408), compatible with Crypto++: every hash covers all
/// four public keys.
///
/// # Errors
/// As [`mqv_agree`].
///
/// # Timing
/// As [`mqv_agree`].
pub fn fhmqv_agree<P: Party>(
    role: Role,
    hash: Hash,
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Zeroizing<Vec<u8>>, P::Error> {
    let ours = own.map(|key| P::octets(key.public_key()));
    let theirs = other.map(P::octets);
    let ([a, x], [b, y]) = match role {
        Role::Initiator => (&ours, &theirs),
        Role::Responder => (&theirs, &ours),
    };
    let number = |parts: [&[u8]; 4]| half(hash, &parts, own[0].order_bits());
    let (of_x, of_y) = (number([x, y, a, b]), number([y, x, a, b]));
    let (d, e) = match role {
        Role::Initiator => (of_x, of_y),
        Role::Responder => (of_y, of_x),
    };
    off_stack::<STACK, _>(|| {
        let sigma = P::blend(own, &d, other, &e)?;
        Ok(stretch(hash, &[&sigma, x, y, a, b], sigma.len()))
    })
}

/// A number of half the order's length, from a hash.
fn half(hash: Hash, parts: &[&[u8]], order_bits: usize) -> Nat {
    let octets = stretch(hash, parts, order_bits.div_ceil(2).div_ceil(8));
    Nat::from_be_bytes(&octets)
}

/// `len` octets of the parts' hash, followed by its hash, and so on.
fn stretch(hash: Hash, parts: &[&[u8]], len: usize) -> Zeroizing<Vec<u8>> {
    let mut octets = Zeroizing::new(vec![0; len]);
    let mut block = Zeroizing::new(vec![0; hash.len()]);
    let mut hasher = hash.hasher();
    parts.iter().for_each(|part| hasher.update(part));
    for chunk in octets.chunks_mut(hash.len()) {
        hasher.finish_into(&mut block);
        chunk.copy_from_slice(&block[..chunk.len()]);
        hasher.update(&block);
    }
    octets
}

impl sealed::Party for dl::PrivateKey {
    type Public = dl::PublicKey;
    type Error = dl::Error;

    fn public_key(&self) -> &dl::PublicKey {
        self.public()
    }

    fn order_bits(&self) -> usize {
        self.group().order().bits()
    }

    fn number(public: &dl::PublicKey) -> Vec<u8> {
        public.to_be_bytes()
    }

    fn octets(public: &dl::PublicKey) -> Vec<u8> {
        public.to_be_bytes()
    }

    fn blend(
        [a, x]: [&dl::PrivateKey; 2],
        d: &Nat,
        [b, y]: [&dl::PublicKey; 2],
        e: &Nat,
    ) -> Result<Zeroizing<Vec<u8>>, dl::Error> {
        let group = a.group();
        if [x.group(), b.group(), y.group()]
            .into_iter()
            .any(|other| other != group)
        {
            return Err(dl::Error::OtherGroup);
        }
        let (p, q) = (group.modulus(), group.order());
        let [a, x, d] = [a.x(), x.x(), d].map(|x| q.reduce(x));
        let s = q.add(&x, &q.mul(&d, &a));
        let base = p.mul(y.y(), &p.pow_vartime(b.y(), e));
        let sigma = p.pow_bits(&base, &s, q.bits());
        match sigma.is_one() {
            true => Err(dl::Error::SmallOrder),
            false => Ok(group.i2osp(&sigma)),
        }
    }
}

impl<C: ec::Named> sealed::Party for ec::PrivateKey<C> {
    type Public = ec::PublicKey<C>;
    type Error = ec::Error;

    fn public_key(&self) -> &ec::PublicKey<C> {
        self.public()
    }

    fn order_bits(&self) -> usize {
        // Minus one is the largest scalar.
        let largest = -Fe::<C::Scalar>::one();
        Nat::from_be_bytes(largest.to_be_bytes().as_ref()).bits_vartime()
    }

    fn number(public: &ec::PublicKey<C>) -> Vec<u8> {
        let octets = public.to_sec1();
        octets[1..][..octets.len() / 2].to_vec()
    }

    fn octets(public: &ec::PublicKey<C>) -> Vec<u8> {
        public.to_sec1()
    }

    fn blend(
        [a, x]: [&ec::PrivateKey<C>; 2],
        d: &Nat,
        [b, y]: [&ec::PublicKey<C>; 2],
        e: &Nat,
    ) -> Result<Zeroizing<Vec<u8>>, ec::Error> {
        let scalar = d.to_be_bytes(a.to_be_bytes().len());
        let scalar = scalar.and_then(|octets| Fe::<C::Scalar>::from_be_bytes(&octets));
        let mut s = **x.d + scalar.expect("half as long as the order") * **a.d;
        let base = y.0.add(&b.0.mul_vartime(Cpu::native(), e));
        let sigma = ec::x_octets(&ec::times(&base, &s));
        s.zeroize();
        sigma.ok_or(ec::Error::SmallOrder)
    }
}
