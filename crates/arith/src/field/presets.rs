//! Fields in use.

use super::batch::Work;
use super::{Field, InLanes, Mersenne127, Vectors};

/// An action on any field `2^w - c`.
pub trait Visitor {
    /// Acts on the field `F`.
    fn visit<F: Field>(&mut self, w: usize, c: u64)
    where
        F::Residue: InLanes;
}

/// [`Field::run_in_lanes`] for one field: not generic, so that it is compiled here, once.
macro_rules! run_in_lanes {
    () => {
        fn run_in_lanes(vectors: Vectors, work: Work<'_>) {
            work.run::<Self>(vectors);
        }
    };
}

macro_rules! presets {
    ($($(#[$doc:meta])* $name:ident = 2^$w:literal - $c:expr;)*) => {
        $(crate::crandall_field! { @one $(#[$doc])* $name $w ($c) { run_in_lanes!(); } })*

        /// Calls a visitor with every field `2^w - c` declared here: for tests and benchmarks.
        ///
        /// ```
        /// use carrysave_arith::field::{Field, InLanes, Visitor, visit_presets};
        /// struct Names(Vec<&'static str>);
        /// impl Visitor for Names {
        ///     fn visit<F: Field>(&mut self, _w: usize, _c: u64)
        ///     where
        ///         F::Residue: InLanes,
        ///     {
        ///         self.0.push(F::NAME);
        ///     }
        /// }
        /// let mut names = Names(vec![]);
        /// visit_presets(&mut names);
        /// assert!(names.0.contains(&"2^255 - 19"));
        /// ```
        pub fn visit_presets(visitor: &mut impl Visitor) {
            visitor.visit::<F127>(127, 1);
            $(visitor.visit::<$name>($w, $c);)*
        }
    };
}

presets! {
    /// Modulo 2^127 - 735.
    F127M735 = 2^127 - 735;
    /// Modulo 2^128 - 159.
    F128M159 = 2^128 - 159;
    /// Modulo 2^255 - 19 (Bernstein, Curve25519, 2006).
    F25519 = 2^255 - 19;
    /// Modulo 2^256 - 189.
    F256M189 = 2^256 - 189;
    /// Modulo 2^256 - 2^32 - 977: the field of secp256k1 (SEC 2, version 2, 2.4.1).
    Secp256k1Field = 2^256 - 4_294_968_273;
}

/// Modulo 2^127 - 1.
#[derive(Clone, Copy, Debug)]
pub struct F127;

impl Field for F127 {
    const NAME: &'static str = "2^127 - 1";
    type Residue = Mersenne127;
    type Bytes = [u8; 16];
    const ZERO_BYTES: [u8; 16] = [0; 16];
    run_in_lanes!();
}
