//! `carrysave encrypt`

use crate::exit::{Failure, Result, say};
use crate::io::{self, Access, Input, Output};
use crate::key::{self, PasswordArgs};
use crate::{batch, progress, rng, segmented, weak_moduli};
use carrysave::cms::{self, EncryptOptions, Recipient};
use carrysave::hash::Hash;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Writes a CMS message (AuthEnvelopedData: AES-256-GCM, its key encrypted with \
    RSA-OAEP, wrapped by a key that two keys of a curve agree on, or encrypted with a \
    password) that openssl cms -decrypt reads, too, but for X25519 and X448, which it has not. \
    Memory stays the same however long the file is; one message holds up to 64 GiB.")]
pub struct Args {
    /// Encrypt for every public key in FILE, RSA or of a curve, or for its certificate; may be given more than once
    #[arg(short, long = "to", value_name = "FILE", required_unless_present_any = ["by_password", "password_file"])]
    to: Vec<PathBuf>,
    /// Encrypt for everybody who knows a password, which is asked for, or is in --password-file; without --to, that
    /// file alone says so
    #[arg(long = "password", conflicts_with = "segmented")]
    by_password: bool,
    /// What to encrypt; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Where the message goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Write PEM text instead of binary
    #[arg(long, conflicts_with = "segmented")]
    pem: bool,
    /// The hash of OAEP and of its mask generation function
    #[arg(long, default_value_t = Hash::Sha256, conflicts_with = "segmented")]
    hash: Hash,
    /// Allow keys below 2048 bits, which can be broken, for tests
    #[arg(long)]
    small: bool,
    /// Encrypt block by block with RSA alone, as the 2011 thesis did: for study, not for use
    #[arg(long)]
    segmented: bool,
    /// How many threads work, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    password: PasswordArgs,
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    if !args.pem {
        io::refuse_terminal(&args.out, "a message")?;
    }
    let mut recipients = Vec::new();
    for path in &args.to {
        let found = key::recipients(path, &args.password)?;
        for key in found.iter().filter_map(Recipient::rsa_key) {
            weak_moduli::refuse_small(key, path, args.small)?;
        }
        recipients.extend(found);
    }
    if args.by_password || args.to.is_empty() {
        let password = args.password.choose("Password for the message")?;
        recipients.push(Recipient::from_password(&password));
    }
    if args.segmented && recipients.len() > 1 {
        let message = "--segmented encrypts for one key: give --to once, with a file of one key";
        return Err(Failure::usage(message));
    }
    let input = Input::open(&args.file)?;
    let len = input.len;
    let mut output = Output::streaming(&args.out, Access::Umask)?;
    let bar = progress::bar("encrypting", len, quiet);
    let mut reader = progress::reading(&bar, input);
    if args.segmented {
        say(segmented::WARNING);
        let key = recipients.first().and_then(Recipient::rsa_key);
        let key = key.ok_or_else(|| Failure::usage("--segmented takes --to with an RSA key"))?;
        let team = batch::team(args.threads, len, segmented::long_plaintext(key));
        segmented::encrypt(&team, rng, key, &mut reader, &mut output)
    } else {
        let options = EncryptOptions {
            len,
            pem: args.pem,
            hash: args.hash,
            ..Default::default()
        };
        let team = batch::team(args.threads, len, batch::LONG);
        let (rng, to) = (&mut rng(), &recipients);
        cms::encrypt_on(&team, rng, to, &options, &mut reader, &mut output)
    }
    .map_err(|e| Failure::between(&args.file, &args.out, e))?;
    output.commit()
}
