//! A prime field in one line, one element at a time and many side by side.
//!
//! `cargo run --release -p carrysave --example field`

use carrysave::{
    arith::{
        crandall_field,
        field::{Fe, FeBatch},
    },
    kernels::Cpu,
};

crandall_field! {
    /// Modulo 2^255 - 31.
    pub struct F25531 = 2^255 - 31;
}

fn main() {
    let [a, b] = [7, 11].map(Fe::<F25531>::from_limb);
    let quotient = a * b.inv();
    assert_eq!(quotient * b, a);
    let digits: String = (quotient.to_le_bytes().iter().rev())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    println!("7 / 11 = 0x{digits} modulo 2^255 - 31");

    // The same for a thousand elements, in the vector lanes that this processor has.
    let elements: Vec<Fe<F25531>> = (1..=1000).map(Fe::from_limb).collect();
    let mut inverses = FeBatch::new(Cpu::native(), &elements);
    inverses.inv();
    for (x, inverse) in elements.iter().zip(inverses.to_elements()) {
        assert_eq!(*x * inverse, Fe::one());
    }
}
