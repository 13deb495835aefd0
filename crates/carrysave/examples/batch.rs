//! Signs many messages at once with two keys: `cargo run --release -p carrysave --example batch`

use carrysave::{
    engine::Batch,
    hash::Hash,
    rsa::{PrivateKey, task::SignPkcs1v15},
};
use std::{error::Error, thread::available_parallelism, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let keys = [PrivateKey::generate(2048)?, PrivateKey::generate(2048)?];
    let tasks: Vec<SignPkcs1v15> = (0..64)
        .map(|i: usize| SignPkcs1v15 {
            key: keys[i % 2].clone(),
            hash: Hash::Sha256,
            digest: Hash::Sha256.digest(&i.to_le_bytes()),
        })
        .collect();

    let threads = available_parallelism()?.get();
    let start = Instant::now();
    let results = Batch::new(threads).run(&tasks);
    let seconds = start.elapsed().as_secs_f64();

    // Each task has a result of its own, at its place.
    for (i, result) in results.into_iter().enumerate() {
        let signature = result?;
        let digest = Hash::Sha256.digest(&i.to_le_bytes());
        let key = keys[i % 2].public();
        key.rsassa_pkcs1_v1_5_verify(Hash::Sha256, &digest, &signature)?;
    }
    println!(
        "{:.0} signatures a second on {threads} threads",
        64.0 / seconds
    );
    Ok(())
}
