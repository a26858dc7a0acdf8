//! How far the emulator's results are from the GPU's where the PTX ISA allows an error.

use std::f64::consts::PI;

use cornerturn::Kernel as GpuKernel;
use cornerturn_emulator_fuzz::choices::Random;
use cornerturn_emulator_fuzz::forms::{Form, Source};
use cornerturn_emulator_fuzz::kernel::{self, HEADER, PLANES, STRIDE_BYTES};
use cornerturn_emulator_fuzz::values::{Class, LOADED};

use crate::bench::Bench;
use crate::tally::Errors;

/// Every bit pattern is as likely in the first half of the launches; in the second half ordinary numbers.
pub(crate) fn measure(
    bench: &mut Bench,
    form: &Form,
    launches: u64,
    seed: u64,
) -> anyhow::Result<Errors> {
    let unit = kernel::unit("unit", form, bench.shape);
    let loaded = GpuKernel::ptx(&format!("{HEADER}{}", unit.text), "unit")?;
    let mut random = Random(seed);
    let mut errors = Errors::default();
    let lanes = bench.shape.all();
    for launch in 0..launches {
        let mut planes = Vec::new();
        for (place, source) in form.sources.iter().enumerate() {
            let Source::Value(class) = *source else {
                continue;
            };
            let values: Vec<u64> = (0..lanes)
                .map(|_| value(class, &mut random, launch % 2 == 1))
                .collect();
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            let index = LOADED
                .iter()
                .position(|loaded| *loaded == class)
                .unwrap_or(0);
            bench.write_input((index * PLANES + place) * lanes * STRIDE_BYTES, &bytes)?;
            planes.push(values);
        }
        let results = bench.run(&loaded, loaded.module()?, 1)?;
        for lane in 0..lanes {
            let at = |bytes: &[u8]| {
                let bytes = bytes[lane * STRIDE_BYTES..][..8]
                    .try_into()
                    .expect("8 bytes");
                u64::from_le_bytes(bytes)
            };
            let inputs: Vec<u64> = planes.iter().map(|plane| plane[lane]).collect();
            errors.note(
                form.result,
                &inputs,
                at(&results.emulator),
                at(&results.gpu),
            );
        }
    }
    Ok(errors)
}

fn value(class: Class, random: &mut Random, ordinary: bool) -> u64 {
    match (class, ordinary) {
        (Class::Single, false) => random.long() & 0xffff_ffff,
        (Class::Single, true) => {
            let exponent = 127 - 12 + random.below(24);
            random.below(2) << 31 | exponent << 23 | random.long() & 0x7f_ffff
        }
        _ => class.value(random),
    }
}

fn number(class: Class, bits: u64) -> f64 {
    match class {
        Class::Double => f64::from_bits(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

impl Errors {
    fn note(&mut self, class: Class, inputs: &[u64], emulator: u64, gpu: u64) {
        let bits = |bits: u64| match class {
            Class::Double => bits,
            _ => bits & 0xffff_ffff,
        };
        let (mine, its) = (number(class, bits(emulator)), number(class, bits(gpu)));
        self.samples += 1;
        if bits(emulator) == bits(gpu) {
            self.equal += 1;
            return;
        }
        let told = || format!("{inputs:#x?} emulator {emulator:#x} GPU {gpu:#x}").replace('\n', "");
        let kind = |value: f64| (value.is_nan(), value.is_infinite(), value == 0.0);
        if kind(mine) != kind(its) || mine.is_nan() || (mine == 0.0 && its == 0.0) {
            self.other_kind += 1;
            if self.other_kind_examples.len() < 8 {
                self.other_kind_examples.push(told());
            }
            return;
        }
        let ordered = |bits: u64| {
            let top = if class == Class::Double { 63 } else { 31 };
            let magnitude = (bits & ((1 << top) - 1)) as i64;
            if bits >> top & 1 == 1 {
                -magnitude
            } else {
                magnitude
            }
        };
        let ulps = ordered(bits(emulator)).abs_diff(ordered(bits(gpu)));
        self.by_ulps[ulps.clamp(1, 5) as usize - 1] += 1;
        if ulps > self.most_ulps {
            self.most_ulps = ulps;
            self.worst = told();
        }
        if inputs.iter().all(|input| number(class, *input).abs() <= PI) {
            self.most_absolute_in_turn = self.most_absolute_in_turn.max((mine - its).abs());
        }
    }
}
