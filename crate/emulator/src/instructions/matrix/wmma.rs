//! PTX ISA: `wmma.load`, `wmma.store`, and how `wmma.mma` becomes multiplications.
//!
//! PTX leaves open which element lies in which register and what accesses to memory an instruction makes. Both are
//! here as `ptxas` 13.0 and an H200 have them (`tests/h200/matrix/layouts.csv`, `counters.csv`), so that counters
//! are equal too:
//!
//! - 16-bit factors in shared memory, and 8-bit ones whose elements along `k` lie beside each other, load as
//!   `ldmatrix` does, one for each 16 rows of A (columns of B).
//! - All else is loaded and stored by each lane for itself: the elements of a lane that lie beside each other in memory
//!   at once, others one by one. 16-bit elements that do not are accessed as those of the transposed matrix and then
//!   transposed (`movmatrix`).
//!
//! A generic address is accessed in the second way, whichever memory it means. Where `ptxas` finds out that it means
//! shared memory, the machine code does as for `.shared` and the counters differ.

use crate::decode::ir::Value;
use crate::decode::lower::{Lowerer, Matched};
use crate::error::LoadError;
use crate::instructions::matrix::load::{load_rows, plain_shape, row_shape};
use crate::instructions::matrix::multiply::{Registers, extent, kind_of_sum, lower_multiply};
use crate::instructions::matrix::{fetch_results, results, stage_sources};
use crate::machine::inst::{AccessFn, Both, Inst};
use crate::machine::lanes::Lanes;
use crate::machine::stage::Row;
use crate::machine::world::World;
use crate::memory::faults::Fault;
use crate::operations::drive::one;
use crate::operations::matrix::for_whole_warps;
use crate::operations::matrix::fragment::transposed;
use crate::operations::memory::{Data, Request};
use crate::parse::ast::Operand;
use crate::program::kinds::{FileKind, Kind, WARP};
use crate::program::matrix::{Factor, FragmentAccess, Multiply, Part, Sum, Tile};
use crate::report::{Detail, FindingKind, Space};

/// Registers of a fragment of f16 factors, of which the later ones repeat the first.
const F16_REGISTERS: usize = 8;

/// The shape of a `wmma`, as the hardware multiplies it: m8n32 is m32n8 transposed.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) depth: usize,
    pub(crate) swapped: bool,
}

impl Geometry {
    pub(crate) fn new(matched: &Matched) -> Option<Self> {
        let shape = matched.element("shape");
        let (m, n) = (extent(shape, 'm')?, extent(shape, 'n')?);
        Some(Self {
            rows: m.max(n),
            columns: m.min(n),
            depth: extent(shape, 'k')?,
            swapped: m < n,
        })
    }

    /// Whether there is such a shape for factors of a type.
    fn has_factor(&self, ty: Factor) -> bool {
        match ty {
            Factor::F64 => self.rows == 8,
            Factor::Tf32 => self.depth == 8,
            _ => self.depth == 16,
        }
    }

    fn has_sum(&self, ty: Sum) -> bool {
        match ty {
            Sum::F64 => self.rows == 8,
            Sum::F32 => self.depth >= 8,
            Sum::F16 | Sum::S32 => self.depth == 16,
        }
    }

    /// Where the 8 rows and few elements along `k` start that each register of a factor holds; of B, read columns for
    /// rows.
    fn factor_tiles(&self, ty: Factor, is_b: bool) -> Vec<Tile> {
        let is_left = is_b == self.swapped;
        let (extent, group) = if is_left {
            (self.rows, self.rows.min(16))
        } else {
            (self.columns, 8)
        };
        let mut tiles = Vec::new();
        for first in (0..extent).step_by(group) {
            for along in (0..self.depth).step_by(ty.depth()) {
                for across in (first..first + group).step_by(8) {
                    tiles.push(Tile { across, along });
                }
            }
        }
        tiles
    }

    /// The multiplications that make up one of this shape: of m32 two with 16 rows each, of m16n16 two with 8 columns
    /// each, and of tf32 these twice, 4 deep.
    pub(crate) fn parts(&self, ty: Factor) -> Vec<Part> {
        let part = |a, b, sum, goes_on| Part { a, b, sum, goes_on };
        let first = part(0, 0, 0, false);
        let blocks = self.depth / ty.depth();
        match (ty, self.rows, self.columns) {
            (Factor::Tf32, ..) => vec![
                first,
                part(0, blocks, 2, false),
                part(2, 1, 0, true),
                part(2, blocks + 1, 2, true),
            ],
            (_, 32, _) => vec![first, part(2 * blocks, 0, 2, false)],
            (_, 16, 16) => vec![first, part(0, blocks, 2, false)],
            _ => vec![first],
        }
    }

    /// Where the 8×8 elements start that each register or two of a sum hold; of m8n32, read columns for rows.
    fn sum_tiles(&self) -> Vec<Tile> {
        let mut tiles = Vec::new();
        for along in (0..self.columns).step_by(8) {
            for across in (0..self.rows).step_by(8) {
                tiles.push(Tile { across, along });
            }
        }
        tiles
    }
}

impl FragmentAccess {
    /// Words of one lane in a tile.
    pub(crate) fn words(&self) -> usize {
        (self.element_bytes * self.per_lane).div_ceil(4)
    }

    /// Elements from the matrix's first one to that on line `across` at place `along`.
    pub(crate) fn distance(&self, across: usize, along: usize, stride: u64) -> u64 {
        let (far, near) = if self.is_along {
            (across, along)
        } else {
            (along, across)
        };
        (far as u64).wrapping_mul(stride).wrapping_add(near as u64)
    }
}

/// `wmma.load.{a|b|c}.sync.aligned.layout.shape{.ss}.type r, [p]{, stride};`
pub(crate) fn lower_load(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=3)?;
    let operands = matched.operands();
    let Some((access, kind)) = fragment(lowerer, matched, false) else {
        return Err(lowerer.unsupported(matched));
    };
    let count = access.registers;
    let registers = results(lowerer, matched, &operands[0], kind, count)?;
    let (address, offset) = lowerer.reach(matched, &operands[1], lowerer.space(matched)?)?;
    let stride = stride(lowerer, matched, operands.get(2))?;
    let number = add(lowerer, access);
    lowerer.effect(LOAD, &[], &[address, stride], offset, number);
    fetch_results(lowerer, &registers, kind, 0);
    Ok(())
}

/// `wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};`
pub(crate) fn lower_store(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    lowerer.expect_operands(matched, 2..=3)?;
    let operands = matched.operands();
    let Some((access, kind)) = fragment(lowerer, matched, true) else {
        return Err(lowerer.unsupported(matched));
    };
    let (address, offset) = lowerer.reach(matched, &operands[0], lowerer.space(matched)?)?;
    let stride = stride(lowerer, matched, operands.get(2))?;
    stage_sources(lowerer, matched, &operands[1], kind, access.registers, 0)?;
    let number = add(lowerer, access);
    lowerer.effect(STORE, &[], &[address, stride], offset, number);
    Ok(())
}

pub(crate) fn add(lowerer: &mut Lowerer, access: FragmentAccess) -> u32 {
    let fragments = &mut lowerer.matrix_tables().fragments;
    fragments.push(access);
    fragments.len() as u32 - 1
}

/// Elements between lines; without the operand, lines lie without gaps.
pub(crate) fn stride(
    lowerer: &mut Lowerer,
    matched: &Matched,
    operand: Option<&Operand>,
) -> Result<Value, LoadError> {
    if let Some(operand) = operand {
        return lowerer.source(matched, operand, Kind::Bits32);
    }
    let shape = matched.element("shape");
    let (rows, columns) = match matched.element("op") {
        "a" => ('m', 'k'),
        "b" => ('k', 'n'),
        "c" | "d" => ('m', 'n'),
        _ => return Err(lowerer.unsupported(matched)),
    };
    let line = if matched.has("row") { columns } else { rows };
    match extent(shape, line) {
        Some(elements) => Ok(lowerer.bits(FileKind::Words, elements as u64)),
        None => Err(lowerer.unsupported(matched)),
    }
}

/// The fragment that the instruction loads or stores, and the kind of its registers.
pub(crate) fn fragment(
    lowerer: &mut Lowerer,
    matched: &Matched,
    is_store: bool,
) -> Option<(FragmentAccess, Kind)> {
    let geometry = Geometry::new(matched)?;
    let (op, name) = (matched.element("op"), matched.element("type"));
    let space = lowerer.space(matched).ok()?;
    let is_row = matched.has("row");
    let (element_bytes, per_lane, is_along, tiles, registers, kind);
    let mut by_rows = 0;
    if matches!(op, "a" | "b") {
        let ty = Factor::named(name).filter(|ty| geometry.has_factor(*ty))?;
        (element_bytes, per_lane) = (ty.bits() / 8, ty.per_register());
        is_along = is_row == (op == "a");
        tiles = geometry.factor_tiles(ty, op == "b");
        let is_f16 = ty == Factor::F16;
        registers = if is_f16 { F16_REGISTERS } else { tiles.len() };
        kind = match ty {
            Factor::F64 => Kind::Double,
            _ => Kind::Bits32,
        };
        let fits = element_bytes == 2 || (element_bytes == 1 && is_along);
        if space == Some(Space::Shared) && fits {
            by_rows = tiles.len().min(2 * geometry.depth / ty.depth());
        }
    } else {
        let ty = Sum::named(name).filter(|ty| geometry.has_sum(*ty))?;
        (element_bytes, per_lane) = (ty.bits() / 8, 2);
        is_along = is_row != geometry.swapped;
        tiles = geometry.sum_tiles();
        registers = tiles.len() * ty.registers();
        kind = kind_of_sum(ty);
    }
    let mut access = FragmentAccess {
        site: 0,
        space,
        element_bytes,
        per_lane,
        is_along,
        by_rows,
        tiles,
        registers,
    };
    let bytes = match (by_rows > 0, is_along || element_bytes == 2) {
        (true, _) => 16,
        (_, true) => element_bytes * per_lane,
        _ => element_bytes,
    };
    access.site = if by_rows > 0 {
        lowerer.matrix_site(space, is_store, bytes as u32)
    } else {
        lowerer.site(space, is_store, false, bytes as u32)
    };
    Some((access, kind))
}

/// `wmma.mma.sync.aligned.alayout.blayout.shape.types d, a, b, c;`
pub(crate) fn lower_mma(lowerer: &mut Lowerer, matched: &Matched) -> Result<(), LoadError> {
    let Some(geometry) = Geometry::new(matched) else {
        return Err(lowerer.unsupported(matched));
    };
    // f16 needs no name for its factors.
    let ty = match matched.element("a") {
        "" => Some(Factor::F16),
        name => Factor::named(name),
    };
    let (c, d) = (
        Sum::named(matched.element("c")),
        Sum::named(matched.element("d")),
    );
    let (Some(ty), Some(c), Some(d)) = (ty, c, d) else {
        return Err(lowerer.unsupported(matched));
    };
    let (a_tiles, b_tiles) = (
        geometry.factor_tiles(ty, false).len(),
        geometry.factor_tiles(ty, true).len(),
    );
    let sums = geometry.sum_tiles().len();
    let count = |tiles| {
        if ty == Factor::F16 {
            F16_REGISTERS
        } else {
            tiles
        }
    };
    let registers = Registers {
        a: count(a_tiles),
        b: count(b_tiles),
        c: sums * c.registers(),
        d: sums * d.registers(),
    };
    let multiply = Multiply {
        a: ty,
        b: ty,
        c,
        d,
        rows: geometry.rows.min(16),
        // The machine code for tf32 is in steps of 4, which adds up otherwise than `mma.m16n8k8`.
        depth: if ty == Factor::Tf32 {
            4
        } else {
            geometry.depth
        },
        saturate: matched.has("satfinite"),
        steps: Vec::new(),
    };
    let parts = geometry.parts(ty);
    lower_multiply(
        lowerer,
        matched,
        multiply,
        registers,
        &parts,
        geometry.swapped,
    )
}

// ---- execution ----

pub(crate) const LOAD: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) load(lanes, world, inst));
pub(crate) const STORE: Both<AccessFn> =
    one!(AccessFn, fn(lanes: &mut Lanes, world: &mut World, inst: &Inst) store(lanes, world, inst));

/// One warp's `wmma.load` or `wmma.store`.
struct Run<'r> {
    pub(crate) inst: &'r Inst,
    pub(crate) access: &'r FragmentAccess,
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    pub(crate) is_store: bool,
    /// Each lane's address of the matrix.
    pub(crate) bases: [u64; WARP],
    /// Elements between lines, for each lane.
    pub(crate) strides: [u64; WARP],
    /// A part of the tile may be misaligned: it begins at no multiple of 16 bytes, or its lines do not.
    pub(crate) is_odd: bool,
}

pub(crate) fn load(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    execute(lanes, world, inst, false);
}

pub(crate) fn store(lanes: &mut Lanes, world: &mut World, inst: &Inst) {
    execute(lanes, world, inst, true);
}

pub(crate) fn execute(lanes: &mut Lanes, world: &mut World, inst: &Inst, is_store: bool) {
    let access = &world.program.matrix.fragments[inst.aux as usize];
    for_whole_warps(lanes, world, inst, |lanes, world, warp, mask| {
        let bases = &lanes.longs.source(inst.s[0])[warp * WARP..][..WARP];
        let strides = &lanes.words.source(inst.s[1])[warp * WARP..][..WARP];
        let first = mask.trailing_zeros() as usize % WARP;
        let line_bytes = u64::from(strides[first]).wrapping_mul(access.element_bytes as u64);
        let run = Run {
            inst,
            access,
            warp,
            mask,
            is_store,
            bases: std::array::from_fn(|lane| bases[lane].wrapping_add(inst.imm)),
            strides: std::array::from_fn(|lane| u64::from(strides[lane])),
            is_odd: (bases[first].wrapping_add(inst.imm) | line_bytes) & 15 != 0,
        };
        let found = world.faults.fresh;
        if access.by_rows > 0 {
            run.rows(lanes, world);
        } else if !access.is_along && access.element_bytes == 2 {
            run.transposed(lanes, world);
        } else if access.is_along {
            run.together(lanes, world);
        } else {
            run.one_by_one(lanes, world);
        }
        if run.is_odd && world.check.is_some() && world.faults.fresh == found {
            run.tell_odd(lanes, world);
        }
        if !is_store {
            let stage = world.stage.warp(warp);
            let loaded = access.tiles.len() * access.words();
            for row in loaded..access.registers {
                stage[row] = stage[row - loaded];
            }
        }
    });
}

impl Run<'_> {
    /// The addresses of what `at` gives for each lane: a line and a place along it.
    pub(crate) fn addresses(&self, at: impl Fn(usize) -> (usize, usize)) -> [u64; WARP] {
        std::array::from_fn(|lane| {
            let (across, along) = at(lane);
            let distance = self.access.distance(across, along, self.strides[lane]);
            self.bases[lane].wrapping_add(distance.wrapping_mul(self.access.element_bytes as u64))
        })
    }

    /// Each lane accesses so many bytes at its address.
    pub(crate) fn access(
        &self,
        lanes: &mut Lanes,
        world: &mut World,
        bytes: usize,
        addresses: [u64; WARP],
        data: &mut Data,
    ) {
        let shape = plain_shape(self.access.site, self.access.space, bytes as u32);
        let (mask, warp) = (self.mask, self.warp);
        self.explain(world);
        Request::at(addresses, self.inst, &shape, warp, mask, self.is_store)
            .run(lanes, world, data);
        self.explained(world);
    }

    /// The tile's parts are aligned as they are accessed here, but its lines do not lie as they must (CUDA C++ Programming
    /// Guide, *Warp Matrix Functions*: leading dimensions are multiples of 16 bytes).
    #[cold]
    fn tell_odd(&self, lanes: &Lanes, world: &mut World) {
        let lane = self.mask.trailing_zeros() as usize % WARP;
        let element_bytes = self.access.element_bytes as u32;
        if !matches!(element_bytes, 1 | 2 | 4) {
            return;
        }
        world.fault(Fault {
            kind: FindingKind::Misaligned,
            block: world.block,
            place: self.inst.place,
            space: None,
            thread: lanes.thread(self.warp * WARP + lane),
            address: None,
            access_bytes: 0,
            is_store: self.is_store,
            count: 1,
            detail: Detail::Tile {
                base: self.bases[lane],
                pitch: self.strides[lane],
                element_bytes,
            },
        });
    }

    /// Keeps for a finding where the tile lies, if a part of it may be misaligned.
    #[inline(always)]
    fn explain(&self, world: &mut World) {
        if self.is_odd {
            let lane = self.mask.trailing_zeros() as usize % WARP;
            world.detail = Detail::Tile {
                base: self.bases[lane],
                pitch: self.strides[lane],
                element_bytes: self.access.element_bytes as u32,
            };
        }
    }

    /// The access is done: what is found next is not of the tile.
    #[inline(always)]
    fn explained(&self, world: &mut World) {
        if self.is_odd {
            world.detail = Detail::None;
        }
    }

    /// As `ldmatrix` does.
    pub(crate) fn rows(&self, lanes: &mut Lanes, world: &mut World) {
        let (access, step) = (self.access, self.access.by_rows);
        let shape = row_shape(access.site, access.space);
        for (number, tiles) in access.tiles.chunks(step).enumerate() {
            let addresses = self.addresses(|lane| {
                let (tile, line) = (tiles[lane / 8 % tiles.len()], lane % 8);
                if access.is_along {
                    (tile.across + line, tile.along)
                } else {
                    (tile.across, tile.along + line)
                }
            });
            self.explain(world);
            let request = Request::at(addresses, self.inst, &shape, self.warp, self.mask, false);
            let rows = load_rows(request, lanes, world, tiles.len(), !access.is_along);
            self.explained(world);
            let stage = &mut world.stage.warp(self.warp)[number * step..];
            stage[..tiles.len()].copy_from_slice(&rows[..tiles.len()]);
        }
    }

    /// Two 16-bit elements at a time of the lines that lie across the fragment's.
    pub(crate) fn transposed(&self, lanes: &mut Lanes, world: &mut World) {
        for (number, tile) in self.access.tiles.iter().enumerate() {
            let addresses =
                self.addresses(|lane| (tile.across + lane % 4 * 2, tile.along + lane / 4));
            let mut data: Data = [[0; WARP]; 4];
            if self.is_store {
                data[0] = transposed(&world.stage.warp(self.warp)[number]);
            }
            self.access(lanes, world, 4, addresses, &mut data);
            if !self.is_store {
                world.stage.warp(self.warp)[number] = transposed(&data[0]);
            }
        }
    }

    /// All elements of a lane in a tile at once.
    pub(crate) fn together(&self, lanes: &mut Lanes, world: &mut World) {
        let (per_lane, words) = (self.access.per_lane, self.access.words());
        let bytes = self.access.element_bytes * per_lane;
        for (number, tile) in self.access.tiles.iter().enumerate() {
            let addresses =
                self.addresses(|lane| (tile.across + lane / 4, tile.along + lane % 4 * per_lane));
            let mut data: Data = [[0; WARP]; 4];
            let rows = number * words..(number + 1) * words;
            if self.is_store {
                data[..words].copy_from_slice(&world.stage.warp(self.warp)[rows.clone()]);
            }
            self.access(lanes, world, bytes, addresses, &mut data);
            if !self.is_store {
                world.stage.warp(self.warp)[rows].copy_from_slice(&data[..words]);
            }
        }
    }

    /// Each element for itself.
    fn one_by_one(&self, lanes: &mut Lanes, world: &mut World) {
        let (per_lane, bytes) = (self.access.per_lane, self.access.element_bytes);
        for (number, tile) in self.access.tiles.iter().enumerate() {
            for element in 0..per_lane {
                let addresses = self.addresses(|lane| {
                    let along = tile.along + lane % 4 * per_lane + element;
                    (tile.across + lane / 4, along)
                });
                let first = number * self.access.words() + element * bytes / 4;
                let mut data: Data = [[0; WARP]; 4];
                let words = bytes.div_ceil(4);
                if self.is_store {
                    let stage = world.stage.warp(self.warp);
                    data[..words].copy_from_slice(&stage[first..first + words]);
                }
                self.access(lanes, world, bytes, addresses, &mut data);
                if !self.is_store {
                    let stage = world.stage.warp(self.warp);
                    set_element(&mut stage[first..], &data, bytes, element);
                }
            }
        }
    }
}

/// Puts an element of each lane where it belongs: bytes share a word.
fn set_element(stage: &mut [Row], data: &Data, bytes: usize, element: usize) {
    if bytes >= 4 {
        let words = bytes / 4;
        stage[..words].copy_from_slice(&data[..words]);
        return;
    }
    let shift = 8 * (element % 4) as u32;
    for lane in 0..WARP {
        let kept = if element == 0 { 0 } else { stage[0][lane] };
        stage[0][lane] = kept | (data[0][lane] & 0xff) << shift;
    }
}
