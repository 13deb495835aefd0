//! `carrysave verify`

use super::sign::{Padding, Scheme, digest};
use crate::batch::{self, BatchArgs, Fate, signature_of};
use crate::exit::{Failure, Result};
use crate::key::{self, PasswordArgs};
use crate::{io, progress, weak};
use carrysave::engine::{Job, Output};
use carrysave::rsa::PublicKey;
use indicatif::ProgressBar;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "\
carrysave verify [OPTIONS] --key <FILE> --signature <FILE> [FILE]
       carrysave verify [OPTIONS] --key <FILE> --batch <PATH>...",
    after_help = "\
    Ends with status 0 if the signature is good and 1 if it is not.\n\n\
    With --batch, the signature of FILE is FILE.sig. A folder stands for the files in it, \
    without hidden ones and what is in its folders; a file that is gone and has left its \
    signature fails. What is named twice is verified once. A file that fails does not stop the \
    others."
)]
pub struct Args {
    /// The public key or certificate of the signer
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The signature
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present = "batch",
        conflicts_with = "BatchArgs"
    )]
    signature: Option<PathBuf>,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    batch: BatchArgs,
    /// What was signed; - for standard input
    #[arg(default_value = "-", conflicts_with = "batch")]
    file: PathBuf,
}

/// Verifies.
pub fn run(args: Args, quiet: bool) -> Result<()> {
    args.scheme.check()?;
    let key = key::public(&args.key, &args.password)?;
    weak::warn_of_small(&key, &args.key);
    let scheme = args.scheme;
    let verifying = Verifying { key, scheme };
    let good = match &args.signature {
        Some(signature) => {
            let bar = |len| progress::bar("hashing", len, quiet);
            batch::one(verifying.job_of(&args.file, signature, bar)?)?;
            "the signature is good\n".to_owned()
        }
        None => good(batch::run(&args.batch, &verifying, quiet)?),
    };
    if quiet { Ok(()) } else { io::print(&good) }
}

/// What is said of so many signatures.
pub fn good(signatures: usize) -> String {
    match signatures {
        1 => "1 signature is good\n".to_owned(),
        n => format!("{n} signatures are good\n"),
    }
}

/// Verifying files, each with the signature beside it.
pub struct Verifying {
    /// Of the signer.
    pub key: PublicKey,
    /// How.
    pub scheme: Scheme,
}

impl Verifying {
    fn job_of(
        &self,
        file: &Path,
        signature: &Path,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Job> {
        let key = self.key.clone();
        let found = io::read_small(signature, key::MAX)?.to_vec();
        let size = key.size();
        if found.len() != size {
            let message = format!(
                "a signature of this key has {size} bytes, and this file has {}",
                found.len()
            );
            return Err(Failure::bad_input(message).about(signature));
        }
        let Scheme {
            padding,
            hash,
            salt_len,
        } = self.scheme;
        let digest = digest(file, hash, bar)?;
        Ok(match padding {
            Padding::Pss => Job::VerifyPss {
                key,
                hash,
                mgf: hash,
                salt_len,
                digest,
                signature: found,
            },
            Padding::Pkcs1 => Job::VerifyPkcs1v15 {
                key,
                hash,
                digest,
                signature: found,
            },
        })
    }
}

impl batch::Task for Verifying {
    const WHAT: &'static str = "verifying";
    const SIGNED: bool = true;
    const WRITES: bool = false;
    const FINISHERS: NonZeroUsize = NonZeroUsize::MIN;

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Job>> {
        let signature = signature_of(file);
        batch::regular(&signature)?;
        self.job_of(file, &signature, |_| bar.clone()).map(Some)
    }

    fn finish(&self, _: &Path, _: &Output) -> Result<Fate> {
        Ok(Fate::Done)
    }
}
