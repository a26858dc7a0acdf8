//! Products and sums that the assembler makes one instruction: the rule of `ptxas`, and the change of the operations.
//! Which operations take part is `role`'s, who uses what is `uses`'s to find.
//!
//! PTX ISA, `add`, `sub` and `mul` of floating point: without a rounding modifier they round to nearest, *and may be
//! optimized aggressively by the code optimizer. In particular, `mul`/`add` sequences with no rounding modifiers may be
//! optimized to use fused-multiply-add instructions on the target device.* Which ones `ptxas` takes is written nowhere.
//! The rule here was found with random programs through `ptxas` 13.0 (`-O3`, `sm_90`), read with `nvdisasm`: of each
//! stored value the machine code gives an expression, and the rule has to give the same.
//!
//! # The rule
//!
//! *Products* are `mul` of `f32`, `f64`, `f16`, `f16x2`, `bf16`, `bf16x2` without a rounding modifier, without `.sat` and
//! without a guard; `div.approx`, `div.full` and `rcp.approx` of `f32` are products too, since they end with one. *Sums* are
//! `add` and `sub` without a rounding modifier; they may saturate and be guarded. A sum takes a product of its own type, and
//! of its own `.ftz`.
//!
//! - Signs do not matter: `neg` of the product, `sub` with the product on either side. Copies are seen through, a product
//!   with ±1 is its other factor.
//! - All uses of a product must be sums that may take it, each of them once. It is kept as it is if something else uses it: a
//!   store, a comparison, `fma`, `abs`, `add.rn`, a choice, an addition to itself.
//! - The sums must be in the product's own basic block, unless it has a constant factor: an immediate, a parameter of the
//!   kernel, what is loaded from a fixed place in `.const` memory, or one of these with its sign turned. Such a product is
//!   fused wherever its uses are, in loops too.
//! - First, sum by sum in the order of the text, a sum takes a product that only it uses, the first operand before the
//!   second. Then, again sum by sum, one that has not taken any takes a product with several uses: all these must be sums
//!   that have not taken another product yet. Of two it takes the one with fewer uses, else the first operand.
//! - `f16x2` and `bf16x2` have only the second pass, over all products. `neg.bf16x2` is not seen through.
//!
//! So of `a*b + c*d` the first product is fused if each has this one use, and a product used by sums only is fused into each
//! of them and not computed at all.
//!
//! A basic block ends here also where the machine code branches: at a guarded load, store, atomic, barrier, shuffle or vote;
//! at `membar` and `fence` (not `fence.proxy`); at `div`, `sqrt` and `rcp` with a rounding, and `rsqrt.approx.f64`; at
//! `div` and `rem` of integers other than `u32`. A guarded instruction that only computes ends none.
//!
//! # Evidence
//!
//! Straight programs of 5 to 24 instructions on six inputs, all stored values compared as expressions: 10 000 of `mul`,
//! `add` and `sub` in single precision, 4000 with `neg`, 3500 with `.ftz`, `.sat`, `.rn` and `fma`; 1000 in `f64`; 3900 in `f16`,
//! 1000 in `bf16`, 2800 in `f16x2`, 1500 in `bf16x2`. All agree but 8: two compute a product twice by different signs,
//! six saturate what can be told to be 0. `tests/fusion` has some of each, with what `ptxas` made of them; 12.8 and 13.5 make
//! the same. What ends a block was tried instruction by instruction, some 130 of them.
//!
//! Of 2098 sums in PTX for kernels, nvcc's and ours, with branches and loops, 2094 are fused or not as in the machine code
//! (layer normalisation, n-body, FFT passes and stencils: all 295). Two of the others take a quotient, and of two a product by
//! infinity is also looked at elsewhere, in a comparison that the assembler computes in another way. Three kernels with
//! halves, of which an H200 counted other instructions than the PTX has, count them all now.
//!
//! # What is not known here
//!
//! - `ptxas` unrolls loops before it fuses: a product that the next iteration adds may be fused there, and is not here.
//! - It inlines functions that are called, which joins their blocks with the caller's.
//! - A quotient (`div.approx`, `div.full`) that the rule gives to a sum is rounded here all the same, and so is `rcp.approx`,
//!   where that only matters for subnormal results.
//! - Other targets than `sm_90` were not tried.

pub(super) mod role;
mod uses;

use crate::decode::flow::Graph;
use crate::decode::fuse::role::Role;
use crate::decode::fuse::uses::{Found, Product, Sum, find};
use crate::decode::ir::{Act, Body, Op, Reg, Value};
use crate::operations::basic::COUNT_LANES;
use crate::program::preset::Preset;

/// Joins products and sums as the assembler does.
pub(super) fn fuse(graph: &mut Graph, body: &mut Body) {
    let has_product = |op: &Op| matches!(op.role, Role::Product { .. });
    let has_sum = |op: &Op| matches!(op.role, Role::Sum { .. });
    let mut ops = graph.blocks.iter().flat_map(|block| &block.ops);
    if !ops.any(has_product)
        || !graph
            .blocks
            .iter()
            .any(|block| block.ops.iter().any(has_sum))
    {
        return;
    }
    let mut changes = Changes::default();
    let mut found = find(graph, body);
    choose(&mut found);
    for sum in &found.sums {
        if let Some(term) = sum.taken {
            changes.join(graph, body, &mut found.products, sum, term);
        }
    }
    for product in &found.products {
        changes.leave_out(graph, body, product, &found.sums);
    }
    changes.apply(graph);
}

/// Decides which sums take which products.
fn choose(found: &mut Found) {
    let Found { products, sums } = found;
    for at in 0..sums.len() {
        let alone = |term: usize| {
            let product = &products[sums[at].products[term]?.0];
            (!product.number.is_packed() && !product.escapes && product.uses.len() == 1)
                .then_some(term)
        };
        sums[at].taken = alone(0).or_else(|| alone(1));
    }
    for at in 0..sums.len() {
        if sums[at].taken.is_some() {
            continue;
        }
        // How often the operand is used, if it is a product that may be taken.
        let uses = |term: usize| {
            let product = &products[sums[at].products[term]?.0];
            let is_free = |(sum, term): &(usize, usize)| {
                let sum: &Sum = &sums[*sum];
                let twice = sum.product(0) == sum.product(1);
                !twice && sum.taken.is_none_or(|taken| taken == *term)
            };
            let may = !product.escapes && product.uses.iter().all(is_free);
            may.then_some(product.uses.len())
        };
        sums[at].taken = match (uses(0), uses(1)) {
            (Some(first), Some(second)) => Some(usize::from(second < first)),
            (Some(_), None) => Some(0),
            (None, Some(_)) => Some(1),
            (None, None) => None,
        };
    }
}

/// Block and position of an operation.
type At = (usize, usize);

/// What becomes of the operations. Positions hold until all is applied.
#[derive(Default)]
struct Changes {
    before: Vec<(At, Op)>,
    left_out: Vec<At>,
}

impl Changes {
    /// Makes the sum one with the product that is its operand `term`.
    fn join(
        &mut self,
        graph: &mut Graph,
        body: &mut Body,
        products: &mut [Product],
        sum: &Sum,
        term: usize,
    ) {
        let Some((product, is_turned)) = sum.products[term] else {
            return;
        };
        let product = &mut products[product];
        let (block, at) = product.at;
        let factors = &graph.blocks[block].ops[at];
        let Role::Product { stays: false, .. } = factors.role else {
            return;
        };
        let (like, mut factors) = (*factors, [factors.s[0], factors.s[1]]);
        for (which, factor) in factors.iter_mut().enumerate() {
            *factor = self.kept(body, product, which, (*factor, &like), sum);
        }
        let (block, at) = sum.at;
        let mut op = graph.blocks[block].ops[at];
        let Role::Sum {
            is_difference,
            fused,
            ..
        } = op.role
        else {
            return;
        };
        let mut rest = op.s[1 - term];
        if is_turned != (is_difference && term == 1) {
            let constant = factors.iter().position(|value| is_constant(*value, body));
            let which = constant.unwrap_or(0);
            factors[which] = self.negated(body, factors[which], &op, sum.at);
        }
        if is_difference && term == 0 {
            rest = self.negated(body, rest, &op, sum.at);
        }
        let form = body.fused[fused as usize].1;
        let each = |number: u32| body.arithmetic[number as usize];
        match op.arithmetic {
            Some(alone) => {
                let counted = &mut graph.blocks[block].arithmetic;
                counted.take_away(&each(alone));
                counted.add(1, &each(form.arithmetic));
            }
            None => recount(graph, body, sum.at, form.arithmetic),
        }
        op.act = Act::Compute(form.function);
        op.imm = form.imm;
        op.s[..3].copy_from_slice(&[factors[0], factors[1], rest]);
        op.arithmetic = op.arithmetic.map(|_| form.arithmetic);
        op.role = Role::Other;
        graph.blocks[block].ops[at] = op;
    }

    /// A factor of the product, where the sum is; copied in time if its register holds something else there.
    fn kept(
        &mut self,
        body: &mut Body,
        product: &mut Product,
        which: usize,
        (factor, like): (Value, &Op),
        sum: &Sum,
    ) -> Value {
        let (Value::Reg(reg), Some(lost)) = (factor, product.lost[which]) else {
            return factor;
        };
        if sum.at <= lost {
            return factor;
        }
        let copy = *product.copies[which].get_or_insert_with(|| {
            let copy = fresh_like(body, reg);
            self.before
                .push((product.at, helper(like, Act::Copy, copy, factor)));
            copy
        });
        copy.into()
    }

    /// The value with its sign turned, before the sum.
    fn negated(&mut self, body: &mut Body, value: Value, sum: &Op, at: At) -> Value {
        let (Role::Sum { number, fused, .. }, Some(d)) = (sum.role, sum.d[0]) else {
            return value;
        };
        if let Value::Preset(preset) = value
            && let (file, Preset::Bits(bits)) = body.presets[preset as usize]
        {
            return body.preset(file, Preset::Bits(bits ^ number.sign()));
        }
        let (negate, fresh) = (body.fused[fused as usize].1.negate, fresh_like(body, d));
        self.before
            .push((at, helper(sum, Act::Compute(negate), fresh, value)));
        fresh.into()
    }

    /// Drops a product that all its uses have taken, with what only changed its sign or its name.
    fn leave_out(&mut self, graph: &mut Graph, body: &Body, product: &Product, sums: &[Sum]) {
        let (block, at) = product.at;
        let op = graph.blocks[block].ops[at];
        let is_taken = |(sum, term): &(usize, usize)| sums[*sum].taken == Some(*term);
        let is_gone = !product.escapes
            && !product.uses.is_empty()
            && product.uses.iter().all(is_taken)
            && matches!(op.role, Role::Product { stays: false, .. });
        if !is_gone {
            return;
        }
        if let Some(each) = op.arithmetic {
            let each = body.arithmetic[each as usize];
            graph.blocks[block].arithmetic.take_away(&each);
        }
        self.left_out.push(product.at);
        self.left_out.extend(&product.names);
    }

    fn apply(mut self, graph: &mut Graph) {
        self.before.sort_by_key(|(at, _)| *at);
        self.left_out.sort_unstable();
        let (mut before, mut left_out) = (
            self.before.iter().peekable(),
            self.left_out.iter().peekable(),
        );
        for (number, block) in graph.blocks.iter_mut().enumerate() {
            let mut ops = Vec::with_capacity(block.ops.len());
            for (at, op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
                while let Some((_, added)) = before.next_if(|(place, _)| *place == (number, at)) {
                    ops.push(*added);
                }
                if left_out.next_if(|place| **place == (number, at)).is_none() {
                    ops.push(op);
                }
            }
            block.ops = ops;
        }
    }
}

/// The count of a guarded sum is an operation of its own, before it.
fn recount(graph: &Graph, body: &mut Body, (block, at): At, arithmetic: u32) {
    let ops = &graph.blocks[block].ops;
    let count = COUNT_LANES.chosen();
    let counts = |op: &&Op| {
        op.place == ops[at].place
            && matches!(op.act, Act::Access(function) if std::ptr::fn_addr_eq(function, count))
    };
    if let Some(op) = ops[..at].iter().rev().find(counts) {
        body.guarded[op.aux as usize] = arithmetic;
    }
}

fn is_constant(value: Value, body: &Body) -> bool {
    matches!(value, Value::Preset(number) if matches!(body.presets[number as usize].1, Preset::Bits(_)))
}

fn fresh_like(body: &mut Body, reg: Reg) -> Reg {
    let info = body.regs[reg.0 as usize];
    body.fresh(info.file, info.bits)
}

/// An operation that is counted with another one.
fn helper(like: &Op, act: Act, d: Reg, source: Value) -> Op {
    let mut op = Op {
        act,
        d: [Some(d), None, None, None],
        s: [Value::None; 6],
        guard: None,
        imm: 0,
        aux: 0,
        is_pure: true,
        role: Role::Other,
        weight: 0,
        arithmetic: None,
        ..*like
    };
    op.s[0] = source;
    op
}
