//! The walk catches every kernel that is wrong on purpose.

use carrysave_proof::{
    config::Config,
    contract::{Arena, Subject, walk, watch},
    guard::Fence,
    saboteur::{HIDDEN, Saboteur, VISIBLE},
};
use std::{
    env,
    os::unix::process::ExitStatusExt,
    process::{self, Command},
};

/// The walk of one saboteur: what it found and after how many calls.
fn verdict(saboteur: &Saboteur, fence: Fence, seed: u64) -> (Result<(), String>, usize) {
    let call = |x: &_| saboteur.run(x);
    let mut subjects = [Subject::new(
        format!("{} that {}", saboteur.op, saboteur.fault),
        &call,
    )];
    let result = walk(
        saboteur.op(),
        &mut subjects,
        &mut Arena::new(fence),
        seed,
        1,
    );
    (result, subjects[0].calls)
}

#[test]
fn every_saboteur_is_caught() {
    let seed = Config::from_env().seed;
    assert!(VISIBLE.len() >= 30);
    let mut missed = Vec::new();
    for saboteur in VISIBLE {
        let (result, calls) = verdict(saboteur, Fence::Memory, seed);
        println!(
            "seed {seed}, call {calls:>6}: {} {}",
            saboteur.op, saboteur.fault
        );
        if result.is_ok() {
            missed.push(format!("{} {}", saboteur.op, saboteur.fault));
        }
    }
    assert!(
        missed.is_empty(),
        "not caught with seed {seed}: {missed:#?}"
    );
}

/// Runs itself again for each of them, because a caught one ends its process.
#[test]
fn accesses_out_of_bounds_end_the_process() {
    const CHOICE: &str = "CARRYSAVE_SABOTEUR";
    let seed = Config::from_env().seed;
    if let Ok(choice) = env::var(CHOICE) {
        watch::install();
        let saboteur = HIDDEN
            .iter()
            .find(|saboteur| saboteur.fault == choice)
            .expect("a known fault");
        let _ = verdict(saboteur, Fence::Page, seed);
        process::exit(0);
    }
    for saboteur in HIDDEN {
        assert!(
            verdict(saboteur, Fence::Memory, seed).0.is_ok(),
            "{} shows without a guard page",
            saboteur.fault
        );
        let child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "accesses_out_of_bounds_end_the_process",
            ])
            .env(CHOICE, saboteur.fault)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stderr);
        assert_eq!(
            child.status.signal(),
            Some(11),
            "{} {}: not caught\n{said}",
            saboteur.op,
            saboteur.fault
        );
        assert!(
            said.contains("touched memory out of bounds") && said.contains("to repeat: "),
            "{said}"
        );
    }
}
