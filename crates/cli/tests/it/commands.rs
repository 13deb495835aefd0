//! Every command does its job.

use crate::support::{Folder, Run, noise};
use carrysave::engine::plan::to_toml;
use carrysave::kernels::Isa;
use std::fs;

#[test]
fn hash_and_cipher_go_on_with_the_threads_they_get() {
    let f = Folder::new();
    f.write("data", noise(3 << 20));
    f.write("key", [7; 16]);
    let iv = "00112233445566778899aabbccddeeff";
    for arguments in [
        "hash --tree --threads 8 data".to_owned(),
        format!("cipher --raw -a aes-128 -m ctr -k key --iv {iv} --threads 8 data --out -"),
    ] {
        let few = f.run_with_few_threads(&arguments).ok();
        assert_eq!(
            few,
            f.run(&arguments.replace("--threads 8", "--threads 1")).ok(),
            "{arguments}"
        );
    }
}

#[test]
fn more_threads_than_any_system_starts_are_as_many_as_pay() {
    let f = Folder::with_keys();
    f.write("data", noise(3 << 20));
    f.write("key", [7; 32]);
    for arguments in [
        "hash --tree data",
        "cipher -k key data --out c",
        "cipher -d -k key c --out d",
        "encrypt --to a.pub data --out e",
        "decrypt -k a.pem e --out d",
        "keygen --small --bits 1024 --out k.pem",
        "sign -k a.pem --batch data",
        "verify -k a.pub --batch data",
        "demo --small --bits 1024 --seconds 0 data",
    ] {
        f.run(&format!("{arguments} --threads 100000")).ok();
    }
    assert!(f.read("d") == f.read("data"));
}

#[test]
fn signatures_of_every_kind() {
    let f = Folder::with_keys();
    f.write("file", noise(100_000));
    f.write("other", noise(100_001));
    let schemes = [
        "",
        "--hash sha1",
        "--hash sha384",
        "--hash sha512-256 --salt-len 20",
        "--hash sha3-256",
        "--salt-len 0",
        "--mgf-hash sha1",
        "--hash sha384 --mgf-hash sha3-256",
        "--padding pkcs1",
        "--padding pkcs1 --hash sha512",
        "--padding pkcs1 --hash sha3-512",
    ];
    for scheme in schemes {
        let signed = f.run(&format!("sign --key a.pem {scheme} file --out s"));
        if scheme.starts_with("--hash sha1") {
            assert!(signed.fails(2).contains("SHA-1"));
            continue;
        }
        signed.ok();
        assert_eq!(f.read("s").len(), 256);
        let good = f
            .run(&format!("verify --key a.pub --signature s {scheme} file"))
            .ok();
        assert_eq!(good, b"the signature is good\n");
        f.run_with(
            &format!("verify --key a.pem --signature s {scheme} -"),
            &f.read("file"),
        )
        .ok();
        f.run(&format!("verify --key a.pub --signature s {scheme} other"))
            .fails(1);
        f.run(&format!("verify --key b.pub --signature s {scheme} file"))
            .fails(1);
        let _ = fs::remove_file(f.path("s"));
    }
    let piped = f.run_with("sign --key a.pem --out -", &f.read("file")).ok();
    f.write("s", &piped);
    f.run("verify --quiet --key a.pub --signature s file").ok();
    f.run("verify --key a.pub --signature s --padding pkcs1 file")
        .fails(1);
    f.run("verify --key a.pub --signature s --salt-len 31 file")
        .fails(1);
    f.run("sign --key a.pem --padding pkcs1 --salt-len 3 file --out t")
        .fails(2);
    f.run("verify --key a.pub --signature s --mgf-hash sha1 file")
        .fails(1);
    f.run("sign --key a.pem --salt-len 1000 file --out t")
        .fails(3);
    f.run("sign --key a.pem --padding pkcs1 --mgf-hash sha256 file --out t")
        .fails(2);
    assert!(!f.path("t").exists());
}

/// The signature of a single file is beside it, as in a batch.
#[test]
fn the_signature_of_a_file_is_beside_it() {
    let f = Folder::with_keys();
    f.write("file", b"data");
    let signed = f.run("sign --key a.pem file");
    assert_eq!(signed.err, "signature: file.sig\n");
    assert!(signed.ok().is_empty());
    let first = f.read("file.sig");
    let good = f.run("verify --key a.pub file").ok();
    assert_eq!(good, b"the signature is good\n");
    f.run("verify --key a.pub --batch file").ok();
    let refused = f.run("sign --key a.pem file").fails(2);
    assert!(refused.contains("use --force to replace it"), "{refused}");
    let kept = f.run("sign --key a.pem --keep file");
    assert_eq!(kept.err, "signature, which was kept: file.sig\n");
    kept.ok();
    assert_eq!(f.read("file.sig"), first);
    let replaced = f.run("sign --quiet --key a.pem --force file");
    assert_eq!(replaced.err, "");
    replaced.ok();
    assert_ne!(f.read("file.sig"), first);
    f.write("file.sig", b"not one");
    f.run("sign --key a.pem --keep file").fails(3);
    fs::remove_file(f.path("file.sig")).unwrap();
    let missing = f.run("verify --key a.pub file").fails(4);
    assert!(missing.contains("file.sig"), "{missing}");
    for unnamed in [
        "sign --key a.pem",
        "sign --key a.pem -",
        "verify --key a.pub -",
    ] {
        let said = f.run_with(unnamed, b"data").fails(2);
        assert!(said.contains("standard input has no name"), "{said}");
    }
    f.run("sign --key a.pem missing").fails(4);
    f.run("sign --key a.pem .").fails(4);
    assert_eq!(f.contents().len(), 5);
}

#[test]
fn signatures_as_text() {
    let f = Folder::with_keys();
    f.write("file", b"data");
    for (made, read) in [
        ("sign --key a.pem --base64 file", "verify --key a.pub file"),
        (
            "sign --key a.pem --base64 --force --batch file",
            "verify --key a.pub --batch file",
        ),
        (
            "sign --key a.pem --base64 --out file.sig file",
            "verify --key a.pub --signature file.sig file",
        ),
    ] {
        f.run(made).ok();
        let text = String::from_utf8(f.read("file.sig")).unwrap();
        assert!(
            text.lines().count() == 6 && text.ends_with("==\n"),
            "{text}"
        );
        f.run(read).ok();
        f.run("sign --key a.pem --keep --batch file").ok();
        assert_eq!(f.read("file.sig"), text.as_bytes());
        f.write("file.sig", text.replace('\n', "\r\n"));
        f.run(read).ok();
        f.write("file.sig", text.replacen(|c| c != 'A', "A", 1));
        let wrong = f.run(read);
        assert!(matches!(wrong.code, Some(1 | 5)), "{}", wrong.err);
        f.write("file.sig", &text[2..]);
        let wrong = f.run(read);
        assert!(matches!(wrong.code, Some(3 | 5)), "{}", wrong.err);
    }
    // To a terminal or not.
    let printed = f
        .run_with("sign --key a.pem --base64 --out -", b"data")
        .ok();
    f.write("s", printed);
    f.run("verify --key a.pub --signature s file").ok();
}

#[test]
fn encrypted_files_of_every_kind() {
    let f = Folder::with_keys();
    for len in [0, 1, 1000, 65_536, 300_001] {
        let data = noise(len);
        f.write("file", &data);
        for options in ["", "--pem", "--hash sha1", "--to b.pub"] {
            f.run(&format!("encrypt --to a.pub {options} file --out c"))
                .ok();
            f.run("decrypt --key a.pem c --out d").ok();
            assert_eq!(f.read("d"), data, "{options}, {len} bytes");
            let piped = f
                .run_with(&format!("encrypt --to a.pub {options} --out -"), &data)
                .ok();
            let plain = f.run_with("decrypt --key a.pem --out -", &piped).ok();
            assert_eq!(plain, data, "{options}, {len} bytes through pipes");
        }
        f.run("decrypt --key b.pem c --out d").ok();
    }
}

/// In pieces that several threads share.
#[test]
fn long_encrypted_files() {
    let f = Folder::with_keys();
    for len in [1 << 20, (3 << 20) + 77] {
        let data = noise(len);
        f.write("file", &data);
        for threads in [1, 2, 5] {
            let seal = format!("encrypt --to a.pub --threads {threads}");
            let open = format!("decrypt --key a.pem --threads {threads}");
            f.run(&format!("{seal} file --out c")).ok();
            f.run(&format!("{open} c --out d")).ok();
            assert!(f.read("d") == data, "{len} bytes, {threads} threads");
            let piped = f.run_with(&format!("{seal} --out -"), &data).ok();
            let plain = f.run_with(&format!("{open} --out -"), &piped).ok();
            assert!(plain == data, "{len} bytes in a pipe, {threads} threads");
            let mut bad = f.read("c");
            bad[len / 2] ^= 1;
            f.write("bad", bad);
            f.run(&format!("{open} bad --out x")).fails(1);
            f.write("bad", &f.read("c")[..len / 2]);
            f.run(&format!("{open} bad --out x")).fails(3);
            assert!(!f.path("x").exists());
        }
    }
}

#[test]
fn segmented_files_as_the_thesis_wrote_them() {
    let f = Folder::with_keys();
    for len in [0, 1, 243, 244, 245, 488, 5000] {
        f.write("file", noise(len));
        let run = f.run("encrypt --segmented --to a.pub file --out c");
        assert!(
            run.err.contains("warning: --segmented is for study only"),
            "{}",
            run.err
        );
        run.ok();
        assert_eq!(
            f.read("c").len(),
            len.div_ceil(244).max(1) * 256,
            "{len} bytes"
        );
        f.run("decrypt --segmented --key a.pem c --out d").ok();
        assert_eq!(f.read("d"), noise(len), "{len} bytes");
    }
    // Several pieces, on several threads, each from a file and through a pipe.
    let (long, short) = (noise(244 * 150 + 7), noise(100));
    f.write("file", &long);
    for threads in 1..4 {
        f.run(&format!(
            "encrypt --segmented --threads {threads} --to a.pub file --out c"
        ))
        .ok();
        assert_eq!(f.read("c").len(), 151 * 256);
        f.run(&format!(
            "decrypt --segmented --threads {threads} --key a.pem c --out d"
        ))
        .ok();
        assert_eq!(f.read("d"), long);
        let decrypt = format!("decrypt --segmented --threads {threads} --key a.pem - --out -");
        assert_eq!(f.run_with(&decrypt, &f.read("c")).ok(), long);
    }
    // A short segment amid others, wherever it lies.
    f.write("s", &short);
    f.run("encrypt --segmented --to a.pub s --out s.c").ok();
    for at in [0, 7, 8, 40, 149] {
        let mut c = f.read("c");
        c.splice(at * 256..at * 256, f.read("s.c"));
        f.write("spliced", &c);
        f.run("decrypt --segmented --threads 2 --key a.pem spliced --out e")
            .fails(1);
    }
    f.run("encrypt --segmented --to a.pub --to b.pub file --out e")
        .fails(2);
    f.write("short", &f.read("c")[..300]);
    f.run("decrypt --segmented --key a.pem short --out e")
        .fails(3);
    f.run_with("decrypt --segmented --key a.pem - --out e", b"")
        .fails(3);
    assert!(!f.path("e").exists());
}

#[test]
fn verify_refuses_what_names_no_signature_or_padding() {
    let f = Folder::with_keys();
    f.write("file", b"content");
    for (curve, options) in [
        ("p256", ["--padding pss", "--salt-len 32"]),
        ("ed25519", ["--padding pkcs1", "--hash sha256"]),
    ] {
        f.run(&format!(
            "keygen --quiet --force --curve {curve} --out c.pem"
        ))
        .ok();
        f.run("sign --quiet --key c.pem file --force").ok();
        f.run("verify --key c.pub file").ok();
        for option in options {
            let said = f.run(&format!("verify --key c.pub {option} file"));
            let said = said.fails(2);
            assert!(said.contains("leave --"), "{curve}, {option}: {said}");
        }
    }
    let said = f.run_with("verify --key a.pub -", b"content").fails(2);
    assert!(said.contains("give --signature"), "{said}");
}

#[test]
fn standard_input_is_one_file() {
    let f = Folder::with_keys();
    for (arguments, input) in [
        ("verify --key a.pub --signature - -", vec![7; 256]),
        ("sign --key - --out s -", f.read("a.pem")),
        ("encrypt --to - - --out c", f.read("a.pub")),
    ] {
        let said = f.run_with(arguments, &input).fails(2);
        assert!(said.contains("standard input"), "{arguments}: {said}");
    }
}

/// The plan in the user's configuration is followed where it is for this machine, and left out with a note elsewhere.
#[test]
fn the_plan_in_the_configuration_is_followed() {
    let f = Folder::new();
    let own = carrysave::arith::Plan {
        machine: carrysave_measure::record::cpu_name().unwrap().leak(),
        date: "2026-01-02",
        ..carrysave::arith::Plan::native().clone()
    };
    let elsewhere = carrysave::arith::Plan {
        machine: "another machine",
        ..own.clone()
    };
    let followed = |run: Run| {
        let err = run.err.clone();
        let text = String::from_utf8(run.ok()).unwrap();
        (
            text.contains("config/carrysave/plan.toml") && text.contains("2026-01-02"),
            err,
        )
    };
    assert_eq!(followed(f.run("plan")), (false, String::new()));
    fs::create_dir_all(f.path("config/carrysave")).unwrap();
    for (plan, note) in [
        (to_toml(&own), None),
        (
            to_toml(&elsewhere),
            Some("measured on another machine: tune it again"),
        ),
        ("no plan".to_owned(), Some("note: the plan is not followed")),
    ] {
        f.write("config/carrysave/plan.toml", plan);
        let (is, err) = followed(f.run("plan"));
        assert_eq!(is, note.is_none(), "{err}");
        assert!(
            note.map_or(err.is_empty(), |note| err.contains(note)),
            "{err}"
        );
        assert_eq!(f.run("--quiet plan").err, "");
    }
    // A lesser processor than it is for follows a built-in one, and tuning begins with what is built in.
    let needed = Isa::ALL.iter().find(|(isa, _)| own.needs.contains(*isa));
    let odd = to_toml(&carrysave::arith::Plan {
        radix: 12_345,
        ..own
    });
    f.write("config/carrysave/plan.toml", &odd);
    assert!(followed(f.run("plan")).0);
    if let Some((_, name)) = needed {
        assert!(!followed(f.run(&format!("plan --without {name}"))).0);
    }
    f.run("tune --seconds 0 --only divide --out tuned.toml")
        .ok();
    let tuned = String::from_utf8(f.read("tuned.toml")).unwrap();
    assert!(odd.contains("radix = 12345") && !tuned.contains("radix = 12345"));
    f.run("tune --without avx2").fails(2);
}

#[test]
fn plan_prints_the_plan_of_a_processor() {
    let f = Folder::new();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let best = carrysave::arith::Plan::best(carrysave::arith::Cpu::native());
    let printed = text("plan");
    for (name, value, meaning) in best.settings() {
        assert!(
            printed.contains(&format!("{name}: {value}\n    {meaning}\n")),
            "{printed}"
        );
    }
    assert!(printed.contains(best.machine) && printed.contains(best.date));
    let lesser = text("plan --without avx512f");
    assert!(lesser.contains("radix52: never"), "{lesser}");
    assert_eq!(f.run("plan --without nonsense").code, Some(2));
}

#[test]
fn plan_says_what_threads_share() {
    let f = Folder::new();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let alone = text("plan --threads 1");
    assert!(alone.starts_with(&text("plan")) && alone.contains("\nthreads: 1, "));
    let products = |text: &str| {
        text.split("\nproducts: ")
            .nth(1)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(products(&alone), "1");
    let two = text("plan --threads 2");
    // Whatever the processor, two threads share a product of 67 million bits, unless both wait for others.
    let (_, trip) = two.split_once("\nthreads: 2, ").expect(&two);
    let trip: u64 = trip.split(' ').next().unwrap().parse().expect(&two);
    let shared = products(&two);
    assert!(
        shared.ends_with(", then 2") || shared == "1" && trip > 10_000,
        "{two}"
    );
    assert!(two.contains("\nprivate operations of RSA: "), "{two}");
    for threads in ["0", "x"] {
        assert_eq!(f.run(&format!("plan --threads {threads}")).code, Some(2));
    }
    f.run("plan --threads 1025").fails(2);
}

#[test]
fn tune_writes_a_plan_that_commands_follow() {
    let f = Folder::with_plan();
    let text = String::from_utf8(f.read("plan.toml")).unwrap();
    assert!(
        String::from_utf8(f.read("tune.csv"))
            .unwrap()
            .contains("tune,mul,")
    );
    // A choice that no built-in plan makes.
    let line = text
        .lines()
        .find(|line| line.starts_with("radix = "))
        .unwrap();
    fs::write(f.path("plan.toml"), text.replace(line, "radix = 12345")).unwrap();
    let printed = String::from_utf8(f.run("plan --plan plan.toml").ok()).unwrap();
    assert!(printed.contains("\nradix: 12345\n"), "{printed}");
    f.run("keygen --bits 2048 --out key.pem").ok();
    fs::write(f.path("file"), "content").unwrap();
    f.run("sign --plan plan.toml --key key.pem --out file.sig file")
        .ok();
    f.run("verify --key key.pub --signature file.sig file").ok();

    let said = f
        .run("tune --seconds 0 --out one.toml --record ./one.toml")
        .fails(2);
    assert!(said.contains("one file: give them two names"), "{said}");
    assert!(!f.path("one.toml").exists());
    fs::write(f.path("bad.toml"), "radix = 12").unwrap();
    let said = f.run("plan --plan bad.toml").fails(3);
    assert!(
        said.contains("bad.toml: the plan lacks the setting machine: tune it again"),
        "{said}"
    );
    f.run("plan --plan nowhere.toml").fails(4);
    let said = f.run("plan --plan .").fails(4);
    assert!(said.contains("cannot read .: is a directory"), "{said}");
    let plan = f.read("plan.toml");
    let piped = String::from_utf8(f.run_with("plan --plan -", &plan).ok()).unwrap();
    assert_eq!(piped.replace("plan in -", "plan in plan.toml"), printed);
    let said = f
        .run_with("sign --plan - --key key.pem --out s", &plan)
        .fails(2);
    assert!(said.contains("cannot stand for two files"), "{said}");

    // A lesser processor follows the plan as a lesser machine would, or says why it does not.
    let plan = String::from_utf8(plan).unwrap();
    let needs = plan
        .lines()
        .find(|line| line.starts_with("needs = "))
        .unwrap();
    for (_, name) in carrysave::kernels::Isa::ALL {
        let lesser = |command: &str| f.run(&format!("{command} --without {name}"));
        if needs.split(['"', '+']).any(|needed| needed == *name) {
            let said = lesser("plan --plan plan.toml").fails(3);
            assert!(said.contains("plan.toml: it was tuned for "), "{said}");
        } else {
            let printed = String::from_utf8(lesser("plan --plan plan.toml").ok()).unwrap();
            assert!(printed.contains("\nradix: 12345\n"), "{name}: {printed}");
        }
    }
    assert_eq!(f.run("tune --seconds -1 --out x").code, Some(2));
    let said = f.run("tune --only mul,div --out x");
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("these are: mul, "), "{}", said.err);
    assert!(!f.path("x").exists());
}

#[test]
fn kernels_says_what_runs_here_and_why() {
    let f = Folder::new();
    let text = |arguments: &str| String::from_utf8(f.run(arguments).ok()).unwrap();
    let table = text("kernels");
    for op in carrysave::kernels::REGISTRY {
        assert!(table.contains(op.name), "{} is not listed", op.name);
        let contract = text(&format!("kernels --op {}", op.name));
        assert!(
            contract.contains(op.contract.effect) && contract.contains(op.contract.source),
            "{contract}"
        );
    }
    assert_eq!(
        table.matches("chosen: the first").count(),
        carrysave::kernels::REGISTRY.len()
    );
    let all = carrysave::kernels::Isa::ALL
        .iter()
        .map(|(_, name)| *name)
        .collect::<Vec<_>>()
        .join(",");
    let bare = text(&format!("kernels --without {all}"));
    assert!(
        bare.starts_with("this processor: -\n") && !bare.contains("chosen by"),
        "{bare}"
    );
    assert!(bare.contains("missing"));
    f.run("kernels --op nonsense").fails(2);
    assert_eq!(f.run("kernels --without nonsense").code, Some(2));
}

#[test]
fn completions_and_manual() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = f.run(&format!("completions {shell}")).ok();
        assert!(
            String::from_utf8(script).unwrap().contains("keygen"),
            "{shell}"
        );
    }
    let manual = String::from_utf8(f.run("man").ok()).unwrap();
    assert!(
        manual.contains(".TH carrysave 1") && manual.contains("Exit status"),
        "{manual}"
    );
    f.run("man --out-dir .").ok();
    let pages = f.contents();
    assert!(
        pages.contains_key("carrysave.1") && pages.contains_key("carrysave-encrypt.1"),
        "{:?}",
        pages.keys()
    );
    f.run("man --out-dir no/such/folder").fails(4);
}

#[test]
fn demo_shows_the_main_job_and_leaves_nothing() {
    let f = Folder::new();
    f.write("file", noise(10_000));
    let text =
        String::from_utf8(f.run("demo --small --bits 1024 --seconds 0.01 file").ok()).unwrap();
    for word in [
        "keygen",
        "encrypt",
        "decrypt",
        "tampering",
        "sign",
        "verify",
        "signatures/s",
        "together",
        "beside",
    ] {
        assert!(text.contains(word), "{word} is missing: {text}");
    }
    assert_eq!(f.contents().len(), 1);
    f.run("demo --bits 1024")
        .code
        .filter(|code| *code == 2)
        .unwrap();
    let said = f.run("demo --small --bits 512").fails(2);
    assert!(said.contains("784 bits"), "{said}");
    f.run("demo missing")
        .code
        .filter(|code| *code == 4)
        .unwrap();
}

#[test]
fn a_plan_that_cannot_be_written_is_said_before_the_races() {
    let f = Folder::new();
    for arguments in [
        "tune --seconds 60 --out no/such/folder/plan.toml",
        "tune --seconds 60 --out plan.toml --record no/such/folder/r.csv",
    ] {
        f.run(arguments).fails(4);
    }
    assert!(f.contents().is_empty());
}

/// While signatures are written side by side.
#[test]
fn an_interrupt_of_a_batch_leaves_nothing_unfinished() {
    for _ in 0..5 {
        let f = Folder::with_keys();
        fs::create_dir(f.path("d")).unwrap();
        for i in 0..1500 {
            f.write(&format!("d/{i}"), b"");
        }
        let mut child = f.start("sign --key a.pem --force --batch d --manifest m");
        // It has begun to write when one of them is there.
        let names = || {
            let entries = fs::read_dir(f.path("d")).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<Vec<String>>()
        };
        while !names().iter().any(|name| name.ends_with(".sig")) {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        crate::support::signal(&child, "INT");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let left: Vec<String> = names()
            .into_iter()
            .filter(|name| name.starts_with('.'))
            .collect();
        assert_eq!(left, [""; 0]);
        assert_eq!(f.read("m"), b"{\"code\":130,\"reason\":\"interrupted\"}\n");
    }
}
