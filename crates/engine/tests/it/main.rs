//! The engine against the same operations one by one.

mod batch;
mod service;
mod support;
mod team;
mod wycheproof;
