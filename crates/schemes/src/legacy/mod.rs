//! Schemes for old signatures, old ciphertexts and comparison: nothing new should use them.
//!
//! They are compatible with Crypto++ in keys, signatures, ciphertexts and shared secrets: [`rabin`], [`rw`]
//! (Rabin-Williams), [`esign`], [`nr`] (Nyberg-Rueppel), [`mqv`], and [`ies`] (DLIES and ECIES). No break is known at
//! the generated sizes. They are legacy because they are hardly used, reviewed or standardised any more;
//! [`rsa`](crate::rsa), [`dl`](crate::dl) and [`ec`](crate::ec) serve the same purposes.
//!
//! Keys are checked when they are made. Every private operation is blinded, inherently random, or has a nonce derived
//! from the key and the message. Its result is checked before it is released.

/// Implements comparison and `Debug` of a `PublicKey` with these parts, and `Debug` of its `PrivateKey` without
/// secrets.
macro_rules! key_traits {
    ($($part:ident),*) => {
        impl PartialEq for PublicKey {
            fn eq(&self, other: &PublicKey) -> bool {
                true $(&& self.$part() == other.$part())*
            }
        }

        impl Eq for PublicKey {}

        impl core::fmt::Debug for PublicKey {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct("PublicKey")
                    .field("bits", &self.bits())
                    $(.field(stringify!($part), &self.$part().to_hex_vartime()))*
                    .finish()
            }
        }

        impl core::fmt::Debug for PrivateKey {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct("PrivateKey")
                    .field("public", self.public())
                    .finish_non_exhaustive()
            }
        }
    };
}

pub mod esign;
pub mod ies;
pub mod mqv;
pub mod nr;
mod pssr;
pub mod rabin;
pub(crate) mod roots;
pub mod rw;

pub use crate::rsa::{Error, KeyError};

use crate::formats::{FormatError, minimal, nat, uint};
use carrysave_arith::{Limb, Modulus, Nat};
use der::asn1::UintRef;
use der::{Decode, Encode};
use zeroize::Zeroizing;

/// What kind of key to generate.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeygenOptions {
    /// Whether fewer than about 2048 bits are allowed. Such keys can be broken; they are for tests.
    pub allow_small: bool,
}

/// A modulus of an allowed length and of the residue class (a, m), or the error `refused`.
fn modulus(n: &Nat, (a, m): (Limb, Limb), refused: &'static str) -> Result<Modulus, KeyError> {
    let bits = n.bits_vartime();
    if !(512..=16_384).contains(&bits) {
        let allowed = "512 to 16384 bits, and 2048 or more for anything that matters";
        return Err(KeyError::Size {
            part: "a modulus",
            bits,
            allowed,
        });
    }
    let modulus = Modulus::new(&n.clone().trim_vartime()).filter(|n| n.nat().limbs()[0] % m == a);
    modulus.ok_or(KeyError::Invalid(refused))
}

/// Reads the numbers of a key in Crypto++'s form: a SEQUENCE of INTEGERs.
fn read_integers<const N: usize>(der: &[u8], expected: &'static str) -> Result<[Nat; N], KeyError> {
    let numbers = Vec::<UintRef<'_>>::from_der(der).map_err(|e| FormatError::new(expected, e))?;
    let numbers: Vec<Nat> = numbers.into_iter().map(nat).collect();
    let found = numbers.len();
    let wrong = |_| FormatError::new(expected, format!("{found} numbers instead of {N}"));
    Ok(numbers.try_into().map_err(wrong)?)
}

/// The reverse of [`read_integers`].
fn write_integers(numbers: &[&Nat]) -> Zeroizing<Vec<u8>> {
    let octets: Vec<_> = numbers.iter().map(|x| minimal(x)).collect();
    let numbers: Vec<UintRef<'_>> = octets.iter().map(|x| uint(x)).collect();
    Zeroizing::new(numbers.to_der().expect("numbers of a known size"))
}
