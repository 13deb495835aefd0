//! `carrysave-lab soak`: what its own processes do, and what it says of a wrong command line.

use crate::support::Folder;

#[test]
fn processes_work_for_as_long_as_each_line_says() {
    let f = Folder::new();
    for name in ["signer", "service"] {
        let arguments = format!("soak --inside {name} --clients 3");
        let out = f.run_with(&arguments, b"0.2\n0\n").ok();
        let counts: Vec<u64> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|line| line.parse().unwrap())
            .collect();
        // Each thread does one thing at least: two threads, or three callers and one more.
        let threads = if name == "signer" { 2 } else { 4 };
        assert!(matches!(counts[..], [long, short] if long >= threads && short == threads));
    }
}

#[test]
fn what_cannot_go_on_is_refused() {
    let f = Folder::new();
    let run = f.run("soak nothing");
    assert_eq!(run.code, Some(2));
    assert!(
        run.err.contains("signer, service, farm, haproxy"),
        "{}",
        run.err
    );
    for wrong in [
        "soak signer --minutes=-1",
        "soak signer --minutes=1e17",
        "handshakes --seconds=0",
        "handshakes --seconds=1e19",
        "handshakes --seconds=nan",
    ] {
        let run = f.run(wrong);
        assert_eq!(run.code, Some(2), "{wrong}");
        assert!(run.err.contains("a number of "), "{wrong}: {}", run.err);
    }
    let said = f.run("soak farm --farm absent").fails(4);
    assert!(said.contains("carrysave-cluster"), "{said}");
    f.run_with("soak --inside nothing", b"").fails(4);
    f.run_with("soak --inside signer", b"soon\n").fails(4);
}
