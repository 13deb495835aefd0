//! `keygen`: RSA key generation. Its time varies from key to key, so a race is of 50 keys each.

use super::{Experiment, Levels, Share};
use crate::{
    Bench, Error,
    record::Size,
    rivals::{RIVALS, Refusal},
};
use rsa::{PrivateKey as RsaPrivateKey, pkcs8::DecodePrivateKey, traits::PublicKeyParts};

/// How many keys each contender makes, given the time.
const KEYS: usize = 50;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "keygen",
    about: "RSA key generation, e = 65537: median of up to 50 keys, within 50 times the seconds of a race",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[2048], 2.0, 10.0),
        full: Share::new(&[2048, 4096], 1.0, 80.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let threads = bench.threads(1);
    for bits in bench.bits(&[2048, 4096]) {
        let mut race = bench.race("keygen", Size::Bits(bits));
        race.of_rounds(KEYS);
        if threads > 1 {
            race.by_the_wall();
        }
        for rival in RIVALS {
            let label = rival.label();
            // Only ours shares a search.
            let ours = rival.name == RIVALS[0].name;
            race.on_threads(if ours { threads } else { 1 });
            let Some(generate) = rival.keygen.filter(|_| race.wants(&label)) else {
                continue;
            };
            match generate(bits, threads) {
                Ok(_) => race.enter(
                    &label,
                    || (),
                    move |()| generate(bits, threads),
                    |key| check(key.as_ref().map_err(|e| format!("{e:?}"))?, bits),
                ),
                Err(Refusal::NotOffered) => {}
                Err(Refusal::Failed(error)) => race.refuse(&label, error),
            }
        }
        race.run();
    }
    Ok(())
}

/// Lets RustCrypto's `rsa` validate a key.
fn check(pkcs8: &[u8], bits: usize) -> Result<(), String> {
    let key =
        RsaPrivateKey::from_pkcs8_der(pkcs8).map_err(|e| format!("its key is not valid: {e}"))?;
    key.validate()
        .map_err(|e| format!("its key is not valid: {e}"))?;
    match key.n().bit_width() as usize {
        n if n == bits => Ok(()),
        n => Err(format!("its key has {n} bits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_key_is_refused() {
        let key = crate::experiments::rsa::pkcs8(1024).unwrap();
        assert_eq!(check(key, 1024), Ok(()));
        assert_eq!(check(key, 1032), Err("its key has 1024 bits".to_owned()));
        assert!(check(&key[1..], 1024).is_err());
    }
}
