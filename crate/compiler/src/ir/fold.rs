//! What an instruction can be had for less: constants computed, identities, constants moved to where an access adds them.

use super::build::Builder;
use super::compute::{constant_bin, constant_cmp, constant_cvt, constant_un, exact_inverse};
use super::{Bin, Body, Cmp, Cvt, Exact, Op, Space, Ty, Un, Value};

/// The two arguments with the constant last, where it is first and the order does not matter.
pub(super) fn turned(body: &Body, op: &Op, args: &[Value]) -> Option<[Value; 2]> {
    let commutes = match op {
        Op::Bin(bin) => is_commutative(*bin),
        Op::Cmp(cmp) => matches!(cmp, Cmp::Eq | Cmp::Ne),
        _ => false,
    };
    match args {
        [a, b] if commutes && body.constant(*a).is_some() && body.constant(*b).is_none() => {
            Some([*b, *a])
        }
        _ => None,
    }
}

/// Whether the operands may change places.
pub(crate) fn is_commutative(bin: Bin) -> bool {
    use Bin::{Add, And, MaxS, MaxU, MinS, MinU, Mul, Or, Xor};
    matches!(bin, Add | Mul | And | Or | Xor | MinU | MinS | MaxU | MaxS)
}

impl Builder {
    /// A value that is the same as this instruction's, if there is a simpler one.
    pub(crate) fn fold(&mut self, op: &Op, ty: Ty, args: &[Value]) -> Option<Value> {
        match turned(&self.body, op, args) {
            Some(args) => self.fold_ordered(op, ty, &args),
            None => self.fold_ordered(op, ty, args),
        }
    }

    /// The same where a constant is last already.
    pub(super) fn fold_ordered(&mut self, op: &Op, ty: Ty, args: &[Value]) -> Option<Value> {
        let constant = |at: usize| args.get(at).and_then(|arg| self.body.constant(*arg));
        let constants = [constant(0), constant(1), constant(2)];
        match (op, args) {
            (Op::Bin(bin), [a, b]) => match (constants[0], constants[1]) {
                (Some(x), Some(y)) => {
                    let bits = constant_bin(*bin, ty, x, y)?;
                    Some(self.constant(ty, bits))
                }
                (None, Some(y)) if !ty.is_float() => self.fold_bin_constant(*bin, ty, *a, y),
                _ => self.fold_bin(*bin, ty, *a, *b, constants[0]),
            },
            (Op::Un(un), [a]) => match constants[0] {
                Some(x) => {
                    let bits = constant_un(*un, ty, x)?;
                    Some(self.constant(ty, bits))
                }
                None => self.fold_un(*un, *a),
            },
            (Op::Cmp(cmp), [a, b]) => self.fold_cmp(*cmp, *a, *b, constants[0], constants[1]),
            (Op::Cvt(cvt), [a]) => self.fold_cvt(*cvt, ty, *a, constants[0]),
            (Op::Select, [condition, yes, no]) => self.fold_select(*condition, *yes, *no),
            (Op::Fma, [..]) => {
                let [Some(x), Some(y), Some(z)] = constants else {
                    return None;
                };
                let bits = [x, y, z];
                let found = match ty {
                    Ty::F32 => {
                        let f = |at: usize| f32::from_bits(bits[at] as u32);
                        u64::from(f(0).mul_add(f(1), f(2)).to_bits())
                    }
                    _ => {
                        let f = |at: usize| f64::from_bits(bits[at]);
                        f(0).mul_add(f(1), f(2)).to_bits()
                    }
                };
                Some(self.constant(ty, found))
            }
            (Op::FromGeneric(space), [a]) => self.fold_from_generic(*space, *a),
            _ => None,
        }
    }

    fn fold_from_generic(&mut self, space: Space, a: Value) -> Option<Value> {
        let inst = self.body.def(a)?;
        match (&inst.op, &inst.args[..]) {
            (Op::ToGeneric(from), [inner]) if *from == space => Some(*inner),
            (Op::Bin(Bin::Add), [base, offset]) if self.body.constant(*offset).is_some() => {
                let (base, offset) = (*base, *offset);
                let base = self.fold_from_generic(space, base)?;
                Some(self.bin(Bin::Add, base, offset))
            }
            _ => None,
        }
    }

    /// What is known of a sum with a constant, of which so much is known, after another one.
    fn followed_exact(&self, outer: Exact, inner: Value) -> Exact {
        match self.body.def(inner).map(|inst| inst.exact) {
            Some(inner) if outer == Exact::Yes => inner,
            _ => Exact::No,
        }
    }

    /// What is known of a sum that is made of one, of which so much is known, and the sum in it.
    fn both_exact(&self, outer: Exact, inner: Value) -> Exact {
        match self.body.def(inner).map(|inst| inst.exact) {
            Some(Exact::Yes | Exact::WithFirst) if outer == Exact::Yes => Exact::WithFirst,
            _ => Exact::No,
        }
    }

    fn parts(&self, value: Value, bin: Bin) -> Option<(Value, u64)> {
        let inst = self.body.def(value)?;
        match (&inst.op, &inst.args[..]) {
            (Op::Bin(found), [a, b]) if *found == bin => Some((*a, self.body.constant(*b)?)),
            _ => None,
        }
    }

    fn fold_bin_constant(&mut self, bin: Bin, ty: Ty, a: Value, y: u64) -> Option<Value> {
        let exact = std::mem::take(&mut self.exact);
        let all = ty.mask();
        let zero = y == 0;
        let power = y.is_power_of_two().then(|| y.trailing_zeros());
        match bin {
            Bin::Add | Bin::Sub | Bin::Or | Bin::Xor | Bin::Shl | Bin::ShrU | Bin::ShrS if zero => {
                return Some(a);
            }
            Bin::And | Bin::Mul if zero => return Some(self.constant(ty, 0)),
            Bin::Mul | Bin::DivU | Bin::DivS if y == 1 => return Some(a),
            Bin::RemU | Bin::RemS if y == 1 => return Some(self.constant(ty, 0)),
            Bin::And if y == all => return Some(a),
            Bin::Or if y == all => return Some(self.constant(ty, all)),
            Bin::Xor if ty == Ty::Pred => return Some(self.un(Un::Not, a)),
            Bin::Shl | Bin::ShrU if y >= u64::from(ty.bits()) => return Some(self.constant(ty, 0)),
            _ => {}
        }
        match (bin, power) {
            (Bin::Sub, _) => {
                let negative = self.constant(ty, y.wrapping_neg());
                self.exact = exact;
                return Some(self.bin(Bin::Add, a, negative));
            }
            (Bin::Mul, Some(k)) => {
                self.exact = exact;
                return Some(self.shifted(Bin::Shl, ty, a, k));
            }
            (Bin::DivU, Some(k)) => return Some(self.shifted(Bin::ShrU, ty, a, k)),
            (Bin::DivS | Bin::RemS, _) if self.is_positive(ty, a, y) => {
                let unsigned = match bin {
                    Bin::DivS => Bin::DivU,
                    _ => Bin::RemU,
                };
                return Some(self.with(unsigned, ty, a, y));
            }
            (Bin::RemU, Some(_)) => {
                let mask = self.constant(ty, y - 1);
                return Some(self.bin(Bin::And, a, mask));
            }
            _ => {}
        }
        if bin == Bin::And && ty != Ty::Pred {
            // Below the lowest bit that can be set there is only the constant.
            let (of, c) = self.parts(a, Bin::Add).unwrap_or((a, 0));
            if u64::BITS - y.leading_zeros() <= self.body.trailing_zeros(of) {
                return Some(self.constant(ty, c & y));
            }
        }
        let same = self.parts(a, bin);
        match (bin, same) {
            (Bin::Add, Some((x, c))) => {
                self.exact = self.followed_exact(exact, a);
                return Some(self.with(Bin::Add, ty, x, c.wrapping_add(y)));
            }
            (Bin::Mul, Some((x, c))) => return Some(self.with(Bin::Mul, ty, x, c.wrapping_mul(y))),
            (Bin::And, Some((x, c))) => return Some(self.with(Bin::And, ty, x, c & y)),
            (Bin::Or, Some((x, c))) => return Some(self.with(Bin::Or, ty, x, c | y)),
            (Bin::Xor, Some((x, c))) => return Some(self.with(Bin::Xor, ty, x, c ^ y)),
            (Bin::Shl | Bin::ShrU, Some((x, c))) if c + y < u64::from(ty.bits()) => {
                return Some(self.with(bin, ty, x, c + y));
            }
            _ => {}
        }
        // (x + c) * y and (x + c) << y: the constant becomes one of an address.
        if let (Bin::Mul | Bin::Shl, Some((x, c))) = (bin, self.parts(a, Bin::Add)) {
            let scaled = if bin == Bin::Mul {
                c.wrapping_mul(y)
            } else {
                c.wrapping_shl(y as u32)
            };
            let both = self.both_exact(exact, a);
            let x = self.with(bin, ty, x, y);
            self.exact = both;
            return Some(self.with(Bin::Add, ty, x, scaled));
        }
        if let (Bin::Mul, Some((x, c))) = (bin, self.parts(a, Bin::Shl)) {
            return Some(self.with(Bin::Mul, ty, x, y.wrapping_shl(c as u32)));
        }
        None
    }

    /// Whether neither a value nor a constant is negative, read with a sign.
    fn is_positive(&self, ty: Ty, a: Value, y: u64) -> bool {
        let largest = ty.mask() >> 1;
        y <= largest
            && self
                .body
                .unsigned_max(a)
                .is_some_and(|most| most <= largest)
    }

    fn with(&mut self, bin: Bin, ty: Ty, a: Value, bits: u64) -> Value {
        let constant = self.constant(ty, bits);
        self.bin(bin, a, constant)
    }

    fn shifted(&mut self, bin: Bin, ty: Ty, a: Value, k: u32) -> Value {
        self.with(bin, ty, a, u64::from(k))
    }

    fn fold_bin(&mut self, bin: Bin, ty: Ty, a: Value, b: Value, x: Option<u64>) -> Option<Value> {
        let exact = std::mem::take(&mut self.exact);
        if ty.is_float() {
            return self.fold_float(bin, ty, a, b);
        }
        if a == b {
            match bin {
                Bin::Sub | Bin::Xor => return Some(self.constant(ty, 0)),
                Bin::And | Bin::Or | Bin::MinU | Bin::MinS | Bin::MaxU | Bin::MaxS => {
                    return Some(a);
                }
                _ => {}
            }
        }
        if let Some(whole) = self.recombined(bin, a, b) {
            return Some(whole);
        }
        if x == Some(0)
            && matches!(
                bin,
                Bin::Shl | Bin::ShrU | Bin::ShrS | Bin::DivU | Bin::RemU
            )
        {
            return Some(a);
        }
        if bin == Bin::Add && ty != Ty::Pred {
            // Constants outwards, so that an access can take them.
            if let Some((x, c)) = self.parts(a, Bin::Add) {
                let both = self.both_exact(exact, a);
                let sum = self.bin(Bin::Add, x, b);
                self.exact = both;
                return Some(self.with(Bin::Add, ty, sum, c));
            }
            if let Some((x, c)) = self.parts(b, Bin::Add) {
                let both = self.both_exact(exact, b);
                let sum = self.bin(Bin::Add, a, x);
                self.exact = both;
                return Some(self.with(Bin::Add, ty, sum, c));
            }
        }
        if bin == Bin::Sub
            && ty != Ty::Pred
            && let Some((x, c)) = self.parts(a, Bin::Add)
        {
            let both = self.both_exact(exact, a);
            let rest = self.bin(Bin::Sub, x, b);
            self.exact = both;
            return Some(self.with(Bin::Add, ty, rest, c));
        }
        None
    }

    /// What is negated is added or subtracted as it is, and constants are added: of the same value, but which sums take
    /// a product in, and so round once, follows from the form.
    fn fold_float(&mut self, bin: Bin, ty: Ty, a: Value, b: Value) -> Option<Value> {
        let sign = ty.sign();
        if let (Bin::Sub, Some(bits)) = (bin, self.body.constant(b)) {
            let negative = self.constant(ty, bits ^ sign);
            return Some(self.bin(Bin::Add, a, negative));
        }
        // What is multiplied by one, and what minus zero is added to.
        let neutral = match (bin, ty) {
            (Bin::Mul, Ty::F32) => Some(u64::from(1_f32.to_bits())),
            (Bin::Mul, _) => Some(1_f64.to_bits()),
            (Bin::Add, _) => Some(sign),
            _ => None,
        };
        if neutral.is_some() && neutral == self.body.constant(b) {
            return Some(a);
        }
        if bin == Bin::Mul
            && neutral.is_some()
            && neutral.map(|one| one ^ sign) == self.body.constant(b)
        {
            return Some(self.un(Un::Neg, a));
        }
        if let (Bin::Div, Some(bits)) = (bin, self.body.constant(b))
            && let Some(inverse) = exact_inverse(ty, bits)
        {
            let inverse = self.constant(ty, inverse);
            return Some(self.bin(Bin::Mul, a, inverse));
        }
        let negated = |value: Value| {
            self.body
                .def(value)
                .filter(|inst| inst.op == Op::Un(Un::Neg))
                .map(|inst| inst.args[0])
        };
        match (bin, negated(a), negated(b)) {
            (Bin::Mul | Bin::Div, Some(x), Some(y)) => Some(self.bin(bin, x, y)),
            (Bin::Mul | Bin::Div, Some(x), None) if self.body.constant(b).is_some() => {
                let bits = self.body.constant(b)? ^ sign;
                let negative = self.constant(ty, bits);
                Some(self.bin(bin, x, negative))
            }
            (Bin::Div, None, Some(y)) => {
                let bits = self.body.constant(a)? ^ sign;
                let negative = self.constant(ty, bits);
                Some(self.bin(bin, negative, y))
            }
            (Bin::Mul, Some(x), None) => {
                let product = self.bin(Bin::Mul, x, b);
                Some(self.un(Un::Neg, product))
            }
            (Bin::Mul, None, Some(y)) => {
                let product = self.bin(Bin::Mul, a, y);
                Some(self.un(Un::Neg, product))
            }
            (Bin::Add, _, Some(y)) => Some(self.bin(Bin::Sub, a, y)),
            (Bin::Add, Some(x), None) => Some(self.bin(Bin::Sub, b, x)),
            (Bin::Sub, _, Some(y)) => Some(self.bin(Bin::Add, a, y)),
            _ => None,
        }
    }

    fn fold_un(&mut self, un: Un, a: Value) -> Option<Value> {
        let inst = self.body.def(a)?;
        match (&inst.op, un) {
            (Op::Un(Un::Not), Un::Not) | (Op::Un(Un::Neg), Un::Neg) => Some(inst.args[0]),
            (Op::Cmp(cmp), Un::Not) if !self.body.ty(inst.args[0]).is_float() => {
                let (cmp, a, b) = (cmp.opposite()?, inst.args[0], inst.args[1]);
                Some(self.cmp(cmp, a, b))
            }
            _ => None,
        }
    }

    fn fold_cmp(
        &mut self,
        cmp: Cmp,
        a: Value,
        b: Value,
        x: Option<u64>,
        y: Option<u64>,
    ) -> Option<Value> {
        let ty = self.body.ty(a);
        if let (Some(x), Some(y)) = (x, y) {
            let bits = constant_cmp(cmp, ty, x, y);
            return Some(self.constant(Ty::Pred, u64::from(bits)));
        }
        if ty.is_float() {
            // No number is more or less than itself, but one that is none does not equal itself.
            let is_never = a == b && matches!(cmp, Cmp::Lt | Cmp::Gt);
            return is_never.then(|| self.constant(Ty::Pred, 0));
        }
        if a == b {
            let holds = matches!(cmp, Cmp::Eq | Cmp::LeU | Cmp::GeU | Cmp::LeS | Cmp::GeS);
            return Some(self.constant(Ty::Pred, u64::from(holds)));
        }
        // A constant against what is masked.
        if let (Some(x), Some(most)) = (x, self.body.unsigned_max(b)) {
            match cmp {
                Cmp::LtU if x >= most => return Some(self.constant(Ty::Pred, 0)),
                Cmp::GeU if x >= most => return Some(self.constant(Ty::Pred, 1)),
                _ => {}
            }
        }
        let y = y?;
        if let Some(most) = self.body.unsigned_max(a) {
            match cmp {
                Cmp::LtU if most < y => return Some(self.constant(Ty::Pred, 1)),
                Cmp::GeU if most < y => return Some(self.constant(Ty::Pred, 0)),
                Cmp::GtU if most <= y => return Some(self.constant(Ty::Pred, 0)),
                Cmp::LeU if most <= y => return Some(self.constant(Ty::Pred, 1)),
                _ => {}
            }
        }
        if let Some(holds) = self
            .body
            .range(a)
            .and_then(|range| cmp.holds_in(range, ty.signed(y)))
        {
            return Some(self.constant(Ty::Pred, u64::from(holds)));
        }
        match cmp {
            Cmp::LtU if y == 0 => return Some(self.constant(Ty::Pred, 0)),
            Cmp::GeU if y == 0 => return Some(self.constant(Ty::Pred, 1)),
            Cmp::GtU if y == ty.mask() => return Some(self.constant(Ty::Pred, 0)),
            Cmp::LeU if y == ty.mask() => return Some(self.constant(Ty::Pred, 1)),
            Cmp::Ne if ty == Ty::Pred => return Some(if y == 0 { a } else { self.un(Un::Not, a) }),
            Cmp::Eq if ty == Ty::Pred => return Some(if y == 1 { a } else { self.un(Un::Not, a) }),
            _ => {}
        }
        if let Some(narrow) = self.fold_widened(cmp, a, y) {
            return Some(narrow);
        }
        let inst = self.body.def(a)?;
        if let (Op::Select, [condition, yes, no]) = (&inst.op, &inst.args[..]) {
            // A truth as a number, compared.
            let condition = *condition;
            let (yes, no) = (self.body.constant(*yes)?, self.body.constant(*no)?);
            let holds = |number| constant_cmp(cmp, ty, number, y);
            return Some(match (holds(yes), holds(no)) {
                (true, false) => condition,
                (false, true) => self.un(Un::Not, condition),
                (same, _) => self.constant(Ty::Pred, u64::from(same)),
            });
        }
        None
    }

    fn fold_cvt(&mut self, cvt: Cvt, ty: Ty, a: Value, x: Option<u64>) -> Option<Value> {
        let from = self.body.ty(a);
        if let Some(x) = x {
            let bits = constant_cvt(cvt, from, ty, x)?;
            return Some(self.constant(ty, bits));
        }
        if from == ty
            && matches!(
                cvt,
                Cvt::ZeroExtend | Cvt::SignExtend | Cvt::Truncate | Cvt::Bits | Cvt::Float
            )
        {
            return Some(a);
        }
        let inst = self.body.def(a)?;
        let inner = *inst.args.first()?;
        // What is added to a signed index is added to the address.
        let first = inst.args.first().and_then(|first| self.body.def(*first));
        let is_exact = match inst.exact {
            Exact::No => false,
            Exact::Yes => true,
            Exact::WithFirst => first.is_some_and(|first| first.exact == Exact::Yes),
        };
        // And to an unsigned one where the sum is known to have room, or to a signed one that is known to be small.
        let is_small = |most: u64| most <= 1 << 30;
        let is_near = |by: &Value| {
            let by = self.body.constant(*by);
            by.is_some_and(|by| is_small(u64::from((by as i32).unsigned_abs())))
        };
        let has_room = || match cvt {
            Cvt::SignExtend => {
                is_exact
                    || inst.args.get(1).is_some_and(is_near)
                        && self.body.unsigned_max(inner).is_some_and(is_small)
            }
            Cvt::ZeroExtend => self.body.unsigned_max(a).is_some(),
            _ => false,
        };
        if inst.op.is_bin(Bin::Add)
            && has_room()
            && let Some(by) = self.body.constant(inst.args[1])
        {
            let by = constant_cvt(cvt, from, ty, by)?;
            let wide = self.cvt(cvt, ty, inner);
            return Some(self.with(Bin::Add, ty, wide, by));
        }
        match (cvt, &inst.op) {
            (Cvt::Bits, Op::Cvt(Cvt::Bits)) if self.body.ty(inner) == ty => Some(inner),
            (Cvt::Truncate, Op::Cvt(Cvt::ZeroExtend | Cvt::SignExtend))
                if self.body.ty(inner) == ty =>
            {
                Some(inner)
            }
            (Cvt::ZeroExtendFrom(bits), Op::Cvt(Cvt::ZeroExtendFrom(other))) if *other <= bits => {
                Some(a)
            }
            (Cvt::SignExtendFrom(bits), Op::Cvt(Cvt::SignExtendFrom(other))) if *other <= bits => {
                Some(a)
            }
            // What an instruction of 16 bits gave.
            (Cvt::ZeroExtendFrom(16), Op::Cvt(Cvt::ZeroExtend))
                if self.body.ty(inner) == Ty::B16 =>
            {
                Some(a)
            }
            (Cvt::Truncate, Op::Cvt(Cvt::ZeroExtendFrom(16) | Cvt::SignExtendFrom(16)))
                if ty == Ty::B16 =>
            {
                Some(self.cvt(Cvt::Truncate, ty, inner))
            }
            (Cvt::Float, Op::Bin(bin @ (Bin::Add | Bin::Sub | Bin::Mul | Bin::Div)))
                if ty == Ty::F32 =>
            {
                let (bin, args) = (*bin, inst.args.clone());
                let a = self.as_single(*args.first()?)?;
                let b = self.as_single(*args.get(1)?)?;
                Some(self.bin(bin, a, b))
            }
            (Cvt::ZeroExtendFrom(bits), Op::Load(mem)) if is_unsigned_of(mem.ty, bits) => Some(a),
            (Cvt::ZeroExtendFrom(bits), Op::Bin(Bin::And)) => {
                let mask = self.body.constant(*inst.args.get(1)?)?;
                (mask < 1 << bits).then_some(a)
            }
            _ => None,
        }
    }

    /// A `double` as the `float` that it was: what is computed of two such and rounded again has the bits that `float` gives,
    /// since a `double` has more than twice as many.
    fn as_single(&mut self, value: Value) -> Option<Value> {
        if let Some(bits) = self.body.constant(value) {
            let number = f64::from_bits(bits);
            let single = number as f32;
            let is_same = f64::from(single).to_bits() == bits;
            return is_same.then(|| self.constant(Ty::F32, u64::from(single.to_bits())));
        }
        let inst = self.body.def(value)?;
        let from = *inst.args.first()?;
        let is_single = inst.op == Op::Cvt(Cvt::Float) && self.body.ty(from) == Ty::F32;
        is_single.then_some(from)
    }

    fn fold_select(&mut self, condition: Value, yes: Value, no: Value) -> Option<Value> {
        if let Some(bits) = self.body.constant(condition) {
            return Some(if bits != 0 { yes } else { no });
        }
        if yes == no {
            return Some(yes);
        }
        if self.body.ty(yes) == Ty::Pred {
            return Some(match (self.body.constant(yes), self.body.constant(no)) {
                (Some(1), Some(0)) => condition,
                (Some(0), Some(1)) => self.un(Un::Not, condition),
                (Some(1), None) => self.bin(Bin::Or, condition, no),
                (None, Some(0)) => self.bin(Bin::And, condition, yes),
                (Some(_), None) => {
                    let not = self.un(Un::Not, condition);
                    self.bin(Bin::And, not, no)
                }
                _ => {
                    let not = self.un(Un::Not, condition);
                    let a = self.bin(Bin::And, condition, yes);
                    let b = self.bin(Bin::And, not, no);
                    self.bin(Bin::Or, a, b)
                }
            });
        }
        None
    }
}

fn is_unsigned_of(ty: super::MemTy, bits: u8) -> bool {
    (ty == super::MemTy::U8 && bits >= 8) || (ty == super::MemTy::U16 && bits >= 16)
}
