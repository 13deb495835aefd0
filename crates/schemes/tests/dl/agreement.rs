//! Diffie-Hellman against known answers.

use crate::published::RFC5114;
use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::dl::{Group, Named, PrivateKey, PublicKey};
use carrysave_schemes::hash::Hash;

#[test]
fn agreements_of_rfc_5114() {
    for case in &RFC5114 {
        let group = Group::new(nat(case.p), nat(case.q), nat(case.g)).unwrap();
        let mut keys = case.x.iter().zip(case.y);
        let mut next = || {
            let (x, y) = keys.next().unwrap();
            PrivateKey::with_public(&group, &nat(x), &nat(y)).unwrap()
        };
        let (a, b) = (next(), next());
        for (a, b) in private_keys(&a).into_iter().zip(private_keys(&b)) {
            assert_eq!(*a.agree(b.public()).unwrap(), hex(case.z));
            assert_eq!(*b.agree(a.public()).unwrap(), hex(case.z));
            assert_eq!(a.public().to_be_bytes(), hex(case.y[0]));
        }
    }
}

/// SP 800-56A: unchanged cases agree; changed ones do not, or are refused.
#[test]
fn validity_of_agreements() {
    let Some(text) = read("cavp/dh/KASValidityTest_FFCStatic_NOKC_ZZOnly_init.fax") else {
        return;
    };
    let mut good = 0;
    let count = for_each_case(assignments(&text), "Result", |fields| {
        let group = Group::new(fields.nat("P"), fields.nat("Q"), fields.nat("G")).unwrap();
        let section = fields.text("[");
        let hash = hash(section.split(" - ").nth(1).unwrap());
        let agreed = |group: &Group| {
            let theirs = PublicKey::new(group, fields.nat("YstatCAVS")).ok()?;
            let (x, y) = (fields.nat("XstatIUT"), fields.nat("YstatIUT"));
            let ours = PrivateKey::with_public(group, &x, &y).ok()?;
            let z = ours.agree(&theirs).unwrap();
            Some(*z == fields.bytes("Z") && hash.digest(&z) == fields.bytes("CAVSHashZZ"))
        };
        let expected = fields.text("Result").starts_with('P');
        good += usize::from(expected);
        for group in groups(&group) {
            let agreed = agreed(&group).unwrap_or(false);
            assert_eq!(agreed, expected, "{section} {}", fields.text("COUNT"));
        }
    });
    assert_eq!((count, good), (72, 48));
}

#[test]
fn keys_of_every_group_agree() {
    let (mut rng, digest) = (rng(), |z: &[u8]| Hash::Sha256.digest(z));
    for &named in Named::ALL {
        let group = named.group();
        let short = PrivateKey::generate_with(&group, &mut rng);
        assert!(short.x().bits() <= group.exponent_bits());
        // An exponent as long as q, from an implementation without short ones.
        let long = Nat::random_below(group.q(), &mut rng);
        let long = PrivateKey::new(&group, &long).unwrap();
        let z = short.agree(long.public()).unwrap();
        assert_eq!(z.len(), group.size());
        assert!(long.agree(short.public()).unwrap() == z);
        assert_eq!(
            digest(&short.precomputed().agree(long.public()).unwrap()),
            digest(&z)
        );
        let again = PrivateKey::with_public(&group.precomputed(), short.x(), short.public().y());
        assert!(again.unwrap().x() == short.x());
    }
}
