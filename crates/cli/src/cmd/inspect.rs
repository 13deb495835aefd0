//! `carrysave inspect`

use crate::exit::{Code, Failure, Result, printed};
use crate::key::{self, PasswordArgs};
use crate::{hex, io, rng, weak_moduli};
use base64ct::{Base64Unpadded, Encoding};
use carrysave::arith::Nat;
use carrysave::ec::{self, AnyPrivateKey, AnyPublicKey};
use carrysave::hash::Hash;
use carrysave::keys::{Certificate, Content, Entry, Key};
use carrysave::{dl, rsa};
use std::fmt::Write;
use std::path::PathBuf;
use zeroize::Zeroizing;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Reads private and public keys for RSA, for the NIST curves from P-224 on, secp256k1, Brainpool \
    curves (r1), X25519, Ed25519, X448 and Ed448, for Diffie-Hellman and DSA, and certificates of them, all that a file holds: PKCS #8, PKCS #1, SEC 1, \
    SubjectPublicKeyInfo, OpenSSH's private keys and public lines, PKCS #12 stores; PEM or DER. Secrets \
    are shown only when asked for.")]
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
        let value = Zeroizing::new(value.to_string());
        let shown = value.chars().map(printed);
        // A text that grows leaves copies behind.
        let mut line = Zeroizing::new(String::with_capacity(3 * value.len()));
        line.extend(shown);
        let (before, more) = (self.0.len(), name.len().max(12) + line.len() + 2);
        if self.0.capacity() - before < more {
            let mut all = Zeroizing::new(String::with_capacity(2 * before + more));
            all.push_str(&self.0);
            self.0 = all;
        }
        let _ = writeln!(self.0, "{name:<12} {}", *line);
    }
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let entries = key::all(&args.file, &args.password)?;
    check_kind(&args, &entries)?;
    let several = entries.len() > 1;
    let mut report = Report::default();
    let mut refused = None;
    for (place, entry) in entries.iter().enumerate() {
        if place > 0 {
            report.0.push('\n');
        }
        if several && entry.line > 0 {
            report.line("line", entry.line);
        }
        match &entry.content {
            Ok(content) => {
                show(&mut report, &args, content)?;
                if key::is_behind(&entries, place) {
                    report.line(
                        "chain",
                        "it issued a certificate before it, and receives no messages",
                    );
                }
            }
            Err(error) => {
                report.line("refused", error);
                refused = refused.or(Some(error.to_string()));
            }
        }
        for note in &entry.notes {
            report.line("warning", note);
        }
    }
    match refused {
        Some(message) if !several => return Err(Failure::bad_input(message).about(&args.file)),
        _ => io::print(&report.0)?,
    }
    match refused {
        Some(_) => {
            let message = "not everything in it can be used: see the lines that say refused";
            Err(Failure::new(Code::BadInput, message).about(&args.file))
        }
        None => Ok(()),
    }
}

/// Refuses a file without a private key, if one is required.
fn check_kind(args: &Args, entries: &[Entry]) -> Result<()> {
    let private =
        |entry: &Entry| matches!(&entry.content, Ok(Content::Key(key)) if key.is_private());
    match entries
        .first()
        .and_then(|entry| entry.content.as_ref().ok())
    {
        Some(content) if args.private && !entries.iter().any(private) => {
            let message = format!("this is {}, not a private key", key::describe(content));
            Err(Failure::bad_input(message).about(&args.file))
        }
        _ => Ok(()),
    }
}

/// A secret number in hexadecimal.
fn digits(x: &Nat) -> Zeroizing<String> {
    let bytes = x.to_be_bytes(8 * x.width()).expect("all of its limbs");
    let digits = Zeroizing::new(hex::encode(&bytes));
    Zeroizing::new(digits.trim_start_matches('0').to_owned())
}

fn show(report: &mut Report, args: &Args, content: &Content) -> Result<()> {
    let (key, kind) = match content {
        Content::Key(key) if key.is_private() => (key, "private key"),
        Content::Key(key) => (key, "public key"),
        Content::Certificate(certificate) => match certificate.key() {
            Ok(key) => (key, "certificate"),
            Err(error) => {
                report.line("type", "certificate");
                certified(report, certificate);
                report.line("refused", error);
                return Ok(());
            }
        },
    };
    report.line("type", format_args!("{} {kind}", key::algorithm(key)));
    if let Content::Certificate(certificate) = content {
        certified(report, certificate);
    }
    let secrets = args.show_secrets;
    match key {
        Key::RsaPrivate(private) => {
            of_rsa(report, private.public());
            // The parser checked it, as it does for every command.
            let primes = private.primes().count();
            report.line(
                "primes",
                format_args!("{primes}, and all parts of the key fit together"),
            );
            if secrets {
                report.line("d", &*digits(private.d()));
                for (i, prime) in private.primes().enumerate() {
                    report.line(&format!("prime {}", i + 1), &*digits(prime));
                }
            }
            weaknesses(report, private.public());
        }
        Key::RsaPublic(public) => {
            of_rsa(report, public);
            weaknesses(report, public);
        }
        Key::CurvePrivate(private) => {
            of_curve(report, &private.public());
            if secrets {
                report.line(
                    "secret",
                    &*Zeroizing::new(hex::encode(&private.to_octets())),
                );
            }
        }
        Key::CurvePublic(public) => of_curve(report, public),
        Key::GroupPrivate(form, private) => {
            of_group(report, args, *form, private.public())?;
            if secrets {
                report.line("secret", &*digits(private.x()));
            }
        }
        Key::GroupPublic(form, public) => of_group(report, args, *form, public)?,
        _ => {}
    }
    if let Some(blob) = key.to_openssh_blob() {
        let digest = Base64Unpadded::encode_string(&Hash::Sha256.digest(&blob));
        report.line("ssh-keygen", format_args!("SHA256:{digest}"));
    }
    Ok(())
}

/// The contents of a certificate, which are not verified.
fn certified(report: &mut Report, certificate: &Certificate) {
    for (name, value) in [
        ("subject", certificate.subject()),
        ("issuer", certificate.issuer()),
        ("serial", certificate.serial().map(hex::encode)),
        ("signed by", certificate.signature_algorithm()),
    ] {
        if let Some(value) = value {
            report.line(name, value);
        }
    }
    if let Some([first, last]) = certificate.validity() {
        report.line("valid", format_args!("{first} to {last}"));
    }
    for hash in [Hash::Sha256, Hash::Sha1] {
        let digest: Vec<String> = hash
            .digest(certificate.der())
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        report.line(
            "x509",
            format_args!("{hash} Fingerprint={}", digest.join(":")),
        );
    }
}

fn fingerprint(report: &mut Report, spki: &[u8]) {
    report.line(
        "fingerprint",
        format_args!("SHA256:{}", hex::encode(&Hash::Sha256.digest(spki))),
    );
}

fn of_rsa(report: &mut Report, public: &rsa::PublicKey) {
    report.line("size", format_args!("{} bits", public.bits()));
    report.line("e", exponent(public.e()));
    if let rsa::Purpose::Pss(own) = public.purpose() {
        let with = own.map_or(String::new(), |own| {
            format!(
                " with {}, MGF1 with {}, and a salt of {} bytes or more",
                own.hash, own.mgf, own.min_salt_len
            )
        });
        report.line("for", format_args!("signatures by RSASSA-PSS alone{with}"));
    }
    fingerprint(report, &public.to_spki_der());
    report.line("n", public.n().to_hex_vartime());
}

fn weaknesses(report: &mut Report, public: &rsa::PublicKey) {
    for warning in weak_moduli::warnings(public) {
        report.line("warning", warning);
    }
}

fn of_curve(report: &mut Report, public: &AnyPublicKey) {
    fingerprint(report, &public.to_spki_der());
    report.line("public", hex::encode(&public.to_octets()));
    if !public.algorithm().agrees() {
        return;
    }
    // Points of the other curves have been checked when read.
    let anyone = AnyPrivateKey::generate_with(public.algorithm(), &mut rng());
    if let Err(e @ ec::Error::SmallOrder) = anyone.agree(public) {
        report.line("warning", e);
    }
}

fn of_group(
    report: &mut Report,
    args: &Args,
    form: dl::Form,
    public: &dl::PublicKey,
) -> Result<()> {
    let group = public.group();
    let (p, q) = (group.bits(), group.q().bits_vartime());
    report.line("size", format_args!("{p} bits, of order {q} bits"));
    if let Some(named) = group.named() {
        report.line("group", named);
    }
    let spki = public.to_spki_der(form);
    fingerprint(
        report,
        &spki.map_err(|e| Failure::bad_input(e.to_string()).about(&args.file))?,
    );
    report.line("public", public.y().to_hex_vartime());
    if p < 2048 {
        report.line(
            "warning",
            format_args!("{p} bits can be broken: use 2048 or more"),
        );
    }
    Ok(())
}

/// In decimal if that is usual.
fn exponent(e: &Nat) -> String {
    match e.limbs() {
        [small] => small.to_string(),
        _ => format!("0x{}", e.to_hex_vartime()),
    }
}
