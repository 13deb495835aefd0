//! `carrysave sign`

use crate::batch::{self, BatchArgs, Fate, signature_of};
use crate::exit::{Failure, Result};
use crate::io::{self, Access, Input};
use crate::key::{self, PasswordArgs};
use crate::{progress, weak};
use carrysave::engine::{Job, Output};
use carrysave::hash::Hash;
use carrysave::rsa::PrivateKey;
use indicatif::ProgressBar;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "\
carrysave sign [OPTIONS] --key <FILE> --out <FILE> [FILE]
       carrysave sign [OPTIONS] --key <FILE> --batch <PATH>...",
    after_help = "\
    Writes the signature alone, as many bytes as the key has. PSS with a salt as long as \
    the digest is the default.\n\n\
    With --batch, the signature of FILE goes to FILE.sig. A folder stands for the files in it, \
    without hidden ones, signatures (*.sig) and what is in its folders. What is named twice is \
    signed once. A file that fails does not stop the others. After an interruption, the same \
    command with --keep does the rest."
)]
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
    /// Allow a key below 2048 bits, which can be broken, for tests
    #[arg(long)]
    small: bool,
    /// Replace signatures of a batch that are there already
    #[arg(long)]
    force: bool,
    /// Keep signatures of a batch that are there already, and sign the other files
    #[arg(long, conflicts_with = "force")]
    keep: bool,
    /// What to sign; - for standard input
    #[arg(default_value = "-", conflicts_with = "batch")]
    file: PathBuf,
    /// Where the signature goes; - for standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present = "batch",
        conflicts_with_all = ["BatchArgs", "force", "keep"]
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
        if io::same_file(out, &args.file) {
            let message =
                "the signature would take the place of what is signed: give it another name";
            return Err(Failure::usage(message).about(out));
        }
    }
    let key = key::private(&args.key, &args.password)?;
    weak::refuse_small(key.public(), &args.key, args.small)?;
    let existing = match (args.force, args.keep) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Keep,
        _ => Existing::Refuse,
    };
    let signing = Signing {
        key,
        scheme: args.scheme,
        existing,
    };
    let Some(out) = args.out else {
        return batch::run(&args.batch, &signing, quiet).map(drop);
    };
    let bar = |len| progress::bar("hashing", len, quiet);
    let answer = batch::one(signing.job_of(&args.file, bar)?)?;
    io::write(&out, Access::Umask, bytes(&answer))
}

/// What happens to a file of a batch that has a signature already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It fails.
    Refuse,
    /// It keeps its signature.
    Keep,
    /// It gets a new one.
    Replace,
}

/// Signing files, each into the file beside it.
pub struct Signing {
    /// Of the signer.
    pub key: PrivateKey,
    /// How.
    pub scheme: Scheme,
    /// What happens to those that have a signature.
    pub existing: Existing,
}

impl Signing {
    fn job_of(&self, file: &Path, bar: impl FnOnce(Option<u64>) -> ProgressBar) -> Result<Job> {
        let (key, hash) = (self.key.clone(), self.scheme.hash);
        let digest = digest(file, hash, bar)?;
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

impl Signing {
    /// What becomes of a file whose signature is there and not replaced. What is kept may be another file's or
    /// scheme's: only `verify` knows.
    fn is_there(&self, signature: &Path) -> Result<Fate> {
        if self.existing == Existing::Keep {
            let size = self.key.public().size();
            if fs::metadata(signature).is_ok_and(|m| m.is_file() && m.len() == size as u64) {
                return Ok(Fate::Kept);
            }
            let message = format!(
                "this is no signature of this key, which is a file of {size} bytes: use --force to replace it"
            );
            return Err(Failure::bad_input(message).about(signature));
        }
        let message = "there is a signature already: use --force to replace it, or --keep";
        Err(Failure::usage(message).about(signature))
    }
}

impl batch::Task for Signing {
    const WHAT: &'static str = "signing";
    const SIGNED: bool = false;
    const WRITES: bool = true;
    // Storage takes the signatures of several threads in one go, which is ten times as fast as one after the other, and
    // the threads do little but wait for it.
    const FINISHERS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Job>> {
        let signature = signature_of(file);
        batch::regular(&signature)?;
        if self.existing != Existing::Replace && io::is_there(&signature) {
            return self.is_there(&signature).map(|_| None);
        }
        self.job_of(file, |_| bar.clone()).map(Some)
    }

    fn finish(&self, file: &Path, answer: &Output) -> Result<Fate> {
        let (signature, bytes) = (signature_of(file), bytes(answer));
        let replace = self.existing == Existing::Replace;
        if !io::write_one(&signature, Access::Umask, bytes, replace)? {
            // It was not when the file was hashed.
            return self.is_there(&signature);
        }
        Ok(Fate::Done)
    }
}

fn bytes(answer: &Output) -> &[u8] {
    match answer {
        Output::Bytes(signature) => signature,
        other => unreachable!("a signature is bytes, not {other:?}"),
    }
}

/// The digest of a file, which is read once and never held, while the bar for its length moves.
pub fn digest(
    path: &Path,
    hash: Hash,
    bar: impl FnOnce(Option<u64>) -> ProgressBar,
) -> Result<Vec<u8>> {
    let input = Input::open(path)?;
    let bar = bar(input.len);
    let mut hasher = hash.hasher();
    std::io::copy(&mut progress::reading(&bar, input), &mut hasher)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    Ok(hasher.finish())
}
