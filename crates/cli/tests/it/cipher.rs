//! `carrysave cipher`: every cipher and mode there and back, against `openssl`, and what goes wrong.

use crate::support::{Folder, noise};
use std::{fs, process::Command};

const CIPHERS: [(&str, usize); 6] = [
    ("aes-128", 16),
    ("aes-192", 24),
    ("aes-256", 32),
    ("threefish-256", 32),
    ("threefish-512", 64),
    ("threefish-1024", 128),
];

const WARNING: &str = "does not notice a change of the ciphertext";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_cipher_and_mode_there_and_back() {
    let f = Folder::new();
    for (cipher, key) in CIPHERS {
        f.write("key", noise(key));
        f.write("digits", format!("{}\n", hex(&noise(key))));
        for mode in ["ecb", "cbc", "ctr", "sectors"] {
            if mode == "sectors" && cipher.starts_with("aes") {
                let options = format!("cipher -a {cipher} -m {mode} -k key key --out c");
                f.run(&options).fails(2);
                continue;
            }
            for len in [0, 1, 15, 16, 128, 1000, 65_536] {
                let data = noise(len);
                f.write("file", &data);
                let run = f.run(&format!(
                    "cipher -a {cipher} -m {mode} --key-file key file --out c"
                ));
                assert!(run.err.contains(WARNING), "{}", run.err);
                assert_eq!(run.err.lines().count(), 1);
                run.ok();
                let overhead = f.read("c").len() - len;
                assert!(
                    (64..64 + 128 + 129).contains(&overhead),
                    "{cipher} {mode}: {overhead}"
                );
                f.run("cipher --decrypt -k digits c --out d").ok();
                assert_eq!(f.read("d"), data, "{cipher} {mode}, {len} bytes");
                let piped = f.run_with(
                    &format!("cipher -a {cipher} -m {mode} -k digits --out -"),
                    &data,
                );
                let back = f.run_with("cipher -d -k key --out -", &piped.ok());
                assert_eq!(back.ok(), data, "{cipher} {mode}, {len} bytes in a pipe");
            }
        }
    }
}

/// Pieces that end where the file does, or nearly, in pipes and for several threads.
#[test]
fn pieces() {
    const PIECE: usize = 1 << 18;
    let f = Folder::new();
    f.write("key", noise(32));
    for cipher in ["aes-256", "threefish-256"] {
        for mode in ["ecb", "cbc", "ctr", "sectors"] {
            if mode == "sectors" && cipher == "aes-256" {
                continue;
            }
            let iv = match mode {
                "ecb" => String::new(),
                "sectors" => format!("--iv {}", hex(&noise(16))),
                _ => format!(
                    "--iv {}",
                    hex(&noise(if cipher == "aes-256" { 16 } else { 32 }))
                ),
            };
            for len in [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 64] {
                let data = noise(len);
                f.write("file", &data);
                let seal = |threads| {
                    format!("cipher -a {cipher} -m {mode} -k key {iv} --threads {threads}")
                };
                let one = f.run(&format!("{} file --raw --out -", seal(1)));
                let one = one.ok();
                for threads in [2, 5] {
                    let many = f.run_with(&format!("{} --raw --out -", seal(threads)), &data);
                    assert!(
                        many.ok() == one,
                        "{cipher} {mode}, {len} bytes, {threads} threads"
                    );
                    let sealed = f
                        .run_with(&format!("{} --out -", seal(threads)), &data)
                        .ok();
                    let open = format!("cipher -d -k key --threads {threads} --out -");
                    let back = f.run_with(&open, &sealed).ok();
                    assert!(
                        back == data,
                        "{cipher} {mode}, {len} bytes, {threads} threads"
                    );
                    let run = f.run_with(&open, &sealed[..sealed.len() - 1]);
                    assert!(mode == "ctr" || run.code == Some(3), "{}", run.err);
                }
            }
        }
    }
}

/// Longer than what is read at a time, and shared by threads.
#[test]
fn long_files() {
    let f = Folder::new();
    f.write("key", noise(64));
    f.write("iv", noise(64));
    // Whole pieces, and a bit more.
    for len in [1 << 22, (1 << 23) + 77] {
        let data = noise(len);
        f.write("file", &data);
        let iv = hex(&noise(64));
        for (mode, iv) in [
            ("ecb", ""),
            ("cbc", &iv[..]),
            ("ctr", &iv[..]),
            ("sectors", &iv[..32]),
        ] {
            let given = if iv.is_empty() {
                String::new()
            } else {
                format!("--iv {iv}")
            };
            let one = format!("cipher -a threefish-512 -m {mode} -k key --threads 1 {given}");
            f.run(&format!("{one} file --out c")).ok();
            let many = one.replace("--threads 1", "--threads 3");
            f.run(&format!("{many} file --out c3")).ok();
            assert!(f.read("c") == f.read("c3"), "{mode}");
            for threads in [1, 3] {
                f.run(&format!("cipher -d -k key --threads {threads} c --out d"))
                    .ok();
                assert!(f.read("d") == data, "{mode}, {threads} threads");
            }
        }
    }
}

/// Without a header, the bytes are those of `openssl enc`.
#[test]
fn openssl_agrees() {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("SKIPPED: there is no openssl");
        return;
    }
    let f = Folder::new();
    let data = noise(5000);
    f.write("file", &data);
    for bits in [128, 192, 256] {
        let key = noise(bits / 8);
        f.write("key", &key);
        for mode in ["ecb", "cbc", "ctr"] {
            let iv = if mode == "ecb" { "" } else { &hex(&[0xff; 16]) };
            let [ours, theirs] = ["--iv", "-iv"].map(|option| match iv {
                "" => String::new(),
                iv => format!("{option} {iv}"),
            });
            let theirs = format!(
                "enc -aes-{bits}-{mode} -K {} {theirs} -in file -out c",
                hex(&key)
            );
            f.run_program("openssl", &theirs, b"").ok();
            let ours = format!("cipher --raw -a aes-{bits} -m {mode} -k key {ours}");
            f.run(&format!("{ours} file --out o")).ok();
            assert_eq!(f.read("o"), f.read("c"), "aes-{bits} {mode}");
            f.run(&format!("{ours} --decrypt c --out d")).ok();
            assert_eq!(f.read("d"), data);
        }
    }
}

#[test]
fn passwords() {
    let f = Folder::new();
    f.write("file", noise(1000));
    f.write("password", "correct horse\n");
    f.write("other", "correct horze\n");
    f.run("cipher -a aes-128 --password-file password file --out c")
        .ok();
    f.run("cipher -a aes-128 --password-file password file --out e")
        .ok();
    assert_ne!(f.read("c"), f.read("e"), "another salt");
    f.run("cipher -d --password-file password c --out d").ok();
    assert_eq!(f.read("d"), noise(1000));
    let said = f.run("cipher -d --password-file other c --out x").fails(1);
    assert!(
        said.contains("the key or password is another one"),
        "{said}"
    );
    f.run("cipher -d --key-file password c --out x").fails(2);
    f.write("key", noise(16));
    f.run("cipher -a aes-128 -k key file --out c").ok();
    let said = f
        .run("cipher -d --password-file password c --out x")
        .fails(2);
    assert!(said.contains("give --key-file"), "{said}");
    // A file may not ask for all memory.
    let mut greedy = f.read("e");
    greedy[21] = 40;
    f.write("greedy", greedy);
    let said = f.run("cipher -d --password-file password greedy --out x");
    assert!(said.fails(3).contains("too much"));
    assert!(!f.path("x").exists());
}

#[test]
fn what_goes_wrong() {
    let f = Folder::new();
    f.write("file", noise(1000));
    f.write("key", noise(32));
    f.write("other", [7; 32]);
    f.write("short", noise(31));
    let said = f.run("cipher -k short file --out x").fails(3);
    assert!(
        said.contains("short") && said.contains("64 hexadecimal"),
        "{said}"
    );
    for options in [
        "cipher -k key --raw file --out x",
        "cipher -k key --iv 00 file --out x",
        "cipher -k key -m ecb --iv 00 file --out x",
        "cipher --raw file --out x",
        "cipher --raw --password-file key -m ecb file --out x",
        "cipher -k key --tweak 00000000000000000000000000000000 file --out x",
        "cipher -k key --raw -m ecb --tweak 00000000000000000000000000000000 file --out x",
        "cipher -k key --raw -m ecb --counter-bits 32 file --out x",
        "cipher -a threefish-256 -k key --raw -m ecb --tweak 00 file --out x",
        "cipher -k key --password-file key file --out x",
        "cipher -k key -d -m ctr file --out x",
    ] {
        let run = f.run(options);
        assert_eq!(run.code, Some(2), "{options}: {}", run.err);
    }
    let said = f.run("cipher -k key -m ecb --iv 00 file --out x").fails(2);
    assert!(said.contains("the mode ecb has no"), "{said}");
    let said = f.run("cipher -k key -m cbc --no-padding file --out x");
    assert!(said.fails(3).contains("not whole blocks of 16 bytes"));
    for mode in ["ecb", "cbc", "ctr"] {
        f.run(&format!("cipher -k key -m {mode} file --out c")).ok();
        let good = f.read("c");
        let said = f.run("cipher -d -k other c --out x").fails(1);
        assert!(
            said.contains("c: the key or password is another one"),
            "{said}"
        );
        // Any byte of the header.
        let header = good.len() - if mode == "ctr" { 1000 } else { 1008 };
        for at in 0..header {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            f.write("bad", bad);
            let run = f.run("cipher -d -k key bad --out x");
            assert!(
                matches!(run.code, Some(1..=3)),
                "byte {at}: {:?} {}",
                run.code,
                run.err
            );
            assert_eq!(run.err.lines().count(), 1, "byte {at}: {}", run.err);
        }
        // Cut anywhere, or longer.
        for len in (0..good.len()).step_by(37).chain([good.len() - 1]) {
            f.write("bad", &good[..len]);
            let said = f.run("cipher -d -k key bad --out x").fails(3);
            assert!(said.contains("bad"), "{said}");
        }
        f.write("bad", [&good[..], b"x"].concat());
        let said = f.run("cipher -d -k key bad --out x").fails(3);
        assert!(said.contains("1 bytes behind the end"), "{said}");
        // From a pipe the length is not known, but whole blocks are.
        if mode != "ctr" {
            let piped = f.run_with(&format!("cipher -k key -m {mode} --out -"), &noise(1000));
            let piped = piped.ok();
            f.run_with("cipher -d -k key --out -", &piped[..piped.len() - 1])
                .fails(3);
            f.run_with("cipher -d -k key --out -", &piped[..piped.len() - 16])
                .fails(1);
        }
    }
    f.run("cipher -d -k key missing --out x").fails(4);
    f.run("cipher -k key file --out no/such/folder").fails(4);
    assert!(!f.path("x").exists());
}

/// A file that takes no room has a length all the same, which a cut shows.
#[test]
fn a_file_of_holes() {
    let f = Folder::new();
    f.write("key", [7; 32]);
    let holes = fs::File::create(f.path("holes")).unwrap();
    holes.set_len(1000).unwrap();
    f.run("cipher -k key holes --out c").ok();
    let c = f.read("c");
    f.write("cut", &c[..c.len() - 1]);
    let said = f.run("cipher -d -k key cut --out x").fails(3);
    assert!(said.contains("cut"), "{said}");
}

/// Files as they were when the format was made.
#[test]
fn the_format_stays() {
    let f = Folder::new();
    f.write("key", [7; 16]);
    f.write("file", b"attack at dawn");
    let iv = "000102030405060708090a0b0c0d0e0f";
    f.run(&format!(
        "cipher -a aes-128 -m cbc -k key --iv {iv} file --out c"
    ))
    .ok();
    let c = f.read("c");
    assert_eq!(&c[..16], b"carrysave cipher");
    // Version, cipher, mode, padding, a key that was given, and the length.
    assert_eq!(c[16..32], [1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14]);
    assert_eq!(c[32..48], [0; 16]);
    assert_eq!(hex(&c[64..80]), iv);
    assert_eq!(c.len(), 96);
    use carrysave::symmetric::{
        aes::Aes,
        skein::{Parameters, Skein512},
    };
    let parameters = Parameters::new(16)
        .key(&[7; 16])
        .personalization(b"carrysave cipher 1");
    let mut check = Skein512::new(&parameters);
    check.update(&c[..48]);
    check.update(&c[64..80]);
    let mut expected = [0; 16];
    check.finalize().read(&mut expected);
    assert_eq!(c[48..64], expected);
    let mut text = b"attack at dawn".to_vec();
    let aes = Aes::new(&[7; 16]).unwrap();
    aes.cbc_encrypt_padded(&c[64..80].try_into().unwrap(), &mut text);
    assert_eq!(c[80..], text);
}

/// What a header does not tell: a tweak, and counters of other widths.
#[test]
fn parameters_of_raw_files() {
    let f = Folder::new();
    f.write("key", noise(32));
    f.write("zeros", [0; 64]);
    let run = |options: &str, file: &str| {
        f.run(&format!("cipher -k key --raw {options} {file} --out -"))
            .ok()
    };

    // The last 32 bits of a counter begin again, and those before them stay.
    let stream = run(
        &format!("--counter-bits 32 --iv {}ffffffff", "5a".repeat(12)),
        "zeros",
    );
    let blocks =
        [0xffff_ffff, 0, 1, 2].map(|count: u32| [&[0x5a; 12][..], &count.to_be_bytes()].concat());
    f.write("blocks", blocks.concat());
    assert_eq!(stream, run("-m ecb --no-padding", "blocks"));

    // A counter does not begin again within a file.
    f.write("more", [0; 65]);
    let short = |bits: u32, file: &str| {
        let iv = "5a".repeat(16);
        f.run(&format!(
            "cipher -k key --raw --counter-bits {bits} --iv {iv} {file} --out -"
        ))
    };
    assert_eq!(short(2, "zeros").ok().len(), 64);
    let refused = short(2, "more").fails(2);
    assert!(refused.contains("64 bytes at most"), "{refused}");
    assert_eq!(short(3, "more").ok().len(), 65);

    // The first sector has the first tweak.
    let tweak = hex(&noise(16));
    let sectors = format!("-a threefish-256 -m sectors --no-padding --iv {tweak}");
    let tweaked = format!("-a threefish-256 -m ecb --no-padding --tweak {tweak}");
    assert_eq!(run(&sectors, "zeros")[..32], run(&tweaked, "zeros")[..32]);
    for mode in ["ecb", "cbc", "ctr"] {
        let iv = match mode {
            "ecb" => String::new(),
            _ => format!("--iv {}", hex(&noise(32))),
        };
        let options = format!("-a threefish-256 -m {mode} {iv} --tweak {tweak}");
        let sealed = run(&options, "zeros");
        f.write("sealed", &sealed);
        assert_ne!(
            sealed,
            run(&format!("-a threefish-256 -m {mode} {iv}"), "zeros")
        );
        assert_eq!(run(&format!("-d {options}"), "sealed"), [0; 64]);
    }
}
