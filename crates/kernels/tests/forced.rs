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
