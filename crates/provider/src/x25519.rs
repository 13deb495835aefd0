//! KEYMGMT and KEYEXCH of `X25519` (RFC 7748).

use crate::abi::Dispatch;
use crate::agreement::{self, Agreement};
use crate::counters;
use crate::ecx::{self, Algorithm, LEN};
use crate::failure::Failure;
use crate::groups::{ANY, Group, TLS_1_0};
use carrysave::ec::{X25519PrivateKey, X25519PublicKey};
use zeroize::Zeroizing;

struct X25519;

impl Algorithm for X25519 {
    const NAME: &str = "X25519";
    const BITS: i32 = 253;
    const MOST: i32 = LEN as i32;
    const SIGNS: bool = false;
    type Private = X25519PrivateKey;
    type Public = X25519PublicKey;

    fn generate() -> X25519PrivateKey {
        X25519PrivateKey::generate()
    }

    fn private(octets: &[u8; LEN]) -> X25519PrivateKey {
        X25519PrivateKey::from_bytes(octets)
    }

    fn octets(private: &X25519PrivateKey) -> &[u8; LEN] {
        private.as_bytes()
    }

    fn public_of(private: &X25519PrivateKey) -> X25519PublicKey {
        private.public()
    }

    fn public(octets: &[u8; LEN]) -> Result<X25519PublicKey, Failure> {
        Ok(X25519PublicKey(*octets))
    }
}

type Key = ecx::Key<X25519>;

pub static KEYS: [Dispatch; 20] = ecx::keys::<X25519>();

/// The group of TLS 1.3 and of earlier versions (RFC 8446, 4.2.7; RFC 8422).
pub const GROUP: Group = Group {
    name: c"x25519",
    keys: c"X25519",
    algorithm: c"X25519",
    id: 0x1d,
    security_bits: 128,
    versions: [TLS_1_0, ANY],
};

/// An agreement: the own key, and the other's.
#[derive(Clone, Default)]
struct Exchange {
    own: Option<X25519PrivateKey>,
    peer: Option<X25519PublicKey>,
}

impl Exchange {
    fn both(&self) -> Result<(&X25519PrivateKey, &X25519PublicKey), Failure> {
        self.own
            .as_ref()
            .zip(self.peer.as_ref())
            .ok_or_else(Failure::order)
    }
}

impl Agreement for Exchange {
    type Key = Key;

    fn of(key: &Key) -> Result<Exchange, Failure> {
        Ok(Exchange {
            own: Some(agreement::own(key.private.clone())?),
            peer: None,
        })
    }

    fn meet(&mut self, key: &Key) -> Result<(), Failure> {
        self.peer = Some(agreement::others(key.public)?);
        Ok(())
    }

    fn most(&self, _room: Option<usize>) -> Result<usize, Failure> {
        self.both().map(|_| LEN)
    }

    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (own, peer) = self.both()?;
        let secret = own.agree(peer)?;
        counters::AGREEMENTS.count();
        Ok(secret)
    }
}

pub static EXCHANGE: [Dispatch; 7] = agreement::table::<Exchange>();
