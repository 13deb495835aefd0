//! The data that modes work on.

/// Bytes to be encrypted or decrypted: in place, or from one buffer to another.
///
/// ```
/// use carrysave_team::Serial;
/// use carrysave_symmetric::aes::Aes;
/// let aes = Aes::new(&[7; 16]).expect("a key of 16 bytes");
/// let mut in_place = [1; 64];
/// aes.ecb_encrypt_on(&Serial, &mut in_place[..]);
/// let mut to = [0; 64];
/// aes.ecb_encrypt_on(&Serial, (&[1; 64][..], &mut to[..]));
/// assert_eq!(to, in_place);
/// ```
pub struct Text<'a> {
    /// The source, if it is not the destination.
    from: Option<&'a [u8]>,
    to: &'a mut [u8],
}

/// The source, if it is not the destination, and the destination.
pub(crate) type Buffers<'a> = (Option<&'a [u8]>, &'a mut [u8]);

/// In place.
impl<'a> From<&'a mut [u8]> for Text<'a> {
    fn from(data: &'a mut [u8]) -> Self {
        Text {
            from: None,
            to: data,
        }
    }
}

/// From the first buffer to the second.
///
/// # Panics
/// If their lengths differ.
impl<'a> From<(&'a [u8], &'a mut [u8])> for Text<'a> {
    fn from((from, to): (&'a [u8], &'a mut [u8])) -> Self {
        assert_eq!(from.len(), to.len(), "both are equally long");
        Text {
            from: Some(from),
            to,
        }
    }
}

impl<'a> Text<'a> {
    pub(crate) fn len(&self) -> usize {
        self.to.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The data.
    pub(crate) fn source(&self) -> &[u8] {
        self.from.unwrap_or(self.to)
    }

    #[inline(always)]
    pub(crate) fn of((from, to): Buffers<'a>) -> Self {
        Text { from, to }
    }

    /// The parts of the data.
    #[inline(always)]
    pub(crate) fn buffers(self) -> Buffers<'a> {
        (self.from, self.to)
    }

    #[inline(always)]
    pub(crate) fn split_at(self, at: usize) -> (Self, Self) {
        let (to, to_rest) = self.to.split_at_mut(at);
        let (from, from_rest) = self.from.map(|from| from.split_at(at)).unzip();
        let part = |from, to| Text { from, to };
        (part(from, to), part(from_rest, to_rest))
    }

    /// Parts of `bytes` bytes; the last one may be shorter.
    pub(crate) fn chunks(self, bytes: usize) -> impl ExactSizeIterator<Item = Text<'a>> + Send {
        let from = self.from;
        let parts = self.to.chunks_mut(bytes).enumerate();
        parts.map(move |(i, to)| Text {
            from: from.map(|from| &from[i * bytes..][..to.len()]),
            to,
        })
    }

    /// The bytes at the destination, copied there if necessary.
    pub(crate) fn moved(self) -> &'a mut [u8] {
        if let Some(from) = self.from {
            self.to.copy_from_slice(from);
        }
        self.to
    }

    /// Calls one of the functions.
    #[inline(always)]
    pub(crate) fn each(
        self,
        in_place: impl FnOnce(&mut [u8]),
        into: impl FnOnce(&mut [u8], &[u8]),
    ) {
        match self.from {
            None => in_place(self.to),
            Some(from) => into(self.to, from),
        }
    }
}
