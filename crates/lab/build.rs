//! Notes the rivals' versions, and how GMP was built, for the head of every record; and how this program is optimised.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=LAB_OPT_LEVEL={level}");
    println!("cargo::rustc-env=LAB_GMP_BUILD={}", gmp_build());
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let lock = std::fs::read_to_string("../../Cargo.lock").unwrap_or_default();
    for crate_name in [
        "rsa",
        "crypto-bigint",
        "num-bigint",
        "graviola",
        "ring",
        "aws-lc-sys",
        "gmp-mpfr-sys",
        "aes",
        "ark-ff",
        "blake3",
        "crrl",
        "curve25519-dalek",
        "fiat-crypto",
        "k256",
        "p256",
        "p384",
        "p521",
        "sha2",
        "skein",
        "threefish",
    ] {
        let variable = crate_name.to_uppercase().replace('-', "_");
        println!(
            "cargo::rustc-env=LAB_VERSION_{variable}={}",
            locked(&lock, crate_name)
        );
    }
}

/// Whether the GMP that was built picks its kernels when it runs, or for which processor `peers` had it built.
fn gmp_build() -> String {
    println!("cargo::rerun-if-env-changed=CARRYSAVE_GMP");
    let processor = std::env::var("CARRYSAVE_GMP").unwrap_or_default();
    let library = std::env::var("DEP_GMP_LIB_DIR")
        .ok()
        .and_then(|folder| std::fs::read(format!("{folder}/libgmp.a")).ok());
    match library {
        None => "not built here".to_owned(),
        // The table through which a fat build calls.
        Some(library) if library.windows(13).any(|bytes| bytes == b"__gmpn_cpuvec") => {
            "fat build".to_owned()
        }
        Some(_) => format!("built for {processor}"),
    }
}

/// The version that the lock file gives a crate, the newest where others want older ones.
fn locked<'a>(lock: &'a str, crate_name: &str) -> &'a str {
    let entry = format!("name = \"{crate_name}\"\nversion = \"");
    lock.rsplit_once(&entry)
        .and_then(|(_, rest)| rest.split('"').next())
        .unwrap_or("unknown")
}
