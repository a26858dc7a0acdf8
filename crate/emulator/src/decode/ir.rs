//! The decoder's own form of a function: operations on unlimited registers, before slots are given out.

use std::collections::HashMap;

use crate::machine::inst::{AccessFn, ComputeFn};
use crate::program::access::{AccessShape, SiteInfo};
use crate::program::call::CallSite;
use crate::program::kinds::FileKind;
use crate::program::matrix;
use crate::program::preset::Preset;
use crate::program::{BarrierKind, ClusterBarrier, Place};

/// A register of the function, numbered as first used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reg(pub(crate) u32);

/// What an operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Value {
    #[default]
    None,
    Reg(Reg),
    /// Index into [`Body::presets`].
    Preset(u32),
}

impl From<Reg> for Value {
    fn from(reg: Reg) -> Self {
        Value::Reg(reg)
    }
}

/// What an operation does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Compute(ComputeFn),
    Access(AccessFn),
    Wait(AccessFn),
    /// `d[0] = s[0]`, of one register file.
    Copy,
    /// Marks a place that is jumped to.
    Label(u32),
    Jump(u32),
    /// To the label where the guard holds.
    Branch(u32),
    /// To the label in table `aux` that `s[0]` selects.
    Switch,
    /// Number `aux` of [`Body::calls`].
    Call,
    /// From a called function.
    Return,
    Exit,
    Barrier(BarrierKind),
    ClusterBarrier(ClusterBarrier),
    Trap,
    /// Only counted.
    Nothing,
}

/// Operations that are joined in pairs: nearly every address is a sum of a product or of an index that is shifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// `mul.lo.s64` or `mul.lo.u64`
    Product,
    /// `shl.b64`
    Shift,
    /// `add.s64` or `add.u64`
    Sum,
}

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Op {
    pub(crate) act: Act,
    pub(crate) d: [Option<Reg>; 4],
    pub(crate) s: [Value; 6],
    pub(crate) guard: Option<(Reg, bool)>,
    pub(crate) imm: u64,
    pub(crate) aux: u32,
    pub(crate) place: u32,
    /// Computes each lane's result from that lane's sources alone.
    pub(crate) is_pure: bool,
    /// Touches memory as the shape [`Body::accesses`]`[aux]` says.
    pub(crate) is_memory: bool,
    /// What it is, if it may be joined with another.
    pub(crate) part: Option<Part>,
    /// PTX instructions that it stands for: one instruction may become several operations, or none.
    pub(crate) weight: u32,
}

impl Op {
    /// Ends a basic block.
    pub(crate) fn is_end(&self) -> bool {
        matches!(
            self.act,
            Act::Jump(_)
                | Act::Branch(_)
                | Act::Switch
                | Act::Call
                | Act::Return
                | Act::Exit
                | Act::Trap
        )
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = Reg> {
        self.d.into_iter().flatten()
    }

    /// Registers read, the guard too.
    pub(crate) fn uses(&self) -> impl Iterator<Item = Reg> {
        let sources = self.s.into_iter().filter_map(|value| match value {
            Value::Reg(reg) => Some(reg),
            _ => None,
        });
        sources.chain(self.guard.map(|(reg, _)| reg))
    }
}

/// What is known of a register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegInfo {
    pub(crate) file: FileKind,
    /// Width that the PTX declares.
    pub(crate) bits: u32,
}

/// The functions of an entry that are being decoded; `ops` are those of one of them.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) ops: Vec<Op>,
    pub(crate) regs: Vec<RegInfo>,
    pub(crate) presets: Vec<(FileKind, Preset)>,
    pub(crate) preset_numbers: HashMap<(FileKind, Preset), u32>,
    pub(crate) labels: u32,
    /// Labels that each `brx.idx` chooses from.
    pub(crate) tables: Vec<Vec<u32>>,
    /// Calls that are not inlined.
    pub(crate) calls: Vec<CallSite>,
    pub(crate) accesses: Vec<AccessShape>,
    pub(crate) matrix: matrix::Tables,
    pub(crate) sites: Vec<SiteInfo>,
    pub(crate) places: Vec<Place>,
    pub(crate) order_matters: bool,
    /// As [`crate::program::Program::orders_blocks`].
    pub(crate) orders_blocks: bool,
    pub(crate) shared_variables: Vec<(String, u64, u64)>,
}

impl Body {
    pub(crate) fn fresh(&mut self, file: FileKind, bits: u32) -> Reg {
        self.regs.push(RegInfo { file, bits });
        Reg(self.regs.len() as u32 - 1)
    }

    pub(crate) fn preset(&mut self, file: FileKind, preset: Preset) -> Value {
        let next = self.presets.len() as u32;
        let number = *self.preset_numbers.entry((file, preset)).or_insert(next);
        if number == next {
            self.presets.push((file, preset));
        }
        Value::Preset(number)
    }

    pub(crate) fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels - 1
    }
}
