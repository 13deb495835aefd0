//! X25519 (RFC 7748, section 5).

use crate::field::{F25519, Fe, Multiply, Portable};
use crate::{Cpu, Limb};
use zeroize::Zeroize;

/// The u-coordinate of the base point: 9.
pub const X25519_BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// The function X25519 of the RFC: the u-coordinate of k times a point with u-coordinate u, where three bits of k are
/// cleared and one is set first. Any u is one; of its highest bit nothing is read.
///
/// An all-zero result says that the point is of small order: a key agreement must refuse it.
///
/// # Timing
/// Depends on nothing but what `cpu` has.
///
/// ```
/// use carrysave_arith::{Cpu, curve::{X25519_BASE, x25519}};
/// let (alice, bob) = ([0x11; 32], [0x22; 32]);
/// let of_alice = x25519(Cpu::native(), &alice, &X25519_BASE);
/// let of_bob = x25519(Cpu::native(), &bob, &X25519_BASE);
/// assert_eq!(x25519(Cpu::native(), &alice, &of_bob), x25519(Cpu::native(), &bob, &of_alice));
/// ```
pub fn x25519(cpu: Cpu, k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    #[cfg(target_arch = "x86_64")]
    if let Some(m) = crate::field::MulxAdx::new(cpu) {
        return ladder(m, k, u);
    }
    let _ = cpu;
    ladder(Portable, k, u)
}

/// Montgomery's ladder in the RFC's variables.
fn ladder<M: Multiply>(m: M, k: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    // decodeScalar25519
    let mut k = *k;
    k[0] &= 248;
    k[31] &= 127;
    k[31] |= 64;
    let x_1 = Fe::<F25519>::reduce_le_bytes(u).by(m);
    let [one, zero] = [1, 0].map(|limb| Fe::<F25519>::from_limb(limb).by(m));
    let mut state = [one, zero, x_1, one];
    let mut swap = 0;
    for t in (0..255).rev() {
        let k_t = Limb::from(k[t / 8] >> (t % 8) & 1);
        swap_pairs(&mut state, swap ^ k_t);
        swap = k_t;
        step(&mut state, &x_1);
    }
    swap_pairs(&mut state, swap);
    let [x_2, z_2, ..] = state;
    let result = (x_2 * z_2.inv()).to_le_bytes();
    state.zeroize();
    k.zeroize();
    result
}

/// Exchanges (x_2, z_2) and (x_3, z_3) for 1.
#[inline(always)]
fn swap_pairs<M: Multiply>(state: &mut [Fe<F25519, M>; 4], bit: Limb) {
    let [x_2, z_2, x_3, z_3] = state;
    Fe::swap(x_2, x_3, bit);
    Fe::swap(z_2, z_3, bit);
}

/// (x_2, z_2) doubled, and (x_3, z_3) their sum, whose difference is x_1.
#[inline(always)]
fn step<M: Multiply>(state: &mut [Fe<F25519, M>; 4], x_1: &Fe<F25519, M>) {
    let [x_2, z_2, x_3, z_3] = *state;
    let (a, b) = (x_2 + z_2, x_2 - z_2);
    let (aa, bb) = (a.sqr(), b.sqr());
    let e = aa - bb;
    let (da, cb) = ((x_3 - z_3) * a, (x_3 + z_3) * b);
    *state = [
        aa * bb,
        e * (aa + e.mul_small(121_665)),
        (da + cb).sqr(),
        *x_1 * (da - cb).sqr(),
    ];
}
