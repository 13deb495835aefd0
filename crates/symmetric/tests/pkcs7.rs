//! Paddings of every block and length, and invalid ones.

use carrysave_symmetric::pkcs7::{Unpadding, pad, unpad};

#[test]
fn every_length_comes_back() {
    for block in [1, 8, 16, 32, 64, 128, 255] {
        for length in 0..=2 * block {
            let text = vec![1; length];
            let mut data = text.clone();
            pad(&mut data, block);
            assert!(data.len() > length && data.len().is_multiple_of(block));
            unpad(&mut data, block).expect("a padding");
            assert_eq!(data, text);
        }
    }
}

#[test]
fn what_is_no_padding() {
    let refused = |mut data: Vec<u8>, block: usize| {
        assert_eq!(unpad(&mut data, block), Err(Unpadding));
        assert!(data.is_empty(), "what was there is gone");
    };
    for block in [8, 16, 128] {
        for length in 1..=block {
            for wrong in 2..=length {
                let mut data = vec![length as u8; block];
                data[block - wrong] ^= 0x80;
                refused(data, block);
            }
        }
        refused(vec![0; block], block);
        refused(vec![block as u8 + 1; 2 * block], block);
        refused(vec![255; block], block);
        refused(vec![], block);
        refused(vec![1; block + 1], block);
    }
}

/// What is cut off is wiped: the padding, which tells the length, and all that is refused.
#[test]
fn nothing_is_left_behind() {
    for (last, kept) in [(5, 11), (17, 0)] {
        let mut data = vec![last; 16];
        assert_eq!(unpad(&mut data, 16).is_ok(), kept > 0);
        assert_eq!(data.len(), kept);
        // SAFETY: The vector had 16 bytes, and was not moved to a shorter place.
        unsafe { data.set_len(16) };
        assert!(data[kept..].iter().all(|&byte| byte == 0));
    }
}
