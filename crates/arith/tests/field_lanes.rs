//! Batches of fields in Montgomery form, against elements.

use carrysave_arith::{
    Cpu,
    curve::{P256Order, P384Field},
    field::{Fe, FeBatch, Field, InLanes, Residue, Vectors},
};

/// Numbers around 0, the order and powers of two, and others.
fn scalars<F: Field>() -> Vec<Fe<F>> {
    let [zero, one] = [Fe::<F>::zero(), Fe::one()];
    let mut all = vec![zero, one, -one, -one - one, one + one];
    all.extend((3..70).step_by(7).map(Fe::from_limb));
    let mut power = one;
    for i in 0..F::Residue::BITS {
        if i % 29 == 4 || i % 64 == 0 || i + 2 > F::Residue::BITS {
            all.extend([power, power - one, -power]);
        }
        power = power + power;
    }
    let mut state = power;
    for _ in 0..20 {
        state = state.sqr() + one + one + one;
        all.push(state);
    }
    all
}

/// Batches of fields in Montgomery form, against elements.
fn batches_are_elements<F: Field>()
where
    F::Residue: InLanes,
{
    let a = scalars::<F>();
    let mut b = a.clone();
    b.rotate_left(5);
    for vectors in Vectors::all(Cpu::native()) {
        let (x, y) = (FeBatch::on(vectors, &a), FeBatch::on(vectors, &b));
        type Pair<F> = (fn(&mut FeBatch<F>, &FeBatch<F>), fn(Fe<F>, Fe<F>) -> Fe<F>);
        let operations: [Pair<F>; 6] = [
            (|x, y| x.add(y), |a, b| a + b),
            (|x, y| x.sub(y), |a, b| a - b),
            (|x, y| x.mul(y), |a, b| a * b),
            (|x, _| x.sqr(), |a, _| a.sqr()),
            (|x, _| x.neg(), |a, _| -a),
            (|x, _| x.inv(), |a, _| a.inv()),
        ];
        for (i, (batch, element)) in operations.into_iter().enumerate() {
            let (mut r, mut expected) = (x.clone(), a.clone());
            // Again and again: sums of sums stay within the bounds.
            for _ in 0..20 {
                batch(&mut r, &y);
                for (e, b) in expected.iter_mut().zip(&b) {
                    *e = element(*e, *b);
                }
            }
            assert!(r.to_elements() == expected, "{} {vectors:?} {i}", F::NAME);
        }
        let mut r = x.clone();
        r.mul_small(u32::MAX);
        let expected: Vec<_> = a.iter().map(|a| a.mul_small(u32::MAX)).collect();
        assert_eq!(r.to_elements(), expected);
    }
}

#[test]
fn fields_in_montgomery_form_in_lanes() {
    batches_are_elements::<P256Order>();
    batches_are_elements::<P384Field>();
}
