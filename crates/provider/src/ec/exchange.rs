//! KEYEXCH `ECDH`: the shared secret, as it is or through the KDF of ANSI X9.63.

use super::keys::Key;
use super::{Private, Public};
use crate::abi::{Dispatch, Param, keyexch, kind};
use crate::counters;
use crate::failure::{Failure, write};
use crate::held::{self, Held, Operation};
use crate::kdf::Kdf;
use crate::param::{Params, Wanted};
use core::ffi::{c_int, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// An agreement: the own key, and the other's.
#[derive(Clone)]
struct Exchange {
    own: Option<Arc<dyn Private>>,
    size: usize,
    peer: Option<Arc<dyn Public>>,
    kdf: Kdf,
}

impl Default for Exchange {
    fn default() -> Exchange {
        Exchange {
            own: None,
            size: 0,
            peer: None,
            kdf: Kdf::new(c"X963KDF"),
        }
    }
}

impl Exchange {
    fn len(&self) -> usize {
        self.kdf.len().unwrap_or(self.size)
    }

    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (Some(own), Some(peer)) = (&self.own, &self.peer) else {
            return Err(Failure::order());
        };
        let secret = own.agree(&**peer)?;
        counters::AGREEMENTS.count();
        // SEC 1, 3.6.1.
        self.kdf.derive(secret, |counter, ukm| {
            [&counter.to_be_bytes(), ukm].concat()
        })
    }
}

/// The cofactor of every curve is 1, so its mode may be any.
impl Operation for Exchange {
    const SETTABLE: &'static [Param] = &[
        Param::describe(c"ecdh-cofactor-mode", kind::INTEGER),
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS),
        Param::END,
    ];
    const GETTABLE: &'static [Param] = &[
        Param::describe(c"ecdh-cofactor-mode", kind::INTEGER),
        Param::describe(c"kdf-type", kind::UTF8),
        Param::describe(c"kdf-digest", kind::UTF8),
        Param::describe(c"kdf-outlen", kind::UNSIGNED),
        Param::describe(c"kdf-ukm", kind::OCTETS_POINTER),
        Param::END,
    ];

    fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        self.kdf.set(params)
    }

    fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"ecdh-cofactor-mode" => wanted.set_integer(0),
            _ => self.kdf.answer(wanted),
        }
    }
}

unsafe extern "C" fn init(exchange: *mut c_void, key: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: they are an exchange and a key of ours, and a list.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let key = Held::<Key>::get(key).ok_or_else(Failure::order)?;
            let own = key.private.clone();
            *exchange = Exchange {
                own: Some(own.ok_or_else(|| Failure::new("the own key has no private part"))?),
                size: key.group()?.field_size(),
                ..Exchange::default()
            };
            exchange.set(&Params::new(params))
        })
    }
}

unsafe extern "C" fn set_peer(exchange: *mut c_void, key: *mut c_void) -> c_int {
    // SAFETY: they are an exchange and a key of ours.
    unsafe {
        Held::change(exchange, |exchange: &mut Exchange| {
            let peer = Held::<Key>::get(key).and_then(|key| key.public.clone());
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
            // Without a derivation, less room gets the first octets, as from the default provider.
            let most = match exchange.len() {
                most if exchange.kdf.len().is_some() || out.is_null() => most,
                most => most.min(size),
            };
            write(out, len, size, most, || exchange.derive())
        })
    }
}

pub static ECDH: [Dispatch; 11] = [
    keyexch::NEWCTX.is(held::new::<Exchange>),
    keyexch::FREECTX.is(held::free::<Exchange>),
    keyexch::DUPCTX.is(held::dup::<Exchange>),
    keyexch::INIT.is(init),
    keyexch::SET_PEER.is(set_peer),
    keyexch::DERIVE.is(derive),
    keyexch::SET_CTX_PARAMS.is(held::set::<Exchange>),
    keyexch::SETTABLE_CTX_PARAMS.is(held::settable::<Exchange>),
    keyexch::GET_CTX_PARAMS.is(held::get::<Exchange>),
    keyexch::GETTABLE_CTX_PARAMS.is(held::gettable::<Exchange>),
    Dispatch::END,
];
