//! Text that people write: plans, numbers, names, and records of measurements.

#![no_main]

use carrysave_arith::Nat;
use carrysave_engine::plan;
use carrysave_measure::record::read_csv;
use carrysave_schemes::{dl::Named, hash::Hash};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(plan) = plan::from_toml(text) {
        let written = plan::to_toml(&plan);
        assert_eq!(
            plan::from_toml(&written).map(|plan| plan::to_toml(&plan)),
            Ok(written)
        );
    }
    for radix in [2, 10, 16, 36] {
        if let Some(x) = Nat::from_radix(text, radix) {
            let digits = text.trim_start_matches('0').to_ascii_lowercase();
            assert_eq!(x.to_radix_vartime(radix).trim_start_matches('0'), digits);
        }
    }
    if let Ok(hash) = text.parse::<Hash>() {
        assert_eq!(hash.to_string().parse(), Ok(hash));
    }
    let _ = text.parse::<Named>();
    let _ = read_csv(text.as_bytes());
});
