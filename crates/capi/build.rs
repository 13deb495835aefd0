//! Gives the library its name for the loader, whose number changes when programs have to be compiled anew, and keeps it
//! mapped once it is loaded: a thread of it may be asleep when it is unloaded.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcarrysave.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
