//! Iterations of an unrolled loop as copies of one that was written with the loop's variables open: the instructions are folded anew with the variables known, and the syntax is not walked again.

use super::Lower;
use super::loops::Known;
use super::scope::Binding;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::hash::HashMap;
use crate::ir::compute::constant_bin;
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Exact, Inst, Loc, Op, Space, Term, Ty, Value, Values, WHOLLY};
use crate::source::Span;
use crate::syntax::{
    Expr, ExprKind, Init, Loop, Path, Stmt, StmtKind, Storage, TypeKind, TypeSyntax, Variable,
};

/// An iteration that was written with the loop's variables open. Nothing leads to its blocks.
pub(super) struct Pattern {
    /// Marks what follows from its variables.
    bit: u8,
    iteration: u32,
    /// Whether no copy was made yet.
    is_first: bool,
    /// Each after those that give what it needs.
    blocks: Vec<Block>,
    /// By block, from the first on: the one that stands for it in the copy at hand.
    places: Vec<Option<Block>>,
    /// Where the next iteration begins.
    next: Block,
    variables: Vec<Value>,
    /// By value, from the first variable on: the one that stands for it in the copy at hand.
    values: Vec<Value>,
    /// Where the source was at its end.
    loc: Loc,
    /// Expressions that were looked at for it.
    work: usize,
}

impl Pattern {
    fn value(&self, value: Value) -> Value {
        let at = value.0.checked_sub(self.variables[0].0);
        let found = at.and_then(|at| self.values.get(at as usize));
        found.copied().unwrap_or(value)
    }

    fn place(&self, block: Block) -> Block {
        let at = block.0.checked_sub(self.blocks[0].0);
        let found = at.and_then(|at| self.places.get(at as usize));
        found.copied().flatten().unwrap_or(block)
    }

    fn put(&mut self, block: Block, place: Block) {
        let at = block.0 - self.blocks[0].0;
        self.places[at as usize] = Some(place);
    }
}

impl Lower<'_> {
    /// An iteration as a pattern for the others; none if something in it hangs on what the variables are.
    pub(super) fn pattern(&mut self, of: &Loop, known: &Known, exit: Block) -> Option<Pattern> {
        let place = of.body.span.start;
        if self.is_measured || self.no_patterns.contains(&place) || !is_plain(&of.body) {
            return None;
        }
        let work = self.work;
        let pattern = self.pattern_of(of, known, exit);
        if pattern.is_none() {
            self.no_patterns.insert(place);
            self.work = work;
        }
        pattern
    }

    #[inline(never)]
    fn pattern_of(&mut self, of: &Loop, known: &Known, exit: Block) -> Option<Pattern> {
        let body = &mut self.builder.body;
        let types: Vec<_> = known.iter().map(|(.., value)| body.ty(*value)).collect();
        let variables = body.open_variables(types.into_iter())?;
        let (at, loc, work) = (self.builder.at, self.builder.loc, self.work);
        let sink = std::mem::take(self.sink);
        let symbols = self.module.symbols.len();
        let iteration = self.builder.iteration;
        self.builder.next_iteration();
        let (in_front, depth, frames) = (self.in_front, self.depth, self.frames.len());
        let frame = self.frame();
        let (scopes, targets) = (frame.scopes.len(), frame.targets.len());
        let cleanups = frame.cleanups.len();

        let first = self.builder.block();
        // What is written here changes nothing of what is held in the block at hand.
        let held = std::mem::take(&mut self.builder.held.here);
        self.builder.go_to(first);
        let next = self.builder.block();
        self.frame()
            .targets
            .push((Some(exit), Some(next), cleanups));
        for ((name, ty, _), value) in known.iter().zip(&variables) {
            let open = Typed::value(ty.clone(), *value);
            self.bind(name, Binding::Typed(open));
        }
        let result = self.scoped(|lower| lower.statement(&of.body));
        self.builder.end(Term::Jump(next));

        let is_quiet = std::mem::replace(self.sink, sink).list.is_empty();
        let bit = self.builder.body.open.mark(variables[0]) & !WHOLLY;
        let asked = self.builder.body.open.leave();
        self.frames.truncate(frames);
        let frame = self.frame();
        frame.scopes.truncate(scopes);
        frame.targets.truncate(targets);
        frame.cleanups.truncate(cleanups);
        self.depth = depth;
        let own = std::mem::replace(&mut self.builder.iteration, iteration);
        self.builder.go_to(at);
        self.builder.held.here = held;
        let end = std::mem::replace(&mut self.builder.loc, loc);
        let is_whole = in_front == self.in_front && symbols == self.module.symbols.len();
        if result.is_err() || asked || !is_quiet || !is_whole {
            return None;
        }
        self.drop_same(first);
        let count = self.builder.body.values.len() - variables[0].0 as usize;
        Some(Pattern {
            bit,
            iteration: own,
            is_first: true,
            blocks: self.order_from(first),
            places: vec![None; self.builder.body.blocks.len() - first.0 as usize],
            next,
            values: (variables[0].0..).map(Value).take(count).collect(),
            variables,
            loc: end,
            work: self.work - work,
        })
    }

    /// Whether an instruction gives an address in an object of the thread's own, which copies have once (`ir::held`).
    fn is_own_address(&self, inst: Inst) -> bool {
        let body = &self.builder.body;
        let is_known = |value: Value| {
            body.constant_or_open(value).is_some() || body.open.mark(value) & WHOLLY != 0
        };
        let mut data = body.inst(inst);
        while let (Op::Bin(Bin::Add), [base, by]) = (&data.op, &data.args[..])
            && is_known(*by)
            && let Some(of) = body.def(*base)
        {
            match of.op {
                Op::Slot(_) | Op::ToGeneric(Space::Local) => return !self.builder.held.is_off,
                _ => data = of,
            }
        }
        false
    }

    /// Drops of a pattern's first block what is computed twice of what copies compute once or not at all.
    fn drop_same(&mut self, first: Block) {
        let mut found: HashMap<(Op, Values), Value> = HashMap::default();
        let mut replaced: HashMap<Value, Value> = HashMap::default();
        for block in first.0 as usize..self.builder.body.blocks.len() {
            let insts = std::mem::take(&mut self.builder.body.blocks[block].insts);
            let mut kept = Vec::with_capacity(insts.len());
            for inst in insts {
                let body = &mut self.builder.body;
                let data = &mut body.insts[inst.0 as usize];
                let by = |value: Value| replaced.get(&value).copied().unwrap_or(value);
                data.args = data.args.map(by);
                let once = match data.results[..] {
                    [result] if block == first.0 as usize => {
                        let is_wholly = body.open.mark(result) & WHOLLY != 0;
                        (is_wholly || self.is_own_address(inst)).then_some(result)
                    }
                    _ => None,
                };
                let body = &self.builder.body;
                if let Some(result) = once {
                    let data = body.inst(inst);
                    let key = (data.op.clone(), data.args.clone());
                    let ty = body.ty(result);
                    let same = *found.entry(key).or_insert(result);
                    if same != result && body.ty(same) == ty {
                        replaced.insert(result, same);
                        continue;
                    }
                }
                kept.push(inst);
            }
            let data = &mut self.builder.body.blocks[block];
            data.insts = kept;
            if let Term::Branch(condition, ..) = &mut data.term {
                *condition = replaced.get(condition).copied().unwrap_or(*condition);
            }
        }
    }

    /// The blocks from one on that can be reached from it, each after those that come before it but for ways back.
    fn order_from(&self, first: Block) -> Vec<Block> {
        let mut seen = vec![false; self.builder.body.blocks.len() - first.0 as usize];
        let (mut order, mut open) = (Vec::new(), vec![(first, false)]);
        while let Some((block, is_done)) = open.pop() {
            if is_done {
                order.push(block);
                continue;
            }
            if std::mem::replace(&mut seen[(block.0 - first.0) as usize], true) {
                continue;
            }
            open.push((block, true));
            let next = successors(self.builder.body.block(block).term);
            open.extend(next.filter(|next| *next >= first).map(|next| (next, false)));
        }
        order.reverse();
        order
    }

    /// Writes the iteration of a pattern with the variables known.
    #[inline(never)]
    pub(super) fn copy_of(&mut self, pattern: &mut Pattern, known: &Known, span: Span) -> Res<()> {
        self.work += pattern.work;
        self.check_work(span)?;
        for (number, (.., value)) in known.iter().enumerate() {
            pattern.values[number] = *value;
        }
        self.place_blocks(pattern);
        let iteration = self.builder.iteration;
        for number in 0..pattern.blocks.len() {
            let from = pattern.blocks[number];
            let to = pattern.place(from);
            self.builder.go_to(to);
            let insts = std::mem::take(&mut self.builder.body.blocks[from.0 as usize].insts);
            for inst in &insts {
                // Those of loops in it keep the numbers of theirs.
                let own = self.builder.body.inst(*inst).iteration;
                self.builder.iteration = if own == pattern.iteration {
                    iteration
                } else {
                    own
                };
                self.copy_instruction(pattern, *inst);
            }
            self.builder.iteration = iteration;
            self.builder.body.blocks[from.0 as usize].insts = insts;
            let data = self.builder.body.block(from);
            self.builder.loc = data.loc;
            let (term, unroll, is_done) = (data.term, data.unroll, data.is_done);
            if unroll.is_some() {
                let copy = &mut self.builder.body.blocks[to.0 as usize];
                (copy.unroll, copy.is_done) = (unroll, is_done);
            }
            match term {
                Term::None => {}
                Term::Jump(next) if pattern.place(next) == to => {}
                Term::Jump(next) => self.builder.end(Term::Jump(pattern.place(next))),
                Term::Branch(condition, yes, no) => {
                    let condition = pattern.value(condition);
                    let (yes, no) = (pattern.place(yes), pattern.place(no));
                    self.builder.end(Term::Branch(condition, yes, no));
                }
                Term::Return => self.builder.end(Term::Return),
            }
        }
        self.builder.go_to(pattern.place(pattern.next));
        self.builder.loc = pattern.loc;
        if std::mem::take(&mut pattern.is_first) && self.builder.body.open.is_any() {
            self.drop_lasting(pattern);
        }
        Ok(())
    }

    /// Drops what follows from variables of loops around alone, and from what is constant: all copies may use the first one's.
    fn drop_lasting(&mut self, pattern: &Pattern) {
        let body = &mut self.builder.body;
        let first = pattern.blocks[0].0 as usize;
        let mut insts = std::mem::take(&mut body.blocks[first].insts);
        insts.retain(|inst| {
            let results = &body.inst(*inst).results;
            let mark = results.first().map_or(0, |result| body.open.mark(*result));
            mark & WHOLLY == 0 || mark & pattern.bit != 0
        });
        body.blocks[first].insts = insts;
    }

    /// Finds a block for each of a pattern: what only one jump leads to goes on in the block that jumps.
    fn place_blocks(&mut self, pattern: &mut Pattern) {
        pattern.put(pattern.blocks[0], self.builder.at);
        for number in 1..pattern.blocks.len() {
            let block = pattern.blocks[number];
            let body = &self.builder.body;
            let leads_here =
                |from: &&Block| successors(body.block(**from).term).any(|next| next == block);
            let mut before = pattern.blocks.iter().filter(leads_here);
            let place = match (before.next(), before.next()) {
                (Some(only), None) if body.block(*only).term == Term::Jump(block) => {
                    pattern.place(*only)
                }
                _ => self.builder.block(),
            };
            pattern.put(block, place);
        }
        if !pattern.blocks.contains(&pattern.next) {
            let place = self.builder.block();
            pattern.put(pattern.next, place);
        }
    }

    fn copy_instruction(&mut self, pattern: &mut Pattern, inst: Inst) {
        let body = &self.builder.body;
        let data = body.inst(inst);
        let first = data.results.first().copied();
        let args = data.args.map(|arg| pattern.value(arg));
        self.builder.loc = data.loc;
        let Some(first) = first else {
            let op = data.op.clone();
            self.builder.emit(op, &[], args);
            return;
        };
        let count = data.results.len();
        let ty = body.ty(first);
        let exact = data.exact;
        let op = match &data.op {
            Op::Phi(from) => Op::Phi(from.iter().map(|block| pattern.place(*block)).collect()),
            Op::Slot(slot) => {
                let data = body.slots[slot.0 as usize];
                Op::Slot(self.builder.slot(data.size, data.align))
            }
            other => other.clone(),
        };
        let at = (first.0 - pattern.variables[0].0) as usize;
        if let (Op::Bin(bin), [a, b]) = (&op, &args[..])
            && let Some(x) = self.builder.body.constant_or_open(*a)
            && let Some(y) = self.builder.body.constant_or_open(*b)
            && let Some(bits) = constant_bin(*bin, ty, x, y)
        {
            pattern.values[at] = self.builder.constant(ty, bits);
            return;
        }
        if count == 1 {
            self.builder.exact = exact;
            pattern.values[at] = match op {
                Op::Load(mem) => self.builder.load_unless_held(mem, args[0]),
                Op::Bin(Bin::Add) if ty == Ty::B64 => {
                    self.builder.sum_unless_held(args[0], args[1])
                }
                _ => self.builder.value(op, ty, &args),
            };
            self.builder.exact = Exact::No;
            return;
        }
        let types = (first.0..).take(count);
        let types: Vec<_> = types
            .map(|value| self.builder.body.ty(Value(value)))
            .collect();
        let made = self.builder.emit(op, &types, args);
        pattern.values[at..at + count].copy_from_slice(&made);
    }
}

/// Whether a statement has nothing in it but numbers, elements, members, and functions that are one instruction each.
fn is_plain(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Empty => true,
        StmtKind::Expr(expr) => is_plain_expr(expr),
        StmtKind::Declare(list) => list.iter().all(is_plain_variable),
        StmtKind::Block(list) => list.iter().all(is_plain),
        StmtKind::If {
            init: None,
            condition,
            then,
            otherwise,
            ..
        } => {
            let otherwise = otherwise.iter().all(|otherwise| is_plain(otherwise));
            is_plain_expr(condition) && is_plain(then) && otherwise
        }
        StmtKind::Loop(of) => {
            let head = [&of.condition, &of.step].into_iter().flatten();
            !of.has_labels
                && of.init.iter().all(is_plain)
                && head.into_iter().all(is_plain_expr)
                && is_plain(&of.body)
        }
        _ => false,
    }
}

fn is_plain_variable(variable: &Variable) -> bool {
    let is_kept = variable.is_static || variable.is_constexpr || variable.align.is_some();
    let init = match &variable.init {
        Init::None => true,
        Init::Value(expr) => is_plain_expr(expr),
        Init::Brackets(list) | Init::Braces(list) => list.iter().all(is_plain_expr),
    };
    variable.storage == Storage::Plain && !is_kept && is_plain_type(&variable.ty) && init
}

fn is_plain_type(ty: &TypeSyntax) -> bool {
    match &ty.kind {
        TypeKind::Scalar(_) | TypeKind::Auto => true,
        TypeKind::Path(path) => is_plain_path(path),
        TypeKind::Pointer(of) | TypeKind::Reference(of) => is_plain_type(of),
        TypeKind::Array(of, count) => {
            is_plain_type(of) && count.iter().all(|count| is_plain_expr(count))
        }
        _ => false,
    }
}

fn is_plain_path(path: &Path) -> bool {
    matches!(&path.parts[..], [part] if part.arguments.is_none())
}

fn is_plain_expr(expr: &Expr) -> bool {
    use ExprKind::{
        Assign, Binary, Bool, Call, Cast, Character, Comma, Conditional, Floating, Index, Integer,
        Member, Path, Unary,
    };
    match &expr.kind {
        Integer(..) | Floating(..) | Character(_) | Bool(_) => true,
        Path(path) => is_plain_path(path),
        Unary(_, inner) => is_plain_expr(inner),
        Member(inner, part, _) => part.arguments.is_none() && is_plain_expr(inner),
        Cast(_, ty, inner) => is_plain_type(ty) && is_plain_expr(inner),
        Binary(_, a, b) | Assign(_, a, b) | Comma(a, b) | Index(a, b) => {
            is_plain_expr(a) && is_plain_expr(b)
        }
        Conditional(a, b, c) => [a, b, c].into_iter().all(|part| is_plain_expr(part)),
        Call(callee, list) => {
            // The message of `assert` is an object of the module.
            let is_plain = matches!(&callee.kind, Path(path)
                if is_plain_path(path) && path.parts[0].name.as_ref() != "assert");
            is_plain && list.iter().all(is_plain_expr)
        }
        _ => false,
    }
}
