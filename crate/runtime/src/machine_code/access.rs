//! Memory instructions of PTX and of machine code, by space, direction and width, and how their numbers differ. Which belongs to which is `align`'s.

use super::sass::{self, Instruction};
use cornerturn_base::ptx;
use cornerturn_registry::registry::MachineDifference;
use std::collections::BTreeMap;
use std::fmt;

/// What kind of memory instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// `global`, `shared`, `local` or `generic`.
    pub space: &'static str,
    /// `load`, `store`, `atomic`, `copy to shared`, `bulk copy`, `matrix load` or `matrix store`.
    pub direction: &'static str,
    /// Bytes that one thread moves, 0 where the instruction does not say.
    pub bytes: u32,
}

/// The name by which `kernels.toml` knows it: `global load 4`.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.space, self.direction, self.bytes)
    }
}

/// How many of each there are in the text of one kernel.
pub type Counts = BTreeMap<Access, u32>;

/// One instruction of PTX, with the line on which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'p> {
    /// Line in the file, from 1.
    pub ptx_line: u32,
    /// Whether a predicate guards it.
    pub is_guarded: bool,
    /// With its modifiers.
    pub opcode: &'p str,
    /// What follows.
    pub operands: &'p str,
}

impl Statement<'_> {
    /// What it does to memory; `None` for parameters, constants and everything else.
    pub fn access(&self) -> Option<Access> {
        ptx_access(self.opcode, self.operands)
    }
}

/// The instructions of one entry in a PTX file, and of the functions beside the entries.
pub fn statements<'p>(text: &'p str, entry: &str) -> Vec<Statement<'p>> {
    let functions = ptx::function_bodies(text).flat_map(|body| statements_of(text, body));
    let mut all = statements_of_entry(text, entry);
    all.extend(functions);
    all
}

/// The instructions of one entry alone.
pub(super) fn statements_of_entry<'p>(text: &'p str, entry: &str) -> Vec<Statement<'p>> {
    statements_of(text, ptx::body(text, entry).unwrap_or(&text[..0]))
}

/// The instructions in a part of the text. A directive or label stands on a line of its own.
fn statements_of<'p>(text: &'p str, part: &'p str) -> Vec<Statement<'p>> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let first = 1 + text[..start].matches('\n').count() as u32;
    let mut found = Vec::new();
    for (line, row) in (first..).zip(part.split('\n')) {
        let code = row.split("//").next().unwrap_or_default();
        for piece in code.split(';') {
            found.extend(statement(
                piece.trim_matches(['{', '}', ' ', '\t', '\r']),
                line,
            ));
        }
    }
    found
}

fn statement(piece: &str, ptx_line: u32) -> Option<Statement<'_>> {
    let (is_guarded, rest) = match piece.strip_prefix('@') {
        Some(guarded) => (
            true,
            guarded.split_once(char::is_whitespace)?.1.trim_start(),
        ),
        None => (false, piece),
    };
    let (opcode, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_opcode = opcode.starts_with(|first: char| first.is_ascii_lowercase());
    is_opcode.then_some(Statement {
        ptx_line,
        is_guarded,
        opcode,
        operands: operands.trim(),
    })
}

/// The memory instructions of one entry in a PTX file; parameters and constants are none.
pub fn of_ptx(text: &str, entry: &str) -> Counts {
    let found = statements_of_entry(text, entry);
    counted(found.iter().filter_map(Statement::access))
}

fn counted(accesses: impl Iterator<Item = Access>) -> Counts {
    let mut counts = Counts::new();
    for access in accesses {
        *counts.entry(access).or_default() += 1;
    }
    counts
}

fn ptx_access(opcode: &str, operands: &str) -> Option<Access> {
    let mut parts = opcode.split('.');
    let name = parts.next()?;
    let modifiers: Vec<&str> = parts.collect();
    let has = |modifier: &str| modifiers.contains(&modifier);
    let (space, direction) = match name {
        "ldmatrix" => ("shared", "matrix load"),
        "stmatrix" => ("shared", "matrix store"),
        "ld" | "ldu" => (space_of(&modifiers)?, "load"),
        "st" => (space_of(&modifiers)?, "store"),
        "atom" | "red" => (space_of(&modifiers)?, "atomic"),
        "cp" if has("bulk") && !has("commit_group") && !has("wait_group") => {
            ("global", "bulk copy")
        }
        "cp" if has("ca") || has("cg") => ("global", "copy to shared"),
        _ => return None,
    };
    let bytes = match direction {
        "matrix load" | "matrix store" => number_after(&modifiers, "x").unwrap_or(1) * 4,
        "bulk copy" => 0,
        "copy to shared" => {
            let size = operands.split(',').nth(2)?;
            size.trim().parse().ok()?
        }
        _ => {
            let elements = number_after(&modifiers, "v").unwrap_or(1);
            elements * element_bytes(modifiers.last()?, &modifiers)?
        }
    };
    Some(Access {
        space,
        direction,
        bytes,
    })
}

/// Parameters and constants live in a constant bank, which no load or store instruction reaches.
fn space_of(modifiers: &[&str]) -> Option<&'static str> {
    for modifier in modifiers {
        // Shared memory of a cluster is reached by generic addresses.
        if *modifier == "shared::cluster" {
            return Some("generic");
        }
        match modifier.split("::").next().unwrap_or(modifier) {
            "global" => return Some("global"),
            "shared" => return Some("shared"),
            "local" => return Some("local"),
            "param" | "const" => return None,
            _ => {}
        }
    }
    Some("generic")
}

fn number_after(modifiers: &[&str], letter: &str) -> Option<u32> {
    modifiers
        .iter()
        .find_map(|modifier| modifier.strip_prefix(letter)?.parse().ok())
}

/// `f32` and `f16x2` have 4 bytes; the type of `red.v4.f32.add` is not the last modifier.
fn element_bytes(last: &str, modifiers: &[&str]) -> Option<u32> {
    let bytes = |modifier: &str| -> Option<u32> {
        let (bits, pair) = match modifier.strip_suffix("x2") {
            Some(half) => (half, 2),
            None => (modifier, 1),
        };
        let digits = bits
            .trim_start_matches("bf")
            .trim_start_matches(['b', 'u', 's', 'f']);
        let bits: u32 = digits.parse().ok()?;
        matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(pair * bits / 8)
    };
    bytes(last).or_else(|| modifiers.iter().rev().copied().find_map(bytes))
}

/// The memory instructions of one kernel in what `nvdisasm -c` prints. Those guarded by `@!PT` never act.
pub fn of_machine_code(listing: &str, entry: &str) -> Counts {
    let instructions = sass::parse(listing, entry);
    counted(instructions.iter().filter_map(Instruction::access))
}

pub(super) fn machine_access(opcode: &str) -> Option<Access> {
    let mut parts = opcode.split('.');
    let name = parts.next()?;
    let modifiers: Vec<&str> = parts.collect();
    let (space, direction) = match name {
        "LDG" => ("global", "load"),
        "LDS" => ("shared", "load"),
        "LDL" => ("local", "load"),
        "LD" => ("generic", "load"),
        "STG" => ("global", "store"),
        "STS" => ("shared", "store"),
        "STL" => ("local", "store"),
        "ST" => ("generic", "store"),
        "ATOMG" | "REDG" | "RED" => ("global", "atomic"),
        "ATOMS" => ("shared", "atomic"),
        "ATOM" => ("generic", "atomic"),
        "LDGSTS" => ("global", "copy to shared"),
        "UBLKCP" | "UTMALDG" | "UTMASTG" | "UTMAREDG" => ("global", "bulk copy"),
        "LDSM" => ("shared", "matrix load"),
        "STSM" => ("shared", "matrix store"),
        _ => return None,
    };
    let has = |modifier: &str| modifiers.contains(&modifier);
    let bytes = match direction {
        "bulk copy" => 0,
        "matrix load" | "matrix store" if has("4") => 16,
        "matrix load" | "matrix store" if has("2") => 8,
        _ if has("128") || has("F32x4") => 16,
        _ if has("64") || has("S64") || has("F64") || has("F32x2") => 8,
        "load" | "store" if has("U8") || has("S8") => 1,
        "load" | "store" if has("U16") || has("S16") => 2,
        _ => 4,
    };
    Some(Access {
        space,
        direction,
        bytes,
    })
}

/// One sentence for each kind of access whose number differs and that is not explained, and for each explanation that
/// explains nothing.
pub fn differences(ptx: &Counts, machine: &Counts, explained: &[MachineDifference]) -> Vec<String> {
    let mut kinds: Vec<&Access> = ptx.keys().chain(machine.keys()).collect();
    kinds.sort();
    kinds.dedup();
    let count = |counts: &Counts, access: &Access| counts.get(access).copied().unwrap_or(0);
    let mut sentences = Vec::new();
    for access in &kinds {
        let (in_ptx, in_machine_code) = (count(ptx, access), count(machine, access));
        let known = explained.iter().any(|known| {
            known.access == access.to_string()
                && (known.ptx, known.machine_code) == (in_ptx, in_machine_code)
        });
        if in_ptx != in_machine_code && !known {
            sentences.push(format!(
                "the PTX has {in_ptx} × `{access}` and the machine code {in_machine_code}, so that figures counted from \
                 the PTX are not the hardware's; change the kernel, or explain it under `machine_code` in kernels.toml"
            ));
        }
    }
    for known in explained {
        let there = kinds
            .iter()
            .find(|access| access.to_string() == known.access);
        let is_so = there.is_some_and(|access| {
            count(ptx, access) == known.ptx && count(machine, access) == known.machine_code
        });
        if !is_so {
            sentences.push(format!(
                "kernels.toml explains {} × `{}` in the PTX and {} in the machine code, which is not so (any more)",
                known.ptx, known.access, known.machine_code
            ));
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `nvcc` 13.0 writes it.
    const PTX: &str = "
.visible .entry other(
	.param .u64 other_param_0
)
{
	st.global.f32 	[%rd1], %f1;
}
.visible .entry gemm(
	.param .u64 gemm_param_0
)
{
	ld.param.u64 	%rd1, [gemm_param_0];
	@%p1 bra 	$L__BB0_2;
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd3];
	ld.shared.f32 	%f5, [%r1];
	ld.shared.f32 	%f6, [%r1+4];
	@!%p2 st.global.u8 	[%rd4], %rs1;
	atom.global.add.f64 	%fd2, [%rd5], %fd1;
	red.global.v2.f32.add 	[%rd5], {%f1, %f2};
	cp.async.cg.shared.global [%r2], [%rd6], 16;
	cp.async.commit_group;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
	ld.volatile.shared::cta.v2.u64 {%rd1, %rd2}, [%r5];
	ld.const.f32 %f1, [table];
	ld.shared::cluster.u32 %r6, [%r7];
	ret;
}
";

    /// As `nvdisasm` 13.2 prints it.
    const LISTING: &str = "
	.section	.text.other,\"ax\",@progbits
.text.other:
        /*0010*/                   STG.E desc[UR4][R2.64], R5 ;
	.section	.text.gemm,\"ax\",@progbits
.text.gemm:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0280*/              @!P2 LDG.E.128.CONSTANT R4, desc[UR4][R14.64] ;
        /*0290*/                   LDS.64 R8, [R2+UR4] ;
        /*02a0*/               @P1 STG.E.U8 desc[UR4][R2.64], R5 ;
        /*02b0*/                   ATOMG.E.ADD.F64.RN.STRONG.GPU PT, R2, desc[UR4][R4.64], R2 ;
        /*02c0*/                   REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R4 ;
        /*02d0*/              @!PT LDS RZ, [RZ] ;
        /*02e0*/                   LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64] ;
        /*02f0*/                   LDSM.16.M88.4 R4, [R2+UR4] ;
        /*0300*/                   LDS.128 R4, [R2] ;
        /*0308*/                   LD.E R6, [R2.64] ;
.L_x_1:
        /*0310*/                   EXIT ;
";

    fn named(counts: &Counts) -> Vec<String> {
        let pair = |(access, count): (&Access, &u32)| format!("{count} {access}");
        counts.iter().map(pair).collect()
    }

    #[test]
    fn ptx_and_machine_code_are_counted_alike() {
        let rest = [
            "1 generic load 4",
            "1 global copy to shared 16",
            "1 global load 16",
            "1 global store 1",
        ];
        let ptx = of_ptx(PTX, "gemm");
        let machine = of_machine_code(LISTING, "gemm");
        assert_eq!(
            named(&ptx),
            [
                rest[0],
                "2 global atomic 8",
                rest[1],
                rest[2],
                rest[3],
                "2 shared load 4",
                "1 shared load 16",
                "1 shared matrix load 16",
            ]
        );
        assert_eq!(
            named(&machine),
            [
                rest[0],
                "2 global atomic 8",
                rest[1],
                rest[2],
                rest[3],
                "1 shared load 8",
                "1 shared load 16",
                "1 shared matrix load 16",
            ]
        );
        assert_eq!(named(&of_ptx(PTX, "other")), ["1 global store 4"]);
        assert_eq!(
            named(&of_machine_code(LISTING, "other")),
            ["1 global store 4"]
        );
    }

    #[test]
    fn a_difference_needs_an_explanation_that_is_exact() {
        let (ptx, machine) = (of_ptx(PTX, "gemm"), of_machine_code(LISTING, "gemm"));
        let found = differences(&ptx, &machine, &[]);
        assert_eq!(found.len(), 2);
        assert!(
            found[0].contains("2 × `shared load 4` and the machine code 0"),
            "{found:?}"
        );
        let explained = |access: &str, ptx, machine_code| MachineDifference {
            access: access.to_string(),
            ptx,
            machine_code,
            because: "ptxas merges neighbours".to_string(),
        };
        let both = [
            explained("shared load 4", 2, 0),
            explained("shared load 8", 0, 1),
        ];
        assert!(differences(&ptx, &machine, &both).is_empty());
        let stale = [
            both[0].clone(),
            both[1].clone(),
            explained("local load 4", 0, 1),
        ];
        assert!(differences(&ptx, &machine, &stale)[0].contains("not so"));
    }
}
