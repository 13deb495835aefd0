//! What "Panics" in the documentation promises: each misuse panics, with the condition that was not kept.

use carrysave_symmetric::{
    aes::Aes,
    pkcs7::{pad, unpad},
    skein::{Parameters, Skein256},
    threefish::Threefish256,
};
use carrysave_team::Serial;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks that a call panics with a message that contains the text.
fn panics(text: &str, misuse: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(misuse)).expect_err(text);
    let message = match panic.downcast_ref::<String>() {
        Some(message) => message,
        None => *panic.downcast_ref::<&str>().expect("a message"),
    };
    assert!(message.contains(text), "{message}, not {text}");
}

#[test]
fn blocks_of_no_padding() {
    for block in [0, 256] {
        panics("(1..=255).contains(&block)", || pad(&mut vec![1], block));
        panics("(1..=255).contains(&block)", || {
            let _ = unpad(&mut vec![1; 256], block);
        });
    }
}

#[test]
fn texts_and_counters_of_aes() {
    let aes = Aes::new(&[0; 16]).unwrap();
    let (iv, data) = ([0; 16], &mut [0; 32]);
    panics("as many streams", || aes.cbc_encrypt_streams(&[], data));
    panics("as many streams", || {
        aes.cbc_encrypt_streams(&[iv; 2], &mut data[..16])
    });
    panics("as many streams", || aes.cbc_encrypt(&iv, &mut data[..17]));
    panics("whole blocks", || aes.cbc_decrypt(&iv, &mut data[..17]));
    for bits in [0, 129] {
        panics("(1..=128).contains(&bits)", || {
            aes.apply_ctr(&iv, bits, 0, data)
        });
    }
    panics("position.checked_add", || {
        aes.apply_ctr(&iv, 128, u64::MAX - 30, data)
    });
    panics("both are equally long", || {
        aes.ecb_encrypt_on(&Serial, (&[0; 16][..], &mut data[..]));
    });
}

#[test]
fn keys_texts_and_counters_of_threefish() {
    for length in [0, 31, 33] {
        panics("a key is as long as a block", || {
            drop(Threefish256::new(&vec![0; length]))
        });
    }
    let (cipher, data) = (Threefish256::new(&[0; 32]), &mut [0; 64]);
    let whole = "data.len().is_multiple_of(Self::BLOCK)";
    panics(whole, || cipher.cbc_encrypt([0; 2], &[0; 31], data));
    panics(whole, || {
        cipher.cbc_encrypt([0; 2], &[0; 32], &mut data[..33])
    });
    panics("left == right", || {
        cipher.cbc_decrypt([0; 2], &[0; 31], data)
    });
    panics("whole blocks", || {
        cipher.cbc_decrypt([0; 2], &[0; 32], &mut data[..33])
    });
    panics("position.checked_add", || {
        cipher.apply_ctr([0; 2], [0; 4], u64::MAX - 62, data);
    });
}

#[test]
fn lengths_and_bits_of_skein() {
    panics("the number of bits fits a word", || {
        let _ = Parameters::new(1 << 61);
    });
    for bits in [0, 8] {
        panics("(1..8).contains(&bits)", || {
            let _ = Skein256::new(&Parameters::new(32)).finalize_bits(0, bits);
        });
    }
}
