//! Ciphers and Skein against the facade.

use super::*;
use crate::aes::*;
use crate::skein::*;
use crate::threads::{cs_threads, cs_threads_free, cs_threads_new};
use crate::threefish::*;
use carrysave::symmetric::aes::Aes;
use carrysave::symmetric::skein::{Parameters, Skein256, Skein512, Skein1024, Tree};
use carrysave::symmetric::threefish::{Threefish256, Threefish512, Threefish1024};

fn data(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 7) as u8).collect()
}

/// A mode of C, from `from` to `to`, is the mode of the facade: into another place and in place, alone and on threads.
fn is_mode(
    len: usize,
    of_c: impl Fn(*const cs_threads, *mut u8, *const u8, usize) -> cs_error,
    of_facade: impl Fn(&mut [u8]),
) {
    let plain = data(len);
    let mut expected = plain.clone();
    of_facade(&mut expected);
    // SAFETY: the object is freed once.
    let threads = made(|threads| unsafe { cs_threads_new(2, threads) });
    for threads in [null(), threads.cast_const()] {
        let mut to = vec![0; len];
        assert_eq!(of_c(threads, to.as_mut_ptr(), plain.as_ptr(), len), CS_OK);
        assert!(to == expected);
        to.copy_from_slice(&plain);
        assert_eq!(of_c(threads, to.as_mut_ptr(), to.as_ptr(), len), CS_OK);
        assert!(to == expected);
    }
    let mut buffer = plain.clone();
    let at = buffer.as_mut_ptr();
    assert_eq!(
        of_c(null(), at.wrapping_add(16), at, len - 16),
        CS_ERROR_OVERLAP
    );
    assert_eq!(of_c(null(), null_mut(), at, len), CS_ERROR_NULL);
    assert_eq!(of_c(null(), at, null(), len), CS_ERROR_NULL);
    assert_eq!(of_c(null(), null_mut(), null(), 0), CS_OK);
    assert!(buffer == plain);
    // SAFETY: as above.
    unsafe { cs_threads_free(threads) };
}

#[test]
fn aes_is_that_of_the_facade() {
    const LEN: usize = 3 << 19;
    for key_len in [16, 24, 32] {
        let (key, iv) = (data(key_len), [7; 16]);
        let own = Aes::new(&key).unwrap();
        // SAFETY: pointers lead to what lengths say; the object is freed once.
        unsafe {
            let aes = made(|aes| cs_aes_new(key.as_ptr(), key_len, aes));
            let at = iv.as_ptr();
            is_mode(
                LEN,
                |threads, to, from, len| cs_aes_ecb_encrypt(aes, threads, to, from, len),
                |x| own.ecb_encrypt(x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| cs_aes_ecb_decrypt(aes, threads, to, from, len),
                |x| own.ecb_decrypt(x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| cs_aes_cbc_encrypt(aes, threads, at, 16, to, from, len),
                |x| own.cbc_encrypt(&iv, x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| cs_aes_cbc_decrypt(aes, threads, at, 16, to, from, len),
                |x| own.cbc_decrypt(&iv, x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| cs_aes_ctr(aes, threads, at, 16, 32, 5, to, from, len),
                |x| own.apply_ctr(&iv, 32, 5, x),
            );
            let mut x = [0; 64];
            let (t, f) = (x.as_mut_ptr(), x.as_ptr());
            let none = null();
            let errors = [
                cs_aes_ecb_encrypt(null(), none, t, f, 16),
                cs_aes_ecb_decrypt(null(), none, t, f, 16),
                cs_aes_cbc_encrypt(null(), none, at, 16, t, f, 16),
                cs_aes_cbc_encrypt(aes, none, null(), 16, t, f, 16),
                cs_aes_cbc_decrypt(null(), none, at, 16, t, f, 16),
                cs_aes_cbc_decrypt(aes, none, null(), 16, t, f, 16),
                cs_aes_ctr(null(), none, at, 16, 32, 0, t, f, 16),
                cs_aes_ctr(aes, none, null(), 16, 32, 0, t, f, 16),
            ];
            assert_eq!(errors, [CS_ERROR_NULL; 8]);
            let errors = [
                cs_aes_ecb_encrypt(aes, none, t, f, 17),
                cs_aes_ecb_decrypt(aes, none, t, f, 17),
                cs_aes_cbc_encrypt(aes, none, at, 16, t, f, 17),
                cs_aes_cbc_encrypt(aes, none, at, 15, t, f, 16),
                cs_aes_cbc_encrypt(aes, none, at, 0, t, f, 16),
                cs_aes_cbc_encrypt(aes, none, f, 32, t, f, 48),
                cs_aes_cbc_decrypt(aes, none, at, 16, t, f, 17),
                cs_aes_cbc_decrypt(aes, none, f, 32, t, f, 32),
                cs_aes_ctr(aes, none, at, 15, 32, 0, t, f, 16),
            ];
            assert_eq!(errors, [CS_ERROR_LENGTH; 9]);
            // An iv or a counter at the start or the end of `to`, and one right behind it.
            for (at, expected) in [(0, CS_ERROR_OVERLAP), (17, CS_ERROR_OVERLAP), (32, CS_OK)] {
                let (iv, apart) = (t.wrapping_add(at).cast_const(), [0; 32].as_ptr());
                let errors = [
                    cs_aes_cbc_encrypt(aes, none, iv, 16, t, apart, 32),
                    cs_aes_cbc_decrypt(aes, none, iv, 16, t, apart, 32),
                    cs_aes_ctr(aes, none, iv, 16, 32, 0, t, apart, 32),
                ];
                assert_eq!(errors, [expected; 3], "{at}");
            }
            let errors = [(0, 0), (129, 0), (32, u64::MAX)];
            let errors = errors
                .map(|(bits, position)| cs_aes_ctr(aes, none, at, 16, bits, position, t, f, 16));
            assert_eq!(errors, [CS_ERROR_ARGUMENT; 3]);
            cs_aes_free(aes);
        }
    }
    // SAFETY: pointers lead to what lengths say.
    unsafe {
        cs_aes_free(null_mut());
        assert_eq!(refused(|aes| cs_aes_new(null(), 16, aes)), CS_ERROR_NULL);
        assert_eq!(
            refused(|aes| cs_aes_new([0; 17].as_ptr(), 17, aes)),
            CS_ERROR_LENGTH
        );
        assert_eq!(cs_aes_new([0; 16].as_ptr(), 16, null_mut()), CS_ERROR_NULL);
    }
}

/// FIPS 197, appendix B.
#[test]
fn aes_is_the_standards() {
    let key = 0x2b7e151628aed2a6abf7158809cf4f3cu128.to_be_bytes();
    let mut block = 0x3243f6a8885a308d313198a2e0370734u128.to_be_bytes();
    // SAFETY: pointers lead to what lengths say; the object is freed once.
    unsafe {
        let aes = made(|aes| cs_aes_new(key.as_ptr(), 16, aes));
        assert_eq!(
            cs_aes_ecb_encrypt(aes, null(), block.as_mut_ptr(), block.as_ptr(), 16),
            CS_OK
        );
        cs_aes_free(aes);
    }
    assert_eq!(block, 0x3925841d02dc09fbdc118597196a0b32u128.to_be_bytes());
}

macro_rules! threefish {
    ($Cipher:ident, $words:literal) => {{
        const LEN: usize = 3 << 17;
        let (key, tweak, counter) = (data(8 * $words), [5, 6], [9; $words]);
        let own = $Cipher::new(&key);
        // SAFETY: pointers lead to what lengths say; the object is freed once.
        unsafe {
            let cipher = made(|cipher| cs_threefish_new(key.as_ptr(), key.len(), cipher));
            let (tw, c) = (tweak.as_ptr(), counter.as_ptr());
            is_mode(
                LEN,
                |threads, to, from, len| {
                    cs_threefish_encrypt(cipher, threads, tw, to, from, len / 128 * 128)
                },
                |x| own.encrypt_counting(tweak, x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| {
                    cs_threefish_decrypt(cipher, threads, tw, to, from, len / 128 * 128)
                },
                |x| own.decrypt_counting(tweak, x),
            );
            is_mode(
                LEN,
                |threads, to, from, len| {
                    cs_threefish_ctr(cipher, threads, tw, c, $words, 5, to, from, len)
                },
                |x| own.apply_ctr(tweak, counter, 5, x),
            );
            let mut x = [0; 256];
            let (t, f, none) = (x.as_mut_ptr(), x.as_ptr(), null());
            let errors = [
                cs_threefish_encrypt(null(), none, tw, t, f, 128),
                cs_threefish_encrypt(cipher, none, null(), t, f, 128),
                cs_threefish_decrypt(null(), none, tw, t, f, 128),
                cs_threefish_decrypt(cipher, none, null(), t, f, 128),
                cs_threefish_ctr(null(), none, tw, c, $words, 0, t, f, 128),
                cs_threefish_ctr(cipher, none, null(), c, $words, 0, t, f, 128),
                cs_threefish_ctr(cipher, none, tw, null(), $words, 0, t, f, 128),
            ];
            assert_eq!(errors, [CS_ERROR_NULL; 7]);
            let errors = [
                cs_threefish_encrypt(cipher, none, tw, t, f, 129),
                cs_threefish_decrypt(cipher, none, tw, t, f, 129),
                cs_threefish_ctr(cipher, none, tw, c, $words - 1, 0, t, f, 128),
            ];
            assert_eq!(errors, [CS_ERROR_LENGTH; 3]);
            let mut y = [0_u64; 2 * $words + 2];
            let t = y.as_mut_ptr().cast();
            let len = 8 * $words;
            for (at, expected) in [
                (0, CS_ERROR_OVERLAP),
                ($words - 1, CS_ERROR_OVERLAP),
                ($words, CS_OK),
            ] {
                let own = y.as_ptr().wrapping_add(at);
                let errors = [
                    cs_threefish_encrypt(cipher, none, own, t, f, len),
                    cs_threefish_decrypt(cipher, none, own, t, f, len),
                    cs_threefish_ctr(cipher, none, own, c, $words, 0, t, f, len),
                    cs_threefish_ctr(cipher, none, tw, own, $words, 0, t, f, len),
                ];
                assert_eq!(errors, [expected; 4], "{at}");
            }
            let (t, f) = (x.as_mut_ptr(), x.as_ptr());
            let far = cs_threefish_ctr(cipher, none, tw, c, $words, u64::MAX, t, f, 128);
            assert_eq!(far, CS_ERROR_ARGUMENT);
            cs_threefish_free(cipher);
        }
    }};
}

#[test]
fn threefish_is_that_of_the_facade() {
    threefish!(Threefish256, 4);
    threefish!(Threefish512, 8);
    threefish!(Threefish1024, 16);
    // SAFETY: pointers lead to what lengths say.
    unsafe {
        cs_threefish_free(null_mut());
        assert_eq!(
            refused(|cipher| cs_threefish_new(null(), 32, cipher)),
            CS_ERROR_NULL
        );
        assert_eq!(
            refused(|cipher| cs_threefish_new([0; 33].as_ptr(), 33, cipher)),
            CS_ERROR_LENGTH
        );
        assert_eq!(
            cs_threefish_new([0; 32].as_ptr(), 32, null_mut()),
            CS_ERROR_NULL
        );
    }
}

fn parameters(state_bits: i32, tree: i32, out_len: usize) -> cs_skein_parameters {
    cs_skein_parameters {
        state_bits,
        tree,
        leaf: 0,
        node: 0,
        height: 0,
        out_len,
        key: null(),
        key_len: 0,
        personalization: null(),
        personalization_len: 0,
        nonce: null(),
        nonce_len: 0,
    }
}

#[test]
fn skein_is_that_of_the_facade() {
    let message = data(700_001);
    // SAFETY: pointers lead to what lengths say; objects are freed once.
    unsafe {
        let threads = made(|threads| cs_threads_new(2, threads));
        for (bits, tree, key_len) in [(256, 0, 0), (512, 1, 0), (1024, 2, 0), (512, 0, 20)] {
            let key = data(key_len);
            let mut of = parameters(bits, tree, 40);
            (of.leaf, of.node, of.height) = (2, 3, 4);
            (of.key, of.key_len) = (key.as_ptr(), key_len);
            (of.personalization, of.personalization_len) = (b"me".as_ptr(), 2);
            (of.nonce, of.nonce_len) = (b"now".as_ptr(), 3);
            let mut p = Parameters::new(40)
                .key(&key)
                .personalization(b"me")
                .nonce(b"now");
            match tree {
                0 => {}
                1 => p = p.tree(Tree::default()),
                _ => p = p.tree(Tree::new(2, 3, 4).unwrap()),
            }
            let mut expected = [0; 40];
            macro_rules! hash {
                ($Skein:ident) => {{
                    let mut hash = $Skein::new(&p);
                    hash.update(&message);
                    hash.finalize().read(&mut expected);
                }};
            }
            match bits {
                256 => hash!(Skein256),
                512 => hash!(Skein512),
                _ => hash!(Skein1024),
            }
            let hash = made(|hash| cs_skein_new(&of, hash));
            let (first, rest) = message.split_at(99_999);
            assert_eq!(
                cs_skein_update(hash, threads, first.as_ptr(), first.len()),
                CS_OK
            );
            assert_eq!(
                cs_skein_update(hash, null(), rest.as_ptr(), rest.len()),
                CS_OK
            );
            assert_eq!(cs_skein_update(hash, null(), null(), 5), CS_ERROR_NULL);
            let mut out = [0; 41];
            assert_eq!(cs_skein_final(hash, out.as_mut_ptr(), 41), CS_ERROR_LENGTH);
            assert_eq!(cs_skein_final(hash, null_mut(), 40), CS_ERROR_NULL);
            assert_eq!(cs_skein_final(hash, out.as_mut_ptr(), 40), CS_OK);
            assert_eq!(out[..40], expected);
            // It has ended.
            assert_eq!(
                cs_skein_final(hash, out.as_mut_ptr(), 40),
                CS_ERROR_ARGUMENT
            );
            assert_eq!(cs_skein_update(hash, null(), null(), 0), CS_ERROR_ARGUMENT);
            cs_skein_free(hash);
        }
        cs_threads_free(threads);
        cs_skein_free(null_mut());
        let error = |of: cs_skein_parameters| refused(|hash| cs_skein_new(&of, hash));
        assert_eq!(error(parameters(255, 0, 32)), CS_ERROR_ARGUMENT);
        assert_eq!(error(parameters(512, 3, 32)), CS_ERROR_ARGUMENT);
        assert_eq!(error(parameters(512, 2, 32)), CS_ERROR_ARGUMENT);
        assert_eq!(error(parameters(512, 0, 1 << 61)), CS_ERROR_LENGTH);
        for at in 0..3 {
            let mut of = parameters(512, 0, 32);
            *[
                &mut of.key_len,
                &mut of.personalization_len,
                &mut of.nonce_len,
            ][at] = 5;
            assert_eq!(error(of), CS_ERROR_NULL);
        }
        assert_eq!(refused(|hash| cs_skein_new(null(), hash)), CS_ERROR_NULL);
        assert_eq!(
            cs_skein_new(&parameters(512, 0, 32), null_mut()),
            CS_ERROR_NULL
        );
        assert_eq!(
            cs_skein_update(null_mut(), null(), null(), 0),
            CS_ERROR_NULL
        );
        assert_eq!(cs_skein_final(null_mut(), null_mut(), 0), CS_ERROR_NULL);
    }
}
