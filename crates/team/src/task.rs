//! Operations that can run side by side: schemes implement these traits, and the engine runs what implements them.
//!
//! A [`Task`] is one operation with its key and its input. Its long part is a [`Primitive`], which several tasks can
//! share: RSASSA-PSS, RSASSA-PKCS1-v1_5 and decryption are three tasks over one private operation. So tasks of
//! different kinds fill the lanes of one vector.
//!
//! ```
//! use carrysave_team::task::{Primitive, Task};
//! use rand_core::CryptoRng;
//!
//! /// Multiplication by a key.
//! struct Key(u64);
//!
//! impl Primitive for Key {
//!     type Class = ();
//!     type Input = u64;
//!     type Output = u64;
//!
//!     fn class(&self) {}
//!
//!     fn cost(&self) -> u64 {
//!         1
//!     }
//!
//!     fn run_group<R: CryptoRng + ?Sized>(_: &mut R, group: &[(&Key, &u64)]) -> Vec<u64> {
//!         group.iter().map(|(key, x)| key.0 * **x).collect()
//!     }
//! }
//!
//! /// Encodes a letter, multiplies, and gives the result in decimal.
//! struct Encrypt {
//!     key: Key,
//!     letter: char,
//! }
//!
//! impl Task for Encrypt {
//!     type Primitive = Key;
//!     type Output = String;
//!     type Error = &'static str;
//!
//!     fn primitive(&self) -> &Key {
//!         &self.key
//!     }
//!
//!     fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<u64, &'static str> {
//!         self.letter.is_ascii_lowercase().then_some(self.letter as u64).ok_or("no lower-case letter")
//!     }
//!
//!     fn finish(&self, output: u64) -> Result<String, &'static str> {
//!         Ok(output.to_string())
//!     }
//! }
//!
//! # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! assert_eq!(Encrypt { key: Key(3), letter: 'a' }.run(rng), Ok("291".to_owned()));
//! assert_eq!(Encrypt { key: Key(3), letter: 'A' }.run(rng), Err("no lower-case letter"));
//! ```

use crate::{Serial, Team};
use core::hash::Hash;
use rand_core::CryptoRng;

/// The long operation inside a task, with its key but without its input.
///
/// Two primitives of one type and one class can run side by side. Each gives the result that it gives alone.
pub trait Primitive: Send + Sync + 'static {
    /// Primitives of this type can run side by side if their classes are equal: mostly the sizes of their keys. Public.
    type Class: Clone + Eq + Hash + Send + Sync + 'static;
    /// The input of the primitive.
    type Input: Send + 'static;
    /// The output of the primitive; a [`Result`] if it can fail.
    type Output: Send + 'static;

    /// The most primitives that [`Primitive::run_group`] takes at once.
    const GROUP: usize = 8;

    /// The class of this primitive.
    fn class(&self) -> Self::Class;

    /// An estimate of the time of the primitive alone. The unit is that of a power, which takes the square of the
    /// modulus's bits times the exponent's bits. Only ratios between estimates matter.
    fn cost(&self) -> u64;

    /// The size from which a group is faster than its primitives one after the other; `None` if no group is.
    fn group_from(&self) -> Option<usize> {
        None
    }

    /// An estimate of the time of a group whose size is at least `from`, the result of [`Primitive::group_from`]. A
    /// group in vector lanes takes the same time whatever its size.
    fn group_cost(&self, from: usize, _size: usize) -> u64 {
        self.cost().saturating_mul(from as u64)
    }

    /// Runs a group and returns the results in order: at most [`Primitive::GROUP`] primitives of one class with their
    /// inputs. A primitive that fails does not affect the others.
    ///
    /// # Panics
    /// If there are more, or of several classes.
    fn run_group<R: CryptoRng + ?Sized>(
        rng: &mut R,
        group: &[(&Self, &Self::Input)],
    ) -> Vec<Self::Output>;

    /// Runs this primitive alone, on the threads of a team where it can use several.
    ///
    /// # Panics
    /// If a member of the team panics.
    fn run_on<R: CryptoRng + ?Sized>(
        &self,
        _team: &dyn Team,
        rng: &mut R,
        input: &Self::Input,
    ) -> Self::Output {
        let mut outputs = Self::run_group(rng, &[(self, input)]);
        outputs.pop().expect("a result each")
    }
}

/// One operation with its key and its input: a primitive, and the steps before and after it.
///
/// A task owns what it needs, as it may run on another thread.
pub trait Task: Send + Sync {
    /// The type of the long operation inside.
    type Primitive: Primitive;
    /// What the task gives.
    type Output: Send;
    /// Why it gives nothing.
    type Error: Send;

    /// The long operation inside.
    fn primitive(&self) -> &Self::Primitive;

    /// The primitive's input: encodes, and checks lengths and ranges.
    ///
    /// # Errors
    /// Those found without the primitive. A task that is refused here takes no place in a group.
    fn start<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<<Self::Primitive as Primitive>::Input, Self::Error>;

    /// Makes the task's result from the primitive's `output`: decodes and compares.
    ///
    /// # Errors
    /// Those of the primitive and of what follows it.
    fn finish(
        &self,
        output: <Self::Primitive as Primitive>::Output,
    ) -> Result<Self::Output, Self::Error>;

    /// Runs this task alone.
    ///
    /// # Errors
    /// Those of [`Task::start`] and [`Task::finish`].
    fn run<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Result<Self::Output, Self::Error> {
        self.run_on(&Serial, rng)
    }

    /// Runs this task alone, with its primitive on a team: for long keys.
    ///
    /// # Errors
    /// Those of [`Task::start`] and [`Task::finish`].
    ///
    /// # Panics
    /// If a member of the team or the generator does.
    fn run_on<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
    ) -> Result<Self::Output, Self::Error> {
        let input = self.start(rng)?;
        self.finish(self.primitive().run_on(team, rng, &input))
    }
}
