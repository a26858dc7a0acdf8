//! `asm`: PTX of the source's own, with its operands.

use super::Lower;
use super::scope::Binding;
use super::values::Form;
use crate::diagnostics::{Res, an};
use crate::ir::asm::SPACE_MARK;
use crate::ir::{self, Cvt, Effect, Op, Ty, Value};
use crate::source::Span;
use crate::syntax::{Asm, Expr};
use crate::types::Type;
use std::rc::Rc;

/// How the text names an operand of the instruction.
fn operand(number: usize) -> String {
    format!("\u{1}{number}\u{2}")
}

/// What PTX calls a type of a matrix fragment, its order, its use. `__ptx_sys` is for `sys` and the like.
fn name_in_ptx(name: &str) -> &str {
    match name {
        "__half" | "half" => "f16",
        "__nv_bfloat16" => "bf16",
        "tf32" => "tf32",
        "signed char" => "s8",
        "unsigned char" => "u8",
        "row_major" => "row",
        "col_major" => "col",
        "matrix_a" => "a",
        "matrix_b" => "b",
        _ => name.strip_prefix("__ptx_").unwrap_or(""),
    }
}

impl Lower<'_> {
    pub(super) fn asm(&mut self, asm: &Rc<Asm>, span: Span) -> Res<()> {
        let mut places = Vec::new();
        let mut types = Vec::new();
        let mut args = Vec::new();
        let mut begins = Vec::new();
        for (constraint, expr) in &asm.outputs {
            let (reads, letter) = match constraint.strip_prefix('+') {
                Some(letter) => (true, letter),
                None => (false, constraint.trim_start_matches(['=', '&'])),
            };
            let typed = self.expr(expr)?;
            let Form::Place(address) = typed.form else {
                return Err(self
                    .sink
                    .error(expr.span, "a result of `asm` needs a variable to go to"));
            };
            let register = self.register_of(letter, &typed.ty, expr)?;
            if reads {
                let value = self.rvalue(&typed, expr.span)?;
                begins.push((places.len(), args.len()));
                args.push(self.as_register(value, register));
            }
            types.push(register);
            places.push((typed.ty, address));
        }
        // What each input is written as: the number of an argument, or a constant's digits.
        let mut inputs = Vec::with_capacity(asm.inputs.len());
        for (constraint, expr) in &asm.inputs {
            let typed = self.expr(expr)?;
            let typed = self.decayed(typed);
            if constraint == "n" || constraint == "i" {
                let value = self.rvalue(&typed, expr.span)?;
                let Some(bits) = self.builder.body.constant(value) else {
                    return Err(self.not_constant(expr));
                };
                // In 32 bits the sign is in the topmost; PTX takes either form for unsigned ones.
                inputs.push(match u32::try_from(bits) {
                    Ok(bits) => bits.cast_signed().to_string(),
                    Err(_) => bits.cast_signed().to_string(),
                });
                continue;
            }
            inputs.push(operand(places.len() + args.len()));
            if let Some(number) = constraint
                .parse::<usize>()
                .ok()
                .filter(|number| *number < types.len())
            {
                let value = self.rvalue(&typed, expr.span)?;
                args.push(self.as_register(value, types[number]));
                continue;
            }
            let register = self.register_of(constraint, &typed.ty, expr)?;
            let value = self.rvalue(&typed, expr.span)?;
            args.push(self.as_register(value, register));
        }
        let mut text = String::with_capacity(2 * asm.template.len());
        // In the source's numbers the results come first, then the inputs, without what `+` reads.
        let written: Vec<String> = (0..places.len()).map(operand).chain(inputs).collect();
        self.with_operands(asm, &written, span, &mut text)?;
        if span.is_header() {
            // In a header the space of the first input is found out.
            let mark = SPACE_MARK.to_string();
            text = self.with_arguments(text.replace("@space", &mark));
        }
        let effect = match (asm.is_volatile, asm.clobbers_memory) {
            (_, true) => Effect::Memory,
            (true, false) => Effect::Volatile,
            (false, false) => Effect::Pure,
        };
        let op = Op::Asm(Rc::new(ir::Asm::new(text, effect, begins)));
        self.locate(asm.end);
        let results = self.builder.emit(op, &types, args);
        for ((ty, address), value) in places.into_iter().zip(&results) {
            let value = self.value_of_register(*value, &ty);
            self.store_scalar(&ty, address, value);
        }
        Ok(())
    }

    /// In a header a name between `@` is that of an argument of the template: a number, or a type as PTX calls it.
    fn with_arguments(&self, text: String) -> String {
        if !text.contains('@') {
            return text;
        }
        let type_of = |name: &str| match self.lookup(name) {
            Some(Binding::Type(ty)) => name_in_ptx(&self.structs.spelled(&ty)).to_string(),
            _ => String::new(),
        };
        let number = |name: &str| match self.lookup(name) {
            Some(Binding::Constant(_, value)) => value.to_string(),
            Some(Binding::Typed(typed)) => match typed.form {
                Form::Value(value) => {
                    let value = self.builder.body.constant(value);
                    value.map_or_else(String::new, |value| value.to_string())
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        let named = |name: &str| match (name, &*type_of(name)) {
            // NVRTC finds out the space for the first types of fragments only, whose depth is 16.
            ("where", _) if number("k") != "16" || type_of("T") == "bf16" => String::new(),
            ("where", _) => SPACE_MARK.to_string(),
            (_, "") => number(name),
            (_, ty) => ty.to_string(),
        };
        let parts = text.split('@').enumerate();
        let text = parts.map(|(number, part)| match number % 2 {
            0 => part.to_string(),
            _ => named(part),
        });
        text.collect()
    }

    fn with_operands(
        &mut self,
        asm: &Asm,
        operands: &[String],
        span: Span,
        text: &mut String,
    ) -> Res<()> {
        let mut chars = asm.template.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                if !matches!(c, '\u{1}' | '\u{2}') {
                    text.push(c);
                }
                continue;
            }
            if chars.peek() == Some(&'%') {
                chars.next();
                text.push('%');
                continue;
            }
            let mut number: Option<usize> = None;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10))
                && number.is_none_or(|number| number < 1000)
            {
                number = Some(number.unwrap_or(0) * 10 + digit as usize);
                chars.next();
            }
            match number {
                Some(number) if number < operands.len() => text.push_str(&operands[number]),
                Some(number) => {
                    let count = operands.len();
                    let message = format!("this `asm` names operand %{number}, but it has {count}");
                    return Err(self.sink.error(span, message));
                }
                None => {
                    let help = "a register of PTX is written with two: `%%laneid`";
                    return Err(self.sink.error_help(
                        span,
                        "`%` in `asm` stands before an operand's number",
                        help,
                    ));
                }
            }
        }
        Ok(())
    }

    fn register_of(&mut self, letter: &str, ty: &Type, expr: &Expr) -> Res<Ty> {
        let (register, bytes) = match letter {
            "r" => (Ty::B32, 4),
            "l" => (Ty::B64, 8),
            "f" => (Ty::F32, 4),
            "d" => (Ty::F64, 8),
            "h" => (Ty::B16, 2),
            "q" => return Err(self.sink.gap(expr.span, "an operand of 128 bits")),
            other => {
                let help = "`r` is for 32 bits, `l` for 64 and pointers, `h` for 16, `f` for float, `d` for double, `n` for constants";
                return Err(self.sink.error_help(
                    expr.span,
                    format!("`{other}` is no constraint of an operand"),
                    help,
                ));
            }
        };
        let is_float = matches!(register, Ty::F32 | Ty::F64);
        let size = ty.mem().map(|mem| mem.bytes());
        // The headers that are built in hand over small numbers as they are.
        let is_header = expr.span.is_header();
        let small = is_header && register == Ty::B32 && size.is_some_and(|size| size < 4);
        if (size != Some(bytes) && !small) || is_float != ty.is_floating() {
            let name = self.spelled(ty);
            let message = format!(
                "the operand of constraint `{letter}` has {bytes} bytes, this is {}",
                an(&name)
            );
            let help = match (letter, size) {
                ("r", Some(1 | 2)) => "convert it first: `(int)`; or hand over 16 bits as `h`",
                _ => {
                    "`r` is for 32 bits, `l` for 64 and pointers, `h` for 16, `f` for float, `d` for double"
                }
            };
            return Err(self.sink.error_help(expr.span, message, help));
        }
        Ok(register)
    }

    pub(super) fn as_register(&mut self, value: Value, register: Ty) -> Value {
        let value = self.memory_form(value);
        match (self.builder.body.ty(value), register) {
            (Ty::B32, Ty::B16) => self.builder.cvt(Cvt::Truncate, Ty::B16, value),
            _ => value,
        }
    }

    fn value_of_register(&mut self, value: Value, ty: &Type) -> Value {
        let value = match self.builder.body.ty(value) {
            Ty::B16 => self.builder.cvt(Cvt::ZeroExtend, Ty::B32, value),
            _ => value,
        };
        match (ty.register(), ty.mem()) {
            (Some(Ty::Pred), _) => self.value_in_memory(ty, value),
            (_, Some(crate::ir::MemTy::S16)) => {
                self.builder.cvt(Cvt::SignExtendFrom(16), Ty::B32, value)
            }
            _ => value,
        }
    }
}
