//! Scalar multiplication: by signed windows with constant-time table look-ups, and by the methods of exponentiation.

use super::base_rows::BaseRows;
use super::counting::{self, Count, of_row};
use super::endomorphism::HALF;
use super::formulas::Formulas;
use super::jacobian::{Jacobian, Sum};
use super::lanes::OnFirstUse;
use super::spread;
use super::weierstrass::{Curve, Endomorphism, Point, residue};
use crate::field::{Fe, Field, Multiply, Portable, Residue, invert_batch};
use crate::group::Group;
use crate::plan::choose;
use crate::pow::sliding_rl;
use crate::word::{self, equal};
use crate::{Cpu, Limb, Nat};
use carrysave_kernels::{fp::MAX_LIMBS, mpn::TabSelect};
use core::hint::black_box;
use core::marker::PhantomData;
use zeroize::{Zeroize, Zeroizing};

#[cfg(target_arch = "x86_64")]
use crate::field::MulxAdx;

/// The bits of a window, and of a window of the base point's table.
pub(super) const WINDOW: usize = 5;
pub(super) const BASE_WINDOW: usize = 6;
/// The largest digits.
pub(super) const DIGITS: usize = 1 << (WINDOW - 1);
pub(super) const BASE_DIGITS: usize = 1 << (BASE_WINDOW - 1);

/// The number of windows of a scalar of `bits` bits: the highest digit is not negative.
pub(super) const fn windows(width: usize, bits: usize) -> usize {
    bits / width + 1
}

/// The bits of a number at a window of w bits, and the one below them.
pub(super) fn bits(scalar: &[Limb], width: usize, window: usize) -> Limb {
    match (width * window).checked_sub(1) {
        None => word::window(scalar, 0, width) << 1,
        Some(at) => word::window(scalar, at, width + 1),
    }
}

/// The digit of these bits, from -2^(w - 1) to 2^(w - 1), as its magnitude and 1 where it is negative (Booth 1951).
pub(super) fn recoded(bits: Limb, width: usize) -> (Limb, Limb) {
    let (value, sign) = ((bits + 1) >> 1, bits >> width);
    let mask = sign.wrapping_neg();
    // -value + 2^w where it is negative.
    let magnitude = (value ^ mask)
        .wrapping_sub(mask)
        .wrapping_add(mask & 1 << width);
    (magnitude, sign)
}

/// The digit of a number at a window of w bits: see [`recoded`].
pub(super) fn digit(scalar: &[Limb], width: usize, window: usize) -> (Limb, Limb) {
    recoded(bits(scalar, width, window), width)
}

/// Looks up a digit in a table of 1 to 16 times a point: the multiple, and 1 if the digit is 0.
#[inline(always)]
fn lookup<C: Curve, M: Multiply>(
    table: &[Jacobian<C, M>; DIGITS],
    (magnitude, sign): (Limb, Limb),
) -> (Jacobian<C, M>, Limb) {
    let mut entry = table[0];
    for (i, point) in (1..).zip(table) {
        entry = Jacobian::select(&entry, point, equal(i, magnitude));
    }
    entry.negate_if(sign);
    (entry, equal(0, magnitude))
}

impl<C: Curve> Point<C> {
    /// The point times a scalar, whose limbs, the lowest first, are secret; it need not be below the order.
    ///
    /// # Timing
    /// Depends on the number of limbs only.
    #[must_use]
    pub fn mul(&self, cpu: Cpu, scalar: &[Limb]) -> Self {
        C::mul_compiled(self, scalar, cpu)
    }

    pub(super) fn mul_generic(&self, cpu: Cpu, scalar: &[Limb]) -> Self {
        if let Some(product) = C::mul_on_vectors(self, scalar, cpu) {
            return product;
        }
        #[cfg(target_arch = "x86_64")]
        if C::TUNED
            && let Some(m) = MulxAdx::new(cpu)
        {
            return Formulas::new(m).mul(&self.by(m), scalar, cpu).by(Portable);
        }
        Formulas::new(Portable).mul(self, scalar, cpu)
    }

    /// The point times a public number, by the methods of exponentiation.
    ///
    /// # Timing
    /// Depends on the scalar's value.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, Nat, curve::{P256, Point}};
    /// let g = Point::<P256>::generator();
    /// assert_eq!(g.mul_vartime(Cpu::native(), &Nat::from_limb(1001)), g.mul(Cpu::native(), &[1001]));
    /// ```
    #[must_use]
    pub fn mul_vartime(&self, cpu: Cpu, scalar: &Nat) -> Self {
        Points::new(cpu).power_vartime(self, scalar)
    }
}

impl<C: Curve, M: Multiply> Formulas<C, M> {
    /// 1 to N times a point.
    pub(super) fn multiples<const N: usize>(&self, p: &Point<C, M>) -> [Point<C, M>; N] {
        let mut table = [*p; N];
        for i in 1..N {
            table[i] = match i % 2 {
                1 => self.double(&table[i / 2]),
                _ => self.add(&table[i - 1], p),
            };
        }
        table
    }

    /// A point times a secret scalar, by two scalars of half its length if the curve has an endomorphism.
    pub(super) fn mul(&self, p: &Point<C, M>, scalar: &[Limb], cpu: Cpu) -> Point<C, M> {
        match C::endomorphism() {
            Some(endomorphism) => self.mul_by_halves(p, scalar, &endomorphism, cpu),
            None if C::PRIME_ORDER => self.mul_below_order(p, scalar),
            None => self.mul_complete(p, scalar),
        }
    }

    /// A point times a secret scalar, as x times the point plus y times lambda times the point, with x and y of half
    /// its length.
    ///
    /// Only the last two additions can meet an equal or opposite point. At an earlier window the sum stands for a + b lambda
    /// and the digit for d or d lambda, where a, b and d are below 2^124; were they equal or opposite without being 0, there
    /// would be a pair of numbers below 2^125, not both 0, with a + b lambda = 0 modulo n. But n divides
    /// a^2 - a b + b^2 then, which is below 2^252.
    fn mul_by_halves(
        &self,
        p: &Point<C, M>,
        scalar: &[Limb],
        endomorphism: &Endomorphism<C>,
        cpu: Cpu,
    ) -> Point<C, M> {
        // The constants of a shorter order do not fit four limbs.
        assert!(<C::Scalar as Field>::Residue::BITS > 254);
        let m = p.x.multiplier();
        let mut halves = endomorphism.split(scalar);
        let infinite = p.z.zero_bit();
        let (mut multiples, z) = Jacobian::new(p).multiples::<DIGITS>(self);
        let beta = endomorphism.beta.by(m);
        let mut tables = [
            Rows::<C>::of(multiples.iter().map(|point| [point.x, point.y]), DIGITS),
            Rows::<C>::of(
                multiples.iter().map(|point| [point.x * beta, point.y]),
                DIGITS,
            ),
        ];
        let mut rows = Rows::<C>::new(cpu, 2 * Rows::<C>::LIMBS);
        let mut entry = |i: usize, window| {
            let (sign, half) = &halves[i];
            let (magnitude, negative) = digit(half, WINDOW, window);
            rows.read(&tables[i], (magnitude, negative ^ sign), m)
        };
        let mut sum = Sum::new(self);
        for window in (1..windows(WINDOW, 64 * HALF)).rev() {
            for i in 0..2 {
                let (entry, none) = entry(i, window);
                sum.add_affine(&entry, none);
            }
            sum.double_times(WINDOW);
        }
        let mut product = sum.for_z(&z).projective();
        for i in 0..2 {
            let (mut last, none) = entry(i, 0);
            last.z = z;
            product = self.add(&product, &last.or_infinity(none));
            last.zeroize();
        }
        let product = Point::select(&product, &Point::<C>::identity().by(m), infinite);
        halves.zeroize();
        multiples.zeroize();
        tables.zeroize();
        product
    }

    /// A point times a secret number modulo the order of both point and curve.
    ///
    /// Only the last addition can meet an equal or opposite point: at an earlier window the sum is 32 times a number
    /// that is not 0, so that with or without the digit, which is at most 16, it is between 0 and n/32 + 33, for the
    /// order n above 64. Multiples of infinity are infinity whatever the formulas give: the end selects the result.
    #[inline(always)]
    pub(super) fn mul_below_order(&self, p: &Point<C, M>, scalar: &[Limb]) -> Point<C, M> {
        const { assert!(<C::Scalar as Field>::Residue::BITS > 6) };
        let mut k = residue::<C>(scalar);
        let mut limbs = k.to_limbs();
        let infinite = p.z.zero_bit();
        let p = Jacobian::new(p);
        let mut table = [p; DIGITS];
        for i in 1..DIGITS {
            table[i] = match i % 2 {
                1 => table[i / 2].doubled(self),
                _ => table[i - 1].plus(&p),
            };
        }
        let mut sum = Sum::new(self);
        for window in (1..windows(WINDOW, <C::Scalar as Field>::Residue::BITS)).rev() {
            let (entry, none) = lookup(&table, digit(&limbs, WINDOW, window));
            sum.add(&entry, none);
            sum.double_times(WINDOW);
        }
        let (mut entry, none) = lookup(&table, digit(&limbs, WINDOW, 0));
        let product = sum.add_last(&entry, none);
        let identity = Point::<C>::identity().by(product.x.multiplier());
        let product = Point::select(&product, &identity, infinite);
        entry.zeroize();
        table.zeroize();
        limbs.zeroize();
        k.zeroize();
        product
    }

    /// A point times a secret number on a curve that may have points of any order.
    fn mul_complete(&self, p: &Point<C, M>, scalar: &[Limb]) -> Point<C, M> {
        let identity = Point::<C>::identity().by(p.x.multiplier());
        let mut table = self.multiples::<DIGITS>(p);
        let last = windows(WINDOW, 64 * scalar.len()) - 1;
        let mut r = identity;
        for window in (0..=last).rev() {
            if window < last {
                r = self.double_times(&r, WINDOW);
            }
            let (magnitude, sign) = digit(scalar, WINDOW, window);
            let mut entry = identity;
            for (i, point) in (1..).zip(&table) {
                entry = Point::select(&entry, point, equal(i, magnitude));
            }
            entry.y = Fe::select(&entry.y, &-entry.y, sign);
            r = self.add(&r, &entry);
        }
        table.zeroize();
        r
    }
}

/// A constant-time look-up table of affine points: rows of limbs, x before y.
struct Rows<C: Curve> {
    select: TabSelect,
    row: [Limb; BaseRows::width(2 * MAX_LIMBS + 1)],
    width: usize,
    curve: PhantomData<C>,
}

impl<C: Curve> Rows<C> {
    /// Limbs of a coordinate.
    const LIMBS: usize = <C::Base as Field>::Residue::BITS.div_ceil(64);

    /// For rows of so many limbs, which begin with the coordinates.
    fn new(cpu: Cpu, width: usize) -> Self {
        Rows {
            select: TabSelect::best(cpu),
            row: [0; BaseRows::width(2 * MAX_LIMBS + 1)],
            width,
            curve: PhantomData,
        }
    }

    /// A table of points, `count` at most: more would make it grow, which leaves copies.
    fn of<M: Multiply>(
        points: impl Iterator<Item = [Fe<C::Base, M>; 2]>,
        count: usize,
    ) -> Vec<Limb> {
        let limbs = |x: Fe<C::Base, M>| x.by(Portable).form().into_iter().take(Self::LIMBS);
        let mut table = Vec::with_capacity(2 * Self::LIMBS * count);
        table.extend(points.take(count).flatten().flat_map(limbs));
        table
    }

    /// Looks up a digit in a table of multiples from 1 on: the multiple, and 1 if the digit is 0.
    fn read<M: Multiply>(
        &mut self,
        table: &[Limb],
        (magnitude, sign): (Limb, Limb),
        m: M,
    ) -> (Jacobian<C, M>, Limb) {
        let row = &mut self.row[..self.width];
        let none = equal(0, magnitude);
        // The digit 0 reads the first row, which is not added.
        self.select
            .call(row, table, (magnitude + none - 1) as usize);
        let [x, y] = [0, Self::LIMBS].map(|at| Fe::from_form(&row[at..][..Self::LIMBS]).by(m));
        let mut entry = Jacobian::from_affine(x, y);
        entry.negate_if(sign);
        (entry, none)
    }
}

/// Wipes the row.
impl<C: Curve> Drop for Rows<C> {
    fn drop(&mut self) {
        self.row.zeroize();
    }
}

/// Precomputed multiples of a curve's base point, which cut the time of its products to a third or less: one entry for
/// each value of each digit (Brickell, Gordon, McCurley, Wilson, EUROCRYPT 1992).
///
/// ```
/// use carrysave_arith::{Cpu, curve::{BaseTable, P256, Point}, field::Fe};
/// let table = BaseTable::<P256>::new(Cpu::native());
/// assert_eq!(table.mul(&Fe::from_limb(1001)), Point::generator().mul(Cpu::native(), &[1001]));
/// ```
pub struct BaseTable<C: Curve> {
    /// For each window j, the rows 1 to 32 times 2^6j times the base point.
    multiples: BaseRows,
    /// The rows of all windows in the digits of the best vectors.
    pub(super) columns: OnFirstUse,
    /// Those for one scalar in all lanes.
    pub(super) spread: spread::OnFirstUse,
    pub(super) cpu: Cpu,
    curve: PhantomData<C>,
}

impl<C: Curve> BaseTable<C> {
    /// Limbs of a multiple: those of x and y, and the number itself modulo a prime of 55 bits.
    const ROW: usize = 2 * Rows::<C>::LIMBS + 1;

    /// Computes the multiples.
    pub fn new(cpu: Cpu) -> Self {
        C::table_compiled(cpu)
    }

    pub(super) fn new_generic(cpu: Cpu) -> Self {
        let formulas = Formulas::new(Portable);
        let mut at = Point::<C>::generator();
        let mut points = vec![];
        for _ in 0..Self::windows() {
            let multiples = formulas.multiples::<BASE_DIGITS>(&at);
            points.extend(multiples);
            at = formulas.double(&multiples[BASE_DIGITS - 1]);
        }
        let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
        invert_batch(&mut inverses);
        let affine = points.iter().zip(&inverses).enumerate();
        let row = |(i, (p, inverse)): (usize, (&Point<C>, &Fe<C::Base>))| {
            let mut row = Rows::<C>::of([[p.x, p.y].map(|x| x * *inverse)].into_iter(), 1);
            row.push(of_row(i));
            row
        };
        BaseTable {
            multiples: BaseRows::new(Self::ROW, affine.map(row)),
            columns: OnFirstUse::new(),
            spread: spread::OnFirstUse::new(),
            cpu,
            curve: PhantomData,
        }
    }

    fn windows() -> usize {
        windows(BASE_WINDOW, <C::Scalar as Field>::Residue::BITS)
    }

    /// The coordinates of all rows, x before y.
    pub(super) fn coordinates(&self) -> impl Iterator<Item = Fe<C::Base>> {
        let len = Rows::<C>::LIMBS;
        let coordinates =
            move |row: &'_ [Limb]| [0, len].map(|at| Fe::from_form(&row[at..][..len]));
        self.multiples.iter().flat_map(coordinates)
    }

    /// The coordinates of a public number, 1 to 32, times the base point.
    #[inline(always)]
    pub(super) fn multiple(&self, number: usize) -> [Fe<C::Base>; 2] {
        let len = Rows::<C>::LIMBS;
        let row = &self.multiples.window(0)[BaseRows::width(Self::ROW) * (number - 1)..];
        [0, len].map(|at| Fe::from_form(&row[at..][..len]))
    }

    /// The base point times a secret number.
    ///
    /// # Timing
    /// Depends on the curve only.
    #[must_use]
    pub fn mul(&self, scalar: &Fe<C::Scalar>) -> Point<C> {
        self.mul_counted(scalar).0
    }

    /// The base point times a secret number, and the number modulo a prime of 55 bits as the multiples add up to it, each by
    /// what the table says it is: [`BaseTable::count`] of the number, unless the machine miscalculated. If in addition the
    /// point is on the curve, a fault that changes the number, a digit of it, a choice among the multiples, or a
    /// coordinate has not happened (with a chance of 2^-55 for one that leads to random values).
    /// Not found are a sign that is changed in the addition alone, and an addition left out.
    ///
    /// # Timing
    /// Depends on the curve only.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, curve::{BaseTable, P256}, field::Fe};
    /// let table = BaseTable::<P256>::new(Cpu::native());
    /// let k = -Fe::from_limb(1001);
    /// let (point, count) = table.mul_counted(&k);
    /// assert_eq!((point, count), (table.mul(&k), BaseTable::<P256>::count(&k)));
    /// ```
    #[must_use]
    pub fn mul_counted(&self, scalar: &Fe<C::Scalar>) -> (Point<C>, Limb) {
        C::mul_base_compiled(self, scalar)
    }

    /// [`mul_counted`](Self::mul_counted) of each.
    pub(super) fn one_by_one(
        &self,
        scalars: &[Fe<C::Scalar>],
    ) -> (Vec<Point<C>>, Zeroizing<Vec<Limb>>) {
        // With their full length from the start: a vector that grows leaves a copy behind.
        let mut products = Vec::with_capacity(scalars.len());
        let mut counts = Zeroizing::new(Vec::with_capacity(scalars.len()));
        for scalar in scalars {
            let (product, count) = self.mul_counted(scalar);
            products.push(product);
            counts.push(count);
        }
        (products, counts)
    }

    pub(super) fn mul_counted_generic(&self, scalar: &Fe<C::Scalar>) -> (Point<C>, Limb) {
        if let Some(product) = C::base_product(self, scalar) {
            return product;
        }
        #[cfg(target_arch = "x86_64")]
        if C::TUNED
            && let Some(m) = MulxAdx::new(self.cpu)
        {
            let (point, count) = self.mul_by(m, scalar);
            return (point.by(Portable), count);
        }
        self.mul_by(Portable, scalar)
    }

    /// A secret number modulo a prime of 55 bits.
    ///
    /// # Timing
    /// Depends on the curve only.
    pub fn count(scalar: &Fe<C::Scalar>) -> Limb {
        let mut limbs = scalar.to_limbs();
        let count = counting::count(&limbs, <C::Scalar as Field>::Residue::BITS);
        limbs.zeroize();
        count
    }

    /// From the top. At a window above the lowest the sum stands for 64 k and the entry for a digit of at most 32, both
    /// times a power of 64, and k is not negative. As the order n is a prime above 64, they are equal or opposite only
    /// if n divides 64 k plus or minus the digit: for k > 0 that lies between 0 and n/64 + 65. So only the last
    /// addition can meet such points.
    fn mul_by<M: Multiply>(&self, m: M, scalar: &Fe<C::Scalar>) -> (Point<C, M>, Limb) {
        let formulas = Formulas::new(m);
        let mut rows = Rows::<C>::new(self.cpu, BaseRows::width(Self::ROW));
        let (mut limbs, mut count) = (scalar.to_limbs(), Count::ZERO);
        let mut entry = |window: usize| {
            let digit = digit(&limbs, BASE_WINDOW, window);
            let entry = rows.read(self.multiples.window(window), digit, m);
            count.add(rows.row[2 * Rows::<C>::LIMBS], black_box(digit.1), entry.1);
            entry
        };
        let mut sum = Sum::new(&formulas);
        for window in (1..Self::windows()).rev() {
            let (entry, none) = entry(window);
            sum.add_affine(&entry, none);
        }
        let (mut last, none) = entry(0);
        let product = sum.add_last(&last, none);
        last.zeroize();
        limbs.zeroize();
        (product, count.get())
    }
}

impl<C: Curve> core::fmt::Debug for BaseTable<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "BaseTable({})", C::NAME)
    }
}

/// The points of a curve as a group, for the methods of exponentiation: their time depends on the exponent.
///
/// ```
/// use carrysave_arith::{Cpu, Nat, curve::{P256, Point, Points}, published::pow::Version};
/// use carrysave_team::Serial;
/// let (g, group) = (Point::<P256>::generator(), || Points::new(Cpu::native()));
/// let power = Version::V2.power_vartime(&Serial, &group, &g, &Nat::from_limb(1001));
/// assert_eq!(power, g.mul(Cpu::native(), &[1001]));
/// ```
pub struct Points<C: Curve> {
    /// Whether windows are signed.
    signed: bool,
    portable: Formulas<C, Portable>,
    #[cfg(target_arch = "x86_64")]
    mulx_adx: Option<(MulxAdx, Formulas<C, MulxAdx>)>,
}

impl<C: Curve> Points<C> {
    /// The group on a processor.
    pub fn new(cpu: Cpu) -> Self {
        let _ = cpu;
        Points {
            signed: true,
            portable: Formulas::new(Portable),
            #[cfg(target_arch = "x86_64")]
            mulx_adx: MulxAdx::new(cpu).map(|m| (m, Formulas::new(m))),
        }
    }

    /// The group as if a negative took as long as any sum: windows are not signed.
    #[must_use]
    pub fn without_inverses(self) -> Self {
        Points {
            signed: false,
            ..self
        }
    }

    /// A point times a public number, by sliding windows from the right.
    ///
    /// # Timing
    /// Depends on the number's value.
    ///
    /// ```
    /// use carrysave_arith::{Cpu, Nat, curve::{P256, Point, Points}};
    /// let (g, k) = (Point::<P256>::generator(), Nat::from_limb(1001));
    /// let signed = Points::new(Cpu::native()).power_vartime(&g, &k);
    /// assert_eq!(Points::new(Cpu::native()).without_inverses().power_vartime(&g, &k), signed);
    /// ```
    pub fn power_vartime(&mut self, point: &Point<C>, scalar: &Nat) -> Point<C> {
        let policy = match self.signed {
            true => sliding_rl::SIGNED_CASE,
            false => sliding_rl::AVERAGE_CASE,
        };
        let width = choose(policy, scalar.bits_vartime());
        sliding_rl::powers(self, point, &[(scalar, width)]).remove(0)
    }
}

impl<C: Curve> Group for Points<C> {
    type Element = Point<C>;

    fn one(&self) -> Point<C> {
        Point::identity()
    }

    fn square(&mut self, x: &mut Point<C>) {
        #[cfg(target_arch = "x86_64")]
        if let Some((m, formulas)) = &self.mulx_adx {
            *x = formulas.double(&x.by(*m)).by(Portable);
            return;
        }
        *x = self.portable.double(x);
    }

    fn mul(&mut self, x: &mut Point<C>, y: &Point<C>) {
        #[cfg(target_arch = "x86_64")]
        if let Some((m, formulas)) = &self.mulx_adx {
            *x = formulas.add(&x.by(*m), &y.by(*m)).by(Portable);
            return;
        }
        *x = self.portable.add(x, y);
    }

    fn fast_inverse(&self, x: &Point<C>) -> Option<Point<C>> {
        self.signed.then(|| x.neg())
    }
}

impl<C: Curve> core::fmt::Debug for Points<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Points({})", C::NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    /// A table from which a wrong multiple is read says another number.
    #[test]
    fn a_wrong_multiple_is_counted() {
        type Table = BaseTable<crate::curve::P256>;
        let words = Cpu::native().without(Isa::AVX512IFMA);
        let (mut table, k) = (Table::new(words), -Fe::from_limb(12_345));
        let right = Table::count(&k);
        assert_eq!(table.mul_counted(&k).1, right);
        let (mut found, windows) = (0, Table::windows());
        for window in 0..windows {
            table.multiples.rotate(window, 1);
            found += usize::from(table.mul_counted(&k).1 != right);
            table.multiples.rotate(window, BASE_DIGITS - 1);
        }
        // Where the digit is 0, nothing is read.
        let limbs = k.to_limbs();
        let zeros = (0..windows).filter(|&window| digit(&limbs, BASE_WINDOW, window).0 == 0);
        assert_eq!(found + zeros.count(), windows);
        assert_eq!(table.mul_counted(&k).1, right);
    }

    #[test]
    fn digits_add_up() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let edges = [0, 1, 15, 16, 17, 31, 32, u64::MAX, u64::MAX - 1, 1 << 63];
        let random: Vec<u64> = (0..100).map(|_| next()).collect();
        for (low, width) in edges
            .into_iter()
            .chain(random.iter().copied())
            .flat_map(|low| [(low, WINDOW), (low, BASE_WINDOW)])
        {
            for high in edges {
                let windows = windows(width, 128);
                let sum = (0..windows).rev().fold(0_i128, |sum, window| {
                    let (magnitude, sign) = digit(&[low, high], width, window);
                    assert!(magnitude <= 1 << (width - 1) && sign <= 1);
                    let digit = magnitude as i128 * if sign == 1 { -1 } else { 1 };
                    assert!(window + 1 < windows || digit >= 0);
                    sum.wrapping_mul(1 << width).wrapping_add(digit)
                });
                assert_eq!(sum as u128, u128::from(high) << 64 | u128::from(low));
            }
        }
    }
}
