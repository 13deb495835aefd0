//! Diffie-Hellman and DSA: parameters, keys, agreements and signatures.

use crate::{Workshop, rng, workshop};
use carrysave_schemes::dl::{Form, Group, Named, PrivateKey, PublicKey, Signature};
use carrysave_schemes::hash::Hash;

fn text(workshop: &Workshop, name: &str) -> String {
    String::from_utf8(workshop.read(name)).unwrap()
}

/// A private key written by `openssl`, in the expected form.
fn read(workshop: &Workshop, name: &str, form: Form) -> PrivateKey {
    let (found, key) = PrivateKey::from_pkcs8_pem(&text(workshop, name)).unwrap();
    assert_eq!(found, form);
    key
}

/// Both sides read each other's files of a key, and the key does not change.
fn files_go_both_ways(workshop: &Workshop, key: &PrivateKey, form: Form) {
    let (public, group) = (key.public(), key.group());
    workshop.write("ours.pem", &*key.to_pkcs8_pem(form).unwrap());
    workshop.write("ours.der", &*key.to_pkcs8_der(form).unwrap());
    workshop.write("public.pem", public.to_spki_pem(form).unwrap());
    workshop.write("public.der", public.to_spki_der(form).unwrap());
    workshop.write("group.pem", group.to_pem(form).unwrap());
    workshop.run("pkey -in ours.pem -check -noout");
    workshop.run("pkey -in ours.der -inform DER -out back.pem");
    let back = read(workshop, "back.pem", form);
    assert!(back.x() == key.x() && back.public() == public);
    let locked = key.to_pkcs8_encrypted_pem(form, b"secret", &mut rng());
    workshop.write("locked.pem", &*locked.unwrap());
    workshop.run("pkey -in locked.pem -passin pass:secret -out back.pem");
    assert!(read(workshop, "back.pem", form).x() == key.x());
    workshop.run("pkcs8 -topk8 -in ours.pem -passout pass:secret -out locked.pem");
    let back = PrivateKey::from_pkcs8_encrypted_pem(&text(workshop, "locked.pem"), b"secret");
    let (found, back) = back.unwrap();
    assert!(found == form && back.x() == key.x());
    workshop.run("pkey -in ours.pem -pubout -out back.pem");
    let back = PublicKey::from_spki_pem(&text(workshop, "back.pem"));
    assert_eq!(back, Ok((form, public.clone())));
    workshop.run("pkey -pubin -in public.pem -pubcheck -noout");
    workshop.run("pkey -pubin -in public.der -inform DER -pubout -outform DER -out back.der");
    let back = PublicKey::from_spki_der(&workshop.read("back.der"));
    assert_eq!(back, Ok((form, public.clone())));
    workshop.run("pkeyparam -in group.pem -out back.pem");
    let back = Group::from_pem(form, &text(workshop, "back.pem"));
    assert_eq!(back.as_ref(), Ok(group));
}

#[test]
fn diffie_hellman() {
    let Some(workshop) = workshop() else { return };
    let agree = |theirs: &str, form: Form| {
        workshop.run(&format!("genpkey {theirs} -out theirs.pem"));
        workshop.run("pkey -in theirs.pem -pubout -out theirs.pub");
        let their_key = read(&workshop, "theirs.pem", form);
        let (_, their_public) = PublicKey::from_spki_pem(&text(&workshop, "theirs.pub")).unwrap();
        assert_eq!(their_key.public(), &their_public);
        let key = PrivateKey::generate_with(their_key.group(), &mut rng());
        files_go_both_ways(&workshop, &key, form);
        let ours = key.agree(&their_public).unwrap();
        assert!(their_key.agree(key.public()).unwrap() == ours);
        // It omits leading zeros, as TLS up to 1.2 requires.
        let whole = |z: Vec<u8>| [vec![0; ours.len() - z.len()], z].concat();
        workshop.run("pkeyutl -derive -inkey theirs.pem -peerkey public.pem -out z");
        assert_eq!(whole(workshop.read("z")), *ours, "{theirs}");
        workshop.run("pkeyutl -derive -inkey ours.pem -peerkey theirs.pub -out z");
        assert_eq!(whole(workshop.read("z")), *ours, "{theirs}");
        key
    };
    for &named in Named::ALL {
        let name = named.name().replace("modp", "modp_").replace("-legacy", "");
        // Powers of 8192 bits take `openssl` a while.
        if named.bits() <= 4096 {
            let key = agree(&format!("-algorithm DH -pkeyopt group:{name}"), Form::Pkcs3);
            assert_eq!(key.group().named(), Some(named));
        } else {
            workshop.run(&format!(
                "genpkey -genparam -algorithm DH -pkeyopt group:{name} -out g"
            ));
            let group = Group::from_pem(Form::Pkcs3, &text(&workshop, "g"));
            assert_eq!(group, Ok(named.group()));
        }
    }
    for rfc5114 in 1..=3 {
        agree(
            &format!("-algorithm DHX -pkeyopt dh_rfc5114:{rfc5114}"),
            Form::X942,
        );
    }
    // Parameters of their own: of FIPS 186, and a safe prime.
    workshop.run(
        "genpkey -genparam -algorithm DHX -pkeyopt dh_paramgen_type:1 -pkeyopt dh_paramgen_prime_len:1024 -pkeyopt dh_paramgen_subprime_len:160 -out own",
    );
    agree("-paramfile own", Form::X942);
    workshop.run("genpkey -genparam -algorithm DH -pkeyopt dh_paramgen_prime_len:512 -out own");
    agree("-paramfile own", Form::Pkcs3);
}

#[test]
fn dsa() {
    let Some(workshop) = workshop() else { return };
    let message = b"a message for both";
    workshop.write("message", message);
    let hashes = Hash::ALL.iter().copied();
    let hashes = hashes.filter(|hash| !matches!(hash, Hash::Shake128 | Hash::Shake256));
    for (bits, order_bits) in [(1024, 160), (2048, 224), (2048, 256)] {
        workshop.run(&format!(
            "genpkey -genparam -algorithm DSA -pkeyopt dsa_paramgen_bits:{bits} -pkeyopt dsa_paramgen_q_bits:{order_bits} -out group"
        ));
        let group = Group::from_pem(Form::Dsa, &text(&workshop, "group")).unwrap();
        assert_eq!((group.bits(), group.q().bits()), (bits, order_bits));
        workshop.run("genpkey -paramfile group -out theirs.pem");
        let theirs = read(&workshop, "theirs.pem", Form::Dsa);
        let ours = PrivateKey::generate_with(&group, &mut rng());
        for key in [theirs, ours] {
            files_go_both_ways(&workshop, &key, Form::Dsa);
            for hash in hashes.clone() {
                let digest = hash.digest(message);
                let name = hash.name();
                workshop.run(&format!(
                    "dgst -{name} -sign ours.pem -out signature message"
                ));
                let theirs = Signature::from_der(&workshop.read("signature")).unwrap();
                key.public().dsa_verify(hash, &digest, &theirs).unwrap();
                if hash == Hash::Sha1 {
                    continue;
                }
                for ours in [
                    key.dsa_sign(hash, &digest).unwrap(),
                    key.dsa_sign_randomized(&mut rng(), hash, &digest).unwrap(),
                ] {
                    workshop.write("ours", ours.to_der());
                    workshop.run(&format!(
                        "dgst -{name} -verify public.pem -signature ours message"
                    ));
                }
            }
        }
    }
    // They take our parameters.
    let (group, _) = Group::generate_with(&mut rng(), 1024, 160, Hash::Sha256, &mut || ()).unwrap();
    workshop.write("group", group.to_pem(Form::Dsa).unwrap());
    workshop.run("genpkey -paramfile group -out theirs.pem");
    assert_eq!(*read(&workshop, "theirs.pem", Form::Dsa).group(), group);
}
