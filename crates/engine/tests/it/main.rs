//! The engine against the same operations one by one.

mod batch;
mod curves;
#[cfg(unix)]
mod fork;
mod service;
mod support;
mod team;
mod wycheproof;
