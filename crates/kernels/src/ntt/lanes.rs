//! What transforms are written over.

use crate::Limb;

/// Four residues modulo one prime side by side, as whatever the processor multiplies best.
///
/// Residues between operations may be negative and above p. Of a product one factor, by p, times the other is at most
/// 2 in absolute value, and the product is at most `1/2 + 1/4` of that; [`Lanes::reduce`] leaves at most 1/2.
///
/// All methods are inlined into a function that enables what they execute.
pub(super) trait Lanes: Copy {
    /// The residues.
    type Vector: Copy;

    /// Residues modulo the prime of this index.
    ///
    /// # Safety
    /// The processor has what the vectors execute.
    unsafe fn new(prime: usize) -> Self;

    /// Four residues in memory.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn load(self, from: *const Limb) -> Self::Vector;

    /// One residue in all four lanes.
    ///
    /// # Safety
    /// It can be read.
    unsafe fn splat(self, from: *const Limb) -> Self::Vector;

    /// Those that block j of the last level but one needs, and then its four blocks on the last level: the roots of
    /// blocks 4j to 4j + 3, and of the two blocks each of these is cut into, in the order of [`Lanes::outward`].
    ///
    /// # Safety
    /// The table goes on to entry 8j + 7.
    unsafe fn roots(self, table: *const Limb, j: usize) -> [Self::Vector; 3];

    /// The bits of `mask` of the words at four places, so many bytes apart: below 2^48.
    ///
    /// # Safety
    /// Eight bytes can be read at each.
    unsafe fn digits(self, from: *const u8, apart: usize, mask: Limb) -> Self::Vector;

    /// Puts residues into memory; canonical ones, if it is for another operation.
    ///
    /// # Safety
    /// They can be written.
    unsafe fn store(self, x: Self::Vector, to: *mut Limb);

    /// `a + b`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b`.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a * b`.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The same residue, nearest to 0.
    fn reduce(self, a: Self::Vector) -> Self::Vector;
    /// The same residue from 0 to p - 1, of one between -p and p.
    fn canonical(self, a: Self::Vector) -> Self::Vector;
    /// Canonical residues as integers.
    fn integers(self, a: Self::Vector) -> [Limb; 4];

    /// Vector c holds block c; transposed, vector e holds element e of blocks 0, 2, 1 and 3.
    fn outward(self, x: [Self::Vector; 4]) -> [Self::Vector; 4];
    /// The other way.
    fn inward(self, x: [Self::Vector; 4]) -> [Self::Vector; 4];
}
