//! The header is what cbindgen makes of the sources. To renew it: `CARRYSAVE_RENEW=1 cargo test -p carrysave-capi --test
//! header`.

use std::path::Path;
use std::{env, fs};

/// In the order of the header.
const SOURCES: [&str; 15] = [
    "error",
    "about",
    "threads",
    "numbers/mod",
    "numbers/power",
    "numbers/prime",
    "keys",
    "hashes",
    "jobs",
    "schemes",
    "service",
    "field",
    "aes",
    "threefish",
    "skein",
];

#[test]
fn header_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let mut builder = cbindgen::Builder::new().with_config(config);
    // cbindgen follows the modules of `numbers` by itself.
    let roots = SOURCES.into_iter();
    for source in roots.filter(|source| !source.starts_with("numbers/") || source.ends_with("/mod"))
    {
        builder = builder.with_src(root.join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let made = made.replace("@VERSION@", version);
    let at = root.join("include/carrysave.h");
    if env::var_os("CARRYSAVE_RENEW").is_some() {
        fs::write(&at, &made).unwrap();
    }
    let kept = fs::read_to_string(&at).unwrap();
    assert!(
        kept == made,
        "include/carrysave.h is not that of the sources: CARRYSAVE_RENEW=1 cargo test -p carrysave-capi --test header"
    );
}

/// Every function that the sources export is in the header, and says what threads may do.
#[test]
fn every_entry_is_declared() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(root.join("include/carrysave.h")).unwrap();
    let mut entries = 0;
    for source in SOURCES {
        let text = fs::read_to_string(root.join(format!("src/{source}.rs"))).unwrap();
        let parts: Vec<&str> = text.split("extern \"C\" fn ").collect();
        for around in parts.windows(2) {
            let name = around[1].split('(').next().unwrap();
            let above = around[0].lines().rev().nth(2);
            let threads = above.is_some_and(|line| line.starts_with("/// Threads: "));
            assert!(threads, "{name} does not end with a line on threads");
            // Its declaration begins with its type, and a description may name it.
            let names = [format!(" {name}("), format!("*{name}(")];
            let declared = |line: &&str| {
                !line.starts_with("//") && names.iter().any(|name| line.contains(&name[..]))
            };
            assert_eq!(header.lines().filter(declared).count(), 1, "{name}");
            entries += 1;
        }
    }
    assert!(entries > 60, "{entries} entries");
}
