//! `sos` on 32-bit words.

use super::sos::sos;

crate::mpn::montgomery::kernel!(sos, u32);
