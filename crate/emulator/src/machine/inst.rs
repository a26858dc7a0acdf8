//! One instruction of the compact form: a function on lanes and the world, with its operands.

use crate::machine::lanes::Lanes;
use crate::machine::world::World;
use crate::program::kinds::{FileKind, Slot};
use crate::program::{BarrierKind, ClusterBarrier};

/// Computes on registers only.
///
/// The function may need AVX2 and FMA, or AVX-512: [`Both::chosen`] picks one that this machine can run.
pub(crate) type ComputeFn = unsafe fn(&mut Lanes, &Inst);

/// Touches memory, findings or counters; the same rule for AVX2 as [`ComputeFn`].
pub(crate) type AccessFn = unsafe fn(&mut Lanes, &mut World, &Inst);

/// One function compiled for any machine, again for AVX2 and FMA, and again for AVX-512. Results are the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Both<F> {
    pub(crate) plain: F,
    pub(crate) wide: F,
    pub(crate) widest: F,
}

impl<F: Copy> Both<F> {
    /// The version for this machine.
    pub(crate) fn chosen(&self) -> F {
        if has_widest() {
            self.widest
        } else if has_wide() {
            self.wide
        } else {
            self.plain
        }
    }
}

/// Whether this machine has AVX2 and FMA.
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Whether this machine has the parts of AVX-512 that all of its processors have had for years.
fn has_widest() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        has_wide()
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq")
            && std::arch::is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// One instruction of the compact form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inst {
    pub(crate) action: Action,
    /// Destinations.
    pub(crate) d: [Slot; 4],
    /// Sources.
    pub(crate) s: [Slot; 6],
    /// Predicate register that guards it, or [`crate::program::kinds::NO_SLOT`].
    pub(crate) guard: Slot,
    /// Acts where the guard is false.
    pub(crate) guard_negated: bool,
    /// A number whose meaning is the action's: an address offset, a mode.
    pub(crate) imm: u64,
    /// An index whose meaning is the action's: a memory access, a table of targets.
    pub(crate) aux: u32,
    /// Index into [`Program::places`].
    pub(crate) place: u32,
}

/// What an instruction does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Compute(ComputeFn),
    Access(AccessFn),
    /// As `Access`, after which the strand lets others run if it has waited in vain.
    Wait(AccessFn),
    /// The start of a basic block of so many PTX instructions. Lanes are counted here, and rejoin here if `imm` is not 0.
    Block(u32),
    Jump(u32),
    /// Lanes whose predicate `s[0]` holds go to `taken`, the others on to `other`; they rejoin by `joins`,
    /// an index into [`Program::joins`].
    Branch {
        taken: u32,
        other: u32,
        joins: u32,
    },
    /// Each lane goes to entry `s[0]` of target table `aux`; they rejoin by `joins`.
    Switch {
        joins: u32,
    },
    /// Calls by `calls[aux]`; the next instruction is the `Restore` of the same call.
    Call,
    /// Back in the caller, all lanes.
    Restore,
    Return,
    Exit,
    Barrier(BarrierKind),
    ClusterBarrier(ClusterBarrier),
    Trap,
    /// `s[0]` moves to `d[0]` and is not used again: whole groups exchange their arrays.
    MoveLast(FileKind),
}
