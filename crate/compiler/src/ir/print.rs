//! A body as text, which `read` reads back. What each line means stands in `book/src/compiler.md`.

use super::graph::Graph;
use super::intrinsics::Call;
use super::words::{BINS, CACHES, CMPS, CVTS, EFFECTS, MEMORY_TYPES, SPACES, TYPES, UNS, word};
use super::{Asm, Block, Body, Cache, Def, Exact, Instruction, Loc, Mem, ORDERED, Op, Term, Value};
use std::fmt::Write;

impl Body {
    /// What control can reach, and what is known of it: blocks and arguments of phis that nothing leads to are left out.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (number, slot) in self.slots.iter().enumerate() {
            let _ = writeln!(text, "slot {number} {} align {}", slot.size, slot.align);
        }
        let mut relied_on: Vec<u32> = self.relied_on.iter().map(|slot| slot.0).collect();
        relied_on.sort_unstable();
        for slot in relied_on {
            let _ = writeln!(text, "relied_on {slot}");
        }
        let mut counted: Vec<_> = self.counted.iter().collect();
        counted.sort_unstable();
        for (value, (least, most)) in counted {
            let _ = writeln!(text, "counted %{} {least} {most}", value.0);
        }
        if !self.loops.is_empty() {
            let loops: Vec<String> = self.loops.iter().map(u32::to_string).collect();
            let _ = writeln!(text, "loops {}", loops.join(" "));
        }
        let graph = Graph::new(self);
        let all = (0..self.blocks.len() as u32).map(Block);
        for block in all.filter(|block| graph.is_reached(*block)) {
            self.write_block(&mut text, &graph, block);
        }
        text
    }

    fn write_block(&self, text: &mut String, graph: &Graph, number: Block) {
        let block = self.block(number);
        let _ = write!(text, "block{}:", number.0);
        if let Some(unroll) = block.unroll {
            let _ = write!(text, " !unroll {unroll}");
        }
        if block.is_done {
            text.push_str(" !done");
        }
        if block.iteration != 0 {
            let _ = write!(text, " !iteration {}", block.iteration);
        }
        text.push('\n');
        for inst in &block.insts {
            self.write_inst(text, self.inst(*inst), &graph.before[number.0 as usize]);
        }
        let _ = match block.term {
            Term::None => write!(text, "  unfinished"),
            Term::Jump(next) => write!(text, "  jump block{}", next.0),
            Term::Branch(condition, yes, no) => {
                let condition = self.operand(condition);
                write!(text, "  branch {condition}, block{}, block{}", yes.0, no.0)
            }
            Term::Return => write!(text, "  return"),
        };
        write_loc(text, block.loc);
    }

    fn write_inst(&self, text: &mut String, data: &Instruction, before: &[Block]) {
        text.push_str("  ");
        for (at, result) in data.results.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            let _ = write!(
                text,
                "{separator}%{}:{}",
                result.0,
                word(TYPES, &self.ty(*result))
            );
        }
        if !data.results.is_empty() {
            text.push_str(" = ");
        }
        text.push_str(&op(&data.op));
        let mut separator = " ";
        for (at, arg) in data.args.iter().enumerate() {
            let arg = self.operand(*arg);
            let _ = match &data.op {
                Op::Phi(from) => match from.get(at).filter(|way| before.contains(way)) {
                    Some(way) => write!(text, "{separator}[block{} {arg}]", way.0),
                    None => continue,
                },
                _ => write!(text, "{separator}{arg}"),
            };
            separator = ", ";
        }
        match data.exact {
            Exact::No => {}
            Exact::Yes => text.push_str(" !exact"),
            Exact::WithFirst => text.push_str(" !exact_with_first"),
        }
        if data.rereads {
            text.push_str(" !rereads");
        }
        match data.iteration {
            0 => {}
            ORDERED => text.push_str(" !ordered"),
            iteration => {
                let _ = write!(text, " !iteration {iteration}");
            }
        }
        write_loc(text, data.loc);
    }

    fn operand(&self, value: Value) -> String {
        let ty = word(TYPES, &self.ty(value));
        match self.values[value.0 as usize].1 {
            Def::Const(bits) => format!("{bits}:{ty}"),
            Def::Undefined => format!("undefined{}:{ty}", value.0),
            Def::Inst(..) => format!("%{}", value.0),
        }
    }
}

fn write_loc(text: &mut String, loc: Loc) {
    if loc != Loc::default() {
        let _ = write!(text, " @{}", loc.0);
    }
    text.push('\n');
}

/// The operation with all that belongs to it but its arguments.
fn op(op: &Op) -> String {
    match op {
        Op::Bin(bin) => word(BINS, bin).to_string(),
        Op::Un(un) => word(UNS, un).to_string(),
        Op::Cmp(cmp) => word(CMPS, cmp).to_string(),
        Op::Cvt(cvt) => word(CVTS, cvt).to_string(),
        Op::Fma => "fma".to_string(),
        Op::Select => "select".to_string(),
        Op::Phi(_) => "phi".to_string(),
        Op::Param(number) => format!("param #{number}"),
        Op::ParamAddress(number) => format!("param_address #{number}"),
        Op::Symbol(symbol) => format!("symbol #{}", symbol.0),
        Op::Slot(slot) => format!("slot #{}", slot.0),
        Op::ToGeneric(space) => format!("to_generic.{}", word(SPACES, space)),
        Op::FromGeneric(space) => format!("from_generic.{}", word(SPACES, space)),
        Op::Load(mem) => format!("load{}", access(mem)),
        Op::Store(mem) => format!("store{}", access(mem)),
        Op::Intrinsic(call) => of_intrinsic(call),
        Op::Asm(asm) => of_asm(asm),
    }
}

fn access(mem: &Mem) -> String {
    let (space, ty) = (word(SPACES, &mem.space), word(MEMORY_TYPES, &mem.ty));
    let mut text = format!(".{space}.{ty}");
    if mem.count != 1 {
        let _ = write!(text, ".x{}", mem.count);
    }
    if mem.is_volatile {
        text.push_str(".volatile");
    }
    if mem.is_constant {
        text.push_str(".nc");
    }
    if mem.cache != Cache::Any {
        let _ = write!(text, ".{}", word(CACHES, &mem.cache));
    }
    if mem.origin.align != 0 {
        let _ = write!(text, ".align{}", mem.origin.align);
    }
    if mem.origin.member != 0 {
        let _ = write!(text, ".member{}", mem.origin.member);
    }
    text
}

/// The row's name, its space where it has one, and what the row leaves open.
fn of_intrinsic(call: &Call) -> String {
    let space = match call.row().is_in_a_space {
        true => format!(".{}", word(SPACES, &call.space)),
        false => String::new(),
    };
    let mut text = format!("intrinsic{space} \"{}\"", call.row().name);
    for part in call.parts.iter().flat_map(|parts| parts.iter()) {
        let _ = write!(text, " \"{}\"", part.escape_default());
    }
    text
}

fn of_asm(asm: &Asm) -> String {
    let mut text = format!("asm.{}", word(EFFECTS, &asm.effect));
    if let Some(space) = asm.space {
        let _ = write!(text, ".{}", word(SPACES, &space));
    }
    for (result, arg) in &asm.begins {
        let _ = write!(text, ".begins_{result}_{arg}");
    }
    let _ = write!(text, " \"{}\"", asm.text.escape_default());
    text
}
