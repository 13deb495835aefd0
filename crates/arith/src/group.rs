//! Groups, for exponentiation.

/// A group with the scratch of one thread.
///
/// ```
/// use carrysave_arith::Group;
/// /// The numbers from 1 to 100, modulo 101.
/// struct Modulo101;
/// impl Group for Modulo101 {
///     type Element = u32;
///     fn one(&self) -> u32 {
///         1
///     }
///     fn square(&mut self, x: &mut u32) {
///         *x = *x * *x % 101;
///     }
///     fn mul(&mut self, x: &mut u32, y: &u32) {
///         *x = *x * *y % 101;
///     }
/// }
/// let mut x = 7;
/// Modulo101.square(&mut x);
/// assert_eq!(x, 49);
/// ```
pub trait Group {
    /// The elements of the group.
    type Element: Clone + Send + Sync;

    /// The neutral element.
    fn one(&self) -> Self::Element;

    /// `x := x^2`
    fn square(&mut self, x: &mut Self::Element);

    /// `x := x * y`
    fn mul(&mut self, x: &mut Self::Element, y: &Self::Element);

    /// The inverse, in a group where it costs next to nothing, as that of a point on a curve: windows are signed then.
    fn fast_inverse(&self, _x: &Self::Element) -> Option<Self::Element> {
        None
    }
}
