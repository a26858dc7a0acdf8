//! The parser's part for constant expressions: PTX ISA section "Constant Expressions". What they are used for is not here.

use crate::error::LoadError;
use crate::parse::lexer::TokenKind;
use crate::parse::parser::{Parser, WARP_SIZE};

/// The value of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Constant {
    /// 64 bits, and whether they are unsigned.
    Int(u64, bool),
    /// The bits of `0f3F800000`, which is no operand of an operator but a sign.
    Single(u32),
    Double(f64),
}

impl Constant {
    fn is_true(self) -> bool {
        match self {
            Constant::Int(value, _) => value != 0,
            Constant::Single(bits) => f32::from_bits(bits) != 0.0,
            Constant::Double(value) => value != 0.0,
        }
    }
}

/// The operators of two operands by their text, longer ones first, with how tightly they bind.
const OPERATORS: [(&str, u32); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("<", 7),
    (">", 7),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl<'a> Parser<'a> {
    /// `2 * (WARP_SZ - 1)`, `-1.5`, `a < b ? c : d` of literals.
    pub(super) fn constant(&mut self) -> Result<Constant, LoadError> {
        let first = self.unary()?;
        self.constant_from(first)
    }

    /// The rest of an expression that begins with this value.
    pub(super) fn constant_from(&mut self, first: Constant) -> Result<Constant, LoadError> {
        let condition = self.binary(first, 0)?;
        if !self.take_mark('?')? {
            return Ok(condition);
        }
        self.deeper()?;
        let then = self.constant()?;
        self.mark(':')?;
        let other = self.constant()?;
        self.shallower();
        Ok(if condition.is_true() { then } else { other })
    }

    /// A literal with the signs before it.
    fn unary(&mut self) -> Result<Constant, LoadError> {
        let mut signs = Vec::new();
        while let TokenKind::Mark(sign @ ('-' | '+' | '~' | '!')) = self.token.kind {
            self.advance()?;
            signs.push(sign);
        }
        let mut value = self.primary()?;
        for sign in signs.into_iter().rev() {
            value = match (sign, value) {
                ('+', value) => value,
                ('-', Constant::Int(value, unsigned)) => {
                    Constant::Int(value.wrapping_neg(), unsigned)
                }
                ('-', Constant::Single(bits)) => Constant::Single(bits ^ (1 << 31)),
                ('-', Constant::Double(value)) => Constant::Double(-value),
                ('~', Constant::Int(value, unsigned)) => Constant::Int(!value, unsigned),
                ('!', value) => Constant::Int(u64::from(!value.is_true()), false),
                _ => return self.wrong("an integer after `~`, before this"),
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Constant, LoadError> {
        let value = match self.token.kind {
            // What does not fit 63 bits is unsigned.
            TokenKind::Int(value) => Constant::Int(value, value > i64::MAX as u64),
            TokenKind::Single(bits) => Constant::Single(bits),
            TokenKind::Double(bits) => Constant::Double(f64::from_bits(bits)),
            TokenKind::Word("WARP_SZ") => Constant::Int(WARP_SIZE, false),
            TokenKind::Mark('(') => {
                self.deeper()?;
                self.advance()?;
                let value = self.parenthesised();
                self.shallower();
                return value;
            }
            _ => return self.wrong("an operand"),
        };
        self.advance()?;
        Ok(value)
    }

    /// `(a + b)`, or `(.u64) a`, behind the first parenthesis.
    pub(super) fn parenthesised(&mut self) -> Result<Constant, LoadError> {
        let unsigned = match self.token.kind {
            TokenKind::Word(".s64") => Some(false),
            TokenKind::Word(".u64") => Some(true),
            _ => None,
        };
        let Some(unsigned) = unsigned else {
            let value = self.constant()?;
            self.mark(')')?;
            return Ok(value);
        };
        self.advance()?;
        self.mark(')')?;
        Ok(match self.unary()? {
            Constant::Int(value, _) => Constant::Int(value, unsigned),
            Constant::Double(value) if unsigned => Constant::Int(value as u64, true),
            Constant::Double(value) => Constant::Int(value as i64 as u64, false),
            Constant::Single(_) => return self.wrong("a number that a cast takes, before this"),
        })
    }

    /// What follows a `!`.
    pub(super) fn not(&mut self) -> Result<Constant, LoadError> {
        let value = self.unary()?;
        Ok(Constant::Int(u64::from(!value.is_true()), false))
    }

    /// Operators that bind more tightly than `least`, and their operands.
    fn binary(&mut self, first: Constant, least: u32) -> Result<Constant, LoadError> {
        let mut left = first;
        while let Some((operator, binds)) = self.operator()? {
            if binds <= least {
                break;
            }
            for _ in operator.chars() {
                self.advance()?;
            }
            self.deeper()?;
            let right = self.unary()?;
            let right = self.binary(right, binds)?;
            self.shallower();
            left = match applied(operator, left, right) {
                Some(value) => value,
                None => {
                    return self.wrong(&format!("operands that `{operator}` takes, before this"));
                }
            };
        }
        Ok(left)
    }

    /// The operator that comes next, which is not taken yet.
    fn operator(&self) -> Result<Option<(&'static str, u32)>, LoadError> {
        let mark = match self.token.kind {
            TokenKind::Mark(mark) => mark,
            TokenKind::Word("%") => '%',
            _ => return Ok(None),
        };
        // The lexer gives one mark at a time.
        let second = self.mark_behind(mark);
        let fits = |text: &str| {
            let mut marks = text.chars();
            marks.next() == Some(mark) && marks.next().is_none_or(|next| Some(next) == second)
        };
        Ok(OPERATORS.into_iter().find(|(text, _)| fits(text)))
    }
}

fn applied(operator: &str, left: Constant, right: Constant) -> Option<Constant> {
    let truth = |holds: bool| Some(Constant::Int(u64::from(holds), false));
    match (operator, left, right) {
        ("&&", left, right) => truth(left.is_true() && right.is_true()),
        ("||", left, right) => truth(left.is_true() || right.is_true()),
        (_, Constant::Int(a, one), Constant::Int(b, other)) => {
            integers(operator, a, b, one || other)
        }
        (_, Constant::Single(_), _) | (_, _, Constant::Single(_)) => None,
        (_, left, right) => doubles(operator, double(left), double(right)),
    }
}

fn double(value: Constant) -> f64 {
    match value {
        Constant::Int(value, true) => value as f64,
        Constant::Int(value, false) => value as i64 as f64,
        Constant::Single(bits) => f64::from(f32::from_bits(bits)),
        Constant::Double(value) => value,
    }
}

fn integers(operator: &str, a: u64, b: u64, unsigned: bool) -> Option<Constant> {
    let (x, y) = (a as i64, b as i64);
    let order = if unsigned { a.cmp(&b) } else { x.cmp(&y) };
    let value = match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => a.checked_div(b)?,
        "/" => x.checked_div(y)? as u64,
        "%" if unsigned => a.checked_rem(b)?,
        "%" => x.checked_rem(y)? as u64,
        "<<" => a.checked_shl(u32::try_from(b).ok()?).unwrap_or(0),
        ">>" if unsigned => a.checked_shr(u32::try_from(b).ok()?).unwrap_or(0),
        ">>" => (x >> u32::try_from(b).ok()?.min(63)) as u64,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "==" => return Some(Constant::Int(u64::from(order.is_eq()), false)),
        "!=" => return Some(Constant::Int(u64::from(order.is_ne()), false)),
        "<" => return Some(Constant::Int(u64::from(order.is_lt()), false)),
        ">" => return Some(Constant::Int(u64::from(order.is_gt()), false)),
        "<=" => return Some(Constant::Int(u64::from(order.is_le()), false)),
        ">=" => return Some(Constant::Int(u64::from(order.is_ge()), false)),
        _ => return None,
    };
    Some(Constant::Int(value, unsigned))
}

fn doubles(operator: &str, a: f64, b: f64) -> Option<Constant> {
    let truth = |holds: bool| Some(Constant::Int(u64::from(holds), false));
    match operator {
        "+" => Some(Constant::Double(a + b)),
        "-" => Some(Constant::Double(a - b)),
        "*" => Some(Constant::Double(a * b)),
        "/" => Some(Constant::Double(a / b)),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        _ => None,
    }
}
