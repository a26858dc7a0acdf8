//! Products that are added become one operation, which rounds once. By NVIDIA's rule: within a block, only in sums, not in
//! differences, and only products that are used in sums alone, in less than five.

use super::iterations;
use super::order::{Order, Ranks};
use crate::hash::{HashMap, HashSet};
use crate::ir::graph::successors;
use crate::ir::{Bin, Block, Body, Cvt, Def, Inst, Op, Ty, Value};

/// Sums beyond which a product stays one.
const MOST_SUMS: u32 = 4;

/// How deep the constant of a product of products is looked for.
const DEEPEST: usize = 4;

/// By value: how often it is used, and whether in sums only.
type Uses = Vec<(u32, bool)>;

/// `before` are the ranks of values before arithmetic moved past ways, where some did.
pub(super) fn contract(body: &mut Body, before: Option<Ranks>) {
    if !has_arithmetic(body) {
        return;
    }
    let known = before.unwrap_or_default();
    let used = uses(body);
    turn_differences(body, &used);
    let varying = iterations::varying(body);
    let turned = turn_factors(body, &used, &varying);
    let uses = uses(body);
    let order = Order::new(body, &known, &varying).without(turned);
    for number in 0..body.blocks.len() {
        contract_block(body, Block(number as u32), &uses, &order);
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

fn uses(body: &Body) -> Uses {
    let mut uses = vec![(0, true); body.values.len()];
    for block in &body.blocks {
        for inst in &block.insts {
            let data = body.inst(*inst);
            let is_sum = data.op.is_bin(Bin::Add);
            for arg in &data.args {
                let (count, only_sums) = &mut uses[arg.0 as usize];
                *count += 1;
                *only_sums &= is_sum;
            }
        }
    }
    uses
}

/// `1 - (x - y)` becomes `(y - x) + 1`, where the inner difference is wanted there only.
fn turn_differences(body: &mut Body, uses: &[(u32, bool)]) {
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
            if is_difference && uses[inner.0 as usize].0 == 1 && is_not_minus_zero(body, whole) {
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

/// `x - y * 3` becomes `x + y * -3`, which takes the product in, if nothing else in the block needs the 3: else `x + y * -3`
/// becomes `x - y * 3`. So does `x + y * -2`, since `y * 2` is computed as `y + y`. Differences take no products in.
/// Returns the sums that were differences at some time: they keep `x` before the product.
fn turn_factors(body: &mut Body, uses: &[(u32, bool)], varying: &HashSet<Inst>) -> HashSet<Inst> {
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
    /// Whether a constant can become its opposite: nothing else needs it, or the opposite is there anyway.
    fn is_single(&self, ty: Ty, bits: u64, sign: u64) -> bool {
        let count = |bits| self.0.get(&(ty, bits)).copied().unwrap_or_default();
        let ((factors, others), (opposite_factors, opposites)) = (count(bits), count(bits | sign));
        opposites > 0 || factors + others + opposite_factors <= 1
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
            take_in_doubled(body, Block(number as u32), &doubled);
        }
    }
}

/// Of sums of a value and itself: those of a product become one operation with it.
fn take_in_doubled(body: &mut Body, block: Block, doubled: &[Inst]) {
    let uses = uses(body);
    for inst in doubled {
        let product = body.inst(*inst).args[0];
        let Def::Inst(made, _) = body.values[product.0 as usize].1 else {
            continue;
        };
        let (count, only_sums) = uses[product.0 as usize];
        let data = body.inst(made);
        let is_here = body.block(block).insts.contains(&made);
        if data.op.is_bin(Bin::Mul) && only_sums && count <= MOST_SUMS && is_here {
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
fn factor(body: &Body, value: Value, uses: &[(u32, bool)], depth: usize) -> Option<(Inst, Value)> {
    let Def::Inst(product, _) = body.values[value.0 as usize].1 else {
        return None;
    };
    let data = body.inst(product);
    if !matches!(data.op, Op::Bin(Bin::Mul | Bin::Div))
        || uses
            .get(value.0 as usize)
            .is_none_or(|(count, _)| *count != 1)
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

fn contract_block(body: &mut Body, block: Block, uses: &[(u32, bool)], order: &Order) {
    let insts = body.block(block).insts.clone();
    let mut products: HashMap<Value, (Value, Value)> = HashMap::default();
    for inst in insts {
        let data = body.inst(inst);
        let Some(result) = data
            .results
            .first()
            .copied()
            .filter(|result| body.ty(*result).is_float())
        else {
            continue;
        };
        let (count, only_sums) = uses[result.0 as usize];
        let may_go = only_sums && (1..=MOST_SUMS).contains(&count);
        if data.op.is_bin(Bin::Mul) && may_go {
            products.insert(result, (data.args[0], data.args[1]));
        }
        if !data.op.is_bin(Bin::Add) {
            continue;
        }
        let (mut a, mut b) = (data.args[0], data.args[1]);
        if order.is_swapped(body, inst) {
            std::mem::swap(&mut a, &mut b);
        }
        let args = match (products.get(&a), products.get(&b)) {
            (Some((x, y)), _) => [*x, *y, b],
            (None, Some((x, y))) => [*x, *y, a],
            (None, None) => continue,
        };
        let data = &mut body.insts[inst.0 as usize];
        data.op = Op::Fma;
        data.args = args.into();
    }
}
