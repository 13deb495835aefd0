//! `carrysave inspect`

use crate::exit::{Failure, Result};
use crate::key::{self, Any, PasswordArgs};
use crate::{io, weak};
use carrysave::arith::Nat;
use carrysave::hash::Hash;
use std::fmt::Write;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Reads a private key, a public key or a certificate in any format. Secrets are shown \
    only when asked for.")]
pub struct Args {
    /// The file; - for standard input
    file: PathBuf,
    /// Fail unless it is a private key
    #[arg(long)]
    private: bool,
    /// Print the private exponent and the primes, too
    #[arg(long, requires = "private")]
    show_secrets: bool,
    #[command(flatten)]
    password: PasswordArgs,
}

/// Lines of a name and a value.
#[derive(Default)]
struct Report(zeroize::Zeroizing<String>);

impl Report {
    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name:<12} {value}");
    }
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let key = key::any(&args.file, &args.password)?;
    let kind = match &key {
        Any::Private(_) => "private key",
        Any::Public(_) => "public key",
        Any::Certificate(_) => "certificate",
    };
    if args.private && !matches!(key, Any::Private(_)) {
        return Err(
            Failure::bad_input(format!("this is a {kind}, not a private key")).about(&args.file),
        );
    }
    let public = key.public();
    let mut report = Report::default();
    report.line("type", format_args!("RSA {kind}"));
    report.line("size", format_args!("{} bits", public.bits()));
    report.line("e", exponent(public.e()));
    let digest = Hash::Sha256.digest(&public.to_spki_der());
    report.line("fingerprint", format_args!("SHA256:{}", hex(&digest)));
    report.line("n", public.n().to_hex_vartime());
    if let Any::Private(private) = &key {
        // The parser checked it, as it does for every command.
        report.line(
            "primes",
            format_args!(
                "{}, and all parts of the key fit together",
                private.primes().count()
            ),
        );
        if args.show_secrets {
            report.line("d", private.d().to_hex_vartime());
            for (i, prime) in private.primes().enumerate() {
                report.line(&format!("prime {}", i + 1), prime.to_hex_vartime());
            }
        }
    }
    for warning in weak::warnings(public) {
        report.line("warning", warning);
    }
    io::print(&report.0)
}

/// In decimal where people would write it so.
fn exponent(e: &Nat) -> String {
    match e.limbs() {
        [small] => small.to_string(),
        _ => format!("0x{}", e.to_hex_vartime()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
