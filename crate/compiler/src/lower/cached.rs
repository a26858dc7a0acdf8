//! Loads and stores that say how caches take them.

use super::Lower;
use super::overloads::Given;
use super::values::{Typed, access};
use crate::diagnostics::Res;
use crate::ir::{Cache, Mem, Op, Ty};
use crate::source::Span;
use crate::types::{self, Type};

impl Lower<'_> {
    /// How a cached access is spelled in PTX.
    fn cache_of(name: &str) -> Cache {
        match &name[4..] {
            "cg" => Cache::Cg,
            "ca" => Cache::Ca,
            "cs" => Cache::Cs,
            "lu" => Cache::Lu,
            "cv" => Cache::Cv,
            "wb" => Cache::Wb,
            "wt" => Cache::Wt,
            _ => Cache::Any,
        }
    }

    fn parts_of_pointer(&mut self, of: &Type, span: Span) -> Res<Vec<types::Part>> {
        match self.structs.parts(of) {
            Some(parts) if parts.len() == 1 || !of.is_aggregate() => Ok(parts),
            Some(parts) if of.is_struct() => Ok(parts),
            _ => Err(self
                .sink
                .error(span, "a pointer to a number or a vector is needed here")),
        }
    }

    pub(super) fn cached_load(&mut self, name: &str, given: &Given) -> Res<Typed> {
        let (of, address) = self.pointer(given)?;
        let parts = self.parts_of_pointer(&of, given.expr.span)?;
        let plain = of.plain();
        let mem = |part: &types::Part| Mem {
            space: crate::ir::Space::Global,
            is_constant: name == "__ldg",
            cache: Self::cache_of(name),
            ..access(part.ty, part.count, matches!(name, "__ldcv"))
        };
        let address = self.builder.value(
            Op::FromGeneric(crate::ir::Space::Global),
            Ty::B64,
            &[address],
        );
        if !plain.is_aggregate() {
            let found = self.builder.load(mem(&parts[0]), address)[0];
            let value = self.value_in_memory(&plain, found);
            return Ok(Typed::value(plain, value));
        }
        let slot = self.new_slot(&plain);
        for part in &parts {
            let from = self.builder.offset(address, part.offset);
            let values = self.builder.load(mem(part), from);
            let to = self.builder.offset(slot, part.offset);
            self.builder
                .store(access(part.ty, part.count, false), to, &values);
        }
        Ok(Typed::place(plain, slot))
    }

    pub(super) fn cached_store(&mut self, name: &str, given: &[Given]) -> Res<Typed> {
        let (of, address) = self.pointer(&given[0])?;
        let span = given[1].expr.span;
        let parts = self.parts_of_pointer(&of, span)?;
        let Some(typed) = given[1].typed.clone() else {
            return Err(self.sink.error(span, "a value is needed here"));
        };
        let plain = of.plain();
        let slot = self.new_slot(&plain);
        self.store(&plain, slot, &typed, span)?;
        let address = self.builder.value(
            Op::FromGeneric(crate::ir::Space::Global),
            Ty::B64,
            &[address],
        );
        for part in &parts {
            let from = self.builder.offset(slot, part.offset);
            let values = self.builder.load(access(part.ty, part.count, false), from);
            let to = self.builder.offset(address, part.offset);
            let mem = Mem {
                space: crate::ir::Space::Global,
                cache: Self::cache_of(name),
                ..access(part.ty, part.count, false)
            };
            self.builder.store(mem, to, &values);
        }
        Ok(Typed::void())
    }
}
