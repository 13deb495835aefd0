//! The options `--plan` and `--without`.

use crate::exit::{Failure, Result};
use crate::{io, key};
use carrysave::arith::Plan;
use carrysave::engine::plan;
use carrysave::kernels::{Cpu, Isa};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The file of the plan in use, if one was given.
static FOLLOWED: OnceLock<PathBuf> = OnceLock::new();

/// Makes the plan in a file the one for this machine, before anything is computed.
pub fn follow(path: &Path) -> Result<()> {
    let bytes = io::read_small(path, key::MAX)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Failure::bad_input("a plan is text, and this is none").about(path))?;
    let plan = plan::from_toml(text).and_then(Plan::install);
    plan.map_err(|e| Failure::bad_input(e.to_string()).about(path))?;
    FOLLOWED.get_or_init(|| path.to_owned());
    Ok(())
}

/// This processor, or a lesser one.
#[derive(clap::Args, Debug)]
pub struct Processor {
    /// Act as if the processor lacked these extensions
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', value_parser = extension)]
    without: Vec<Isa>,
}

impl Processor {
    /// The permitted extensions, which must suffice for the plan in use.
    pub fn cpu(&self) -> Result<Cpu> {
        let less = |cpu: Cpu, isa: &Isa| cpu.without(*isa);
        let cpu = self.without.iter().fold(Cpu::native(), less);
        if let Some(path) = FOLLOWED.get() {
            let fits = Plan::native().fits(cpu);
            fits.map_err(|e| Failure::bad_input(e.to_string()).about(path))?;
        }
        Ok(cpu)
    }
}

/// Reads the name of an extension.
fn extension(name: &str) -> std::result::Result<Isa, String> {
    let found = Isa::ALL.iter().find(|(_, known)| *known == name);
    found.map(|(isa, _)| *isa).ok_or_else(|| {
        let known: Vec<_> = Isa::ALL.iter().map(|(_, name)| *name).collect();
        format!(
            "not an extension that a kernel uses; these are: {}",
            known.join(" ")
        )
    })
}
