//! Long-number arithmetic for cryptography.
//!
//! [`Nat`] is a natural number on the heap whose width is public and whose value may be secret; [`Modulus`] is an odd
//! number with its Montgomery context. A function takes time that depends on public widths only, unless its name ends
//! in `_vartime` or its documentation says otherwise.
//!
//! ```
//! use carrysave_arith::{Modulus, Nat};
//! let n = Modulus::new(&Nat::from_limb(101)).unwrap();
//! let r = n.pow(&Nat::from_limb(2), &Nat::from_limb(100));
//! assert!(r.is_one());
//! ```
#![forbid(unsafe_code)]

mod aligned;
mod buffered_rng;
pub mod curve;
mod divsteps;
pub mod field;
mod gcd;
mod group;
mod inverse;
mod modulus;
mod nat;
mod plan;
mod pow;
pub mod prime;
pub mod published;
mod ring;
pub mod task;
mod word;
#[doc(hidden)]
pub mod work;

pub use buffered_rng::BufferedRng;
pub use carrysave_kernels::{Cpu, Isa, Limb, Model, off_stack, op::Timing, publish};
pub use carrysave_team::once;
pub use group::Group;
pub use inverse::{Signed, inv_mod, inv_mod_vartime, xgcd_vartime};
pub use modulus::{FixedBase, Modulus, Multiplier, Prediction, lanes};
pub use nat::{Barrett, Nat};
pub use plan::{
    Found, NEVER, PLANS, Plan, PlanError, Product, Steps, USUAL_ROUND_TRIP, Value, choose,
    counted_round_trip,
};
pub use pow::{METHODS, Method};
