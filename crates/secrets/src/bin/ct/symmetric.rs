//! Ciphers, Skein with a key, and padding: keys and texts are secret; vectors, counters and tweaks are public.

use crate::hidden::{array, assert_octets, secrets};
use carrysave_kernels::Cpu;
use carrysave_symmetric::{
    aes::{Aes, Aes128, Aes192, Aes256},
    pkcs7,
    rijndael::Rijndael,
    skein::{Parameters, Skein, Skein256Mac, Skein512Mac, Skein1024Mac, Tree},
    stream::Ctr,
    threefish::{Threefish, Threefish256, Threefish512, Threefish1024, Version},
};
use carrysave_team::Spawned;
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, InnerIvInit, KeyInit, StreamCipher, StreamCipherSeek,
};
use digest::{Mac, XofReader};
use std::hint::black_box;

/// What is decrypted is the text that was encrypted.
fn round_trip(len: usize, encrypt: impl FnOnce(&mut [u8]), decrypt: impl FnOnce(&mut [u8])) {
    let mut text = secrets(len);
    encrypt(&mut text);
    decrypt(&mut text);
    assert_octets(&text);
}

/// Every mode of AES, with keys of every length.
pub fn aes(cpu: Cpu) {
    let iv = [1; 16];
    for len in [16, 24, 32] {
        let aes = Aes::with_cpu(cpu, &secrets(len)).expect("a length of keys");
        round_trip(240, |t| aes.ecb_encrypt(t), |t| aes.ecb_decrypt(t));
        round_trip(
            240,
            |t| aes.cbc_encrypt(&iv, t),
            |t| aes.cbc_decrypt(&iv, t),
        );
        let each = |t: &mut [u8]| t.chunks_mut(48).for_each(|t| aes.cbc_decrypt(&iv, t));
        round_trip(240, |t| aes.cbc_encrypt_streams(&[iv; 5], t), each);
        let stream = |t: &mut [u8]| aes.apply_ctr(&iv, 32, 5, t);
        round_trip(333, stream, stream);
        let mut text = secrets(100);
        aes.cbc_encrypt_padded(&iv, &mut text);
        aes.cbc_decrypt_padded(&iv, &mut text).expect("a padding");
        assert_octets(&text);
    }
}

/// Every cipher on the threads of a team, from one buffer to another, at the least length that threads share.
pub fn on_teams(cpu: Cpu) {
    let (team, iv) = (&Spawned::new(2), [1; 16]);
    let aes = Aes::with_cpu(cpu, &secrets(32)).expect("a length of keys");
    let threefish = Threefish512::with_version(cpu, Version::V1_3, &secrets(64));
    let (tweak, block) = ([1, 2], [1; 64]);
    let text = secrets(1 << 20);
    let mut between = vec![0; text.len()];
    let mut back = vec![0; text.len()];
    macro_rules! round_trip {
        ($cipher:ident: $encrypt:ident($($e:expr),*), $decrypt:ident($($d:expr),*)) => {
            $cipher.$encrypt(team, $($e,)* (&text[..], &mut between[..]));
            $cipher.$decrypt(team, $($d,)* (&between[..], &mut back[..]));
            assert_octets(&back);
        };
    }
    round_trip!(aes: ecb_encrypt_on(), ecb_decrypt_on());
    round_trip!(aes: cbc_encrypt_streams_on(&[iv]), cbc_decrypt_on(&iv));
    round_trip!(aes: apply_ctr_on(&iv, 128, 0), apply_ctr_on(&iv, 128, 0));
    round_trip!(threefish: encrypt_on(tweak), decrypt_on(tweak));
    round_trip!(threefish: encrypt_counting_on(tweak), decrypt_counting_on(tweak));
    round_trip!(threefish: apply_ctr_on(tweak, [1; 8], 0), apply_ctr_on(tweak, [1; 8], 0));
    let mut text = text.clone();
    threefish.cbc_encrypt(tweak, &block, &mut text);
    threefish.cbc_decrypt_on(team, tweak, &block, (&text[..], &mut back[..]));
    assert_octets(&back);
}

/// Every mode of Threefish, with both constants.
pub fn threefish<const W: usize>(cpu: Cpu) {
    let (tweak, iv) = ([1, 2], vec![1; 8 * W]);
    for version in [Version::V1_2, Version::V1_3] {
        let cipher = Threefish::<W>::with_version(cpu, version, &secrets(8 * W));
        let len = 24 * W;
        round_trip(
            len,
            |t| cipher.encrypt(tweak, t),
            |t| cipher.decrypt(tweak, t),
        );
        round_trip(
            len,
            |t| cipher.encrypt_counting(tweak, t),
            |t| cipher.decrypt_counting(tweak, t),
        );
        round_trip(
            len,
            |t| cipher.cbc_encrypt(tweak, &iv, t),
            |t| cipher.cbc_decrypt(tweak, &iv, t),
        );
        let stream = |t: &mut [u8]| cipher.apply_ctr(tweak, [1; W], 5, t);
        round_trip(len + 7, stream, stream);
    }
}

/// Rijndael with blocks and keys of every length.
pub fn rijndael(cpu: Cpu) {
    for len in [16, 20, 24, 28, 32] {
        let cipher = Rijndael::with_rounds(cpu, len, &secrets(48 - len), 14).expect("lengths");
        round_trip(10 * len, |t| cipher.encrypt(t), |t| cipher.decrypt(t));
    }
}

/// Skein with a secret key of a secret message, as a chain and as a tree, of whole bytes and with single bits.
pub fn skein<const W: usize>(cpu: Cpu) {
    let (key, team) = (secrets(40), &Spawned::new(2));
    let keyed = |bytes| Parameters::new(bytes).key(&key).nonce(b"a nonce").cpu(cpu);
    let stream = Parameters::stream().key(&key).cpu(cpu);
    let tree = Tree::new(1, 1, 2).expect("sizes");
    for parameters in [keyed(100), stream, keyed(100).tree(tree)] {
        let mut skein = Skein::<W>::new(&parameters);
        skein.update(&secrets(1000));
        skein.update_on(team, &secrets(500));
        let fill = |_, part: &mut [u8]| {
            part.copy_from_slice(&secrets(part.len()));
            Ok::<_, ()>(())
        };
        skein
            .update_from(team, 5000, &fill)
            .expect("it never fails");
        let mut out = [0; 300];
        skein.clone().finalize().read(&mut out[..100]);
        XofReader::read(&mut skein.finalize_bits(secrets(8)[7], 3), &mut out);
        black_box(out);
    }
}

/// The traits of others: block ciphers, streams and codes that authenticate messages.
pub fn traits() {
    macro_rules! ciphers {
        ($($Cipher:ident)*) => {$({
            let cipher = <$Cipher as KeyInit>::new(&array().into());
            let mut block = array().into();
            cipher.encrypt_block(&mut block);
            cipher.decrypt_block(&mut block);
            assert_octets(&block);
            let stream = || Ctr::inner_iv_init(cipher.clone(), &[1; _].into());
            let mut text = secrets(100);
            stream().apply_keystream(&mut text);
            let mut again = stream();
            again.seek(0);
            again.apply_keystream(&mut text);
            assert_octets(&text);
        })*};
    }
    ciphers!(Aes128 Aes192 Aes256 Threefish256 Threefish512 Threefish1024);
    macro_rules! codes {
        ($($Code:ident)*) => {$({
            let code = <$Code as digest::KeyInit>::new_from_slice(&secrets(20)).expect("any length");
            black_box(code.chain_update(secrets(100)).finalize());
        })*};
    }
    codes!(Skein256Mac Skein512Mac Skein1024Mac);
}

/// Paddings of secret texts, right and wrong.
pub fn padding() {
    let mut text = secrets(100);
    pkcs7::pad(&mut text, 16);
    pkcs7::unpad(&mut text, 16).expect("a padding");
    assert_octets(&text);
    pkcs7::unpad(&mut secrets(96), 16).expect_err("no padding");
}
