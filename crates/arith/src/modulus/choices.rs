//! Tests which representation a modulus chooses for each purpose, under every built-in plan, and that a new
//! representation needs only a row.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::PLANS;
use crate::pow::METHODS;
use crate::ring::saturated::Saturated;
use crate::ring::table::{REPRESENTATIONS, Representation};
use crate::ring::{Purpose, toy};
use crate::{Cpu, FixedBase, Plan};
use carrysave_kernels::mpn::Mpn;
use carrysave_team::Serial;

/// For each plan, by bits of the modulus: the representation of products; those of powers to exponents of 17, 63 and 64
/// bits, of an eighth of the modulus's bits less one, of an eighth, and of all; whether two such moduli have a form
/// side by side; and the representation of a team, if any. Each by its first letter.
const CHOICES: [&[&str]; 8] = [
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 r ssssss p s",
        "  512 r ssssss p s",
        "  513 r rrrrrr p s",
        " 1024 r rrrrrr p s",
        " 2048 r rrrrrr p s",
        " 4096 r rrrrrr - s",
        " 4449 r rrrrrr - s",
        " 4450 r rrbbbb - b",
        " 8192 r rrbbbb - b",
        "10239 r rrbbbb - b",
        "10240 r rrbbbb - b",
        "12736 r rrbbbb - b",
        "12737 r rrbbbb - b",
        "16384 r rrbbbb - b",
    ],
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 r ssssss p s",
        "  512 r ssssss p s",
        "  513 r rrrrrr p s",
        " 1024 r rrrrrr p s",
        " 2048 r rrrrrr p s",
        " 4096 r rrrrrr - s",
        " 4449 r rrrrrr - s",
        " 4450 r rrrrrr - s",
        " 8192 r rrrrrr - s",
        "10239 r rrbbbb - b",
        "10240 r rrbbbb - b",
        "12736 r rrbbbb - b",
        "12737 r rrbbbb - b",
        "16384 r rrbbbb - b",
    ],
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 r rrrrrr p s",
        "  512 r rrrrrr p s",
        "  513 r rrrrrr p s",
        " 1024 r rrrrrr p s",
        " 2048 r rrrrrr p s",
        " 4096 r rrrrrr - s",
        " 4449 r rrrrrr - s",
        " 4450 r rrrrrr - s",
        " 8192 r rrrrrr - s",
        "10239 r rrrrrr - s",
        "10240 r rrbbbb - b",
        "12736 r rrbbbb - b",
        "12737 r rrbbbb - b",
        "16384 r rrbbbb - b",
    ],
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 s ssssss - s",
        "  512 s ssssss - s",
        "  513 r rrrrrr p s",
        " 1024 r rrrrrr p s",
        " 2048 r rrrrrr p s",
        " 4096 r rrrrrr - s",
        " 4449 s ssssss - s",
        " 4450 s ssssss - s",
        " 8192 s ssssss - s",
        "10239 s ssssss - s",
        "10240 s ssssss - s",
        "12736 s ssssss - s",
        "12737 s ssssss - s",
        "16384 s ssssmm - m",
    ],
    SATURATED_ON_INTEL,
    SATURATED_ON_INTEL,
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 s ssssss - s",
        "  512 s ssssss - s",
        "  513 s ssssss - s",
        " 1024 s ssssss - s",
        " 2048 s ssssss - s",
        " 4096 s ssssss - s",
        " 4449 s ssssss - s",
        " 4450 s ssssss - s",
        " 8192 s ssssss - s",
        "10239 s ssssss - s",
        "10240 s ssssss - s",
        "12736 s ssssss - s",
        "12737 s ssssmm - m",
        "16384 s ssssmm - m",
    ],
    &[
        "   64 s ssssss - -",
        "  128 s ssssss - s",
        "  129 s ssssss - s",
        "  512 s ssssss - s",
        "  513 s ssssss - s",
        " 1024 s ssssss - s",
        " 2048 s ssssss - s",
        " 4096 s ssssss - s",
        " 4449 s ssssss - s",
        " 4450 s ssssss - s",
        " 8192 s ssssss - s",
        "10239 s ssssss - s",
        "10240 s ssssss - s",
        "12736 s ssssss - s",
        "12737 s ssssss - s",
        "16384 s ssssss - s",
    ],
];

/// The rows of two plans for the same processors, which differ in what they have in lanes.
const SATURATED_ON_INTEL: &[&str] = &[
    "   64 s ssssss - -",
    "  128 s ssssss - s",
    "  129 s ssssss - s",
    "  512 s ssssss - s",
    "  513 s ssssss - s",
    " 1024 s ssssss - s",
    " 2048 s ssssss - s",
    " 4096 s ssssss - s",
    " 4449 s ssssss - s",
    " 4450 s ssssss - s",
    " 8192 s ssssss - s",
    "10239 s ssssss - s",
    "10240 s ssssss - s",
    "12736 s ssssss - s",
    "12737 s ssssss - s",
    "16384 s ssssmm - m",
];

fn first_letter(row: &Representation) -> char {
    row.name.chars().next().expect("a name")
}

/// The choices for a modulus of `bits` bits, in the form of [`CHOICES`].
fn choices(bits: usize, plan: &'static Plan) -> String {
    let n = Nat::power_of_two(bits).sub_limb(1).expect("above 1");
    let n = Modulus::with_plan(&n, Cpu::portable(), plan).expect("odd, and above 1");
    let first = |purpose| first_letter(n.made(purpose).next().expect("saturated limbs").0);
    let exponents = [17, 63, 64, bits / 8 - 1, bits / 8, bits];
    let powers: String = (exponents.iter().map(|&bits| first(Purpose::Power(bits)))).collect();
    let pair = if n.pair(&n).is_some() { 'p' } else { '-' };
    let mut forms = n.made(Purpose::Power(bits));
    let form = forms.find(|(row, made)| made.team(row, &n.0.saturated).is_some());
    let team = form.map_or('-', |(row, _)| first_letter(row));
    let products = first(Purpose::Products);
    format!("{bits:5} {products} {powers} {pair} {team}")
}

#[test]
fn plans_choose_the_representations_that_they_were_measured_for() {
    assert_eq!(CHOICES.len(), PLANS.len());
    for (plan, rows) in PLANS.iter().zip(CHOICES) {
        for row in rows {
            let bits = row.split_whitespace().next().expect("bits");
            let bits = bits.parse().expect("a number");
            assert_eq!(choices(bits, plan), *row, "{}", plan.machine);
        }
    }
}

/// For studies of a kernel of `mpn_mont_mul`, regardless of the plan.
#[test]
fn one_kernel_has_saturated_limbs_alone() {
    for bits in [64, 1024, 16_384] {
        let n = Nat::power_of_two(bits).sub_limb(1).expect("above 1");
        let n = Modulus::with_kernel_vartime(&n, Cpu::native(), "portable").expect("a kernel");
        let names: Vec<_> = (n.made(Purpose::Power(bits)).map(|(row, _)| row.name)).collect();
        assert_eq!(names, ["saturated"]);
    }
}

/// A new file and row serve every operation.
#[test]
fn a_new_representation_is_a_file_and_a_row() {
    let rows = [&[toy::ROW], REPRESENTATIONS].concat();
    let (cpu, plan) = (Cpu::native(), Plan::native());
    let number = Nat::from_hex("c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc75").expect("hex");
    let known = Modulus::with_plan(&number, cpu, plan).expect("odd, and above 1");
    let saturated = Saturated::new(&number, cpu, plan, Mpn::new(cpu), false).expect("odd");
    let n = Modulus::of(saturated, rows.leak());
    for purpose in [Purpose::Products, Purpose::Power(64), Purpose::Pair] {
        assert_eq!(n.made(purpose).next().map(|(row, _)| row.name), Some("toy"));
    }
    let [a, b] = ["123456789abcdef0fedcba987654321", "fedcba"].map(|hex| {
        let number = Nat::from_hex(hex).expect("hex");
        n.reduce(&number)
    });
    assert_eq!(n.mul(&a, &b), known.mul(&a, &b));
    assert_eq!(n.pow(&a, &b), known.pow(&a, &b));
    assert_eq!(n.pow_on(&Serial, &a, &b), known.pow(&a, &b));
    for method in METHODS {
        assert_eq!(n.pow_by(method, &a, &b), known.pow(&a, &b), "{method:?}");
    }
    let bits = LIMB_BITS * b.width();
    assert_eq!(FixedBase::new(&n, &a, bits).pow(&b), known.pow(&a, &b));
    let two = n.pow_pair(&a, &b, &n, &b, &a, bits);
    assert_eq!(two, known.pow_pair(&a, &b, &known, &b, &a, bits));
}
