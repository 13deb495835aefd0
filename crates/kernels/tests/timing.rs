//! What is asked of an AArch64 processor while secrets are computed with.
#![cfg(all(target_arch = "aarch64", not(miri)))]

use carrysave_kernels::off_stack;

/// The bit DIT of this thread.
fn dit() -> u64 {
    let state: u64;
    // SAFETY: it reads a register, which a processor with FEAT_DIT has.
    unsafe { core::arch::asm!("mrs {}, s3_3_c4_c2_5", out(reg) state) };
    state >> 24 & 1
}

#[test]
fn times_are_independent_of_operands_off_the_stack() {
    if !std::arch::is_aarch64_feature_detected!("dit") {
        println!("SKIPPED: this processor has no data-independent timing");
        return;
    }
    assert_eq!(dit(), 0);
    off_stack::<1024, _>(|| {
        assert_eq!(dit(), 1);
        off_stack::<1024, _>(|| assert_eq!(dit(), 1));
        assert_eq!(dit(), 1);
    });
    assert_eq!(dit(), 0);
    let unwound = std::panic::catch_unwind(|| off_stack::<1024, ()>(|| panic!("expected")));
    assert!(unwound.is_err() && dit() == 0);
}
