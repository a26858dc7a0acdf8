//! Loops. One whose variable takes constants only is unrolled while it is lowered, so that what it indexes is known.

use super::Lower;
use super::trips::Known;
use crate::diagnostics::Res;
use crate::ir::{Block, Term};
use crate::limits::{ASKED_UNROLL, FREE_UNROLL};
use crate::source::Span;
use crate::syntax::{Loop, Stmt, StmtKind, Unroll, Variable};

/// Iterations for which a pattern is worth its while.
const FEWEST: u64 = 3;

/// Where the builder stood.
struct Mark {
    at: Block,
    insts: usize,
    /// How many instructions the first block had got in front.
    in_front: usize,
}

impl Lower<'_> {
    pub(super) fn any_loop(&mut self, of: &Loop, span: Span) -> Res<()> {
        let mut together = 1;
        if let Some(init) = &of.init {
            if let StmtKind::Declare(list) = &init.kind
                && !of.is_body_first
                && !of.has_labels
            {
                match self.unroll(of, list, init, span)? {
                    None => return Ok(()),
                    Some(count) => together = count,
                }
            }
            self.statement(init)?;
        }
        self.rolled(of, span, together)
    }

    /// A loop that runs `together` iterations before it asks whether to go on.
    fn rolled(&mut self, of: &Loop, span: Span, together: u64) -> Res<()> {
        let (body, exit) = (self.builder.block(), self.builder.block());
        let unroll = self.asked(of, together)?;
        let data = &mut self.builder.body.blocks[body.0 as usize];
        (data.unroll, data.is_done) = (
            unroll,
            unroll == Some(1) && !matches!(of.unroll, Unroll::Free),
        );
        self.locate(span);
        // What does not change in the loop is put before it, where control comes only if the loop runs.
        let before = self.builder.block();
        match &of.condition {
            Some(condition) if !of.is_body_first => self.branch_on(condition, before, exit)?,
            _ => self.builder.end(Term::Jump(before)),
        }
        self.builder.go_to(before);
        self.builder.end(Term::Jump(body));
        self.builder.go_to(body);
        let mut result = Ok(());
        for _ in 0..together {
            let next = self.builder.block();
            let depth = self.frame().cleanups.len();
            self.frame().targets.push((Some(exit), Some(next), depth));
            result = result.and(self.scoped(|lower| lower.statement(&of.body)));
            self.frame().targets.pop();
            self.builder.go_on_in(next);
            if let Some(step) = &of.step {
                self.locate(step.span);
                self.expr(step)?;
            }
        }
        self.locate(span);
        match &of.condition {
            Some(condition) => self.branch_on(condition, body, exit)?,
            None => self.builder.end(Term::Jump(body)),
        }
        self.builder.go_to(exit);
        result
    }

    /// How many iterations the source wants to run at a time, so many being put together here already.
    fn asked(&mut self, of: &Loop, together: u64) -> Res<Option<u32>> {
        Ok(match &of.unroll {
            _ if together > 1 => Some(1),
            Unroll::Free => None,
            Unroll::Full => Some(4),
            Unroll::Count(count) => {
                let (count, _) = self.constant_integer(count)?;
                Some(u32::try_from(count).unwrap_or(1))
            }
        })
    }

    /// Unrolls if that can and should be done: none then, else how many iterations to run together.
    fn unroll(
        &mut self,
        of: &Loop,
        list: &[Variable],
        init: &Stmt,
        span: Span,
    ) -> Res<Option<u64>> {
        let (most, asked) = match &of.unroll {
            Unroll::Free => (1024, 1024),
            Unroll::Full => (ASKED_UNROLL, ASKED_UNROLL),
            Unroll::Count(count) => {
                let (count, _) = self.constant_integer(count)?;
                if count <= 1 {
                    return Ok(Some(1));
                }
                (1024.max(count.min(ASKED_UNROLL)), count.min(ASKED_UNROLL))
            }
        };
        if self.builder.is_ended() || self.is_glance {
            return Ok(Some(1));
        }
        self.locate(init.span);
        let Some(known) = self.known_variables(of, list) else {
            return Ok(Some(1));
        };
        let Some(trips) = self.trips(of, &known, most)? else {
            if matches!(of.unroll, Unroll::Full) && self.ends_late(of, &known, most)? {
                let help = "write how many iterations at once: `#pragma unroll 4`";
                let message =
                    format!("this loop has more than {ASKED_UNROLL} iterations to unroll");
                self.sink.warn(span, message, help);
            }
            return Ok(Some(1));
        };
        if trips > asked {
            return Ok(Some(if trips % asked == 0 { asked } else { 1 }));
        }
        // The other variables of the loop live as in any loop.
        for variable in list {
            if !known.iter().any(|(name, ..)| *name == variable.name) {
                self.variable(variable)?;
            }
        }
        let mark = self.mark();
        let exit = self.builder.block();
        let mut values = known;
        let outer = self.builder.iteration;
        let first = self.builder.iterations + 1;
        let mut pattern = None;
        for trip in 0..trips {
            let before = self.builder.body.insts.len();
            if trip == 1 && trips - trip >= FEWEST {
                pattern = self.pattern(of, &values, exit);
            }
            self.builder.next_iteration(first);
            let is_first = trip == 0 && matches!(of.unroll, Unroll::Free);
            let is_measured = self.is_measured;
            self.is_measured |= is_first;
            let result = match &mut pattern {
                Some(pattern) => self.copy_of(pattern, &values, span),
                None => self.iteration(of, &values, exit),
            };
            self.is_measured = is_measured;
            if result.is_err() {
                self.builder.iteration = outer;
            }
            result?;
            self.check_instructions(span)?;
            let cost = (self.builder.body.insts.len() - before) as u64;
            if is_first && cost * trips > FREE_UNROLL {
                self.roll_back(&mark);
                self.builder.iteration = outer;
                // A few at once, where they come out even and are small.
                return Ok(Some(if trips % 4 == 0 && 4 * cost <= FREE_UNROLL / 8 {
                    4
                } else {
                    1
                }));
            }
            if let Some(step) = &of.step {
                self.locate(step.span);
                values = self.stepped(step, values, true)?.unwrap_or_default();
            }
        }
        self.builder.iteration = outer;
        self.builder.go_on_in(exit);
        Ok(None)
    }

    /// Walks the body once.
    #[inline(never)]
    fn iteration(&mut self, of: &Loop, values: &Known, exit: Block) -> Res<()> {
        let next = self.builder.block();
        let depth = self.frame().cleanups.len();
        self.frame().targets.push((Some(exit), Some(next), depth));
        self.bind_known(values);
        let result = self.scoped(|lower| lower.statement(&of.body));
        self.frame().targets.pop();
        result?;
        self.builder.go_on_in(next);
        Ok(())
    }

    fn mark(&self) -> Mark {
        let at = self.builder.at;
        Mark {
            at,
            insts: self.builder.body.block(at).insts.len(),
            in_front: self.builder.in_front,
        }
    }

    /// Forgets what was written since; what it made elsewhere is not reached any more.
    fn roll_back(&mut self, mark: &Mark) {
        let later = match mark.at {
            Block(0) => self.builder.in_front - mark.in_front,
            _ => 0,
        };
        self.builder.held.here.forget();
        let block = &mut self.builder.body.blocks[mark.at.0 as usize];
        block.insts.truncate(mark.insts + later);
        block.term = Term::None;
        self.builder.go_to(mark.at);
    }
}
