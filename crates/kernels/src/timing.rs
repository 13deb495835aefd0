//! The processor's promise that the times of instructions do not depend on operands, where a program may ask for it.
//!
//! AArch64 with FEAT_DIT (Armv8.4) promises it for a list of instructions while the bit DIT of a thread's state is set
//! (Arm Architecture Reference Manual, B1.2.3). Elsewhere there is nothing to ask for: Intel's mode (DOITM) is the
//! operating system's to set.

/// Asks for the promise while it lives, and then takes the request back, unless it was there before.
pub(crate) struct Independent {
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    asked: bool,
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
impl Independent {
    /// The bit DIT in the register of that name.
    const DIT: u64 = 1 << 24;

    #[inline]
    pub(crate) fn ask() -> Self {
        let asked = std::arch::is_aarch64_feature_detected!("dit")
            && {
                let state: u64;
                // SAFETY: the processor has this register.
                unsafe {
                    core::arch::asm!("mrs {}, s3_3_c4_c2_5", out(reg) state, options(nostack, preserves_flags));
                }
                state & Self::DIT == 0
            };
        if asked {
            // SAFETY: only the times of instructions depend on it. Those behind the barriers have the new state.
            unsafe {
                core::arch::asm!(
                    "msr s3_3_c4_c2_5, {}",
                    "dsb nsh",
                    "isb",
                    in(reg) Self::DIT,
                    options(nostack, preserves_flags),
                );
            }
        }
        Independent { asked }
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
impl Drop for Independent {
    #[inline]
    fn drop(&mut self) {
        if self.asked {
            // SAFETY: as above.
            unsafe {
                core::arch::asm!("msr s3_3_c4_c2_5, xzr", options(nostack, preserves_flags));
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
