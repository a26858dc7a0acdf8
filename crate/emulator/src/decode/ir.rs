//! The decoder's own form of a function: operations on unlimited registers, before slots are given out.

use std::collections::HashMap;

use crate::counters::Arithmetic;
use crate::decode::fuse::role::{Fused, Role, Unfused};
use crate::machine::inst::{AccessFn, ComputeFn};
use crate::program::access::{AccessShape, SiteInfo};
use crate::program::call::CallSite;
use crate::program::kinds::FileKind;
use crate::program::matrix;
use crate::program::observation::Observation;
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

/// Where an operation puts its sources' bytes, if it only moves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Carries {
    /// It computes.
    #[default]
    Nothing,
    /// It loads from `s[0]`.
    Load,
    /// It stores to `s[0]`.
    Store,
    /// So many bytes of `s[0]`, from the first one on.
    Part { first: u32, bytes: u32 },
    /// The sources side by side, so many bytes of each.
    Parts(u32),
    /// `s[0]` or `s[1]`, as `s[2]` says.
    Either,
    /// `s[0]` and `s[1]`, byte upon byte; if `by_zero`, a byte of one matters only where that of the other is not 0.
    Masked { by_zero: bool },
    /// `s[0]`, so many bytes wide, shifted by `s[1]` bits.
    Shifted { left: bool, bytes: u32 },
    /// So many bytes of `s[0]`, each of which may be needed for any of the result's.
    Whole(u32),
    /// Predicates: whether both of `s[0]` and `s[1]` hold.
    Both,
    /// Predicates: whether one of `s[0]` and `s[1]` holds.
    Any,
    /// It moves values between lanes.
    Exchanged,
    /// It lays registers in the stage, where they go on as they are.
    Staged,
    /// It only looks at them for a launch's checks.
    Shown,
}

impl Carries {
    /// What the operations do that a PTX instruction with these modifiers has become.
    pub(crate) fn of(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let (root, types) = (parts.next().unwrap_or(""), parts.collect::<Vec<_>>());
        let bytes = |ty: Option<&&str>| -> Option<u32> {
            let bits: u32 = ty?.strip_prefix(['u', 's', 'b'])?.parse().ok()?;
            Some(bits / 8)
        };
        match (root, bytes(types.last())) {
            ("and", None) => Self::Both,
            ("or", None) => Self::Any,
            ("ld", _) => Self::Load,
            ("st", _) => Self::Store,
            ("and", Some(_)) => Self::Masked { by_zero: true },
            // By which bytes are put together.
            ("or", Some(_)) => Self::Masked { by_zero: false },
            ("shl" | "shr", Some(bytes)) if !types.contains(&"s16") => Self::Shifted {
                left: root == "shl",
                bytes,
            },
            ("selp", _) => Self::Either,
            // Of integers that fit or are cut off.
            ("cvt", Some(from)) if types.len() == 2 && bytes(types.first()).is_some() => {
                Self::Whole(from)
            }
            _ => Self::Nothing,
        }
    }
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
    /// What it is where the assembler joins products and sums.
    pub(crate) role: Role,
    pub(crate) carries: Carries,
    /// PTX instructions that it stands for: one instruction may become several operations, or none.
    pub(crate) weight: u32,
    /// What its instruction counts in each lane: an index into [`Body::arithmetic`].
    pub(crate) arithmetic: Option<u32>,
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
    /// Names of functions with variables in local memory that have been inlined.
    pub(crate) inlined: Vec<String>,
    pub(crate) accesses: Vec<AccessShape>,
    pub(crate) matrix: matrix::Tables,
    pub(crate) sites: Vec<SiteInfo>,
    pub(crate) places: Vec<Place>,
    pub(crate) order_matters: bool,
    /// As [`crate::program::Program::dynamic_names`].
    pub(crate) dynamic_names: Vec<String>,
    /// As [`crate::program::Program::operands`].
    pub(crate) operands: Vec<(u32, u64)>,
    /// As [`crate::program::Program::orders_blocks`].
    pub(crate) orders_blocks: bool,
    pub(crate) observation: Observation,
    pub(crate) shared_variables: Vec<(String, u64, u64)>,
    /// What instructions count in each lane, each different sum once.
    pub(crate) arithmetic: Vec<Arithmetic>,
    /// Of guarded instructions, by the `aux` of the operation that counts them: indices into `arithmetic`.
    pub(crate) guarded: Vec<u32>,
    /// What sums become with a product, each kind once.
    pub(crate) fused: Vec<(Unfused, Fused)>,
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

    /// The number of what an instruction counts.
    pub(crate) fn arithmetic(&mut self, each: Arithmetic) -> u32 {
        let known = self.arithmetic.iter().position(|known| *known == each);
        let at = known.unwrap_or_else(|| {
            self.arithmetic.push(each);
            self.arithmetic.len() - 1
        });
        at as u32
    }

    pub(crate) fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels - 1
    }
}
