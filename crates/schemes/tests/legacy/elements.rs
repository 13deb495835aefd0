//! Malicious elements: Diffie-Hellman, MQV and DLIES refuse them with a sentence.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::dl::{Error, Group, PrivateKey, PublicKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::ies::{dlies_decrypt, dlies_encrypt};
use carrysave_schemes::legacy::mqv::{Role, fhmqv_agree, hmqv_agree, mqv_agree};

/// Octets of no element of the group other than 1, with a description.
fn bad_elements(group: &Group) -> Vec<(&'static str, Vec<u8>)> {
    let (p, modulus, size) = (group.p(), group.modulus(), group.size());
    let element = || group.power_vartime(&group.random_exponent(&mut rng()));
    let minus_one = p.sub_limb(1).unwrap();
    let mut bad = vec![
        ("0", Nat::zero()),
        ("1", Nat::one()),
        ("-1", minus_one.clone()),
        ("p", p.clone()),
        ("p + 1", p.add_limb(1)),
        ("-g", modulus.neg(group.g())),
        ("all ones", Nat::power_of_two(8 * size).sub_limb(1).unwrap()),
    ];
    // A non-square is in no group of odd order, nor is its product with an element of one.
    let outside = (2..).map(Nat::from_limb);
    let mut outside = outside.filter(|y| y.jacobi_vartime(p) == -1);
    let outside = modulus.reduce(&outside.next().unwrap());
    bad.push(("no square", outside.clone()));
    for _ in 0..5 {
        bad.push(("-y", modulus.neg(&element())));
        bad.push(("no square times y", modulus.mul(&outside, &element())));
    }
    let octets = |(what, y): (_, Nat)| (what, y.to_be_bytes(size).unwrap().to_vec());
    let mut bad: Vec<_> = bad.into_iter().map(octets).collect();
    let good = element().to_be_bytes(size).unwrap();
    let lengths = [
        ("nothing", vec![]),
        ("an octet", vec![4]),
        ("an octet less in front", good[1..].to_vec()),
        ("an octet less behind", good[..size - 1].to_vec()),
        ("an octet more in front", [&[0], &good[..]].concat()),
        ("an octet more behind", [&good[..], &[0]].concat()),
        ("twice as many octets", good.repeat(2)),
    ];
    bad.extend(lengths);
    bad
}

fn refused<T>(scheme: &str, what: &str, result: Result<T, Box<dyn std::error::Error>>) {
    let error = result.err();
    let error = error.unwrap_or_else(|| panic!("{scheme} took {what}"));
    let text = error.to_string();
    assert!(text.contains(": ") || text.contains("; "), "{text}");
    assert!(text.len() > 40, "{text}");
}

#[test]
fn bad_elements_are_refused_with_a_sentence() {
    let mut count = 0;
    let groups = [
        Group::generate_safe_prime_with(&mut rng(), 512, &mut || ()).unwrap(),
        Group::generate_with(&mut rng(), 520, 160, Hash::Sha256, &mut || ())
            .unwrap()
            .0,
    ];
    let hash = Hash::Sha256;
    for group in groups {
        let [a, x, b] = [(); 3].map(|()| PrivateKey::generate_with(&group, &mut rng()));
        let c = dlies_encrypt(a.public(), &mut rng(), hash, b"", b"a message").unwrap();
        let good = b.public();
        for (what, octets) in bad_elements(&group) {
            let read = || Ok(PublicKey::from_be_bytes(&group, &octets)?);
            refused("DH", what, read().and_then(|y| Ok(a.agree(&y)?)));
            // As the static key and as the ephemeral one.
            refused(
                "MQV",
                what,
                read().and_then(|y| Ok(mqv_agree([&a, &x], [&y, good])?)),
            );
            refused(
                "MQV",
                what,
                read().and_then(|y| Ok(mqv_agree([&a, &x], [good, &y])?)),
            );
            let hmqv = |y: PublicKey| Ok(hmqv_agree(hash, [&a, &x], [good, &y])?);
            refused("HMQV", what, read().and_then(hmqv));
            let fhmqv =
                |y: PublicKey| Ok(fhmqv_agree(Role::Responder, hash, [&a, &x], [good, &y])?);
            refused("FHMQV", what, read().and_then(fhmqv));
            // In a ciphertext, and as the receiver's key.
            let forged = [&octets[..], &c[group.size()..]].concat();
            assert_eq!(
                dlies_decrypt(&a, hash, b"", &forged),
                Err(Error::Decryption)
            );
            let encrypt =
                |y: PublicKey| Ok(dlies_encrypt(&y, &mut rng(), hash, b"", b"a message")?);
            refused("DLIES", what, read().and_then(encrypt));
            count += 1;
        }
    }
    println!("{count} bad elements refused by each scheme");
    assert!(count >= 40, "{count}");
}
