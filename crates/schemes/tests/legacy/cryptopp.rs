//! Crypto++ reads what we write, and we read what it writes: keys, ciphertexts and signatures.

use crate::support::*;
use crate::*;
use carrysave_schemes::dl::{self, Form};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::nr;
use carrysave_schemes::testing::{NoFaults, nr_sign};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

/// The program of the other side, compiled once for all tests; `None` with a printed notice, without Crypto++ or a
/// compiler.
pub fn peer() -> Option<Peer> {
    static PROGRAM: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let folder = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/legacy/peer.cpp");
        let mut compiler = Command::new("c++");
        compiler.args(["-O1", "-w", "-o"]);
        compiler
            .arg(folder.path().join("peer"))
            .args([source, "-lcryptopp"]);
        let output = compiler.output();
        if output.as_ref().is_ok_and(|output| output.status.success()) {
            return Some(folder);
        }
        if let Ok(output) = output {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        eprintln!(
            "SKIPPED: no Crypto++: install `g++` and `libcrypto++-dev` to check interoperation"
        );
        None
    });
    let mut child = Command::new(folder.as_ref()?.path().join("peer"));
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("it was just compiled");
    let pipes = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    Some(Peer {
        child,
        pipes: RefCell::new(pipes),
    })
}

pub struct Peer {
    child: Child,
    pipes: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Peer {
    /// The words of an answer; `None` if the request was refused.
    pub fn ask(&self, request: &str, words: &[&[u8]]) -> Option<Vec<Vec<u8>>> {
        let mut line = request.to_owned();
        for word in words {
            line += if word.is_empty() { " -" } else { " " };
            line.extend(word.iter().map(|octet| format!("{octet:02x}")));
        }
        self.send(&line)
    }

    pub fn send(&self, line: &str) -> Option<Vec<Vec<u8>>> {
        let (input, output) = &mut *self.pipes.borrow_mut();
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        let octets = |word: &str| if word == "-" { Vec::new() } else { hex(word) };
        match answer.trim() {
            "refused" => None,
            "right" => Some(Vec::new()),
            words => Some(words.split_whitespace().map(octets).collect()),
        }
    }

    pub fn one(&self, request: &str, words: &[&[u8]]) -> Vec<u8> {
        let answer = self
            .ask(request, words)
            .unwrap_or_else(|| panic!("{request} was refused"));
        answer.into_iter().next().unwrap()
    }

    /// A private and a public key of theirs.
    fn generate(&self, scheme: &str, bits: usize) -> [Vec<u8>; 2] {
        let keys = self.send(&format!("{scheme}-generate {bits}")).unwrap();
        keys.try_into().unwrap()
    }

    pub fn refuses(&self, request: &str, words: &[&[u8]]) {
        assert!(self.ask(request, words).is_none(), "{request}");
    }
}

#[test]
fn rabin_goes_both_ways() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    for bits in [1024, 1032, 2048] {
        let [private, public] = peer.generate("rabin", bits);
        let theirs = rabin::PrivateKey::from_der(&private).unwrap();
        assert_eq!((*theirs.to_der()).clone(), private);
        assert_eq!(theirs.public().to_der(), public);
        for key in [theirs, rabin_key(bits)] {
            let (private, public) = (key.to_der(), key.public().to_der());
            for (hash, name) in [(Hash::Sha1, "sha1"), (Hash::Sha256, "sha256")] {
                let (to, from) = (
                    format!("rabin-encrypt-{name}"),
                    format!("rabin-decrypt-{name}"),
                );
                for m in [&b""[..], b"x", &[7; 60]] {
                    let c = peer.one(&to, &[&public, b"label", m]);
                    assert_eq!(
                        *key.rabines_oaep_decrypt(rng, hash, b"label", &c).unwrap(),
                        m
                    );
                    assert!(key.rabines_oaep_decrypt(rng, hash, b"", &c).is_err());
                    let c = key
                        .public()
                        .rabines_oaep_encrypt(rng, hash, b"label", m)
                        .unwrap();
                    assert_eq!(peer.one(&from, &[&private, b"label", &c]), m);
                    peer.refuses(&from, &[&private, b"", &c]);
                }
            }
            for m in [&b""[..], b"a message"] {
                let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(m));
                let s = peer.one("rabin-sign", &[&private, m]);
                key.public()
                    .rabinss_pssr_verify(hash, b"", &digest, &s)
                    .unwrap();
                let s = peer.one("rabin-sign", &[&private, m, b"inside"]);
                let inside = key
                    .public()
                    .rabinss_pssr_recover(hash, &digest, &s)
                    .unwrap();
                assert_eq!(inside, b"inside");
                let s = key.rabinss_pssr_sign(rng, hash, b"", &digest).unwrap();
                peer.ask("rabin-verify", &[&public, m, &s]).unwrap();
                peer.refuses("rabin-verify", &[&public, b"another", &s]);
                let s = key
                    .rabinss_pssr_sign(rng, hash, b"inside", &digest)
                    .unwrap();
                assert_eq!(peer.one("rabin-recover", &[&public, m, &s]), b"inside");
            }
        }
    }
}

#[test]
fn rw_goes_both_ways() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    for bits in [1024, 1032, 2048] {
        let [private, public] = peer.generate("rw", bits);
        let theirs = rw::PrivateKey::from_der(&private).unwrap();
        assert_eq!((*theirs.to_der()).clone(), private);
        assert_eq!(theirs.public().to_der(), public);
        for key in [theirs, rw_key(bits)] {
            let (private, public) = (key.to_der(), key.public().to_der());
            for m in [&b""[..], b"a message"] {
                let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(m));
                let s = peer.one("rw-sign", &[&private, m]);
                key.public()
                    .rwss_pssr_verify(hash, b"", &digest, &s)
                    .unwrap();
                let s = peer.one("rw-sign", &[&private, m, b"inside"]);
                assert_eq!(
                    key.public().rwss_pssr_recover(hash, &digest, &s).unwrap(),
                    b"inside"
                );
                let s = key.rwss_pssr_sign(rng, hash, b"", &digest).unwrap();
                peer.ask("rw-verify", &[&public, m, &s]).unwrap();
                peer.refuses("rw-verify", &[&public, b"another", &s]);
                let s = key.rwss_pssr_sign(rng, hash, b"inside", &digest).unwrap();
                assert_eq!(peer.one("rw-recover", &[&public, m, &s]), b"inside");
                // One signature only: ours is theirs.
                let s = key.rwss_emsa2_sign(rng, hash, &digest).unwrap();
                peer.ask("rw-emsa2-verify", &[&public, m, &s]).unwrap();
                assert_eq!(peer.one("rw-emsa2-sign", &[&private, m]), s);
                key.public().rwss_emsa2_verify(hash, &digest, &s).unwrap();
            }
        }
    }
}

#[test]
fn esign_goes_both_ways() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    for bits in [1023, 1152, 2046] {
        let [private, public] = peer.generate("esign", bits);
        let theirs = esign::PrivateKey::from_der(&private).unwrap();
        assert_eq!((*theirs.to_der()).clone(), private);
        assert_eq!(theirs.public().to_der(), public);
        for key in [theirs, esign_key(bits)] {
            let (private, public) = (key.to_der(), key.public().to_der());
            for m in [&b""[..], b"a message"] {
                let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(m));
                let s = peer.one("esign-sign", &[&private, m]);
                key.public().esign_emsa5_verify(hash, &digest, &s).unwrap();
                let s = key.esign_emsa5_sign(rng, hash, &digest).unwrap();
                peer.ask("esign-verify", &[&public, m, &s]).unwrap();
                peer.refuses("esign-verify", &[&public, b"another", &s]);
            }
        }
    }
}

#[test]
fn nr_goes_both_ways() {
    let Some(peer) = peer() else { return };
    for bits in [1024, 2048] {
        let [private, public] = peer.generate("nr", bits);
        let (form, theirs) = dl::PrivateKey::from_pkcs8_der(&private).unwrap();
        assert_eq!(*theirs.to_pkcs8_der(form).unwrap(), private);
        assert_eq!(theirs.public().to_spki_der(form).unwrap(), public);
        let ours = dl::PrivateKey::generate_with(theirs.group(), &mut rng());
        for key in [theirs, ours] {
            let private = key.to_pkcs8_der(Form::Dsa).unwrap();
            let public = key.public().to_spki_der(Form::Dsa).unwrap();
            for (hash, name) in [
                (Hash::Sha1, "sha1"),
                (Hash::Sha256, "sha256"),
                (Hash::Sha512, "sha512"),
            ] {
                let verifies = format!("nr-verify-{name}");
                for m in [&b""[..], b"a message"] {
                    let digest = hash.digest(m);
                    let s = peer.one(&format!("nr-sign-{name}"), &[&private, m]);
                    let s = dl::Signature::from_be_bytes(key.group(), &s).unwrap();
                    nr::verify(key.public(), hash, &digest, &s).unwrap();
                    // Only this test signs with SHA-1.
                    let s = nr_sign(&key, hash, &digest, &mut NoFaults).unwrap();
                    let s = s.to_be_bytes(key.group());
                    peer.ask(&verifies, &[&public, m, &s]).unwrap();
                    peer.refuses(&verifies, &[&public, b"another", &s]);
                }
            }
        }
    }
}
