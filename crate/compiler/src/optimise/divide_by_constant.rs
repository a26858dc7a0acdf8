//! Division by constants with shifts and products (Granlund and Montgomery, 1994), as LLVM does: the driver's compiler
//! divides step by step, whatever the divisor. Divisions by other numbers are no matter of this file.

use super::rewrite::Replaced;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Bin, Body, Inst, Loc, Op, Ty, Value};

pub(super) fn run(body: &mut Body) {
    let mut replaced = Replaced::new(body);
    for number in 0..body.blocks.len() {
        let insts = std::mem::take(&mut body.blocks[number].insts);
        let mut made = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = body.inst(inst);
            let args = [data.args.first(), data.args.get(1)];
            let (Op::Bin(bin), [Some(number), Some(by)]) = (&data.op, args) else {
                made.push(inst);
                continue;
            };
            let (bin, number, by, loc) = (*bin, replaced.get(*number), *by, data.loc);
            let result = data.results[0];
            let mut writer = Writer {
                body,
                made: &mut made,
                loc,
            };
            match writer.divided(bin, number, by) {
                Some(value) => replaced.set(result, value),
                None => made.push(inst),
            }
        }
        body.blocks[number].insts = made;
    }
    replaced.apply(body);
}

/// Appends instructions.
struct Writer<'a> {
    body: &'a mut Body,
    made: &'a mut Vec<Inst>,
    loc: Loc,
}

impl Writer<'_> {
    /// The result of a division by a constant, if it can be had without dividing.
    fn divided(&mut self, bin: Bin, number: Value, by: Value) -> Option<Value> {
        let (is_signed, wants_rest) = match bin {
            Bin::DivU => (false, false),
            Bin::DivS => (true, false),
            Bin::RemU => (false, true),
            Bin::RemS => (true, true),
            _ => return None,
        };
        let divisor = self.body.constant(by)?;
        let ty = self.body.ty(number);
        // Larger ones are rare, and negative if they have a sign.
        if !matches!(ty, Ty::B32 | Ty::B64) || !(2..=ty.mask() >> 1).contains(&divisor) {
            return None;
        }
        let power = divisor.is_power_of_two();
        let quotient = match is_signed {
            true if power => {
                let rounded = self.rounded(number, divisor);
                if wants_rest {
                    let whole = self.with(Bin::And, rounded, divisor.wrapping_neg() & ty.mask());
                    return Some(self.bin(Bin::Sub, number, whole));
                }
                self.shift(Bin::ShrS, rounded, divisor.trailing_zeros())
            }
            true => self.signed(number, divisor),
            false => self.unsigned(number, divisor),
        };
        Some(match wants_rest {
            true => {
                let product = self.with(Bin::Mul, quotient, divisor);
                self.bin(Bin::Sub, number, product)
            }
            false => quotient,
        })
    }

    /// What a shift to the right makes of it is rounded towards zero: a negative number and one less than the power of two.
    fn rounded(&mut self, number: Value, power: u64) -> Value {
        let (bits, by) = (self.body.ty(number).bits(), power.trailing_zeros());
        let signs = match by {
            1 => number,
            _ => self.shift(Bin::ShrS, number, bits - 1),
        };
        let more = self.shift(Bin::ShrU, signs, bits - by);
        self.bin(Bin::Add, number, more)
    }

    fn signed(&mut self, number: Value, divisor: u64) -> Value {
        let ty = self.body.ty(number);
        let (factor, by) = inverse(divisor, ty.bits(), ty.bits() - 1);
        let factor = factor as u64 & ty.mask();
        let mut quotient = self.upper(true, number, factor);
        if factor > ty.mask() >> 1 {
            // The factor was read as less by a power of two.
            quotient = self.bin(Bin::Add, quotient, number);
        }
        let floor = self.shift(Bin::ShrS, quotient, by);
        let sign = self.shift(Bin::ShrU, quotient, ty.bits() - 1);
        self.bin(Bin::Add, floor, sign)
    }

    fn unsigned(&mut self, number: Value, divisor: u64) -> Value {
        let ty = self.body.ty(number);
        let most = self.body.unsigned_max(number).unwrap_or(ty.mask());
        let size = u64::BITS - most.max(1).leading_zeros();
        let (factor, by) = inverse(divisor, ty.bits(), size);
        if let Ok(factor) = u64::try_from(factor)
            && factor <= ty.mask()
        {
            let upper = self.upper(false, number, factor);
            return self.shift(Bin::ShrU, upper, by);
        }
        let zeros = divisor.trailing_zeros();
        if zeros > 0 {
            let (factor, by) = inverse(divisor >> zeros, ty.bits(), ty.bits() - zeros);
            let fewer = self.shift(Bin::ShrU, number, zeros);
            let upper = self.upper(false, fewer, factor as u64);
            return self.shift(Bin::ShrU, upper, by);
        }
        // The factor has a bit more than its type: half of what that bit makes is added by itself.
        let upper = self.upper(false, number, factor as u64 & ty.mask());
        let rest = self.bin(Bin::Sub, number, upper);
        let half = self.shift(Bin::ShrU, rest, 1);
        let sum = self.bin(Bin::Add, half, upper);
        self.shift(Bin::ShrU, sum, by - 1)
    }

    /// The upper half of a product with a constant.
    fn upper(&mut self, is_signed: bool, number: Value, bits: u64) -> Value {
        let ty = self.body.ty(number);
        let factor = self.body.make_constant(ty, bits);
        let sign = if is_signed { 's' } else { 'u' };
        let call = Call::new(const { Id::of("mul.hi") }, [format!("{sign}{}", ty.bits())]);
        self.append(Op::Intrinsic(call), [number, factor])
    }

    fn append(&mut self, op: Op, args: [Value; 2]) -> Value {
        let ty = self.body.ty(args[0]);
        let inst = self.body.make(op, &[ty], args, self.loc);
        self.made.push(inst);
        self.body.inst(inst).results[0]
    }

    fn bin(&mut self, bin: Bin, a: Value, b: Value) -> Value {
        self.append(Op::Bin(bin), [a, b])
    }

    fn with(&mut self, bin: Bin, a: Value, bits: u64) -> Value {
        let constant = self.body.make_constant(self.body.ty(a), bits);
        self.bin(bin, a, constant)
    }

    fn shift(&mut self, bin: Bin, a: Value, by: u32) -> Value {
        match by {
            0 => a,
            _ => self.with(bin, a, u64::from(by)),
        }
    }
}

/// A factor and a shift: the product of a number and the factor, less its lowest so many bits, and then shifted, is the
/// number by the divisor, rounded down, for numbers of so many bits besides a sign. The factor is 2^(bits + shift) by the
/// divisor, rounded up; what that makes it larger by is too little to count. (Granlund and Montgomery, Division by Invariant
/// Integers using Multiplication, 1994.)
fn inverse(divisor: u64, bits: u32, size: u32) -> (u128, u32) {
    let divisor = u128::from(divisor);
    let mut shift = 0;
    loop {
        let power = 1_u128 << (bits + shift);
        let factor = power / divisor + 1;
        let excess = factor * divisor - power;
        if excess <= 1 << (bits + shift - size) || shift + 1 == bits {
            return (factor, shift);
        }
        shift += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn the_inverse_gives_the_quotient_of_the_largest_numbers() {
        let mut divisors: Vec<u64> = (3..2000).collect();
        divisors.extend((2..63).flat_map(|bit| [(1 << bit) - 1, (1 << bit) + 1, 3 << (bit - 1)]));
        for (bits, size) in [(32, 32), (32, 31), (32, 10), (64, 64), (64, 63), (64, 33)] {
            let most = u64::MAX >> (64 - size);
            let fitting = |divisor: &&u64| **divisor <= u64::MAX >> (65 - bits);
            for divisor in divisors.iter().filter(fitting) {
                let (factor, shift) = inverse(*divisor, bits, size);
                let last = most / divisor * divisor;
                for number in [0, 1, *divisor, last, last.saturating_sub(1), most] {
                    let number = number.min(most);
                    let (high, low) = (factor >> 64, factor & u128::from(u64::MAX));
                    let product = ((low * u128::from(number)) >> bits)
                        + ((high * u128::from(number)) << (64 - bits));
                    assert_eq!(
                        (product >> shift) as u64,
                        number / divisor,
                        "{number} / {divisor}"
                    );
                }
            }
        }
    }
}
