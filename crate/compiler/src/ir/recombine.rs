//! Recombination: what is taken apart and put together again, as `(x - p) + p` and `x % n + x / n * n`.

use super::build::Builder;
use super::{Bin, Op, Value};

impl Builder {
    /// The whole of which an integer sum or difference has the parts.
    pub(super) fn recombined(&mut self, bin: Bin, a: Value, b: Value) -> Option<Value> {
        match bin {
            Bin::Add => self.whole(a, b).or_else(|| self.whole(b, a)),
            Bin::Sub => match (self.arguments(a, Bin::Add), self.arguments(b, Bin::Sub)) {
                (Some((x, p)), _) if p == b => Some(x),
                (Some((p, x)), _) if p == b => Some(x),
                (_, Some((x, p))) if x == a => Some(p),
                _ => None,
            },
            Bin::Xor => [(a, b), (b, a)].into_iter().find_map(|(rest, part)| {
                match self.arguments(rest, Bin::Xor)? {
                    (x, p) | (p, x) if p == part => Some(x),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    fn whole(&mut self, rest: Value, part: Value) -> Option<Value> {
        if let Some((x, p)) = self.arguments(rest, Bin::Sub) {
            return (p == part).then_some(x);
        }
        for (rem, div) in [(Bin::RemU, Bin::DivU), (Bin::RemS, Bin::DivS)] {
            let Some((x, n)) = self.arguments(rest, rem) else {
                continue;
            };
            let is_quotient = |value: Value| self.arguments(value, div) == Some((x, n));
            let is_whole = match self.arguments(part, Bin::Mul) {
                Some((a, b)) => b == n && is_quotient(a) || a == n && is_quotient(b),
                None => {
                    let (a, by) = self.arguments(part, Bin::Shl)?;
                    let (n, by) = (self.body.constant(n)?, self.body.constant(by)?);
                    is_quotient(a) && 1_u64.checked_shl(by as u32) == Some(n)
                }
            };
            return is_whole.then_some(x);
        }
        // The low bits, and the others.
        let ((x, low), (a, by)) = (
            self.arguments(rest, Bin::And)?,
            self.arguments(part, Bin::Shl)?,
        );
        let (y, back) = self.arguments(a, Bin::ShrU)?;
        let (low, by) = (
            self.body.constant(low)?,
            (self.body.constant(by)?, self.body.constant(back)?),
        );
        // Of `x + c` LLVM knows bits before, and the parts are not of one value any more.
        let is_plain = [Bin::Add, Bin::Or].iter().all(|bin| {
            (self.arguments(x, *bin)).is_none_or(|(_, c)| self.body.constant(c).is_none())
        });
        (x == y && is_plain && by.0 == by.1 && 1_u64.checked_shl(by.0 as u32) == low.checked_add(1))
            .then_some(x)
    }

    /// The arguments of an operation.
    fn arguments(&self, value: Value, bin: Bin) -> Option<(Value, Value)> {
        let inst = self.body.def(value)?;
        match (&inst.op, &inst.args[..]) {
            (Op::Bin(found), [a, b]) if *found == bin => Some((*a, *b)),
            _ => None,
        }
    }
}
