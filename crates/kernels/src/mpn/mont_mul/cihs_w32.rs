//! `cihs` on 32-bit words.

use super::cihs::cihs;

crate::mpn::montgomery::kernel!(cihs, u32);
