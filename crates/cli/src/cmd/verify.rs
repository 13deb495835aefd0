//! `carrysave verify`

use super::sign::{Padding, Scheme, at_once, digest, form_of_curve, message};
use crate::batch::{self, BatchArgs, Fate, signature_of};
use crate::exit::{Failure, Result};
use crate::key::{self, PasswordArgs, Verifier};
use crate::signature::{self, Form, Wrapping};
use crate::{io, progress, weak_moduli};
use carrysave::ec::ed448::task::VerifyEd448;
use carrysave::ec::ed25519::task::{VerifyEd25519, WithoutCofactor};
use carrysave::ec::task::VerifyEcdsa;
use carrysave::ec::{self, AnyPublicKey, Ed448Signature, Ed25519Signature};
use carrysave::engine::{self, jobs};
use carrysave::rsa::task::{VerifyPkcs1v15, VerifyPss};
use carrysave::sshsig;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "\
carrysave verify [OPTIONS] --key <FILE> [--signature <FILE>] [FILE]
       carrysave verify [OPTIONS] --key <FILE> --batch <PATH>...",
    after_help = "\
    Ends with status 0 if the signature is good and 1 if it is not. A signature is as many bytes \
    as an RSA key has, of ECDSA DER or two numbers, of Ed25519 64 bytes and of Ed448 114, or base64 of that; \
    that of FILE is FILE.sig unless --signature names it. With --format sshsig it is OpenSSH's, made \
    by ssh-keygen -Y sign.\n\n\
    With --batch, the signature of each FILE is FILE.sig. A folder stands for the files in it, \
    without hidden ones and, but with --recursive, what is in its folders; a file that is gone and \
    has left its signature fails. What is named twice is verified once. A file that fails does not \
    stop the others."
)]
pub struct Args {
    /// The public key or certificate of the signer
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The signature; - for standard input [default: FILE.sig]
    #[arg(short, long, value_name = "FILE", conflicts_with = "BatchArgs")]
    signature: Option<PathBuf>,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    wrapping: Wrapping,
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
    let one = args.batch.is_one()?;
    if one && args.signature.is_none() && io::is_std(&args.file) {
        let message = "standard input has no name for a signature beside it: give --signature";
        return Err(Failure::usage(message));
    }
    let key = key::verifier(&args.key, &args.password)?;
    match &key {
        Verifier::Rsa(key) => weak_moduli::warn_of_small(key, &args.key),
        Verifier::Curve(_) if args.wrapping.format.is_some() => {}
        Verifier::Curve(key) => args.scheme.check_for_curve(key)?,
    }
    let namespace = args.wrapping.namespace()?;
    if namespace.is_some() {
        args.scheme.check_for_openssh(blob_of(&key).is_some())?;
    }
    let verifying = Verifying {
        key,
        scheme: args.scheme,
        namespace,
    };
    let good = if one {
        let signature = args.signature.unwrap_or_else(|| signature_of(&args.file));
        let bar = |len| progress::bar("hashing", len, quiet);
        let job = verifying.job_of(&args.file, &signature, bar)?;
        batch::one(&job, args.batch.threads)?;
        "the signature is good\n".to_owned()
    } else {
        good(batch::run(&args.batch, &verifying, quiet)?)
    };
    if quiet { Ok(()) } else { io::print(&good) }
}

/// The message for `signatures` valid signatures.
pub fn good(signatures: usize) -> String {
    match signatures {
        1 => "1 signature is good\n".to_owned(),
        n => format!("{n} signatures are good\n"),
    }
}

jobs! {
    /// The verification of one file.
    pub enum Verification -> Result<(), engine::Error> {
        /// RSASSA-PSS.
        Pss(VerifyPss),
        /// RSASSA-PKCS1-v1_5.
        Pkcs1v15(VerifyPkcs1v15),
        /// ECDSA.
        Ecdsa(VerifyEcdsa),
        /// Ed25519.
        Ed25519(VerifyEd25519),
        /// Ed448.
        Ed448(VerifyEd448),
    }
}

/// Verifies files, each with the signature beside it.
pub struct Verifying {
    /// The signer's key.
    pub key: Verifier,
    /// The parameters.
    pub scheme: Scheme,
    /// What signatures are for, if they are OpenSSH's.
    pub namespace: Option<String>,
}

/// A key as OpenSSH has it, if it has such keys.
fn blob_of(key: &Verifier) -> Option<Vec<u8>> {
    match key {
        Verifier::Rsa(key) => Some(key.to_openssh_blob()),
        Verifier::Curve(key) => key.to_openssh_blob(),
    }
}

impl Verifying {
    fn job_of(
        &self,
        file: &Path,
        signature: &Path,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Verification> {
        let scheme = &self.scheme;
        if let Some(namespace) = &self.namespace {
            return self.of_openssh(namespace, file, signature, bar);
        }
        let key = match &self.key {
            Verifier::Rsa(key) => key.clone(),
            Verifier::Curve(key) => return self.on_curve(key, file, signature, bar),
        };
        let found = signature::read(signature, &Form::Bytes(key.size()))?;
        let hash = scheme.hash(&key);
        let digest = digest(file, hash, bar)?;
        Ok(match scheme.padding() {
            Padding::Pss => Verification::Pss(VerifyPss {
                hash,
                mgf: scheme.mgf(&key),
                salt_len: scheme.salt_len,
                key,
                digest,
                signature: found,
            }),
            Padding::Pkcs1 => Verification::Pkcs1v15(VerifyPkcs1v15 {
                key,
                hash,
                digest,
                signature: found,
            }),
        })
    }
}

impl Verifying {
    /// The verification of a signature of OpenSSH.
    fn of_openssh(
        &self,
        namespace: &str,
        file: &Path,
        path: &Path,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Verification> {
        let blob = blob_of(&self.key).expect("it was checked");
        let found = signature::read_openssh(path, &blob, namespace)?;
        if self.scheme.hash.is_some_and(|hash| hash != found.hash) {
            let message = format!("the file was hashed with {}: leave --hash out", found.hash);
            return Err(Failure::bad_input(message).about(path));
        }
        let digest = digest(file, found.hash, bar)?;
        let message = sshsig::message(namespace, found.hash, &digest);
        let other_kind = || Failure::from(ec::Error::Verification).about(path);
        match &self.key {
            Verifier::Rsa(key) => {
                let hash = found.rsa_hash().ok_or_else(other_kind)?;
                Ok(Verification::Pkcs1v15(VerifyPkcs1v15 {
                    key: key.clone(),
                    hash,
                    digest: hash.digest(&message),
                    signature: found.signature,
                }))
            }
            Verifier::Curve(key) => {
                if key.algorithm().openssh_kind() != Some(&found.kind) {
                    return Err(other_kind());
                }
                let signature = key.signature_from_openssh(&found.signature);
                let signature = signature.map_err(|error| Failure::from(error).about(path))?;
                if let AnyPublicKey::Ed25519(key) = key {
                    let octets = <[u8; 64]>::try_from(signature).map_err(|_| other_kind())?;
                    return Ok(Verification::Ed25519(VerifyEd25519 {
                        key: WithoutCofactor(*key),
                        message,
                        signature: Ed25519Signature(octets),
                    }));
                }
                let hash = key.algorithm().hash();
                Ok(Verification::Ecdsa(VerifyEcdsa {
                    key: key.clone(),
                    hash,
                    digest: hash.digest(&message),
                    signature,
                }))
            }
        }
    }

    fn on_curve(
        &self,
        key: &AnyPublicKey,
        file: &Path,
        signature: &Path,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Verification> {
        let signature = signature::read(signature, &form_of_curve(key.clone()))?;
        if let AnyPublicKey::Ed25519(key) = key {
            let octets = <[u8; 64]>::try_from(signature);
            let octets = octets.map_err(|_| ec::Error::Verification)?;
            return Ok(Verification::Ed25519(VerifyEd25519 {
                key: WithoutCofactor(*key),
                message: message(file, bar)?,
                signature: Ed25519Signature(octets),
            }));
        }
        if let AnyPublicKey::Ed448(key) = key {
            let octets = <[u8; 114]>::try_from(signature);
            let octets = octets.map_err(|_| ec::Error::Verification)?;
            return Ok(Verification::Ed448(VerifyEd448 {
                key: *key,
                message: message(file, bar)?,
                signature: Ed448Signature(octets),
            }));
        }
        let hash = self.scheme.hash_for_curve(key);
        Ok(Verification::Ecdsa(VerifyEcdsa {
            key: key.clone(),
            hash,
            digest: digest(file, hash, bar)?,
            signature,
        }))
    }
}

impl batch::FileTask for Verifying {
    const WHAT: &'static str = "verifying";
    const SIGNED: bool = true;
    const WRITES: bool = false;
    const FINISHERS: usize = 1;

    type Job = Verification;

    fn at_once(&self) -> usize {
        match &self.key {
            Verifier::Curve(key) => at_once(key.algorithm()),
            Verifier::Rsa(_) => batch::SLICE,
        }
    }

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Verification>> {
        let signature = signature_of(file);
        batch::regular(&signature)?;
        self.job_of(file, &signature, |_| bar.clone()).map(Some)
    }

    fn is_of_the_file(error: &engine::Error) -> bool {
        batch::is_of_the_file(error)
    }

    fn finish(&self, _: &Path, (): &()) -> Result<Fate> {
        Ok(Fate::Done)
    }
}
