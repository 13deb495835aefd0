//! `--kernel OPERATION=KERNEL`: all of the program computes with a kernel that no plan chooses.

use carrysave_cli::exit::{Failure, Result};
use carrysave_kernels::{Cpu, forced};

#[derive(clap::Args, Debug)]
pub struct Forced {
    /// Compute with this kernel of an operation wherever the operation is used, such as mpn_add_n=branchy, whatever a plan
    /// says and whether or not its time depends on secrets; can be repeated
    #[arg(long = "kernel", value_name = "OPERATION=KERNEL")]
    kernels: Vec<String>,
}

impl Forced {
    /// Forces the kernels, before anything is computed.
    pub fn force(&self, cpu: Cpu) -> Result<()> {
        for asked in &self.kernels {
            let (operation, kernel) = asked.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "--kernel {asked} is not of the form OPERATION=KERNEL, such as mpn_add_n=adc"
                ))
            })?;
            forced::force(cpu, operation, kernel).map_err(|e| Failure::usage(e.to_string()))?;
        }
        Ok(())
    }

    /// What a record's head says of it, if there is anything to say.
    pub fn entry(&self) -> Option<(String, String)> {
        let any = !self.kernels.is_empty();
        any.then(|| ("kernels".to_owned(), self.kernels.join(", ")))
    }
}
