//! Random programs: as CUDA C++, and what they compute, by an interpreter of their own. Nothing in them is undefined in
//! C++: sums and products are of unsigned numbers, divisors are odd, shifts are shorter than what they shift.

use super::Random;
use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

const TYPES: [Ty; 8] = [
    Ty::I8,
    Ty::U8,
    Ty::I16,
    Ty::U16,
    Ty::I32,
    Ty::U32,
    Ty::I64,
    Ty::U64,
];
/// Variables `v0` …, by type; array `list` of eight.
const VARIABLES: [Ty; 8] = [
    Ty::U32,
    Ty::I32,
    Ty::U64,
    Ty::I64,
    Ty::U8,
    Ty::I16,
    Ty::U32,
    Ty::U32,
];

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::I8 => "signed char",
            Ty::U8 => "unsigned char",
            Ty::I16 => "short",
            Ty::U16 => "unsigned short",
            Ty::I32 => "int",
            Ty::U32 => "unsigned",
            Ty::I64 => "long long",
            Ty::U64 => "unsigned long long",
        }
    }

    fn bits(self) -> u32 {
        match self {
            Ty::I8 | Ty::U8 => 8,
            Ty::I16 | Ty::U16 => 16,
            Ty::I32 | Ty::U32 => 32,
            Ty::I64 | Ty::U64 => 64,
        }
    }

    fn is_signed(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }

    /// A number as this type holds it.
    fn wrap(self, value: i128) -> i128 {
        let bits = self.bits();
        let low = (value as u128) & (u128::MAX >> (128 - bits));
        match self.is_signed() && low >> (bits - 1) & 1 == 1 {
            true => low as i128 - (1 << bits),
            false => low as i128,
        }
    }

    fn promoted(self) -> Ty {
        if self.bits() < 32 { Ty::I32 } else { self }
    }

    fn common(self, other: Ty) -> Ty {
        let (a, b) = (self.promoted(), other.promoted());
        match (a.bits().cmp(&b.bits()), a.is_signed() && b.is_signed()) {
            (std::cmp::Ordering::Less, _) => b,
            (std::cmp::Ordering::Greater, _) => a,
            (_, true) => a,
            (_, false) if a.bits() == 32 => Ty::U32,
            (_, false) => Ty::U64,
        }
    }
}

#[derive(Debug, Clone)]
enum Expr {
    Number(u32),
    Lane,
    Input(u32),
    Variable(usize),
    Counter(usize),
    Element(Box<Expr>),
    Cast(Ty, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Complement(Box<Expr>),
    Call(Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone)]
enum Stmt {
    Set(usize, Expr),
    Change(usize, &'static str, Expr),
    Step(usize),
    Store(Expr, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(usize, u32, bool, Vec<Stmt>),
    While(usize, Expr, Vec<Stmt>),
    Leave(Expr, bool),
}

#[derive(Debug)]
pub struct Program {
    body: Vec<Stmt>,
    helper: Expr,
}

/// Numbers that every lane is given.
pub const INPUTS: usize = 8;
/// Numbers that every lane writes.
pub const OUTPUTS: usize = 16;

struct Maker<'a> {
    random: &'a mut Random,
    counters: usize,
    open: Vec<usize>,
    left: u32,
}

impl Program {
    pub fn random(random: &mut Random) -> Self {
        let mut maker = Maker {
            random,
            counters: 0,
            open: Vec::new(),
            left: 60,
        };
        let helper = maker.expr(3, true);
        let count = 6 + maker.pick(10);
        let body = maker.block(count, 0);
        Self { body, helper }
    }

    /// CUDA C++; the kernel is `test(const unsigned* in, unsigned* out)` for one block of 32.
    pub fn source(&self) -> String {
        let mut text =
            String::from("__device__ unsigned helper(unsigned v0, int v1)\n{\n    return ");
        let _ = write!(text, "{};\n}}\n\n", show(&self.helper));
        text.push_str("extern \"C\" __global__ void test(const unsigned* in, unsigned* out)\n{\n");
        for (number, ty) in VARIABLES.iter().enumerate() {
            let _ = writeln!(
                text,
                "    {} v{number} = in[threadIdx.x * 8 + {number}];",
                ty.name()
            );
        }
        text.push_str("    unsigned list[8];\n    for (unsigned i = 0; i < 8; i++)\n        list[i] = i * v0;\n");
        show_block(&mut text, &self.body, 1);
        for number in 0..VARIABLES.len() {
            let _ = writeln!(
                text,
                "    out[threadIdx.x * 16 + {number}] = (unsigned)(v{number} ^ (unsigned long long)v{number} >> 32);"
            );
        }
        text.push_str("    for (unsigned i = 0; i < 8; i++)\n        out[threadIdx.x * 16 + 8 + i] = list[i];\n}\n");
        text
    }

    /// What a lane writes.
    pub fn run(&self, lane: u32, inputs: &[u32]) -> [u32; OUTPUTS] {
        let mut state = State {
            variables: [0; 8],
            list: [0; 8],
            counters: vec![0; 64],
            lane,
            inputs: inputs.to_vec(),
            helper: &self.helper,
            steps: 0,
        };
        for (number, ty) in VARIABLES.iter().enumerate() {
            state.variables[number] = ty.wrap(i128::from(inputs[number]));
        }
        for at in 0..8 {
            state.list[at] = Ty::U32.wrap(at as i128 * state.variables[0]);
        }
        state.block(&self.body);
        let mut out = [0; OUTPUTS];
        for number in 0..8 {
            let value = Ty::U64.wrap(state.variables[number]);
            let folded = Ty::U64
                .common(VARIABLES[number])
                .wrap(state.variables[number] ^ (value >> 32));
            out[number] = Ty::U32.wrap(folded) as u32;
            out[8 + number] = state.list[number] as u32;
        }
        out
    }
}

impl Maker<'_> {
    fn pick(&mut self, below: usize) -> usize {
        self.random.next() as usize % below
    }

    fn block(&mut self, count: usize, depth: usize) -> Vec<Stmt> {
        (0..count).filter_map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: usize) -> Option<Stmt> {
        self.left = self.left.checked_sub(1)?;
        let variable = self.pick(8);
        Some(match self.pick(if depth < 3 { 11 } else { 6 }) {
            0 | 1 => Stmt::Set(variable, self.expr(3, false)),
            2 | 3 => {
                let operator = ["+=", "-=", "*=", "^=", "|=", "&="][self.pick(6)];
                let unsigned = [0, 2, 4, 6, 7][self.pick(5)];
                Stmt::Change(
                    unsigned,
                    operator,
                    Expr::Cast(Ty::U32, Box::new(self.expr(2, false))),
                )
            }
            4 => Stmt::Store(self.expr(1, false), self.expr(2, false)),
            5 if !self.open.is_empty() => Stmt::Leave(self.expr(2, false), self.pick(2) == 0),
            5 => Stmt::Step([0, 2, 4, 6][self.pick(4)]),
            6 | 7 => {
                let (a, b) = (1 + self.pick(3), self.pick(3));
                Stmt::If(
                    self.expr(2, false),
                    self.block(a, depth + 1),
                    self.block(b, depth + 1),
                )
            }
            8 | 9 => {
                let counter = self.counters;
                self.counters += 1;
                self.open.push(counter);
                let (trips, count) = (1 + self.pick(9) as u32, 1 + self.pick(3));
                let rolled = self.pick(2) == 0;
                let body = self.block(count, depth + 1);
                self.open.pop();
                Stmt::For(counter, trips, rolled, body)
            }
            _ => {
                let counter = self.counters;
                self.counters += 1;
                let condition = self.expr(2, false);
                self.open.push(counter);
                let count = 1 + self.pick(3);
                let body = self.block(count, depth + 1);
                self.open.pop();
                Stmt::While(counter, condition, body)
            }
        })
    }

    fn expr(&mut self, depth: usize, is_helper: bool) -> Expr {
        let boxed = |maker: &mut Self| Box::new(maker.expr(depth - 1, is_helper));
        if depth == 0 {
            return match self.pick(6) {
                0 => Expr::Number(self.random.next() >> self.pick(32)),
                1 => Expr::Lane,
                2 if !is_helper => Expr::Input(self.pick(8) as u32),
                3 if !self.open.is_empty() && !is_helper => {
                    let at = self.pick(self.open.len());
                    Expr::Counter(self.open[at])
                }
                _ if is_helper => Expr::Variable(self.pick(2)),
                _ => Expr::Variable(self.pick(8)),
            };
        }
        match self.pick(12) {
            0..=3 => {
                let to = if self.pick(2) == 0 { Ty::U32 } else { Ty::U64 };
                let operator = ["+", "-", "*", "/", "%", "<<"][self.pick(6)];
                let mut right = Expr::Cast(to, boxed(self));
                if matches!(operator, "/" | "%") {
                    right = Expr::Binary("|", Box::new(right), Box::new(Expr::Number(1)));
                }
                if operator == "<<" {
                    right = Expr::Binary("&", Box::new(right), Box::new(Expr::Number(31)));
                }
                Expr::Binary(
                    operator,
                    Box::new(Expr::Cast(to, boxed(self))),
                    Box::new(right),
                )
            }
            4 => Expr::Binary(["&", "|", "^"][self.pick(3)], boxed(self), boxed(self)),
            5 => {
                let count = Expr::Binary("&", boxed(self), Box::new(Expr::Number(31)));
                Expr::Binary(">>", boxed(self), Box::new(count))
            }
            6 => Expr::Binary(
                ["<", "<=", ">", ">=", "==", "!="][self.pick(6)],
                boxed(self),
                boxed(self),
            ),
            7 => Expr::Binary(["&&", "||"][self.pick(2)], boxed(self), boxed(self)),
            8 => Expr::Cast(TYPES[self.pick(8)], boxed(self)),
            9 => Expr::Conditional(boxed(self), boxed(self), boxed(self)),
            10 if !is_helper => match self.pick(2) {
                0 => Expr::Element(boxed(self)),
                _ => Expr::Call(boxed(self), boxed(self)),
            },
            10 => Expr::Not(boxed(self)),
            _ => Expr::Complement(boxed(self)),
        }
    }
}

fn show(expr: &Expr) -> String {
    match expr {
        Expr::Number(value) => format!("{value}u"),
        Expr::Lane => "threadIdx.x".to_string(),
        Expr::Input(at) => format!("in[threadIdx.x * 8 + {at}]"),
        Expr::Variable(number) => format!("v{number}"),
        Expr::Counter(number) => format!("c{number}"),
        Expr::Element(at) => format!("list[({}) & 7u]", show(at)),
        Expr::Cast(ty, inner) => format!("({})({})", ty.name(), show(inner)),
        Expr::Binary(operator, a, b) => format!("({} {operator} {})", show(a), show(b)),
        Expr::Conditional(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
        Expr::Not(inner) => format!("!{}", show(inner)),
        Expr::Complement(inner) => format!("~{}", show(inner)),
        Expr::Call(a, b) => format!("helper({}, {})", show(a), show(b)),
    }
}

fn show_block(text: &mut String, list: &[Stmt], depth: usize) {
    let pad = "    ".repeat(depth);
    for stmt in list {
        let _ = match stmt {
            Stmt::Set(variable, value) => writeln!(text, "{pad}v{variable} = {};", show(value)),
            Stmt::Change(variable, operator, value) => {
                writeln!(text, "{pad}v{variable} {operator} {};", show(value))
            }
            Stmt::Step(variable) => writeln!(text, "{pad}v{variable}++;"),
            Stmt::Store(at, value) => {
                writeln!(text, "{pad}list[({}) & 7u] = {};", show(at), show(value))
            }
            Stmt::Leave(condition, is_break) => {
                writeln!(
                    text,
                    "{pad}if ({}) {};",
                    show(condition),
                    if *is_break { "break" } else { "continue" }
                )
            }
            Stmt::If(condition, yes, no) => {
                let _ = writeln!(text, "{pad}if ({}) {{", show(condition));
                show_block(text, yes, depth + 1);
                let _ = writeln!(text, "{pad}}} else {{");
                show_block(text, no, depth + 1);
                writeln!(text, "{pad}}}")
            }
            Stmt::For(counter, trips, rolled, body) => {
                if *rolled {
                    text.push_str("#pragma unroll 1\n");
                }
                let _ = writeln!(
                    text,
                    "{pad}for (unsigned c{counter} = 0; c{counter} < {trips}; c{counter}++) {{"
                );
                show_block(text, body, depth + 1);
                writeln!(text, "{pad}}}")
            }
            Stmt::While(counter, condition, body) => {
                let _ = writeln!(
                    text,
                    "{pad}unsigned c{counter} = 0;\n{pad}while (c{counter} < 5 && ({})) {{\n{pad}    c{counter}++;",
                    show(condition)
                );
                show_block(text, body, depth + 1);
                writeln!(text, "{pad}}}")
            }
        };
    }
}

struct State<'a> {
    variables: [i128; 8],
    list: [i128; 8],
    counters: Vec<i128>,
    lane: u32,
    inputs: Vec<u32>,
    helper: &'a Expr,
    steps: u32,
}

/// How a block ended.
#[derive(PartialEq, Eq, Clone, Copy)]
enum End {
    Through,
    Break,
    Continue,
}

impl State<'_> {
    fn block(&mut self, list: &[Stmt]) -> End {
        for stmt in list {
            self.steps += 1;
            let end = self.stmt(stmt);
            if end != End::Through {
                return end;
            }
        }
        End::Through
    }

    fn set(&mut self, variable: usize, value: i128) {
        self.variables[variable] = VARIABLES[variable].wrap(value);
    }

    fn stmt(&mut self, stmt: &Stmt) -> End {
        match stmt {
            Stmt::Set(variable, value) => {
                let (_, value) = self.eval(value);
                self.set(*variable, value);
            }
            Stmt::Change(variable, operator, by) => {
                let (by_ty, by) = self.eval(by);
                let ty = VARIABLES[*variable].common(by_ty);
                let (a, b) = (ty.wrap(self.variables[*variable]), ty.wrap(by));
                let value = match *operator {
                    "+=" => a + b,
                    "-=" => a - b,
                    "*=" => a.wrapping_mul(b),
                    "^=" => a ^ b,
                    "|=" => a | b,
                    _ => a & b,
                };
                self.set(*variable, ty.wrap(value));
            }
            Stmt::Step(variable) => self.set(*variable, self.variables[*variable] + 1),
            Stmt::Store(at, value) => {
                // The value is found first; neither changes anything.
                let (_, value) = self.eval(value);
                let at = self.index(at);
                self.list[at] = Ty::U32.wrap(value);
            }
            Stmt::Leave(condition, is_break) => {
                if self.eval(condition).1 != 0 {
                    return if *is_break { End::Break } else { End::Continue };
                }
            }
            Stmt::If(condition, yes, no) => {
                let taken = self.eval(condition).1 != 0;
                return self.block(if taken { yes } else { no });
            }
            Stmt::For(counter, trips, _, body) => {
                for trip in 0..*trips {
                    self.counters[*counter] = i128::from(trip);
                    if self.block(body) == End::Break {
                        break;
                    }
                }
            }
            Stmt::While(counter, condition, body) => {
                self.counters[*counter] = 0;
                while self.counters[*counter] < 5 && self.eval(condition).1 != 0 {
                    self.counters[*counter] += 1;
                    if self.block(body) == End::Break {
                        break;
                    }
                }
            }
        }
        End::Through
    }

    fn index(&mut self, at: &Expr) -> usize {
        let (ty, value) = self.eval(at);
        (ty.common(Ty::U32).wrap(value) & 7) as usize
    }

    fn eval(&mut self, expr: &Expr) -> (Ty, i128) {
        match expr {
            Expr::Number(value) => (Ty::U32, i128::from(*value)),
            Expr::Lane => (Ty::U32, i128::from(self.lane)),
            Expr::Input(at) => (Ty::U32, i128::from(self.inputs[*at as usize])),
            Expr::Variable(number) => (VARIABLES[*number], self.variables[*number]),
            Expr::Counter(number) => (Ty::U32, self.counters[*number]),
            Expr::Element(at) => {
                let at = self.index(at);
                (Ty::U32, self.list[at])
            }
            Expr::Cast(ty, inner) => (*ty, ty.wrap(self.eval(inner).1)),
            Expr::Not(inner) => (Ty::I32, i128::from(self.eval(inner).1 == 0)),
            Expr::Complement(inner) => {
                let (ty, value) = self.eval(inner);
                (ty.promoted(), ty.promoted().wrap(!value))
            }
            Expr::Conditional(condition, a, b) => {
                let taken = self.eval(condition).1 != 0;
                // Both give the type; neither changes anything.
                let (a, b) = (self.eval(a), self.eval(b));
                let ty = a.0.common(b.0);
                let ty = if a.0 == b.0 { a.0 } else { ty };
                (ty, ty.wrap(if taken { a.1 } else { b.1 }))
            }
            Expr::Call(a, b) => {
                let (a, b) = (Ty::U32.wrap(self.eval(a).1), Ty::I32.wrap(self.eval(b).1));
                let outer = self.variables;
                self.variables[0] = a;
                self.variables[1] = b;
                let helper = self.helper;
                let (_, value) = self.eval(helper);
                self.variables = outer;
                (Ty::U32, Ty::U32.wrap(value))
            }
            Expr::Binary(operator, a, b) => self.binary(operator, a, b),
        }
    }

    fn binary(&mut self, operator: &str, a: &Expr, b: &Expr) -> (Ty, i128) {
        let (x, y) = (self.eval(a), self.eval(b));
        match operator {
            "&&" => return (Ty::I32, i128::from(x.1 != 0 && y.1 != 0)),
            "||" => return (Ty::I32, i128::from(x.1 != 0 || y.1 != 0)),
            "<<" | ">>" => {
                let ty = x.0.promoted();
                let (value, by) = (ty.wrap(x.1), y.1 as u32);
                return (
                    ty,
                    ty.wrap(if operator == "<<" {
                        value << by
                    } else {
                        value >> by
                    }),
                );
            }
            _ => {}
        }
        let ty = x.0.common(y.0);
        let (x, y) = (ty.wrap(x.1), ty.wrap(y.1));
        let truth = |is: bool| (Ty::I32, i128::from(is));
        match operator {
            "+" => (ty, ty.wrap(x + y)),
            "-" => (ty, ty.wrap(x - y)),
            "*" => (ty, ty.wrap(x.wrapping_mul(y))),
            "/" => (ty, ty.wrap(x / y)),
            "%" => (ty, ty.wrap(x % y)),
            "&" => (ty, ty.wrap(x & y)),
            "|" => (ty, ty.wrap(x | y)),
            "^" => (ty, ty.wrap(x ^ y)),
            "<" => truth(x < y),
            "<=" => truth(x <= y),
            ">" => truth(x > y),
            ">=" => truth(x >= y),
            "==" => truth(x == y),
            _ => truth(x != y),
        }
    }
}
