//! Signs many messages at once with two keys: `cargo run --release -p carrysave --example batch`

use carrysave::{
    engine::{Batch, Job, Output},
    hash::Hash,
    rsa::{KeygenOptions, PrivateKey},
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
    let jobs: Vec<Job> = (0..64)
        .map(|i: usize| Job::SignPkcs1v15 {
            key: keys[i % 2].clone(),
            hash: Hash::Sha256,
            digest: Hash::Sha256.digest(&i.to_le_bytes()),
        })
        .collect();

    let threads = available_parallelism()?;
    let start = Instant::now();
    let results = Batch::new(threads).run(|| UnwrapErr(SysRng), &jobs);
    let seconds = start.elapsed().as_secs_f64();

    // Each job has a result of its own, at its place.
    for (i, result) in results.into_iter().enumerate() {
        let Output::Bytes(signature) = result? else {
            unreachable!("a signature is bytes")
        };
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
