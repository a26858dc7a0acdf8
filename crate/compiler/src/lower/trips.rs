//! How often a loop runs whose variables take constants only, and what they are after each step.

use super::Lower;
use super::scope::Binding;
use super::values::{Form, Typed};
use crate::diagnostics::Res;
use crate::ir::Value;
use crate::syntax::{Binary, Expr, ExprKind, Init, Loop, Name, Scalar, Unary, Variable};
use crate::types::Type;

/// The variables of a loop that are constants in each of its iterations.
pub(super) type Known = Vec<(Name, Type, Value)>;

impl Lower<'_> {
    /// The variables that begin with constants and that the body does not change.
    pub(super) fn known_variables(&mut self, of: &Loop, list: &[Variable]) -> Option<Known> {
        let mut known = Vec::new();
        for variable in list {
            if of.changed.contains(&variable.name) {
                continue;
            }
            let Init::Value(init) = &variable.init else {
                continue;
            };
            let found = self.quietly(|lower| {
                let ty = match variable.ty.kind {
                    crate::syntax::TypeKind::Auto => lower.type_of_expr(init)?.plain(),
                    _ => lower.type_of(&variable.ty)?,
                };
                let typed = lower.expr(init)?;
                let value = lower.convert(&typed, &ty, init.span)?;
                Ok((ty, value))
            });
            if let Some((ty, value)) = found
                && ty.is_integer()
                && self.builder.body.constant(value).is_some()
            {
                known.push((variable.name.clone(), ty.plain(), value));
            }
        }
        (!known.is_empty()).then_some(known)
    }

    /// How often the body runs, if that is known and no more than so often.
    pub(super) fn trips(&mut self, of: &Loop, known: &Known, most: u64) -> Res<Option<u64>> {
        let (Some(condition), Some(step)) = (&of.condition, &of.step) else {
            return Ok(None);
        };
        if !names_any(condition, known) {
            return Ok(None);
        }
        let mut values = known.clone();
        let found = self.quietly(|lower| {
            lower.scoped(|lower| {
                for count in 0..=most {
                    lower.bind_known(&values);
                    let typed = lower.expr(condition)?;
                    let holds = lower.truth(&typed, condition.span)?;
                    match lower.builder.body.constant(holds) {
                        None => return Ok(None),
                        Some(0) => return Ok(Some(count)),
                        Some(_) => {}
                    }
                    match lower.stepped(step, std::mem::take(&mut values), false)? {
                        Some(next) => values = next,
                        None => return Ok(None),
                    }
                }
                Ok(None)
            })
        });
        Ok(found.flatten())
    }

    pub(super) fn ends_late(&mut self, of: &Loop, known: &Known, most: u64) -> Res<bool> {
        Ok(self.trips(of, known, most * 4)?.is_some())
    }

    /// The constants after a step; none if they are none. What else the step does is run if `all`.
    pub(super) fn stepped(
        &mut self,
        step: &Expr,
        mut values: Known,
        all: bool,
    ) -> Res<Option<Known>> {
        if let ExprKind::Comma(first, second) = &step.kind {
            return match self.stepped(first, values, all)? {
                Some(values) => self.stepped(second, values, all),
                None => Ok(None),
            };
        }
        let change = match &step.kind {
            ExprKind::Unary(Unary::Increment | Unary::IncrementAfter, place) => {
                Some((place, Some(Binary::Add), None))
            }
            ExprKind::Unary(Unary::Decrement | Unary::DecrementAfter, place) => {
                Some((place, Some(Binary::Sub), None))
            }
            ExprKind::Assign(operator, place, by) => Some((place, *operator, Some(&**by))),
            _ => None,
        };
        let target = change.as_ref().and_then(|(place, ..)| {
            let ExprKind::Path(path) = &place.kind else {
                return None;
            };
            values
                .iter()
                .position(|(name, ..)| *name == path.parts[0].name && path.parts.len() == 1)
        });
        let (Some((_, operator, by)), Some(target)) = (change, target) else {
            if all {
                self.bind_known(&values);
                self.expr(step)?;
            }
            return Ok(Some(values));
        };
        self.bind_known(&values);
        let (_, ty, now) = values[target].clone();
        if let Some(operator) = operator
            && let Some(next) = self.number_after(operator, &ty, now, by)
        {
            values[target].2 = next;
            return Ok(Some(values));
        }
        let by_typed = match by {
            Some(by) => self.expr(by)?,
            None => Typed::scalar(Scalar::Int, self.builder.u32(1)),
        };
        let result = match operator {
            Some(operator) => {
                self.operate(operator, Typed::value(ty.clone(), now), by_typed, step.span)?
            }
            None => by_typed,
        };
        let value = self.convert(&result, &ty, step.span)?;
        let Form::Value(_) = result.form else {
            return Ok(None);
        };
        if self.builder.body.constant(value).is_none() {
            return Ok(None);
        }
        values[target].2 = value;
        Ok(Some(values))
    }

    pub(super) fn bind_known(&mut self, values: &Known) {
        for (name, ty, value) in values {
            self.bind(name, Binding::Typed(Typed::value(ty.clone(), *value)));
        }
    }

    /// Tries a part: what it writes is thrown away, and what it complains of too.
    fn quietly<T>(&mut self, part: impl FnOnce(&mut Self) -> Res<T>) -> Option<T> {
        let sink = std::mem::take(self.sink);
        let (depth, frames) = (self.depth, self.frames.len());
        let loc = self.builder.loc;
        let at = self.builder.at;
        let result = self.aside(part);
        *self.sink = sink;
        self.depth = depth;
        self.frames.truncate(frames);
        self.builder.loc = loc;
        self.builder.go_to(at);
        result.ok()
    }
}

/// Whether an expression names one of these variables.
fn names_any(expr: &Expr, known: &Known) -> bool {
    let is_known = |name: &Name| known.iter().any(|(other, ..)| other == name);
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Path(path) if is_known(&path.parts[0].name) => return true,
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(_, _, inner)
            | ExprKind::Member(inner, ..) => open.push(inner),
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Index(a, b) => {
                open.extend([&**a, &**b]);
            }
            ExprKind::Conditional(a, b, c) => open.extend([&**a, &**b, &**c]),
            ExprKind::Call(callee, list) => {
                open.push(callee);
                open.extend(list);
            }
            ExprKind::Construct(_, list, _) => open.extend(list),
            _ => {}
        }
    }
    false
}
