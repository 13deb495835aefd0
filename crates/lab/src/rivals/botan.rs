//! Botan: block ciphers and Skein-512. The system's library is loaded when it is to race for the first time. Its counter
//! mode counts the other way around than ours, so it has no row there: that of `ecb` is the same work but for the counters.

use super::{Answer, Bulk, Cipher, Mode, Refusal, Rival, Work, hashing, in_place};
use ::botan::{BlockCipher, HashFunction, Version};

pub(super) const RIVAL: Rival = Rival {
    bulk: Some(|_, bulk| {
        // Without a library there is no version.
        Version::current().map_err(|_| Refusal::NotOffered)?;
        match bulk {
            Bulk::Cipher(Cipher::Threefish(256 | 1024), _) => Err(Refusal::NotOffered),
            Bulk::Cipher(cipher, mode) => prepare(cipher, mode),
            Bulk::Skein(512) => {
                let mut hash = HashFunction::new("Skein-512(512)").map_err(Refusal::failed)?;
                hashing(move |data| {
                    let hashed = hash.update(data).and_then(|()| hash.finish());
                    hashed.expect("it has hashed before")
                })
            }
            _ => Err(Refusal::NotOffered),
        }
    }),
    ..Rival::new("botan", || {
        Version::current().map_or(String::new(), |version| {
            format!("{}, the system's", version.string)
        })
    })
};

fn prepare(cipher: Cipher, mode: Mode) -> Answer<Work> {
    let name = match cipher {
        Cipher::Aes(bits) => format!("AES-{bits}"),
        Cipher::Threefish(bits) => format!("Threefish-{bits}"),
    };
    let mut blocks = BlockCipher::new(name.as_str()).map_err(Refusal::failed)?;
    blocks.set_key(&cipher.key()).map_err(Refusal::failed)?;
    match mode {
        Mode::Ecb => in_place(move |data| blocks.encrypt_in_place(data).expect("whole blocks")),
        Mode::EcbDecrypt => {
            in_place(move |data| blocks.decrypt_in_place(data).expect("whole blocks"))
        }
        Mode::Ctr | Mode::Cbc | Mode::CbcDecrypt => Err(Refusal::NotOffered),
    }
}
