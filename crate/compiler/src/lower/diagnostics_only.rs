//! Kernels that are read for their mistakes only: a call in them that was read before in the same way, with nothing to
//! say of it, is not read again.

use super::Lower;
use super::overloads::{Chosen, Given};
use super::values::{Form, Typed};
use crate::hash::HashMap;
use crate::syntax::Function;
use crate::types::{StructId, Type};
use std::rc::Rc;

/// What hangs together with what there is to say of a call: the function with its template's arguments, the types of its
/// object and of its arguments, and which constants these are.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Signature {
    function: *const Function,
    instance: String,
    of: Option<StructId>,
    object: Option<Type>,
    arguments: Vec<(Type, Option<u64>)>,
}

/// The calls that were read. Their functions are kept, so that no other comes to lie where one was.
pub(super) type Diagnosed = HashMap<Signature, Rc<Function>>;

impl Lower<'_> {
    /// A call's signature, where it is in a kernel that is read for its mistakes only and gives no value.
    pub(super) fn signature(
        &self,
        chosen: &Chosen,
        object: Option<&Typed>,
        given: &[Given],
    ) -> Option<Signature> {
        if !self.is_diagnostics_only || chosen.function.function.is_constexpr {
            return None;
        }
        let argument = |given: &Given| {
            let typed = given.typed.as_ref()?;
            let constant = match &typed.form {
                Form::Functions(_) => return None,
                Form::Value(value) => self.builder.body.constant(*value),
                _ => None,
            };
            (!typed.ty.is_callee()).then(|| (typed.ty.clone(), constant))
        };
        Some(Signature {
            function: Rc::as_ptr(&chosen.function.function),
            instance: chosen.instance.clone(),
            of: chosen.function.of,
            object: object.map(|object| object.ty.clone()),
            arguments: given.iter().map(argument).collect::<Option<_>>()?,
        })
    }
}
