//! `carrysave inspect`

use crate::exit::{Failure, Result};
use crate::key::{self, Any, OfCurve, OfGroup, PasswordArgs};
use crate::{io, rng, weak};
use carrysave::arith::Nat;
use carrysave::dl::Form;
use carrysave::ec::{self, AnyPrivateKey};
use carrysave::hash::Hash;
use std::fmt::Write;
use std::path::PathBuf;
use zeroize::Zeroizing;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Reads private and public keys for RSA, for P-256, P-384, P-521, secp256k1 and X25519, for \
    Diffie-Hellman and DSA, and certificates of RSA keys: PKCS #8, SubjectPublicKeyInfo, and for \
    RSA PKCS #1 and OpenSSH's public keys; PEM or DER. Secrets are shown only when asked for.")]
pub struct Args {
    /// The file; - for standard input
    file: PathBuf,
    /// Fail unless it is a private key
    #[arg(long)]
    private: bool,
    /// Print what is secret, too: the private exponent and the primes, or the number of another key
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
        key::Found::Group(form, key) => of_group(&args, form, &key)?,
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
    // Points of the other curves are on them and have their order, or would not have been read.
    let anyone = AnyPrivateKey::generate(public.algorithm(), &mut rng());
    if let Err(e @ ec::Error::SmallOrder) = anyone.agree(&public) {
        report.line("warning", e);
    }
    Ok(report)
}

fn of_group(args: &Args, form: Form, key: &OfGroup) -> Result<Report> {
    let (kind, public) = match key {
        OfGroup::Private(key) => ("private key", key.public()),
        OfGroup::Public(key) => ("public key", key),
    };
    check_kind(args, kind)?;
    let algorithm = match form {
        Form::Dsa => "DSA",
        Form::X942 | Form::Pkcs3 => "Diffie-Hellman",
    };
    let group = public.group();
    let mut report = Report::default();
    report.line("type", format_args!("{algorithm} {kind}"));
    let (p, q) = (group.bits(), group.q().bits_vartime());
    report.line("size", format_args!("{p} bits, of order {q} bits"));
    if let Some(named) = group.named() {
        report.line("group", named);
    }
    let spki = public.to_spki_der(form);
    let spki = spki.map_err(|e| Failure::bad_input(e.to_string()).about(&args.file))?;
    let digest = Hash::Sha256.digest(&spki);
    report.line("fingerprint", format_args!("SHA256:{}", hex(&digest)));
    report.line("public", public.y().to_hex_vartime());
    if let OfGroup::Private(private) = key
        && args.show_secrets
    {
        let secret = Zeroizing::new(private.x().to_hex_vartime());
        report.line("secret", secret.as_str());
    }
    if p < 2048 {
        let message = format!("{p} bits can be broken: use 2048 or more");
        report.line("warning", message);
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
