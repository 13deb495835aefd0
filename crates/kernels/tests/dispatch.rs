//! What a processor is, and which kernels it gets.

use carrysave_kernels::{
    Cpu, Isa, Model, REGISTRY,
    mpn::{self, AddN},
    op::Timing,
};

#[test]
fn masks_only_ever_remove() {
    let native = Cpu::native();
    let masks: Vec<Cpu> = native.masks().collect();
    assert_eq!(masks[0], native);
    assert_eq!(masks.last().unwrap().isa(), Isa::NONE);
    assert!(masks.iter().all(|cpu| cpu.model() == native.model()));
    assert!(
        masks
            .windows(2)
            .all(|w| w[0].has(w[1].isa()) && w[0] != w[1])
    );
}

#[test]
fn names_read_well() {
    assert_eq!(Isa::NONE.to_string(), "-");
    assert_eq!(Isa::BMI2.and(Isa::ADX).to_string(), "bmi2+adx");
}

#[test]
fn kernels_whose_time_depends_on_values_are_never_chosen() {
    let mut variable = 0;
    for op in REGISTRY {
        for cpu in Cpu::native().masks() {
            assert_eq!(op.timing(op.best(cpu)), op.contract.timing, "{}", op.name);
        }
        let rows = 0..op.kernels.len();
        variable += rows.filter(|&i| op.timing(i) != op.contract.timing).count();
    }
    assert!(
        variable > 0 || cfg!(not(target_arch = "x86_64")),
        "there is none"
    );
}

#[test]
fn some_kernels_are_for_some_kinds_of_processors() {
    let native = Cpu::native();
    // SAFETY: the processor has what it has; its kind is not said.
    let nameless = unsafe { Cpu::assume(native.isa()) };
    let mut particular = 0;
    for op in REGISTRY {
        for i in op.admitted(native) {
            let models = op.models(i);
            particular += usize::from(!models.is_empty());
            assert!(models.is_empty() || op.best(nameless) != i, "{}", op.name);
            let other = !models.is_empty() && !models.contains(&native.model());
            assert!(!other || op.best(native) != i, "{}", op.name);
        }
    }
    let strips = Isa::BMI2.and(Isa::ADX);
    assert_eq!(particular, if native.has(strips) { 5 } else { 0 });
    let best = mpn::MontSqr::best(native).name();
    let spaced = matches!(native.model(), Model::Zen3 | Model::Zen4 | Model::Zen5);
    assert_eq!(best == "mulx_adx_spaced", spaced && native.has(strips));
}

#[test]
fn handles_walk_the_table_in_its_order() {
    let cpu = Cpu::native();
    let op = &mpn::add_n::OP;
    let names = |constant: bool| -> Vec<&str> {
        let wanted = op
            .admitted(cpu)
            .filter(|&i| !constant || op.timing(i) == Timing::Constant);
        wanted.map(|i| op.kernels[i].0).collect()
    };
    assert_eq!(
        AddN::all(cpu).map(|k| k.name()).collect::<Vec<_>>(),
        names(true)
    );
    assert_eq!(
        AddN::all_vartime(cpu).map(|k| k.name()).collect::<Vec<_>>(),
        names(false)
    );
    assert_eq!(AddN::best(cpu).name(), op.kernels[op.best(cpu)].0);
    for (i, kernel) in op.kernels.iter().enumerate() {
        let constant = op.timing(i) == Timing::Constant;
        let named = AddN::named(cpu, kernel.0).map(|k| k.name());
        let vartime = AddN::named_vartime(cpu, kernel.0).map(|k| k.name());
        assert_eq!(vartime, cpu.has(kernel.1).then_some(kernel.0));
        assert_eq!(named, vartime.filter(|_| constant));
    }
}
