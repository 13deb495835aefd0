//! `cios` on 32-bit words.

use super::cios::cios;

crate::mpn::montgomery::kernel!(cios, u32);
