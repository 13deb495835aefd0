//! The system's program `openssl` with the provider and without it: each verifies, decrypts and reads what the other
//! made. A fallback to the default provider is silent, so every test counts what was done here.

mod common;

use common::Setup;
use common::openssl::{there_is_openssl, there_is_valgrind};
use std::fs;

#[test]
fn each_verifies_the_others_signatures() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let pkcs1 = ["md5", "sha1", "sha256", "sha512-256", "sha3-384"].map(|hash| format!("-{hash}"));
    let pss = [
        "",
        " -sigopt rsa_pss_saltlen:max",
        " -sigopt rsa_pss_saltlen:digest",
    ]
    .map(|salt| format!("-sha384 -sigopt rsa_padding_mode:pss{salt}"));
    let mut made = 0;
    for options in pkcs1.iter().chain(&pss) {
        let sign = format!("dgst {options} -sign k.pem -out s m");
        let verify = format!("dgst {options} -verify p.pem -signature s m");
        f.ours(&sign);
        f.theirs(&verify);
        f.ours(&verify);
        f.theirs(&sign);
        f.ours(&verify);
        made += 1;
        assert_eq!(f.count("signatures"), made, "{options}");
        assert_eq!(f.count("verifications"), 2 * made, "{options}");
    }
    fs::write(f.path("m"), "another").unwrap();
    let said = f.refused("dgst -sha256 -verify p.pem -signature s m");
    assert!(said.contains("the signature does not fit"), "{said}");
}

#[test]
fn bytes_without_a_hash_are_signed_and_recovered() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let digest = f.theirs("dgst -sha256 -binary m");
    fs::write(f.path("d"), &digest).unwrap();
    for options in ["", " -pkeyopt digest:sha256"] {
        f.ours(&format!("pkeyutl -sign -inkey k.pem -in d -out s{options}"));
        let recover = format!("pkeyutl -verifyrecover -pubin -inkey p.pem -in s{options}");
        assert_eq!(f.theirs(&recover), digest);
        assert_eq!(f.ours(&recover), digest);
    }
    // The block holds DigestInfo, so without the hash it is recovered with that.
    let whole = f.ours("pkeyutl -verifyrecover -pubin -inkey p.pem -in s");
    assert!(whole.ends_with(&digest) && whole.len() > digest.len());
    let said = f.refused("pkeyutl -verifyrecover -pubin -inkey p.pem -in s -pkeyopt digest:sha1");
    assert!(said.contains("carrysave refused"), "{said}");
    assert_eq!((f.count("signatures"), f.count("verifications")), (2, 4));
}

#[test]
fn certificates_are_signed() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    for (i, options) in ["", " -sigopt rsa_padding_mode:pss"].iter().enumerate() {
        f.ours(&format!(
            "req -x509 -new -key k.pem -subj /CN=a -days 3 -out c.pem{options}"
        ));
        f.theirs("verify -CAfile c.pem c.pem");
        f.ours("verify -CAfile c.pem c.pem");
        assert_eq!(f.count("signatures"), i as u64 + 1);
        f.theirs("cms -encrypt -in m -outform PEM -out e.p7 c.pem");
        let message = f.ours("cms -decrypt -in e.p7 -inform PEM -inkey k.pem -recip c.pem");
        assert_eq!(message, b"a message");
    }
    f.ours("cms -sign -in m -signer c.pem -inkey k.pem -keyopt rsa_padding_mode:pss -out s.p7 -outform PEM -nodetach");
    f.theirs("cms -verify -in s.p7 -inform PEM -CAfile c.pem");
    assert_eq!((f.count("signatures"), f.count("decryptions")), (3, 2));
}

#[test]
fn keys_for_pss_keep_their_restrictions() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA-PSS");
    let restrict = "-pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha384 \
                    -pkeyopt rsa_pss_keygen_saltlen:48";
    f.ours(&format!(
        "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 {restrict} -out r.pem"
    ));
    let text = String::from_utf8(f.theirs("pkey -in r.pem -noout -text")).unwrap();
    for part in [
        "Hash Algorithm: SHA2-384",
        "MGF1 with SHA2-384",
        "Minimum Salt Length: 48",
    ] {
        assert!(text.contains(part), "{text}");
    }
    f.theirs("pkey -in r.pem -pubout -out rp.pem");
    for (key, public) in [("k.pem", "p.pem"), ("r.pem", "rp.pem")] {
        f.ours(&format!("dgst -sha384 -sign {key} -out s m"));
        let salt = "-sigopt rsa_pss_saltlen:digest";
        f.theirs(&format!(
            "dgst -sha384 {salt} -verify {public} -signature s m"
        ));
        f.ours(&format!(
            "dgst -sha384 {salt} -verify {public} -signature s m"
        ));
    }
    assert_eq!((f.count("signatures"), f.count("verifications")), (2, 2));
    f.refused("dgst -sha256 -sign r.pem -out s m");
    f.refused("dgst -sha384 -sigopt rsa_padding_mode:pkcs1 -sign k.pem -out s m");
    f.refused("pkeyutl -encrypt -pubin -inkey p.pem -in m -out e");
}

#[test]
fn each_decrypts_what_the_other_encrypts() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let oaep = "-pkeyopt rsa_padding_mode:oaep";
    for options in [
        "-pkeyopt rsa_padding_mode:pkcs1".to_owned(),
        oaep.to_owned(),
        format!(
            "{oaep} -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha1 -pkeyopt rsa_oaep_label:6162"
        ),
    ] {
        let encrypt = format!("pkeyutl -encrypt -pubin -inkey p.pem -in m -out e {options}");
        let decrypt = format!("pkeyutl -decrypt -inkey k.pem -in e {options}");
        f.ours(&encrypt);
        assert_eq!(f.theirs(&decrypt), b"a message");
        f.theirs(&encrypt);
        assert_eq!(f.ours(&decrypt), b"a message");
    }
    assert_eq!((f.count("encryptions"), f.count("decryptions")), (3, 3));
    // A wrong block of PKCS #1 v1.5 gives some message, and always the same one.
    f.theirs(&format!(
        "pkeyutl -encrypt -pubin -inkey p.pem -in m -out e {oaep}"
    ));
    let decrypt = "pkeyutl -decrypt -inkey k.pem -in e";
    assert_eq!(f.ours(decrypt), f.ours(decrypt));
    fs::write(f.path("e"), [1; 256]).unwrap();
    let said = f.refused(&format!("{decrypt} {oaep}"));
    assert!(
        said.contains("the ciphertext cannot be decrypted"),
        "{said}"
    );
    // A private key that is not encrypted travels through the formats of the other provider.
    let text = |out: Vec<u8>| String::from_utf8(out).unwrap();
    let both = "rsa -in k.pem -noout -text";
    assert_eq!(text(f.ours(both)), text(f.theirs(both)));
}

#[test]
fn secrets_of_x25519_are_agreed_on() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    f.ours("genpkey -algorithm X25519 -out a.pem");
    f.theirs("genpkey -algorithm X25519 -out b.pem");
    f.ours("pkey -in a.pem -pubout -out ap.pem");
    f.theirs("pkey -in b.pem -pubout -out bp.pem");
    let secret = f.ours("pkeyutl -derive -inkey a.pem -peerkey bp.pem");
    assert_eq!(secret.len(), 32);
    assert_eq!(
        f.theirs("pkeyutl -derive -inkey b.pem -peerkey ap.pem"),
        secret
    );
    assert_eq!(
        f.ours("pkeyutl -derive -inkey b.pem -peerkey ap.pem"),
        secret
    );
    assert_eq!((f.count("keys"), f.count("agreements")), (2, 2));
}

/// OpenSSL's names of the curves that are here.
const CURVES: [&str; 8] = [
    "P-224",
    "P-256",
    "P-384",
    "P-521",
    "secp256k1",
    "brainpoolP256r1",
    "brainpoolP384r1",
    "brainpoolP512r1",
];

#[test]
fn curves_sign_and_agree_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let curve = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve";
    let (mut keys, mut made) = (f.count("keys"), 0);
    for name in CURVES {
        f.ours(&format!("{curve}:{name} -out a.pem"));
        f.theirs(&format!("{curve}:{name} -out b.pem"));
        keys += 1;
        assert_eq!(f.count("keys"), keys, "{name}");
        for key in ["a", "b"] {
            f.theirs(&format!(
                "pkey -in {key}.pem -check -pubout -out {key}p.pem"
            ));
            f.ours(&format!(
                "pkey -in {key}.pem -check -pubout -out {key}q.pem"
            ));
            let [theirs, ours] = ["p", "q"].map(|of| fs::read(f.path(&format!("{key}{of}.pem"))));
            assert_eq!(theirs.unwrap(), ours.unwrap());
            for hash in ["-sha1", "-sha256", "-sha512", "-sha3-256"] {
                let sign = format!("dgst {hash} -sign {key}.pem -out s m");
                let verify = format!("dgst {hash} -verify {key}p.pem -signature s m");
                f.ours(&sign);
                f.theirs(&verify);
                f.theirs(&sign);
                f.ours(&verify);
                made += 1;
                assert_eq!(f.count("signatures"), made, "{name} {hash}");
                assert_eq!(f.count("verifications"), made, "{name} {hash}");
            }
        }
        let secret = f.ours("pkeyutl -derive -inkey a.pem -peerkey bp.pem");
        assert_eq!(
            f.theirs("pkeyutl -derive -inkey b.pem -peerkey ap.pem"),
            secret
        );
        let kdf = "-pkeyopt ecdh_kdf_type:x963kdf -pkeyopt ecdh_kdf_md:sha256 -pkeyopt ecdh_kdf_outlen:77";
        let derive = format!("pkeyutl -derive -inkey a.pem -peerkey bp.pem {kdf}");
        // Not every version of the program has these options.
        if f.command("none.cnf", &derive).status.success() {
            assert_eq!(f.ours(&derive), f.theirs(&derive));
        }
    }
    // Points are written in the form that is asked for.
    for form in ["compressed", "uncompressed"] {
        for out in ["-pubout ", ""] {
            let line = format!("ec -in a.pem {out}-conv_form {form}");
            assert_eq!(f.ours(&line), f.theirs(&line), "{line}");
        }
    }
    fs::write(f.path("m"), "another").unwrap();
    let said = f.refused("dgst -sha256 -verify bp.pem -signature s m");
    assert!(said.contains("the signature does not fit"), "{said}");
}

#[test]
fn certificates_of_curves_are_signed_and_messages_opened() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    for (i, name) in ["P-256", "P-384", "brainpoolP512r1"].iter().enumerate() {
        f.ours(&format!(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{name} -out e.pem"
        ));
        f.ours("req -x509 -new -key e.pem -subj /CN=a -days 3 -sha384 -out c.pem");
        f.theirs("verify -CAfile c.pem c.pem");
        f.ours("verify -CAfile c.pem c.pem");
        assert_eq!(f.count("signatures"), i as u64 + 1);
        // ECDH with a new key of the sender, through X963KDF.
        f.theirs("cms -encrypt -in m -outform PEM -out e.p7 c.pem");
        let open = "cms -decrypt -in e.p7 -inform PEM -inkey e.pem -recip c.pem";
        assert_eq!(f.ours(open), b"a message");
        f.ours("cms -encrypt -in m -outform PEM -out e.p7 c.pem");
        assert_eq!(f.theirs(open), b"a message");
        assert_eq!(f.count("agreements"), 2 * (i as u64 + 1));
    }
}

#[test]
fn ed25519_signs_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    f.ours("genpkey -algorithm ED25519 -out a.pem");
    f.theirs("genpkey -algorithm ED25519 -out b.pem");
    assert_eq!(f.count("keys"), 2);
    let mut made = 0;
    for key in ["a", "b"] {
        let public = format!("pkey -in {key}.pem -check -pubout");
        assert_eq!(f.ours(&public), f.theirs(&public));
        f.theirs(&format!("{public} -out p.pem"));
        let sign = format!("pkeyutl -sign -rawin -inkey {key}.pem -in m -out s");
        let verify = "pkeyutl -verify -rawin -pubin -inkey p.pem -in m -sigfile s";
        f.ours(&sign);
        let signature = fs::read(f.path("s")).unwrap();
        f.theirs(verify);
        f.theirs(&sign);
        assert_eq!(fs::read(f.path("s")).unwrap(), signature);
        f.ours(verify);
        made += 1;
        assert_eq!(f.count("signatures"), made);
        assert_eq!(f.count("verifications"), made);
        assert_eq!(f.count("imports"), 2 * made);
    }
    let text = "pkey -in a.pem -noout -text";
    assert_eq!(f.ours(text), f.theirs(text));
    // A certificate, and a message that is signed with its key.
    f.ours("req -x509 -newkey ed25519 -nodes -keyout a.pem -subj /CN=a -days 3 -out c.pem");
    assert_eq!((f.count("keys"), f.count("signatures")), (3, made + 1));
    f.theirs("verify -CAfile c.pem c.pem");
    f.ours("verify -check_ss_sig -CAfile c.pem c.pem");
    assert!(f.count("verifications") > made);
    // A point that is none stays with the default provider, which finds no signature of it valid.
    let mut der = f.theirs("pkey -in a.pem -pubout -outform DER");
    der.truncate(12);
    der.extend([2; 32]);
    fs::write(f.path("n.der"), der).unwrap();
    let verifications = f.count("verifications");
    f.refused("pkeyutl -verify -rawin -pubin -keyform DER -inkey n.der -in m -sigfile s");
    assert_eq!(f.count("verifications"), verifications);
    fs::write(f.path("m"), "another").unwrap();
    let line = "pkeyutl -verify -rawin -pubin -inkey p.pem -in m -sigfile s";
    let said = f.refused(line);
    assert!(said.contains("the signature does not fit"), "{said}");
    let said = f.refused("dgst -sha256 -sign a.pem -out s m");
    assert!(!said.contains("carrysave has a bug"), "{said}");
}

/// The default provider has the variants from OpenSSL 3.2 on.
#[test]
fn variants_of_ed25519_sign_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    f.ours("genpkey -algorithm ED25519 -out a.pem");
    f.theirs("pkey -in a.pem -pubout -out p.pem");
    let sign = |options| format!("pkeyutl -sign -rawin -inkey a.pem -in m -out s {options}");
    let verify =
        |options| format!("pkeyutl -verify -rawin -pubin -inkey p.pem -in m -sigfile s {options}");
    let (mut made, mut verified) = (0, 0);
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for options in [
        "-pkeyopt instance:Ed25519",
        "-pkeyopt instance:Ed25519ctx -pkeyopt hexcontext-string:616263",
        "-pkeyopt instance:Ed25519ph",
        "-pkeyopt instance:ED25519PH -pkeyopt context-string:abc",
    ] {
        if f.command("none.cnf", &sign(options)).status.success() {
            f.ours(&verify(options));
            f.ours(&sign(options));
            f.theirs(&verify(options));
            verified += 1;
        } else {
            f.ours(&sign(options));
        }
        f.ours(&verify(options));
        (made, verified) = (made + 1, verified + 1);
        let signature = fs::read(f.path("s")).unwrap();
        assert!(!seen.contains(&signature), "{options}");
        seen.push(signature);
        assert_eq!(f.count("signatures"), made, "{options}");
        assert_eq!(f.count("verifications"), verified, "{options}");
    }
    for options in [
        "-pkeyopt instance:Ed25519 -pkeyopt context-string:abc",
        "-pkeyopt instance:Ed25519ctx",
        "-pkeyopt instance:Ed448",
    ] {
        f.refused(&sign(options));
    }
    assert_eq!(f.count("signatures"), made);
}

/// The default provider makes keys on curves that are not here, and does what is asked of them.
#[test]
fn other_curves_are_the_default_providers() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let counts = || ["keys", "signatures", "verifications", "agreements"].map(|name| f.count(name));
    let before = counts();
    let mut curves = 0;
    for name in ["P-192", "secp160k1", "brainpoolP320r1", "sect233k1"] {
        let curve = format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{name}");
        // Some systems leave old curves out.
        if !f
            .command("none.cnf", &format!("{curve} -out b.pem"))
            .status
            .success()
        {
            continue;
        }
        curves += 1;
        for generate in [
            format!("{curve} -out a.pem"),
            format!("{curve} -pkeyopt ec_param_enc:explicit -out a.pem"),
            format!("ecparam -name {name} -genkey -noout -out a.pem"),
            "genpkey -paramfile g.pem -out a.pem".to_owned(),
        ] {
            f.ours(&format!(
                "genpkey -genparam -algorithm EC -pkeyopt ec_paramgen_curve:{name} -out g.pem"
            ));
            f.ours(&generate);
            for key in ["a", "b"] {
                for (say, to) in [(Setup::theirs as Said, "p"), (Setup::ours, "q")] {
                    say(
                        &f,
                        &format!("pkey -in {key}.pem -check -pubout -out {key}{to}.pem"),
                    );
                }
                let [theirs, ours] =
                    ["p", "q"].map(|of| fs::read(f.path(&format!("{key}{of}.pem"))));
                assert_eq!(theirs.unwrap(), ours.unwrap(), "{generate}");
                let sign = format!("dgst -sha256 -sign {key}.pem -out s m");
                let verify = format!("dgst -sha256 -verify {key}p.pem -signature s m");
                f.ours(&sign);
                f.theirs(&verify);
                f.ours(&verify);
            }
            let secret = f.ours("pkeyutl -derive -inkey a.pem -peerkey bp.pem");
            let again = f.theirs("pkeyutl -derive -inkey b.pem -peerkey ap.pem");
            assert_eq!(secret, again, "{generate}");
        }
        f.ours(&format!("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:{name} -nodes -subj /CN=a -keyout k.pem -out c.pem"));
        f.theirs("verify -CAfile c.pem c.pem");
        f.ours("verify -CAfile c.pem c.pem");
        fs::write(f.path("n"), "another").unwrap();
        f.refused("dgst -sha256 -verify ap.pem -signature s n");
    }
    assert!(curves > 0, "this OpenSSL has none of these curves");
    assert_eq!(counts(), before);
    let said = f.refused("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-257 -out n.pem");
    assert!(said.contains("invalid curve"), "{said}");
}

/// A run of `openssl`, with the provider or without.
type Said = fn(&Setup, &str) -> Vec<u8>;

#[test]
fn curves_are_described_on_request() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    let keys = f.count("keys");
    f.ours(
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit -out e.pem",
    );
    assert_eq!(f.count("keys"), keys + 1);
    let said = f.theirs("pkey -in e.pem -noout -text");
    assert!(String::from_utf8_lossy(&said).contains("Field Type: prime-field"));
    f.ours("dgst -sha256 -sign e.pem -out s m");
    f.theirs("pkey -in e.pem -pubout -out p.pem");
    f.theirs("dgst -sha256 -verify p.pem -signature s m");
    f.theirs("dgst -sha256 -sign e.pem -out s m");
    f.ours("dgst -sha256 -verify p.pem -signature s m");
    assert_eq!((f.count("signatures"), f.count("verifications")), (1, 1));
}

/// From the paper, version 1.3, appendix C.
#[test]
fn skein_is_a_hash_function_of_openssl() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    fs::write(f.path("m"), [0xff]).unwrap();
    let digest = f.ours("dgst -SKEIN-512 -binary m");
    assert_eq!(
        (digest.len(), &digest[..4]),
        (64, &[0x71, 0xb7, 0xbc, 0xe6][..])
    );
    assert_eq!(f.ours("dgst -SKEIN-256 -binary m").len(), 32);
    assert_eq!(f.ours("dgst -SKEIN-512-256 -binary m").len(), 32);
    // libcrypto has room for no longer one.
    for digest in ["SKEIN-512", "SKEIN-256", "SKEIN-512-256"] {
        let mac = f.ours(&format!("dgst -{digest} -hmac key -binary m"));
        assert_eq!(
            mac.len(),
            f.ours(&format!("dgst -{digest} -binary m")).len()
        );
    }
    f.refused("dgst -SKEIN-1024 -binary m");
}

#[test]
fn a_server_and_a_client_shake_hands() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::with_key("RSA");
    f.ours("req -x509 -new -key k.pem -subj /CN=localhost -days 3 -out c.pem");
    f.ours("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out e.pem");
    f.ours("req -x509 -new -key e.pem -subj /CN=localhost -days 3 -out ec.pem");
    f.ours("genpkey -algorithm ED25519 -out d.pem");
    f.ours("req -x509 -new -key d.pem -subj /CN=localhost -days 3 -out ed.pem");
    let rsa = "-cert c.pem -key k.pem";
    let edwards = "-cert ed.pem -key d.pem";
    let curve = "-cert ec.pem -key e.pem";
    let mut before = (
        f.count("signatures"),
        f.count("decryptions"),
        f.count("agreements"),
    );
    for (server, key, client, done) in [
        ("-tls1_3", rsa, "-tls1_3", (1, 0, 1)),
        ("-tls1_3 -async", rsa, "-tls1_3", (1, 0, 1)),
        (
            "-tls1_2",
            rsa,
            "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
            (1, 0, 1),
        ),
        (
            "-tls1_2",
            rsa,
            "-tls1_2 -cipher AES128-GCM-SHA256",
            (0, 1, 0),
        ),
        ("-tls1_3", curve, "-tls1_3 -groups P-384", (1, 0, 1)),
        ("-tls1_3", curve, "-tls1_3 -groups P-521", (1, 0, 1)),
        ("-tls1_3 -async", curve, "-tls1_3 -groups P-256", (1, 0, 1)),
        ("-tls1_2", curve, "-tls1_2 -groups P-256:P-384", (1, 0, 1)),
        // The agreement is the default provider's.
        (
            "-tls1_2 -groups secp224k1",
            rsa,
            "-tls1_2 -groups secp224k1 -cipher ECDHE-RSA-AES128-GCM-SHA256",
            (1, 0, 0),
        ),
        ("-tls1_3", edwards, "-tls1_3", (1, 0, 1)),
        ("-tls1_3 -async", edwards, "-tls1_3", (1, 0, 1)),
        ("-tls1_2", edwards, "-tls1_2", (1, 0, 1)),
    ] {
        f.serves(&format!("{key} {server}"), client);
        let after = (
            f.count("signatures"),
            f.count("decryptions"),
            f.count("agreements"),
        );
        let made = (after.0 - before.0, after.1 - before.1, after.2 - before.2);
        assert_eq!(made, done, "{server}, {client}");
        before = after;
    }
    // That of the server with RSA and -async.
    assert_eq!((f.count("pauses"), f.count("groups")), (1, 1));
}

/// Under valgrind, with openssl as the program: no access out of bounds, nothing read before it is written, no leak.
#[test]
fn valgrind_finds_nothing() {
    if !there_is_openssl() || !there_is_valgrind() {
        return;
    }
    let f = Setup::with_key("RSA");
    f.theirs("genpkey -algorithm X25519 -out a.pem");
    f.theirs("pkey -in a.pem -pubout -out ap.pem");
    f.theirs("pkeyutl -encrypt -pubin -inkey p.pem -in m -out e -pkeyopt rsa_padding_mode:oaep");
    f.theirs("dgst -sha256 -sign k.pem -out v m");
    f.theirs("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out e.pem");
    f.theirs("pkey -in e.pem -pubout -out ep.pem");
    f.theirs("dgst -sha384 -sign e.pem -out w m");
    f.theirs("genpkey -algorithm ED25519 -out d.pem");
    f.theirs("pkey -in d.pem -pubout -out dp.pem");
    f.theirs("pkeyutl -sign -rawin -inkey d.pem -in m -out x");
    for line in [
        "dgst -sha256 -sigopt rsa_padding_mode:pss -sign k.pem -out s m",
        "dgst -sha256 -verify p.pem -signature v m",
        "pkeyutl -decrypt -inkey k.pem -in e -pkeyopt rsa_padding_mode:oaep",
        "pkeyutl -derive -inkey a.pem -peerkey ap.pem",
        "pkeyutl -derive -inkey e.pem -peerkey ep.pem",
        "dgst -sha384 -sign e.pem -out s m",
        "dgst -sha384 -verify ep.pem -signature w m",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -out f.pem",
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:brainpoolP320r1 -nodes -subj /CN=a -keyout g.pem -out h.pem",
        "pkeyutl -sign -rawin -inkey d.pem -in m -out s",
        "pkeyutl -verify -rawin -pubin -inkey dp.pem -in m -sigfile x",
        "genpkey -algorithm ED25519 -out f.pem",
        "pkey -in k.pem -noout -text",
        "dgst -SKEIN-512 m",
    ] {
        f.under_valgrind(line);
    }
    assert_eq!(
        (
            f.count("signatures"),
            f.count("decryptions"),
            f.count("agreements")
        ),
        (3, 1, 2)
    );
}

/// Files of all lengths around blocks, streamed in the pieces that the program reads, by both sides.
#[test]
fn aes_encrypts_both_ways() {
    if !there_is_openssl() {
        return;
    }
    let f = Setup::new();
    fs::write(f.path("none.cnf"), "").unwrap();
    let read = |name: &str| fs::read(f.path(name)).unwrap();
    let iv = "fffffffffffffffffffffffffffffffe";
    for bits in [128, 192, 256] {
        let key: String = (0..bits / 4).map(|i| format!("{:x}", i % 16)).collect();
        for (mode, iv) in [("ctr", format!(" -iv {iv}")), ("ecb", String::new())] {
            let mut before = f.count("ciphers");
            for len in [0, 1, 15, 16, 17, 31, 32, 8191, 8192, 8193, 100_000] {
                let message: Vec<u8> = (0..len).map(|i: u32| (i * 7 / 4) as u8).collect();
                fs::write(f.path("m"), &message).unwrap();
                let with = format!("enc -aes-{bits}-{mode} -K {key}{iv}");
                f.ours(&format!("{with} -in m -out a"));
                f.theirs(&format!("{with} -in m -out b"));
                assert_eq!(read("a"), read("b"), "{with} of {len}");
                f.ours(&format!("{with} -d -in b -out c"));
                assert_eq!(read("c"), message, "{with} of {len}");
                assert!(f.count("ciphers") >= before + 2, "{with}");
                before = f.count("ciphers");
            }
        }
    }
    let ecb = "enc -aes-128-ecb -K 00112233445566778899aabbccddeeff";
    fs::write(f.path("m"), [7; 31]).unwrap();
    let said = f.refused(&format!("{ecb} -nopad -in m -out a"));
    assert!(said.contains("not whole blocks"), "{said}");
}
