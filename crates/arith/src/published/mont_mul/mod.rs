//! Montgomery multiplication by several threads, as published: one file an algorithm, two rows in [`ALGORITHMS`].
//!
//! Shapes     r\[k\], a\[k\], b\[k\], n\[k\], n0 = -n^-1 mod 2^64; n odd; k >= 1.
//! Input      a < n, b < n.
//! Output     r = a * b / R  (mod n),  R = 2^(64k);  r < n, fully reduced.
//! Timing     depends on k and on the team, but for `pfios_naive`.
//!
//! For comparison. They run on limbs and, as published, on words of 32 bits (`_w32`). Any length works: of s words,
//! each of p threads gets s/p or one more. If there are more threads than words, some are idle.

mod messages;
mod pfios;
mod pfios_messages;
mod pfios_naive;
mod pshs;

use carrysave_kernels::{
    Limb,
    mpn::{
        Mpn,
        word::{Word, mac},
    },
    op::Timing,
};
use carrysave_team::messages::{Channels, Comm};
use carrysave_team::{SharedWord, Team};
use core::fmt;
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// A Montgomery multiplication by several threads, for comparison: a row of [`ALGORITHMS`].
pub struct Algorithm {
    /// The name; it ends in `_w32` for words of 32 bits.
    pub name: &'static str,
    /// Whether the time depends on values.
    pub timing: Timing,
    /// The source.
    pub source: &'static str,
    by: By,
    /// A product and the square of its first factor at once, for those that gain by it.
    pair: Option<Pair>,
}

/// A product, and the square of its first factor.
type Pair = fn(&dyn Team, Product<'_>, &mut [Limb]);

/// How the threads communicate.
enum By {
    Memory(fn(&dyn Team, Product<'_>)),
    Messages(fn(&dyn Comm, Product<'_>)),
}

/// `r := a * b / R mod n` on limbs.
struct Product<'a> {
    r: &'a mut [Limb],
    a: &'a [Limb],
    b: &'a [Limb],
    n: &'a [Limb],
    n0: Limb,
}

macro_rules! algorithms {
    ($($name:ident: $by:ident $timing:ident, $source:literal $(, $pair:ident)?;)*) => {
        /// Every algorithm, on limbs and on words of 32 bits.
        pub static ALGORITHMS: &[Algorithm] = &[$(
            algorithms!(stringify!($name), Limb, $name, $by, $timing, $source $(, $pair)?),
            algorithms!(concat!(stringify!($name), "_w32"), u32, $name, $by, $timing, $source $(, $pair)?),
        )*];
    };
    (@ $word:ty, $file:ident, $pair:ident) => {
        Some(|team, product, square| {
            let words = Operands::<$word>::new(&product);
            let [one, other] = $file::$pair(team, &words);
            reduce(square, &other, product.n);
            product.finish(&one);
        })
    };
    (@ $word:ty, $file:ident) => {
        None
    };
    ($name:expr, $word:ty, $file:ident, $by:ident, $timing:ident, $source:literal $(, $pair:ident)?) => {
        Algorithm {
            name: $name,
            timing: Timing::$timing,
            source: $source,
            by: By::$by(|with, product| {
                let words = Operands::<$word>::new(&product);
                product.finish(&$file::$file(with, &words));
            }),
            pair: algorithms!(@ $word, $file $(, $pair)?),
        }
    };
}

algorithms! {
    pfios_naive: Memory Variable, "Khalifa 2011, list 22";
    pfios: Memory Constant, "Khalifa 2011, list 25", pair;
    pfios_messages: Messages Constant, "Khalifa 2011, 5.2 and 6.5";
    pshs: Messages Constant, "Chen, Schaumont 2011; Khalifa 2011, list 23";
}

impl Algorithm {
    /// The algorithm with this name.
    ///
    /// ```
    /// use carrysave_arith::published::mont_mul::Algorithm;
    /// use carrysave_team::Serial;
    /// let pfios = Algorithm::named("pfios").unwrap();
    /// // Modulo 2^64 - 1 both R and n0 are 1.
    /// let mut r = [0];
    /// pfios.call(&Serial, &mut r, &[6], &[7], &[u64::MAX], 1);
    /// assert_eq!(r, [42]);
    /// ```
    pub fn named(name: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
    }

    /// Whether the threads exchange messages only, so that they may be processes.
    pub fn by_messages(&self) -> bool {
        matches!(self.by, By::Messages(_))
    }

    /// `r := a * b / 2^(64k) mod n` by a team, for factors below an odd n with `n0 = -n^-1 mod 2^64`.
    ///
    /// # Panics
    /// If the lengths are not k, k, k, k for one k >= 1.
    ///
    /// # Timing
    /// That of [`Algorithm::timing`]: if constant, it depends on k and on the team.
    pub fn call(
        &self,
        team: &dyn Team,
        r: &mut [Limb],
        a: &[Limb],
        b: &[Limb],
        n: &[Limb],
        n0: Limb,
    ) {
        let product = Product::new(r, a, b, n, n0);
        match self.by {
            By::Memory(multiply) => multiply(team, product),
            By::Messages(multiply) => {
                let channels = Channels::new(team.size());
                let result = Mutex::new(product.r);
                team.run(&|member| {
                    let mut r = Zeroizing::new(vec![0; n.len()]);
                    let product = Product::new(&mut r, a, b, n, n0);
                    multiply(&channels.link(member), product);
                    if member.rank() == 0 {
                        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
                        result.copy_from_slice(&r);
                    }
                });
            }
        }
    }

    /// `r := r * s / 2^(64k)` and `s := s^2 / 2^(64k) mod n` by a team, for numbers below an odd n with `n0 = -n^-1 mod
    /// 2^64`. `pfios` takes both in one pass, so that its threads wait for each other as often as for one product.
    ///
    /// # Panics
    /// If the lengths are not k, k, k for one k >= 1.
    ///
    /// # Timing
    /// As for [`Algorithm::call`].
    ///
    /// ```
    /// use carrysave_arith::published::mont_mul::Algorithm;
    /// use carrysave_team::Serial;
    /// let pfios = Algorithm::named("pfios").unwrap();
    /// // Modulo 2^64 - 1 both R and n0 are 1.
    /// let (mut r, mut s) = ([6], [7]);
    /// pfios.call_pair(&Serial, &mut r, &mut s, &[u64::MAX], 1);
    /// assert_eq!((r, s), ([42], [49]));
    /// ```
    pub fn call_pair(&self, team: &dyn Team, r: &mut [Limb], s: &mut [Limb], n: &[Limb], n0: Limb) {
        let [a, b] = [&*s, &*r].map(|factor| Zeroizing::new(factor.to_vec()));
        match self.pair {
            Some(pair) => pair(team, Product::new(r, &a, &b, n, n0), s),
            None => {
                self.call(team, r, &a, &b, n, n0);
                self.call(team, s, &a, &a, n, n0);
            }
        }
    }

    /// [`Algorithm::call`] by a group of ranks: each calls it with the same operands, and each gets r.
    ///
    /// # Panics
    /// If the algorithm is not one [by messages](Algorithm::by_messages); if the lengths are not k, k, k, k for one
    /// k >= 1; if a message gets lost.
    ///
    /// # Timing
    /// As for [`Algorithm::call`].
    pub fn call_over(
        &self,
        comm: &dyn Comm,
        r: &mut [Limb],
        a: &[Limb],
        b: &[Limb],
        n: &[Limb],
        n0: Limb,
    ) {
        match self.by {
            By::Messages(multiply) => multiply(comm, Product::new(r, a, b, n, n0)),
            By::Memory(_) => panic!("{self:?} needs memory that its threads share"),
        }
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({})", self.name)
    }
}

impl<'a> Product<'a> {
    fn new(
        r: &'a mut [Limb],
        a: &'a [Limb],
        b: &'a [Limb],
        n: &'a [Limb],
        n0: Limb,
    ) -> Product<'a> {
        let k = n.len();
        assert!(k > 0 && r.len() == k && a.len() == k && b.len() == k);
        Product { r, a, b, n, n0 }
    }

    /// Writes the result, from words of a number below 2n and the word above.
    fn finish<W: SharedWord>(self, words: &[W]) {
        reduce(self.r, words, self.n);
    }
}

/// `r := t mod n`, from words of t below 2n and the word above: always subtracts.
fn reduce<W: SharedWord>(r: &mut [Limb], words: &[W], n: &[Limb]) {
    let (top, words) = words.split_last().expect("there is a word above");
    let limb = |words: &[W]| {
        words
            .iter()
            .rev()
            // Twice half the bits, as a limb cannot be shifted by all of its bits.
            .fold(0, |limb: Limb, &word| {
                limb << (W::BITS / 2) << (W::BITS / 2) | word.into()
            })
    };
    let per_limb = (Limb::BITS / W::BITS) as usize;
    let sum = Zeroizing::new(words.chunks(per_limb).map(limb).collect::<Vec<Limb>>());
    let mpn = Mpn::native();
    let borrow = mpn.sub_n.call(r, &sum, n);
    mpn.cnd_add_n
        .call_in_place(borrow & (1 ^ (*top).into()), r, n);
}

/// The factors, the modulus, and `-n^-1 mod 2^w`, as words of one size.
struct Operands<W: SharedWord> {
    a: Words<W>,
    b: Words<W>,
    n: Words<W>,
    n0: W,
}

/// Words that are wiped when dropped.
type Words<W> = Zeroizing<Vec<W>>;

impl<W: SharedWord> Operands<W> {
    fn new(product: &Product<'_>) -> Operands<W> {
        let words = |limbs: &[Limb]| {
            let parts = |&limb: &Limb| {
                (0..Limb::BITS)
                    .step_by(W::BITS as usize)
                    .map(move |at| W::lowest(limb >> at))
            };
            // Full capacity from the start, so that no reallocation leaves unwiped memory.
            let count = limbs.len() * (Limb::BITS / W::BITS) as usize;
            let mut words = Zeroizing::new(Vec::with_capacity(count));
            words.extend(limbs.iter().flat_map(parts));
            words
        };
        Operands {
            a: words(product.a),
            b: words(product.b),
            n: words(product.n),
            n0: W::lowest(product.n0),
        }
    }

    /// The words of a factor.
    fn len(&self) -> usize {
        self.n.len()
    }
}

/// The bounds of the parts of s words, for at most p threads, with at least one word each.
fn bounds(s: usize, p: usize) -> Vec<usize> {
    let p = p.min(s);
    (0..=p).map(|i| s * i / p).collect()
}

/// A column of finely integrated operand scanning with a delayed carry of two words: the sum in the column, and its
/// carry to the next.
#[inline(always)]
fn column<W: Word>(a: W, b: W, m: W, n: W, t: W, delayed: W::Double) -> (W, W::Double) {
    let (low, high) = W::split(delayed);
    let (sum, c1) = mac(a, b, t, low);
    let (sum, c2) = mac(m, n, sum, W::ZERO);
    (sum, high.wide() + c1.wide() + c2.wide())
}
