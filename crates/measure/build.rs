//! Notes the compiler and the commit, for the head of every record.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
    let rustc = std::env::var("RUSTC").expect("cargo names the compiler");
    println!(
        "cargo::rustc-env=MEASURE_COMPILER={}",
        first_line(&rustc, &["--version"])
    );
    println!(
        "cargo::rustc-env=MEASURE_COMMIT={}",
        first_line("git", &["rev-parse", "--short=12", "HEAD"])
    );
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .filter(|o| o.status.success());
    let text = output
        .map(|o| String::from_utf8_lossy(&o.stdout).into_owned())
        .unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}
