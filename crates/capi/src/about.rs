//! What is used: the version, the kernels, the plan.

use crate::error::{cs_error, entry};
use crate::memory::Bytes;
use carrysave::arith::Plan;
use carrysave::engine::plan;
use carrysave::kernels::{Cpu, REGISTRY};
use core::ffi::{CStr, c_char};
use core::fmt::Write;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The version of the library, as text that lives as long as the program.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn cs_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Writes which kernel each operation has on this processor: a line each, operation and kernel, after one with the
/// processor's extensions. `*out_len` gets the text's length, also where there is too little room; `out` may be null
/// then and `size` 0. There is no null at its end.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_kernels(out: *mut u8, size: usize, out_len: *mut usize) -> cs_error {
    entry! {
        let out = Bytes::new(out, size, out_len)?;
        let cpu = Cpu::native();
        let mut text = format!("this processor: {cpu}\n");
        for op in REGISTRY {
            let (kernel, _) = op.kernels[op.best(cpu)];
            _ = writeln!(text, "{} {kernel}", op.name);
        }
        out.write(text.as_bytes())
    }
}

/// Writes the plan for this machine, which chooses methods by size, as TOML. The rest is as for `cs_kernels`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_plan(out: *mut u8, size: usize, out_len: *mut usize) -> cs_error {
    entry! {
        let out = Bytes::new(out, size, out_len)?;
        out.write(plan::to_toml(Plan::native()).as_bytes())
    }
}
