//! Statements that control comes to from elsewhere: the cases of a `switch`, and labels for `goto`.

use super::values::Typed;
use super::{Case, Label, Lower};
use crate::diagnostics::Res;
use crate::ir::{Block, Cmp, Term};
use crate::source::Span;
use crate::syntax::{Expr, Name, Stmt, StmtKind};
use crate::types::Type;

/// Whether control may come into a statement other than at its beginning.
pub(super) fn is_entered(statement: &Stmt) -> bool {
    let mut open = vec![statement];
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Case(_) | StmtKind::Default | StmtKind::Label(_) => return true,
            StmtKind::Loop(of) if of.has_labels => return true,
            StmtKind::Shared(of) => open.push(of),
            _ => open.extend(inner(statement)),
        }
    }
    false
}

/// The statements of which one consists; of a `switch` none, whose cases are its own.
fn inner(statement: &Stmt) -> Vec<&Stmt> {
    match &statement.kind {
        StmtKind::Block(list) => list.iter().collect(),
        StmtKind::If {
            then, otherwise, ..
        } => std::iter::once(&**then)
            .chain(otherwise.as_deref())
            .collect(),
        StmtKind::Loop(of) => vec![&of.body],
        StmtKind::Shared(of) => vec![of],
        _ => Vec::new(),
    }
}

/// The cases of a `switch` in the order of the source.
fn cases(body: &Stmt) -> Vec<&Stmt> {
    let (mut open, mut found) = (vec![body], Vec::new());
    while let Some(statement) = open.pop() {
        if matches!(statement.kind, StmtKind::Case(_) | StmtKind::Default) {
            found.push(statement);
        }
        open.extend(inner(statement).into_iter().rev());
    }
    found
}

impl Lower<'_> {
    pub(super) fn switch(&mut self, value: &Expr, body: &Stmt) -> Res<()> {
        let typed = self.expr(value)?;
        let typed = self.decayed(typed);
        let of = typed.ty.plain();
        let typed = self.held(typed, value.span)?;
        let Some(scalar) = typed.ty.as_integer() else {
            return Err(self.sink.error(value.span, "`switch` needs a whole number"));
        };
        let ty = Type::scalar(crate::types::promoted(scalar));
        let found = self.convert(&typed, &ty, value.span)?;
        let exit = self.builder.block();
        let mut default = None;
        let mut constants = Vec::new();
        let mut blocks = Vec::new();
        for statement in cases(body) {
            let block = self.builder.block();
            blocks.push(Case {
                statement: std::ptr::from_ref(statement) as usize,
                block,
            });
            match &statement.kind {
                StmtKind::Case(expr) => {
                    let mut typed = self.expr(expr)?;
                    if typed.ty.kind == of.kind {
                        typed = self.held(typed, expr.span)?;
                    }
                    let wanted = self.convert(&typed, &ty, expr.span)?;
                    if let Some(constant) = self.constant_of(&Typed::value(ty.clone(), wanted)) {
                        if constants.contains(&constant) {
                            let message =
                                format!("there are two cases of {constant} in this `switch`");
                            self.sink
                                .error_help(expr.span, message, "remove one of them");
                        }
                        constants.push(constant);
                    }
                    let is = self.builder.cmp(Cmp::Eq, found, wanted);
                    let next = self.builder.block();
                    self.builder.end(Term::Branch(is, block, next));
                    self.builder.go_to(next);
                }
                _ if default.is_some() => {
                    let message = "this `switch` has two `default`";
                    return Err(self.sink.error_help(
                        statement.span,
                        message,
                        "remove one of them",
                    ));
                }
                _ => default = Some(block),
            }
        }
        self.builder.end(Term::Jump(default.unwrap_or(exit)));
        // Before the first label nothing is run.
        let unreached = self.builder.block();
        self.builder.go_to(unreached);
        let depth = self.frame().cleanups.len();
        self.frame().targets.push((Some(exit), None, depth));
        self.frame().cases.push(blocks);
        let result = match &body.kind {
            StmtKind::Block(list) => self.statements(list),
            _ => self.statement(body),
        };
        self.frame().cases.pop();
        self.frame().targets.pop();
        self.builder.end(Term::Jump(exit));
        self.builder.go_to(exit);
        result
    }

    /// A case of the `switch` at hand: control comes here from its head, and from the statement before.
    #[inline(never)]
    pub(super) fn case(&mut self, statement: &Stmt) -> Res<()> {
        let address = std::ptr::from_ref(statement) as usize;
        let cases = self.frame().cases.last();
        let found = cases.and_then(|cases| cases.iter().find(|case| case.statement == address));
        match found.map(|case| case.block) {
            Some(block) => {
                self.builder.end(Term::Jump(block));
                self.builder.go_to(block);
                Ok(())
            }
            None => Err(self.sink.error_help(
                statement.span,
                "this label stands outside of a `switch`",
                "put it between the braces of a `switch`",
            )),
        }
    }

    fn block_of(&mut self, name: &Name, span: Span) -> Block {
        if let Some(label) = self.frame().labels.iter().find(|label| label.name == *name) {
            return label.block;
        }
        let block = self.builder.block();
        self.frame().labels.push(Label {
            name: name.clone(),
            block,
            span,
            is_placed: false,
        });
        block
    }

    #[inline(never)]
    pub(super) fn label(&mut self, name: &Name, span: Span) -> Res<()> {
        let block = self.block_of(name, span);
        let mut labels = self.frame().labels.iter_mut();
        let Some(label) = labels.find(|label| label.name == *name) else {
            return Ok(());
        };
        if std::mem::replace(&mut label.is_placed, true) {
            let message = format!("the label `{name}` stands twice in one function");
            let help = "give one of them another name";
            return Err(self.sink.error_help(span, message, help));
        }
        if !self.frame().cleanups.is_empty() {
            return Err(self
                .sink
                .gap(span, "a label beside an object with a destructor"));
        }
        self.builder.end(Term::Jump(block));
        self.builder.go_to(block);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn goto(&mut self, name: &Name, span: Span) -> Res<()> {
        if !self.frame().cleanups.is_empty() {
            return Err(self
                .sink
                .gap(span, "`goto` beside an object with a destructor"));
        }
        let block = self.block_of(name, span);
        self.builder.end(Term::Jump(block));
        Ok(())
    }

    /// Tells of labels that `goto` names and that are nowhere.
    #[inline(never)]
    pub(super) fn check_labels(&mut self) -> Res<()> {
        let labels = std::mem::take(&mut self.frame().labels);
        let Some(label) = labels.iter().find(|label| !label.is_placed) else {
            return Ok(());
        };
        let names = labels.iter().filter(|other| other.is_placed);
        let near = crate::nearest::nearest(&label.name, names.map(|other| &*other.name));
        let name = &label.name;
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write `{name}:` before a statement of this function"),
        };
        let message = format!("there is no label `{name}` in this function");
        Err(self.sink.error_help(label.span, message, help))
    }
}
