//! Fixed windows, for secret exponents (HAC 14.82): the table is read through `tabselect`.

use crate::aligned::{LINE, to_line};
use crate::nat::Nat;
use crate::plan;
use crate::ring::{Ring, Words};
use crate::word;
use carrysave_kernels::Limb;
use zeroize::Zeroizing;

/// The power of each lane, over the low `bits` bits of its exponent. The time depends on sizes only.
pub(crate) fn power(
    ring: &dyn Ring,
    base: &[Limb],
    exps: &[&Nat],
    bits: usize,
    t: &mut [Limb],
) -> Words {
    let w = plan::choose(ring.plan().fixed_window, bits);
    let (width, lanes) = (ring.width(), ring.lanes());
    let lane_width = width / lanes;
    // One table a lane, at a cache line: row i is base^i.
    let size = lane_width << w;
    let mut memory = vec![Zeroizing::new(vec![0; size + LINE - 1]); lanes];
    let mut tables: Vec<&mut [Limb]> = memory
        .iter_mut()
        .map(|words| {
            let start = to_line(words);
            &mut words[start..][..size]
        })
        .collect();
    let mut put = |i: usize, r: &[Limb]| {
        for (table, lane) in tables.iter_mut().zip(r.chunks(lane_width)) {
            table[i * lane_width..][..lane_width].copy_from_slice(lane);
        }
    };
    let mut r = ring.one();
    put(0, &r);
    put(1, base);
    let mut power = Zeroizing::new(base.to_vec());
    for i in 2..1 << w {
        ring.mul(&mut power, base, t);
        put(i, &power);
    }
    let windows = bits.div_ceil(w);
    let choose = |row: &mut [Limb], i: usize| {
        for ((table, exp), row) in tables.iter().zip(exps).zip(row.chunks_mut(lane_width)) {
            let digit = word::window(exp.limbs(), i * w, w.min(bits - i * w));
            ring.mpn().tabselect.call(row, table, digit as usize);
        }
    };
    if windows > 0 {
        choose(&mut r, windows - 1);
    }
    let mut entry = Zeroizing::new(vec![0; width]);
    for i in (0..windows.saturating_sub(1)).rev() {
        // Before the squarings, which do not depend on it.
        choose(&mut entry, i);
        ring.sqr_times(&mut r, w, t);
        ring.mul(&mut r, &entry, t);
    }
    r
}
