//! `carrysave sign`

use crate::exit::{Failure, Result};
use crate::io::{self, Access, Input};
use crate::key::{self, PasswordArgs};
use crate::{progress, rng};
use carrysave::hash::Hash;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Writes the signature alone, as many bytes as the key has. PSS with a salt as long as \
    the digest is the default.")]
pub struct Args {
    /// The private key
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    /// What to sign; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Where the signature goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// How a signature is made.
#[derive(clap::Args, Debug)]
pub struct Scheme {
    /// The padding
    #[arg(short, long, value_enum, default_value_t = Padding::Pss)]
    pub padding: Padding,
    /// The hash of the file, and of the mask generation function of PSS
    #[arg(long, default_value_t = Hash::Sha256)]
    pub hash: Hash,
    /// The length of the salt of PSS in bytes [default: that of the digest; when verifying: any]
    #[arg(long, value_name = "BYTES")]
    pub salt_len: Option<usize>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// RSASSA-PSS
    Pss,
    /// RSASSA-PKCS1-v1_5
    Pkcs1,
}

impl Scheme {
    /// Refuses options that do not go together.
    pub fn check(&self) -> Result<()> {
        match (self.padding, self.salt_len) {
            (Padding::Pkcs1, Some(_)) => Err(Failure::usage(
                "--padding pkcs1 has no salt: leave --salt-len out",
            )),
            _ => Ok(()),
        }
    }
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    args.scheme.check()?;
    io::refuse_terminal(&args.out, "a signature")?;
    let Scheme {
        padding,
        hash,
        salt_len,
    } = args.scheme;
    let key = key::private(&args.key, &args.password)?;
    let digest = digest(&args.file, hash, quiet)?;
    let signature = match padding {
        Padding::Pss => key.rsassa_pss_sign(
            &mut rng(),
            hash,
            hash,
            salt_len.unwrap_or(hash.len()),
            &digest,
        )?,
        Padding::Pkcs1 => key.rsassa_pkcs1_v1_5_sign(&mut rng(), hash, &digest)?,
    };
    io::write(&args.out, Access::Umask, &signature)
}

/// The digest of a file, which is read once and never held.
pub fn digest(path: &Path, hash: Hash, quiet: bool) -> Result<Vec<u8>> {
    let input = Input::open(path)?;
    let bar = progress::bar("hashing", input.len, quiet);
    let mut hasher = hash.hasher();
    std::io::copy(&mut progress::reading(&bar, input), &mut hasher)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    Ok(hasher.finish())
}
