//! What ranks of a farm send each other.

use super::Items;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// From a follower that is ready.
    Ready,
    /// To a follower: items. The number is the index of the piece.
    Piece,
    /// From a follower: the results of a piece.
    Done,
    /// From a follower: a sign of life; also the reply to it.
    Alive,
    /// From a follower that cannot work: the reason.
    Unable,
    /// To a follower: the farm has ended. The number is 1 if a rank was lost.
    End,
}

const KINDS: [Kind; 6] = [
    Kind::Ready,
    Kind::Piece,
    Kind::Done,
    Kind::Alive,
    Kind::Unable,
    Kind::End,
];

/// One byte for the kind, eight for the number, and for each item eight for its length and the item.
pub(super) struct Message {
    pub kind: Kind,
    pub number: usize,
    pub items: Items,
}

impl Message {
    pub fn of(kind: Kind) -> Vec<u8> {
        Message::encode(kind, 0, &[])
    }

    pub fn encode(kind: Kind, number: usize, items: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![kind as u8];
        bytes.extend((number as u64).to_le_bytes());
        for item in items {
            bytes.extend((item.len() as u64).to_le_bytes());
            bytes.extend(item);
        }
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Message {
        let (&kind, rest) = bytes.split_first().expect("a kind");
        let (number, mut rest) = rest.split_first_chunk().expect("a number");
        let mut message = Message {
            kind: KINDS[usize::from(kind)],
            number: u64::from_le_bytes(*number) as usize,
            items: vec![],
        };
        while !rest.is_empty() {
            let (len, after) = rest.split_first_chunk().expect("a length");
            let (item, after) = after.split_at(u64::from_le_bytes(*len) as usize);
            message.items.push(item.to_vec());
            rest = after;
        }
        message
    }
}
