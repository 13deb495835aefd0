//! NIST's CAVP vectors for curves: key pairs, public keys, signatures with given nonces (FIPS 186-3), and agreements (SP
//! 800-56A).

use crate::vectors::{Fields, assignments, for_each_case, hash, read};
use carrysave_arith::field::Field;
use carrysave_schemes::ec::{Named, P224, P256, P384, P521, PrivateKey, PublicKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::testing::ecdsa_sign_with_nonce;

/// Calls a generic function for the curve of the case, if there is such a curve: by its name, or by the set of parameters of
/// SP 800-56A, 5.5.1.2.
macro_rules! on_curve {
    ($fields:expr, $f:ident) => {
        match $fields.text("[").split([',', ' ']).next() {
            Some("P-224" | "EB") => $f::<P224>($fields),
            Some("P-256" | "EC") => $f::<P256>($fields),
            Some("P-384" | "ED") => $f::<P384>($fields),
            Some("P-521" | "EE") => $f::<P521>($fields),
            _ => return,
        }
    };
}

/// The curves of a file are sections, and some sections are none.
fn cases(text: &str) -> Vec<(String, String)> {
    let mut pairs = assignments(text);
    pairs.retain(|(name, value)| name != "[" || value.contains('-'));
    pairs
}

/// A number as long as the curve's coordinates or scalars, or longer if it is too large.
fn number<C: Named>(fields: &Fields, name: &str) -> Vec<u8> {
    let (number, size) = (fields.nat(name), C::Scalar::ZERO_BYTES.as_ref().len());
    let len = size.max(number.bits_vartime().div_ceil(8));
    number.to_be_bytes(len).expect("it is as long").to_vec()
}

/// The uncompressed encoding of a point.
fn point<C: Named>(fields: &Fields, [x, y]: [&str; 2]) -> Vec<u8> {
    [vec![4], number::<C>(fields, x), number::<C>(fields, y)].concat()
}

fn private<C: Named>(fields: &Fields, name: &str) -> PrivateKey<C> {
    PrivateKey::from_be_bytes(&number::<C>(fields, name)).expect("a key of NIST's")
}

fn has_its_public_key<C: Named>(fields: &Fields) {
    let key = private::<C>(fields, "d");
    assert_eq!(key.public().to_sec1(), point::<C>(fields, ["Qx", "Qy"]));
}

#[test]
fn key_pairs() {
    let Some(text) = read("cavp/ecdsa_186-3/KeyPair.rsp") else {
        return;
    };
    let mut count = 0;
    for_each_case(cases(&text), "Qy", |fields| {
        on_curve!(fields, has_its_public_key);
        count += 1;
    });
    assert_eq!(count, 40);
}

fn is_valid<C: Named>(fields: &Fields) -> bool {
    PublicKey::<C>::from_sec1(&point::<C>(fields, ["Qx", "Qy"])).is_ok()
}

#[test]
fn public_keys() {
    let Some(text) = read("cavp/ecdsa_186-3/PKV.rsp") else {
        return;
    };
    let (mut count, mut valid) = (0, 0);
    for_each_case(cases(&text), "Result", |fields| {
        let verdict = on_curve!(fields, is_valid);
        assert_eq!(
            verdict,
            fields.text("Result").starts_with('P'),
            "{fields:?}"
        );
        count += 1;
        valid += usize::from(verdict);
    });
    assert_eq!((count, valid > 10), (48, true), "{valid}");
}

fn signs<C: Named>(fields: &Fields) {
    let key = private::<C>(fields, "d");
    assert_eq!(key.public().to_sec1(), point::<C>(fields, ["Qx", "Qy"]));
    let (_, hash_name) = fields.text("[").split_once(',').expect("a hash");
    let hash: Hash = hash(hash_name);
    let digest = hash.digest(&fields.bytes("Msg"));
    let k = number::<C>(fields, "k");
    let signature = ecdsa_sign_with_nonce(&key, &digest, &k).expect("a nonce of NIST's");
    let expected = [number::<C>(fields, "R"), number::<C>(fields, "S")].concat();
    assert_eq!(signature.to_be_bytes(), expected, "{fields:?}");
    assert_eq!(key.public().ecdsa_verify(hash, &digest, &signature), Ok(()));
}

#[test]
fn signatures() {
    let Some(text) = read("cavp/ecdsa_186-3/SigGen.txt") else {
        return;
    };
    let mut count = 0;
    for_each_case(cases(&text), "S", |fields| {
        on_curve!(fields, signs);
        count += 1;
    });
    assert_eq!(count, 300);
}

fn agrees<C: Named>(fields: &Fields) {
    let key = private::<C>(fields, "dIUT");
    assert_eq!(
        key.public().to_sec1(),
        point::<C>(fields, ["QIUTx", "QIUTy"])
    );
    let peer = point::<C>(fields, ["QCAVSx", "QCAVSy"]);
    let peer = PublicKey::<C>::from_sec1(&peer).expect("a key of NIST's");
    let secret = key.agree(&peer).expect("a point");
    assert_eq!(*secret, number::<C>(fields, "ZIUT"));
}

#[test]
fn agreements() {
    let Some(text) = read("cavp/ecdh/KAS_ECC_CDH_PrimitiveTest.txt") else {
        return;
    };
    let mut count = 0;
    for_each_case(cases(&text), "ZIUT", |fields| {
        on_curve!(fields, agrees);
        count += 1;
    });
    assert_eq!(count, 100);
}

/// Whether the keys are valid, and give the secret and its hash.
fn agrees_by_its_hash<C: Named>(fields: &Fields) -> bool {
    let theirs = PublicKey::<C>::from_sec1(&point::<C>(fields, ["QsCAVSx", "QsCAVSy"]));
    let ours = PrivateKey::<C>::from_be_bytes(&number::<C>(fields, "dsIUT"));
    let (Ok(theirs), Ok(ours)) = (theirs, ours) else {
        return false;
    };
    let secret = ours.agree(&theirs).expect("a point");
    let (_, name) = fields.text("[").split_once(" - ").expect("a hash");
    ours.public().to_sec1() == point::<C>(fields, ["QsIUTx", "QsIUTy"])
        && *secret == number::<C>(fields, "Z")
        && hash(name).digest(&secret) == fields.bytes("CAVSHashZZ")
}

/// SP 800-56A: unchanged cases agree; changed ones do not, or are refused.
#[test]
fn validity_of_agreements() {
    let Some(text) = read("cavp/ecdh/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax") else {
        return;
    };
    let (mut count, mut good) = (0, 0);
    for_each_case(cases(&text), "Result", |fields| {
        let agreed = on_curve!(fields, agrees_by_its_hash);
        let expected = fields.text("Result").starts_with('P');
        assert_eq!(agreed, expected, "{fields:?}");
        count += 1;
        good += usize::from(expected);
    });
    assert_eq!((count, good), (120, 72));
}
