//! PTX ISA: `mma` and `wmma.mma`. A `wmma` is one or two multiplications of the kind that `mma` does, as in the machine
//! code that `ptxas` makes of it.

use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::matrix::{fetch_results, results, rows_of, stage_sources};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::stage::Row;
use crate::machine::world::World;
use crate::operations::drive::both;
use crate::operations::half;
use crate::operations::matrix::dot::{Lines, ROWS, Taken, doubles, sums, whole_sums};
use crate::operations::matrix::fragment::{
    self, COLUMNS, MOST_ROWS, factor, lines, row_of, set_row, set_sums,
};
use crate::operations::matrix::number::Format;
use crate::operations::matrix::report_divergence;
use crate::program::floats::F16;
use crate::program::floats::Rounding;
use crate::program::kinds::Kind;
use crate::program::matrix::{Factor, Multiply, Part, Step, Sum};

/// How many registers the operands of an instruction have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Registers {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) c: usize,
    pub(crate) d: usize,
}

fn kind_of_factor(ty: Factor) -> Kind {
    if ty == Factor::F64 {
        Kind::Double
    } else {
        Kind::Bits32
    }
}

pub(crate) fn kind_of_sum(ty: Sum) -> Kind {
    match ty {
        Sum::F64 => Kind::Double,
        Sum::F32 => Kind::Single,
        Sum::F16 | Sum::S32 => Kind::Bits32,
    }
}

/// The number after a letter of a shape such as `m16n8k4`.
pub(crate) fn extent(shape: &str, letter: char) -> Option<usize> {
    let number = shape.split(letter).nth(1)?;
    let end = number.find(|mark: char| !mark.is_ascii_digit());
    number[..end.unwrap_or(number.len())].parse().ok()
}

/// `mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c;`
pub(crate) fn lower_mma(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let shape = matched.element("shape");
    let (Some(rows), Some(depth)) = (extent(shape, 'm'), extent(shape, 'k')) else {
        return Err(lowerer.unsupported(matched));
    };
    let (Some(a), Some(b)) = (
        Factor::named(matched.element("a")),
        Factor::named(matched.element("b")),
    ) else {
        return Err(lowerer.unsupported(matched));
    };
    let (Some(c), Some(d)) = (
        Sum::named(matched.element("c")),
        Sum::named(matched.element("d")),
    ) else {
        return Err(lowerer.unsupported(matched));
    };
    let blocks = depth / a.depth();
    let registers = Registers {
        a: rows / 8 * blocks,
        b: blocks,
        c: rows / 8 * c.registers(),
        d: rows / 8 * d.registers(),
    };
    let multiply = Multiply {
        a,
        b,
        c,
        d,
        rows,
        depth,
        saturate: matched.has("satfinite"),
        steps: Vec::new(),
    };
    let whole = [Part::default()];
    lower_multiply(lowerer, matched, multiply, registers, &whole, false)
}

/// Lowers an instruction of these operands that the hardware does in `parts`. If `swapped`, the hardware's A is the
/// instruction's B.
pub(crate) fn lower_multiply(
    lowerer: &mut Lowerer,
    matched: &Matched,
    mut multiply: Multiply,
    registers: Registers,
    in_parts: &[Part],
    swapped: bool,
) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 4..=4)?;
    let operands = matched.operands();
    let (kind, d_kind) = (kind_of_factor(multiply.a), kind_of_sum(multiply.d));
    let destinations = results(lowerer, matched, &operands[0], d_kind, registers.d)?;
    let b_row = stage_sources(lowerer, matched, &operands[1], kind, registers.a, 0)?;
    let c_row = stage_sources(lowerer, matched, &operands[2], kind, registers.b, b_row)?;
    let c_kind = kind_of_sum(multiply.c);
    let d_row = stage_sources(lowerer, matched, &operands[3], c_kind, registers.c, c_row)?;
    let (factor_rows, sum_rows) = (rows_of(kind.file()), rows_of(c_kind.file()));
    let (a_row, b_row) = if swapped { (b_row, 0) } else { (0, b_row) };
    let steps = in_parts.iter().map(|part| {
        let d = d_row + part.sum * multiply.d.registers() * sum_rows;
        let c = c_row + part.sum * multiply.c.registers() * sum_rows;
        Step {
            a: a_row + part.a * factor_rows,
            b: b_row + part.b * factor_rows,
            c: if part.goes_on { d } else { c },
            d,
        }
    });
    multiply.steps = steps.collect();
    let multiplies = &mut lowerer.matrix_tables().multiplies;
    multiplies.push(multiply);
    let number = multiplies.len() as u32 - 1;
    lowerer.effect(MULTIPLY, &[], &[], 0, number);
    fetch_results(lowerer, &destinations, d_kind, d_row);
    Ok(())
}

const MULTIPLY: Both<AccessFn> = both!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) execute(lanes, world, inst));

// No closure on the way to the sums: it would be compiled without the vector instructions.
#[inline(always)]
pub(crate) fn execute(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    let multiply = &world.program.matrix.multiplies[inst.aux as usize];
    let active = lanes.active;
    for warp in active.first..active.last {
        if active.mask[warp] == 0 {
            continue;
        }
        if active.mask[warp] != u32::MAX {
            report_divergence(lanes, world, inst, warp, active.mask[warp]);
        }
        let stage = world.stage.warp(warp);
        for step in &multiply.steps {
            multiply.step(stage, step);
        }
    }
}

impl Multiply {
    #[inline(always)]
    pub(crate) fn step(&self, stage: &mut [Row], step: &Step) {
        if self.c == Sum::F64 {
            return self.doubles(stage, step);
        }
        let rows = self.rows.min(MOST_ROWS);
        let (blocks, words) = (rows / 8, self.depth / self.a.per_register());
        let a = lines(&stage[step.a..], words / 4 * blocks, blocks);
        let b = lines::<COLUMNS>(&stage[step.b..], words / 4, 1);
        if self.c == Sum::S32 {
            for row in 0..rows {
                let c = row_of(&stage[step.c..], self.c, 0, row);
                let d = whole_sums((&a, self.a), row, (&b, self.b), words, &c, self.saturate);
                set_row(&mut stage[step.d..], self.d, 0, row, &d);
            }
            return;
        }
        let (mut of_a, mut of_b) = (Taken::empty(), Taken::empty());
        if self.a.bits() == 8 {
            return self.eights(stage, step, &a, &b);
        }
        of_a.set(self.a, &a, self.depth);
        of_b.set(self.b, &b, self.depth);
        // Where the types differ, the hardware sums in f32 and converts before or after.
        let differ = self.c != self.d;
        let ty = if differ { Sum::F32 } else { self.c };
        for row in 0..rows {
            let mut c = row_of(&stage[step.c..], self.c, 0, row);
            if differ && self.c == Sum::F16 {
                c = c.map(|bits| half::to_single(F16, bits as u16).to_bits());
            }
            let mut d = sums(&of_a, row, &of_b, &c, ty);
            if differ && self.d == Sum::F16 {
                d = d.map(|bits| {
                    let value = f64::from(f32::from_bits(bits));
                    u32::from(F16.round(value, Rounding::Nearest))
                });
            }
            set_row(&mut stage[step.d..], self.d, 0, row, &d);
        }
    }

    /// Floats of 8 bits become f16, as machine code does it: the first two of each four along `k` are multiplied, then the
    /// others, and the addend comes last, as a sum of f32.
    fn eights(&self, stage: &mut [Row], step: &Step, a: &Lines<ROWS>, b: &Lines<COLUMNS>) {
        let mut products = [[0; COLUMNS]; ROWS];
        for half in 0..2 {
            let (mut of_a, mut of_b) = (Taken::empty(), Taken::empty());
            of_a.set(Factor::F16, &widened(a, self.a, half), self.depth / 2);
            of_b.set(Factor::F16, &widened(b, self.b, half), self.depth / 2);
            for (row, products) in products.iter_mut().enumerate() {
                *products = sums(&of_a, row, &of_b, products, Sum::F32);
            }
        }
        for (row, products) in products.iter().enumerate() {
            let mut d = row_of::<COLUMNS>(&stage[step.c..], self.c, 0, row);
            for (d, product) in d.iter_mut().zip(products) {
                let sum = f32::from_bits(*d) + f32::from_bits(*product);
                *d = if sum.is_nan() {
                    0x7fff_ffff
                } else {
                    sum.to_bits()
                };
            }
            set_row(&mut stage[step.d..], self.d, 0, row, &d);
        }
    }

    #[inline(always)]
    fn doubles(&self, stage: &mut [Row], step: &Step) {
        let c = fragment::sums(&stage[step.c..], self.rows);
        let mut d = [[0; COLUMNS]; MOST_ROWS];
        let a = factor(&stage[step.a..], self.rows, self.depth);
        let b = factor(&stage[step.b..], COLUMNS, self.depth);
        for row in 0..self.rows {
            for column in 0..COLUMNS {
                let (a, b) = (&a[row][..self.depth], &b[column][..self.depth]);
                d[row][column] = doubles(a, b, c[row][column]);
            }
        }
        set_sums(&mut stage[step.d..], self.rows, &d);
    }
}

/// The first or the second two of each four floats of 8 bits, as f16.
fn widened<const L: usize>(lines: &Lines<L>, ty: Factor, half: u32) -> Lines<L> {
    let format = Format::of_factor(ty);
    lines.map(|words| {
        words.map(|word| {
            let pair = word >> (16 * half);
            let [low, high] = [pair & 0xff, pair >> 8 & 0xff].map(|bits| format.as_f16(bits));
            low | high << 16
        })
    })
}
