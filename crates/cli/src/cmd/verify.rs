//! `carrysave verify`

use super::sign::{Padding, Scheme, digest};
use crate::exit::{Code, Failure, Result};
use crate::io;
use crate::key::{self, PasswordArgs};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "Ends with status 0 if the signature is good and 1 if it is not.")]
pub struct Args {
    /// The public key or certificate of the signer
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The signature
    #[arg(short, long, value_name = "FILE")]
    signature: PathBuf,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    password: PasswordArgs,
    /// What was signed; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    args.scheme.check()?;
    let Scheme {
        padding,
        hash,
        salt_len,
    } = args.scheme;
    let key = key::public(&args.key, &args.password)?;
    let signature = io::read_small(&args.signature, key::MAX)?;
    let (size, found) = (key.size(), signature.len());
    if found != size {
        let message =
            format!("a signature of this key has {size} bytes, and this file has {found}");
        return Err(Failure::bad_input(message).about(&args.signature));
    }
    let digest = digest(&args.file, hash, quiet)?;
    let verified = match padding {
        Padding::Pss => key.rsassa_pss_verify(hash, hash, salt_len, &digest, &signature),
        Padding::Pkcs1 => key.rsassa_pkcs1_v1_5_verify(hash, &digest, &signature),
    };
    match verified {
        Ok(()) if quiet => Ok(()),
        Ok(()) => io::print("the signature is good\n"),
        Err(e) => Err(Failure::new(Code::Failed, e.to_string())),
    }
}
