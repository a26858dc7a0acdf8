//! What instructions are lowered to: operations are appended to the body, with their registers, constants and sites.

use crate::decode::fuse::role::Role;
use crate::decode::ir::{Act, Carries, Op, Reg, Value};
use crate::decode::lower::{Lowerer, Matched};
use crate::decode::names::file_of;
use crate::error::LoadError;
use crate::machine::inst::{AccessFn, Both, ComputeFn};
use crate::program::Path;
use crate::program::access::{AccessShape, SiteInfo, Strength};
use crate::program::kinds::FileKind;
use crate::program::matrix;
use crate::report::Space;

impl<'a> Lowerer<'a> {
    /// Runs `build` where the instruction's guard holds, by a branch around it.
    pub(crate) fn under_guard(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let Some((reg, negated)) = self.guard.take() else {
            return build(self);
        };
        let skip = self.body.label();
        self.push(Act::Branch(skip), Some((reg, !negated)));
        build(self)?;
        self.mark_label(skip);
        Ok(())
    }
}

impl Lowerer<'_> {
    /// Appends an operation under the instruction's guard.
    pub(crate) fn push(&mut self, act: Act, guard: Option<(Reg, bool)>) -> &mut Op {
        let weight = std::mem::take(&mut self.weight);
        self.body.ops.push(Op {
            act,
            d: [None; 4],
            s: [Value::None; 6],
            guard,
            imm: 0,
            aux: 0,
            place: self.place,
            is_pure: false,
            is_memory: false,
            part: None,
            role: Role::Other,
            carries: Carries::Nothing,
            weight,
            arithmetic: None,
        });
        let last = self.body.ops.len() - 1;
        &mut self.body.ops[last]
    }

    pub(crate) fn compute_parts(
        &mut self,
        function: Both<ComputeFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
    ) {
        let guard = self.guard;
        let op = self.push(Act::Compute(function.chosen()), guard);
        op.imm = imm;
        op.is_pure = true;
        fill(op, results, sources);
    }

    /// Says what the operation just appended does with its sources' bytes.
    pub(crate) fn carries(&mut self, carries: Carries) {
        if let Some(op) = self.body.ops.last_mut() {
            op.carries = carries;
        }
    }

    /// As [`Lowerer::compute_parts`], where lanes also see each other's values or which lanes are active.
    pub(crate) fn exchange(
        &mut self,
        function: Both<ComputeFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
    ) {
        self.compute_parts(function, results, sources, imm);
        if let Some(op) = self.body.ops.last_mut() {
            op.is_pure = false;
        }
    }

    /// `d = value`, of the same register file.
    pub(crate) fn copy(&mut self, d: Reg, value: Value) {
        let guard = self.guard;
        fill(self.push(Act::Copy, guard), &[Some(d)], &[value]);
    }

    pub(crate) fn access(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        offset: u64,
        shape: AccessShape,
    ) {
        let aux = self.body.accesses.len() as u32;
        self.body.accesses.push(shape);
        let guard = self.guard;
        let op = self.push(Act::Access(function.chosen()), guard);
        op.imm = offset;
        op.aux = aux;
        op.is_memory = true;
        fill(op, results, sources);
    }

    /// Starts an asynchronous copy: no access of the instruction itself.
    pub(crate) fn starts_copy(
        &mut self,
        function: Both<AccessFn>,
        sources: &[Value],
        imm: u64,
        shape: AccessShape,
    ) {
        let aux = self.body.accesses.len() as u32;
        self.body.accesses.push(shape);
        self.effect(function, &[], sources, imm, aux);
    }

    /// A fetch from a texture: an access, but no load that may be left out or moved.
    pub(crate) fn fetches(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
        shape: AccessShape,
    ) {
        let aux = self.body.accesses.len() as u32;
        self.body.accesses.push(shape);
        self.effect(function, results, sources, imm, aux);
    }

    /// An operation on more than registers that is no load, store or atomic.
    pub(crate) fn effect(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
        aux: u32,
    ) {
        let guard = self.guard;
        let op = self.push(Act::Access(function.chosen()), guard);
        op.imm = imm;
        op.aux = aux;
        fill(op, results, sources);
    }

    /// As [`Lowerer::effect`], where it may be in vain until other threads have done something.
    pub(crate) fn wait(
        &mut self,
        function: Both<AccessFn>,
        results: &[Option<Reg>],
        sources: &[Value],
        imm: u64,
        aux: u32,
    ) {
        self.effect(function, results, sources, imm, aux);
        if let Some(op) = self.body.ops.last_mut() {
            op.act = Act::Wait(function.chosen());
        }
    }

    /// Says of the operations just appended that run `function` what they do with their sources' bytes.
    pub(crate) fn mark_last(&mut self, function: AccessFn, carries: Carries) {
        let is_one = |op: &&mut Op| matches!(op.act, Act::Access(other) if std::ptr::fn_addr_eq(other, function));
        let ops = self.body.ops.iter_mut().rev();
        ops.take_while(is_one).for_each(|op| op.carries = carries);
    }

    /// Sets the `aux` of the operation just appended.
    pub(crate) fn last_aux(&mut self, aux: u32) {
        if let Some(op) = self.body.ops.last_mut() {
            op.aux = aux;
        }
    }

    /// Notes how the access just appended takes part in the order of threads.
    pub(crate) fn strengthen_as(&mut self, matched: &Matched) {
        let releases = matched.has("release") || matched.has("acq_rel");
        let strong = ["volatile", "acquire"];
        let strength = if releases {
            Strength::Release
        } else if matched.has("relaxed") {
            Strength::Relaxed
        } else if strong.iter().any(|order| matched.has(order)) || matched.opcode() == "atom" {
            Strength::Strong
        } else {
            return;
        };
        let is_global = (self.body.accesses.last())
            .is_some_and(|access| matches!(access.space, None | Some(Space::Global)));
        if is_global && matched.opcode() == "ld" {
            // What it reads is what other blocks have done so far.
            self.body.order_matters = true;
        }
        self.body.orders_blocks |= (releases || matched.has("acquire")) && !matched.has("cta");
        if let Some(last) = self.body.accesses.last_mut() {
            last.strength = strength;
            last.is_narrow = matched.has("cta");
        }
    }

    /// Other blocks may see what this instruction orders.
    pub(crate) fn orders_blocks(&mut self) {
        self.body.orders_blocks = true;
    }

    pub(crate) fn matrix_tables(&mut self) -> &mut matrix::Tables {
        &mut self.body.matrix
    }

    pub(crate) fn order_matters(&mut self) {
        self.body.order_matters = true;
    }

    /// The site of the instruction being decoded; the same for every call of an inlined function.
    pub(crate) fn site(
        &mut self,
        space: Option<Space>,
        is_store: bool,
        is_atomic: bool,
        access_bytes: u32,
    ) -> u32 {
        if let Some(site) = self.site_numbers.get(&self.current) {
            return *site;
        }
        let number = self.body.sites.len() as u32;
        let spaces: &[Space] = match &space {
            Some(space) => std::slice::from_ref(space),
            None => &[Space::Global, Space::Shared, Space::Local],
        };
        for (index, space) in spaces.iter().enumerate() {
            self.body.sites.push(SiteInfo {
                place: self.place,
                space: *space,
                is_store,
                is_atomic,
                access_bytes,
                is_alternative: index > 0,
                is_matrix: false,
                path: Path::Registers,
            });
        }
        self.site_numbers.insert(self.current, number);
        number
    }

    /// The sites of an asynchronous copy: what it reads, then what it writes.
    pub(crate) fn copy_sites(&mut self, path: Path, spaces: [Space; 2], access_bytes: u32) -> u32 {
        if let Some(site) = self.site_numbers.get(&self.current) {
            return *site;
        }
        let number = self.body.sites.len() as u32;
        for (space, is_store) in spaces.into_iter().zip([false, true]) {
            self.body.sites.push(SiteInfo {
                place: self.place,
                space,
                is_store,
                is_atomic: false,
                access_bytes,
                is_alternative: false,
                is_matrix: false,
                path,
            });
        }
        self.site_numbers.insert(self.current, number);
        number
    }

    /// The sites of a bulk copy, which may reduce where it writes.
    pub(crate) fn bulk_sites(&mut self, spaces: [Space; 2], reduces: bool) -> u32 {
        let number = self.copy_sites(Path::Bulk, spaces, 0);
        self.body.sites[number as usize + 1].is_atomic = reduces;
        number
    }

    /// The site of what a thread sends to shared memory of its cluster, where an mbarrier counts it.
    pub(crate) fn sent_site(&mut self, reduces: bool, bytes: u32) -> u32 {
        let number = self.site(Some(Space::Shared), true, reduces, bytes);
        self.body.sites[number as usize].path = Path::Sent;
        number
    }

    /// The site of what tensor cores read of shared memory.
    pub(crate) fn tensor_site(&mut self) -> u32 {
        let number = self.site(Some(Space::Shared), false, false, 16);
        self.body.sites[number as usize].path = Path::Tensor;
        number
    }

    /// As [`Lowerer::site`], of an instruction that moves 8×8 matrices.
    pub(crate) fn matrix_site(
        &mut self,
        space: Option<Space>,
        is_store: bool,
        access_bytes: u32,
    ) -> u32 {
        let number = self.site(space, is_store, false, access_bytes);
        for site in &mut self.body.sites[number as usize..] {
            site.is_matrix |= site.place == self.place;
        }
        number
    }

    pub(crate) fn fresh(&mut self, file: FileKind) -> Reg {
        let bits = match file {
            FileKind::Preds => 1,
            FileKind::Words => 32,
            FileKind::Longs => 64,
        };
        self.body.fresh(file, bits)
    }

    /// The carry flag, `CC.CF`.
    pub(crate) fn carry_flag(&mut self) -> Reg {
        if let Some(flag) = self.carry {
            return flag;
        }
        let flag = self.fresh(FileKind::Preds);
        self.carry = Some(flag);
        flag
    }

    pub(crate) fn file(&self, reg: Reg) -> FileKind {
        self.body.regs[reg.0 as usize].file
    }

    pub(crate) fn declared_bits(&self, reg: Reg) -> u32 {
        self.body.regs[reg.0 as usize].bits
    }

    pub(crate) fn declared_reg(&mut self, name: &str) -> Option<Reg> {
        let (declared, number) = self.names.register(name)?;
        let file = file_of(declared.ty)?;
        let body = &mut self.body;
        Some(
            self.names
                .reg(declared, number, || body.fresh(file, declared.ty.bits())),
        )
    }
}

fn fill(op: &mut Op, results: &[Option<Reg>], sources: &[Value]) {
    for (slot, result) in op.d.iter_mut().zip(results) {
        *slot = *result;
    }
    for (slot, source) in op.s.iter_mut().zip(sources) {
        *slot = *source;
    }
}
