//! Loads and stores side by side become one, where the address is known to be a multiple of their bytes.

use super::number::{Root, address, root};
use crate::hash::HashSet;
use crate::ir::{Bin, Block, Body, Cvt, Inst, Mem, Op, Space, Value, Values};
use crate::lower::SymbolData;

/// One of several loads or stores.
struct Single {
    inst: Inst,
    base: Value,
    offset: i64,
    mem: Mem,
}

pub(super) fn widen(body: &mut Body, symbols: &[SymbolData]) {
    for number in 0..body.blocks.len() {
        widen_loads(body, Block(number as u32), symbols);
        widen_block(body, Block(number as u32), symbols);
    }
}

fn widen_block(body: &mut Body, block: Block, symbols: &[SymbolData]) {
    let insts = body.block(block).insts.clone();
    let mut run: Vec<Single> = Vec::new();
    let mut gone: HashSet<Inst> = HashSet::default();
    for inst in insts {
        let data = body.inst(inst);
        match &data.op {
            Op::Store(mem) => {
                let to = address(body, data.args[0]);
                let single = Single {
                    inst,
                    base: to.base(),
                    offset: to.offset(),
                    mem: *mem,
                };
                let known = matches!(mem.space, Space::Shared | Space::Local);
                let fits = mem.count == 1 && !mem.is_volatile && mem.cache.is_empty() && known;
                let same = run
                    .first()
                    .is_none_or(|first| first.base == single.base && first.mem == single.mem);
                if !fits || !same {
                    gone.extend(merge(body, &run, symbols));
                    run.clear();
                }
                if fits {
                    run.push(single);
                }
            }
            // What is read elsewhere is not in the way.
            Op::Load(mem) if !mem.is_volatile && is_elsewhere(mem, run.first()) => {}
            Op::Load(_) | Op::Ptx(_) if !data.op.is_pure() || matches!(data.op, Op::Load(_)) => {
                gone.extend(merge(body, &run, symbols));
                run.clear();
            }
            _ => {}
        }
    }
    gone.extend(merge(body, &run, symbols));
    if !gone.is_empty() {
        body.blocks[block.0 as usize]
            .insts
            .retain(|inst| !gone.contains(inst));
    }
}

fn is_elsewhere(mem: &Mem, store: Option<&Single>) -> bool {
    let apart = |store: &Single| {
        mem.space != store.mem.space
            && mem.space != Space::Generic
            && store.mem.space != Space::Generic
    };
    mem.is_constant || store.is_none_or(apart)
}

fn widen_loads(body: &mut Body, block: Block, symbols: &[SymbolData]) {
    let insts = body.block(block).insts.clone();
    let mut runs: Vec<Vec<Single>> = Vec::new();
    let mut gone: HashSet<Inst> = HashSet::default();
    for inst in insts {
        let data = body.inst(inst);
        match &data.op {
            Op::Load(mem)
                if mem.count == 1
                    && !mem.is_volatile
                    && mem.cache.is_empty()
                    && mem.space == Space::Shared =>
            {
                let from = address(body, data.args[0]);
                let single = Single {
                    inst,
                    base: from.base(),
                    offset: from.offset(),
                    mem: *mem,
                };
                match runs
                    .iter_mut()
                    .find(|run| run[0].base == single.base && run[0].mem == single.mem)
                {
                    Some(run) => run.push(single),
                    None => runs.push(vec![single]),
                }
            }
            op if !op.is_pure() => {
                for run in std::mem::take(&mut runs) {
                    gone.extend(merge_loads(body, &run, symbols));
                }
            }
            _ => {}
        }
    }
    for run in runs {
        gone.extend(merge_loads(body, &run, symbols));
    }
    body.blocks[block.0 as usize]
        .insts
        .retain(|inst| !gone.contains(inst));
}

/// Puts neighbours into the first of them.
fn merge_loads(body: &mut Body, run: &[Single], symbols: &[SymbolData]) -> Vec<Inst> {
    let Some(first) = run.first() else {
        return Vec::new();
    };
    let bytes = first.mem.ty.bytes() as i64;
    let mut sorted: Vec<usize> = (0..run.len()).collect();
    sorted.sort_by_key(|at| run[*at].offset);
    let mut gone = Vec::new();
    let mut at = 0;
    while at < sorted.len() {
        let count = [4, 2]
            .into_iter()
            .find(|count| fits(body, run, &sorted, at, *count, bytes, symbols))
            .unwrap_or(1);
        let group: Vec<usize> = sorted[at..at + count].to_vec();
        // The lowest address must be there where the first of them is loaded.
        let earliest = group.iter().copied().min().unwrap_or(group[0]);
        if count > 1 && earliest == group[0] {
            let results: Values = group
                .iter()
                .map(|index| body.inst(run[*index].inst).results[0])
                .collect();
            let inst = run[earliest].inst;
            for (number, result) in results.iter().enumerate() {
                body.values[result.0 as usize].1 = crate::ir::Def::Inst(inst, number as u32);
            }
            let data = &mut body.insts[inst.0 as usize];
            data.results = results;
            data.op = Op::Load(Mem {
                count: count as u8,
                ..first.mem
            });
            gone.extend(
                group
                    .iter()
                    .filter(|index| **index != earliest)
                    .map(|index| run[*index].inst),
            );
        }
        at += count;
    }
    gone
}

/// Whether so many lie side by side from an aligned address on.
fn fits(
    body: &Body,
    run: &[Single],
    sorted: &[usize],
    at: usize,
    count: usize,
    bytes: i64,
    symbols: &[SymbolData],
) -> bool {
    let offset = run[sorted[at]].offset;
    let whole = bytes * count as i64;
    let side_by_side = sorted.get(at..at + count).is_some_and(|group| {
        group
            .iter()
            .enumerate()
            .all(|(number, index)| run[*index].offset == offset + number as i64 * bytes)
    });
    let aligned =
        alignment(body, run[0].base, symbols, 0).min(1 << offset.trailing_zeros().min(12));
    side_by_side && whole <= 16 && aligned as i64 >= whole
}

/// Puts neighbours into the last of them; what is not needed any more is returned.
fn merge(body: &mut Body, run: &[Single], symbols: &[SymbolData]) -> Vec<Inst> {
    let Some(first) = run.first() else {
        return Vec::new();
    };
    let bytes = first.mem.ty.bytes() as i64;
    let mut sorted: Vec<usize> = (0..run.len()).collect();
    sorted.sort_by_key(|at| run[*at].offset);
    // Two stores to one place keep their order.
    if sorted
        .windows(2)
        .any(|pair| run[pair[1]].offset < run[pair[0]].offset + bytes)
    {
        return Vec::new();
    }
    let mut gone = Vec::new();
    let mut at = 0;
    while at < sorted.len() {
        let count = [4, 2]
            .into_iter()
            .find(|count| fits(body, run, &sorted, at, *count, bytes, symbols))
            .unwrap_or(1);
        if count > 1 {
            let group = &sorted[at..at + count];
            let values: Vec<Value> = group
                .iter()
                .map(|index| body.inst(run[*index].inst).args[1])
                .collect();
            let to = body.inst(run[group[0]].inst).args[0];
            let last = group.iter().copied().max().unwrap_or(group[0]);
            let mem = Mem {
                count: count as u8,
                ..first.mem
            };
            if let Root::Slot(slot) = root(body, first.base) {
                let data = &mut body.slots[slot as usize];
                data.align = data.align.max(16);
            }
            let data = &mut body.insts[run[last].inst.0 as usize];
            data.op = Op::Store(mem);
            data.args = [vec![to], values].concat().into();
            gone.extend(
                group
                    .iter()
                    .filter(|index| **index != last)
                    .map(|index| run[*index].inst),
            );
        }
        at += count;
    }
    gone
}

/// What an address is known to be a multiple of.
fn alignment(body: &Body, value: Value, symbols: &[SymbolData], depth: usize) -> u64 {
    if let Some(bits) = body.constant(value) {
        return 1 << bits.trailing_zeros().min(12);
    }
    let Some(inst) = body.def(value).filter(|_| depth < 20) else {
        return 1;
    };
    let of = |arg: &Value| alignment(body, *arg, symbols, depth + 1);
    match (&inst.op, &inst.args[..]) {
        (Op::Symbol(symbol), _) => symbols[symbol.0 as usize].align,
        // A local object may be placed as it suits.
        (Op::Slot(_), _) => 16,
        (Op::Bin(Bin::Add | Bin::Sub | Bin::Or), [a, b]) => of(a).min(of(b)),
        (Op::Bin(Bin::Mul), [a, b]) => (of(a) * of(b)).min(4096),
        (Op::Bin(Bin::And), [a, b]) => of(a).max(of(b)),
        (Op::Bin(Bin::Shl), [a, by]) => match body.constant(*by) {
            Some(by) if by < 12 => (of(a) << by).min(4096),
            _ => of(a),
        },
        (Op::Cvt(Cvt::ZeroExtend | Cvt::SignExtend), [a]) => of(a),
        (Op::ToGeneric(Space::Shared | Space::Local), [a]) => of(a),
        _ => 1,
    }
}
