//! The traits of other crates, against the functions behind them.

mod support;

use carrysave_symmetric::{
    aes::{Aes, Aes128, Aes192, Aes256},
    skein::{Keyed, Parameters, Skein, Skein512_512},
    stream::{Counting, Ctr},
    threefish::{Threefish, Threefish256, Threefish512, Threefish1024},
};
use cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, InOutBuf, KeyInit, KeyIvInit, StreamCipher,
    StreamCipherSeek, array::Array,
};
use digest::{Digest, ExtendableOutput, Mac, Update, XofReader};
use support::noise;

/// Blocks of every number, in place and between buffers, against the cipher's own function.
fn blocks<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit>(
    key: &[u8],
    encrypt: impl Fn(&mut [u8]),
) {
    let cipher = C::new_from_slice(key).expect("a length of keys");
    let size = C::block_size();
    for count in 0..150 {
        let text = noise(count * size);
        let mut expected = text.clone();
        encrypt(&mut expected);
        let text: Vec<Block<C>> = text
            .chunks(size)
            .map(|block| Array::try_from(block).expect("a block"))
            .collect();
        let mut data = text.clone();
        cipher.encrypt_blocks(&mut data);
        assert_eq!(Array::slice_as_flattened(&data), expected);
        let mut back = vec![Block::<C>::default(); count];
        let buffers = InOutBuf::new(&data, &mut back).expect("as long");
        cipher.decrypt_blocks_inout(buffers);
        assert_eq!(back, text);
        if let Some(block) = data.first_mut() {
            cipher.decrypt_block(block);
            assert_eq!(*block, text[0]);
        }
    }
}

#[test]
fn block_ciphers() {
    let key = noise(128);
    let aes = |bytes| {
        let aes = Aes::new(&noise(bytes)).expect("a length of keys");
        move |data: &mut [u8]| aes.ecb_encrypt(data)
    };
    blocks::<Aes128>(&key[..16], aes(16));
    blocks::<Aes192>(&key[..24], aes(24));
    blocks::<Aes256>(&key[..32], aes(32));
    blocks::<Threefish256>(&key[..32], |data| {
        Threefish::<4>::new(&key[..32]).encrypt([0, 0], data);
    });
    blocks::<Threefish512>(&key[..64], |data| {
        Threefish::<8>::new(&key[..64]).encrypt([0, 0], data);
    });
    blocks::<Threefish1024>(&key, |data| {
        Threefish::<16>::new(&key).encrypt([0, 0], data);
    });
}

/// Another crate's mode over our cipher.
#[test]
fn counter_mode_of_others() {
    let (key, counter) = (noise(32), [0xff; 16]);
    for length in [0, 1, 16, 1000, 5000] {
        let mut theirs = noise(length);
        let mut ours = theirs.clone();
        let mut mode = ctr::Ctr128BE::<Aes256>::new_from_slices(&key, &counter).expect("lengths");
        mode.apply_keystream(&mut theirs);
        let aes = Aes::new(&key).expect("a length of keys");
        aes.apply_ctr(&counter, 128, 0, &mut ours);
        assert_eq!(theirs, ours);
    }
}

/// Our counter mode as a stream, cut in two everywhere and begun anywhere, against the cipher's own function.
fn streams<C: Counting + KeyInit + Clone>(apply: impl Fn(&[u8], &[u8], &mut [u8])) {
    let (key, counter) = (noise(C::key_size()), vec![0xff; C::block_size()]);
    let fresh = Ctr::<C>::new_from_slices(&key, &counter).expect("lengths");
    let text = noise(5 * C::block_size() + 3);
    let mut expected = text.clone();
    apply(&key, &counter, &mut expected);
    for cut in 0..=text.len() {
        let mut stream = fresh.clone();
        let mut data = text.clone();
        let (first, rest) = data.split_at_mut(cut);
        stream.apply_keystream(first);
        assert_eq!(stream.current_pos::<usize>(), cut);
        stream.apply_keystream(rest);
        assert_eq!(data, expected, "cut at {cut}");

        stream.seek(cut);
        let mut out = vec![0; text.len() - cut];
        stream.apply_keystream_b2b(&text[cut..], &mut out);
        assert_eq!(out, expected[cut..], "from {cut}");
        stream.seek(cut as u64);
        stream.write_keystream(&mut out);
        let xored: Vec<u8> = text[cut..].iter().zip(&out).map(|(a, b)| a ^ b).collect();
        assert_eq!(xored, expected[cut..], "the stream from {cut}");
    }
    let mut stream = fresh;
    stream.seek(u64::MAX - 3);
    stream.apply_keystream(&mut [0; 3]);
    assert_eq!(stream.current_pos::<u64>(), u64::MAX);
    assert!(stream.try_current_pos::<u32>().is_err());
    assert!(stream.try_apply_keystream(&mut [0]).is_err());
    assert!(stream.try_seek(u128::from(u64::MAX) + 1).is_err());
    assert!(stream.try_seek(-1).is_err());
}

#[test]
fn counter_modes() {
    fn aes(key: &[u8], counter: &[u8], data: &mut [u8]) {
        let aes = Aes::new(key).expect("a length of keys");
        aes.apply_ctr(counter.try_into().expect("a block"), 128, 0, data);
    }
    fn threefish<const W: usize>(key: &[u8], _: &[u8], data: &mut [u8]) {
        Threefish::<W>::new(key).apply_ctr([0, 0], [u64::MAX; W], 0, data);
    }
    streams::<Aes128>(aes);
    streams::<Aes192>(aes);
    streams::<Aes256>(aes);
    streams::<Threefish256>(threefish::<4>);
    streams::<Threefish512>(threefish::<8>);
    streams::<Threefish1024>(threefish::<16>);
}

fn skein<const W: usize>(parameters: &Parameters<'_>) -> Vec<u8> {
    let mut skein = Skein::<W>::new(parameters);
    skein.update(b"a message");
    let mut out = vec![0; 8 * W];
    skein.finalize().read(&mut out);
    out
}

#[test]
fn hashes_and_codes() {
    let mut hash = Skein512_512::new_with_prefix(b"a message");
    let expected = skein::<8>(&Parameters::new(64));
    assert_eq!(hash.finalize_reset()[..], expected);
    Update::update(&mut hash, b"a message");
    assert_eq!(hash.finalize()[..], expected);

    let parameters = Parameters::stream().nonce(b"once");
    let mut stream = Skein::<8>::new(&parameters);
    Update::update(&mut stream, b"a message");
    let mut out = [0; 64];
    XofReader::read(&mut stream.finalize_xof(), &mut out);
    assert_eq!(out[..], skein::<8>(&parameters));

    macro_rules! check {
        ($($words:literal $size:ident)*) => {
            $(for key in [&noise(8 * $words)[..], b"", b"short", &noise(1000)] {
                let mut mac = Keyed::<$words, cipher::consts::$size>::new_from_slice(key).expect("any key");
                Mac::update(&mut mac, b"a message");
                let expected = skein::<$words>(&Parameters::new(8 * $words).key(key));
                mac.clone().verify_slice(&expected).expect("the code");
                assert!(mac.clone().verify_slice(&expected[1..]).is_err());
                let mut wrong = expected;
                wrong[0] ^= 1;
                assert!(mac.verify_slice(&wrong).is_err());
            })*
            $(let key = noise(8 * $words);
            let whole = <Keyed<$words, cipher::consts::$size> as digest::KeyInit>::new(key[..].try_into().expect("its length"));
            let expected = skein::<$words>(&Parameters::new(8 * $words).key(&key));
            whole.chain_update(b"a message").verify_slice(&expected).expect("the code");)*
        };
    }
    check!(4 U32 8 U64 16 U128);
}
