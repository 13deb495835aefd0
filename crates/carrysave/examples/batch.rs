//! Signs many messages at once with two keys: `cargo run --release -p carrysave --example batch`

use carrysave::{
    engine::Batch,
    hash::Hash,
    rsa::{KeygenOptions, PrivateKey, task::SignPkcs1v15},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::{error::Error, thread::available_parallelism, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let new = || {
        PrivateKey::generate(
            || UnwrapErr(SysRng),
            2048,
            &KeygenOptions::default(),
            &|_| (),
        )
    };
    let keys = [new()?, new()?];
    let tasks: Vec<SignPkcs1v15> = (0..64)
        .map(|i: usize| SignPkcs1v15 {
            key: keys[i % 2].clone(),
            hash: Hash::Sha256,
            digest: Hash::Sha256.digest(&i.to_le_bytes()),
        })
        .collect();

    let threads = available_parallelism()?;
    let start = Instant::now();
    let results = Batch::new(threads).run(|| UnwrapErr(SysRng), &tasks);
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
