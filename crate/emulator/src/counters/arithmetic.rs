//! What instructions of the PTX compute in each thread, by the profiler's counters of arithmetic, and sums of these as operations. How often they are executed is the interpreter's to count.
//!
//! # The rules
//!
//! The names are ncu's, the counts follow from machine code: NVIDIA's `ptxas` 13.0 for sm_90, read with `nvdisasm`, and are
//! held against what Nsight Compute counted on an H200 (`tests/h200/arithmetic.csv`).
//!
//! - A thread counts where it is active and the instruction's predicate lets it act.
//! - A difference is a sum with a sign turned. Minima, maxima, comparisons, roundings and other conversions count nothing.
//!   Neither do `neg` and `abs`, which become signs of the instruction that takes the result; where none does, the machine
//!   code has a sum with zero.
//! - What the machine code does in several instructions counts what these do for ordinary operands: `div.rn.f32` five
//!   FFMA, `div.rn.f64` seven DFMA, one DMUL and an FFMA. [`Arithmetic::of`] has the list.
//! - `cvt.f32.f16` is an HADD2, a conversion that only saturates or flushes (`cvt.sat.f32.f32`) is a sum.
//! - A packed instruction (`f16x2`, `bf16x2`) is one instruction of the thread, as the metric's name says. ncu's roofline
//!   weighs these counters by 2 and 4 therefore, and takes single values for packed ones; [`Counters::flops`] does not.
//! - A product and a sum without a rounding in their names (`mul.f32`, `add.f32`) that the assembler makes one instruction
//!   count as one; which ones these are, `decode::fuse` says.
//! - bfloat16 is done by the same instructions with a modifier (`HFMA2.BF16_V2`) and counted with them. Whether ncu's
//!   counters include it is not documented.
//! - Tensor cores: 2 · m · n · k operations for each `mma` or `wmma.mma` of a warp, under the type of its factors. That ncu
//!   counts so follows from its roofline, which adds these counters to operations as they are. Of `wgmma` it was measured
//!   on an H200, for each type; products of float16 have one counter, whatever they add up in, and so have all of 8-bit
//!   floats. `mma` of 8-bit floats becomes one of float16, and counts as that.
//!
//! # What the PTX cannot tell
//!
//! - Operands beyond the ordinary: subnormal ones, or a quotient near the limits of its type, take a second way that has
//!   more instructions.
//! - The assembler makes every other sum or product of halves an HFMA2 (`a·1 + b`, `a·b - 0`), for both pipelines to have
//!   work, and packs single ones in pairs; `HFMA2` also loads constants. So `hadd`, `hmul` and `hfma` are the machine
//!   code's own in kernels with halves.
//! - Divisions with directed rounding (`div.rz.f32`), and `rcp` and `sqrt` so in double precision, are subroutines that are
//!   not counted. Nor are the sums in the loops that atomics on shared memory become.

use crate::counters::{Counters, SECTOR_BYTES};

macro_rules! arithmetic {
    ($($field:ident)*) => {
        /// What one thread computes, by the [`Counters`] of the same names.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Arithmetic {
            $(#[doc = concat!("As [`Counters::", stringify!($field), "`].")] pub $field: u64,)*
        }

        impl Arithmetic {
            const ONE: Self = Self { $($field: 1,)* };

            /// Adds what so many threads compute.
            pub fn add(&mut self, threads: u64, each: &Self) {
                $(self.$field = self.$field.wrapping_add(threads.wrapping_mul(each.$field));)*
            }

            /// Takes away what one thread computes, which has been added.
            pub(crate) fn take_away(&mut self, each: &Self) {
                $(self.$field = self.$field.wrapping_sub(each.$field);)*
            }

            /// The counters of it.
            pub fn counters(&self) -> Counters {
                Counters { $($field: self.$field,)* ..Counters::default() }
            }
        }
    };
}

arithmetic! {
    fadd fmul ffma dadd dmul dfma hadd hmul hfma
    tensor_f16_f16 tensor_f16_f32 tensor_bf16_f32 tensor_tf32_f32 tensor_f64 tensor_int8
    tensor_group_f16 tensor_fp8 tensor_int1
    half_flops
}

/// Threads of a warp, among which an operation of the whole warp is divided.
const WARP: u64 = 32;

impl Arithmetic {
    /// What an instruction of the PTX, written with its modifiers, computes in each thread; `None` if nothing that is
    /// counted.
    pub fn of(opcode: &str) -> Option<Self> {
        let mut parts = opcode.split('.');
        let name = parts.next()?;
        let modifiers: Vec<&str> = parts.collect();
        let found = match (name, *modifiers.last()?) {
            ("mma" | "wmma", _) => tensor(&modifiers),
            ("wgmma", _) => group_tensor(&modifiers),
            ("cvt", from) => conversion(&modifiers, from),
            (_, "f32") => single(name, &modifiers),
            (_, "f64") => double(name, &modifiers),
            (_, "f16" | "bf16") => half(name, 1),
            (_, "f16x2" | "bf16x2") => half(name, 2),
            _ => Self::default(),
        };
        (found != Self::default()).then_some(found)
    }
}

fn single(name: &str, modifiers: &[&str]) -> Arithmetic {
    let has = |modifier| modifiers.contains(&modifier);
    let (fadd, fmul, ffma) = match name {
        "add" | "sub" => (1, 0, 0),
        "mul" => (0, 1, 0),
        "fma" | "mad" => (0, 0, 1),
        "div" if has("approx") || has("full") => (0, 1, 0),
        "div" if has("rn") => (0, 0, 5),
        // The operand and the result are scaled where it may be subnormal.
        "rcp" if has("approx") && !has("ftz") => (0, 2, 0),
        "rcp" if !has("approx") => (1, 0, 2),
        "sqrt" if has("rn") => (0, 2, 2),
        "sqrt" if has("rp") => (1, 2, 2),
        "sqrt" if has("rz") || has("rm") => (2, 2, 4),
        "sin" | "cos" => (0, 1, 0),
        _ => (0, 0, 0),
    };
    Arithmetic {
        fadd,
        fmul,
        ffma,
        ..Arithmetic::default()
    }
}

fn double(name: &str, modifiers: &[&str]) -> Arithmetic {
    let has = |modifier| modifiers.contains(&modifier);
    let (dadd, dmul, dfma) = match name {
        "add" | "sub" => (1, 0, 0),
        "mul" => (0, 1, 0),
        "fma" | "mad" => (0, 0, 1),
        "div" if has("rn") => (0, 1, 7),
        "rcp" if has("rn") => (0, 0, 5),
        "sqrt" if has("rn") => (0, 3, 5),
        "rsqrt" if !has("ftz") => (0, 2, 3),
        _ => (0, 0, 0),
    };
    Arithmetic {
        dadd,
        dmul,
        dfma,
        // It looks at the quotient's upper half.
        ffma: u64::from(name == "div" && has("rn")),
        ..Arithmetic::default()
    }
}

fn half(name: &str, values: u64) -> Arithmetic {
    let (hadd, hmul, hfma) = match name {
        "add" | "sub" => (1, 0, 0),
        "mul" => (0, 1, 0),
        "fma" => (0, 0, 1),
        _ => (0, 0, 0),
    };
    Arithmetic {
        hadd,
        hmul,
        hfma,
        half_flops: values * (hadd + hmul + 2 * hfma),
        ..Arithmetic::default()
    }
}

fn conversion(modifiers: &[&str], from: &str) -> Arithmetic {
    let has = |modifier| modifiers.contains(&modifier);
    let to = modifiers.iter().rev().nth(1).copied();
    let rounds = ["rni", "rzi", "rmi", "rpi"].into_iter().any(has);
    let one = |fadd, hadd| Arithmetic {
        fadd,
        hadd,
        ..Arithmetic::default()
    };
    match (to, from) {
        (Some("f32"), "f16") => one(0, 1),
        (Some("f32"), "f32") if !rounds && (has("sat") || has("ftz")) => one(1, 0),
        (Some("f16"), "f16") if !rounds && has("sat") => one(0, 1),
        _ => Arithmetic::default(),
    }
}

/// Of `mma` and `wmma.mma`: the shape is one modifier, the types are the last ones.
fn tensor(modifiers: &[&str]) -> Arithmetic {
    let has = |modifier| modifiers.contains(&modifier);
    let is_product = !["load", "store"].into_iter().any(has);
    let Some(ops) = modifiers.iter().find_map(|part| products(part)) else {
        return Arithmetic::default();
    };
    let ops = 2 * ops / WARP * u64::from(is_product);
    let types: Vec<&str> = (modifiers.iter().copied())
        .filter(|part| {
            part.trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .parse::<u32>()
                .is_ok()
        })
        .collect();
    let is_of = |ty| types.contains(&ty);
    let mut found = Arithmetic::default();
    let counter = if is_of("f64") {
        &mut found.tensor_f64
    } else if is_of("tf32") {
        &mut found.tensor_tf32_f32
    } else if is_of("bf16") {
        &mut found.tensor_bf16_f32
    } else if is_of("s8") || is_of("u8") {
        &mut found.tensor_int8
    } else if types.first() == Some(&"f16") {
        // The result's type comes first.
        &mut found.tensor_f16_f16
    } else {
        &mut found.tensor_f16_f32
    };
    *counter = ops;
    found
}

/// Of `wgmma.mma_async`, which the threads of four warps divide among them: the last types are those of the factors.
fn group_tensor(modifiers: &[&str]) -> Arithmetic {
    let Some(ops) = modifiers.iter().find_map(|part| products(part)) else {
        return Arithmetic::default();
    };
    let has = |ty| modifiers.contains(&ty);
    let mut found = Arithmetic::default();
    let counter = if has("tf32") {
        &mut found.tensor_tf32_f32
    } else if has("bf16") {
        &mut found.tensor_bf16_f32
    } else if has("e4m3") || has("e5m2") {
        &mut found.tensor_fp8
    } else if has("s8") || has("u8") {
        &mut found.tensor_int8
    } else if has("b1") {
        &mut found.tensor_int1
    } else {
        &mut found.tensor_group_f16
    };
    *counter = 2 * ops / (4 * WARP);
    found
}

/// `m16n8k16` is 16 · 8 · 16 products.
fn products(shape: &str) -> Option<u64> {
    let (m, rest) = shape.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let side = |text: &str| text.parse::<u16>().ok().map(u64::from);
    Some(side(m)? * side(n)? * side(k)?)
}

/// Floating-point operations by type: a sum or a product is one, a fused product and sum two, in each value of a packed
/// one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flops {
    /// In half precision, float16 and bfloat16.
    pub half: u64,
    /// In single precision.
    pub single: u64,
    /// In double precision.
    pub double: u64,
    /// By tensor cores on float16 and bfloat16.
    pub tensor_half: u64,
    /// By tensor cores on tf32.
    pub tensor_tf32: u64,
    /// By tensor cores on floats of 8 bits.
    pub tensor_fp8: u64,
    /// By tensor cores in double precision.
    pub tensor_double: u64,
}

impl Flops {
    /// All together.
    pub fn total(&self) -> u64 {
        self.half
            + self.single
            + self.double
            + self.tensor_half
            + self.tensor_tf32
            + self.tensor_fp8
            + self.tensor_double
    }
}

impl Counters {
    /// Whether the counter with this ncu name is one of arithmetic.
    pub fn is_arithmetic(ncu_name: &str) -> bool {
        Arithmetic::ONE.counters().get(ncu_name) == Some(1)
    }

    /// Floating-point operations by type. As with the profiler, those of a quotient or a root are what the machine does for
    /// it; a comparison or an exponential is none.
    pub fn flops(&self) -> Flops {
        Flops {
            half: self.half_flops,
            single: self.fadd + self.fmul + 2 * self.ffma,
            double: self.dadd + self.dmul + 2 * self.dfma,
            tensor_half: self.tensor_f16_f16
                + self.tensor_f16_f32
                + self.tensor_group_f16
                + self.tensor_bf16_f32,
            tensor_tf32: self.tensor_tf32_f32,
            tensor_fp8: self.tensor_fp8,
            tensor_double: self.tensor_f64,
        }
    }

    /// Bytes of the sectors of global memory that were asked for: loads, stores, atomics and texture fetches. Bulk copies
    /// count no sectors.
    pub fn global_sector_bytes(&self) -> u64 {
        let sectors = self.global_load_sectors
            + self.global_store_sectors
            + self.global_atom_sectors
            + self.global_red_sectors
            + self.texture_sectors;
        SECTOR_BYTES * sectors
    }

    /// Floating-point operations for each byte of [global sectors](Self::global_sector_bytes): the intensity at L1's door.
    /// `None` where no byte was asked for. That of DRAM, where data come once that are asked for often, is
    /// `flops().total()` for the bytes that must move.
    pub fn arithmetic_intensity(&self) -> Option<f64> {
        let bytes = self.global_sector_bytes();
        (bytes > 0).then(|| self.flops().total() as f64 / bytes as f64)
    }
}
