#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod adapter;
mod ec;
mod rsa;

pub use adapter::{default_provider, with_service};
pub use carrysave::engine::{Service, ServiceOptions};
