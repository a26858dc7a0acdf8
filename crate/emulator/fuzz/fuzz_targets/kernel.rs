//! libFuzzer's inputs as the decisions of which a kernel is made.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cornerturn_emulator_fuzz::properties::kernel(bytes));
