//! Products of matrices that Triton 3.6 compiled for sm_90 from `kernels/triton/products.py`: right, and without findings, with all checks.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random};
use cornerturn_emulator::{Arg, Fill, Module, Swizzle, TensorElement, TensorLayout, TensorMap};

/// Multiples of 16, which Triton compiled them for, and not of the tiles of 64 × 128.
const SHAPE: [usize; 3] = [80, 208, 112];
const GRID: [u32; 3] = [4, 1, 1];
const THREADS: [u32; 3] = [128, 1, 1];

/// The numbers of A and B: how many bits of a float there are, and how many of them are beside one another in 32.
#[derive(Clone, Copy)]
enum Numbers {
    Bf16,
    F16,
    Tf32,
}

impl Numbers {
    /// A number between −1 and 1 that the type has, and its bits.
    fn draw(self, random: &mut Random) -> (f64, u32) {
        let eighth = (random.next() % 127) as f64 - 63.0;
        let value = eighth / 64.0;
        let single = (value as f32).to_bits();
        let bits = match self {
            Self::Tf32 => single,
            Self::Bf16 => single >> 16,
            // Every 64th below 1 is a normal number of 11 bits.
            Self::F16 if single << 1 == 0 => 0,
            Self::F16 => {
                let exponent = (single >> 23 & 0xff) + 15 - 127;
                (single >> 16 & 0x8000) | exponent << 10 | (single >> 13 & 0x3ff)
            }
        };
        (value, bits)
    }

    fn upload(self, gpu: &mut Gpu, name: &str, bits: &[u32]) -> u64 {
        match self {
            Self::Tf32 => gpu.upload(name, bits),
            _ => {
                let halves: Vec<u16> = bits.iter().map(|&bits| bits as u16).collect();
                gpu.upload(name, &halves)
            }
        }
    }

    /// An element of C, which has the same type.
    fn decode(self, bits: u32) -> f64 {
        match self {
            Self::Tf32 => f64::from(f32::from_bits(bits)),
            Self::Bf16 => f64::from(f32::from_bits(bits << 16)),
            Self::F16 => {
                let size =
                    f64::from(bits & 0x3ff | 0x400) * 2f64.powi((bits >> 10 & 31) as i32 - 25);
                let size = if bits & 0x7fff == 0 { 0.0 } else { size };
                if bits >> 15 == 1 { -size } else { size }
            }
        }
    }
}

/// Matrices on a device, and what their product is.
struct Product {
    gpu: Gpu,
    numbers: Numbers,
    matrices: [u64; 3],
    expected: Vec<f64>,
}

impl Product {
    fn new(numbers: Numbers) -> Self {
        let mut gpu = Gpu::default();
        gpu.options.check = true;
        let [m, n, k] = SHAPE;
        let mut random = Random(7);
        let mut draw = |count: usize| -> (Vec<f64>, Vec<u32>) {
            (0..count).map(|_| numbers.draw(&mut random)).unzip()
        };
        let ((a, a_bits), (b, b_bits)) = (draw(m * k), draw(k * n));
        let sum = |at: usize| (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum();
        let matrices = [
            numbers.upload(&mut gpu, "a", &a_bits),
            numbers.upload(&mut gpu, "b", &b_bits),
            match numbers {
                Numbers::Tf32 => gpu.poisoned::<u32>("c", m * n),
                _ => gpu.poisoned::<u16>("c", m * n),
            },
        ];
        Self {
            gpu,
            numbers,
            matrices,
            expected: (0..m * n).map(sum).collect(),
        }
    }

    fn run(&self, name: &str, entry: &str, shared: u32, mut args: Vec<Arg>) {
        let module = Module::load(&common::fixture(&format!(
            "../../../kernels/triton/{name}.ptx"
        )))
        .unwrap();
        args.extend(SHAPE.map(|size| Arg::from(size as i32)));
        // Where Triton's own profiler would write, and global scratch: neither is used.
        args.extend([Arg::from(0u64), Arg::from(0u64)]);
        self.gpu
            .run_shared(&module, entry, GRID, THREADS, shared, &args);
        self.expect_right(name);
    }

    /// Sums of so few numbers of six bits are exact in float32; storing them rounds.
    fn expect_right(&self, name: &str) {
        let count = self.expected.len();
        let found: Vec<u32> = match self.numbers {
            Numbers::Tf32 => self.gpu.download::<u32>(self.matrices[2], count),
            _ => {
                let halves = self.gpu.download::<u16>(self.matrices[2], count);
                halves.into_iter().map(u32::from).collect()
            }
        };
        let share = match self.numbers {
            Numbers::Tf32 => 0.0,
            Numbers::Bf16 => 1.0 / 256.0,
            Numbers::F16 => 1.0 / 2048.0,
        };
        for (at, (bits, expected)) in found.iter().zip(&self.expected).enumerate() {
            let found = self.numbers.decode(*bits);
            let is_near = (found - expected).abs() <= expected.abs() * share;
            assert!(is_near, "{name}, element {at}: {found} for {expected}");
        }
    }
}

#[test]
fn products_by_pointers_are_right_and_clean() {
    let cases = [
        ("tiles_bf16", Numbers::Bf16, 122_880),
        ("tiles_f16", Numbers::F16, 122_880),
        ("tiles_tf32", Numbers::Tf32, 122_880),
    ];
    for (name, numbers, shared) in cases {
        let product = Product::new(numbers);
        let args = product.matrices.map(Arg::from).to_vec();
        product.run(name, "tiles", shared, args);
    }
}

#[test]
fn products_by_tensor_descriptors_are_right_and_clean() {
    let product = Product::new(Numbers::Bf16);
    let [m, n, k] = SHAPE;
    let mut args = Vec::new();
    for (address, rows, columns) in [
        (product.matrices[0], m, k),
        (product.matrices[1], k, n),
        (product.matrices[2], m, n),
    ] {
        let map = TensorMap::new(&TensorLayout {
            element: TensorElement::Bf16,
            address,
            lengths: &[columns, rows].map(|length| length as u64),
            strides: &[columns as u64 * 2],
            tile: &[64, 64],
            element_strides: &[1, 1],
            swizzle: Swizzle::Bytes128,
            fill: Fill::Zero,
        });
        args.push(Arg::from(map.unwrap()));
        args.extend([rows, columns].map(|length| Arg::from(length as i32)));
        args.extend([columns as u64, 1].map(Arg::from));
    }
    product.run("boxes_bf16", "boxes", 122_920, args);
}
