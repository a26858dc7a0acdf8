//! References of the integer, logic and selection instructions: plain loops and 128-bit arithmetic.

use super::{Opcode, Want};

/// An integer type.
#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    signed: bool,
}

impl Type {
    fn named(name: &str) -> Option<Self> {
        let signed = name.starts_with('s');
        let bits = name.strip_prefix(['u', 's', 'b'])?.parse().ok()?;
        Some(Self { bits, signed })
    }

    /// The number that some bits mean.
    fn value(self, bits: u64) -> i128 {
        let low = i128::from(bits) & ((1 << self.bits) - 1);
        if self.signed && low >> (self.bits - 1) == 1 {
            low - (1 << self.bits)
        } else {
            low
        }
    }

    fn cut(self, value: i128) -> u64 {
        (value & ((1 << self.bits) - 1)) as u64
    }

    fn clamped(self, value: i128) -> u64 {
        self.cut(value.clamp(-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1))
    }
}

pub(super) fn reference(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    if opcode.name == "cvt" {
        return None;
    }
    // Positions and lengths beyond a byte: which bits count differs from form to form on the hardware.
    if matches!(opcode.name, "bfe" | "bfi")
        && case[1..]
            .iter()
            .skip(usize::from(opcode.name == "bfi"))
            .any(|value| *value > 0xff)
    {
        return Some(Want::Any);
    }
    let choose = |first: bool| if first { case[0] } else { case[1] };
    let bits = match opcode.ty() {
        "u16x2" | "s16x2" => pairs(opcode, case)?,
        "f4e" | "b4e" | "rc8" | "ecl" | "ecr" | "rc16" => permuted(opcode.ty(), case),
        "pred" => match opcode.name {
            "and" => case[0] & case[1],
            "or" => case[0] | case[1],
            "xor" => case[0] ^ case[1],
            _ => return None,
        },
        name => match (opcode.name, name) {
            ("selp", _) => choose(case[2] != 0),
            ("slct", "s32") => choose(case[2] as i32 >= 0),
            ("slct", _) => {
                let c = f32::from_bits(case[2] as u32);
                choose(c >= 0.0 || (opcode.has("ftz") && c.is_subnormal()))
            }
            _ => return one(opcode, Type::named(name)?, case).map(Want::Bits),
        },
    };
    Some(Want::Bits(bits))
}

fn pairs(opcode: &Opcode, case: &[u64; 4]) -> Option<u64> {
    let ty = Type::named(opcode.ty().trim_end_matches("x2"))?;
    let part = |shift: u32| -> Option<u64> {
        let (a, b) = (ty.value(case[0] >> shift), ty.value(case[1] >> shift));
        let value = match opcode.name {
            "add" => a + b,
            "min" => a.min(b),
            "max" => a.max(b),
            _ => return None,
        };
        Some(ty.cut(if opcode.has("relu") {
            value.max(0)
        } else {
            value
        }))
    };
    Some(part(16)? << 16 | part(0)?)
}

fn one(opcode: &Opcode, ty: Type, case: &[u64; 4]) -> Option<u64> {
    let [a, b, c] = [0, 1, 2].map(|at| ty.value(case[at]));
    let wide = Type {
        bits: 2 * ty.bits,
        ..ty
    };
    let sum = |value: i128| {
        if opcode.has("sat") {
            ty.clamped(value)
        } else {
            ty.cut(value)
        }
    };
    let relu = |value: i128| {
        ty.cut(if opcode.has("relu") {
            value.max(0)
        } else {
            value
        })
    };
    Some(match opcode.name {
        "add" => sum(a + b),
        "sub" => sum(a - b),
        "mul" | "mad" if opcode.has("wide") => {
            let addend = if opcode.name == "mad" {
                wide.value(case[2])
            } else {
                0
            };
            wide.cut(a * b + addend)
        }
        "mul" | "mad" => {
            let addend = if opcode.name == "mad" { c } else { 0 };
            let product = if ty.signed {
                a * b
            } else {
                (a as u128).wrapping_mul(b as u128) as i128
            };
            let part = match (opcode.has("hi"), ty.signed) {
                (true, true) => product >> ty.bits,
                (true, false) => (product as u128 >> ty.bits) as i128,
                _ => product,
            };
            sum(part.wrapping_add(addend))
        }
        "mul24" | "mad24" => {
            let narrow = Type { bits: 24, ..ty };
            let product = narrow.value(case[0]) * narrow.value(case[1]);
            let part = if opcode.has("hi") {
                product >> 16
            } else {
                product
            };
            let addend = if opcode.name == "mad24" { c } else { 0 };
            // The part is 32 bits, as a number of the type.
            sum(ty.value(ty.cut(part)) + addend)
        }
        "sad" => ty.cut(c + (a - b).abs()),
        // The manual leaves it open; an H200 gives all ones.
        "div" | "rem" if b == 0 => ty.cut(-1),
        "div" => ty.cut(a / b),
        "rem" => ty.cut(a % b),
        "abs" => ty.cut(a.abs()),
        "neg" => ty.cut(-a),
        "min" => relu(a.min(b)),
        "max" => relu(a.max(b)),
        "and" => case[0] & case[1],
        "or" => case[0] | case[1],
        "xor" => case[0] ^ case[1],
        "not" => ty.cut(!a),
        "cnot" => u64::from(a == 0),
        "shl" if case[1] & 0xffff_ffff >= u64::from(ty.bits) => 0,
        "shl" => ty.cut(a << (case[1] & 63)),
        "shr" => ty.cut(a >> (case[1] & 0xffff_ffff).min(127)),
        _ => return bitwise(opcode, ty, case),
    })
}

fn bit(value: u64, at: u64) -> u64 {
    if at < 64 { value >> at & 1 } else { 0 }
}

fn bitwise(opcode: &Opcode, ty: Type, case: &[u64; 4]) -> Option<u64> {
    let [a, b, c, d] = *case;
    let width = u64::from(ty.bits);
    let set = (0..width).filter(|at| bit(a, *at) == 1);
    let word =
        |bits: &dyn Fn(u64) -> u64, width: u64| (0..width).fold(0, |sum, at| sum | bits(at) << at);
    Some(match opcode.name {
        "popc" => set.count() as u64,
        "clz" => set.max().map_or(width, |last| width - 1 - last),
        "brev" => word(&|at| bit(a, width - 1 - at), width),
        "bfind" => {
            let sign = if ty.signed { bit(a, width - 1) } else { 0 };
            match (0..width).rev().find(|at| bit(a, *at) != sign) {
                Some(at) if opcode.has("shiftamt") => width - 1 - at,
                Some(at) => at,
                None => 0xffff_ffff,
            }
        }
        "bfe" => {
            let (at, length) = (b & 0xff, c & 0xff);
            let top = (at + length).saturating_sub(1).min(width - 1);
            let sign = if ty.signed && length > 0 {
                bit(a, top)
            } else {
                0
            };
            let inside = |index| index < length && at + index < width;
            word(
                &|index| {
                    if inside(index) {
                        bit(a, at + index)
                    } else {
                        sign
                    }
                },
                width,
            )
        }
        "bfi" => {
            let (at, length) = (c & 0xff, d & 0xff);
            let inside = |index| index >= at && index < at + length;
            word(
                &|index| {
                    if inside(index) {
                        bit(a, index - at)
                    } else {
                        bit(b, index)
                    }
                },
                width,
            )
        }
        "dp4a" | "dp2a" => dot(opcode, case),
        "bmsk" => {
            let limit = |value: u64| {
                if opcode.has("wrap") {
                    value & 31
                } else {
                    value.min(32)
                }
            };
            let (at, length) = (limit(a), limit(b));
            word(&|index| u64::from(index >= at && index < at + length), 32)
        }
        "szext" => {
            let bits = if opcode.has("wrap") {
                b & 31
            } else {
                b.min(32)
            };
            let sign = if ty.signed && bits > 0 {
                bit(a, bits - 1)
            } else {
                0
            };
            word(&|at| if at < bits { bit(a, at) } else { sign }, 32)
        }
        // The manual does not say; an H200 gives 0.
        "fns" if c as u32 as i32 == i32::MIN => 0,
        "fns" => nth_set(a, b, c as u32 as i32),
        "lop3" => word(
            &|at| bit(d, bit(a, at) * 4 + bit(b, at) * 2 + bit(c, at)),
            32,
        ),
        "shf" => {
            let both = b << 32 | a;
            let by = if opcode.has("wrap") {
                c & 31
            } else {
                c.min(32)
            };
            let left = (u128::from(both) << by >> 32) as u64;
            (if opcode.has("l") { left } else { both >> by }) & 0xffff_ffff
        }
        "prmt" => {
            let byte = |at: u64| {
                (if at < 4 {
                    a >> (8 * at)
                } else {
                    b >> (8 * (at - 4))
                }) & 0xff
            };
            (0..4).fold(0, |sum, at| {
                let choice = c >> (4 * at) & 15;
                let value = byte(choice & 7);
                let value = if choice & 8 == 0 {
                    value
                } else {
                    0xff * (value >> 7)
                };
                sum | value << (8 * at)
            })
        }
        _ => return None,
    })
}

fn nth_set(mask: u64, base: u64, offset: i32) -> u64 {
    let holds = |at: &u64| bit(mask, *at) == 1;
    let found = match offset {
        _ if base > 31 => None,
        0 => holds(&base).then_some(base),
        1.. => (base..32).filter(holds).nth(offset as usize - 1),
        _ => (0..=base)
            .rev()
            .filter(holds)
            .nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(0xffff_ffff)
}

/// The other modes of `prmt`, as the manual's table lists the bytes.
fn permuted(mode: &str, case: &[u64; 4]) -> u64 {
    let chosen: [[u64; 4]; 4] = match mode {
        "f4e" => [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
        "b4e" => [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
        "rc8" => [[0; 4], [1; 4], [2; 4], [3; 4]],
        "ecl" => [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
        "ecr" => [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
        _ => [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
    };
    let bytes = case[1] << 32 | case[0];
    let chosen = chosen[(case[2] & 3) as usize];
    (0..4).fold(0, |sum, at| {
        sum | (bytes >> (8 * chosen[at]) & 0xff) << (8 * at)
    })
}

fn dot(opcode: &Opcode, case: &[u64; 4]) -> u64 {
    let signed = |at: usize| opcode.modifiers[opcode.modifiers.len() - 2 + at] == "s32";
    let part = |word: u64, at: u64, bits: u32, signed: bool| {
        Type { bits, signed }.value(word >> (u64::from(bits) * at))
    };
    let (parts, bits) = if opcode.name == "dp4a" {
        (4, 8)
    } else {
        (2, 16)
    };
    let b = if opcode.has("hi") {
        case[1] >> 16
    } else {
        case[1]
    };
    let sum = (0..parts).fold(i128::from(case[2]), |sum, at| {
        sum + part(case[0], at, bits, signed(0)) * part(b, at, 8, signed(1))
    });
    (sum & 0xffff_ffff) as u64
}
