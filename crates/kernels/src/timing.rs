//! The processor's promise that the times of instructions do not depend on operands, where a program may ask for it.
//!
//! AArch64 with FEAT_DIT (Armv8.4) promises it for a list of instructions while the bit DIT of a thread's state is set
//! (Arm Architecture Reference Manual, B1.2.3). Elsewhere there is nothing to ask for: Intel's mode (DOITM) is the
//! operating system's to set.

/// Asks for the promise while it lives, and then restores what was before.
pub(crate) struct Independent {
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    before: Option<u64>,
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
impl Independent {
    #[inline]
    pub(crate) fn ask() -> Self {
        let before = std::arch::is_aarch64_feature_detected!("dit").then(|| {
            let before;
            // SAFETY: the processor has this register, and only the times of instructions depend on it. Instructions behind
            // the barriers have the new state.
            unsafe {
                core::arch::asm!(
                    "mrs {}, s3_3_c4_c2_5",
                    "msr s3_3_c4_c2_5, {}",
                    "dsb nsh",
                    "isb",
                    out(reg) before,
                    in(reg) 1_u64 << 24,
                    options(nostack, preserves_flags),
                );
            }
            before
        });
        Independent { before }
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
impl Drop for Independent {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // SAFETY: as above.
            unsafe {
                core::arch::asm!("msr s3_3_c4_c2_5, {}", in(reg) before, options(nostack, preserves_flags));
            }
        }
    }
}

#[cfg(not(all(target_arch = "aarch64", not(miri))))]
impl Independent {
    #[inline(always)]
    pub(crate) fn ask() -> Self {
        Independent {}
    }
}
