//! `carrysave keygen`

use crate::batch;
use crate::exit::{Failure, Result, say};
use crate::io::{self, Access, Output};
use crate::key::PasswordArgs;
use crate::{progress, rng};
use carrysave::arith::Nat;
use carrysave::ec::{Algorithm, AnyPrivateKey};
use carrysave::rsa::{KeyError, KeygenOptions, PrivateKey, Progress};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use zeroize::Zeroizing;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    The private key is written for its owner alone, the public key beside it with the \
    ending .pub.")]
pub struct Args {
    /// Generate a key of this curve instead of an RSA key: for ECDSA and ECDH, for signatures (ed25519,
    /// ed448), or for key agreement (x25519, x448)
    #[arg(long, value_enum, conflicts_with_all = ["bits", "small", "e", "primes", "many_primes", "threads"])]
    curve: Option<Curve>,
    /// The length of the modulus in bits: 2048 to 16384, a multiple of 8
    #[arg(short, long, default_value_t = 3072)]
    bits: usize,
    /// Allow fewer than 2048 bits, which can be broken, for tests
    #[arg(long)]
    small: bool,
    /// The public exponent, decimal or 0x hexadecimal
    #[arg(short, long, default_value = "65537", value_parser = exponent)]
    e: Nat,
    /// How many primes make the modulus: 2, up to 3 from 1024 bits on, 4 from 4096 and 5 from 8192, as OpenSSL takes
    /// them
    #[arg(long, default_value_t = 2)]
    primes: usize,
    /// Allow up to 5 primes for any length, which OpenSSL calls invalid, for study
    #[arg(long)]
    many_primes: bool,
    /// How many threads search for primes, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
    /// The format of the private key
    #[arg(long, value_enum, default_value_t = Format::Pkcs8)]
    format: Format,
    /// Write binary DER instead of PEM text
    #[arg(long)]
    der: bool,
    /// Encrypt the private key with a password (PBES2)
    #[arg(long)]
    encrypt: bool,
    /// Encrypt it with the password in the first line of FILE
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Where the private key goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Where the public key goes [default: the private key's name with the ending .pub in the place of its own]
    #[arg(long, value_name = "FILE")]
    public_out: Option<PathBuf>,
    /// The format of the public key
    #[arg(long, value_enum, default_value_t = PublicFormat::Spki)]
    public_format: PublicFormat,
    /// Replace key files that are there already
    #[arg(long)]
    force: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pkcs8,
    /// For RSA keys
    Pkcs1,
    /// For keys of ECDSA and ECDH
    Sec1,
    /// As ssh-keygen writes it
    Openssh,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum PublicFormat {
    Spki,
    Pkcs1,
    Openssh,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    #[value(name = "p-224", alias = "p224")]
    P224,
    #[value(name = "p-256", alias = "p256")]
    P256,
    #[value(name = "p-384", alias = "p384")]
    P384,
    #[value(name = "p-521", alias = "p521")]
    P521,
    #[value(name = "secp256k1")]
    Secp256k1,
    #[value(name = "brainpoolp256r1")]
    BrainpoolP256r1,
    #[value(name = "brainpoolp384r1")]
    BrainpoolP384r1,
    #[value(name = "brainpoolp512r1")]
    BrainpoolP512r1,
    #[value(name = "x25519")]
    X25519,
    #[value(name = "ed25519")]
    Ed25519,
    #[value(name = "x448")]
    X448,
    #[value(name = "ed448")]
    Ed448,
}

impl From<Curve> for Algorithm {
    fn from(curve: Curve) -> Algorithm {
        match curve {
            Curve::P224 => Algorithm::P224,
            Curve::P256 => Algorithm::P256,
            Curve::P384 => Algorithm::P384,
            Curve::P521 => Algorithm::P521,
            Curve::Secp256k1 => Algorithm::Secp256k1,
            Curve::BrainpoolP256r1 => Algorithm::BrainpoolP256r1,
            Curve::BrainpoolP384r1 => Algorithm::BrainpoolP384r1,
            Curve::BrainpoolP512r1 => Algorithm::BrainpoolP512r1,
            Curve::X25519 => Algorithm::X25519,
            Curve::Ed25519 => Algorithm::Ed25519,
            Curve::X448 => Algorithm::X448,
            Curve::Ed448 => Algorithm::Ed448,
        }
    }
}

/// A new key.
enum Key {
    Rsa(PrivateKey),
    Curve(Box<AnyPrivateKey>),
}

fn exponent(text: &str) -> std::result::Result<Nat, String> {
    match text.strip_prefix("0x") {
        Some(hex) => Nat::from_hex(hex).ok_or("not a hexadecimal number".into()),
        None => text
            .parse()
            .map(Nat::from_limb)
            .map_err(|_| "not a number below 2^64; write a longer one as 0x...".into()),
    }
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    let public_out = match &args.public_out {
        Some(path) => Some(path.clone()),
        None if io::is_stdout(&args.out) => None,
        None => Some(args.out.with_extension("pub")),
    };
    if public_out
        .as_deref()
        .is_some_and(|path| io::same_place(path, &args.out))
    {
        return Err(Failure::usage(
            "the private and the public key would go to one file: use --public-out",
        ));
    }
    let encrypt = args.encrypt || args.password_file.is_some();
    if encrypt && !matches!(args.format, Format::Pkcs8 | Format::Openssh) {
        return Err(Failure::usage(
            "only PKCS #8 and OpenSSH's form can be encrypted: leave --format or the password out",
        ));
    }
    check_formats(&args)?;
    if args.der {
        io::refuse_terminal(&args.out, "a key in DER")?;
        if let (Some(path), PublicFormat::Spki | PublicFormat::Pkcs1) =
            (&public_out, args.public_format)
        {
            io::refuse_terminal(path, "a key in DER")?;
        }
    }
    for path in [Some(&args.out), public_out.as_ref()].into_iter().flatten() {
        if !args.force && io::is_there(path) && !io::is_stdout(path) {
            return Err(taken(path));
        }
    }
    let password = if encrypt {
        let password = PasswordArgs {
            password_file: args.password_file.clone(),
            ..Default::default()
        };
        Some(password.choose("Password for the new key")?)
    } else {
        None
    };

    // Both files are opened before the search, which may take minutes, and committed after both are written.
    let mut private = Output::create(&args.out, Access::Private)?;
    let public = public_out
        .as_deref()
        .map(|path| Output::create(path, Access::Umask));
    let mut public = public.transpose()?;
    let start = Instant::now();
    let key = match args.curve {
        None => Key::Rsa(generate(&args, quiet)?),
        Some(curve) => {
            let key = AnyPrivateKey::generate_with(curve.into(), &mut rng());
            Key::Curve(Box::new(key))
        }
    };
    let took = start.elapsed().as_secs_f64();
    if let Some(public) = &mut public {
        public.put(&public_bytes(&key, args.public_format, args.der))?;
    }
    private.put(&private_bytes(&key, &args, password.as_deref()))?;
    let appear = |output: Output, path: &Path| match output.commit_new()? {
        true => Ok(()),
        false => Err(taken(path)),
    };
    let public_out = public_out.as_deref();
    if args.force {
        // The public key comes last: it is that of the old private key until there is the new one, of which it is a part.
        private.commit()?;
        public.map_or(Ok(()), Output::commit)?;
    } else {
        // The private key comes last: if it fails, the public key is removed again, and nothing is lost.
        if let Some((public, path)) = public.zip(public_out) {
            appear(public, path)?;
        }
        appear(private, &args.out).inspect_err(|_| match public_out {
            Some(path) if !io::is_stdout(path) => drop(fs::remove_file(path)),
            _ => (),
        })?;
    }
    if !quiet {
        report(&key, &args.out, public_out, took);
    }
    Ok(())
}

/// Refuses formats that a key of this kind does not have.
fn check_formats(args: &Args) -> Result<()> {
    let refused = match (args.curve, args.format, args.public_format) {
        (None, Format::Sec1, _) => "SEC 1 is for keys of curves: leave --format out, or use pkcs1",
        (Some(_), Format::Pkcs1, _) | (Some(_), _, PublicFormat::Pkcs1) => {
            "PKCS #1 is for RSA keys: leave --format and --public-format out, or use sec1 and openssh"
        }
        (Some(Curve::X25519 | Curve::Ed25519 | Curve::X448 | Curve::Ed448), Format::Sec1, _) => {
            "a key of X25519, Ed25519, X448 or Ed448 is no key of SEC 1: leave --format out"
        }
        (Some(curve), Format::Openssh, _) | (Some(curve), _, PublicFormat::Openssh)
            if Algorithm::from(curve).openssh_kind().is_none() =>
        {
            "OpenSSH has keys of p-256, p-384, p-521 and ed25519: use one of these, or leave --format and --public-format out"
        }
        (None, Format::Openssh, _) if args.primes > 2 => {
            "OpenSSH has RSA keys of two primes: leave --primes or --format out"
        }
        (_, Format::Openssh, _) if args.der => {
            "OpenSSH's form is text: leave --der or --format out"
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(refused))
}

fn taken(path: &Path) -> Failure {
    Failure::usage(match path.is_dir() {
        true => "this is a folder: give a key file a name in it",
        false => "there is a file already: use another name, or --force to replace it",
    })
    .about(path)
}

fn generate(args: &Args, quiet: bool) -> Result<PrivateKey> {
    let threads = args.threads.unwrap_or_else(batch::cores);
    let options = KeygenOptions {
        e: args.e.clone(),
        threads,
        allow_small: args.small,
        primes: args.primes,
        allow_many_primes: args.many_primes,
        // An interrupt ends the program.
        stop: None,
    };
    let spinner = progress::search("searching for primes", quiet);
    let key = PrivateKey::generate_with(rng, args.bits, &options, &|event| {
        if event == Progress::Candidate {
            spinner.inc(1);
        }
    });
    spinner.finish_and_clear();
    // The command line checks the options.
    key.map_err(|e| {
        Failure::usage(match e {
            KeyError::Size { bits: 512.., .. } if args.bits < 2048 && args.bits.is_multiple_of(8) && !args.small => {
                format!("{e}; --small allows it, for tests")
            }
            KeyError::Primes { bits, most } => format!(
                "a key of {bits} bits has {most} primes at most, as openssl takes no more: use --primes {most}, or \
                 --many-primes for study"
            ),
            e => e.to_string(),
        })
    })
}

fn public_bytes(key: &Key, format: PublicFormat, der: bool) -> Vec<u8> {
    let key = match key {
        Key::Rsa(key) => key.public(),
        Key::Curve(key) => {
            let key = key.public();
            let line = key.to_openssh("carrysave");
            return match line.filter(|_| format == PublicFormat::Openssh) {
                Some(line) => (line + "\n").into_bytes(),
                None if der => key.to_spki_der(),
                None => key.to_spki_pem().into_bytes(),
            };
        }
    };
    match (format, der) {
        (PublicFormat::Spki, false) => key.to_spki_pem().into_bytes(),
        (PublicFormat::Spki, true) => key.to_spki_der(),
        (PublicFormat::Pkcs1, false) => key.to_pkcs1_pem().into_bytes(),
        (PublicFormat::Pkcs1, true) => key.to_pkcs1_der(),
        (PublicFormat::Openssh, _) => (key.to_openssh("carrysave") + "\n").into_bytes(),
    }
}

fn private_bytes(key: &Key, args: &Args, password: Option<&Vec<u8>>) -> Zeroizing<Vec<u8>> {
    let pem = |text: Zeroizing<String>| Zeroizing::new(text.as_bytes().to_vec());
    if args.format == Format::Openssh {
        let (comment, password) = ("carrysave", password.map(|it| &it[..]));
        let text = match key {
            Key::Rsa(key) => key.to_openssh(comment, password, &mut rng()),
            Key::Curve(key) => key.to_openssh(comment, password, &mut rng()),
        };
        return pem(text.expect("keys without this form were refused"));
    }
    let key = match key {
        Key::Rsa(key) => key,
        Key::Curve(key) => {
            // That the key has such a form was checked.
            if args.format == Format::Sec1
                && let (Some(text), Some(der)) = (key.to_sec1_pem(), key.to_sec1_der())
            {
                return if args.der { der } else { pem(text) };
            }
            return match (password, args.der) {
                (Some(password), false) => pem(key.to_pkcs8_encrypted_pem(password, &mut rng())),
                (Some(password), true) => key.to_pkcs8_encrypted_der(password, &mut rng()),
                (None, false) => pem(key.to_pkcs8_pem()),
                (None, true) => key.to_pkcs8_der(),
            };
        }
    };
    match (password, args.format, args.der) {
        (Some(password), _, false) => pem(key.to_pkcs8_encrypted_pem(password, &mut rng())),
        (Some(password), _, true) => key.to_pkcs8_encrypted_der(password, &mut rng()),
        (None, Format::Pkcs1, false) => pem(key.to_pkcs1_pem()),
        (None, Format::Pkcs1, true) => key.to_pkcs1_der(),
        (None, _, false) => pem(key.to_pkcs8_pem()),
        (None, _, true) => key.to_pkcs8_der(),
    }
}

fn report(key: &Key, private: &Path, public: Option<&Path>, took: f64) {
    match key {
        Key::Rsa(key) => say(format_args!(
            "generated an RSA key of {} bits in {took:.2} s",
            key.bits()
        )),
        Key::Curve(key) => say(format_args!("generated a key of {}", key.algorithm())),
    }
    say(format_args!("private key: {}", private.display()));
    if let Some(public) = public {
        say(format_args!("public key:  {}", public.display()));
    }
}
