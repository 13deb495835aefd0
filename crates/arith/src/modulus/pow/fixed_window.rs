//! Fixed windows, for secret exponents (HAC 14.82): the table is read through `tabselect`.

use super::super::ring::{Ring, Words};
use super::digit;
use crate::nat::Nat;
use crate::plan::choose;
use carrysave_kernels::Limb;
use zeroize::Zeroizing;

/// Words in a cache line.
const LINE: usize = 8;

/// The power of each lane, over the low `bits` bits of its exponent. Its time depends on sizes only.
pub(super) fn power(
    ring: &dyn Ring,
    base: &[Limb],
    exps: &[&Nat],
    bits: usize,
    t: &mut [Limb],
) -> Words {
    let w = choose(ring.plan().fixed_window, bits);
    let (width, lanes) = (ring.width(), ring.lanes());
    let lane_width = width / lanes;
    // One table a lane, at a cache line: row i is base^i.
    let size = lane_width << w;
    let mut memory = vec![Zeroizing::new(vec![0; size + LINE - 1]); lanes];
    let mut tables: Vec<&mut [Limb]> = memory
        .iter_mut()
        .map(|words| {
            let start = words.as_ptr().align_offset(size_of::<Limb>() * LINE);
            &mut words[start.min(LINE - 1)..][..size]
        })
        .collect();
    let mut r = ring.one();
    for i in 0..1 << w {
        for (table, lane) in tables.iter_mut().zip(r.chunks(lane_width)) {
            table[i * lane_width..][..lane_width].copy_from_slice(lane);
        }
        ring.mul(&mut r, base, t);
    }
    r = ring.one();
    let mut entry = Zeroizing::new(vec![0; width]);
    let windows = bits.div_ceil(w);
    for i in (0..windows).rev() {
        if i + 1 < windows {
            ring.sqr_times(&mut r, w, t);
        }
        for (lane, table) in tables.iter().enumerate() {
            let digit = digit(exps[lane], i * w, w.min(bits - i * w));
            let row = &mut entry[lane * lane_width..][..lane_width];
            ring.mpn().tabselect.call(row, table, digit as usize);
        }
        ring.mul(&mut r, &entry, t);
    }
    r
}
