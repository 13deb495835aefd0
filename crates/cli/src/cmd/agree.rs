//! `carrysave agree`

use crate::exit::{Failure, Result};
use crate::io::{self, Access};
use crate::key::{self, PasswordArgs};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Both owners get the same secret, each from the own private and the other's public key: by \
    ECDH the x-coordinate of a point, by X25519 and X448 a u-coordinate, as openssl pkeyutl -derive \
    gives it. It is not uniform: use what a key derivation function makes of it. Neither side \
    is authenticated.")]
pub struct Args {
    /// The own private key; - for standard input
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The other's public key, of the same curve; - for standard input
    #[arg(short, long, value_name = "FILE")]
    peer: PathBuf,
    /// Where the shared secret goes, for its owner alone; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    password: PasswordArgs,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    io::refuse_terminal(&args.out, "the shared secret")?;
    let peer = key::public_of_curve(&args.peer)?;
    let own = key::private_of_curve(&args.key, &args.password)?;
    let secret = own
        .agree(&peer)
        .map_err(|e| Failure::from(e).about(&args.peer))?;
    io::write(&args.out, Access::Private, &secret)
}
