//! PTX ISA section "Video Instructions": arithmetic on the two or four numbers in a word, without selected lanes.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::machine::inst::{Both, ComputeFn, Inst};
use crate::machine::lanes::{Lanes, for_each_lane};
use crate::operations::drive::one;
use crate::program::kinds::Kind;

/// An instruction, packed into `imm`.
#[derive(Debug, Clone, Copy)]
struct Spec {
    op: u64,
    parts: u32,
    signed: [bool; 3],
    saturate: bool,
    add: bool,
}

const OPS: [&str; 6] = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"];

/// `vop{2|4}.dtype.atype.btype{.sat|.add} d, a, b, c;`: with `.add`, `d` is `c` and the sum of the parts.
pub(crate) fn lower(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 4..=4)?;
    let operands = matched.operands();
    let mut sources = Vec::new();
    for operand in &operands[1..] {
        sources.push(lowerer.source(matched, operand, Kind::Bits32)?);
    }
    let d = lowerer.result(matched, &operands[0], Kind::Bits32)?;
    let (name, parts) = matched.opcode().split_at(matched.opcode().len() - 1);
    let signed = |element: &str| u64::from(matched.element(element) == "s32");
    let Some(op) = OPS.iter().position(|op| *op == name) else {
        return Err(lowerer.unsupported(matched));
    };
    let imm = op as u64
        | u64::from(parts == "4") << 4
        | signed("dtype") << 5
        | signed("atype") << 6
        | signed("btype") << 7
        | u64::from(matched.has("sat")) << 8
        | u64::from(matched.has("add")) << 9;
    lowerer.compute_parts(VIDEO, &[Some(d)], &sources, imm);
    Ok(())
}

const VIDEO: Both<ComputeFn> = one!(ComputeFn, fn(lanes: &mut Lanes, inst: &Inst) {
    let bit = |at: u32| inst.imm >> at & 1 == 1;
    let spec = Spec {
        op: inst.imm & 15,
        parts: if bit(4) { 4 } else { 2 },
        signed: [bit(5), bit(6), bit(7)],
        saturate: bit(8),
        add: bit(9),
    };
    let mut out = lanes.words.take(inst.d[0]);
    let [a, b, c] = [0, 1, 2].map(|at| lanes.words.source(inst.s[at]));
    for_each_lane(&lanes.active, |lane| out[lane] = spec.compute(a[lane], b[lane], c[lane]));
    lanes.words.give(inst.d[0], out);
});

impl Spec {
    fn compute(self, a: u32, b: u32, c: u32) -> u32 {
        let bits = 32 / self.parts;
        let part = |word: u32, at: u32, signed: bool| {
            let low = i64::from((word >> (bits * at)) & ((1 << bits) - 1));
            if signed && low >> (bits - 1) == 1 {
                low - (1 << bits)
            } else {
                low
            }
        };
        let mut packed = 0;
        let mut sum = c;
        for at in 0..self.parts {
            let (x, y) = (part(a, at, self.signed[1]), part(b, at, self.signed[2]));
            let value = match self.op {
                0 => x + y,
                1 => x - y,
                // Rounded away from zero.
                2 => (x + y + i64::from(x + y >= 0)) >> 1,
                3 => (x - y).abs(),
                4 => x.min(y),
                _ => x.max(y),
            };
            let value = if self.saturate {
                self.clamped(value, bits)
            } else {
                value
            };
            sum = sum.wrapping_add(value as u32);
            packed |= (value as u32 & ((1 << bits) - 1)) << (bits * at);
        }
        if self.add { sum } else { packed }
    }

    fn clamped(self, value: i64, bits: u32) -> i64 {
        if self.signed[0] {
            value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            value.clamp(0, (1 << bits) - 1)
        }
    }
}
