//! `carrysave inspect`

use crate::exit::{Failure, Result};
use crate::key::{self, Any, OfCurve, PasswordArgs};
use crate::{io, weak};
use carrysave::arith::Nat;
use carrysave::hash::Hash;
use std::fmt::Write;
use std::path::PathBuf;
use zeroize::Zeroizing;

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
    /// Print what is secret, too: the private exponent and the primes, or the number of a curve's key
    #[arg(long, requires = "private")]
    show_secrets: bool,
    #[command(flatten)]
    password: PasswordArgs,
}

/// Lines of a name and a value.
#[derive(Default)]
struct Report(Zeroizing<String>);

impl Report {
    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name:<12} {value}");
    }
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let report = match key::of_any_kind(&args.file, &args.password)? {
        key::Found::Rsa(key) => rsa(&args, &key)?,
        key::Found::Curve(key) => of_curve(&args, &key)?,
    };
    io::print(&report.0)
}

/// Refuses all but a private key, if only that will do.
fn check_kind(args: &Args, kind: &str) -> Result<()> {
    if args.private && kind != "private key" {
        return Err(
            Failure::bad_input(format!("this is a {kind}, not a private key")).about(&args.file),
        );
    }
    Ok(())
}

fn rsa(args: &Args, key: &Any) -> Result<Report> {
    let kind = match key {
        Any::Private(_) => "private key",
        Any::Public(_) => "public key",
        Any::Certificate(_) => "certificate",
    };
    check_kind(args, kind)?;
    let public = key.public();
    let mut report = Report::default();
    report.line("type", format_args!("RSA {kind}"));
    report.line("size", format_args!("{} bits", public.bits()));
    report.line("e", exponent(public.e()));
    let digest = Hash::Sha256.digest(&public.to_spki_der());
    report.line("fingerprint", format_args!("SHA256:{}", hex(&digest)));
    report.line("n", public.n().to_hex_vartime());
    if let Any::Private(private) = key {
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
    Ok(report)
}

fn of_curve(args: &Args, key: &OfCurve) -> Result<Report> {
    let (kind, public) = match key {
        OfCurve::Private(key) => ("private key", key.public()),
        OfCurve::Public(key) => ("public key", key.clone()),
    };
    check_kind(args, kind)?;
    let mut report = Report::default();
    report.line("type", format_args!("{} {kind}", public.algorithm()));
    let digest = Hash::Sha256.digest(&public.to_spki_der());
    report.line("fingerprint", format_args!("SHA256:{}", hex(&digest)));
    report.line("public", hex(&public.to_octets()));
    if let OfCurve::Private(private) = key
        && args.show_secrets
    {
        let secret = Zeroizing::new(hex(&private.to_octets()));
        report.line("secret", secret.as_str());
    }
    Ok(report)
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
