//! A kernel: its head, its blocks, and the copies that phis are.

use super::depot::Depot;
use super::instruction::Writer;
use super::lines::LineTable;
use super::registers::{Registers, prefix};
use super::share::Families;
use super::wide::Wide;
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::{Graph, successors, uses};
use crate::ir::{Block, Body, Def, Inst, MemTy, Op, Space, Term, Ty, Value};
use crate::lower::{Kernel, SymbolData};
use std::fmt::Write;

/// As many as an instruction's text has, as a rule, or more.
const BYTES: usize = 64;

/// Appends what stands before a kernel's instructions; these.
pub(super) fn kernel(
    text: &mut String,
    kernel: &Kernel,
    symbols: &[SymbolData],
    number: usize,
    lines: &mut LineTable<'_>,
) -> String {
    lines.forget();
    head(text, kernel);
    text.push_str("{\n");
    let body = &kernel.body;
    let graph = Graph::new(body);
    let homes = graph.homes(body);
    let mut writer = Writer {
        body,
        symbols,
        params: &kernel.params,
        name: &kernel.name,
        number,
        registers: Registers::new(body),
        wanted: wanted(body, &homes),
        homes,
        uses: uses(body),
        inlined: vec![false; body.insts.len()],
        text: String::with_capacity(BYTES * body.insts.len()),
        depot: Depot::new(body),
    };
    writer.find_inlined(&graph);
    let families = Families::new(&writer, &graph);
    for family in families.shared() {
        writer.registers.share(body, family);
    }
    let mut blocks = Blocks {
        families: &families,
        labels: labels(body, &graph),
        number,
        edges: 0,
        tail: String::new(),
    };
    for (place, block) in graph.order.iter().enumerate() {
        blocks.block(
            &mut writer,
            *block,
            graph.order.get(place + 1).copied(),
            lines,
        );
    }
    let Writer {
        registers,
        text: mut code,
        depot,
        ..
    } = writer;
    for (ty, count) in registers.counts() {
        let kind = match ty {
            Ty::Pred => "pred",
            Ty::B16 => "b16",
            Ty::B32 => "b32",
            Ty::B64 => "b64",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
        };
        let _ = writeln!(text, "\t.reg .{kind} \t{}<{}>;", prefix(ty), count + 1);
    }
    if let Some(place) = lines.of(kernel.loc) {
        let _ = writeln!(text, "\t.loc\t1 {} 0", place.line);
    }
    if depot.size > 0 {
        let _ = writeln!(
            text,
            "\t.local .align {} .b8 \t__local_depot{number}[{}];",
            depot.align, depot.size
        );
    }
    for symbol in super::symbols_of(kernel) {
        let symbol = &symbols[symbol as usize];
        if symbol.space == Space::Shared && !symbol.is_extern {
            let _ = writeln!(
                text,
                "\t.shared .align {} .b8 {}[{}];",
                symbol.align, symbol.name, symbol.size
            );
        }
    }
    text.push('\n');
    code.push_str(&blocks.tail);
    code
}

/// What makes a function known to those that stand before it.
pub(super) fn declaration(text: &mut String, function: &Kernel) {
    head(text, function);
    text.truncate(text.trim_end().len());
    text.push_str(";\n");
}

fn head(text: &mut String, kernel: &Kernel) {
    let name = &kernel.name;
    let _ = match kernel.returns {
        None => writeln!(text, "\n\t// .globl\t{name}\n\n.visible .entry {name}("),
        Some(None) => writeln!(text, "\n.func {name}("),
        Some(Some(mem)) => {
            let word = param_type(mem).replace('u', "b");
            writeln!(text, "\n.func (.param .{word} {name}_result) {name}(")
        }
    };
    for (number, param) in kernel.params.iter().enumerate() {
        let comma = if number + 1 < kernel.params.len() {
            ","
        } else {
            ""
        };
        let place = format!("{name}_param_{number}");
        let _ = match param.mem {
            Some(mem) => writeln!(text, "\t.param .{} {place}{comma}", param_type(mem)),
            None => writeln!(
                text,
                "\t.param .align {} .b8 {place}[{}]{comma}",
                param.align, param.size
            ),
        };
    }
    text.push_str(")\n");
    if !kernel.cluster.is_empty() {
        let of = |at: usize| kernel.cluster.get(at).copied().unwrap_or(1);
        let _ = writeln!(
            text,
            ".explicitcluster\n.reqnctapercluster {}, {}, {}",
            of(0),
            of(1),
            of(2)
        );
    }
    if let Some(threads) = kernel.max_threads {
        let _ = writeln!(text, ".maxntid {threads}, 1, 1");
    }
    if let Some(blocks) = kernel.min_blocks.filter(|blocks| *blocks > 0) {
        let _ = writeln!(text, ".minnctapersm {blocks}");
    }
    if let Some(registers) = kernel.max_registers {
        let _ = writeln!(text, ".maxnreg {registers}");
    }
}

fn param_type(mem: MemTy) -> &'static str {
    match mem {
        MemTy::U8 | MemTy::S8 => "u8",
        MemTy::U16 | MemTy::S16 => "u16",
        MemTy::B32 => "u32",
        MemTy::B64 => "u64",
        MemTy::F32 => "f32",
        MemTy::F64 => "f64",
    }
}

/// Which instructions are written: those with an effect, and those whose results are read by such, where an access does
/// not add a constant by itself, and a product does not widen its factors.
fn wanted(body: &Body, homes: &[Option<Block>]) -> Vec<bool> {
    let mut wanted = vec![false; body.insts.len()];
    let mut open: Vec<Value> = Vec::new();
    let read = |inst: Inst, open: &mut Vec<Value>| {
        let data = body.inst(inst);
        if let Some(wide) = Wide::new(body, homes, data) {
            open.extend(wide.numbers());
            return;
        }
        let is_access = matches!(data.op, Op::Load(_) | Op::Store(_));
        for (number, arg) in data.args.iter().enumerate() {
            match is_access && number == 0 {
                true => open.push(super::instruction::split(body, *arg).0),
                false => open.push(*arg),
            }
        }
    };
    for block in &body.blocks {
        for inst in &block.insts {
            if !body.inst(*inst).op.is_pure() {
                wanted[inst.0 as usize] = true;
                read(*inst, &mut open);
            }
        }
        if let Term::Branch(condition, ..) = block.term {
            open.push(condition);
        }
    }
    while let Some(value) = open.pop() {
        if let Def::Inst(inst, _) = body.values[value.0 as usize].1
            && !std::mem::replace(&mut wanted[inst.0 as usize], true)
        {
            read(inst, &mut open);
        }
    }
    wanted
}

/// Numbers of the blocks that something jumps to, or that phis stand in, to which copies may lead.
fn labels(body: &Body, graph: &Graph) -> HashMap<Block, usize> {
    let mut wanted = HashSet::default();
    for (place, block) in graph.order.iter().enumerate() {
        let next = graph.order.get(place + 1);
        wanted.extend(successors(body.block(*block).term).filter(|to| Some(to) != next));
        if body
            .block(*block)
            .insts
            .iter()
            .any(|inst| matches!(body.inst(*inst).op, Op::Phi(_)))
        {
            wanted.insert(*block);
        }
    }
    let labelled = graph.order.iter().filter(|block| wanted.contains(block));
    labelled
        .enumerate()
        .map(|(number, block)| (*block, number + 1))
        .collect()
}

struct Blocks<'a> {
    families: &'a Families,
    labels: HashMap<Block, usize>,
    number: usize,
    edges: usize,
    /// Blocks of copies, behind all others.
    tail: String,
}

impl Blocks<'_> {
    fn label(&self, block: Block) -> String {
        format!(
            "$L__BB{}_{}",
            self.number,
            self.labels.get(&block).copied().unwrap_or(block.0 as usize)
        )
    }

    fn block(
        &mut self,
        writer: &mut Writer<'_>,
        block: Block,
        next: Option<Block>,
        lines: &mut LineTable<'_>,
    ) {
        let body = writer.body;
        let data = body.block(block);
        if self.labels.contains_key(&block) {
            let label = self.label(block);
            let _ = writeln!(writer.text, "\n{label}:");
            if data.is_done {
                writer.text.push_str("\t.pragma \"nounroll\";\n");
            }
            lines.forget();
        }
        for inst in &data.insts {
            let is_phi = matches!(body.inst(*inst).op, Op::Phi(_));
            if writer.is_written(*inst) && !is_phi {
                lines.say(&mut writer.text, body.inst(*inst).loc);
                writer.instruction(*inst);
            }
        }
        lines.say(&mut writer.text, data.loc);
        match data.term {
            Term::Jump(to) => {
                let copies = self.copies(body, block, to, writer);
                writer.copies(&copies);
                if next != Some(to) {
                    let _ = writeln!(writer.text, "\tbra.uni \t{};", self.label(to));
                }
            }
            Term::Branch(condition, yes, no) => {
                self.branch(writer, block, condition, yes, no, next)
            }
            Term::Return => writer.text.push_str("\tret;\n"),
            Term::None => writer.text.push_str("\ttrap;\n"),
        }
    }

    fn branch(
        &mut self,
        writer: &mut Writer<'_>,
        block: Block,
        condition: Value,
        yes: Block,
        no: Block,
        next: Option<Block>,
    ) {
        let predicate = writer.register(condition);
        let to_yes = self.edge(writer, block, yes, no, condition);
        let to_no = self.edge(writer, block, no, yes, condition);
        let _ = match (
            next == Some(yes) && to_yes.is_none(),
            next == Some(no) && to_no.is_none(),
        ) {
            (true, _) => writeln!(
                writer.text,
                "\t@!{predicate} bra \t{};",
                to_no.unwrap_or_else(|| self.label(no))
            ),
            (_, true) => writeln!(
                writer.text,
                "\t@{predicate} bra \t{};",
                to_yes.unwrap_or_else(|| self.label(yes))
            ),
            _ => {
                let yes = to_yes.unwrap_or_else(|| self.label(yes));
                let no = to_no.unwrap_or_else(|| self.label(no));
                writeln!(
                    writer.text,
                    "\t@{predicate} bra \t{yes};\n\tbra.uni \t{no};"
                )
            }
        };
    }

    /// Copies on the way to a block: before the branch where nobody minds, else in a block of their own, whose label is
    /// returned.
    fn edge(
        &mut self,
        writer: &mut Writer<'_>,
        from: Block,
        to: Block,
        other: Block,
        condition: Value,
    ) -> Option<String> {
        let body = writer.body;
        let copies = self.copies(body, from, to, writer);
        if copies.is_empty() {
            return None;
        }
        let other_copies = self.copies(body, from, other, writer);
        let harmless = copies.iter().all(|(phi, _)| {
            *phi != condition
                && !writer.registers.are_same(*phi, condition)
                && !self.families.is_taken(*phi, other)
                && !other_copies.iter().any(|(_, value)| value == phi)
        });
        // The other way's copies must not be undone by these, nor these by them.
        if harmless && other_copies.is_empty() {
            writer.copies(&copies);
            return None;
        }
        self.edges += 1;
        let label = format!("$L__BE{}_{}", self.number, self.edges);
        let code = std::mem::take(&mut writer.text);
        writer.copies(&copies);
        let moves = std::mem::replace(&mut writer.text, code);
        let target = self.label(to);
        let _ = write!(self.tail, "\n{label}:\n{moves}\tbra.uni \t{target};\n");
        Some(label)
    }

    /// What the phis of a block take when control comes from another.
    fn copies(
        &self,
        body: &Body,
        from: Block,
        to: Block,
        writer: &Writer<'_>,
    ) -> Vec<(Value, Value)> {
        let mut copies = Vec::new();
        for inst in &body.block(to).insts {
            let data = body.inst(*inst);
            let Op::Phi(blocks) = &data.op else { continue };
            if !writer.wanted[inst.0 as usize] {
                continue;
            }
            let arg = data
                .args
                .iter()
                .zip(blocks)
                .find(|(_, block)| **block == from);
            // What nothing was put into needs no copy.
            if let Some((arg, _)) = arg
                && !body.is_undefined(*arg)
                && *arg != data.results[0]
                && !writer.registers.are_same(*arg, data.results[0])
            {
                copies.push((data.results[0], *arg));
            }
        }
        copies
    }
}
