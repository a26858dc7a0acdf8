//! What `nvdisasm` prints, read line by line: instructions with their guard, their basic block and the line of PTX that they come from. What they do to memory is `access`'s.

use super::access::{Access, machine_access};

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its address in the kernel, in bytes.
    pub offset: u64,
    /// The predicate that guards it, such as `@!P0`.
    pub guard: Option<String>,
    /// With its modifiers.
    pub opcode: String,
    /// The whole instruction.
    pub text: String,
    /// The line of PTX, from 1; 0 where the assembler names none.
    pub ptx_line: u32,
    /// Number of its basic block.
    pub block: usize,
    /// Whether it is of a subroutine that the assembler put behind the kernel: of a quotient or a root of operands that
    /// are out of the ordinary.
    pub is_aside: bool,
}

impl Instruction {
    /// What it does to memory. Guarded by `@!PT` it never acts.
    pub fn access(&self) -> Option<Access> {
        (self.guard.as_deref() != Some("@!PT")).then(|| machine_access(&self.opcode))?
    }

    /// Whether it is likely to access memory in a way that is not known here.
    pub(super) fn is_strange(&self) -> bool {
        const HARMLESS: [&str; 4] = ["LDC", "LDCU", "LDGDEPBAR", "REDUX"];
        let name = self.name();
        let starts = ["LD", "ST", "ATOM", "RED"];
        let is_access = starts.iter().any(|start| name.starts_with(start));
        is_access && machine_access(&self.opcode).is_none() && !HARMLESS.contains(&name)
    }

    /// Whether some execution may act in no lane: it is guarded, and not by what is always true.
    pub fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether the next instruction begins another basic block.
    fn ends_block(&self) -> bool {
        let ends = [
            "BRA", "BRX", "JMP", "JMX", "EXIT", "RET", "CALL", "BREAK", "KILL",
        ];
        ends.contains(&self.name())
    }

    /// Whether it is executed whenever its basic block is: not guarded, or a jump, which a warp comes to in any case.
    pub(super) fn tells_runs(&self) -> bool {
        self.ptx_line > 0 && (!self.is_guarded() || self.ends_block())
    }

    /// Whether it stays where the PTX has it, so that it tells how often its basic block runs: it stores, waits, or ends
    /// the block.
    pub(super) fn is_anchor(&self) -> bool {
        let is_store = self
            .access()
            .is_some_and(|access| !access.direction.ends_with("load"));
        self.name() == "BAR" || (is_store && !self.is_guarded())
    }
}

/// The instructions of one kernel, in order; empty where the listing has no such kernel.
pub fn parse(listing: &str, entry: &str) -> Vec<Instruction> {
    let start = format!(".text.{entry}:");
    let lines = listing
        .lines()
        .skip_while(|line| line.trim() != start)
        .skip(1)
        .take_while(|line| !line.trim_start().starts_with(".section"));
    let mut found: Vec<Instruction> = Vec::new();
    let (mut ptx_line, mut block, mut is_aside) = (0, 0, false);
    for line in lines.map(str::trim) {
        if let Some(comment) = line.strip_prefix("//##") {
            ptx_line = line_number(comment).unwrap_or(ptx_line);
        } else if line.ends_with(':') {
            block += 1;
            is_aside |= line.contains("$__internal_");
        } else if let Some(instruction) = instruction(line, ptx_line, block) {
            block += usize::from(instruction.ends_block());
            found.push(Instruction {
                is_aside,
                ..instruction
            });
        }
    }
    found
}

/// `File ".nv_debug_ptx_txt", line 3188`.
fn line_number(comment: &str) -> Option<u32> {
    let number = comment.split_once("line ")?.1;
    let end = number.find(|c: char| !c.is_ascii_digit());
    number[..end.unwrap_or(number.len())].parse().ok()
}

/// `/*0090*/   @!P0 LDG.E R11, desc[UR4][R2.64] ;`
fn instruction(line: &str, ptx_line: u32, block: usize) -> Option<Instruction> {
    let (offset, code) = line.strip_prefix("/*")?.split_once("*/")?;
    let offset = u64::from_str_radix(offset.trim(), 16).ok()?;
    let text = code.split(';').next().unwrap_or_default().trim();
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let (guard, opcode) = match first.starts_with('@') {
        true => ((first != "@PT").then(|| first.to_string()), words.next()?),
        false => (None, first),
    };
    Some(Instruction {
        offset,
        guard,
        opcode: opcode.to_string(),
        text: text.to_string(),
        ptx_line,
        block,
        is_aside: false,
    })
}
