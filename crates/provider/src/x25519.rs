//! KEYMGMT and KEYEXCH of `X25519` (RFC 7748).

use crate::abi::{Dispatch, Param, keyexch};
use crate::counters;
use crate::ecx::{self, Algorithm, LEN};
use crate::failure::{Failure, write};
use crate::groups::{ANY, Group, TLS_1_0};
use crate::held::{self, Held};
use carrysave::ec::{X25519PrivateKey, X25519PublicKey};
use core::ffi::{c_int, c_void};

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

unsafe extern "C" fn init(exchange: *mut c_void, key: *mut c_void, _params: *const Param) -> c_int {
    // SAFETY: they are an exchange and a key of ours.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let own = Held::<Key>::get(key).and_then(|key| key.private.clone());
            let own = own.ok_or_else(|| Failure::new("the own key has no private part"))?;
            *exchange = Exchange {
                own: Some(own),
                peer: None,
            };
            Ok(())
        })
    }
}

unsafe extern "C" fn set_peer(exchange: *mut c_void, key: *mut c_void) -> c_int {
    // SAFETY: they are an exchange and a key of ours.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let peer = Held::<Key>::get(key).and_then(|key| key.public);
            let peer = peer.ok_or_else(|| Failure::new("the other's key has no public part"))?;
            exchange.peer = Some(peer);
            Ok(())
        })
    }
}

unsafe extern "C" fn derive(
    exchange: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: it is an exchange of ours, and room of this size.
    unsafe {
        Held::look(exchange, |exchange: &Exchange| {
            let (Some(own), Some(peer)) = (&exchange.own, &exchange.peer) else {
                return Err(Failure::order());
            };
            write(out, len, size, LEN, || {
                let secret = own.agree(peer)?;
                counters::AGREEMENTS.count();
                Ok(secret)
            })
        })
    }
}

pub static EXCHANGE: [Dispatch; 7] = [
    keyexch::NEWCTX.is(held::new::<Exchange>),
    keyexch::FREECTX.is(held::free::<Exchange>),
    keyexch::DUPCTX.is(held::dup::<Exchange>),
    keyexch::INIT.is(init),
    keyexch::SET_PEER.is(set_peer),
    keyexch::DERIVE.is(derive),
    Dispatch::END,
];
