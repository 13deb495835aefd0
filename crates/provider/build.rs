//! Keeps the module mapped once it is loaded: its worker thread may be asleep in it when OpenSSL unloads it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
