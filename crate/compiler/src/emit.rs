//! Kernels as PTX text: the module around them here, their bodies in `body`.

mod body;
mod depot;
mod digits;
mod instruction;
mod lines;
mod names;
mod registers;
mod share;
mod version;
mod wide;

use crate::hash::HashSet;
use crate::ir::intrinsics::TABLE;
use crate::ir::{Op, Space};
use crate::lower::{Kernel, Module, SymbolData, leads_to, led_to};
use crate::source::Sources;
use lines::LineTable;
use std::fmt::Write;
pub use version::lowest_version;

/// The PTX of a module. `target` is such as `sm_75`.
pub(crate) fn emit(module: &Module, target: &str, sources: &Sources) -> String {
    let mut text = String::new();
    let mut lines = LineTable::new(&module.locations);
    // Each instance of a template declares what all of them share.
    let mut external: Vec<(&str, u64)> = Vec::new();
    for symbol in module.symbols.iter().filter(|symbol| symbol.is_extern) {
        let align = symbol.align.max(16);
        match external.iter_mut().find(|(name, _)| *name == symbol.name) {
            Some((_, known)) => *known = align.max(*known),
            None => external.push((&symbol.name, align)),
        }
    }
    for (name, align) in external {
        let _ = writeln!(text, ".extern .shared .align {align} .b8 {name}[];");
    }
    let used = used_symbols(module);
    for (number, symbol) in module.symbols.iter().enumerate() {
        if symbol.space != Space::Shared
            && (!symbol.is_constexpr || used.contains(&(number as u32)))
        {
            variable(&mut text, symbol, &module.symbols);
        }
    }
    for function in &module.functions {
        body::declaration(&mut text, function);
    }
    // All but instructions that need nothing: what is searched for what does.
    let mut searched = text.clone();
    let mut bodies = Vec::new();
    for (number, kernel) in module.functions.iter().chain(&module.kernels).enumerate() {
        let mut head = String::new();
        let code = body::kernel(&mut head, kernel, &module.symbols, number, &mut lines);
        searched.push_str(&head);
        pieces(&mut searched, kernel);
        bodies.extend([head, code, "\n}\n".to_string()]);
    }
    for declaration in declarations(module) {
        text.insert_str(0, declaration);
    }
    let mut tail = files(module, sources);
    if lines.has_names() {
        searched.push_str("function_name");
    }
    lines.strings(&mut tail);
    let version = lowest_version(&searched, target);
    let head = format!(
        "//\n// Made by Corner Turn's compiler\n//\n\n.version {}.{}\n.target {target}\n.address_size 64\n\n",
        version.0, version.1
    );
    let mut all = vec![head, text];
    all.append(&mut bodies);
    all.push(tail);
    all.concat()
}

/// The table of files: the source, and those with a place that is named.
fn files(module: &Module, sources: &Sources) -> String {
    let mut named: Vec<u32> = module.locations.iter().map(|place| place.file).collect();
    named.push(0);
    named.sort_unstable();
    named.dedup();
    let mut text = String::new();
    for number in named {
        let name = sources.name(number as usize);
        let name = name.replace(['"', '\\', '\n'], "_");
        let _ = writeln!(text, "\t.file\t{} \"{name}\"", number + 1);
    }
    text
}

/// How the functions of CUDA's runtime are declared that a module calls, each once, in the order of the table.
fn declarations(module: &Module) -> Vec<&'static str> {
    let mut called = vec![false; TABLE.len()];
    for kernel in module.kernels.iter().chain(&module.functions) {
        for inst in kernel.body.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Intrinsic(call) = &kernel.body.inst(*inst).op {
                called[call.id.number()] = true;
            }
        }
    }
    let rows = TABLE.iter().zip(called);
    rows.filter_map(|(row, is_called)| row.calls.filter(|_| is_called))
        .collect()
}

/// Appends the pieces of PTX that a kernel is made of besides instructions of `ir`.
fn pieces(text: &mut String, kernel: &Kernel) {
    for block in &kernel.body.blocks {
        for inst in &block.insts {
            match &kernel.body.inst(*inst).op {
                Op::Intrinsic(call) => text.push_str(&call.ptx()),
                Op::Asm(asm) => text.push_str(&asm.text()),
                _ => continue,
            }
            text.push('\n');
        }
    }
}

fn used_symbols(module: &Module) -> HashSet<u32> {
    let mut used = HashSet::default();
    for kernel in module.kernels.iter().chain(&module.functions) {
        used.extend(symbols_of(kernel));
    }
    used.extend(led_to(&module.symbols).map(|symbol| symbol.0));
    used
}

/// The variables that a kernel names, in the order of their declaration.
fn symbols_of(kernel: &Kernel) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for block in &kernel.body.blocks {
        for inst in &block.insts {
            if let Op::Symbol(symbol) = kernel.body.inst(*inst).op {
                found.push(symbol.0);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn variable(text: &mut String, symbol: &SymbolData, all: &[SymbolData]) {
    let space = if symbol.space == Space::Constant {
        ".const"
    } else {
        ".global"
    };
    let visible = if symbol.is_constexpr { "" } else { ".visible " };
    let managed = if symbol.is_managed {
        " .attribute(.managed)"
    } else {
        ""
    };
    if !symbol.addresses.is_empty() {
        let (align, name) = (symbol.align, &symbol.name);
        let words = words(symbol, all);
        let count = words.len();
        let _ = writeln!(
            text,
            "{visible}{space}{managed} .align {align} .u64 {name}[{count}] = {{{}}};",
            words.join(", ")
        );
        return;
    }
    let _ = write!(
        text,
        "{visible}{space}{managed} .align {} .b8 {}[{}]",
        symbol.align, symbol.name, symbol.size
    );
    if let Some(init) = &symbol.init {
        let end = init
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(1, |at| at + 1)
            .min(init.len());
        let bytes: Vec<String> = init[..end].iter().map(u8::to_string).collect();
        let _ = write!(text, " = {{{}}}", bytes.join(", "));
    }
    text.push_str(";\n");
}

/// The first value of a variable with addresses in it, in words of eight bytes.
fn words(symbol: &SymbolData, all: &[SymbolData]) -> Vec<String> {
    let bytes = symbol.init.as_deref().unwrap_or(&[]);
    let word = |(number, word): (usize, &[u8])| {
        let at = 8 * number as u64;
        let target = match symbol.addresses.contains(&at) {
            true => leads_to(bytes, at),
            false => None,
        };
        let known = target.and_then(|(to, offset)| Some((all.get(to.0 as usize)?, offset)));
        match known {
            Some((to, 0)) => format!("generic({})", to.name),
            Some((to, offset)) => format!("generic({})+{offset}", to.name),
            None => {
                let all = word.iter().rev();
                all.fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte))
                    .to_string()
            }
        }
    };
    bytes.chunks(8).enumerate().map(word).collect()
}
