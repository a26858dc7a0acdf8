//! Statements other than loops and declarations.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::Term;
use crate::source::Span;
use crate::syntax::{Expr, Stmt, StmtKind};
use crate::types::{Kind, Type};

impl Lower<'_> {
    pub(super) fn statement(&mut self, statement: &Stmt) -> Res<()> {
        self.locate(statement.span);
        self.deeper(statement.span, |lower| lower.statement_here(statement))
    }

    fn statement_here(&mut self, statement: &Stmt) -> Res<()> {
        match &statement.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(expr) => {
                let typed = self.whole(expr.span, |lower| lower.expr(expr))?;
                self.warn_unused(expr, &typed);
                Ok(())
            }
            StmtKind::Declare(list) => {
                let mut result = Ok(());
                for variable in list {
                    let declared = self.whole(variable.span, |lower| lower.variable(variable));
                    if let Err(reported) = declared {
                        self.declare_anyway(variable);
                        result = Err(reported);
                    }
                }
                result
            }
            StmtKind::Block(list) => self.scoped(|lower| lower.statements(list)),
            StmtKind::If {
                is_constexpr,
                init,
                condition,
                then,
                otherwise,
            } => self.scoped(|lower| {
                if let Some(init) = init {
                    lower.statement(init)?;
                }
                lower.if_else(*is_constexpr, condition, then, otherwise.as_deref())
            }),
            StmtKind::Loop(of) => self.scoped(|lower| lower.any_loop(of, statement.span)),
            StmtKind::Switch(init, value, body) => self.scoped(|lower| {
                if let Some(init) = init {
                    lower.statement(init)?;
                }
                lower.switch(value, body)
            }),
            StmtKind::Case(_) | StmtKind::Default => self.case(statement),
            StmtKind::Label(name) => self.label(name, statement.span),
            StmtKind::Goto(name) => self.goto(name, statement.span),
            StmtKind::Unpack(names, variable) => self.unpack(names, variable),
            StmtKind::Shared(of) => self.statement(of),
            StmtKind::Each(each) => {
                let ty = self.type_of_expr(&each.list)?;
                match ty.kind {
                    Kind::Struct(_) => match self.type_of_expr(&each.begin)?.kind {
                        Kind::Pointer(_) => self.statement(&each.by_pointer),
                        _ => self.statement(&each.by_iterator),
                    },
                    _ => self.statement(&each.by_index),
                }
            }
            StmtKind::Break | StmtKind::Continue => {
                let is_break = matches!(statement.kind, StmtKind::Break);
                let mut targets = self.frame().targets.iter().rev();
                let target = targets.find_map(|(exit, next, depth)| {
                    let block = if is_break { exit } else { next };
                    block.map(|block| (block, *depth))
                });
                match target {
                    Some((block, depth)) => {
                        self.clean_up(depth, statement.span)?;
                        self.builder.end(Term::Jump(block));
                        Ok(())
                    }
                    None => {
                        let word = if is_break { "break" } else { "continue" };
                        Err(self
                            .sink
                            .error(statement.span, format!("`{word}` outside of a loop")))
                    }
                }
            }
            StmtKind::Return(value) => self.return_statement(value.as_ref(), statement.span),
            StmtKind::Alias(name, ty) => {
                let ty = self.type_of(ty)?;
                self.bind(name, Binding::Type(ty));
                Ok(())
            }
            StmtKind::Types(ty) => self.type_of(ty).map(|_| ()),
            StmtKind::StaticAssert(condition, said) => {
                self.static_assert(condition, said.as_deref())
            }
            StmtKind::Asm(asm) => self.asm(asm, statement.span),
        }
    }

    /// All of them; one that is wrong does not keep the next from being looked at.
    pub(super) fn statements(&mut self, list: &[Stmt]) -> Res<()> {
        let mut result = Ok(());
        for statement in list {
            // Behind the end of a function that is run while compiling stands what would run it without end.
            let function = self.frames.last().and_then(|frame| frame.function.as_ref());
            if self.builder.is_ended()
                && function.is_some_and(|function| function.is_constexpr)
                && !super::jumps::is_entered(statement)
            {
                continue;
            }
            let (depth, frames) = (self.depth, self.frames.len());
            if let Err(reported) = self.statement(statement) {
                result = Err(reported);
                self.depth = depth;
                self.frames.truncate(frames);
                // What an inlined function would have declared or given is not known: only the kernel goes on.
                if self.frames.len() > 1 || self.sink.is_full() {
                    return result;
                }
            }
        }
        result
    }

    fn warn_unused(&mut self, expr: &Expr, typed: &Typed) {
        use crate::syntax::{Binary, ExprKind};
        let (message, help) = match &expr.kind {
            _ if typed.ty.is_void() || typed.ty.is_struct() => return,
            ExprKind::Binary(Binary::Equal, ..) => {
                ("this comparison does nothing", "write `=` to assign")
            }
            ExprKind::Binary(Binary::LogicalAnd | Binary::LogicalOr, ..) => return,
            ExprKind::Binary(..) | ExprKind::Index(..) => (
                "what this gives is used for nothing",
                "assign it, as in `x = …;`",
            ),
            _ => return,
        };
        self.sink.warn(expr.span, message, help);
    }

    fn if_else(
        &mut self,
        is_constexpr: bool,
        condition: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
    ) -> Res<()> {
        let (yes, no) = (self.builder.block(), self.builder.block());
        let from = self.builder.at;
        self.branch_on(condition, yes, no)?;
        // A condition that is known leaves one way only.
        let is_decided = |block| {
            let ends = self.builder.body.blocks[yes.0 as usize..].iter();
            !ends
                .chain([self.builder.body.block(from)])
                .any(|data| crate::ir::graph::successors(data.term).any(|next| next == block))
        };
        let (never_yes, never_no) = (is_decided(yes), is_decided(no));
        if is_constexpr && !never_yes && !never_no {
            return Err(self.not_constant(condition));
        }
        if never_yes || never_no {
            let other = if never_yes { Some(then) } else { otherwise };
            if other.is_some_and(super::jumps::is_entered) {
                let what = "a label in what an `if` leaves out while compiling";
                return Err(self.sink.gap(condition.span, what));
            }
            self.builder.go_on_in(if never_yes { no } else { yes });
            return match (never_yes, otherwise) {
                (false, _) => self.scoped(|lower| lower.statement(then)),
                (true, Some(otherwise)) => self.scoped(|lower| lower.statement(otherwise)),
                (true, None) => Ok(()),
            };
        }
        self.builder.go_to(yes);
        let first = self.scoped(|lower| lower.statement(then));
        let Some(otherwise) = otherwise else {
            self.builder.end(Term::Jump(no));
            self.builder.go_to(no);
            return first;
        };
        let end = self.builder.at;
        self.builder.go_to(no);
        let second = self.scoped(|lower| lower.statement(otherwise));
        let join = self.builder.block();
        self.builder.end(Term::Jump(join));
        self.builder.go_to(end);
        self.builder.end(Term::Jump(join));
        self.builder.go_to(join);
        first.and(second)
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) -> Res<()> {
        let Some(exit) = self.frame().exit else {
            if let Some(value) = value {
                let help = "write the result to memory that a pointer leads to";
                return Err(self
                    .sink
                    .error_help(value.span, "a kernel returns nothing", help));
            }
            self.clean_up(0, span)?;
            self.builder.end(Term::Return);
            return Ok(());
        };
        let mut kept = None;
        if let Some(value) = value {
            kept = self.whole(value.span, |lower| lower.return_value(value))?;
        } else if self
            .frame()
            .returns
            .as_ref()
            .is_some_and(|ty| !ty.is_void())
        {
            return Err(self.sink.error(span, "`return` needs a value here"));
        }
        self.clean_up_but(kept, 0, span)?;
        self.builder.end(Term::Jump(exit));
        Ok(())
    }

    /// Puts down a function's result. Where a variable with a destructor is handed over, its address.
    fn return_value(&mut self, value: &Expr) -> Res<Option<crate::ir::Value>> {
        let declared = self.frame().returns.clone();
        if let Some(ty) = declared.as_ref().filter(|ty| self.has_destructor(ty)) {
            return self.return_object(ty, value);
        }
        self.return_plain(value, declared).map(|()| None)
    }

    #[inline(never)]
    fn return_object(&mut self, ty: &Type, value: &Expr) -> Res<Option<crate::ir::Value>> {
        let slot = self.result_slot(ty)?;
        if !matches!(value.kind, crate::syntax::ExprKind::Path(_)) {
            return self.initialise(ty, slot, value).map(|()| None);
        }
        let typed = self.expr(value)?;
        let Form::Place(address) = typed.form else {
            return self.store(ty, slot, &typed, value.span).map(|()| None);
        };
        let is_it = |one: &Typed| matches!(one.form, Form::Place(at) if at == address);
        match self.frame().cleanups.iter().any(is_it) {
            true => self
                .store(ty, slot, &typed, value.span)
                .map(|()| Some(address)),
            false => self.store_made(ty, slot, &typed, value).map(|()| None),
        }
    }

    fn return_plain(&mut self, value: &Expr, declared: Option<Type>) -> Res<()> {
        if let (Some(ty), crate::syntax::ExprKind::List(list)) = (&declared, &value.kind) {
            let slot = self.result_slot(ty)?;
            return self.initialise_list(ty, slot, list, value.span);
        }
        let typed = match &declared {
            Some(Type {
                kind: Kind::Reference(_),
                ..
            }) => self.place_of(value)?,
            None if self.returns_auto_reference() => self.place_of(value)?,
            _ => self.expr(value)?,
        };
        let ty = match declared {
            Some(ty) => ty,
            None => self.deduced_result(&typed, value.span)?,
        };
        self.frame().returns = Some(ty.clone());
        if ty.is_void() {
            return match typed.ty.is_void() {
                true => Ok(()),
                false => Err(self.sink.error(value.span, "this function returns nothing")),
            };
        }
        match &ty.kind {
            Kind::Closure(_) => {}
            Kind::Function => {
                return Err(self
                    .sink
                    .gap(value.span, "a function that returns a function"));
            }
            Kind::Reference(to) => {
                let address = match typed.form {
                    Form::Place(address) => address,
                    // A parameter `const T&` that stands for a value.
                    Form::Value(_) if to.is_const => {
                        let slot = self.new_slot(&to.plain());
                        self.store(&to.plain(), slot, &typed, value.span)?;
                        slot
                    }
                    _ => {
                        let message = "a reference to a value that ends here";
                        return Err(self.sink.error(value.span, message));
                    }
                };
                self.frame().returned.push(address);
                let slot = self.result_slot(&ty)?;
                self.store_scalar(&ty, slot, address);
            }
            _ if ty.is_aggregate() => {
                if let (Kind::Struct(id), true) = (&ty.kind, typed.ty.kind != ty.kind)
                    && self.has_constructor(*id)
                {
                    let slot = self.result_slot(&ty)?;
                    return self.construct_at(*id, slot, std::slice::from_ref(value), value.span);
                }
                let slot = self.result_slot(&ty)?;
                self.store(&ty, slot, &typed, value.span)?;
            }
            _ => {
                let found = self.convert(&typed, &ty, value.span)?;
                if !self.builder.is_ended() {
                    self.frame().returned.push(found);
                }
                let slot = self.result_slot(&ty)?;
                self.store_scalar(&ty, slot, found);
            }
        }
        Ok(())
    }

    fn result_slot(&mut self, ty: &Type) -> Res<crate::ir::Value> {
        if let Some(slot) = self.frame().result {
            return Ok(slot);
        }
        // Each copy would need its own.
        self.no_pattern(self.sink.near)?;
        let (size, align) = (self.structs.size(ty), self.structs.align(ty));
        let address = self.new_entry_slot(size, align);
        self.frame().result = Some(address);
        Ok(address)
    }

    /// A slot whose address is known wherever the function goes.
    pub(super) fn new_entry_slot(&mut self, size: u64, align: u64) -> crate::ir::Value {
        let at = self.builder.at;
        self.builder.go_to(crate::ir::Block(0));
        let body = &mut self.builder.body;
        let term = std::mem::replace(&mut body.blocks[0].term, Term::None);
        let before = body.blocks[0].insts.len();
        let address = self.new_slot_aligned(size, align);
        // In front, so that what stands in the first block already can use it too; behind the earlier ones, of which there
        // may be very many.
        let insts = &mut self.builder.body.blocks[0].insts;
        let made = insts.split_off(before);
        let place = self.builder.in_front;
        self.builder.in_front += made.len();
        insts.splice(place..place, made);
        self.builder.body.blocks[0].term = term;
        self.builder.go_to(at);
        address
    }
}
