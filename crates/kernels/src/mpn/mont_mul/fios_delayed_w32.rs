//! `fios_delayed` on 32-bit words.

use super::fios_delayed::fios_delayed;

crate::mpn::montgomery::kernel!(fios_delayed, u32);
