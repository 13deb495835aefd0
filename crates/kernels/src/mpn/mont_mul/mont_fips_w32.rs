//! `mont_fips` on 32-bit words.

use super::mont_fips::mont_fips;

crate::mpn::montgomery::kernel!(mont_fips, u32);
