//! Truncated, corrupted, empty, foreign and far too large inputs: one sentence, the documented status, no output.

use crate::support::{Folder, noise};

/// Inputs that no command accepts.
fn bad_inputs(f: &Folder) -> Vec<&'static str> {
    f.write("empty", b"");
    f.write(
        "text",
        b"Dear Sir or Madam,\n\nplease find attached nothing.\n",
    );
    f.write("binary", noise(2000));
    f.write(
        "png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0",
    );
    f.write("large", vec![b'0'; 10 << 20]);
    f.write("der", vec![0x30; 4096]);
    f.write(
        "pem",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    );
    vec!["empty", "text", "binary", "png", "large", "der", "pem"]
}

#[test]
fn bad_files_in_every_place() {
    let f = Folder::with_keys();
    f.write("file", noise(1000));
    f.run("sign --key a.pem file --out s").ok();
    f.run("encrypt --to a.pub file --out c").ok();
    let inputs = bad_inputs(&f);
    let before = f.contents();
    // `X` stands for the bad file.
    let commands = [
        "inspect X",
        "inspect --private X",
        "sign --key X file --out o",
        "verify --key X --signature s file",
        "verify --key a.pub --signature X file",
        "encrypt --to X file --out o",
        "encrypt --to a.pub --to X file --out o",
        "encrypt --segmented --to X file --out o",
        "decrypt --key X c --out o",
        "decrypt --key a.pem X --out o",
        "decrypt --key a.pem X --out -",
        "decrypt --key a.pem --recipient X c --out o",
        "decrypt --key X --segmented c --out o",
    ];
    for command in commands {
        for input in &inputs {
            let said = f.run(&command.replace('X', input)).fails(3);
            assert!(
                said.contains(input),
                "{command}: {said:?} does not name {input}"
            );
        }
        f.run(&command.replace('X', "missing")).fails(4);
        f.run(&command.replace('X', ".")).fails(4);
    }
    // A file whose length is a multiple of the key's cannot be told from a segmented ciphertext.
    f.run("decrypt --key a.pem --segmented text --out o")
        .fails(3);
    f.run("keygen --small --bits 1024 --password-file empty --out o")
        .fails(3);
    f.run("keygen --small --bits 1024 --password-file large --out o")
        .fails(3);
    f.run("keygen --small --bits 1024 --password-file missing --out o")
        .fails(4);
    for command in [
        "sign --key a.pem missing --out o",
        "encrypt --to a.pub missing --out o",
        "verify --key a.pub --signature s missing",
    ] {
        f.run(command).fails(4);
    }
    // Nothing appeared, nothing changed, and what was there already is untouched by a failure.
    assert_eq!(f.contents(), before);
    f.run("decrypt --key a.pem binary --out file").fails(3);
    assert_eq!(f.contents(), before);
}

#[test]
fn damaged_keys() {
    let f = Folder::with_keys();
    f.write("file", noise(1000));
    f.run("keygen --quiet --small --bits 1024 --der --out d.key")
        .ok();
    let (pem, der) = (f.read("a.pem"), f.read("d.key"));
    f.write("bad", b"");
    let before = f.contents().len();
    for (key, step) in [(&pem, 13), (&der, 7)] {
        // The last line end of PEM is nothing that could be missed.
        for len in (0..key.len() - 1).step_by(step) {
            f.write("bad", &key[..len]);
            f.run("sign --key bad file --out o").fails(3);
            f.run("inspect bad").fails(3);
        }
        for byte in (0..key.len() - 1).step_by(step) {
            let mut bad = key.clone();
            bad[byte] ^= 1 << (byte % 7);
            f.write("bad", &bad);
            let run = f.run("sign --key bad file --out -");
            if run.code == Some(0) {
                // A change in the version or in what is spare may do no harm; then the key is the same.
                f.write("s", run.ok());
                let public = if key == &pem { "a.pub" } else { "d.pub" };
                f.run(&format!("verify --key {public} --signature s file"))
                    .ok();
                std::fs::remove_file(f.path("s")).unwrap();
            } else {
                run.fails(3);
            }
        }
    }
    assert_eq!(f.contents().len(), before);
}

#[test]
fn damaged_signatures() {
    let f = Folder::with_small_keys();
    f.write("file", noise(1000));
    for padding in ["pss", "pkcs1"] {
        f.run(&format!(
            "sign --small --padding {padding} --key a.pem file --out s"
        ))
        .ok();
        let signature = f.read("s");
        for byte in 0..signature.len() {
            let mut bad = signature.clone();
            bad[byte] ^= 1 << (byte % 8);
            f.write("s", &bad);
            f.run(&format!(
                "verify --padding {padding} --key a.pub --signature s file"
            ))
            .fails(1);
        }
        for len in [1, 127, 129, 1280] {
            f.write("s", noise(len));
            f.run(&format!(
                "verify --padding {padding} --key a.pub --signature s file"
            ))
            .fails(3);
        }
    }
}

/// Tries one message whose damage may be where it names its recipient, which says no more than which key is tried first:
/// the plaintext appears, or nothing.
fn refused_or_the_same(f: &Folder, message: &[u8], what: std::fmt::Arguments<'_>) {
    f.write("bad", message);
    let run = f.run("decrypt --key a.pem bad --out -");
    if run.code == Some(0) {
        assert!(
            !run.err.contains("not authenticated"),
            "{what}: {}",
            run.err
        );
        assert_eq!(run.ok(), f.read("file"), "{what}");
    } else {
        refused(f, message, what);
    }
}

/// Tries one damaged message; nothing may appear.
fn refused(f: &Folder, message: &[u8], what: std::fmt::Arguments<'_>) {
    f.write("bad", message);
    let before = f.contents();
    let run = f.run("decrypt --key a.pem bad --out o");
    assert!(
        matches!(run.code, Some(1 | 3)),
        "{what}: status {:?}",
        run.code
    );
    let code = run.code.unwrap();
    run.fails(code);
    let piped = f.run_with("decrypt --key a.pem - --out -", message);
    piped.fails(code);
    assert_eq!(f.contents(), before, "{what}");
}

#[test]
fn every_truncation_of_a_small_message() {
    let f = Folder::with_small_keys();
    f.write("file", b"a small secret");
    for form in ["", "--pem"] {
        f.run(&format!("encrypt --small {form} --to a.pub file --out c"))
            .ok();
        let message = f.read("c");
        for len in
            (0..message.len() - form.len().min(1)).step_by(if form.is_empty() { 1 } else { 9 })
        {
            refused(
                &f,
                &message[..len],
                format_args!("{len} bytes of {}", message.len()),
            );
        }
    }
}

#[test]
fn flipped_bits_everywhere() {
    let f = Folder::with_small_keys();
    f.write("file", b"a small secret");
    f.run("encrypt --small --to a.pub file --out c").ok();
    let message = f.read("c");
    // One bit of every byte here; every bit of every byte is tried inside the library, where it is quicker.
    for byte in 0..message.len() {
        let mut bad = message.clone();
        bad[byte] ^= 1 << (byte * 5 % 8);
        refused_or_the_same(&f, &bad, format_args!("byte {byte}"));
    }
    f.write("file", noise(300_000));
    f.run("encrypt --small --to a.pub file --out c").ok();
    let message = f.read("c");
    for byte in (0..message.len())
        .skip(200)
        .step_by(10_007)
        .chain(message.len() - 20..message.len())
    {
        let mut bad = message.clone();
        bad[byte] ^= 1 << (byte % 8);
        refused(&f, &bad, format_args!("byte {byte} of a longer message"));
    }
    for len in (0..message.len()).step_by(30_011) {
        refused(
            &f,
            &message[..len],
            format_args!("{len} bytes of a longer message"),
        );
    }
}

#[test]
fn a_message_for_another_key() {
    let f = Folder::with_small_keys();
    f.write("file", b"a small secret");
    f.run("encrypt --small --to a.pub file --out c").ok();
    f.run("decrypt --key b.pem c --out o").fails(1);
    f.run("encrypt --small --segmented --to a.pub file --out c")
        .ok();
    // Implicit rejection gives a synthetic plaintext, or a length that cannot be; never the secret.
    let run = f.run("decrypt --segmented --key b.pem c --out -");
    assert!(
        matches!(run.code, Some(0 | 1)) && run.out != b"a small secret",
        "{}",
        run.err
    );
    assert!(!f.path("o").exists());
}

#[test]
fn a_full_disk_is_said_so() {
    let f = Folder::with_small_keys();
    f.write("file", noise(300_000));
    f.run("encrypt --small --to a.pub file --out c").ok();
    for command in [
        "encrypt --small --to a.pub file",
        "decrypt --key a.pem c",
        "sign --small --key a.pem file",
    ] {
        let said = f.run(&format!("{command} --out /dev/full")).fails(4);
        assert!(said.contains("/dev/full"), "{said}");
        assert!(said.contains(": make room there, or give"), "{said}");
    }
}

#[test]
fn wrong_command_lines() {
    let f = Folder::new();
    for line in [
        "",
        "nonsense",
        "sign",
        "encrypt file",
        "keygen",
        "decrypt --key",
        "keygen --out k --bits many",
    ] {
        assert_eq!(f.run(line).code, Some(2), "{line}");
    }
    assert!(f.contents().is_empty());
}
