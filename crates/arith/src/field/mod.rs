//! Prime fields of a size known at compile time.
//!
//! A field is a type, declared in one line: [`crandall_field!`](crate::crandall_field) for `2^w - c`. [`Fe`] is an
//! element, with operators. Its second parameter is the implementation of multiplication, chosen once at the start of a
//! calculation. All functions run in constant time, except those named `_vartime`; exponents fixed by the field type
//! may affect timing.

mod batch;
mod element;
mod exponent;
mod lanes;
mod octets;
mod presets;
mod primality;

#[doc(hidden)]
pub use crate::divsteps::inverse_in_field;
pub use batch::FeBatch;
use batch::Work;
#[doc(hidden)]
pub use carrysave_kernels::fp::MAX_LIMBS;
#[cfg(target_arch = "x86_64")]
pub use carrysave_kernels::fp::MulxAdx;
pub use carrysave_kernels::fp::{
    Calculation, Crandall, Digits521, Goldilocks, Mersenne127, Mersenne521, Montgomery, Multiply,
    Portable, Prime, Residue, Word,
};
#[cfg(target_arch = "x86_64")]
pub use carrysave_kernels::fp8::Ifma512;
pub use carrysave_kernels::fp8::{InLanes, Vectors};
pub use element::{Fe, invert_batch};
pub(crate) use lanes::Fes;
pub(crate) use octets::{first_of_each, to_octets};
pub use presets::*;
#[doc(hidden)]
pub use primality::{crandall_limbs, is_probable_prime, words};

use crate::Limb;

/// A prime field.
///
/// ```
/// use carrysave_arith::field::{F25519, Fe, Field};
/// let a = Fe::<F25519>::from_limb(5);
/// assert_eq!(a * a.inv(), Fe::one());
/// assert_eq!(F25519::NAME, "2^255 - 19");
/// ```
pub trait Field: Copy + core::fmt::Debug + 'static {
    /// The prime in the field's notation.
    const NAME: &'static str;
    /// The representation of residues.
    type Residue: Residue + Send + Sync;
    /// An encoded element: as many bytes as the prime takes.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + core::fmt::Debug;
    /// Zeros.
    const ZERO_BYTES: Self::Bytes;
    /// Replaces a number below the prime by its inverse, 0 by 0: for a field of this crate as code of this crate, which
    /// others need no copy of.
    ///
    /// # Timing
    /// Depends on the field only.
    fn invert(limbs: &mut [Limb; MAX_LIMBS]) {
        inverse_in_field::<Self::Residue>(limbs);
    }
    /// Works on the octets of a [`FeBatch`]: for the fields that this crate declares as code of this crate, for others as
    /// their crate's.
    #[doc(hidden)]
    fn run_in_lanes(vectors: Vectors, work: Work<'_>)
    where
        Self::Residue: InLanes,
    {
        work.run::<Self>(vectors);
    }
}

/// Declares a field modulo `2^w - c`: `w` is 127, 128, 255 or 256, `c` is odd and below 2^63, and `2^w - c` is a prime.
///
/// ```
/// carrysave_arith::crandall_field! {
///     /// Modulo 2^255 - 31.
///     pub struct F25531 = 2^255 - 31;
/// }
/// use carrysave_arith::field::Fe;
/// let a = Fe::<F25531>::from_limb(7);
/// assert_eq!(a * a.inv(), Fe::one());
/// ```
///
/// Anything else does not compile. A compile-time Miller-Rabin test (bases 2 and 3) rejects composites:
///
/// ```compile_fail
/// carrysave_arith::crandall_field! {
///     /// A composite number.
///     pub struct Composite = 2^255 - 21;
/// }
/// ```
#[macro_export]
macro_rules! crandall_field {
    // One field, with more of its implementation: for those of this crate.
    (@one $(#[$doc:meta])* $name:ident $w:literal ($c:expr) { $($more:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl $crate::field::Field for $name {
            const NAME: &'static str = concat!("2^", $w, " - ", stringify!($c));
            type Residue = $crate::field::Crandall<$crate::Limb, { $crate::field::words($w, $c) }, $w, { $c }>;
            type Bytes = [u8; usize::div_ceil($w, 8)];
            const ZERO_BYTES: Self::Bytes = [0; usize::div_ceil($w, 8)];
            #[inline(never)]
            fn invert(limbs: &mut [$crate::Limb; $crate::field::MAX_LIMBS]) {
                $crate::field::inverse_in_field::<Self::Residue>(limbs);
            }
            $($more)*
        }

        const _: () = assert!(
            $crate::field::is_probable_prime(&$crate::field::crandall_limbs::<{ $crate::field::words($w, $c) }>($w, $c)),
            concat!("2^", $w, " - ", stringify!($c), " is not a prime"),
        );
    };
    ($($(#[$doc:meta])* pub struct $name:ident = 2^$w:literal - $c:expr;)*) => {$(
        $crate::crandall_field! { @one $(#[$doc])* $name $w ($c) {} }
    )*};
}

/// Declares a field modulo any odd prime above 3, given in hexadecimal with all the digits of its limbs, in Montgomery form.
///
/// ```
/// carrysave_arith::prime_field! {
///     /// Modulo 2^64 + 13.
///     pub struct F64P13 = "2^64 + 13", 2 limbs, 9 bytes, "0000000000000001000000000000000d";
/// }
/// use carrysave_arith::field::Fe;
/// let a = Fe::<F64P13>::from_limb(7);
/// assert_eq!(a * a.inv(), Fe::one());
/// ```
///
/// A composite does not compile, as with [`crandall_field!`](crate::crandall_field):
///
/// ```compile_fail
/// carrysave_arith::prime_field! {
///     /// Modulo 255.
///     pub struct F255 = "255", 1 limbs, 1 bytes, "00000000000000ff";
/// }
/// ```
///
/// Nor does another number of bytes than the prime has:
///
/// ```compile_fail
/// carrysave_arith::prime_field! {
///     /// Modulo 2^64 + 13.
///     pub struct Cut = "2^64 + 13", 2 limbs, 8 bytes, "0000000000000001000000000000000d";
/// }
/// ```
#[macro_export]
macro_rules! prime_field {
    ($($(#[$doc:meta])* pub struct $name:ident = $title:literal, $n:literal limbs, $bytes:literal bytes, $p:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl $crate::field::Prime<$n> for $name {
            const P: [$crate::Limb; $n] = $crate::field::limbs_from_hex($p);
        }

        impl $crate::field::Field for $name {
            const NAME: &'static str = $title;
            type Residue = $crate::field::Montgomery<$name, $n>;
            type Bytes = [u8; $bytes];
            const ZERO_BYTES: Self::Bytes = [0; $bytes];
            #[inline(never)]
            fn invert(limbs: &mut [$crate::Limb; $crate::field::MAX_LIMBS]) {
                $crate::field::inverse_in_field::<Self::Residue>(limbs);
            }
        }

        const _: () = assert!(
            $crate::field::is_probable_prime(&$crate::field::limbs_from_hex::<$n>($p)),
            concat!($title, " is not a prime"),
        );
        const _: () = assert!(
            $bytes == usize::div_ceil(<<$name as $crate::field::Field>::Residue as $crate::field::Residue>::BITS, 8),
            concat!($title, " has another number of bytes"),
        );
    )*};
}

/// The limbs of a number in hexadecimal, 16 digits each.
#[doc(hidden)]
pub const fn limbs_from_hex<const N: usize>(hex: &str) -> [carrysave_kernels::Limb; N] {
    let (hex, mut limbs, mut i) = (hex.as_bytes(), [0; N], 0);
    assert!(hex.len() == 16 * N, "16 digits a limb");
    while i < hex.len() {
        let digit = match hex[i] {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            _ => panic!("hexadecimal digits"),
        };
        let limb = N - 1 - i / 16;
        limbs[limb] = limbs[limb] << 4 | digit as carrysave_kernels::Limb;
        i += 1;
    }
    limbs
}
