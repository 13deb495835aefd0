//! Readers of key files, in which all octets of private numbers are secret but the first two, as their length is public.

use crate::hidden::{algorithms, hide};
use carrysave_arith::Nat;
use carrysave_schemes::{
    dl,
    ec::AnyPrivateKey,
    rsa::{KeygenOptions, PrivateKey},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::hint::black_box;

/// Keys of every curve, as PKCS #8 and as SEC 1.
pub fn curves() {
    for algorithm in algorithms() {
        let key = AnyPrivateKey::generate_with(algorithm, &mut UnwrapErr(SysRng));
        let (octets, pkcs8) = (key.to_octets(), key.to_pkcs8_der());
        hide(&pkcs8, &[&octets]);
        let read = AnyPrivateKey::from_pkcs8_der(&pkcs8).expect("a key");
        black_box(read.to_octets());
        black_box(AnyPrivateKey::from_any(&pkcs8, None).expect("a key"));
        if let Some(sec1) = key.to_sec1_der() {
            hide(&sec1, &[&octets]);
            black_box(AnyPrivateKey::from_any(&sec1, None).expect("a key"));
        }
    }
}

/// Keys of RSA with two and three primes, as PKCS #1 and as PKCS #8.
pub fn rsa() {
    for primes in [2, 3] {
        let options = KeygenOptions {
            allow_small: true,
            allow_many_primes: true,
            primes,
            ..KeygenOptions::default()
        };
        let key = PrivateKey::generate_with(|| UnwrapErr(SysRng), 1024, &options, &|_| ());
        let key = key.expect("a key");
        let files = [key.to_pkcs1_der(), key.to_pkcs8_der()];
        let parts = key.crt().flat_map(|(d, t)| [d, t]);
        // The coefficient of a first prime is 1, and in no file.
        let parts = parts.filter(|part| part.bits_vartime() > 1);
        let parts = key.primes().chain([key.d()]).chain(parts);
        let parts: Vec<_> = parts.map(Nat::to_be_bytes_vartime).collect();
        files.iter().for_each(|file| hide(file, &parts));
        let read = PrivateKey::from_pkcs1_der(&files[0]).expect("a key");
        read.validate().expect("a good key");
        black_box(PrivateKey::from_pkcs8_der(&files[1]).expect("a key"));
        black_box(PrivateKey::from_any(&files[1], None).expect("a key"));
    }
}

/// Keys of Diffie-Hellman and DSA.
pub fn dl(group: &dl::Group) {
    for form in [dl::Form::Dsa, dl::Form::X942] {
        let key = dl::PrivateKey::generate_with(group, &mut UnwrapErr(SysRng));
        let file = key.to_pkcs8_der(form).expect("a form for this group");
        hide(&file, &[key.to_be_bytes()]);
        black_box(dl::PrivateKey::from_pkcs8_der(&file).expect("a key"));
        black_box(dl::PrivateKey::from_any(&file, None).expect("a key"));
    }
}
