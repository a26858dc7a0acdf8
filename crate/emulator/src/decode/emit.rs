//! From the graph of operations to the compact form that the interpreter executes.

use std::collections::HashMap;
use std::sync::Arc;

use crate::decode::flow::{End, Graph};
use crate::decode::ir::{Act, Body, Carries, Op, Reg, Value};
use crate::decode::joins::joins;
use crate::decode::registers::Assignment;
use crate::error::LoadError;
use crate::machine::inst::{Action, Inst};
use crate::operations::basic::{MOV_32, MOV_64, MOV_PRED};
use crate::program::call::{CallSite, Callable, Signature};
use crate::program::flow::{Flow, Follow};
use crate::program::kinds::{FileKind, NO_SLOT, PRESET, Slot};
use crate::program::preset::Preset;
use crate::program::{BasicBlock, Program};

/// No block to rejoin at.
pub(crate) const NO_JOIN: u32 = u32::MAX;

/// A function of an entry; the first is the entry itself.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) graph: Graph,
    pub(super) assignment: Assignment,
    pub(super) frame_bytes: u64,
    pub(super) signature: Signature,
}

/// What the decoder knows of an entry beside its functions.
pub(super) struct Frame {
    pub(super) static_shared_bytes: u32,
    pub(super) dynamic_shared_offset: u32,
    pub(super) shared_align: u32,
    pub(super) uses_dynamic_shared: bool,
    pub(super) files: Arc<[String]>,
    pub(super) line: u32,
    pub(super) addresses: HashMap<u64, u32>,
    pub(super) known_functions: u64,
    pub(super) awaits_grid: bool,
}

/// Emits the program.
pub(super) fn emit(
    parts: &[Part],
    mut body: Body,
    frame: Frame,
) -> Result<(Program, Vec<Inst>), LoadError> {
    let Some(entry) = parts.first() else {
        return Ok(Default::default());
    };
    let calls = std::mem::take(&mut body.calls);
    let mut emitter = Emitter::new(&body, &entry.assignment, &frame)?;
    emitter.calls = calls;
    let functions: Vec<Callable> = parts.iter().map(|part| emitter.function(part)).collect();
    let slots = |file: FileKind| {
        let counts = parts
            .iter()
            .map(|part| part.assignment.counts[file as usize]);
        counts.max().unwrap_or(0)
    };
    let Emitter {
        code,
        flows,
        tables,
        joins,
        calls,
        preset_slots: _,
        blocks,
        word_presets,
        long_presets,
        ..
    } = emitter;
    let program = Program {
        accesses: body.accesses,
        inlined: body.inlined,
        matrix: body.matrix,
        sites: body.sites,
        places: body.places,
        blocks,
        guarded: (body.guarded.iter())
            .map(|each| body.arithmetic[*each as usize])
            .collect(),
        files: frame.files,
        tables,
        flows,
        joins,
        pred_slots: slots(FileKind::Preds),
        word_slots: slots(FileKind::Words),
        long_slots: slots(FileKind::Longs),
        word_presets,
        long_presets,
        cleared: entry.assignment.cleared.clone(),
        calls,
        addresses: frame.addresses,
        known_functions: frame.known_functions,
        awaits_grid: frame.awaits_grid,
        static_shared_bytes: frame.static_shared_bytes,
        dynamic_shared_offset: frame.dynamic_shared_offset,
        shared_align: frame.shared_align,
        uses_dynamic_shared: frame.uses_dynamic_shared,
        local_bytes: functions.first().map_or(0, |entry| entry.frame_bytes),
        functions,
        order_matters: body.order_matters,
        dynamic_names: body.dynamic_names,
        operands: body.operands,
        orders_blocks: body.orders_blocks,
        observation: body.observation,
        shared_variables: body.shared_variables,
    };
    Ok((program, code))
}

struct Emitter<'e> {
    body: &'e Body,
    assignment: &'e Assignment,
    code: Vec<Inst>,
    flows: Vec<Flow>,
    block_starts: Vec<u32>,
    blocks: Vec<BasicBlock>,
    tables: Vec<Vec<u32>>,
    /// Of each branch, its blocks' numbers until [`Emitter::link`].
    joins: Vec<Vec<u32>>,
    calls: Vec<CallSite>,
    /// Offset of the kept registers in the function's frame, and of what lies behind the most of them.
    save_at: u32,
    frame_bytes: u32,
    preset_slots: Vec<Slot>,
    word_presets: Vec<Preset>,
    long_presets: Vec<Preset>,
    /// Number of the operation, as the slots were assigned.
    position: u32,
}

impl<'e> Emitter<'e> {
    fn new(body: &'e Body, assignment: &'e Assignment, frame: &Frame) -> Result<Self, LoadError> {
        let mut emitter = Self {
            body,
            assignment,
            code: Vec::new(),
            flows: Vec::new(),
            block_starts: Vec::new(),
            blocks: Vec::new(),
            tables: Vec::new(),
            joins: Vec::new(),
            calls: Vec::new(),
            save_at: 0,
            frame_bytes: 0,
            preset_slots: Vec::new(),
            word_presets: Vec::new(),
            long_presets: Vec::new(),
            position: 0,
        };
        for (file, preset) in &body.presets {
            let preset = match *preset {
                Preset::DynamicShared { offset, generic } => Preset::Shared {
                    variable: body.shared_variables.len() as u32,
                    offset: offset.wrapping_add(u64::from(frame.dynamic_shared_offset)),
                    generic,
                },
                other => other,
            };
            let presets = if *file == FileKind::Longs {
                &mut emitter.long_presets
            } else {
                &mut emitter.word_presets
            };
            presets.push(preset);
            if presets.len() >= usize::from(PRESET - 1) {
                let (value, most) = (presets.len() as u64, u64::from(PRESET - 2));
                let what = "the number of different constants".to_string();
                return Err(LoadError::OverOurLimit {
                    what,
                    value,
                    most,
                    line: frame.line,
                });
            }
            emitter
                .preset_slots
                .push((presets.len() as Slot - 1) | PRESET);
        }
        Ok(emitter)
    }

    fn function(&mut self, part: &'e Part) -> Callable {
        self.assignment = &part.assignment;
        self.position = 0;
        self.block_starts.clear();
        self.save_at = (part.frame_bytes as u32).next_multiple_of(4);
        self.frame_bytes = self.save_at;
        let start = self.code.len();
        let firsts = (self.tables.len(), self.joins.len());
        let joins = joins(&part.graph);
        for (number, block) in part.graph.blocks.iter().enumerate() {
            self.block_starts.push(self.code.len() as u32);
            let index = self.blocks.len() as u32;
            self.blocks.push(BasicBlock {
                places: block.places.unwrap_or((0, 0)),
                weight: block.weight,
                branch: match block.end {
                    End::Branch { place, .. } | End::Switch { place, .. } => Some(place),
                    _ => None,
                },
                arithmetic: block.arithmetic,
            });
            self.push(Action::Block(block.weight), 0).aux = index;
            for op in &block.ops {
                self.op(op);
            }
            self.end(number, &block.end, &joins[number]);
            self.position += 1;
        }
        self.link(start, firsts);
        Callable {
            name: part.name.clone(),
            start: start as u32,
            frame_bytes: self.frame_bytes,
            signature: part.signature.clone(),
            cleared: part.assignment.cleared.clone(),
        }
    }

    /// Notes what the function needs after a call at this position.
    fn keep(&mut self, call: u32) {
        let call = call as usize;
        let mut end = self.save_at;
        for (reg, slot) in self.assignment.slots.iter().enumerate() {
            let (first, last) = (self.assignment.first[reg], self.assignment.last[reg]);
            if *slot == NO_SLOT || first >= self.position || last <= self.position {
                continue;
            }
            let file = self.body.regs[reg].file;
            self.calls[call].saved.push((file, *slot));
            end += 4 * file.words() as u32;
        }
        self.calls[call].save_at = self.save_at;
        self.frame_bytes = self.frame_bytes.max(end);
    }

    fn slot(&self, reg: Reg) -> Slot {
        self.assignment.slots[reg.0 as usize]
    }

    fn value(&self, value: Value) -> Slot {
        match value {
            Value::None => NO_SLOT,
            Value::Reg(reg) => self.slot(reg),
            Value::Preset(number) => self.preset_slots[number as usize],
        }
    }

    fn push(&mut self, action: Action, place: u32) -> &mut Inst {
        self.code.push(Inst {
            action,
            d: [NO_SLOT; 4],
            s: [NO_SLOT; 6],
            guard: NO_SLOT,
            guard_negated: false,
            imm: 0,
            aux: 0,
            place,
        });
        self.flows.push(Flow::default());
        let last = self.code.len() - 1;
        &mut self.code[last]
    }

    fn op(&mut self, op: &Op) {
        let action = match op.act {
            Act::Compute(function) => Action::Compute(function),
            Act::Access(function) => Action::Access(function),
            Act::Wait(function) => Action::Wait(function),
            Act::Barrier(kind) => Action::Barrier(kind),
            Act::ClusterBarrier(kind) => Action::ClusterBarrier(kind),
            Act::Copy => self.copy(op),
            // These end blocks or are not kept in them.
            Act::Label(_)
            | Act::Jump(_)
            | Act::Branch(_)
            | Act::Switch
            | Act::Call
            | Act::Return
            | Act::Exit
            | Act::Trap
            | Act::Nothing => {
                return;
            }
        };
        let d = op.d.map(|reg| reg.map_or(NO_SLOT, |reg| self.slot(reg)));
        let s = op.s.map(|value| self.value(value));
        let guard = op.guard.map_or(NO_SLOT, |(reg, _)| self.slot(reg));
        let inst = self.push(action, op.place);
        inst.d = d;
        inst.s = s;
        inst.guard = guard;
        inst.guard_negated = op.guard.is_some_and(|(_, negated)| negated);
        inst.imm = op.imm;
        inst.aux = op.aux;
        let last = self.flows.len() - 1;
        self.flows[last] = self.flow(op);
        self.position += 1;
    }

    fn flow(&self, op: &Op) -> Flow {
        let file = |reg: Reg| self.body.regs[reg.0 as usize].file;
        let follow = match op.carries {
            Carries::Exchanged => Follow::Exchanges,
            Carries::Staged => Follow::Moves,
            Carries::Shown => Follow::Computes,
            Carries::Load if op.is_memory => Follow::Loads,
            Carries::Store if op.is_memory => Follow::Stores,
            _ if matches!(op.act, Act::Copy) => Follow::Moves,
            _ if !op.is_pure => Follow::Uses,
            Carries::Either => Follow::Either,
            Carries::Both => Follow::Both,
            Carries::Any => Follow::Any,
            _ => Follow::Computes,
        };
        Flow {
            d: op.d.map(|reg| reg.map(file)),
            s: op.s.map(|value| match value {
                Value::Reg(reg) => Some(file(reg)),
                Value::None | Value::Preset(_) => None,
            }),
            follow,
        }
    }

    fn copy(&self, op: &Op) -> Action {
        let file = op.d[0].map_or(FileKind::Words, |reg| self.body.regs[reg.0 as usize].file);
        let is_last = match op.s[0] {
            Value::Reg(source) => {
                let source = source.0 as usize;
                op.guard.is_none()
                    && self.assignment.definitions[source].is_single()
                    && self.assignment.last[source] == self.position
            }
            _ => false,
        };
        match file {
            FileKind::Preds => Action::Compute(MOV_PRED.chosen()),
            file if is_last => Action::MoveLast(file),
            FileKind::Words => Action::Compute(MOV_32.function.chosen()),
            FileKind::Longs => Action::Compute(MOV_64.function.chosen()),
        }
    }

    /// Targets are block numbers until [`Emitter::link`].
    fn end(&mut self, number: usize, end: &End, joins: &[usize]) {
        match end {
            End::Jump(target) if *target == number + 1 => {}
            End::Jump(target) => {
                self.push(Action::Jump(*target as u32), 0);
            }
            End::Branch {
                reg,
                negated,
                taken,
                other,
                place,
            } => {
                let slot = self.slot(*reg);
                let (taken, other) = if *negated {
                    (*other, *taken)
                } else {
                    (*taken, *other)
                };
                let action = Action::Branch {
                    taken: taken as u32,
                    other: other as u32,
                    joins: self.rejoins(joins),
                };
                self.push(action, *place).s[0] = slot;
                let last = self.flows.len() - 1;
                self.flows[last].s[0] = Some(FileKind::Preds);
            }
            End::Switch {
                index,
                targets,
                place,
            } => {
                let slot = self.value(*index);
                self.tables
                    .push(targets.iter().map(|target| *target as u32).collect());
                let table = self.tables.len() as u32 - 1;
                let joins = self.rejoins(joins);
                let inst = self.push(Action::Switch { joins }, *place);
                inst.s[0] = slot;
                inst.aux = table;
                let last = self.flows.len() - 1;
                self.flows[last].s[0] = Some(FileKind::Words);
            }
            End::Call { call, next, place } => {
                self.keep(*call);
                self.push(Action::Call, *place).aux = *call;
                self.push(Action::Restore, *place).aux = *call;
                if *next != number + 1 {
                    self.push(Action::Jump(*next as u32), 0);
                }
            }
            End::Return => {
                self.push(Action::Return, 0);
            }
            End::Exit => {
                self.push(Action::Exit, 0);
            }
            End::Trap { kind, place } => self.push(Action::Trap, *place).aux = *kind,
        }
    }

    fn rejoins(&mut self, joins: &[usize]) -> u32 {
        (self.joins).push(joins.iter().map(|join| *join as u32).collect());
        self.joins.len() as u32 - 1
    }

    /// Puts addresses in the place of the block numbers of the function just emitted, whose tables begin at these.
    fn link(&mut self, first: usize, (first_table, first_joins): (usize, usize)) {
        let starts = std::mem::take(&mut self.block_starts);
        let start = |block: u32| starts[block as usize];
        for inst in &mut self.code[first..] {
            inst.action = match inst.action {
                Action::Jump(target) => Action::Jump(start(target)),
                Action::Branch {
                    taken,
                    other,
                    joins,
                } => Action::Branch {
                    taken: start(taken),
                    other: start(other),
                    joins,
                },
                other => other,
            };
        }
        let tables = &mut self.tables[first_table..];
        let joins = &mut self.joins[first_joins..];
        for target in tables.iter_mut().chain(&mut *joins).flatten() {
            *target = start(*target);
        }
        for join in joins.iter().flatten() {
            self.code[*join as usize].imm = 1;
        }
    }
}
