//! Kernels that are forced upon all that computes, for studies of one kernel inside of a whole program.

use crate::{Cpu, REGISTRY};
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::RwLock;

/// The operations and their kernels.
static FORCED: RwLock<Vec<(&str, &str)>> = RwLock::new(Vec::new());
/// Whether there are any: handles are made often.
static ANY: AtomicBool = AtomicBool::new(false);

/// A kernel that cannot be forced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no operation of this name.
    Operation(String),
    /// The processor runs no kernel of this name; those that it runs are listed.
    Kernel(&'static str, String, Vec<&'static str>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Operation(name) => {
                write!(
                    f,
                    "there is no operation {name}: `carrysave kernels` lists them"
                )
            }
            Error::Kernel(operation, name, there) => {
                let there = there.join(", ");
                write!(
                    f,
                    "no kernel {name} of {operation} runs here; there are {there}"
                )
            }
        }
    }
}

impl core::error::Error for Error {}

/// Has every handle of an operation that is chosen from here on be this kernel, whatever its timing class, in all of the
/// program: by [`best`](crate::mpn::AddN::best) or by a plan. Those that were chosen before stay, so this comes first.
///
/// # Errors
/// If there is no such operation, or `cpu` admits no kernel of it of that name.
///
/// # Timing
/// That of the kernel: the time of all that uses the operation may depend on secrets.
///
/// ```
/// use carrysave_kernels::{Cpu, forced, mpn::SubN};
/// let cpu = Cpu::native();
/// forced::force(cpu, "mpn_sub_n", "portable")?;
/// assert_eq!(SubN::best(cpu).name(), "portable");
/// # Ok::<(), forced::Error>(())
/// ```
pub fn force(cpu: Cpu, operation: &str, kernel: &str) -> Result<(), Error> {
    let op = REGISTRY.iter().find(|op| op.name == operation);
    let op = op.ok_or_else(|| Error::Operation(operation.to_owned()))?;
    let there = || op.admitted(cpu).map(|i| op.kernels[i].0);
    let name = there().find(|name| *name == kernel);
    let name = name.ok_or_else(|| Error::Kernel(op.name, kernel.to_owned(), there().collect()))?;
    let mut forced = FORCED.write().expect("no writer panics");
    forced.retain(|(operation, _)| *operation != op.name);
    forced.push((op.name, name));
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// The kernel that is forced upon an operation, if one is.
pub(crate) fn kernel(operation: &str) -> Option<&'static str> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    let forced = FORCED.read().expect("no writer panics");
    let mut all = forced.iter();
    all.find_map(|&(name, kernel)| (name == operation).then_some(kernel))
}
