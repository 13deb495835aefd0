//! `carrysave sign`

use crate::batch::{self, BatchArgs, signature_of};
use crate::exit::{Failure, Result};
use crate::io::{self, Access, Input};
use crate::key::{self, PasswordArgs};
use crate::progress;
use carrysave::engine::{Job, Output};
use carrysave::hash::Hash;
use carrysave::rsa::PrivateKey;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Writes the signature alone, as many bytes as the key has. PSS with a salt as long as \
    the digest is the default.\n\n\
    With --batch, the signature of FILE goes to FILE.sig. A folder stands for the files in it, \
    without hidden ones, signatures (*.sig) and what is in its folders. What is named twice is \
    signed once. A file that fails does not stop the others.")]
pub struct Args {
    /// The private key
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// Replace signatures of a batch that are there already
    #[arg(long)]
    force: bool,
    /// What to sign; - for standard input
    #[arg(default_value = "-", conflicts_with = "batch")]
    file: PathBuf,
    /// Where the signature goes; - for standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present = "batch",
        conflicts_with_all = ["BatchArgs", "force"]
    )]
    out: Option<PathBuf>,
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

/// The paddings of signatures.
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

/// Signs.
pub fn run(args: Args, quiet: bool) -> Result<()> {
    args.scheme.check()?;
    if let Some(out) = &args.out {
        io::refuse_terminal(out, "a signature")?;
    }
    let key = key::private(&args.key, &args.password)?;
    let Args { scheme, force, .. } = args;
    let signing = Signing { key, scheme, force };
    let Some(out) = args.out else {
        return batch::run(&args.batch, &signing, quiet).map(drop);
    };
    write(&out, &batch::one(signing.job_of(&args.file, quiet)?)?)
}

/// Signing files, each into the file beside it.
pub struct Signing {
    /// Of the signer.
    pub key: PrivateKey,
    /// How.
    pub scheme: Scheme,
    /// Whether signatures that are there are replaced.
    pub force: bool,
}

impl Signing {
    fn job_of(&self, file: &Path, quiet: bool) -> Result<Job> {
        let (key, hash) = (self.key.clone(), self.scheme.hash);
        let digest = digest(file, hash, quiet)?;
        Ok(match self.scheme.padding {
            Padding::Pss => Job::SignPss {
                key,
                hash,
                mgf: hash,
                salt_len: self.scheme.salt_len.unwrap_or(hash.len()),
                digest,
            },
            Padding::Pkcs1 => Job::SignPkcs1v15 { key, hash, digest },
        })
    }
}

impl batch::Task for Signing {
    const WHAT: &'static str = "signing";
    const SIGNED: bool = false;

    fn job(&self, file: &Path) -> Result<Job> {
        let signature = signature_of(file);
        if !self.force && signature.symlink_metadata().is_ok() {
            let message = "there is a signature already: use --force to replace it";
            return Err(Failure::usage(message).about(&signature));
        }
        self.job_of(file, true)
    }

    fn finish(&self, file: &Path, answer: &Output) -> Result<()> {
        write(&signature_of(file), answer)
    }
}

fn write(path: &Path, answer: &Output) -> Result<()> {
    match answer {
        Output::Bytes(signature) => io::write(path, Access::Umask, signature),
        other => unreachable!("a signature is bytes, not {other:?}"),
    }
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
