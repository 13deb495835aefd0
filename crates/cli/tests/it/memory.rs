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
    kib(&status).unwrap()
}

/// The most memory that a process ever had, unless it has ended.
fn kib(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1).unwrap().parse().unwrap())
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

/// 80 MB of lines, each of which is a line of a few files.
#[test]
fn a_list_of_hashes_is_not_held() {
    let f = Folder::new();
    f.write("a", b"a");
    let hash = f.run("hash a").ok();
    let hash = std::str::from_utf8(&hash[..128]).unwrap();
    let line = format!("{hash}  {}a\n", "./".repeat(1990));
    let lines = std::iter::repeat_n(line.repeat(200).into_bytes(), 100);
    let peak = peak_kib(&f, "hash --check --quiet -", lines);
    eprintln!("80 MB of lines: {peak} KiB to check");
    assert!(peak < 32 << 10, "{peak} KiB");
}

#[test]
fn a_batch_holds_no_file() {
    let f = Folder::with_keys();
    fs::create_dir(f.path("d")).unwrap();
    for i in 0..4 {
        // Without blocks on the disk, and as long to read.
        let file = fs::File::create(f.path(&format!("d/{i}"))).unwrap();
        file.set_len(128 << 20).unwrap();
    }
    let mut child = Command::new(PROGRAM)
        .args("sign --key a.pem --threads 4 --batch d".split(' '))
        .current_dir(f.path("."))
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        peak = kib(&status).unwrap_or(peak);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    eprintln!("4 files of 128 MiB: {peak} KiB to sign");
    assert!(0 < peak && peak < 32 << 10, "{peak} KiB");
}
