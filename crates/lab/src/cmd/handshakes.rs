//! `carrysave-lab handshakes`

use carrysave_cli::exit::{Failure, Result};
use carrysave_cli::io::{Output, Printer};
use carrysave_cli::{interrupt, record};
use carrysave_lab::handshakes::{Key, Request, Server, end_all, run as measure};
use carrysave_lab::table::Text;
use carrysave_lab::{Reporter, head};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Servers with one thread on processor 0 take full handshakes of TLS 1.3 on loopback, and clients run on the others. A \
    row is the server's processor time for a handshake; those with wall are the time from one handshake to the next, \
    those with p50 and p99 how long a client waits. The number is that of the clients. The module comes from cargo build --release -p carrysave-provider.")]
pub struct Args {
    /// The provider's module [default: beside this program]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// The servers, separated by commas; what is not installed is left out
    #[arg(long, value_delimiter = ',', default_value = "haproxy,nginx", value_parser = server)]
    servers: Vec<Server>,
    /// The keys: lengths of RSA in bits, or p256
    #[arg(long, value_delimiter = ',', default_value = "2048,3072,4096,p256", value_parser = key)]
    keys: Vec<Key>,
    /// How many clients are there at once
    #[arg(long, value_delimiter = ',', default_value = "1,16,64", value_parser = clap::value_parser!(u16).range(1..=1000))]
    clients: Vec<u16>,
    /// How long each round takes
    #[arg(short, long, default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// How many rounds each contender has
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Also write a record: the figures as CSV, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

fn server(name: &str) -> std::result::Result<Server, String> {
    let found = Server::ALL.into_iter().find(|server| server.name() == name);
    found.ok_or_else(|| "the servers are haproxy and nginx".to_owned())
}

fn key(name: &str) -> std::result::Result<Key, String> {
    match (name, name.parse()) {
        ("p256", _) => Ok(Key::P256),
        (_, Ok(bits @ 1024..=16_384)) => Ok(Key::Rsa(bits)),
        _ => Err("a key is p256, or a length of RSA from 1024 to 16384 bits".to_owned()),
    }
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("a number of seconds above 0, and 86400 at most".to_owned()),
    }
}

/// The provider's module beside this program.
pub fn module() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.with_file_name("libcarrysave_provider.so")
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let request = Request {
        module: args.module.unwrap_or_else(module),
        servers: args.servers,
        keys: args.keys,
        clients: args.clients.into_iter().map(usize::from).collect(),
        time: Duration::from_secs_f64(args.seconds),
        rounds: args.rounds.into(),
    };
    let record = args.record.as_deref().map(Output::text).transpose()?;
    interrupt::before_clean_up(|_| end_all());
    let head = head(carrysave_kernels::Cpu::native());
    let mut out = Printer::default();
    let rows = measure(&request, |rows| Text(&mut out).race(rows));
    let rows = rows.map_err(|e| Failure::io("cannot measure handshakes", &e))?;
    if rows.is_empty() {
        return Err(Failure::usage(
            "none of these servers is installed: install haproxy or nginx",
        ));
    }
    if let Some(record) = record {
        record::fill(record, &head, &rows)?;
    }
    out.finish()
}
