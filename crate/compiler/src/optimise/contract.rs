//! Products that are added become one operation, which rounds once. By NVIDIA's rule: within a block, only in sums, not in
//! differences, and only products that are used in sums alone, in less than five.

use super::iterations;
use super::order::{Order, Ranks};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, Op, Ty, Un, Value};

/// Sums beyond which a product stays one.
const MOST_SUMS: u32 = 4;

/// How deep the constant of a product of products is looked for.
const DEEPEST: usize = 4;

/// How often a value is used, and how often of these in sums of its block.
#[derive(Clone, Copy, Default)]
struct Uses {
    count: u32,
    sums: u32,
}

/// `before` are the ranks of values before arithmetic moved past ways, where some did.
pub(super) fn contract(body: &mut Body, before: Option<Ranks>) {
    if !has_arithmetic(body) {
        return;
    }
    let known = before.unwrap_or_default();
    let used = uses(body);
    turn_differences(body, &used);
    turn_negations(body, &used);
    let varying = iterations::varying(body);
    let turned = turn_factors(body, &used, &varying);
    let mut uses = uses(body);
    let order = Order::new(body, &known, &varying).without(turned);
    for number in 0..body.blocks.len() {
        contract_block(body, Block(number as u32), &mut uses, &order);
    }
    add_twice(body);
}

/// Whether there are sums, differences or products of floats: all else stays as it is.
fn has_arithmetic(body: &Body) -> bool {
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        let data = body.inst(*inst);
        matches!(data.op, Op::Bin(Bin::Add | Bin::Sub | Bin::Mul))
            && body.ty(data.args[0]).is_float()
    })
}

impl Uses {
    /// Whether sums take a product in.
    fn may_be_taken_in(self) -> bool {
        self.sums == self.count && (1..=MOST_SUMS).contains(&self.count)
    }
}

/// By value.
fn uses(body: &Body) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); body.values.len()];
    let mut homes = vec![usize::MAX; body.values.len()];
    for (number, block) in body.blocks.iter().enumerate() {
        for inst in &block.insts {
            let data = body.inst(*inst);
            let is_sum = data.op.is_bin(Bin::Add);
            for arg in &data.args {
                let of = &mut uses[arg.0 as usize];
                of.count += 1;
                of.sums += u32::from(is_sum && homes[arg.0 as usize] == number);
            }
            for result in &data.results {
                homes[result.0 as usize] = number;
            }
        }
    }
    uses
}

/// `1 - (x - y)` becomes `(y - x) + 1`, where the inner difference is wanted there only.
fn turn_differences(body: &mut Body, uses: &[Uses]) {
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
            if is_difference && uses[inner.0 as usize].count == 1 && is_not_minus_zero(body, whole) {
                body.insts[difference.0 as usize].args.swap(0, 1);
                let data = &mut body.insts[inst.0 as usize];
                (data.op, data.args) = (Op::Bin(Bin::Add), vec![inner, whole].into());
            }
        }
    }
}

/// What cannot be -0: other constants, and what was an integer.
fn is_not_minus_zero(body: &Body, value: Value) -> bool {
    let minus_zero = 1_u64 << (body.ty(value).bits() - 1);
    match (body.constant(value), body.def(value).map(|inst| &inst.op)) {
        (Some(bits), _) => bits != minus_zero,
        (None, Some(Op::Cvt(Cvt::UnsignedToFloat | Cvt::SignedToFloat))) => true,
        (None, _) => false,
    }
}

/// `x + y * -z` becomes `x - y * z`, and so on, also where the negated is deeper in products and quotients that nothing else
/// wants.
fn turn_negations(body: &mut Body, uses: &[Uses]) {
    let negates = |inst: &Inst| body.inst(*inst).op == Op::Un(Un::Neg);
    if !body.blocks.iter().any(|block| block.insts.iter().any(negates)) {
        return;
    }
    for number in 0..body.blocks.len() {
        let mut here = HashSet::default();
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            here.extend(&body.inst(inst).results);
            let data = body.inst(inst);
            let sides: &[usize] = match data.op {
                _ if !data.args.first().is_some_and(|arg| body.ty(*arg).is_float()) => continue,
                Op::Bin(Bin::Add) => &[1, 0],
                Op::Bin(Bin::Sub) => &[1],
                _ => continue,
            };
            let negated = |side: &usize| {
                let found = negated(body, data.args[*side], (uses, &here), 0)?;
                Some((*side, found))
            };
            let Some((side, (of, negated, positive))) = sides.iter().find_map(negated) else {
                continue;
            };
            for arg in &mut body.insts[of.0 as usize].args {
                if *arg == negated {
                    *arg = positive;
                }
            }
            let data = &mut body.insts[inst.0 as usize];
            data.op = Op::Bin(if data.op.is_bin(Bin::Add) { Bin::Sub } else { Bin::Add });
            if side == 0 {
                data.args.swap(0, 1);
            }
        }
    }
}

/// In products and quotients of a block that are used once: the one that takes in something negated, that, and what it negates.
fn negated(
    body: &Body,
    value: Value,
    (uses, here): (&[Uses], &HashSet<Value>),
    depth: usize,
) -> Option<(Inst, Value, Value)> {
    let is_single = || uses.get(value.0 as usize).is_some_and(|uses| uses.count == 1);
    let Def::Inst(inst, _) = body.values[value.0 as usize].1 else {
        return None;
    };
    let data = body.inst(inst);
    let is_product = matches!(data.op, Op::Bin(Bin::Mul | Bin::Div));
    if !is_product || depth > DEEPEST || !is_single() || !here.contains(&value) {
        return None;
    }
    data.args.iter().find_map(|arg| {
        let def = body.def(*arg).filter(|_| here.contains(arg))?;
        match def.op {
            Op::Un(Un::Neg) => Some((inst, *arg, def.args[0])),
            _ => negated(body, *arg, (uses, here), depth + 1),
        }
    })
}

/// `x - y * 3` becomes `x + y * -3`, which takes the product in, if nothing else in the block needs the 3: else `x + y * -3`
/// becomes `x - y * 3`. So does `x + y * -2`, since `y * 2` is computed as `y + y`. Differences take no products in.
/// Returns the sums that were differences at some time: they keep `x` before the product.
fn turn_factors(body: &mut Body, uses: &[Uses], varying: &HashSet<Inst>) -> HashSet<Inst> {
    let mut turned = HashSet::default();
    for number in 0..body.blocks.len() {
        let mut constants = None;
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            let data = body.inst(inst);
            let Op::Bin(bin @ (Bin::Add | Bin::Sub)) = data.op else {
                continue;
            };
            if !body.ty(data.args[0]).is_float() {
                continue;
            }
            let sign = 1_u64 << (body.ty(data.args[0]).bits() - 1);
            let is_negative =
                |factor: Value| body.constant(factor).is_some_and(|bits| bits & sign != 0);
            let of = |at: usize| Some((at, factor(body, data.args[at], uses, 0)?));
            let found = match bin {
                // Of two negative ones that which is computed first.
                Bin::Add => (0..2)
                    .filter_map(of)
                    .filter(|(_, (_, factor))| is_negative(*factor))
                    .min_by_key(|(_, (product, _))| product.0),
                _ => of(1),
            };
            let Some((at, (product, factor))) = found else {
                continue;
            };
            // It was no constant yet when sums became differences.
            if bin == Bin::Add && varying.contains(&product) {
                continue;
            }
            let (ty, bits) = (body.ty(factor), body.constant(factor).unwrap_or(0));
            let is_negative = is_negative(factor);
            let is_difference = is_negative != (bin == Bin::Sub);
            let wanted = match is_difference && bits & !sign != twice(ty) {
                true => {
                    let block = Block(number as u32);
                    let constants = constants.get_or_insert_with(|| constants_of(body, block));
                    let is_single = constants.is_single(ty, bits & !sign, sign);
                    if is_single { Bin::Add } else { Bin::Sub }
                }
                false if is_difference => Bin::Sub,
                false => Bin::Add,
            };
            if wanted == Bin::Add && is_difference {
                turned.insert(inst);
                if at == 0 {
                    body.insts[inst.0 as usize].args.swap(0, 1);
                }
            }
            if wanted == bin {
                continue;
            }
            let other = body.make_constant(ty, bits ^ sign);
            for arg in &mut body.insts[product.0 as usize].args {
                if *arg == factor {
                    *arg = other;
                }
            }
            let data = &mut body.insts[inst.0 as usize];
            data.op = Op::Bin(wanted);
            if at == 0 {
                data.args.swap(0, 1);
            }
        }
    }
    turned
}

/// How often a block needs each floating-point constant, as a factor or else.
struct Constants(HashMap<(Ty, u64), (usize, usize)>);

impl Constants {
    /// Whether a constant can become its opposite: nothing else needs it.
    fn is_single(&self, ty: Ty, bits: u64, sign: u64) -> bool {
        let count = |bits| self.0.get(&(ty, bits)).copied().unwrap_or_default();
        let ((factors, others), (opposite_factors, _)) = (count(bits), count(bits | sign));
        factors + others + opposite_factors <= 1
    }
}

fn constants_of(body: &Body, block: Block) -> Constants {
    let mut found: HashMap<(Ty, u64), (usize, usize)> = HashMap::default();
    let mut note = |value: Value, is_factor: bool| {
        if body.ty(value).is_float()
            && let Some(bits) = body.constant(value)
        {
            let (factors, others) = found.entry((body.ty(value), bits)).or_default();
            *if is_factor { factors } else { others } += 1;
        }
    };
    for inst in &body.block(block).insts {
        let data = body.inst(*inst);
        if !matches!(data.op, Op::Phi(_)) {
            let is_factor = matches!(data.op, Op::Bin(Bin::Mul | Bin::Div));
            data.args.iter().for_each(|arg| note(*arg, is_factor));
        }
    }
    for next in successors(body.block(block).term) {
        for inst in &body.block(next).insts {
            let data = body.inst(*inst);
            let Op::Phi(from) = &data.op else { break };
            let here = data
                .args
                .iter()
                .zip(from)
                .filter(|(_, from)| **from == block);
            here.for_each(|(arg, _)| note(*arg, false));
        }
    }
    Constants(found)
}

/// `x * 2` that no sum took in is `x + x`, which takes `x` in if that is a product of the block that is used in sums only.
fn add_twice(body: &mut Body) {
    for number in 0..body.blocks.len() {
        let mut doubled = Vec::new();
        for at in 0..body.blocks[number].insts.len() {
            let inst = body.blocks[number].insts[at];
            let data = body.inst(inst);
            if !data.op.is_bin(Bin::Mul) || !body.ty(data.args[0]).is_float() {
                continue;
            }
            let two = twice(body.ty(data.args[0]));
            let is_two = |value: &&Value| body.constant(**value) == Some(two);
            let others: Vec<Value> = data
                .args
                .iter()
                .filter(|arg| !is_two(arg))
                .copied()
                .collect();
            if let [other] = others[..] {
                let data = &mut body.insts[inst.0 as usize];
                (data.op, data.args) = (Op::Bin(Bin::Add), vec![other, other].into());
                doubled.push(inst);
            }
        }
        if !doubled.is_empty() {
            take_in_doubled(body, &doubled);
        }
    }
}

/// Of sums of a value and itself: those of a product become one operation with it.
fn take_in_doubled(body: &mut Body, doubled: &[Inst]) {
    let uses = uses(body);
    for inst in doubled {
        let product = body.inst(*inst).args[0];
        let Def::Inst(made, _) = body.values[product.0 as usize].1 else {
            continue;
        };
        let data = body.inst(made);
        if data.op.is_bin(Bin::Mul) && uses[product.0 as usize].may_be_taken_in() {
            let args = [data.args[0], data.args[1], product];
            let data = &mut body.insts[inst.0 as usize];
            (data.op, data.args) = (Op::Fma, args.into());
        }
    }
}

/// The bits of the number 2.
fn twice(ty: Ty) -> u64 {
    match ty {
        Ty::F32 => u64::from(2_f32.to_bits()),
        _ => 2_f64.to_bits(),
    }
}

/// A product with a constant that is used here only, and the constant.
fn factor(body: &Body, value: Value, uses: &[Uses], depth: usize) -> Option<(Inst, Value)> {
    let Def::Inst(product, _) = body.values[value.0 as usize].1 else {
        return None;
    };
    let data = body.inst(product);
    if !matches!(data.op, Op::Bin(Bin::Mul | Bin::Div))
        || uses
            .get(value.0 as usize)
            .is_none_or(|uses| uses.count != 1)
    {
        return None;
    }
    let constant = data.args.iter().find(|arg| body.constant(**arg).is_some());
    match constant {
        Some(constant) => Some((product, *constant)),
        // Of a product of products, one factor of one of them will do.
        None if data.op.is_bin(Bin::Mul) && depth < DEEPEST => {
            let mut args = data.args.iter();
            args.find_map(|arg| factor(body, *arg, uses, depth + 1))
        }
        None => None,
    }
}

/// The last sums first: one that takes a product in adds what else it adds no longer as a sum does.
fn contract_block(body: &mut Body, block: Block, uses: &mut [Uses], order: &Order) {
    for at in (0..body.block(block).insts.len()).rev() {
        let inst = body.block(block).insts[at];
        let data = body.inst(inst);
        if !data.op.is_bin(Bin::Add) || !body.ty(data.args[0]).is_float() {
            continue;
        }
        let (mut a, mut b) = (data.args[0], data.args[1]);
        if order.is_swapped(body, inst) {
            std::mem::swap(&mut a, &mut b);
        }
        let factors = |value: Value| {
            let product = body.def(value).filter(|def| def.op.is_bin(Bin::Mul))?;
            let uses = uses[value.0 as usize];
            (uses.may_be_taken_in()).then(|| (product.args[0], product.args[1]))
        };
        let (product, (x, y), other) = match (factors(a), factors(b)) {
            (Some(factors), _) => (a, factors, b),
            (None, Some(factors)) => (b, factors, a),
            (None, None) => continue,
        };
        uses[product.0 as usize].count -= 1;
        for side in [product, other] {
            let sums = &mut uses[side.0 as usize].sums;
            *sums = sums.saturating_sub(1);
        }
        let data = &mut body.insts[inst.0 as usize];
        (data.op, data.args) = (Op::Fma, [x, y, other].into());
    }
}
