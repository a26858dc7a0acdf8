//! Signs of products in sums: sums and differences become one another where a sign moves, since a sum takes a product
//! in, a difference does not. Used by `contract_fma`.

use super::product_uses::{Uses, twice};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, Op, Ty, Un, Value};

/// How deep in products of products something negative is looked for.
const DEEPEST: usize = 6;

/// `1 - (x - y)` becomes `(y - x) + 1`, where the inner difference is wanted there only.
pub(super) fn turn_differences(body: &mut Body, uses: &[Uses]) {
    for number in 0..body.blocks.len() {
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            let data = body.inst(inst);
            if !data.op.is_bin(Bin::Sub) || !body.ty(data.args[0]).is_float() {
                continue;
            }
            let (whole, inner) = (data.args[0], data.args[1]);
            let Def::Inst(difference, _) = body.values[inner.0 as usize].1 else {
                continue;
            };
            let is_difference = body.inst(difference).op.is_bin(Bin::Sub);
            if is_difference && uses[inner.0 as usize].count == 1 && is_not_minus_zero(body, whole)
            {
                body.insts[difference.0 as usize].args.swap(0, 1);
                let data = &mut body.insts[inst.0 as usize];
                (data.op, data.args) = (Op::Bin(Bin::Add), vec![inner, whole].into());
            }
        }
    }
}

/// What cannot be -0: other constants, and what was an integer.
fn is_not_minus_zero(body: &Body, value: Value) -> bool {
    let minus_zero = body.ty(value).sign();
    match (body.constant(value), body.def(value).map(|inst| &inst.op)) {
        (Some(bits), _) => bits != minus_zero,
        (None, Some(Op::Cvt(Cvt::UnsignedToFloat | Cvt::SignedToFloat))) => true,
        (None, _) => false,
    }
}

/// Moves signs as LLVM does: first over all, then as it chooses instructions, block by block.
/// Returns the sums that were differences at some time: they keep `x` before the product.
pub(super) fn turn(body: &mut Body, uses: &[Uses], varying: &HashSet<Inst>) -> HashSet<Inst> {
    for number in 0..body.blocks.len() {
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            make_positive(body, inst, uses, varying);
        }
    }
    let mut turned = HashSet::default();
    for number in 0..body.blocks.len() {
        let mut found = None;
        for at in (0..body.blocks[number].insts.len()).rev() {
            let inst = body.blocks[number].insts[at];
            if is_of_floats(body, inst, Bin::Add) || is_of_floats(body, inst, Bin::Sub) {
                let in_block =
                    found.get_or_insert_with(|| InBlock::new(body, Block(number as u32)));
                if in_block.turn(body, inst, uses) {
                    turned.insert(inst);
                }
            }
        }
    }
    turned
}

fn is_of_floats(body: &Body, inst: Inst, bin: Bin) -> bool {
    let data = body.inst(inst);
    data.op.is_bin(bin) && body.ty(data.args[0]).is_float()
}

/// `x + y * -3` becomes `x - y * 3`, and `x - y * -3` a sum, if nothing else wants the product, and the constant does not follow
/// from the variable of a loop that was not unrolled yet.
fn make_positive(body: &mut Body, inst: Inst, uses: &[Uses], varying: &HashSet<Inst>) {
    let data = body.inst(inst);
    let product = |side: usize| {
        let value = data.args[side];
        let product = single_product(body, value, uses)?;
        let is_negative = |arg: &&Value| {
            let bits = body.constant(**arg);
            bits.is_some_and(|bits| bits & body.ty(value).sign() != 0)
        };
        let constant = body.inst(product).args.iter().find(is_negative)?;
        (!varying.contains(&product)).then_some((side, product, *constant))
    };
    let found = if is_of_floats(body, inst, Bin::Add) {
        // Of two negative ones that which is computed first.
        let both = [0, 1].into_iter().filter_map(product);
        both.min_by_key(|(_, product, _)| product.0)
    } else if is_of_floats(body, inst, Bin::Sub) {
        product(1)
    } else {
        None
    };
    if let Some((side, product, constant)) = found {
        let (ty, bits) = (body.ty(constant), body.constant(constant).unwrap_or(0));
        let positive = body.make_constant(ty, bits ^ ty.sign());
        replace(body, product, constant, positive);
        turn_over(body, inst, side);
    }
}

/// The product or quotient that a value is, if it is used once.
fn single_product(body: &Body, value: Value, uses: &[Uses]) -> Option<Inst> {
    let Def::Inst(product, _) = body.values[value.0 as usize].1 else {
        return None;
    };
    let is_product = matches!(body.inst(product).op, Op::Bin(Bin::Mul | Bin::Div));
    let uses = uses.get(value.0 as usize);
    (is_product && uses.is_some_and(|uses| uses.count == 1)).then_some(product)
}

fn replace(body: &mut Body, inst: Inst, old: Value, new: Value) {
    for arg in &mut body.insts[inst.0 as usize].args {
        if *arg == old {
            *arg = new;
        }
    }
}

/// Makes a difference of a sum, with one side in the second place, or a sum of a difference.
fn turn_over(body: &mut Body, inst: Inst, side: usize) {
    let data = &mut body.insts[inst.0 as usize];
    let is_sum = data.op.is_bin(Bin::Add);
    data.op = Op::Bin(if is_sum { Bin::Sub } else { Bin::Add });
    if side == 0 {
        data.args.swap(0, 1);
    }
}

/// What can take a sign: an argument of an instruction, and whether it is there without one.
struct Sign {
    of: Inst,
    arg: Value,
    is_negated: bool,
}

/// A block whose instructions are chosen.
struct InBlock {
    /// What it makes.
    here: HashSet<Value>,
    /// How often it needs each floating-point constant.
    constants: HashMap<(Ty, u64), u32>,
}

impl InBlock {
    fn new(body: &Body, block: Block) -> Self {
        let mut found = Self {
            here: HashSet::default(),
            constants: HashMap::default(),
        };
        for inst in &body.block(block).insts {
            let data = body.inst(*inst);
            found.here.extend(&data.results);
            if !matches!(data.op, Op::Phi(_)) {
                data.args.iter().for_each(|arg| found.note(body, *arg));
            }
        }
        for next in successors(body.block(block).term) {
            for inst in &body.block(next).insts {
                let data = body.inst(*inst);
                let Op::Phi(from) = &data.op else { break };
                let ways = data.args.iter().zip(from);
                let here = ways.filter(|(_, from)| **from == block);
                here.for_each(|(arg, _)| found.note(body, *arg));
            }
        }
        found
    }

    fn note(&mut self, body: &Body, value: Value) {
        if let Some(bits) = body.constant(value).filter(|_| body.ty(value).is_float()) {
            *self.constants.entry((body.ty(value), bits)).or_default() += 1;
        }
    }

    /// Makes a sum of a difference whose second side takes a sign, and a difference of a sum with something negated; true for
    /// the former.
    fn turn(&mut self, body: &mut Body, inst: Inst, uses: &[Uses]) -> bool {
        let data = body.inst(inst);
        let is_sum = data.op.is_bin(Bin::Add);
        let sides: &[usize] = if is_sum { &[1, 0] } else { &[1] };
        let found = sides.iter().find_map(|side| {
            let sign = self.sign(body, data.args[*side], uses, 0)?;
            (sign.is_negated || !is_sum).then_some((*side, sign))
        });
        let Some((
            side,
            Sign {
                of,
                arg,
                is_negated,
            },
        )) = found
        else {
            return false;
        };
        let other = match body.def(arg).filter(|_| is_negated) {
            Some(negation) => negation.args[0],
            None => self.turn_constant(body, arg),
        };
        replace(body, of, arg, other);
        turn_over(body, inst, side);
        if is_sum {
            return false;
        }
        // `-x + y` is `y - x`.
        let first = body.inst(inst).args[0];
        if let Some(x) = self.negated(body, first) {
            let data = &mut body.insts[inst.0 as usize];
            (data.op, data.args) = (Op::Bin(Bin::Sub), [data.args[1], x].into());
        }
        true
    }

    fn turn_constant(&mut self, body: &mut Body, value: Value) -> Value {
        let (ty, bits) = (body.ty(value), body.constant(value).unwrap_or(0));
        let other = body.make_constant(ty, bits ^ ty.sign());
        self.constants.remove(&(ty, bits));
        self.note(body, other);
        other
    }

    /// What a value made here negates.
    fn negated(&self, body: &Body, value: Value) -> Option<Value> {
        let def = body.def(value).filter(|_| self.here.contains(&value))?;
        (def.op == Op::Un(Un::Neg)).then(|| def.args[0])
    }

    /// In a product or quotient of the block that is used once: something negated, or a constant that nothing else needs.
    /// Products with 2 are sums.
    fn sign(&self, body: &Body, value: Value, uses: &[Uses], depth: usize) -> Option<Sign> {
        let of = single_product(body, value, uses)?;
        let data = body.inst(of);
        let two = twice(body.ty(value));
        let mut args = data.args.iter();
        let is_sum = args.any(|arg| {
            body.constant(*arg)
                .is_some_and(|bits| bits & !body.ty(*arg).sign() == two)
        });
        if is_sum || depth > DEEPEST || !self.here.contains(&value) {
            return None;
        }
        // Constants are the second factors.
        let is_second = |arg: &&Value| data.op.is_bin(Bin::Mul) && body.constant(**arg).is_some();
        let (second, first): (Vec<&Value>, Vec<&Value>) = data.args.iter().partition(is_second);
        first.into_iter().chain(second).find_map(|arg| {
            let ty = body.ty(*arg);
            let found = |is_negated| Sign {
                of,
                arg: *arg,
                is_negated,
            };
            match (body.constant(*arg), self.negated(body, *arg)) {
                (Some(bits), _) => {
                    let is_single = self.constants.get(&(ty, bits)) == Some(&1);
                    is_single.then(|| found(false))
                }
                (None, Some(_)) => Some(found(true)),
                (None, None) => self.sign(body, *arg, uses, depth + 1),
            }
        })
    }
}
