//! Products that are added become one operation, which rounds once. By NVIDIA's rule: within a block, only in sums, not in
//! differences, and only products that are used in sums alone, in less than five.

use crate::hash::HashMap;
use crate::ir::graph::Graph;
use crate::ir::{Bin, Block, Body, Def, Inst, Op, Ty, Value};

/// Sums beyond which a product stays one.
const MOST_SUMS: usize = 4;

/// How deep the constant of a product of products is looked for.
const DEEPEST: usize = 4;

/// By value: how often it is used, and whether in sums only.
type Uses = Vec<(usize, bool)>;

pub(super) fn contract(body: &mut Body) {
    let before = uses(body);
    turn_factors(body, &before);
    let uses = uses(body);
    let ranks = ranks(body);
    for number in 0..body.blocks.len() {
        contract_block(body, Block(number as u32), &uses, &ranks);
    }
}

fn uses(body: &Body) -> Uses {
    let mut uses = vec![(0, true); body.values.len()];
    for block in &body.blocks {
        for inst in &block.insts {
            let data = body.inst(*inst);
            for arg in &data.args {
                let (count, only_sums) = &mut uses[arg.0 as usize];
                *count += 1;
                *only_sums &= data.op == Op::Bin(Bin::Add);
            }
        }
    }
    uses
}

/// `x - y * 3` becomes `x + y * -3`, which takes the product in. But in a loop that was unrolled `x + y * -3` becomes
/// `x - y * 3`, and so does `y + y`, as which `y * 2` is computed: differences take no products in.
fn turn_factors(body: &mut Body, uses: &[(usize, bool)]) {
    for number in 0..body.blocks.len() {
        for inst in body.blocks[number].insts.clone() {
            let data = body.inst(inst).clone();
            let Op::Bin(bin @ (Bin::Add | Bin::Sub)) = data.op else {
                continue;
            };
            if !body.ty(data.args[0]).is_float() {
                continue;
            }
            for at in [1, 0] {
                let may_turn = at == 1 || bin == Bin::Add;
                let found = may_turn
                    .then(|| factor(body, data.args[at], uses, 0))
                    .flatten();
                let Some((product, factor)) = found else {
                    continue;
                };
                let ty = body.ty(factor);
                let bits = body.constant(factor).unwrap_or(0);
                let sign = 1_u64 << (ty.bits() - 1);
                let is_twice = bits & !sign == twice(ty);
                let is_wanted = match data.is_unrolled || is_twice {
                    true => bits & sign != 0,
                    false => bin == Bin::Sub,
                };
                if !is_wanted {
                    continue;
                }
                let other = body.make_constant(ty, bits ^ sign);
                for arg in &mut body.insts[product.0 as usize].args {
                    if *arg == factor {
                        *arg = other;
                    }
                }
                let data = &mut body.insts[inst.0 as usize];
                data.op = Op::Bin(if bin == Bin::Add { Bin::Sub } else { Bin::Add });
                if at == 0 {
                    data.args.swap(0, 1);
                }
                break;
            }
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
fn factor(
    body: &Body,
    value: Value,
    uses: &[(usize, bool)],
    depth: usize,
) -> Option<(Inst, Value)> {
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
        None if data.op == Op::Bin(Bin::Mul) && depth < DEEPEST => {
            let mut args = data.args.iter();
            args.find_map(|arg| factor(body, *arg, uses, depth + 1))
        }
        None => None,
    }
}

/// By value: numbers by which LLVM orders the two sides of a sum. What comes later in memory's order has a higher one.
fn ranks(body: &Body) -> Vec<u64> {
    let mut ranks = vec![0; body.values.len()];
    let graph = Graph::new(body);
    for (place, block) in graph.order.iter().enumerate() {
        let mut next = (place as u64 + 1) << 32;
        for inst in &body.block(*block).insts {
            let data = body.inst(*inst);
            let is_fixed = match &data.op {
                Op::Load(_) | Op::Phi(_) | Op::Ptx(_) => true,
                Op::Bin(bin) => matches!(
                    bin,
                    Bin::Div | Bin::DivU | Bin::DivS | Bin::RemU | Bin::RemS
                ),
                _ => false,
            };
            let rank = match is_fixed {
                true => {
                    next += 1;
                    next
                }
                false => {
                    let ranks = data.args.iter().map(|arg| ranks[arg.0 as usize]);
                    ranks.max().unwrap_or(0) + 1
                }
            };
            for result in &data.results {
                ranks[result.0 as usize] = rank;
            }
        }
    }
    ranks
}

fn contract_block(body: &mut Body, block: Block, uses: &[(usize, bool)], ranks: &[u64]) {
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
        if data.op == Op::Bin(Bin::Mul) && may_go {
            products.insert(result, (data.args[0], data.args[1]));
        }
        if data.op != Op::Bin(Bin::Add) {
            continue;
        }
        let (mut a, mut b) = (data.args[0], data.args[1]);
        let rank = |value: &Value| ranks[value.0 as usize];
        // What was unrolled was ordered as a loop: as it is written, mostly.
        if !data.is_unrolled && rank(&b) < rank(&a) && body.constant(b).is_none() {
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
