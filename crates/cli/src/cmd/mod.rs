//! The commands, one a file.

mod agree;
mod cipher;
mod completions;
mod decrypt;
mod demo;
mod encrypt;
mod hash;
mod hash_check;
mod inspect;
mod kernels;
mod keygen;
mod man;
mod plan;
pub mod sign;
pub mod tune;
pub mod verify;

use crate::exit::Result;

macro_rules! commands {
    ($($(#[$doc:meta])* $Name:ident = $module:ident;)*) => {
        /// What to do.
        #[derive(clap::Subcommand, Debug)]
        pub enum Command {
            $($(#[$doc])* $Name($module::Args),)*
        }

        impl Command {
            /// Does it.
            pub fn run(self, quiet: bool) -> Result<()> {
                match self {
                    $(Command::$Name(args) => $module::run(args, quiet),)*
                }
            }
        }
    };
}

commands! {
    /// See RSA at work: generate a key, encrypt, decrypt, sign and verify a file
    Demo = demo;
    /// Generate a key pair
    Keygen = keygen;
    /// Say what is in a key file or certificate, and what is wrong with it
    Inspect = inspect;
    /// Sign a file, or many
    Sign = sign;
    /// Verify the signature of a file, or those of many
    Verify = verify;
    /// Encrypt a file of any size for one or more public keys
    Encrypt = encrypt;
    /// Decrypt a file
    Decrypt = decrypt;
    /// Agree on a secret with the owner of another key (ECDH, X25519, X448)
    Agree = agree;
    /// Encrypt or decrypt a file with AES or Threefish in the modes ECB, CBC and CTR
    Cipher = cipher;
    /// Hash files with Skein, or check their hashes
    Hash = hash;
    /// List the arithmetic kernels and say which ones this processor runs
    Kernels = kernels;
    /// Print what is chosen for which size on this processor
    Plan = plan;
    /// Measure what is fastest on this machine, and write a plan
    Tune = tune;
    /// Print a completion script for a shell
    Completions = completions;
    /// Print the manual page, or write all of them into a folder
    Man = man;
}
