//! MQV, HMQV and FHMQV: both sides agree, also with Crypto++, and an impostor does not.

use crate::cryptopp::peer;
use crate::support::*;
use carrysave_arith::{Modulus, Nat, Plan};
use carrysave_schemes::dl::{self, Form, Group};
use carrysave_schemes::ec::{self, P256, P384, P521, Secp256k1};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::mqv::{Party, Role, fhmqv_agree, hmqv_agree, mqv_agree};
use zeroize::Zeroizing;

type Secret = Zeroizing<Vec<u8>>;

/// A key agreement, and its name in Crypto++.
#[derive(Clone, Copy, Debug)]
enum Agreement {
    Mqv,
    Hmqv(Hash),
    Fhmqv(Hash),
}

const AGREEMENTS: [Agreement; 5] = [
    Agreement::Mqv,
    Agreement::Hmqv(Hash::Sha256),
    Agreement::Hmqv(Hash::Sha512),
    Agreement::Fhmqv(Hash::Sha256),
    Agreement::Fhmqv(Hash::Sha512),
];

impl Agreement {
    fn name(self) -> String {
        match self {
            Agreement::Mqv => "mqv".to_owned(),
            Agreement::Hmqv(hash) => format!("hmqv-{hash}"),
            Agreement::Fhmqv(hash) => format!("fhmqv-{hash}"),
        }
    }
}

const ROLES: [(Role, &str); 2] = [
    (Role::Initiator, "initiator"),
    (Role::Responder, "responder"),
];

fn other(role: Role) -> Role {
    match role {
        Role::Initiator => Role::Responder,
        Role::Responder => Role::Initiator,
    }
}

fn agree<P: Party>(
    agreement: Agreement,
    role: Role,
    own: [&P; 2],
    other: [&P::Public; 2],
) -> Result<Secret, P::Error> {
    match agreement {
        Agreement::Mqv => mqv_agree(own, other),
        Agreement::Hmqv(hash) => hmqv_agree(hash, own, other),
        Agreement::Fhmqv(hash) => fhmqv_agree(role, hash, own, other),
    }
}

fn line(words: &[&str], octets: &[&[u8]]) -> String {
    let hex = |x: &&[u8]| x.iter().map(|octet| format!("{octet:02x}")).collect();
    let octets: Vec<String> = octets.iter().map(hex).collect();
    format!("{} {}", words.join(" "), octets.join(" "))
}

/// Groups of all kinds: from Crypto++'s file, if there is one, generated ones, and a safe prime.
fn groups() -> Vec<Group> {
    let rng = &mut rng();
    let mut groups = vec![
        Group::generate_with(rng, 1024, 160, Hash::Sha1, &mut || ())
            .unwrap()
            .0,
        Group::generate_with(rng, 1024, 225, Hash::Sha256, &mut || ())
            .unwrap()
            .0,
        Group::generate_safe_prime_with(rng, 512, &mut || ()).unwrap(),
    ];
    if let Some(text) = read("cryptopp/TestData/mqv2048.dat") {
        let der = hex(&text);
        let group = Group::from_der(Form::Dsa, &der).unwrap();
        assert_eq!(group.to_der(Form::Dsa).unwrap(), der);
        assert_eq!((group.bits(), group.q().bits()), (2048, 226));
        groups.push(group);
    }
    groups
}

/// The definition (SP 800-56A, 5.7.2.1), by other means: with discrete logarithms known, and no power of a product.
fn mqv_by_definition(group: &Group, [a, x, b, y]: [&dl::PrivateKey; 4]) -> Vec<u8> {
    let q = Modulus::new(group.q()).unwrap();
    let bits = group.q().bits().div_ceil(2);
    let half = |key: &dl::PrivateKey| {
        let low = key.public().y().div_rem_vartime(&Nat::power_of_two(bits)).1;
        q.reduce(&low.add(&Nat::power_of_two(bits)))
    };
    let mine = q.add(&q.reduce(x.x()), &q.mul(&half(x), &q.reduce(a.x())));
    let theirs = q.add(&q.reduce(y.x()), &q.mul(&half(y), &q.reduce(b.x())));
    let z = group.power(&q.mul(&mine, &theirs), group.q().bits());
    z.to_be_bytes(group.size()).unwrap().to_vec()
}

#[test]
fn both_sides_agree_in_groups() {
    let rng = &mut rng();
    for group in groups() {
        let keys = [(); 5].map(|_| dl::PrivateKey::generate_with(&group, rng));
        let [a, x, b, y, z] = keys.each_ref();
        let mut secrets = Vec::new();
        for agreement in AGREEMENTS {
            for (role, _) in ROLES {
                let theirs = [b.public(), y.public()];
                let secret = agree(agreement, role, [a, x], theirs).unwrap();
                assert_eq!(secret.len(), group.size());
                let ours = [a.public(), x.public()];
                assert_eq!(
                    agree(agreement, other(role), [b, y], ours),
                    Ok(secret.clone())
                );
                for cpu in masks() {
                    let on = |key: &dl::PrivateKey| key.with_plan(cpu, Plan::best(cpu));
                    let (a, x) = (on(a), on(x));
                    assert_eq!(agree(agreement, role, [&a, &x], theirs), Ok(secret.clone()));
                }
                // Another key in any place gives another secret.
                for (keys, public) in [
                    ([z, x], theirs),
                    ([a, z], theirs),
                    ([a, x], [z.public(), y.public()]),
                    ([a, x], [b.public(), z.public()]),
                ] {
                    assert_ne!(agree(agreement, role, keys, public), Ok(secret.clone()));
                }
                secrets.push(secret.to_vec());
            }
        }
        assert_eq!(secrets[0], mqv_by_definition(&group, [a, x, b, y]));
        secrets.sort();
        secrets.dedup();
        // MQV and HMQV have no roles.
        assert_eq!(secrets.len(), 7);
    }
}

#[test]
fn keys_of_other_groups_and_secrets_that_all_know_are_refused() {
    let rng = &mut rng();
    let [one, two] =
        [(); 2].map(|_| Group::generate_safe_prime_with(rng, 512, &mut || ()).unwrap());
    let key = |group| dl::PrivateKey::generate_with(group, rng);
    let ([a, x, b, y], z) = (
        [&one; 4].map(key),
        dl::PrivateKey::generate_with(&two, &mut crate::rng()),
    );
    let role = Role::Initiator;
    for agreement in AGREEMENTS {
        for (keys, public) in [
            ([&z, &x], [b.public(), y.public()]),
            ([&a, &z], [b.public(), y.public()]),
            ([&a, &x], [z.public(), y.public()]),
            ([&a, &x], [b.public(), z.public()]),
        ] {
            let error = agree(agreement, role, keys, public).unwrap_err();
            assert_eq!(error, dl::Error::OtherGroup);
        }
    }
    // The ephemeral key y = -e b makes the secret 1; e follows from y, so an attacker takes B = 1 / Y^(1/e).
    let q = Modulus::new(one.q()).unwrap();
    let bits = one.q().bits().div_ceil(2);
    let low = y.public().y().div_rem_vartime(&Nat::power_of_two(bits)).1;
    let e = q.reduce(&low.add(&Nat::power_of_two(bits)));
    let b = q.neg(&q.mul(&q.reduce(y.x()), &q.inv(&e).unwrap()));
    let b = dl::PrivateKey::new(&one, &b).unwrap();
    let error = mqv_agree([&a, &x], [b.public(), y.public()]).unwrap_err();
    assert_eq!(error, dl::Error::SmallOrder);
    assert!(error.to_string().contains("refuse whoever sent"));
}

#[test]
fn crypto_agrees_in_groups() {
    let Some(peer) = peer() else { return };
    let rng = &mut rng();
    for group in groups() {
        let der = group.to_der(Form::Dsa).unwrap();
        let der = line(&[], &[&der]);
        let der = der.trim();
        let theirs = peer.send(&format!("mqv-generate {der}")).unwrap();
        let private =
            |octets: &[u8]| dl::PrivateKey::new(&group, &Nat::from_be_bytes(octets)).unwrap();
        let (b, y) = (private(&theirs[0]), private(&theirs[2]));
        assert_eq!(
            [b.public().to_be_bytes(), y.public().to_be_bytes()],
            [theirs[1].clone(), theirs[3].clone()]
        );
        let [a, x] = [(); 2].map(|_| dl::PrivateKey::generate_with(&group, rng));
        let [pub_a, pub_x, pub_y] = [&a, &x, &y].map(|key| key.public().to_be_bytes());
        for agreement in AGREEMENTS {
            for (role, _) in ROLES {
                let ours = agree(agreement, role, [&a, &x], [b.public(), y.public()]).unwrap();
                let name = ROLES[usize::from(role == Role::Initiator)].1;
                let (b, y) = (b.to_be_bytes(), y.to_be_bytes());
                let request = line(
                    &[&agreement.name(), der, name],
                    &[&b, &y, &pub_y, &pub_a, &pub_x],
                );
                assert_eq!(
                    peer.send(&request).unwrap()[0],
                    *ours,
                    "{agreement:?} {role:?}"
                );
            }
        }
    }
}

fn curve<C: ec::Named>(name: &str) {
    let rng = &mut rng();
    let [a, x, b, y, z] = [(); 5].map(|_| ec::PrivateKey::<C>::generate_with(rng));
    let mut secrets = Vec::new();
    for agreement in AGREEMENTS {
        for (role, _) in ROLES {
            let theirs = [b.public(), y.public()];
            let secret = agree(agreement, role, [&a, &x], theirs).unwrap();
            let ours = [a.public(), x.public()];
            assert_eq!(
                agree(agreement, other(role), [&b, &y], ours),
                Ok(secret.clone())
            );
            for (keys, public) in [
                ([&z, &x], theirs),
                ([&a, &z], theirs),
                ([&a, &x], [z.public(), y.public()]),
                ([&a, &x], [b.public(), z.public()]),
            ] {
                assert_ne!(agree(agreement, role, keys, public), Ok(secret.clone()));
            }
            secrets.push(secret.to_vec());
        }
    }
    secrets.sort();
    secrets.dedup();
    assert_eq!(secrets.len(), 7);
    let Some(peer) = peer() else { return };
    let theirs = peer.send(&format!("ecmqv-generate {name}")).unwrap();
    let private = |octets: &[u8]| ec::PrivateKey::<C>::from_be_bytes(octets).unwrap();
    let (b, y) = (private(&theirs[0]), private(&theirs[2]));
    assert_eq!(
        [b.public().to_sec1(), y.public().to_sec1()],
        [theirs[1].clone(), theirs[3].clone()]
    );
    let [pub_a, pub_x, pub_y] = [&a, &x, &y].map(|key| key.public().to_sec1());
    for agreement in AGREEMENTS {
        for (role, _) in ROLES {
            let ours = agree(agreement, role, [&a, &x], [b.public(), y.public()]).unwrap();
            let role = ROLES[usize::from(role == Role::Initiator)].1;
            let (b, y) = (b.to_be_bytes(), y.to_be_bytes());
            let request = line(
                &[&format!("ec{}", agreement.name()), name, role],
                &[&b, &y, &pub_y, &pub_a, &pub_x],
            );
            assert_eq!(
                peer.send(&request).unwrap()[0],
                *ours,
                "{agreement:?} {role}"
            );
        }
    }
}

#[test]
fn both_sides_and_crypto_agree_on_curves() {
    curve::<P256>("p256");
    curve::<P384>("p384");
    curve::<P521>("p521");
    curve::<Secp256k1>("secp256k1");
}
