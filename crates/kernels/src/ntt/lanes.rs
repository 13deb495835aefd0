//! Vectors of residues, over which transforms are written.

use crate::Limb;

/// Residues of the longest vector.
pub(super) const WIDEST: usize = 8;

/// Residues modulo one prime side by side, in the form that the processor multiplies best. There are four, or eight:
/// four of one group of 16 words and then four of the next.
///
/// Residues between operations may be negative and above p. Of a product one factor, by p, times the other is at most
/// 2 in absolute value, and the product is at most `1/2 + 1/4` of that; [`Lanes::reduce`] leaves at most 1/2.
///
/// All methods are inlined into a function that enables what they execute.
pub(super) trait Lanes: Copy {
    /// The residues.
    type Vector: Copy;
    /// The residues in a vector.
    const STEP: usize = 4;

    /// Residues modulo the prime of this index.
    ///
    /// # Safety
    /// The processor has what the vectors execute.
    unsafe fn new(prime: usize) -> Self;

    /// Loads residues.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn load(self, from: *const Limb) -> Self::Vector;

    /// One residue in all lanes.
    ///
    /// # Safety
    /// It can be read.
    unsafe fn splat(self, from: *const Limb) -> Self::Vector;

    /// The blocks of groups: vector c holds words 4c to 4c + 3 of each.
    ///
    /// # Safety
    /// They can be read.
    #[inline(always)]
    unsafe fn load_groups(self, from: *const Limb) -> [Self::Vector; 4] {
        // SAFETY: the caller's word.
        unsafe { load(self, from, 4) }
    }

    /// Stores the blocks of groups: undoes [`Lanes::load_groups`].
    ///
    /// # Safety
    /// They can be written.
    #[inline(always)]
    unsafe fn store_groups(self, x: [Self::Vector; 4], to: *mut Limb) {
        // SAFETY: the caller's word.
        unsafe { store(self, x, to, 4) }
    }

    /// The roots (twiddle factors) that cut the groups from j on, blocks of the last level but one, and then their
    /// halves.
    ///
    /// # Safety
    /// The table goes on to entry 2j + 1 for the last of them.
    #[inline(always)]
    unsafe fn group_roots(self, table: *const Limb, j: usize) -> [Self::Vector; 3] {
        // SAFETY: the caller's word.
        unsafe { roots(self, table, j) }
    }

    /// The roots (twiddle factors) that cut the four blocks of these groups on the last level: those of its blocks 4j
    /// to 4j + 3, and of the two blocks that each of these is cut into, in the order of [`Lanes::outward`].
    ///
    /// # Safety
    /// The table goes on to entry 8j + 7 for the last of them.
    unsafe fn block_roots(self, table: *const Limb, j: usize) -> [Self::Vector; 3];

    /// The words at places `apart` bytes from each other, ANDed with `mask`: below 2^48.
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
    /// The representative nearest to 0 of each residue.
    fn reduce(self, a: Self::Vector) -> Self::Vector;
    /// The representative from 0 to p - 1 of each residue, given one between -p and p.
    fn canonical(self, a: Self::Vector) -> Self::Vector;
    /// Puts canonical residues into memory as integers.
    ///
    /// # Safety
    /// They can be written.
    unsafe fn integers(self, a: Self::Vector, to: *mut Limb);

    /// Vector c holds block c of each group; transposed, vector e holds element e of blocks 0, 2, 1 and 3.
    fn outward(self, x: [Self::Vector; 4]) -> [Self::Vector; 4];
    /// Undoes [`Lanes::outward`].
    fn inward(self, x: [Self::Vector; 4]) -> [Self::Vector; 4];
}

/// The roots (twiddle factors) that cut block j, and then its halves.
///
/// # Safety
/// The table is as long as that.
#[inline(always)]
pub(super) unsafe fn roots<L: Lanes>(l: L, w: *const Limb, j: usize) -> [L::Vector; 3] {
    // SAFETY: the caller's word.
    unsafe {
        [
            l.splat(w.add(j)),
            l.splat(w.add(2 * j)),
            l.splat(w.add(2 * j + 1)),
        ]
    }
}

/// # Safety
/// Vectors can be read at four places, h words apart.
#[inline(always)]
pub(super) unsafe fn load<L: Lanes>(l: L, x: *const Limb, h: usize) -> [L::Vector; 4] {
    // SAFETY: the caller's word.
    unsafe {
        [
            l.load(x),
            l.load(x.add(h)),
            l.load(x.add(2 * h)),
            l.load(x.add(3 * h)),
        ]
    }
}

/// # Safety
/// Vectors can be written at four places, h words apart.
#[inline(always)]
pub(super) unsafe fn store<L: Lanes>(l: L, words: [L::Vector; 4], x: *mut Limb, h: usize) {
    let [a, b, c, d] = words;
    // SAFETY: the caller's word.
    unsafe {
        l.store(a, x);
        l.store(b, x.add(h));
        l.store(c, x.add(2 * h));
        l.store(d, x.add(3 * h));
    }
}
