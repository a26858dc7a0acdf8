//! References of the floating-point instructions: the host's arithmetic, and a search for the nearest neighbour
//! where a rounding has no host instruction.

use std::cmp::Ordering;

use super::{Compare, Opcode, Want};

/// A binary format, by its mantissa bits, exponents and whether all-ones exponents are infinities and NaNs.
#[derive(Clone, Copy)]
pub(super) struct Format {
    mantissa: i32,
    least_exponent: i32,
    most: f64,
    bits: u32,
    /// No infinities, and one NaN.
    is_finite: bool,
}

const F16: Format = Format {
    mantissa: 10,
    least_exponent: -14,
    most: 65504.0,
    bits: 16,
    is_finite: false,
};
const BF16: Format = Format {
    mantissa: 7,
    least_exponent: -126,
    most: 3.389_531_389_251_535_5e38,
    bits: 16,
    is_finite: false,
};
const E4M3: Format = Format {
    mantissa: 3,
    least_exponent: -6,
    most: 448.0,
    bits: 8,
    is_finite: true,
};
const E5M2: Format = Format {
    mantissa: 2,
    least_exponent: -14,
    most: 57344.0,
    bits: 8,
    is_finite: false,
};

pub(super) fn half_of(ty: &str) -> Format {
    if ty.starts_with("bf16") { BF16 } else { F16 }
}

impl Format {
    pub(super) fn widen(self, bits: u64) -> f64 {
        let sign = if bits >> (self.bits - 1) & 1 == 1 {
            -1.0
        } else {
            1.0
        };
        let magnitude = bits & ((1 << (self.bits - 1)) - 1);
        let exponent = (magnitude >> self.mantissa) as i32;
        let fraction =
            (magnitude & ((1 << self.mantissa) - 1)) as f64 / f64::from(1 << self.mantissa);
        let value = if exponent == 0 {
            fraction * 2f64.powi(self.least_exponent)
        } else {
            (1.0 + fraction) * 2f64.powi(exponent - 1 + self.least_exponent)
        };
        let special = 1 << (self.bits - 1) as i32 >> self.mantissa;
        if !self.is_finite && exponent == special - 1 {
            return if fraction == 0.0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        if self.is_finite && magnitude == (1 << (self.bits - 1)) - 1 {
            return f64::NAN;
        }
        sign * value
    }

    /// The bits nearest to a number, by trying all; ties to the even one.
    fn nearest(self, value: f64) -> u64 {
        let sign = if value.is_sign_negative() {
            1 << (self.bits - 1)
        } else {
            0
        };
        let (mut low, mut high) = (0u64, self.largest());
        // Finite magnitudes grow with their bits.
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.widen(middle) <= value.abs() {
                low = middle
            } else {
                high = middle - 1
            }
        }
        if low == self.largest() {
            let step = 2f64.powi((self.most.log2().floor() as i32) - self.mantissa);
            let over = value.abs() >= self.most + step / 2.0;
            return sign
                | if over && !self.is_finite {
                    low + 1
                } else {
                    low
                };
        }
        let (below, above) = (
            value.abs() - self.widen(low),
            self.widen(low + 1) - value.abs(),
        );
        let up = below > above || (below == above && low & 1 == 1);
        sign | if up { low + 1 } else { low }
    }

    fn largest(self) -> u64 {
        (0..1u64 << (self.bits - 1))
            .rev()
            .find(|bits| self.widen(*bits) == self.most)
            .unwrap_or(0)
    }

    fn want(self, value: f64) -> Want {
        if value.is_nan() {
            Want::Nan
        } else {
            Want::Bits(self.nearest(value))
        }
    }
}

pub(super) fn reference(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    match (opcode.name, opcode.ty()) {
        ("cvt", _) => converted(opcode, case),
        (_, "f32") => single(opcode, case),
        (_, "f64") => double(opcode, case),
        (_, "f16" | "bf16") => half(opcode, case),
        (_, "f16x2" | "bf16x2") => {
            let part = |shift: u32| half(opcode, &case.map(|bits| bits >> shift & 0xffff));
            Some(match (part(16)?, part(0)?) {
                (Want::Bits(high), Want::Bits(low)) => Want::Bits(high << 16 | low),
                // The halves are compared apart where they stand alone.
                _ => Want::Any,
            })
        }
        _ => None,
    }
}

fn half(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    let format = half_of(opcode.ty());
    let flush = |bits: u64| {
        let subnormal = format.widen(bits).abs() < 2f64.powi(format.least_exponent);
        if opcode.has("ftz") && subnormal {
            bits & 0x8000
        } else {
            bits
        }
    };
    let bits = [0, 1, 2].map(|at| flush(case[at]));
    let [a, b, c] = bits.map(|bits| format.widen(bits));
    let value = match opcode.name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "fma" => {
            // Exact unless the terms are far apart; then a little of the smaller one is enough.
            let sum = a * b + c;
            let lost = (a * b - sum) + c;
            if sum.is_finite() && lost != 0.0 {
                nudged(sum, lost)
            } else {
                sum
            }
        }
        "neg" | "abs" if a.is_nan() => return Some(Want::Nan),
        "neg" => return Some(Want::Bits(bits[0] ^ 0x8000)),
        "abs" => return Some(Want::Bits(bits[0] & 0x7fff)),
        "min" | "max" => return Some(chosen(opcode, a, b, &|value| format.want(value))),
        "ex2" | "tanh" => {
            let value = if opcode.name == "ex2" {
                a.exp2()
            } else {
                a.tanh()
            };
            return Some(match value {
                _ if value.is_nan() => Want::Nan,
                // Near the smallest numbers the documented error is absolute.
                _ if value.abs() < 2f64.powi(format.least_exponent) => Want::Any,
                _ if value > format.most => Want::Near(f64::INFINITY, 0.0),
                _ => Want::Near(value, 2f64.powi(-format.mantissa)),
            });
        }
        _ => return None,
    };
    let value = if opcode.has("sat") {
        if value.is_nan() {
            0.0
        } else {
            value.clamp(0.0, 1.0) + 0.0
        }
    } else if opcode.has("relu") && value <= 0.0 {
        0.0
    } else {
        value
    };
    Some(match format.want(value) {
        Want::Bits(bits) => Want::Bits(flush(bits)),
        other => other,
    })
}

/// The neighbour of a double on the side that something lost lies on, where it is no tie of a narrower format.
fn nudged(sum: f64, lost: f64) -> f64 {
    if lost > 0.0 {
        sum.next_up()
    } else {
        sum.next_down()
    }
}

/// `min` and `max` as the manual has them.
fn chosen(opcode: &Opcode, a: f64, b: f64, want: &dyn Fn(f64) -> Want) -> Want {
    if (a.is_nan() && b.is_nan()) || (opcode.has("NaN") && (a.is_nan() || b.is_nan())) {
        return Want::Nan;
    }
    let signed = opcode.has("xorsign");
    let (x, y) = if signed { (a.abs(), b.abs()) } else { (a, b) };
    let order = |x: &f64, y: &f64| x.total_cmp(y);
    let mut numbers: Vec<f64> = [x, y].into_iter().filter(|value| !value.is_nan()).collect();
    numbers.sort_by(order);
    let found = if opcode.name == "min" {
        numbers.first()
    } else {
        numbers.last()
    };
    let found = found.copied().unwrap_or(f64::NAN);
    let negative = a.is_sign_negative() != b.is_sign_negative();
    // The sign of a NaN operand is not for this reference to say.
    if signed && (a.is_nan() || b.is_nan()) {
        return Want::Any;
    }
    want(if signed {
        found.copysign(if negative { -1.0 } else { 1.0 })
    } else {
        found
    })
}

fn single(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    let flush = |value: f32| {
        if opcode.has("ftz") && value.is_subnormal() {
            0f32.copysign(value)
        } else {
            value
        }
    };
    let [a, b, c] = [0, 1, 2].map(|at| flush(f32::from_bits(case[at] as u32)));
    let (x, y, z) = (f64::from(a), f64::from(b), f64::from(c));
    let want = |value: f32| {
        if value.is_nan() {
            Want::Nan
        } else {
            Want::Bits(u64::from(value.to_bits()))
        }
    };
    let finish = |value: f32| {
        // Rounded up to the smallest normal number: flushed before or after is not said.
        if opcode.has("ftz") && value.abs() == f32::MIN_POSITIVE {
            return Want::Any;
        }
        let value = flush(value);
        let clamped = if value > 0.0 { value.min(1.0) } else { 0.0 };
        want(if opcode.has("sat") { clamped } else { value })
    };
    let round = |nearest: f32, compare: Compare| finish(directed(opcode, nearest, compare));
    let against =
        |exact: f64| move |candidate: f64| exact.partial_cmp(&candidate).unwrap_or(Ordering::Equal);
    let near = |value: f64, error: f64| {
        if value.is_nan() {
            Want::Nan
        } else {
            Want::Near(value, error)
        }
    };
    let near_absolutely = |value: f64, error: f64| near(value, error / value.abs().max(1e-30));
    if opcode.has("approx") || opcode.has("full") {
        // PTX ISA, `div`, `rcp` and `sqrt`: within two units of the last place, which overflow may be too.
        let most = f64::from(f32::MAX) * (1.0 - 2f64.powi(-22));
        let within = |value: f64| match value.is_finite() && value.abs() > most {
            true => Want::Any,
            false => near(value, 2f64.powi(-22)),
        };
        let documented = 2f64.powi(-126)..=2f64.powi(126);
        match opcode.name {
            "div" if opcode.has("approx") && y.is_finite() && y.abs() > *documented.end() => {
                return Some(if x.is_finite() {
                    near(0.0, 0.0)
                } else {
                    Want::Nan
                });
            }
            "div" if y != 0.0 && y.abs() < *documented.start() => return Some(Want::Any),
            "div" => return Some(within(x / y)),
            "rcp" => return Some(within(1.0 / x)),
            "sqrt" => return Some(within(x.sqrt())),
            _ => {}
        }
    }
    Some(match opcode.name {
        "add" | "sub" => {
            let y = if opcode.name == "sub" { -y } else { y };
            let sign = zero_sign(opcode, x, y);
            round(sign.unwrap_or((x + y) as f32), &|candidate| {
                sum_order(x, y, candidate)
            })
        }
        "mul" => round(a * b, &against(x * y)),
        "fma" | "mad" => {
            let sign = zero_sign(opcode, x * y, z);
            round(sign.unwrap_or(a.mul_add(b, c)), &|candidate| {
                sum_order(x * y, z, candidate)
            })
        }
        "div" => round(a / b, &|candidate| {
            let product = candidate * y;
            let order = x.partial_cmp(&product).unwrap_or(Ordering::Equal);
            if y < 0.0 { order.reverse() } else { order }
        }),
        "rcp" => round(1.0 / a, &|candidate| {
            let order = 1f64
                .partial_cmp(&(candidate * x))
                .unwrap_or(Ordering::Equal);
            if x < 0.0 { order.reverse() } else { order }
        }),
        "sqrt" => round(a.sqrt(), &|candidate| {
            x.partial_cmp(&(candidate * candidate))
                .unwrap_or(Ordering::Equal)
        }),
        "neg" | "abs" if a.is_nan() => Want::Nan,
        "abs" => Want::Bits(u64::from(a.to_bits() & 0x7fff_ffff)),
        "neg" => Want::Bits(u64::from(a.to_bits() ^ 0x8000_0000)),
        "copysign" => Want::Bits(case[1] & 0x7fff_ffff | case[0] & 0x8000_0000),
        "min" | "max" => chosen(opcode, x, y, &|value| want(value as f32)),
        "selp" => Want::Bits(if case[2] != 0 { case[0] } else { case[1] }),
        "slct" => Want::Bits(if c >= 0.0 { case[0] } else { case[1] }),
        // The documented errors are relative for most, absolute for sine and cosine in a period.
        "rsqrt" => near(1.0 / x.sqrt(), 2f64.powi(-22)),
        "ex2" if opcode.has("ftz") && x.exp2() < 1.2e-38 => Want::Any,
        "ex2" => near(
            if x.exp2() > f64::from(f32::MAX) {
                f64::INFINITY
            } else {
                x.exp2()
            },
            2f64.powi(-22),
        ),
        "lg2" if (0.5..=2.0).contains(&x) => near_absolutely(x.log2(), 2f64.powi(-22)),
        "lg2" => near(x.log2(), 2f64.powi(-22)),
        "tanh" => near(x.tanh(), 2f64.powi(-11)),
        "sin" | "cos" if x.abs() > 4.0 && x.is_finite() => Want::Any,
        "sin" => near_absolutely(x.sin(), 2f64.powi(-20)),
        "cos" => near_absolutely(x.cos(), 2f64.powi(-20)),
        _ => return None,
    })
}

/// A sum that is exactly zero: its sign follows from the mode where the terms differ in sign.
fn zero_sign(opcode: &Opcode, x: f64, y: f64) -> Option<f32> {
    let cancels = x == -y && x.is_sign_negative() != y.is_sign_negative();
    cancels
        .then_some(if opcode.has("rm") { -0.0 } else { 0.0 })
        .filter(|_| x.is_finite())
}

/// The order of the exact sum of two doubles and a candidate.
fn sum_order(x: f64, y: f64, candidate: f64) -> Ordering {
    if !(x.is_finite() && y.is_finite()) {
        return Ordering::Equal;
    }
    if candidate.is_infinite() {
        return 0.0.partial_cmp(&candidate).unwrap_or(Ordering::Equal);
    }
    let (sum, low) = two_sum(x, y);
    let (rest, lower) = two_sum(sum, -candidate);
    (rest + (lower + low))
        .partial_cmp(&0.0)
        .unwrap_or(Ordering::Equal)
}

fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// The single that a directed mode gives, found among the neighbours of the nearest one.
fn directed(opcode: &Opcode, nearest: f32, compare: Compare) -> f32 {
    if nearest.is_nan() {
        return nearest;
    }
    let order = |value: f32| compare(f64::from(value));
    let down = |value: f32| {
        if order(value) == Ordering::Less {
            value.next_down()
        } else {
            value
        }
    };
    let up = |value: f32| {
        if order(value) == Ordering::Greater {
            value.next_up()
        } else {
            value
        }
    };
    // The exact value's sign is that of the nearest one, zero included.
    let towards_zero = if nearest.is_sign_negative() {
        up(nearest)
    } else {
        down(nearest)
    };
    match () {
        () if opcode.has("rz") => towards_zero,
        () if opcode.has("rm") => down(nearest),
        () if opcode.has("rp") => up(nearest),
        () => nearest,
    }
}

fn double(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    let [a, b, c] = [0, 1, 2].map(|at| f64::from_bits(case[at]));
    let want = |value: f64| {
        if value.is_nan() {
            Want::Nan
        } else {
            Want::Bits(value.to_bits())
        }
    };
    let is_directed = ["rz", "rm", "rp"].iter().any(|mode| opcode.has(mode));
    let (nearest, rest) = match opcode.name {
        "add" => (a + b, two_sum(a, b).1),
        "sub" => (a - b, two_sum(a, -b).1),
        "mul" => (a * b, a.mul_add(b, -(a * b))),
        "div" => (a / b, (-(a / b)).mul_add(b, a) * b.signum()),
        "rcp" if opcode.has("approx") => {
            let value = 1.0 / a;
            let open = a.is_subnormal() || value.is_subnormal() || value == 0.0;
            return Some(if value.is_nan() {
                Want::Nan
            } else if open {
                Want::Any
            } else {
                Want::Near(value, 2f64.powi(-19))
            });
        }
        "rcp" => (1.0 / a, (-(1.0 / a)).mul_add(a, 1.0) * a.signum()),
        "sqrt" => (a.sqrt(), (-a.sqrt()).mul_add(a.sqrt(), a)),
        "rsqrt" => {
            let value = 1.0 / a.sqrt();
            return Some(if value.is_nan() {
                Want::Nan
            } else if a.is_subnormal() {
                Want::Any
            } else {
                Want::Near(value, 2f64.powi(-19))
            });
        }
        "fma" | "mad" if is_directed => return Some(fused(opcode, a, b, c)),
        "fma" | "mad" => (a.mul_add(b, c), 0.0),
        "neg" | "abs" if a.is_nan() => return Some(Want::Nan),
        "abs" => return Some(Want::Bits(case[0] & !(1 << 63))),
        "neg" => return Some(Want::Bits(case[0] ^ 1 << 63)),
        "copysign" => return Some(Want::Bits(case[1] & !(1 << 63) | case[0] & 1 << 63)),
        "min" | "max" => return Some(chosen(opcode, a, b, &want)),
        "selp" => return Some(Want::Bits(if case[2] != 0 { case[0] } else { case[1] })),
        "slct" => {
            return Some(Want::Bits(if f32::from_bits(case[2] as u32) >= 0.0 {
                case[0]
            } else {
                case[1]
            }));
        }
        _ => return None,
    };
    // Where the rest is exact: away from underflow and overflow.
    let away = |value: f64| value == 0.0 || (1e-250..1e250).contains(&value.abs());
    let plain = nearest != 0.0 && [nearest, a, b].into_iter().all(away);
    if !is_directed || nearest.is_nan() || !plain {
        return Some(if is_directed && !plain && !nearest.is_nan() {
            Want::Any
        } else {
            want(nearest)
        });
    }
    Some(want(stepped(opcode, nearest, rest)))
}

fn fused(opcode: &Opcode, a: f64, b: f64, c: f64) -> Want {
    let nearest = a.mul_add(b, c);
    let (product, low) = (a * b, a.mul_add(b, -(a * b)));
    let (rest, lower) = two_sum(product, -nearest);
    let (sum, lowest) = two_sum(rest, c);
    let plain = [nearest, product]
        .iter()
        .all(|value| (1e-250..1e250).contains(&value.abs()));
    let near = plain && c.abs() < 1e250 && (c == 0.0 || c.abs() > 1e-250);
    // The rest's sign is sure where its parts are far apart, or there is only one.
    let sure = low.abs().max(lower.abs()) * 1e3 < sum.abs() || (low == 0.0 && lower == 0.0);
    if nearest.is_nan() {
        Want::Nan
    } else if near && sure {
        Want::Bits(stepped(opcode, nearest, sum + (lowest + (lower + low))).to_bits())
    } else {
        Want::Any
    }
}

/// A double rounded to nearest, corrected by the sign of what it lacks.
fn stepped(opcode: &Opcode, nearest: f64, rest: f64) -> f64 {
    let down = if rest < 0.0 {
        nearest.next_down()
    } else {
        nearest
    };
    let up = if rest > 0.0 {
        nearest.next_up()
    } else {
        nearest
    };
    match () {
        () if opcode.has("rm") => down,
        () if opcode.has("rp") => up,
        () if nearest > 0.0 => down,
        () => up,
    }
}

fn converted(opcode: &Opcode, case: &[u64; 4]) -> Option<Want> {
    let from = opcode.ty();
    let to = opcode.modifiers[opcode.modifiers.len() - 2];
    let relu = |value: f64| {
        if opcode.has("relu") && value <= 0.0 {
            0.0
        } else {
            value
        }
    };
    let singles = [0, 1].map(|at| relu(f64::from(f32::from_bits(case[at] as u32))));
    let pair = |bits: u32, high: u64, low: u64| Want::Bits(high << bits | low);
    Some(match (to, from) {
        ("tf32", _) => tensor_float(opcode, singles[0]),
        ("f16" | "bf16", "f32") => match halved(opcode, half_of(to), singles[0]) {
            Some(bits) => Want::Bits(bits),
            None => Want::Nan,
        },
        ("f16x2" | "bf16x2", "f32") => {
            let parts = singles.map(|value| halved(opcode, half_of(to), value).unwrap_or(0x7fff));
            pair(16, parts[0], parts[1])
        }
        ("e4m3x2" | "e5m2x2", _) => {
            let format = if to == "e4m3x2" { E4M3 } else { E5M2 };
            let values = if from == "f32" {
                singles
            } else {
                [16, 0].map(|shift| relu(F16.widen(case[0] >> shift & 0xffff)))
            };
            let small = |value: f64| {
                if value.is_nan() {
                    0x7f
                } else {
                    format.nearest(value.clamp(-format.most, format.most))
                }
            };
            pair(8, small(values[0]), small(values[1]))
        }
        ("f16x2", "e4m3x2" | "e5m2x2") => {
            let format = if from == "e4m3x2" { E4M3 } else { E5M2 };
            let half = |bits: u64| {
                let value = relu(format.widen(bits & 0xff));
                if value.is_nan() {
                    0x7fff
                } else {
                    F16.nearest(value)
                }
            };
            pair(16, half(case[0] >> 8), half(case[0]))
        }
        _ => return None,
    })
}

/// A half, nearest or towards zero; none for NaN.
fn halved(opcode: &Opcode, format: Format, value: f64) -> Option<u64> {
    if value.is_nan() {
        return None;
    }
    let limited = value.clamp(-format.most, format.most);
    if opcode.has("satfinite") || (opcode.has("rz") && value.is_finite()) {
        let nearest = format.nearest(limited);
        let beyond = format.widen(nearest).abs() > value.abs();
        return Some(if opcode.has("rz") && beyond {
            nearest - 1
        } else {
            nearest
        });
    }
    Some(format.nearest(value))
}

fn tensor_float(opcode: &Opcode, value: f64) -> Want {
    if value.is_nan() {
        return Want::Nan;
    }
    let largest = f64::from(f32::from_bits(0x7f7f_e000));
    if value.is_infinite() {
        let value = if opcode.has("satfinite") {
            largest.copysign(value)
        } else {
            value
        };
        return Want::Bits(u64::from((value as f32).to_bits()));
    }
    let exponent = if value == 0.0 {
        -126
    } else {
        (value.abs().log2().floor() as i32).max(-126)
    };
    let unit = 2f64.powi(exponent - 10);
    let steps = value.abs() / unit;
    let steps = match () {
        () if opcode.has("rna") => steps.round(),
        () if opcode.has("rz") => steps.floor(),
        () => steps.round_ties_even(),
    };
    let rounded = (steps * unit).copysign(value);
    let rounded = if opcode.has("satfinite") {
        rounded.clamp(-largest, largest)
    } else {
        rounded
    };
    Want::Bits(u64::from((rounded as f32).to_bits()))
}
