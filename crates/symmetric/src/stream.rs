//! Counter mode as a stream with a position, for the traits of the crate `cipher`.

use crate::{
    aes::{Aes128, Aes192, Aes256},
    threefish::{Threefish, read_words},
};
use cipher::{
    Block, BlockSizeUser, InOutBuf, InnerIvInit, IvSizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek, common::InnerUser,
};

/// A block cipher in counter mode: `Ctr<Aes256>` counts in all 128 bits, big-endian; `Ctr<Threefish512>` in the first
/// word, little-endian, with a zero tweak. A stream ends before byte 2^64 - 1.
///
/// The first counter is the initialization vector. A counter must never be used twice with a key.
///
/// ```
/// use carrysave_symmetric::{stream::Ctr, threefish::Threefish256};
/// use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
/// let mut stream = Ctr::<Threefish256>::new(&[7; 32].into(), &[1; 32].into());
/// let mut text = *b"attack at dawn; retreat at dusk.";
/// let (first, rest) = text.split_at_mut(5);
/// stream.apply_keystream(first);
/// stream.apply_keystream(rest);
/// assert_eq!(stream.current_pos::<u64>(), 32);
/// // From any byte on.
/// stream.seek(16);
/// stream.apply_keystream(&mut text[16..]);
/// assert_eq!(&text[16..], b"retreat at dusk.");
/// ```
#[derive(Clone, Debug)]
pub struct Ctr<C: BlockSizeUser> {
    cipher: C,
    counter: Block<C>,
    position: u64,
}

/// A cipher with a counter mode.
pub trait Counting: BlockSizeUser {
    /// Xors `data` with the keystream from a byte on.
    fn apply(&self, counter: &Block<Self>, position: u64, data: &mut [u8]);
}

macro_rules! aes {
    ($($Name:ident)*) => {
        $(impl Counting for $Name {
            fn apply(&self, counter: &Block<Self>, position: u64, data: &mut [u8]) {
                self.0.apply_ctr(&counter.0, 128, position, data);
            }
        })*
    };
}

aes!(Aes128 Aes192 Aes256);

/// With a tweak of zeros.
impl<const W: usize> Counting for Threefish<W>
where
    Self: BlockSizeUser,
{
    fn apply(&self, counter: &Block<Self>, position: u64, data: &mut [u8]) {
        let mut words = [0; W];
        read_words(&mut words, counter);
        self.apply_ctr([0, 0], words, position, data);
    }
}

impl<C: BlockSizeUser> InnerUser for Ctr<C> {
    type Inner = C;
}

impl<C: BlockSizeUser> IvSizeUser for Ctr<C> {
    type IvSize = C::BlockSize;
}

impl<C: BlockSizeUser> InnerIvInit for Ctr<C> {
    fn inner_iv_init(cipher: C, counter: &Block<C>) -> Self {
        Ctr {
            cipher,
            counter: counter.clone(),
            position: 0,
        }
    }
}

impl<C: Counting> StreamCipher for Ctr<C> {
    fn check_remaining(&self, len: usize) -> Result<(), StreamCipherError> {
        let end = self.position.checked_add(len as u64);
        end.map(|_| ()).ok_or(StreamCipherError)
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        let data = data.into_out_with_copied_in();
        self.cipher.apply(&self.counter, self.position, data);
        self.position += data.len() as u64;
    }

    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        data.fill(0);
        self.unchecked_apply_keystream(data);
    }
}

/// Positions are in bytes, so a block is one byte for [`SeekNum`].
impl<C: Counting> StreamCipherSeek for Ctr<C> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        T::from_block_byte(self.position, 1, 1)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        (self.position, _) = position.into_block_byte(1)?;
        Ok(())
    }
}
