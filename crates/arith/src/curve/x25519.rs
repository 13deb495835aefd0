//! X25519 (RFC 7748, section 5).

use super::lanes::followed;
use crate::field::{F25519, Fe, FeBatch, Fes, Vectors};
use crate::{Cpu, Limb};
use carrysave_kernels::fp::{MAX_LIMBS, X25519Step, x25519_step::SCRATCH};
use carrysave_kernels::fp8::{self, Lanes, Octet, Program};
use zeroize::Zeroize;

/// The u-coordinate of the base point: 9.
pub const X25519_BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// The function X25519 of the RFC: the u-coordinate of k times a point with u-coordinate u, after three bits of k are
/// cleared and one is set. Any u is valid; its highest bit is ignored.
///
/// An all-zero result means that the point has small order: a key agreement must refuse it.
///
/// # Timing
/// Depends on the extensions of `cpu` only.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{X25519_BASE, x25519}};
/// let (alice, bob) = ([0x11; 32], [0x22; 32]);
/// let of_alice = x25519(Cpu::native(), &alice, &X25519_BASE);
/// let of_bob = x25519(Cpu::native(), &bob, &X25519_BASE);
/// assert_eq!(x25519(Cpu::native(), &alice, &of_bob), x25519(Cpu::native(), &bob, &of_alice));
/// ```
pub fn x25519(cpu: Cpu, k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let mut coordinates = ladder(cpu, k, u);
    let [x, z] = &coordinates;
    let shared = (*x * z.inv()).to_le_bytes();
    // Apart they reveal more of k than the quotient does.
    coordinates.zeroize();
    shared
}

/// Montgomery's ladder in the RFC's variables: x_2 and z_2 at its end.
fn ladder(cpu: Cpu, k: &[u8; 32], u: &[u8; 32]) -> [Fe<F25519>; 2] {
    let mut k = decode_scalar(k);
    let [u0, u1, u2, u3, ..] = Fe::<F25519>::reduce_le_bytes(u).to_limbs();
    let (zero, one, x_1) = ([0; 4], [1, 0, 0, 0], [u0, u1, u2, u3]);
    let mut state = [one, zero, x_1, one, x_1];
    let mut scratch = [0; SCRATCH];
    let step = X25519Step::best(cpu);
    let mut swap = 0;
    for t in (0..255).rev() {
        let k_t = Limb::from(k[t / 8] >> (t % 8) & 1);
        step.call(&mut state, &mut scratch, swap ^ k_t);
        swap = k_t;
    }
    // The lowest bit of k is 0, so no exchange is left.
    let [x_2, z_2, ..] = state.map(|limbs| {
        let mut wide = [0; MAX_LIMBS];
        wide[..4].copy_from_slice(&limbs);
        Fe::below_power(&wide)
    });
    state.zeroize();
    scratch.zeroize();
    k.zeroize();
    [x_2, z_2]
}

/// [`x25519`] for many pairs of a scalar and a point, eight at a time where IFMA makes that faster.
///
/// # Panics
/// If there are not as many points as scalars.
///
/// # Timing
/// Depends on the number of pairs and the extensions of `cpu` only.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{X25519_BASE, x25519, x25519_batch}};
/// let k: Vec<[u8; 32]> = (0..11).map(|i| [i; 32]).collect();
/// let points = x25519_batch(Cpu::native(), &k, &[X25519_BASE; 11]);
/// assert_eq!(points[10], x25519(Cpu::native(), &k[10], &X25519_BASE));
/// ```
pub fn x25519_batch(cpu: Cpu, k: &[[u8; 32]], u: &[[u8; 32]]) -> Vec<[u8; 32]> {
    assert_eq!(k.len(), u.len(), "a point for each scalar");
    let vectors = Vectors::best(cpu);
    let alone = match vectors.have_ifma() {
        // Pairs that do not fill all lanes are faster alone.
        true => k.len() % LANES,
        false => k.len(),
    };
    let (k, last_k) = k.split_at(k.len() - alone);
    let (u, last_u) = u.split_at(u.len() - alone);
    let alone = last_k.iter().zip(last_u);
    followed(
        x25519_in_lanes(vectors, k, u),
        alone.map(|(k, u)| x25519(cpu, k, u)),
    )
}

/// [`x25519_batch`], always in the lanes of these vectors; the last lanes may be idle.
///
/// # Panics
/// If there are not as many points as scalars.
///
/// # Timing
/// Depends on the number of pairs and on the vectors only.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{X25519_BASE, x25519_batch, x25519_in_lanes}, field::Vectors};
/// let (k, u) = ([[7; 32]; 9], [X25519_BASE; 9]);
/// for vectors in Vectors::all(Cpu::native()) {
///     assert_eq!(x25519_in_lanes(vectors, &k, &u), x25519_batch(Cpu::native(), &k, &u));
/// }
/// ```
pub fn x25519_in_lanes(vectors: Vectors, k: &[[u8; 32]], u: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let vectors = vectors.of_integers();
    assert_eq!(k.len(), u.len(), "a point for each scalar");
    let mut scalars = vec![Octet::default(); WORDS * k.len().div_ceil(LANES)];
    for (i, k) in k.iter().enumerate() {
        let mut k = decode_scalar(k);
        let octets = &mut scalars[WORDS * (i / LANES)..];
        for (octet, word) in octets.iter_mut().zip(k.as_chunks().0) {
            octet.0[i % LANES] = Limb::from_le_bytes(*word);
        }
        k.zeroize();
    }
    let points: Vec<Fe<F25519>> = u.iter().map(|u| Fe::reduce_le_bytes(u)).collect();
    let x_1 = FeBatch::on(vectors, &points);
    let (mut x, mut z) = (x_1.clone(), x_1.clone());
    vectors.run_on_integers(Ladders {
        k: &scalars,
        x_1: x_1.octets(),
        x: x.octets_mut(),
        z: z.octets_mut(),
    });
    z.inv();
    x.mul(&z);
    let mut elements = x.to_elements();
    let results = elements.iter().map(Fe::to_le_bytes).collect();
    Octet::wipe(&mut scalars);
    elements.zeroize();
    results
}

/// Numbers side by side.
const LANES: usize = 8;
/// Words of a scalar.
const WORDS: usize = 4;

/// Ladders of scalars k from u-coordinates x_1: they end in x and z.
struct Ladders<'a> {
    /// Words of eight scalars, and of the next eight.
    k: &'a [Octet],
    x_1: &'a [Octet],
    x: &'a mut [Octet],
    z: &'a mut [Octet],
}

impl Program for Ladders<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let digits = WORDS * self.x_1.len() / self.k.len().max(1);
        for (i, k) in self.k.chunks(WORDS).enumerate() {
            let (k, octets) = (fp8::words(k), digits * i..digits * (i + 1));
            for part in 0..LANES / L::LANES {
                let x_1 = Fes::<F25519, L>::load(l, &self.x_1[octets.clone()], part);
                let [one, zero] = [1, 0].map(|limb| Fes::small(l, limb));
                let mut state = [one, zero, x_1, one];
                let mut swap = l.splat(0);
                for t in (0..255).rev() {
                    // By vectors: a vector load of words that were written one by one stalls until all are in memory,
                    // and they are not before the last step has ended.
                    let bit = l.and(l.shr(l.load(&k[t / 64], part), t % 64), l.splat(1));
                    let k_t = l.sub(l.splat(0), bit);
                    swap_pairs(&mut state, l.xor(swap, k_t));
                    swap = k_t;
                    step(&mut state, &x_1);
                }
                swap_pairs(&mut state, swap);
                state[0].store(&mut self.x[octets.clone()], part);
                state[1].store(&mut self.z[octets.clone()], part);
            }
        }
    }
}

/// decodeScalar25519
pub(super) fn decode_scalar(k: &[u8; 32]) -> [u8; 32] {
    let mut k = *k;
    k[0] &= 248;
    k[31] &= 127;
    k[31] |= 64;
    k
}

/// Exchanges (x_2, z_2) and (x_3, z_3) where the mask is all ones.
#[inline(always)]
fn swap_pairs<L: Lanes>(state: &mut [Fes<F25519, L>; 4], mask: L::Vector) {
    let [x_2, z_2, x_3, z_3] = *state;
    let pick = |a, b| (Fes::select(&a, &b, mask), Fes::select(&b, &a, mask));
    let ((x_2, x_3), (z_2, z_3)) = (pick(x_2, x_3), pick(z_2, z_3));
    *state = [x_2, z_2, x_3, z_3];
}

/// (x_2, z_2) doubled, and (x_3, z_3) their sum, whose difference is x_1. Each product is followed by an independent
/// one: the processor's window of instructions is short.
#[inline(always)]
fn step<L: Lanes>(state: &mut [Fes<F25519, L>; 4], x_1: &Fes<F25519, L>) {
    let [x_2, z_2, x_3, z_3] = *state;
    let (a, b) = (x_2 + z_2, x_2 - z_2);
    let (d, c) = (x_3 - z_3, x_3 + z_3);
    let (aa, bb) = (a.sqr(), b.sqr());
    let (da, cb) = (d * a, c * b);
    let e = aa - bb;
    let f = aa + e.mul_small(121_665);
    let (sum, difference) = (da + cb, da - cb);
    let x_2 = aa * bb;
    let difference = difference.sqr();
    let z_2 = e * f;
    let z_3 = *x_1 * difference;
    *state = [x_2, z_2, sum.sqr(), z_3];
}
