//! Diffie-Hellman modulo primes with the system's program `openssl`: groups with a name and those without, both ways.

mod common;

use common::Setup;
use common::openssl::{there_is_openssl, there_is_valgrind};
use std::fs;

/// Groups as `genpkey` is told of them: RFC 7919, RFC 3526, RFC 5114.
const NAMED: [&str; 14] = [
    "ffdhe2048",
    "ffdhe3072",
    "ffdhe4096",
    "ffdhe6144",
    "ffdhe8192",
    "modp_1536",
    "modp_2048",
    "modp_3072",
    "modp_4096",
    "modp_6144",
    "modp_8192",
    "dh_1024_160",
    "dh_2048_224",
    "dh_2048_256",
];

impl Setup {
    /// Both sides agree on a secret: the key `a.pem` of this provider, and `b.pem` of the other.
    fn agrees(&self) -> Vec<u8> {
        self.theirs("pkey -in a.pem -pubout -out ap.pem");
        self.theirs("pkey -in b.pem -pubout -out bp.pem");
        let before = self.count("agreements");
        let secret = self.ours("pkeyutl -derive -inkey a.pem -peerkey bp.pem");
        assert_eq!(
            self.theirs("pkeyutl -derive -inkey b.pem -peerkey ap.pem"),
            secret
        );
        assert_eq!(
            self.ours("pkeyutl -derive -inkey b.pem -peerkey ap.pem"),
            secret
        );
        assert_eq!(self.count("agreements") - before, 2);
        secret
    }

    /// Parameters without a name, in a file: the p of a standard group with another generator, so 2048 bits.
    fn unnamed(&self, file: &str, g: u8) {
        self.theirs("genpkey -genparam -algorithm DH -pkeyopt group:modp_2048 -out known.pem");
        self.theirs("dhparam -in known.pem -outform DER -out own.der");
        let mut der = fs::read(self.path("own.der")).unwrap();
        // SEQUENCE { p, g }
        assert_eq!(der.last(), Some(&2));
        *der.last_mut().unwrap() = g;
        fs::write(self.path("own.der"), der).unwrap();
        self.theirs(&format!("dhparam -inform DER -in own.der -out {file}"));
    }

    fn text(&self, line: &str) -> String {
        String::from_utf8(self.theirs(line)).unwrap()
    }
}

#[test]
fn groups_with_a_name_agree_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    for (i, name) in NAMED.into_iter().enumerate() {
        let generate = format!("genpkey -algorithm DH -pkeyopt group:{name}");
        f.ours(&format!("{generate} -out a.pem"));
        assert_eq!(f.count("keys"), i as u64 + 1, "{name}");
        f.theirs(&format!("{generate} -out b.pem"));
        f.agrees();
        let [ours, theirs] =
            ["a", "b"].map(|key| f.text(&format!("pkey -in {key}.pem -noout -text")));
        let group = format!("GROUP: {name}");
        assert!(ours.contains(&group) && theirs.contains(&group), "{ours}");
        // The private keys are as short.
        let lines = |text: &str| text.split("public-key").next().unwrap().lines().count();
        assert!(lines(&ours) <= lines(&theirs), "{ours} {theirs}");
        f.theirs("pkey -in a.pem -check -noout");
        f.ours("pkey -in a.pem -check -noout");
    }
}

#[test]
fn groups_without_a_name_agree_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    // New ones; and generators that are squares and are none.
    f.ours("dhparam -out two.pem 512");
    f.theirs("dhparam -3 -out three.pem 512");
    f.unnamed("square.pem", 4);
    f.unnamed("none.pem", 11);
    for parameters in ["two", "three", "square", "none"] {
        let file = format!("{parameters}.pem");
        f.ours(&format!("genpkey -paramfile {file} -out a.pem"));
        f.theirs(&format!("genpkey -paramfile {file} -out b.pem"));
        f.agrees();
    }
}

#[test]
fn new_parameters_are_in_order() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    for (line, parts) in [
        ("dhparam -out d.pem 512", ["512 bit", "2 (0x2)"]),
        (
            "dhparam -out d.pem 512",
            ["512 bit", "recommended-private-length: 125 bits"],
        ),
        ("dhparam -5 -out d.pem 520", ["520 bit", "5 (0x5)"]),
        (
            "genpkey -genparam -algorithm DH -pkeyopt dh_paramgen_prime_len:512 -pkeyopt dh_paramgen_generator:3 -out d.pem",
            ["512 bit", "3 (0x3)"],
        ),
        (
            "genpkey -genparam -algorithm DH -pkeyopt group:ffdhe3072 -out d.pem",
            ["3072 bit", "GROUP: ffdhe3072"],
        ),
        (
            "genpkey -genparam -algorithm DH -pkeyopt type:group -pkeyopt pbits:4096 -out d.pem",
            ["4096 bit", "GROUP: ffdhe4096"],
        ),
    ] {
        f.ours(line);
        let text = f.text("pkeyparam -in d.pem -noout -text");
        for part in parts {
            assert!(text.contains(part), "{line}: {text}");
        }
        f.theirs("dhparam -in d.pem -check -noout");
        f.ours("dhparam -in d.pem -check -noout");
        let checked = f.text("pkeyparam -in d.pem -check -noout");
        assert!(checked.contains("are valid"), "{checked}");
    }
    for line in [
        "genpkey -genparam -algorithm DH -pkeyopt dh_paramgen_prime_len:511",
        "genpkey -genparam -algorithm DH -pkeyopt dh_paramgen_prime_len:10001",
        "genpkey -genparam -algorithm DH -pkeyopt pbits:512 -pkeyopt safeprime-generator:1",
        "genpkey -genparam -algorithm DH -pkeyopt type:group -pkeyopt pbits:2047",
        "genpkey -algorithm DH -pkeyopt group:ffdhe2049",
        "genpkey -algorithm DH -pkeyopt type:fips186_4",
        "genpkey -algorithm DH -pkeyopt group:ffdhe2048 -pkeyopt priv_len:200",
        "genpkey -algorithm DH",
    ] {
        let said = f.refused(line);
        assert!(said.contains("carrysave refused"), "{line}: {said}");
    }
    assert_eq!(f.count("keys"), 0);
    // A length that fits is kept.
    f.ours("genpkey -algorithm DH -pkeyopt group:ffdhe2048 -pkeyopt priv_len:1024 -out a.pem");
    let text = f.text("pkey -in a.pem -noout -text");
    let lines = text.split("public-key").next().unwrap().lines().count();
    assert!(lines >= 10 && text.contains("1024 bits"), "{text}");
}

#[test]
fn keys_are_derived_from_secrets() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    let generate = "genpkey -algorithm DH -pkeyopt group:modp_1536";
    f.ours(&format!("{generate} -out a.pem"));
    f.theirs(&format!("{generate} -out b.pem"));
    f.theirs("pkey -in b.pem -pubout -out bp.pem");
    let derive = "pkeyutl -derive -inkey a.pem -peerkey bp.pem";
    let padded = f.ours(&format!("{derive} -pkeyopt dh_pad:1"));
    assert_eq!(padded, f.theirs(&format!("{derive} -pkeyopt dh_pad:1")));
    assert_eq!(padded.len(), 192);
    let kdf = "-pkeyopt kdf-type:X942KDF-ASN1 -pkeyopt kdf-outlen";
    let mut made = 1;
    for wrap in [
        "AES-128-WRAP",
        "id-aes192-wrap",
        "AES-256-WRAP",
        "DES3-WRAP",
    ] {
        for (digest, len) in [("SHA1", 20), ("SHA256", 100), ("SHA3-384", 1)] {
            for ukm in [
                "",
                " -pkeyopt hexkdf-ukm:00ff01",
                &format!(" -pkeyopt hexkdf-ukm:{}", "5a".repeat(200)),
            ] {
                let line = format!(
                    "{derive} {kdf}:{len} -pkeyopt kdf-digest:{digest} -pkeyopt cekalg:{wrap}{ukm}"
                );
                let key = f.ours(&line);
                assert_eq!(key, f.theirs(&line), "{line}");
                assert_eq!(key.len(), len);
                made += 1;
            }
        }
    }
    assert_eq!(f.count("agreements"), made);
    for options in [
        "-pkeyopt kdf-type:X963KDF",
        "-pkeyopt kdf-type:X942KDF-ASN1 -pkeyopt kdf-outlen:32 -pkeyopt kdf-digest:SHA256",
        "-pkeyopt kdf-type:X942KDF-ASN1 -pkeyopt kdf-outlen:32 -pkeyopt cekalg:AES-128-WRAP",
        "-pkeyopt cekalg:AES-128-CBC",
    ] {
        f.refused(&format!("{derive} {options}"));
    }
    assert_eq!(f.count("agreements"), made);
}

/// What does not fit here ends with the default provider, as it did before: its results, or its errors.
#[test]
fn absurd_files_are_left_to_the_default_provider() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    f.theirs("genpkey -algorithm DHX -pkeyopt dh_rfc5114:3 -out a.pem");
    f.theirs("pkey -in a.pem -pubout -out ap.pem");
    let derive = "pkeyutl -derive -inkey a.pem -peerkey ap.pem";
    assert_eq!(f.ours(derive), f.theirs(derive));
    assert_eq!((f.count("imports"), f.count("agreements")), (0, 0));
    // SEQUENCE { p, g } in DER, where p has 256 bits, is even, or has more bits than are computed with.
    let number = |bytes: &[u8]| {
        let mut der = vec![2, 0x82];
        der.extend((bytes.len() as u16 + 1).to_be_bytes());
        der.push(0);
        [der, bytes.to_vec()].concat()
    };
    let even = [vec![0xff; 127], vec![0xfe]].concat();
    for (p, g) in [
        (vec![0xff; 32], vec![2]),
        (even, vec![2]),
        (vec![0xff; 1251], vec![2]),
        (vec![0xff; 128], vec![1]),
        (vec![0xff; 128], vec![0]),
        (vec![0xff; 128], [vec![0xff; 127], vec![0xfe]].concat()),
        (vec![0xff; 128], vec![0xff; 200]),
    ] {
        let content = [number(&p), number(&g)].concat();
        let mut der = vec![0x30, 0x82];
        der.extend((content.len() as u16).to_be_bytes());
        fs::write(f.path("d.der"), [der, content].concat()).unwrap();
        for line in [
            "dhparam -inform DER -in d.der -check -noout",
            "genpkey -paramfile d.der",
        ] {
            let [ours, theirs] = ["openssl.cnf", "none.cnf"].map(|conf| f.command(conf, line));
            assert!(ours.status.code().is_some(), "{line}: {ours:?}");
            // Without q, the default provider generates keys for some bad generators. Here there are none.
            assert!(
                !ours.status.success() || theirs.status.success(),
                "{ours:?}"
            );
        }
    }
    assert_eq!((f.count("keys"), f.count("imports")), (0, 0));
}

#[test]
fn servers_and_clients_shake_hands() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_message();
    f.theirs("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out k.pem");
    f.theirs("req -x509 -new -key k.pem -subj /CN=localhost -days 3 -out c.pem");
    f.unnamed("own.pem", 11);
    let cipher = "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256";
    for (server, client) in [
        ("-tls1_3 -groups ffdhe2048", "-tls1_3 -groups ffdhe2048"),
        ("-tls1_3 -groups ffdhe3072", "-tls1_3 -groups ffdhe3072"),
        (
            "-tls1_3 -async -groups ffdhe2048",
            "-tls1_3 -groups ffdhe2048",
        ),
        ("-tls1_2 -dhparam own.pem", cipher),
        ("-tls1_2 -dhparam known.pem", cipher),
        ("-tls1_2", cipher),
        ("-tls1_2 -async -dhparam own.pem", cipher),
    ] {
        let server = format!("-cert c.pem -key k.pem {server}");
        let client = format!("-CAfile c.pem -verify_return_error {client}");
        let mut before = (f.count("keys"), f.count("agreements"));
        for (servers, clients) in [("openssl.cnf", "none.cnf"), ("none.cnf", "openssl.cnf")] {
            f.meet(servers, &server, clients, &client);
            let after = (f.count("keys"), f.count("agreements"));
            let made = (after.0 - before.0, after.1 - before.1);
            // OpenSSL has the provider that read a file of parameters generate keys with them.
            let read = servers == "openssl.cnf" && server.contains("-dhparam");
            let keys = if read { made.0 } else { 1 };
            assert_eq!(made, (keys, 1), "{server}, {client}: {servers}");
            before = after;
        }
    }
}

/// Under valgrind, with openssl as the program: no access out of bounds, nothing read before it is written, no leak.
#[test]
fn valgrind_finds_nothing() {
    if !there_is_openssl() || !there_is_valgrind() {
        return;
    }
    let f = Setup::with_message();
    f.unnamed("own.pem", 11);
    f.theirs("genpkey -algorithm DH -pkeyopt group:ffdhe2048 -out a.pem");
    f.theirs("pkey -in a.pem -pubout -out ap.pem");
    f.theirs("genpkey -paramfile own.pem -out b.pem");
    f.theirs("pkey -in b.pem -pubout -out bp.pem");
    for line in [
        "genpkey -algorithm DH -pkeyopt group:ffdhe2048 -out c.pem",
        "pkeyutl -derive -inkey a.pem -peerkey ap.pem -pkeyopt dh_pad:1",
        "pkeyutl -derive -inkey b.pem -peerkey bp.pem",
    ] {
        f.under_valgrind(line);
    }
    assert_eq!((f.count("keys"), f.count("agreements")), (1, 2));
}
