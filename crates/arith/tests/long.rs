//! Long numbers: products, division and reduction at sizes around every threshold.
#![allow(missing_docs)]

mod support;
use carrysave_arith::Barrett;
use support::{TestRng, num, same};

#[test]
fn barretts_reduction() {
    let mut rng = TestRng(11);
    for _ in 0..2000 {
        let (wd, wa) = (1 + rng.below(6), 1 + rng.below(20));
        let (d, a) = (rng.nat(wd), rng.nat(wa));
        let Some(barrett) = Barrett::new(&d) else {
            assert!(d.is_zero());
            continue;
        };
        assert_eq!(barrett.nat(), d);
        let residue = barrett.reduce(&a);
        assert_eq!(residue.width(), barrett.width());
        same(&residue, &num(&a).rem(&num(&d)));
        // The largest residue too, whose square needs the most corrections.
        let largest = d.sub_limb(1).unwrap().resize(barrett.width()).unwrap();
        for x in [&residue, &largest] {
            same(
                &barrett.mul(x, &residue),
                &num(x).mul(&num(&residue)).rem(&num(&d)),
            );
            same(&barrett.sqr(x), &num(x).sqr().rem(&num(&d)));
        }
    }
}

#[test]
fn barretts_reduction_of_long_numbers() {
    let mut rng = TestRng(12);
    for width in [100, 101, 340, 700] {
        let (d, a) = (rng.nat(width), rng.nat(5 * width / 2));
        if let Some(barrett) = Barrett::new(&d) {
            assert_eq!(barrett.reduce(&a), a.div_rem_vartime(&d).1);
        }
    }
}
