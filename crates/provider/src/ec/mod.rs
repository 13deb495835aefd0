//! Elliptic curves: keys, ECDH, ECDSA. A curve is a row of [`GROUPS`]; keys on others are the default provider's
//! ([`foreign`]).

pub mod exchange;
pub mod foreign;
pub mod keys;
mod parts;
pub mod signature;

use crate::counters;
use crate::failure::Failure;
use crate::groups::{self, ANY, TLS_1_0, TLS_1_2, TLS_1_3};
use crate::param::names;
use carrysave::arith::field::{Fe, Field};
use carrysave::ec::{
    BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, Named, P224, P256, P384, P521, PrivateKey,
    PublicKey, Secp256k1, ecdsa::Signature,
};
use carrysave::hash::Hash;
use carrysave::system_rng;
use core::any::Any;
use core::ffi::{CStr, c_int};
use std::sync::Arc;
use zeroize::Zeroizing;

/// A key that is shared, or why there is none.
type Read<K> = Result<Arc<K>, Failure>;

/// Reads a private number, with the public key if there is one.
type ReadPrivate = fn(&[u8], Option<&dyn OwnPublic>) -> Read<dyn OwnPrivate>;

/// A curve.
pub struct Group {
    /// OpenSSL's name for it.
    name: &'static CStr,
    /// Its other names.
    aliases: &'static [&'static str],
    /// Bits of the order.
    bits: i32,
    /// Whether its highest octet has its highest bit set.
    full: bool,
    /// The names and numbers of its groups in TLS, and the first and the last version that have them.
    tls: &'static [(&'static CStr, c_int, c_int, c_int)],
    domain: fn() -> Domain,
    private: ReadPrivate,
    public: fn(&[u8]) -> Read<dyn OwnPublic>,
    generate: fn() -> Arc<dyn OwnPrivate>,
}

/// The numbers of a curve `y^2 = x^3 + ax + b`, in big-endian octets. All curves here have the cofactor 1.
struct Domain {
    /// The prime of the field.
    p: Vec<u8>,
    a: Vec<u8>,
    b: Vec<u8>,
    /// The base point, uncompressed.
    generator: Vec<u8>,
    order: Vec<u8>,
}

macro_rules! group {
    ($Curve:ty, $name:literal, $aliases:expr, $bits:literal, $full:literal, $tls:expr) => {
        Group {
            name: $name,
            aliases: $aliases,
            bits: $bits,
            full: $full,
            tls: $tls,
            domain: domain::<$Curve>,
            private: private::<$Curve>,
            public: public::<$Curve>,
            generate: || Arc::new(PrivateKey::<$Curve>::generate()),
        }
    };
}

/// All curves. The groups of TLS are those of OpenSSL's default provider.
#[rustfmt::skip]
static GROUPS: &[Group] = &[
    group!(P224, c"secp224r1", &["p-224", "wap-wsg-idm-ecid-wtls12"], 224, true,
        &[(c"secp224r1", 21, TLS_1_0, TLS_1_2), (c"P-224", 21, TLS_1_0, TLS_1_2)]),
    group!(P256, c"prime256v1", &["p-256", "secp256r1"], 256, true,
        &[(c"secp256r1", 23, TLS_1_0, ANY), (c"P-256", 23, TLS_1_0, ANY)]),
    group!(P384, c"secp384r1", &["p-384"], 384, true,
        &[(c"secp384r1", 24, TLS_1_0, ANY), (c"P-384", 24, TLS_1_0, ANY)]),
    group!(P521, c"secp521r1", &["p-521"], 521, false,
        &[(c"secp521r1", 25, TLS_1_0, ANY), (c"P-521", 25, TLS_1_0, ANY)]),
    group!(Secp256k1, c"secp256k1", &[], 256, true,
        &[(c"secp256k1", 22, TLS_1_0, TLS_1_2)]),
    group!(BrainpoolP256r1, c"brainpoolP256r1", &[], 256, true,
        &[(c"brainpoolP256r1", 26, TLS_1_0, TLS_1_2), (c"brainpoolP256r1tls13", 31, TLS_1_3, ANY)]),
    group!(BrainpoolP384r1, c"brainpoolP384r1", &[], 384, true,
        &[(c"brainpoolP384r1", 27, TLS_1_0, TLS_1_2), (c"brainpoolP384r1tls13", 32, TLS_1_3, ANY)]),
    group!(BrainpoolP512r1, c"brainpoolP512r1", &[], 512, true,
        &[(c"brainpoolP512r1", 28, TLS_1_0, TLS_1_2), (c"brainpoolP512r1tls13", 33, TLS_1_3, ANY)]),
];

impl Group {
    /// The curve of any of its names, if it is here.
    fn find(name: &str) -> Option<&'static Group> {
        let mut groups = GROUPS.iter();
        groups.find(|group| names(name, group.name, group.aliases))
    }

    /// Octets of a coordinate, which are as many as those of the order.
    fn field_size(&self) -> usize {
        self.size()
    }

    /// Octets of a number below the order.
    fn size(&self) -> usize {
        (self.bits as usize).div_ceil(8)
    }

    /// The most octets of a signature.
    fn signature_size(&self) -> usize {
        let numbers = 2 * (2 + self.size() + usize::from(self.full));
        numbers + if numbers < 0x80 { 2 } else { 3 }
    }

    /// The strength in bits (SP 800-57, part 1, table 2).
    fn security_bits(&self) -> i32 {
        match self.bits {
            512.. => 256,
            384.. => 192,
            256.. => 128,
            _ => 112,
        }
    }

    /// The private key with this big-endian number of any length.
    fn private(&self, number: &[u8], public: Option<&dyn OwnPublic>) -> Read<dyn OwnPrivate> {
        let (above, number) = number.split_at(number.len().saturating_sub(self.size()));
        if above.iter().fold(0, |all, octet| all | octet) != 0 {
            return Err(Failure::new(
                "the private number is longer than the order of the curve",
            ));
        }
        let mut padded = Zeroizing::new(vec![0; self.size()]);
        padded[self.size() - number.len()..].copy_from_slice(number);
        (self.private)(&padded, public)
    }
}

/// What a private key of some curve does.
pub trait Private: Send + Sync {
    /// Whether a public key is on the same curve.
    fn fits(&self, peer: &dyn Public) -> bool;
    /// The shared secret. In a cofactor's mode of 1 it is multiplied by the cofactor, of 0 it is not, and of -1 the key
    /// says.
    fn agree(&self, peer: &dyn Public, cofactor: c_int) -> Result<Zeroizing<Vec<u8>>, Failure>;
    /// The ECDSA signature of octets, with a nonce that is random but for the key and the octets.
    fn sign(&self, octets: &[u8]) -> Result<Vec<u8>, Failure>;
    /// The ECDSA signature of a digest, with the nonce of RFC 6979.
    fn sign_deterministic(&self, hash: Hash, digest: &[u8]) -> Result<Vec<u8>, Failure>;
}

/// What a public key of some curve does.
pub trait Public: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn verify(&self, octets: &[u8], signature: &[u8]) -> Result<(), Failure>;
}

/// A private key of a curve that is here.
pub trait OwnPrivate: Private {
    fn octets(&self) -> Zeroizing<Vec<u8>>;
    fn public(&self) -> Arc<dyn OwnPublic>;
}

/// A public key of a curve that is here.
pub trait OwnPublic: Public {
    fn equals(&self, other: &dyn OwnPublic) -> bool;
    /// The point, uncompressed.
    fn octets(&self) -> Vec<u8>;
}

impl<C: Named> OwnPrivate for PrivateKey<C> {
    fn octets(&self) -> Zeroizing<Vec<u8>> {
        self.to_be_bytes()
    }

    fn public(&self) -> Arc<dyn OwnPublic> {
        Arc::new(PrivateKey::public(self).clone())
    }
}

impl<C: Named> Private for PrivateKey<C> {
    fn fits(&self, peer: &dyn Public) -> bool {
        peer.as_any().is::<PublicKey<C>>()
    }

    fn agree(&self, peer: &dyn Public, _cofactor: c_int) -> Result<Zeroizing<Vec<u8>>, Failure> {
        // The cofactor of every curve here is 1.
        let peer = peer.as_any().downcast_ref::<PublicKey<C>>();
        let peer = peer.ok_or(carrysave::ec::Error::OtherCurve)?;
        let secret = PrivateKey::agree(self, peer)?;
        counters::AGREEMENTS.count();
        Ok(secret)
    }

    fn sign(&self, octets: &[u8]) -> Result<Vec<u8>, Failure> {
        let signature = self.ecdsa_sign_octets(&mut system_rng(), octets)?;
        counters::SIGNATURES.count();
        Ok(signature.to_der())
    }

    fn sign_deterministic(&self, hash: Hash, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        let signature = self.ecdsa_sign_octets_deterministic(hash, digest)?;
        counters::SIGNATURES.count();
        Ok(signature.to_der())
    }
}

impl<C: Named> Public for PublicKey<C> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn verify(&self, octets: &[u8], signature: &[u8]) -> Result<(), Failure> {
        counters::VERIFICATIONS.count();
        Ok(self.ecdsa_verify_octets(octets, &Signature::from_der(signature)?)?)
    }
}

impl<C: Named> OwnPublic for PublicKey<C> {
    fn equals(&self, other: &dyn OwnPublic) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn octets(&self) -> Vec<u8> {
        self.to_sec1()
    }
}

/// The key of this number. A public key that comes with it is taken as it is, as OpenSSL takes it.
fn private<C: Named>(octets: &[u8], public: Option<&dyn OwnPublic>) -> Read<dyn OwnPrivate> {
    let public = public.and_then(|public| public.as_any().downcast_ref::<PublicKey<C>>());
    let key = match public {
        Some(public) => PrivateKey::<C>::from_pair(octets, public.clone())?,
        None => PrivateKey::from_be_bytes(octets)?,
    };
    Ok(Arc::new(key))
}

fn public<C: Named>(octets: &[u8]) -> Read<dyn OwnPublic> {
    Ok(Arc::new(PublicKey::<C>::from_sec1(octets)?))
}

fn domain<C: Named>() -> Domain {
    let (x, y) = C::g();
    Domain {
        p: prime::<C::Base>(),
        a: C::a().to_be_bytes().as_ref().to_vec(),
        b: C::b().to_be_bytes().as_ref().to_vec(),
        generator: [&[4], x.to_be_bytes().as_ref(), y.to_be_bytes().as_ref()].concat(),
        order: prime::<C::Scalar>(),
    }
}

/// The prime of a field.
fn prime<F: Field>() -> Vec<u8> {
    let mut octets = (Fe::<F>::zero() - Fe::one()).to_be_bytes();
    let octets = octets.as_mut();
    // It is odd.
    if let Some(last) = octets.last_mut() {
        *last |= 1;
    }
    octets.to_vec()
}

/// The groups of TLS (RFC 8422, RFC 8446, RFC 8734).
pub fn groups() -> impl Iterator<Item = groups::Group> {
    GROUPS.iter().flat_map(|group| {
        group
            .tls
            .iter()
            .map(|&(name, id, first, last)| groups::Group {
                name,
                keys: group.name,
                algorithm: c"EC",
                id,
                security_bits: group.security_bits(),
                versions: [first, last],
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stack of OpenSSL's asynchronous jobs is enough, as nothing here runs on another.
    #[test]
    fn operations_fit_the_stack_of_a_job() {
        for group in GROUPS {
            let all = move || {
                let key = (group.generate)();
                let public = (group.public)(&key.public().octets()).expect("its own point");
                let again = group.private(&key.octets(), None).expect("its own number");
                let secret = again.agree(&*public, -1).expect("a secret");
                assert_eq!(secret.len(), group.field_size());
                let signature = key.sign(&[7; 32]).expect("a signature");
                assert!(signature.len() <= group.signature_size());
                public.verify(&[7; 32], &signature).expect("it is valid");
                public.verify(&[8; 32], &signature).expect_err("another");
            };
            let thread = std::thread::Builder::new().stack_size(32 << 10);
            thread
                .spawn(all)
                .expect("a thread")
                .join()
                .expect("no fault");
        }
    }

    #[test]
    fn signatures_are_as_long_as_openssl_says() {
        let sizes: Vec<usize> = GROUPS.iter().map(Group::signature_size).collect();
        assert_eq!(sizes, [64, 72, 104, 139, 72, 72, 104, 137]);
    }
}
