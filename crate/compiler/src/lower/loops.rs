//! Loops. One whose variable takes constants only is unrolled while it is lowered if it is small or counts elements of a local
//! object, so that what it indexes is known. What is larger is looked at again when it is simplified.

use super::Lower;
use super::trips::Known;
use crate::diagnostics::Res;
use crate::ir::graph::successors;
use crate::ir::{Block, Term};
use crate::limits::{ASKED_UNROLL, FREE_UNROLL, NEST_UNROLL, OBJECT_UNROLL};
use crate::source::Span;
use crate::syntax::{Loop, Stmt, StmtKind, Unroll, Variable};

/// Iterations for which a pattern is worth its while.
const FEWEST: u64 = 3;

/// Instructions of a loop whose length is not known up to which four iterations will run at a time, and two.
const COPIED_FOUR_TIMES: u64 = 66;
const COPIED_TWICE: u64 = 125;

/// What was met on the way that decides which loops are unrolled.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    /// Loops that were not unrolled.
    rolled: u64,
    /// Those of them over constants, which may still be unrolled.
    postponed: u64,
    /// Instructions that the others may still get.
    copied: u64,
    /// How often an element of an object of the thread's own was asked for by a number that was computed.
    pub(super) objects: u64,
}

/// Where the builder stood.
struct Mark {
    at: Block,
    insts: usize,
    /// How many instructions the first block had got in front.
    in_front: usize,
}

impl Lower<'_> {
    pub(super) fn any_loop(&mut self, of: &Loop, span: Span) -> Res<()> {
        if let Some(init) = &of.init {
            if let StmtKind::Declare(list) = &init.kind
                && !of.is_body_first
                && !of.has_labels
                && self.unroll(of, list, init, span)?
            {
                return Ok(());
            }
            self.statement(init)?;
        }
        self.rolled(of, span)
    }

    fn rolled(&mut self, of: &Loop, span: Span) -> Res<()> {
        let first = self.builder.body.insts.len();
        let (body, exit) = (self.builder.block(), self.builder.block());
        let unroll = self.asked(of)?;
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
        let next = self.builder.block();
        let depth = self.frame().cleanups.len();
        self.frame().targets.push((Some(exit), Some(next), depth));
        let result = self.scoped(|lower| lower.statement(&of.body));
        self.frame().targets.pop();
        self.builder.go_on_in(next);
        if let Some(step) = &of.step {
            self.locate(step.span);
            self.expr(step)?;
        }
        // The condition of `do` stands behind the body, on a line of its own.
        self.locate(match &of.condition {
            Some(condition) if of.is_body_first => condition.span,
            _ => span,
        });
        match &of.condition {
            Some(condition) => self.branch_on(condition, body, exit)?,
            None => self.builder.end(Term::Jump(body)),
        }
        self.builder.go_to(exit);
        let insts = (self.builder.body.insts.len() - first) as u64;
        self.tally.rolled += 1;
        self.tally.copied += match (&of.unroll, &of.step) {
            (Unroll::Free, Some(_)) if insts <= COPIED_FOUR_TIMES => 4 * insts,
            (Unroll::Free, Some(_)) if insts <= COPIED_TWICE => 2 * insts,
            _ => 0,
        };
        result
    }

    /// How many iterations the source wants to run at a time.
    fn asked(&mut self, of: &Loop) -> Res<Option<u32>> {
        Ok(match &of.unroll {
            Unroll::Free => None,
            Unroll::Full => Some(4),
            Unroll::Count(count) => {
                let (count, _) = self.constant_integer(count)?;
                Some(u32::try_from(count).unwrap_or(1))
            }
        })
    }

    /// Unrolls wholly if that can and should be done.
    fn unroll(&mut self, of: &Loop, list: &[Variable], init: &Stmt, span: Span) -> Res<bool> {
        let (most, asked) = match &of.unroll {
            Unroll::Free => (1024, 1024),
            Unroll::Full => (ASKED_UNROLL, ASKED_UNROLL),
            Unroll::Count(count) => {
                let (count, _) = self.constant_integer(count)?;
                if count <= 1 {
                    return Ok(false);
                }
                (1024.max(count.min(ASKED_UNROLL)), count.min(ASKED_UNROLL))
            }
        };
        if self.builder.is_ended() || self.is_diagnostics_only {
            return Ok(false);
        }
        self.locate(init.span);
        let Some(known) = self.known_variables(of, list) else {
            return Ok(false);
        };
        let Some(trips) = self.trips(of, &known, most)? else {
            if matches!(of.unroll, Unroll::Full) && self.ends_late(of, &known, most)? {
                let help = "write how many iterations at once: `#pragma unroll 4`";
                let message =
                    format!("this loop has more than {ASKED_UNROLL} iterations to unroll");
                self.sink.warn(span, message, help);
            }
            return Ok(false);
        };
        if trips > asked {
            return Ok(false);
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
            let tally = self.tally;
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
            let is_unrolled =
                !is_first || self.is_small(&tally, cost, trips, self.leaves(&mark, exit));
            if !is_unrolled {
                self.roll_back(&mark);
                self.builder.iteration = outer;
                self.tally.postponed += 1;
                return Ok(false);
            }
            if let Some(step) = &of.step {
                self.locate(step.span);
                values = self.stepped(step, values, true)?.unwrap_or_default();
            }
        }
        self.builder.iteration = outer;
        self.builder.go_on_in(exit);
        Ok(true)
    }

    /// Whether a loop that nothing is asked for is unrolled here, by the instructions of its first iteration, in which so
    /// much was met. What is not may be unrolled when it is simplified.
    fn is_small(&self, before: &Tally, cost: u64, trips: u64, leaves: bool) -> bool {
        let now = &self.tally;
        if now.objects != before.objects {
            return cost * trips <= OBJECT_UNROLL;
        }
        if leaves || now.postponed != before.postponed {
            return false;
        }
        if now.rolled != before.rolled {
            return (cost + now.copied - before.copied) * trips <= NEST_UNROLL;
        }
        cost * trips <= FREE_UNROLL
    }

    /// Whether what was written since leads to the exit of the loop, or to what stands before it.
    fn leaves(&self, since: &Mark, exit: Block) -> bool {
        let blocks = &self.builder.body.blocks;
        let made = &blocks[exit.0 as usize + 1..];
        let first = &blocks[since.at.0 as usize];
        let mut next = made
            .iter()
            .chain([first])
            .flat_map(|data| successors(data.term));
        next.any(|to| to <= exit)
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
        self.builder.known.here.forget();
        let block = &mut self.builder.body.blocks[mark.at.0 as usize];
        block.insts.truncate(mark.insts + later);
        block.term = Term::None;
        self.builder.go_to(mark.at);
    }
}
