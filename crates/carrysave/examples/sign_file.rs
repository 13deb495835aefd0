//! Signs a file with a new RSA key, and verifies the signature.
//!
//! `cargo run --release -p carrysave --example sign_file -- FILE`

use carrysave::rsa::SigningKey;
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args()
        .nth(1)
        .unwrap_or_else(|| "Cargo.toml".to_owned());
    let key = SigningKey::generate(3072)?;
    let signature = key.sign(&fs::read(&file)?);
    println!("{file}: a signature of {} bytes", signature.as_ref().len());

    // Whoever has the public key can tell that the file is unchanged.
    let key = key.verifying_key();
    print!("{}", key.public_key().to_spki_pem());
    key.verify(&fs::read(&file)?, &signature)?;
    Ok(())
}
