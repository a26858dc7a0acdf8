//! `make_float4` and its like.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::source::Span;
use crate::types::{self, Kind, StructId, Type};

/// `float4` for `make_float4`.
pub(super) fn made_by(name: &str) -> Option<&str> {
    let vector = name.strip_prefix("make_")?;
    types::is_vector(vector).then_some(vector)
}

impl Lower<'_> {
    /// The vector that a function of this name makes.
    pub(super) fn vector_made_by(&mut self, name: &str) -> Option<StructId> {
        self.structs.vector(made_by(name)?)
    }

    /// `make_float4` and the like.
    pub(super) fn make_vector(
        &mut self,
        name: &str,
        id: StructId,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let fields = self.structs.get(id).fields.clone();
        let parts = fields.len();
        if given.len() != parts {
            let takes = crate::diagnostics::takes(&parts.to_string(), given.len());
            let message = format!("`{name}` {takes}");
            return Err(self.sink.error(span, message));
        }
        let ty = Type::new(Kind::Struct(id));
        let address = self.new_slot(&ty);
        for (field, given) in fields.iter().zip(given) {
            let Kind::Scalar(scalar) = field.ty.kind else {
                continue;
            };
            let value = self.number(given, scalar)?;
            let at = self.builder.offset(address, field.offset);
            self.store_scalar(&field.ty, at, value);
        }
        Ok(Typed::place(ty, address))
    }
}
