//! `carrysave decrypt`

use crate::exit::{Failure, Result, say};
use crate::io::{Access, Input, Output};
use crate::key::{self, PasswordArgs};
use crate::{batch, progress, rng, segmented, weak_moduli};
use carrysave::cms::{self, DecryptOptions, Error, Identity, Opened, Recipient};
use carrysave::ec::AnyPrivateKey;
use carrysave::keys::Key;
use carrysave::rsa::PrivateKey;
use std::path::PathBuf;
use std::sync::Arc;
use zeroize::Zeroizing;

const UNAUTHENTICATED: &str = "carrysave: warning: this old EnvelopedData is not authenticated: \
     anybody may have changed it";

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Reads CMS messages, binary, PEM, base64 or S/MIME: AuthEnvelopedData, and with a \
    warning the older EnvelopedData. Nothing of the plaintext appears before all of it has \
    been authenticated; until then it waits in a temporary file. Content of another type \
    than data, as a message that was signed before, is written as it is, with a note.")]
pub struct Args {
    /// The private key, RSA or of a curve
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["by_password", "password_file"])]
    key: Option<PathBuf>,
    /// Decrypt with a password, which is asked for, or is in --password-file; without --key, that file alone says so
    #[arg(long = "password", conflicts_with_all = ["key", "recipient", "segmented"])]
    by_password: bool,
    /// The certificate of this key, to find the right one among many recipients
    #[arg(
        short,
        long,
        value_name = "FILE",
        requires = "key",
        conflicts_with = "segmented"
    )]
    recipient: Option<PathBuf>,
    /// What to decrypt; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Where the plaintext goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Refuse EnvelopedData, which nothing authenticates, with exit status 3 and before anything is written
    #[arg(long, conflicts_with = "segmented")]
    require_authenticated: bool,
    /// The file was encrypted with --segmented
    #[arg(long, requires = "key")]
    segmented: bool,
    /// How many threads work, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    password: PasswordArgs,
}

/// The credentials that open a message.
enum Secret {
    Rsa(PrivateKey),
    Curve(Arc<AnyPrivateKey>),
    Password(Zeroizing<Vec<u8>>),
}

impl Secret {
    fn of(args: &Args) -> Result<Secret> {
        let Some(path) = &args.key else {
            let password = args.password.get("Password of the message")?;
            return Ok(Secret::Password(password));
        };
        match key::opener(path, &args.password)? {
            Key::RsaPrivate(key) => {
                weak_moduli::warn_of_small(key.public(), path);
                Ok(Secret::Rsa(key))
            }
            Key::CurvePrivate(key) => Ok(Secret::Curve(key)),
            other => unreachable!("{other:?} opens no message"),
        }
    }

    fn identity(&self) -> Identity<'_> {
        match self {
            Secret::Rsa(key) => key.into(),
            Secret::Curve(key) => (&**key).into(),
            Secret::Password(password) => Identity::password(password),
        }
    }

    fn is_of(&self, certificate: &Recipient) -> bool {
        match self {
            Secret::Rsa(key) => certificate.rsa_key() == Some(key.public()),
            Secret::Curve(key) => certificate.curve_key() == Some(&key.public()),
            Secret::Password(_) => false,
        }
    }
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    let secret = Secret::of(&args)?;
    let recipient = match &args.recipient {
        None => None,
        Some(path) => {
            let certificate = Recipient::from_certificate(key::certificate(path)?.der())?;
            if !secret.is_of(&certificate) {
                return Err(Failure::usage("the certificate is not one of this key").about(path));
            }
            Some(certificate)
        }
    };
    let input = Input::open(&args.file)?;
    let len = input.len;
    let mut output = Output::create(&args.out, Access::Umask)?;
    let bar = progress::bar("decrypting", len, quiet);
    let mut reader = progress::reading(&bar, input);
    let failed = |e| Failure::between(&args.file, &args.out, e);
    if args.segmented {
        let Secret::Rsa(key) = &secret else {
            return Err(Failure::usage("--segmented takes an RSA key"));
        };
        say(segmented::WARNING);
        let team = batch::team(args.threads, len, segmented::long_ciphertext(key.public()));
        segmented::decrypt(&team, rng, key, &mut reader, &mut output).map_err(failed)?;
    } else {
        let long = match &secret {
            Secret::Rsa(key) if batch::is_long(key) => 0,
            _ => batch::LONG,
        };
        let team = batch::team(args.threads, len, long);
        let identity = match &recipient {
            Some(certificate) => secret.identity().with_certificate(certificate),
            None => secret.identity(),
        };
        let options = DecryptOptions {
            require_authenticated: args.require_authenticated,
            ..Default::default()
        };
        let rng = &mut rng();
        let opened = cms::decrypt_on(&team, rng, identity, &options, &mut reader, &mut output);
        let opened = opened.map_err(|e| {
            let remedy = remedy(&e, &secret);
            let failure = failed(e);
            Failure::new(failure.code, failure.message + remedy)
        })?;
        bar.suspend(|| comment(&opened));
    }
    output.commit()
}

/// Notes on a plaintext for the user.
fn comment(opened: &Opened) {
    if !opened.authenticated {
        say(UNAUTHENTICATED);
    }
    if !opened.content_type.is_data() {
        let kind = &opened.content_type;
        say(format_args!(
            "carrysave: note: the plaintext is {kind}, written as it is"
        ));
    }
}

/// The remedy for an error.
fn remedy(e: &Error, secret: &Secret) -> &'static str {
    match (e, secret) {
        (Error::NoRecipient(for_whom), Secret::Rsa(_) | Secret::Curve(_))
            if for_whom.passwords > 0 =>
        {
            "; use --password"
        }
        (Error::NoRecipient(for_whom), Secret::Password(_))
            if for_whom.rsa_keys + for_whom.agreement_keys > 0 =>
        {
            "; use --key"
        }
        (Error::NoRecipient(for_whom), _) if for_whom.shared_keys > 0 => {
            "; use `openssl cms -decrypt -secretkey`"
        }
        (Error::Unauthenticated, _) => {
            "; leave --require-authenticated out to decrypt it all the same"
        }
        _ => "",
    }
}
