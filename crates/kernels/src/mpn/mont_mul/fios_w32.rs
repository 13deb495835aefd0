//! `fios` on 32-bit words.

use super::fios::fios;

crate::mpn::montgomery::kernel!(fios, u32);
