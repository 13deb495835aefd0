//! What the fuzzers and their seeds share.

use carrysave_schemes::rsa::PrivateKey;
use std::sync::LazyLock;

/// The key whose owner gets what they make.
pub static KEY: LazyLock<PrivateKey> = LazyLock::new(|| {
    PrivateKey::from_pkcs8_der(include_bytes!("../../crates/lab/data/rsa-1024.p8"))
        .expect("the lab's key")
});
