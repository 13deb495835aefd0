//! Common parts of the algorithms over messages.

use super::Words;
use carrysave_kernels::{
    Limb,
    mpn::word::{add, mac},
};
use carrysave_team::{SharedWord, messages::Comm};
use zeroize::Zeroizing;

/// Sends words of either size.
pub(super) fn send<W: SharedWord>(comm: &dyn Comm, to: usize, words: &[W]) {
    comm.send(to, &limbs(words));
}

/// Receives words of either size.
pub(super) fn recv<W: SharedWord>(comm: &dyn Comm, from: usize, words: &mut [W]) {
    let mut limbs = limbs(words);
    comm.recv(from, &mut limbs);
    copy(words, &limbs);
}

/// Sends the words of one rank to all.
pub(super) fn broadcast<W: SharedWord>(comm: &dyn Comm, root: usize, words: &mut [W]) {
    let mut limbs = limbs(words);
    comm.broadcast(root, &mut limbs);
    copy(words, &limbs);
}

fn limbs<W: SharedWord>(words: &[W]) -> Zeroizing<Vec<Limb>> {
    Zeroizing::new(words.iter().map(|&word| word.into()).collect())
}

fn copy<W: SharedWord>(words: &mut [W], limbs: &[Limb]) {
    for (word, &limb) in words.iter_mut().zip(limbs) {
        *word = W::lowest(limb);
    }
}

/// Joins the parts of all ranks and the word above, which the last rank has; ranks without a part receive only.
pub(super) fn gather<W: SharedWord>(
    comm: &dyn Comm,
    bounds: &[usize],
    own: &[W],
    top: W,
) -> Words<W> {
    let s = bounds[bounds.len() - 1];
    let mut all = Zeroizing::new(vec![W::ZERO; s + 1]);
    for (rank, columns) in bounds.windows(2).enumerate() {
        // With the last part goes the word above.
        let end = columns[1] + usize::from(columns[1] == s);
        let part = &mut all[columns[0]..end];
        if comm.rank() == rank {
            part[..own.len()].copy_from_slice(own);
            if let Some(above) = part.get_mut(own.len()) {
                *above = top;
            }
        }
        broadcast(comm, rank, part);
    }
    all
}

/// `t += a * b`, with carry propagation to the end of t.
pub(super) fn addmul<W: SharedWord>(t: &mut [W], a: &[W], b: W) {
    let (low, high) = t.split_at_mut(a.len());
    let mut carry = W::ZERO;
    for (t, &a) in low.iter_mut().zip(a) {
        (*t, carry) = mac(a, b, *t, carry);
    }
    for t in high {
        (*t, carry) = add(*t, carry);
    }
}

/// `t += x`, with carry propagation to the end of t.
pub(super) fn add_words<W: SharedWord>(t: &mut [W], x: &[W]) {
    let mut carry = W::ZERO;
    for (i, t) in t.iter_mut().enumerate() {
        let x = x.get(i).copied().unwrap_or(W::ZERO);
        (*t, carry) = W::split(t.wide() + x.wide() + carry.wide());
    }
}
