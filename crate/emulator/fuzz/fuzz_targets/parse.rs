//! libFuzzer's inputs as PTX text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cornerturn_emulator_fuzz::properties::text(bytes));
