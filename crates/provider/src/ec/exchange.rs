//! KEYEXCH `ECDH`: the shared secret, as it is or through the KDF of ANSI X9.63.

use super::keys::Key;
use super::{Private, Public};
use crate::abi::{Dispatch, Param, kind};
use crate::agreement::{self, Agreement};
use crate::failure::Failure;
use crate::held::Operation;
use crate::kdf::Kdf;
use crate::param::{Params, Wanted};
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

impl Agreement for Exchange {
    type Key = Key;

    fn of(key: &Key) -> Result<Exchange, Failure> {
        Ok(Exchange {
            own: Some(agreement::own(key.private.clone())?),
            size: key.group()?.field_size(),
            ..Exchange::default()
        })
    }

    fn meet(&mut self, key: &Key) -> Result<(), Failure> {
        self.peer = Some(agreement::others(key.public.clone())?);
        Ok(())
    }

    /// Without a derivation, less room gets the first octets, as from the default provider.
    fn most(&self, room: Option<usize>) -> Result<usize, Failure> {
        let secret = room.map_or(self.size, |room| room.min(self.size));
        Ok(self.kdf.len().unwrap_or(secret))
    }

    fn derive(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let (Some(own), Some(peer)) = (&self.own, &self.peer) else {
            return Err(Failure::order());
        };
        // SEC 1, 3.6.1.
        self.kdf.derive(own.agree(&**peer)?, |counter, ukm| {
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

pub static ECDH: [Dispatch; 11] = agreement::table_with_params::<Exchange>();
