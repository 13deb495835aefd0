//! Keys and texts of ciphers.

use super::{below, filled, random};
use carrysave_kernels::{
    Cpu,
    aes::{Block, Ctr, Decrypt, Encrypt},
};
use carrysave_secrets::memory::Needles;
use carrysave_symmetric::{
    aes::Aes,
    rijndael::Rijndael,
    skein::{Parameters, Skein, Tree},
    threefish::{Threefish, Version},
};
use std::array;
use zeroize::Zeroizing;

/// Octets encrypted at a time: enough for every kernel to reach its widest loop.
const LONG: usize = 1 << 14;
/// A counter, or the block before the first.
const IV: Block = [3; 16];

/// Uses AES with a key of N octets on each processor that this one can emulate.
fn use_aes<const N: usize>(needles: &mut Needles, mode: fn(&Aes, &mut [u8])) {
    let key = random::<N>();
    needles.add("the key", &*key);
    needles.add("round keys", round_keys(&*key).as_flattened());
    for cpu in Cpu::native().masks() {
        let aes = below(|| Aes::with_cpu(cpu, &*key)).expect("a length that there is");
        // Whole flights of every kernel, and a remainder.
        for length in [16, 5 * 16, LONG, LONG + 13 * 16] {
            let mut text = filled(length);
            needles.add("the text", &text);
            below(|| mode(&aes, &mut text));
        }
    }
}

/// The key schedule: any two consecutive round keys reveal the key.
fn round_keys(key: &[u8]) -> Zeroizing<Vec<Block>> {
    let encrypt = Encrypt::best(Cpu::portable());
    let mut words: Zeroizing<Vec<[u8; 4]>> = Zeroizing::new(Vec::with_capacity(60));
    words.extend(key.as_chunks().0);
    let (length, mut constant) = (words.len(), 1_u8);
    for i in length..4 * (length + 7) {
        let mut word = words[i - 1];
        let begins = i % length == 0;
        if begins || length > 6 && i % length == 4 {
            // Over equal columns one round with keys of zeros is the S-box.
            let mut block = Zeroizing::new([word; 4].concat());
            encrypt.call_in_place(&mut block, &[[0; 16]; 2]);
            word.copy_from_slice(&block[..4]);
        }
        if begins {
            word.rotate_left(1);
            word[0] ^= constant;
            constant = constant << 1 ^ if constant >= 0x80 { 0x1b } else { 0 };
        }
        let before = words[i - length];
        words.push(array::from_fn(|j| word[j] ^ before[j]));
    }
    Zeroizing::new(words.as_flattened().as_chunks().0.to_vec())
}

pub fn aes_ecb_encrypt<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| aes.ecb_encrypt(text));
}

pub fn aes_ecb_decrypt<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| {
        aes.ecb_encrypt(text);
        aes.ecb_decrypt(text);
    });
}

pub fn aes_cbc_encrypt<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| aes.cbc_encrypt(&IV, text));
}

pub fn aes_cbc_streams<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| {
        // From few long streams to many short ones; streams of 2 KiB are read in another order.
        let blocks = text.len() / 16;
        for streams in [2, 5, 8, 32].into_iter().filter(|n| blocks % n == 0) {
            let mut text = Zeroizing::new(text.to_vec());
            aes.cbc_encrypt_streams(&vec![IV; streams], &mut text);
        }
    });
}

pub fn aes_cbc_decrypt<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| {
        aes.cbc_encrypt(&IV, text);
        aes.cbc_decrypt(&IV, text);
    });
}

pub fn aes_padding(needles: &mut Needles) {
    use_aes::<32>(needles, |aes, text| {
        // Without room for the padding.
        let mut text = Zeroizing::new(text.to_vec());
        aes.cbc_encrypt_padded(&IV, &mut text);
        aes.cbc_decrypt_padded(&IV, &mut text).expect("a padding");
    });
}

pub fn aes_ctr<const N: usize>(needles: &mut Needles) {
    use_aes::<N>(needles, |aes, text| {
        aes.apply_ctr(&IV, 32, 5, text);
        aes.apply_ctr(&[0xff; 16], 128, 0, text);
        aes.apply_ctr(&[0xff; 16], 128, 0, text);
        aes.apply_ctr(&IV, 32, 5, text);
    });
}

/// The state that counter mode saves: blocks after two rounds, computed here by three rounds and one inverse.
pub fn aes_windows(needles: &mut Needles) {
    let keys = random::<{ 16 * 11 }>();
    let keys = keys.as_chunks().0;
    let counter = |i| if i % 16 == 15 { i as u8 / 16 } else { 0 };
    let mut saved = Zeroizing::new(array::from_fn::<u8, 64, _>(counter));
    let portable = Cpu::portable();
    Encrypt::best(portable).call_in_place(&mut *saved, &[keys[0], keys[1], keys[2], [0; 16]]);
    Decrypt::best(portable).call_in_place(&mut *saved, &[[0; 16]; 2]);
    needles.add("counters after two rounds", &*saved);
    for ctr in Ctr::all(Cpu::native()) {
        below(|| ctr.call_in_place(&mut [0; LONG], keys, &[0; 16]));
    }
}

pub fn threefish<const W: usize>(needles: &mut Needles) {
    let key = filled(8 * W);
    needles.add("the key", &key);
    for cpu in Cpu::native().masks() {
        use_threefish::<W>(needles, cpu, &key);
    }
}

fn use_threefish<const W: usize>(needles: &mut Needles, cpu: Cpu, key: &[u8]) {
    let cipher = Threefish::<W>::with_version(cpu, Version::V1_3, key);
    let mut text = filled(LONG + 8 * W);
    needles.add("the text", &text);
    below(|| cipher.encrypt([0; 2], &mut text));
    below(|| cipher.decrypt([0; 2], &mut text));
    below(|| cipher.cbc_encrypt([0; 2], &vec![3; 8 * W], &mut text));
    below(|| cipher.cbc_decrypt([0; 2], &vec![3; 8 * W], &mut text));
    for _ in 0..2 {
        below(|| cipher.apply_ctr([0; 2], array::from_fn(|i| i as u64), 5, &mut text));
    }
}

pub fn skein(needles: &mut Needles) {
    let key = random::<64>();
    needles.add("the key", &*key);
    let message = filled(LONG + 5);
    needles.add("the message", &message);
    let parameters = || Parameters::new(32).key(&*key);
    for parameters in [parameters(), parameters().tree(Tree::default())] {
        below(|| {
            let mut mac = Skein::<8>::new(&parameters);
            mac.update(&message[..100]);
            mac.update(&message[100..]);
            mac.finalize().read(&mut [0; 32]);
        });
    }
}

pub fn rijndael(needles: &mut Needles) {
    for length in [16, 20, 24, 28, 32] {
        let key = filled(length);
        needles.add("the key", &key);
        let cipher = Rijndael::new(length, &key).expect("lengths that there are");
        let mut text = filled(40 * length);
        needles.add("the text", &text);
        below(|| cipher.encrypt(&mut text));
        below(|| cipher.decrypt(&mut text));
    }
}
