//! Kernels that are forced upon a program: a process of its own, as they stay.

use carrysave_kernels::{
    Cpu, REGISTRY,
    forced::{Error, force},
    mpn::{AddN, Mpn, SubN},
    op::Timing,
};

#[test]
fn a_forced_kernel_is_what_is_chosen_whatever_its_timing() {
    let (cpu, before) = (Cpu::native(), AddN::best(Cpu::native()).name());
    let op = REGISTRY.iter().find(|op| op.name == "mpn_add_n").unwrap();
    for i in op.admitted(cpu) {
        let name = op.kernels[i].0;
        force(cpu, "mpn_add_n", name).unwrap();
        assert_eq!(AddN::best(cpu).name(), name);
        assert_eq!(Mpn::new(cpu).add_n.name(), name);
        assert_eq!(AddN::named(cpu, "portable").unwrap().name(), name);
        let (mut r, max) = ([0; 3], u64::MAX);
        let carry = AddN::best(cpu).call(&mut r, &[max; 3], &[1, 0, 0]);
        assert_eq!((r, carry), ([0; 3], 1), "{name}");
    }
    let vartime = op.admitted(cpu).any(|i| op.timing(i) == Timing::Variable);
    assert_eq!(vartime, cfg!(all(target_arch = "x86_64", not(miri))));
    // Others are as they were, and a processor without it has what it had.
    assert_eq!(
        SubN::best(cpu).name(),
        SubN::all(cpu).next().unwrap().name()
    );
    force(cpu, "mpn_add_n", before).unwrap();
    assert_eq!(
        AddN::best(Cpu::portable()).name(),
        AddN::all(Cpu::portable()).next().unwrap().name()
    );
}

#[test]
fn what_does_not_exist_is_named() {
    let cpu = Cpu::portable();
    let none = force(cpu, "mpn_dance", "portable").unwrap_err();
    assert_eq!(none, Error::Operation("mpn_dance".to_owned()));
    let said = force(cpu, "mpn_mul_1", "dance").unwrap_err().to_string();
    assert!(
        said.starts_with("no kernel dance of mpn_mul_1 runs here; there are "),
        "{said}"
    );
    assert!(
        said.ends_with("portable") || said.contains("portable, "),
        "{said}"
    );
}

#[test]
fn a_kernel_that_is_inlined_into_a_loop_makes_what_a_call_makes() {
    use carrysave_kernels::fp::{M127Mul, Mul};
    let numbers = |below: u64| -> Vec<u64> {
        let next = |x: &u64| Some(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ x >> 29);
        let limbs = std::iter::successors(Some(below | 1), next);
        limbs.take(4 * 9).collect()
    };
    fn products<const N: usize>(kernel: Mul, a: &[u64], b: &[u64], d: u64) {
        let (a, b) = (a.as_chunks::<N>().0, b.as_chunks::<N>().0);
        let mut inlined = a.to_vec();
        kernel.call_inlined(&mut inlined, b, d);
        for ((a, b), inlined) in a.iter().zip(b).zip(&inlined) {
            let mut r = [0; N];
            kernel.call(&mut r, a, b, d);
            assert_eq!(r, *inlined, "{kernel:?}");
        }
    }
    let (a, b) = (numbers(3), numbers(7));
    for kernel in Mul::all(Cpu::native()) {
        // The longest that `mulx_adx` folds, and one that it leaves to another.
        for d in [159, (1 << 62) - 1, u64::MAX] {
            products::<2>(kernel, &a, &b, d);
            products::<4>(kernel, &a, &b, d);
        }
    }
    let below = |limbs: &[u64]| -> Vec<[u64; 2]> {
        let pairs = limbs.as_chunks::<2>().0.iter();
        pairs.map(|&[low, high]| [low, high >> 1]).collect()
    };
    let (a, b) = (below(&a), below(&b));
    for kernel in M127Mul::all(Cpu::native()) {
        let mut inlined = a.clone();
        kernel.call_inlined(&mut inlined, &b);
        for ((a, b), inlined) in a.iter().zip(&b).zip(&inlined) {
            let mut r = [0; 2];
            kernel.call(&mut r, a, b);
            assert_eq!(r, *inlined, "{kernel:?}");
        }
    }
}
