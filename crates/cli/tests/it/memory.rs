//! Memory stays constant however long the file is.

use crate::support::{Folder, PROGRAM, noise};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Feeds the program from `chunks` and, when it has read everything but the end, asks how much memory it had at most.
fn peak_kib(f: &Folder, arguments: &str, chunks: impl Iterator<Item = Vec<u8>>) -> u64 {
    let mut child = Command::new(PROGRAM)
        .args(arguments.split_whitespace())
        .current_dir(f.path("."))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for chunk in chunks {
        stdin.write_all(&chunk).unwrap();
    }
    // What a pipe holds is 64 KiB: all but that has been worked on.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success(), "{arguments}");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn file_within(len: usize, limit_kib: u64) {
    const CHUNK: usize = 1 << 20;
    let f = Folder::with_keys();
    let chunk = noise(CHUNK);
    let encrypting = peak_kib(
        &f,
        "encrypt --to a.pub - --out c",
        std::iter::repeat_n(chunk.clone(), len / CHUNK),
    );
    let mut message = fs::File::open(f.path("c")).unwrap();
    let chunks = std::iter::from_fn(|| {
        let mut chunk = Vec::new();
        (&mut message)
            .take(CHUNK as u64)
            .read_to_end(&mut chunk)
            .unwrap();
        (!chunk.is_empty()).then_some(chunk)
    });
    let decrypting = peak_kib(&f, "decrypt --key a.pem - --out d", chunks);
    let mut plain = fs::File::open(f.path("d")).unwrap();
    let mut read = vec![0; CHUNK];
    for _ in 0..len / CHUNK {
        plain.read_exact(&mut read).unwrap();
        assert!(read == chunk, "the plaintext is another one");
    }
    assert_eq!(plain.read(&mut read).unwrap(), 0);
    eprintln!(
        "{} MiB: {encrypting} KiB to encrypt, {decrypting} KiB to decrypt",
        len >> 20
    );
    assert!(
        encrypting.max(decrypting) < limit_kib,
        "{encrypting} and {decrypting} KiB, {limit_kib} are allowed"
    );
}

#[test]
fn sixty_four_mib_within_thirty_two() {
    file_within(64 << 20, 32 << 10);
}

#[test]
fn one_gib_within_sixty_four_mib() {
    if std::env::var_os("CARRYSAVE_SLOW").is_none() {
        eprintln!("SKIPPED: a file of 1 GiB; set CARRYSAVE_SLOW=1 to run it");
        return;
    }
    file_within(1 << 30, 64 << 10);
}
