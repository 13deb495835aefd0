//! Signs a file with a new RSA key, and verifies the signature.
//!
//! `cargo run --release -p carrysave --example sign_file -- FILE`

use carrysave::{
    hash::Hash,
    rsa::{KeygenOptions, PrivateKey},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args()
        .nth(1)
        .unwrap_or_else(|| "Cargo.toml".to_owned());
    let key = PrivateKey::generate(
        || UnwrapErr(SysRng),
        3072,
        &KeygenOptions::default(),
        &|_| (),
    )?;

    let hash = Hash::Sha256;
    let digest = hash.digest(&fs::read(&file)?);
    let signature = key.rsassa_pss_sign(&mut UnwrapErr(SysRng), hash, hash, 32, &digest)?;
    println!("{file}: a signature of {} bytes", signature.len());

    // Whoever has the public key can tell that the file is unchanged.
    print!("{}", key.public().to_spki_pem());
    key.public()
        .rsassa_pss_verify(hash, hash, Some(32), &digest, &signature)?;
    Ok(())
}
