//! One PTX instruction as the model sees it: what it costs, and which registers it reads and writes. What memory it reaches is `observe`'s.

use serde::{Deserialize, Serialize};

/// The unit that executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pipe {
    /// No unit: the assembler needs no instruction for it.
    None,
    /// Single precision; half precision too.
    Fma,
    /// Products of integers.
    Imad,
    /// Integers, logic, comparisons.
    Alu,
    /// Special functions and conversions.
    Xu,
    /// Double precision.
    Fp64,
    /// Exchanges between lanes.
    Shuffle,
    /// Loads, stores, atomics.
    Memory,
    /// Products of matrices by one warp.
    Tensor,
    /// Products of matrices by a warpgroup.
    Group,
    /// Barriers of a block.
    Barrier,
    /// Branches.
    Branch,
}

/// What the instruction is to the order of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Nothing of the below.
    Plain,
    /// A load from global memory which no store can change, or any other.
    Load,
    /// A load of shared or local memory.
    NearLoad,
    /// A store.
    Store,
    /// An atomic that returns a value.
    Atomic,
    /// One that does not.
    Reduction,
    /// A copy from global to shared memory past the registers.
    AsyncCopy,
    /// Ends a group of such copies.
    Commit,
    /// Waits for all but so many groups.
    Wait(u32),
    /// Starts a copy by the copy engine.
    Bulk,
    /// Waits at an mbarrier.
    AwaitBulk,
    /// Waits for all threads of the block.
    Barrier,
    /// A branch.
    Branch,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// Its line in the PTX text.
    pub ptx_line: u32,
    /// Opcode with its suffixes.
    pub name: String,
    /// Who executes it.
    pub pipe: Pipe,
    /// What it is to others.
    pub role: Role,
    /// Machine instructions that it becomes.
    pub slots: f32,
    /// Operations of tensor cores, for a product of matrices.
    pub tensor_ops: f32,
    /// Registers that it writes.
    pub writes: Vec<u32>,
    /// Registers that it reads, its guard included.
    pub reads: Vec<u32>,
}

/// Numbers of registers by name.
#[derive(Debug, Default)]
pub struct Names(std::collections::BTreeMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(name.to_string()).or_insert(next)
    }
}

/// Machine instructions of what takes a subroutine, from the assembler's listings of such functions for compute capability 9.0.
const LONG: [(&str, f32); 12] = [
    ("div.u32", 16.0),
    ("div.s32", 22.0),
    ("rem.u32", 18.0),
    ("rem.s32", 22.0),
    ("div.u64", 70.0),
    ("div.s64", 80.0),
    ("rem.u64", 70.0),
    ("rem.s64", 80.0),
    ("div.rn.f32", 9.0),
    ("sqrt.rn.f32", 8.0),
    ("rcp.rn.f32", 6.0),
    ("div.rn.f64", 12.0),
];

impl Op {
    /// The instruction on a line of PTX text; none where there is none.
    pub fn parse(text: &str, ptx_line: u32, names: &mut Names) -> Option<Self> {
        let text = text
            .split("//")
            .next()
            .unwrap_or(text)
            .trim()
            .trim_end_matches(';');
        let text = text.trim_start_matches(['{', '}', ' ']);
        if text.is_empty() || text.starts_with('.') || text.ends_with(':') {
            return None;
        }
        let (guard, text) = match text.strip_prefix('@') {
            Some(rest) => {
                let (guard, rest) = rest.split_once(char::is_whitespace)?;
                (Some(guard.trim_start_matches('!')), rest.trim())
            }
            None => (None, text),
        };
        let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands = split_operands(operands);
        let written = written(name);
        let mut op = Self {
            ptx_line,
            name: name.to_string(),
            pipe: Pipe::Alu,
            role: Role::Plain,
            slots: 1.0,
            tensor_ops: 0.0,
            writes: Vec::new(),
            reads: Vec::new(),
        };
        if let Some(guard) = guard {
            op.reads.push(names.number(guard));
        }
        for (number, operand) in operands.iter().enumerate() {
            let is_written = number < written;
            for register in registers(operand) {
                let register = names.number(register);
                match is_written {
                    true => op.writes.push(register),
                    false => op.reads.push(register),
                }
            }
        }
        let has_two = name.starts_with("mma") || name.starts_with("wgmma.mma");
        if has_two {
            // The accumulator is read too.
            op.reads.extend(op.writes.clone());
        }
        op.classify(&operands);
        Some(op)
    }

    fn classify(&mut self, operands: &[&str]) {
        let name = self.name.clone();
        let parts: Vec<&str> = name.split('.').collect();
        let has = |part: &str| parts.contains(&part);
        let is_wide = parts.last().is_some_and(|ty| ty.ends_with("64"));
        let is_double = parts.last() == Some(&"f64");
        let mut set = |pipe, role, slots| {
            self.pipe = pipe;
            self.role = role;
            self.slots = slots;
        };
        if let Some((_, slots)) = LONG
            .iter()
            .find(|(long, _)| name.replace(".ftz", "") == *long)
        {
            return set(Pipe::Imad, Role::Plain, *slots);
        }
        let is_special = operands.iter().skip(1).any(|operand| {
            operand.starts_with("%tid")
                || operand.starts_with("%ctaid")
                || operand.starts_with("%laneid")
                || operand.starts_with("%clock")
                || operand.starts_with("%warpid")
        });
        match parts[0] {
            "mov" if is_special => set(Pipe::Xu, Role::Plain, 0.5),
            "mov" | "cvta" | "ret" | "exit" | "pragma" => set(Pipe::None, Role::Plain, 0.0),
            "ld" if has("param") => set(Pipe::None, Role::Plain, 0.0),
            "ld" | "ldu" if has("global") => set(Pipe::Memory, Role::Load, 1.0),
            "tex" | "tld4" | "suld" => set(Pipe::Memory, Role::Load, 1.0),
            "ld" | "ldmatrix" => set(Pipe::Memory, Role::NearLoad, 1.0),
            "st" | "stmatrix" | "sust" => set(Pipe::Memory, Role::Store, 1.0),
            "red" => set(Pipe::Memory, Role::Reduction, 1.0),
            "atom" => set(Pipe::Memory, Role::Atomic, 1.0),
            "cp" if has("bulk") && has("wait_group") => set(Pipe::Branch, Role::AwaitBulk, 1.0),
            "cp" if has("bulk") && (has("commit_group") || has("prefetch")) => {
                set(Pipe::Branch, Role::Plain, 1.0)
            }
            "cp" if has("bulk") => set(Pipe::Memory, Role::Bulk, 2.0),
            "cp" if has("commit_group") => set(Pipe::Branch, Role::Commit, 1.0),
            "cp" if has("wait_all") => set(Pipe::Branch, Role::Wait(0), 1.0),
            "cp" if has("wait_group") => {
                let left = operands.first().and_then(|number| number.parse().ok());
                set(Pipe::Branch, Role::Wait(left.unwrap_or(0)), 1.0);
            }
            "cp" => set(Pipe::Memory, Role::AsyncCopy, 1.0),
            "mbarrier" if has("try_wait") || has("test_wait") => {
                set(Pipe::Branch, Role::AwaitBulk, 1.0)
            }
            "mbarrier" | "fence" | "membar" => set(Pipe::Branch, Role::Plain, 1.0),
            "bar" | "barrier" if has("arrive") => set(Pipe::Barrier, Role::Plain, 1.0),
            "bar" | "barrier" if has("warp") => set(Pipe::Branch, Role::Plain, 1.0),
            "bar" | "barrier" => set(Pipe::Barrier, Role::Barrier, 1.0),
            "bra" | "brx" | "call" => set(Pipe::Branch, Role::Branch, 1.0),
            "shfl" => set(Pipe::Shuffle, Role::Plain, 1.0),
            "vote" | "activemask" => set(Pipe::Alu, Role::Plain, 1.0),
            "redux" | "match" => set(Pipe::Xu, Role::Plain, 1.0),
            "fma" | "add" | "sub" | "mul" if is_double => set(Pipe::Fp64, Role::Plain, 1.0),
            "fma" | "add" | "sub" | "mul"
                if parts
                    .iter()
                    .any(|part| part.starts_with('f') || part.starts_with("bf")) =>
            {
                set(Pipe::Fma, Role::Plain, 1.0)
            }
            "mad" | "mul" if is_wide && !has("wide") => set(Pipe::Imad, Role::Plain, 3.0),
            "mad" | "mul" | "dp4a" | "mad24" | "mul24" => set(Pipe::Imad, Role::Plain, 1.0),
            "ex2" | "lg2" if !has("ftz") => set(Pipe::Xu, Role::Plain, 1.0),
            "ex2" | "lg2" | "rcp" | "rsqrt" | "sqrt" | "sin" | "cos" | "tanh" | "popc" | "brev"
            | "bfind" | "clz" | "div" => set(Pipe::Xu, Role::Plain, 1.0),
            "cvt"
                if parts
                    .iter()
                    .any(|part| part.starts_with('f') || part.starts_with("bf")) =>
            {
                match is_double || has("f64") {
                    true => set(Pipe::Xu, Role::Plain, 1.0),
                    false => set(Pipe::Alu, Role::Plain, 1.0),
                }
            }
            "cvt" => set(Pipe::Alu, Role::Plain, 0.3),
            "mma" | "wmma" if has("load") => set(Pipe::Memory, Role::NearLoad, 1.0),
            "wmma" if has("store") => set(Pipe::Memory, Role::Store, 1.0),
            "mma" | "wmma" => {
                let ops = tensor_ops(&name);
                self.tensor_ops = ops;
                self.pipe = Pipe::Tensor;
            }
            "wgmma" if has("mma_async") => {
                self.tensor_ops = tensor_ops(&name) / 4.0;
                self.pipe = Pipe::Group;
            }
            "wgmma" if has("wait_group") => set(Pipe::Branch, Role::Plain, 1.0),
            "add" | "sub" | "neg" | "abs" | "min" | "max" | "setp" | "selp" | "shl" | "shr"
                if is_wide =>
            {
                set(Pipe::Alu, Role::Plain, 2.0)
            }
            "and" | "or" | "xor" | "not" if parts.last() == Some(&"pred") => {
                set(Pipe::Alu, Role::Plain, 0.5)
            }
            "shl" | "and" | "or" | "xor" | "not" => set(Pipe::Alu, Role::Plain, 0.7),
            _ => {}
        }
    }
}

/// Operations of a product of matrices of one instruction: two for each product of elements.
fn tensor_ops(name: &str) -> f32 {
    let shape = name.split('.').find_map(|part| {
        let rest = part.strip_prefix('m')?;
        let (m, rest) = rest.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(2.0 * m.parse::<f32>().ok()? * n.parse::<f32>().ok()? * k.parse::<f32>().ok()?)
    });
    shape.unwrap_or(8192.0)
}

/// How many operands are results.
fn written(name: &str) -> usize {
    let first = name.split('.').next().unwrap_or(name);
    match first {
        "st" | "red" | "bar" | "barrier" | "bra" | "ret" | "exit" | "fence" | "membar" | "cp"
        | "prefetch" | "stmatrix" | "sust" | "trap" | "griddepcontrol" => 0,
        "mbarrier" => usize::from(name.contains("wait") || name.contains("arrive")),
        "wgmma" => usize::from(name.contains("mma_async")),
        _ => 1,
    }
}

/// The operands, with braces and brackets kept together.
fn split_operands(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found.retain(|operand| !operand.is_empty());
    found
}

/// The registers that an operand names: `%r1`, but not `%tid.x`.
fn registers(operand: &str) -> impl Iterator<Item = &str> {
    let pieces = operand.split(|letter: char| {
        !(letter.is_alphanumeric() || matches!(letter, '%' | '_' | '$' | '.'))
    });
    pieces.filter(|piece| {
        piece.strip_prefix('%').is_some_and(|name| {
            !name.contains('.')
                && name.ends_with(|letter: char| letter.is_ascii_digit())
                && !name.starts_with("envreg")
        })
    })
}
