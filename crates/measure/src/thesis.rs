//! The sizes of the tables of threads and ranks in "The Performance of Cryptographic Algorithms in the Age of Parallel
//! Computing" (Khalifa 2011), in bits: what an experiment on threads and one on ranks have in common.

/// The experiment of [`Row`](crate::record::Row)s whose threads are ranks of an MPI job.
pub const RANKS: &str = "ranks";

/// The cores of its machine.
pub const CORES: usize = 8;

/// The sequential algorithms with which it compares, first as published.
pub const SEQUENTIAL: [&str; 2] = ["fios_delayed_w32", "fios_delayed"];

/// The factors of tables 4 and 7: 512 to 20,096 words of 32 bits.
pub fn products() -> Vec<usize> {
    (512..=20_096)
        .step_by(1224)
        .map(|words| 32 * words)
        .collect()
}

/// The factors of tables 3 and 6, where cores are added.
pub const LONG_PRODUCT: usize = 645_120;

/// The moduli of table 9, with exponents as long: 32 to 256 words of 32 bits.
pub fn powers() -> Vec<usize> {
    (1..=8).map(|i| 1024 * i).collect()
}

/// The modulus of tables 5 and 8, where cores are added.
pub const LONG_POWER: usize = 26_880;

/// The exponents for that modulus. Those of the tables are as long as the modulus; as the tables compare with one thread,
/// shorter ones do, which take seconds instead of minutes.
pub const EXPONENT: usize = 64;
