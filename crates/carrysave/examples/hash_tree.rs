//! Hashes a file as a tree of Skein on every core.
//!
//! `cargo run --release -p carrysave --example hash_tree -- FILE`

use carrysave::{
    engine::Threads,
    symmetric::skein::{Parameters, Skein512, Tree},
};
use std::{env, error::Error, fs::File, os::unix::fs::FileExt, thread::available_parallelism};

fn main() -> Result<(), Box<dyn Error>> {
    let name = env::args()
        .nth(1)
        .unwrap_or_else(|| "Cargo.toml".to_owned());
    let file = File::open(&name)?;
    let team = Threads::new(available_parallelism()?.get())?;

    let mut hash = Skein512::new(&Parameters::new(32).tree(Tree::default()));
    // Members of the team read the parts that they hash, so that memory stays small.
    hash.update_from(&team, file.metadata()?.len(), &|at, part: &mut [u8]| {
        file.read_exact_at(part, at)
    })?;
    let mut digest = [0; 32];
    hash.finalize().read(&mut digest);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{digest}  {name}");
    Ok(())
}
