//! Groups of TLS, as OpenSSL is told of them. libssl leaves a group out whose keys it finds in another provider than the
//! group.

use crate::param::List;
use core::ffi::{CStr, c_int};

pub const TLS_1_0: c_int = 0x0301;
pub const TLS_1_2: c_int = 0x0303;
pub const TLS_1_3: c_int = 0x0304;
/// No limit.
pub const ANY: c_int = 0;

/// A group.
pub struct Group {
    /// The name in TLS.
    pub name: &'static CStr,
    /// The name by which keys are generated.
    pub keys: &'static CStr,
    pub algorithm: &'static CStr,
    pub id: c_int,
    pub security_bits: c_int,
    /// The first and the last version that have it.
    pub versions: [c_int; 2],
}

impl Group {
    pub fn list(&self) -> List {
        // Versions of DTLS count down: 1.0 and 1.2; there is none that goes with 1.3 here.
        let [first_dtls, last_dtls] = match self.versions {
            [TLS_1_3, _] => [-1, -1],
            [_, TLS_1_2] => [0xfeff, 0xfefd],
            _ => [0xfeff, ANY],
        };
        let mut list = List::default();
        list.text(c"tls-group-name", self.name);
        list.text(c"tls-group-name-internal", self.keys);
        list.text(c"tls-group-alg", self.algorithm);
        list.integer(c"tls-group-id", self.id);
        list.integer(c"tls-group-sec-bits", self.security_bits);
        list.integer(c"tls-min-tls", self.versions[0]);
        list.integer(c"tls-max-tls", self.versions[1]);
        list.integer(c"tls-min-dtls", first_dtls);
        list.integer(c"tls-max-dtls", last_dtls);
        list
    }
}
