//! The option `--without`.

use carrysave::kernels::{Cpu, Isa};

/// This processor, or a lesser one.
#[derive(clap::Args, Debug)]
pub struct Processor {
    /// Act as if the processor lacked these extensions
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', value_parser = extension)]
    without: Vec<Isa>,
}

impl Processor {
    /// What may be used of it.
    pub fn cpu(&self) -> Cpu {
        let less = |cpu: Cpu, isa: &Isa| cpu.without(*isa);
        self.without.iter().fold(Cpu::native(), less)
    }
}

/// Reads the name of an extension.
fn extension(name: &str) -> Result<Isa, String> {
    let found = Isa::ALL.iter().find(|(_, known)| *known == name);
    found.map(|(isa, _)| *isa).ok_or_else(|| {
        let known: Vec<_> = Isa::ALL.iter().map(|(_, name)| *name).collect();
        format!(
            "not an extension that a kernel uses; these are: {}",
            known.join(" ")
        )
    })
}
