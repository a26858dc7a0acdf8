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
use crate::operations::matrix::dot::{Floats, doubles, integers};
use crate::operations::matrix::fragment::{COLUMNS, MOST_ROWS, Sums, factor, set_sums, sums};
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
        let rows = self.rows.min(MOST_ROWS);
        let mut c = sums(&stage[step.c..], self.c, rows);
        let mut d = [[0; COLUMNS]; MOST_ROWS];
        let (a, b) = (&stage[step.a..], &stage[step.b..]);
        // Where the types differ, the hardware sums in f32 and converts before or after.
        let differ = self.c != self.d;
        if differ && self.c == Sum::F16 {
            convert(&mut c, |bits| half::to_single(F16, bits as u16).to_bits());
        }
        match (self.c, self.d) {
            (Sum::F64, _) => self.doubles(a, b, &c, &mut d),
            (Sum::S32, _) => self.integers(a, b, &c, &mut d),
            (Sum::F16, Sum::F16) => self.floats(a, b, &c, &mut d, Sum::F16),
            _ => self.floats(a, b, &c, &mut d, Sum::F32),
        }
        if differ && self.d == Sum::F16 {
            convert(&mut d, |bits| {
                let value = f64::from(f32::from_bits(bits));
                u32::from(F16.round(value, Rounding::Nearest))
            });
        }
        set_sums(&mut stage[step.d..], self.d, rows, &d);
    }
    #[inline(always)]
    pub(crate) fn floats(&self, a: &[Row], b: &[Row], c: &Sums, d: &mut Sums, ty: Sum) {
        let rows = self.rows.min(MOST_ROWS);
        let floats = Floats::new(self.a, a, b, rows, self.depth);
        for row in 0..rows {
            d[row] = floats.row(row, &c[row], ty);
        }
    }
    #[inline(always)]
    pub(crate) fn doubles(&self, a: &[Row], b: &[Row], c: &Sums, d: &mut Sums) {
        let a = factor(a, self.a, self.rows, self.depth);
        let b = factor(b, self.b, COLUMNS, self.depth);
        for row in 0..self.rows {
            for column in 0..COLUMNS {
                let (a, b) = (&a[row][..self.depth], &b[column][..self.depth]);
                d[row][column] = doubles(a, b, c[row][column]);
            }
        }
    }
    #[inline(always)]
    pub(crate) fn integers(&self, a: &[Row], b: &[Row], c: &Sums, d: &mut Sums) {
        let a = factor(a, self.a, self.rows, self.depth);
        let b = factor(b, self.b, COLUMNS, self.depth);
        for row in 0..self.rows {
            for column in 0..COLUMNS {
                let a = (&a[row][..self.depth], self.a);
                let b = (&b[column][..self.depth], self.b);
                d[row][column] = integers(a, b, c[row][column], self.saturate);
            }
        }
    }
}

pub(crate) fn convert(sums: &mut Sums, f: impl Fn(u32) -> u32) {
    for bits in sums.iter_mut().flatten() {
        *bits = u64::from(f(*bits as u32));
    }
}
