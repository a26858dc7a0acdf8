//! `printf` and `assert` in a kernel: texts and values go to the runtime's `vprintf` and `__assertfail` (CUDA C++ Programming Guide, *Formatted Output* and *Assertion*).

use super::values::Typed;
use super::{Lower, SymbolData};
use crate::diagnostics::{Res, an};
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Space, Symbol, Term, Ty, Value};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, Scalar};
use crate::types::{Kind, Type, promoted};

/// `vprintf(format, arguments)`.
const CALL: Id = Id::of("vprintf");

/// `__assertfail(expression, file, line, function, size of a character)`.
const FAIL: Id = Id::of("__assertfail");

impl Lower<'_> {
    /// `assert(condition)`: where it does not hold, the launch fails with its line.
    pub(super) fn assertion(&mut self, arguments: &[Expr], span: Span) -> Res<Typed> {
        let [condition] = arguments else {
            return Err(self.sink.error(span, "`assert` takes one condition"));
        };
        let line = self.lines.place(span.start).0;
        let (fails, holds) = (self.builder.block(), self.builder.block());
        self.branch_on(condition, holds, fails)?;
        self.builder.go_to(fails);
        let said = self.lines.text(condition.span).to_string();
        let said = self.text_of(said.as_bytes());
        let file = self.lines.file(span.start).1;
        let file = self.text_of(file.as_bytes());
        let kernel = self.kernel_name.clone();
        let function = self.text_of(kernel.as_bytes());
        let line = self.builder.u32(line);
        let one = self.builder.u64(1);
        let arguments = vec![said, file, line, function, one];
        self.intrinsic(Call::plain(FAIL), &[], arguments);
        self.builder.end(Term::Jump(holds));
        self.builder.go_to(holds);
        Ok(Typed::void())
    }

    pub(super) fn printf(&mut self, arguments: &[Expr], span: Span) -> Res<Typed> {
        let Some((format, rest)) = arguments.split_first() else {
            return Err(self.sink.error(span, "`printf` needs a format"));
        };
        let ExprKind::Text(_) = &format.kind else {
            let help = "write the format here, between quotation marks";
            return Err(self.sink.error_help(
                format.span,
                "the format of `printf` is a text",
                help,
            ));
        };
        let mut values: Vec<(Type, Value)> = Vec::new();
        for argument in rest {
            values.push(self.printed(argument)?);
        }
        let (mut size, mut places) = (0_u64, Vec::new());
        for (ty, _) in &values {
            let bytes = self.structs.size(ty);
            size = size.next_multiple_of(bytes);
            places.push(size);
            size += bytes;
        }
        let list = match values.is_empty() {
            true => self.builder.u64(0),
            false => self.new_slot_aligned(size.next_multiple_of(8), 8),
        };
        for ((ty, value), at) in values.into_iter().zip(places) {
            let place = self.builder.offset(list, at);
            self.store_scalar(&ty, place, value);
        }
        let format = self.text(format)?;
        let written = self.intrinsic(Call::plain(CALL), &[Ty::B32], vec![format, list])[0];
        Ok(Typed::scalar(Scalar::Int, written))
    }

    /// An argument as it is handed over: at least an `int`, a `double` for a `float`.
    fn printed(&mut self, argument: &Expr) -> Res<(Type, Value)> {
        if let ExprKind::Text(_) = argument.kind {
            let address = self.text(argument)?;
            return Ok((Type::scalar(Scalar::ULong), address));
        }
        let typed = self.expr(argument)?;
        let typed = self.decayed(typed);
        let ty = match (&typed.ty.kind, typed.ty.as_integer()) {
            (Kind::Scalar(Scalar::Float | Scalar::Double), _) => Type::scalar(Scalar::Double),
            (Kind::Pointer(_), _) => typed.ty.plain(),
            (_, Some(scalar)) => Type::scalar(promoted(scalar)),
            _ => {
                let name = self.spelled(&typed.ty);
                let help = "print its members one by one";
                return Err(self.sink.error_help(
                    argument.span,
                    format!("`printf` cannot print {}", an(&name)),
                    help,
                ));
            }
        };
        let value = self.convert(&typed, &ty, argument.span)?;
        Ok((ty, value))
    }

    /// The address of a text, which lies in global memory with a zero behind it.
    fn text(&mut self, expr: &Expr) -> Res<Value> {
        let ExprKind::Text(bytes) = &expr.kind else {
            return Err(self.sink.error(expr.span, "a text was expected here"));
        };
        Ok(self.text_of(&bytes.clone()))
    }

    pub(super) fn text_of(&mut self, bytes: &[u8]) -> Value {
        let mut init = bytes.to_vec();
        init.push(0);
        let known = self.module.symbols.iter().position(|symbol| {
            symbol.name.starts_with("$text") && symbol.init.as_ref() == Some(&init)
        });
        let number = known.unwrap_or(self.module.symbols.len());
        if known.is_none() {
            self.module.symbols.push(SymbolData {
                name: format!("$text{number}"),
                space: Space::Global,
                size: init.len() as u64,
                align: 1,
                init: Some(init),
                is_extern: false,
                is_managed: false,
                is_handed_over: false,
                is_constexpr: true,
                addresses: Vec::new(),
            });
        }
        self.symbol_address(Symbol(number as u32))
    }
}
