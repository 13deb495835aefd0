//! `carrysave-lab soak`

use super::handshakes::module;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::io::{Output, print};
use carrysave_cli::progress;
use carrysave_lab::handshakes::{Soak, Soaked, soak};
use carrysave_lab::head;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    haproxy has one thread on processor 0 and certificates of RSA-2048 and P-256; clients on loopback run on the other \
    processors. Half of all handshakes are paused (ssl-mode-async). It fails if a handshake fails, if OpenSSL signs \
    instead of the provider, and if memory or descriptors grow. A million handshakes take five to ten minutes.")]
pub struct Args {
    /// The provider's module [default: beside this program]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// How many full handshakes
    #[arg(long, default_value_t = 1_000_000)]
    handshakes: u64,
    /// How many connections end in the middle of a handshake, beside those
    #[arg(long, default_value_t = 10_000)]
    torn: u64,
    /// How many clients are there at once
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    clients: u16,
    /// Also write what came of it, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    let request = Soak {
        module: args.module.unwrap_or_else(module),
        handshakes: args.handshakes,
        torn: args.torn,
        clients: args.clients.into(),
    };
    let record = args.record.as_deref().map(Output::text).transpose()?;
    let head = head(carrysave_kernels::Cpu::native());
    let bar = progress::connections("soak", args.handshakes + args.torn, quiet);
    let all = soak(&request, || bar.inc(1));
    bar.finish_and_clear();
    let all = all.map_err(|e| Failure::io("cannot go through handshakes", &e))?;
    let text: String = all.iter().map(said).collect();
    print(&text)?;
    if let Some(mut record) = record {
        let head = head
            .0
            .iter()
            .map(|(name, value)| format!("# {name}: {value}\n"));
        record.put(head.collect::<String>().as_bytes())?;
        record.put(text.as_bytes())?;
        record.commit()?;
    }
    let faults: Vec<&str> = all
        .iter()
        .flat_map(|soaked| &soaked.faults)
        .map(String::as_str)
        .collect();
    match &faults[..] {
        [] => Ok(()),
        faults => Err(Failure::new(Code::Failed, faults.join("; "))),
    }
}

/// A paragraph about a server.
fn said(soaked: &Soaked) -> String {
    let connections = (soaked.handshakes + soaked.torn).max(1) as f64;
    let each = soaked.processor_time.as_secs_f64() * 1e6 / connections;
    let [[memory, memory_last], [open, open_last]] =
        [soaked.memory, soaked.descriptors.map(|count| count as u64)];
    format!(
        "{}\n  {} handshakes, {} connections hung up, {} signatures by the provider, {} pauses\n  \
         {:.1} s, {each:.0} us of processor time a connection\n  \
         memory {memory} KiB after a tenth, {memory_last} KiB at the end; descriptors {open}, {open_last}\n",
        soaked.name,
        soaked.handshakes,
        soaked.torn,
        soaked.signatures,
        soaked.pauses,
        soaked.time.as_secs_f64(),
    )
}
