//! Every instruction-level loop of carrysave.
//!
//! An operation is a folder: [`mpn::add_n`] is the smallest one to read. Its contract is prose and data, its kernels
//! are rival implementations of the same contract, its handle ([`mpn::AddN`]) is a kernel that is known to run on
//! this processor. [`REGISTRY`] lists every operation, and all tests, benches and listings walk it.
//!
//! This crate holds all the unsafe arithmetic code there is. It appears in three forms: the kernel's body, the
//! pointers in its signature, and the one call in the handle's fence, which checks the shapes first.

// Miri has none of the kernels for one processor, and no use for what they share.
#![cfg_attr(miri, allow(unused))]

#[cfg(target_endian = "big")]
compile_error!(
    "carrysave has no big-endian machines: its transforms take limbs for little-endian bytes"
);

#[macro_use]
pub mod op;
pub mod cpu;
#[cfg(feature = "forced")]
pub mod forced;
mod pages;
mod public;
// Some is for registers only, and some for tests only.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "checked")),
    allow(dead_code, unused_imports)
)]
mod simd;
mod stack;
mod timing;

pub use cpu::{Cpu, Isa, Model};
pub use pages::zeros;
pub use public::publish;
#[doc(hidden)]
pub use public::valgrind_request;
pub use stack::off_stack;

/// The machine word that numbers are made of, least significant first.
pub type Limb = u64;

/// Declares the families of operations: a row is the module, and the place in the registry.
macro_rules! families {
    ($($(#[$doc:meta])* $family:ident;)*) => {
        $($(#[$doc])* pub mod $family;)*

        /// Every family: its name, which is that of its folder, and its operations.
        pub static FAMILIES: &[(&str, &[&op::Op])] = &[$((stringify!($family), $family::OPS)),*];

        /// Every operation, with its contract and its kernels.
        pub static REGISTRY: &[&op::Op] = &{
            const FAMILIES: &[&[&op::Op]] = &[$($family::OPS),*];
            let mut all = [FAMILIES[0][0]; 0 $(+ $family::OPS.len())*];
            let (mut i, mut family) = (0, 0);
            while family < FAMILIES.len() {
                let mut j = 0;
                while j < FAMILIES[family].len() {
                    all[i] = FAMILIES[family][j];
                    (i, j) = (i + 1, j + 1);
                }
                family += 1;
            }
            all
        };
    };
}

families! {
    mpn;
    radix52;
    mb8;
    threefish;
    fp;
    fp8;
    aes;
    ntt;
    sha512;
}

/// Overwrites a kernel's working space on the stack, limbs or vectors that held secrets, with their `zero`.
#[inline]
fn wipe<T: Copy>(words: &mut [T], zero: T) {
    for word in words {
        // SAFETY: a live reference.
        unsafe { core::ptr::write_volatile(word, zero) };
    }
}
