//! `carrysave sign`

use crate::batch::{self, BatchArgs, Fate, FileTask, signature_of};
use crate::exit::{Failure, Result, say};
use crate::io::{self, Access, Input};
use crate::key::{self, PasswordArgs, Signer};
use crate::signature::{self, Form, Wrapping};
use crate::{progress, weak_moduli};
use carrysave::ec::ed448::task::SignEd448;
use carrysave::ec::ed25519::task::SignEd25519;
use carrysave::ec::task::SignEcdsa;
use carrysave::ec::{Algorithm, AnyPrivateKey, AnyPublicKey};
use carrysave::engine::{self, jobs};
use carrysave::hash::Hash;
use carrysave::rsa::task::{SignPkcs1v15, SignPss};
use carrysave::rsa::{PssParameters, PublicKey, Purpose};
use carrysave::sshsig::{self, SshSignature};
use indicatif::ProgressBar;
use std::fs;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "\
carrysave sign [OPTIONS] --key <FILE> [--out <FILE>] [FILE]
       carrysave sign [OPTIONS] --key <FILE> --batch <PATH>...",
    after_help = "\
    Writes the signature alone, or with --base64 as text. It goes to FILE.sig unless --out says \
    where. With an RSA key it has as many bytes as the key; PSS with a salt as long as the digest \
    is the default. With a key of a NIST curve, secp256k1 or a Brainpool curve it is ECDSA's, as \
    DER, with the nonce of RFC 6979. With an Ed25519 key it has 64 bytes, with an Ed448 key 114, and \
    each file is read into memory.\n\n\
    With --format sshsig it is OpenSSH's, as text, and ssh-keygen -Y verify reads it: with an RSA key \
    by PKCS #1 v1.5 with SHA-512.\n\n\
    With --batch, the signature of each FILE goes to FILE.sig. A folder stands for the files in it, \
    without hidden ones, signatures (*.sig) and, but with --recursive, what is in its folders. What \
    is named twice is signed once. A file that fails does not stop the others. After an \
    interruption, the same command with --keep does the rest."
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
    #[command(flatten)]
    wrapping: Wrapping,
    /// Write the signature as base64, in lines of 64 letters
    #[arg(long, conflicts_with = "format")]
    base64: bool,
    /// Write a signature of ECDSA as r and s one after the other (IEEE P1363), as JSON Web Signatures have it
    #[arg(long, conflicts_with = "format")]
    p1363: bool,
    /// Replace a signature FILE.sig that is there already
    #[arg(long)]
    force: bool,
    /// Keep signatures FILE.sig that are there already, and sign the other files
    #[arg(long, conflicts_with = "force")]
    keep: bool,
    /// What to sign; - for standard input
    #[arg(default_value = "-", conflicts_with = "batch")]
    file: PathBuf,
    /// Where the signature goes; - for standard output [default: FILE.sig]
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with_all = ["BatchArgs", "force", "keep"]
    )]
    out: Option<PathBuf>,
}

/// The parameters of a signature.
#[derive(clap::Args, Debug)]
pub struct Scheme {
    /// The padding of RSA [default: pss]
    #[arg(short, long, value_enum)]
    pub padding: Option<Padding>,
    /// The hash of the file [default: what the key is for, else sha256; with ECDSA that of the curve's strength]
    #[arg(long)]
    pub hash: Option<Hash>,
    /// The hash of the mask generation function of PSS [default: what the key is for, else that of the file]
    #[arg(long, value_name = "HASH")]
    pub mgf_hash: Option<Hash>,
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
    /// The padding of RSA.
    pub fn padding(&self) -> Padding {
        self.padding.unwrap_or(Padding::Pss)
    }

    /// Refuses options that are not for keys of curves.
    pub fn check_for_curve(&self, key: &AnyPublicKey) -> Result<()> {
        if self.padding.is_some() || self.mgf_hash.is_some() || self.salt_len.is_some() {
            return Err(Failure::usage(format!(
                "a signature with a key of {} has no padding: leave --padding, --mgf-hash and --salt-len out",
                key.algorithm()
            )));
        }
        let own = match key {
            AnyPublicKey::Ed25519(_) => "SHA-512",
            AnyPublicKey::Ed448(_) => "SHAKE256",
            _ => return Ok(()),
        };
        if self.hash.is_some() {
            let name = key.algorithm();
            let message = format!("{name} hashes by itself, with {own}: leave --hash out");
            return Err(Failure::usage(message));
        }
        Ok(())
    }

    /// Refuses options that signatures of OpenSSH do not have, and keys that it does not have.
    pub fn check_for_openssh(&self, has_such_keys: bool) -> Result<()> {
        let refused = if self.padding.is_some()
            || self.mgf_hash.is_some()
            || self.salt_len.is_some()
        {
            "OpenSSH's signatures with an RSA key are of PKCS #1 v1.5: leave --padding, --mgf-hash and --salt-len out"
        } else if !matches!(self.hash, None | Some(Hash::Sha256 | Hash::Sha512)) {
            "OpenSSH hashes files with sha256 or sha512: use one of these, or leave --hash out"
        } else if !has_such_keys {
            "OpenSSH has keys of RSA, p-256, p-384, p-521 and ed25519: use one of these, or leave --format out"
        } else {
            return Ok(());
        };
        Err(Failure::usage(refused))
    }

    /// The hash of a file that is signed with a key of a curve.
    pub fn hash_for_curve(&self, key: &AnyPublicKey) -> Hash {
        self.hash.unwrap_or(key.algorithm().hash())
    }

    /// Refuses conflicting options.
    pub fn check(&self) -> Result<()> {
        if self.padding() == Padding::Pkcs1 && self.salt_len.is_some() {
            let message = "--padding pkcs1 has no salt: leave --salt-len out";
            return Err(Failure::usage(message));
        }
        if self.padding() == Padding::Pkcs1 && self.mgf_hash.is_some() {
            let message = "--padding pkcs1 has no mask generation function: leave --mgf-hash out";
            return Err(Failure::usage(message));
        }
        Ok(())
    }

    /// The hash of the file.
    pub fn hash(&self, key: &PublicKey) -> Hash {
        let own = pss_of(key).map_or(Hash::Sha256, |own| own.hash);
        self.hash.unwrap_or(own)
    }

    /// The hash of the mask generation function.
    pub fn mgf(&self, key: &PublicKey) -> Hash {
        let own = pss_of(key).map(|own| own.mgf);
        self.mgf_hash.or(own).unwrap_or(self.hash(key))
    }

    /// The length of the salt of a new signature.
    fn salt_len(&self, key: &PublicKey) -> usize {
        let least = pss_of(key).map_or(0, |own| own.min_salt_len);
        self.salt_len.unwrap_or(self.hash(key).len().max(least))
    }
}

/// The parameters that a key's file requires of its signatures, if any.
fn pss_of(key: &PublicKey) -> Option<PssParameters> {
    match key.purpose() {
        Purpose::Pss(own) => own,
        Purpose::Any => None,
    }
}

/// Signs.
pub fn run(args: Args, quiet: bool) -> Result<()> {
    args.scheme.check()?;
    if let Some(out) = &args.out {
        if !args.base64 && args.wrapping.format.is_none() {
            io::refuse_terminal(out, "a signature")?;
        }
        if io::same_file(out, &args.file) {
            let message =
                "the signature would take the place of what is signed: give it another name";
            return Err(Failure::usage(message).about(out));
        }
    }
    let one = args.batch.is_one()?;
    if one && args.out.is_none() && io::is_std(&args.file) {
        let message = "standard input has no name for a signature beside it: give --out";
        return Err(Failure::usage(message));
    }
    let key = key::signer(&args.key, &args.password)?;
    match &key {
        Signer::Rsa(key) => weak_moduli::refuse_small(key.public(), &args.key, args.small)?,
        Signer::Curve(key) => {
            if args.wrapping.format.is_none() {
                args.scheme.check_for_curve(&key.public())?;
            }
            if args.small {
                let message = "--small is for RSA keys: leave it out";
                return Err(Failure::usage(message));
            }
        }
    }
    if args.p1363 && !matches!(form_of(&key), Form::Ecdsa(_)) {
        let message = "only ECDSA has signatures of two numbers: leave --p1363 out";
        return Err(Failure::usage(message));
    }
    let namespace = args.wrapping.namespace()?;
    if namespace.is_some() {
        args.scheme.check_for_openssh(blob_of(&key).is_some())?;
    }
    let existing = match (args.force, args.keep) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Keep,
        _ => Existing::Refuse,
    };
    let signing = Signing {
        key,
        scheme: args.scheme,
        base64: args.base64,
        p1363: args.p1363,
        namespace,
        existing,
    };
    if !one {
        return batch::run(&args.batch, &signing, quiet).map(drop);
    }
    let bar = |len| progress::bar("hashing", len, quiet);
    let Some(out) = args.out else {
        return signing.beside(&args.file, args.batch.threads, bar, quiet);
    };
    let answer = batch::one(&signing.job_of(&args.file, bar)?, args.batch.threads)?;
    io::write(&out, Access::Umask, &signing.written(&answer))
}

/// The treatment of a file of a batch that has a signature already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It fails.
    Refuse,
    /// It keeps its signature.
    Keep,
    /// It gets a new one.
    Replace,
}

jobs! {
    /// The signature of one file.
    pub enum Signature -> Result<Vec<u8>, engine::Error> {
        /// RSASSA-PSS.
        Pss(SignPss),
        /// RSASSA-PKCS1-v1_5.
        Pkcs1v15(SignPkcs1v15),
        /// ECDSA.
        Ecdsa(SignEcdsa),
        /// Ed25519.
        Ed25519(SignEd25519),
        /// Ed448.
        Ed448(SignEd448),
    }
}

/// The form of a key's signatures.
fn form_of(key: &Signer) -> Form {
    match key {
        Signer::Rsa(key) => Form::Bytes(key.public().size()),
        Signer::Curve(key) => form_of_curve(key.public()),
    }
}

/// The form of the signatures with a key of a curve.
pub fn form_of_curve(key: AnyPublicKey) -> Form {
    match key {
        AnyPublicKey::Ed25519(_) => Form::Bytes(64),
        AnyPublicKey::Ed448(_) => Form::Bytes(114),
        key => Form::Ecdsa(Box::new(key)),
    }
}

/// Signs files, each into a file beside it.
pub struct Signing {
    /// The signer's key.
    pub key: Signer,
    /// The parameters.
    pub scheme: Scheme,
    /// Whether signatures are written as text.
    pub base64: bool,
    /// Whether signatures of ECDSA are written as two numbers.
    pub p1363: bool,
    /// What signatures are for, if they are written as OpenSSH's.
    pub namespace: Option<String>,
    /// The treatment of files that have a signature.
    pub existing: Existing,
}

impl Signing {
    fn job_of(
        &self,
        file: &Path,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Signature> {
        let scheme = &self.scheme;
        if let Some(namespace) = &self.namespace {
            let hash = openssh_hash(scheme);
            let digest = digest(file, hash, bar)?;
            return Ok(self.of_message(sshsig::message(namespace, hash, &digest)));
        }
        let key = match &self.key {
            Signer::Rsa(key) => key.clone(),
            Signer::Curve(key) => {
                if let AnyPrivateKey::Ed25519(key) = &**key {
                    let (key, message) = (key.clone(), message(file, bar)?);
                    return Ok(Signature::Ed25519(SignEd25519 { key, message }));
                }
                if let AnyPrivateKey::Ed448(key) = &**key {
                    let (key, message) = (key.clone(), message(file, bar)?);
                    return Ok(Signature::Ed448(SignEd448 { key, message }));
                }
                let hash = scheme.hash_for_curve(&key.public());
                let (key, digest) = (key.clone(), digest(file, hash, bar)?);
                return Ok(Signature::Ecdsa(SignEcdsa { key, hash, digest }));
            }
        };
        let hash = scheme.hash(key.public());
        let digest = digest(file, hash, bar)?;
        Ok(match scheme.padding() {
            Padding::Pss => Signature::Pss(SignPss {
                hash,
                mgf: scheme.mgf(key.public()),
                salt_len: scheme.salt_len(key.public()),
                digest,
                key,
            }),
            Padding::Pkcs1 => Signature::Pkcs1v15(SignPkcs1v15 { key, hash, digest }),
        })
    }
}

/// The hash of an RSA key's signatures of OpenSSH, and what these are called.
const OPENSSH_RSA: (Hash, &str) = (Hash::Sha512, "rsa-sha2-512");

/// The hash of a file that is signed as OpenSSH does.
fn openssh_hash(scheme: &Scheme) -> Hash {
    scheme.hash.unwrap_or(Hash::Sha512)
}

/// A key as OpenSSH has it, if it has such keys.
fn blob_of(key: &Signer) -> Option<Vec<u8>> {
    match key {
        Signer::Rsa(key) => Some(key.public().to_openssh_blob()),
        Signer::Curve(key) => key.public().to_openssh_blob(),
    }
}

impl Signing {
    /// The signature of a message of OpenSSH.
    fn of_message(&self, message: Vec<u8>) -> Signature {
        match &self.key {
            Signer::Rsa(key) => {
                let (key, (hash, _)) = (key.clone(), OPENSSH_RSA);
                let digest = hash.digest(&message);
                Signature::Pkcs1v15(SignPkcs1v15 { key, hash, digest })
            }
            Signer::Curve(key) => {
                if let AnyPrivateKey::Ed25519(key) = &**key {
                    let key = key.clone();
                    return Signature::Ed25519(SignEd25519 { key, message });
                }
                let (key, hash) = (key.clone(), key.algorithm().hash());
                let digest = hash.digest(&message);
                Signature::Ecdsa(SignEcdsa { key, hash, digest })
            }
        }
    }

    /// The text of a signature of OpenSSH.
    fn openssh(&self, namespace: &str, signature: &[u8]) -> String {
        let (kind, signature) = match &self.key {
            Signer::Rsa(_) => (OPENSSH_RSA.1, signature.to_vec()),
            Signer::Curve(key) => {
                let kind = key.algorithm().openssh_kind().expect("it was checked");
                let signature = key.public().signature_to_openssh(signature);
                (kind, signature.expect("it was made as DER"))
            }
        };
        let signature = SshSignature {
            key: blob_of(&self.key).expect("it was checked"),
            namespace: namespace.to_owned(),
            hash: openssh_hash(&self.scheme),
            kind: kind.to_owned(),
            signature,
        };
        signature.to_pem()
    }

    /// The bytes of the signature file.
    fn written(&self, signature: &[u8]) -> Vec<u8> {
        if let Some(namespace) = &self.namespace {
            return self.openssh(namespace, signature).into_bytes();
        }
        let numbers = match &self.key {
            Signer::Curve(key) if self.p1363 => {
                let numbers = key.public().signature_from_der(signature);
                Some(numbers.expect("it was made as DER"))
            }
            _ => None,
        };
        let signature = numbers.as_deref().unwrap_or(signature);
        match self.base64 {
            true => signature::to_base64(signature),
            false => signature.to_vec(),
        }
    }

    /// Signs one file, like a batch of one, and prints the path of its signature.
    fn beside(
        &self,
        file: &Path,
        threads: Option<usize>,
        bar: impl FnOnce(Option<u64>) -> ProgressBar,
        quiet: bool,
    ) -> Result<()> {
        let signature = signature_of(file);
        let what = match self.there(&signature)? {
            Some(Fate::Kept) => "signature, which was kept",
            _ => {
                self.finish(file, &batch::one(&self.job_of(file, bar)?, threads)?)?;
                io::sync_folders(std::iter::once(&*signature))?;
                "signature"
            }
        };
        if !quiet {
            say(format_args!("{what}: {}", signature.display()));
        }
        Ok(())
    }

    /// The outcome of a file with an existing signature, if it has one.
    fn there(&self, signature: &Path) -> Result<Option<Fate>> {
        batch::regular(signature)?;
        if self.existing == Existing::Replace || !io::is_there(signature) {
            return Ok(None);
        }
        self.is_there(signature).map(Some)
    }

    /// The outcome of a file whose existing signature is not replaced. It may be of another file or scheme: only
    /// `verify` can tell.
    fn is_there(&self, signature: &Path) -> Result<Fate> {
        if self.existing == Existing::Keep {
            let found = fs::metadata(signature).is_ok_and(|found| found.is_file());
            let message = match (&self.namespace, blob_of(&self.key)) {
                (Some(namespace), Some(key)) => {
                    if found && signature::read_openssh(signature, &key, namespace).is_ok() {
                        return Ok(Fate::Kept);
                    }
                    format!(
                        "this is no signature of OpenSSH by this key for \"{namespace}\": use --force to replace it"
                    )
                }
                _ => {
                    if found && signature::read(signature, &form_of(&self.key)).is_ok() {
                        return Ok(Fate::Kept);
                    }
                    format!(
                        "this is no signature of this key, which is {} or base64 of that: use --force to replace it",
                        form_of(&self.key).describe()
                    )
                }
            };
            return Err(Failure::bad_input(message).about(signature));
        }
        let message = "there is a signature already: use --force to replace it, or --keep";
        Err(Failure::usage(message).about(signature))
    }
}

impl batch::FileTask for Signing {
    const WHAT: &'static str = "signing";
    const SIGNED: bool = false;
    const WRITES: bool = true;
    // Storage writes the signatures of several threads together, ten times as fast as one after the other, and the
    // threads mostly wait for it.
    const FINISHERS: usize = 64;

    type Job = Signature;

    fn at_once(&self) -> usize {
        match &self.key {
            Signer::Curve(key) => at_once(key.algorithm()),
            Signer::Rsa(_) => batch::SLICE,
        }
    }

    fn keeps(&self) -> bool {
        self.existing == Existing::Keep
    }

    fn job(&self, file: &Path, bar: &ProgressBar) -> Result<Option<Signature>> {
        match self.there(&signature_of(file))? {
            Some(_) => Ok(None),
            None => self.job_of(file, |_| bar.clone()).map(Some),
        }
    }

    fn is_of_the_file(error: &engine::Error) -> bool {
        batch::is_of_the_file(error)
    }

    fn finish(&self, file: &Path, answer: &Vec<u8>) -> Result<Fate> {
        let (signature, bytes) = (signature_of(file), self.written(answer));
        let replace = self.existing == Existing::Replace;
        if !io::write_one(&signature, Access::Umask, &bytes, replace)? {
            // It did not exist when the file was hashed.
            return self.is_there(&signature);
        }
        Ok(Fate::Done)
    }
}

/// How many files of a batch are prepared at a time for keys of a curve: whole files for Ed25519 and Ed448, and else digests.
pub fn at_once(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Ed25519 | Algorithm::Ed448 => 8,
        _ => batch::SLICE,
    }
}

/// A whole file, which is read while the progress bar advances.
pub fn message(path: &Path, bar: impl FnOnce(Option<u64>) -> ProgressBar) -> Result<Vec<u8>> {
    let input = Input::open(path)?;
    let bar = bar(input.len);
    let mut message = Vec::new();
    std::io::copy(&mut progress::reading(&bar, input), &mut message)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    Ok(message)
}

/// The digest of a file, which is streamed while the progress bar advances.
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
