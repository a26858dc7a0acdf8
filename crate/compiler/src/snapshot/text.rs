//! A kernel as text: what is known of it besides its body, in lines before that. Those of the body stand in `ir::print` and
//! `ir::read`.

use super::{Facts, Read};
use crate::ir::words::{MEMORY_TYPES, SPACES, named, word};
use crate::ir::{Body, read::Cursor, read::Reader};
use crate::lower::{KernelParam, SymbolData};
use std::fmt::Write;

/// The yes-or-no facts of a variable, each with its word.
type Flags = [(&'static str, fn(&mut SymbolData) -> &mut bool); 4];

const FLAGS: Flags = [
    ("extern", |symbol| &mut symbol.is_extern),
    ("managed", |symbol| &mut symbol.is_managed),
    ("handed_over", |symbol| &mut symbol.is_handed_over),
    ("constexpr", |symbol| &mut symbol.is_constexpr),
];

pub(super) fn write(name: &str, facts: &Facts<'_>, body: &Body) -> String {
    let mut text = format!(
        "kernel \"{}\" registers {}",
        name.escape_default(),
        facts.registers
    );
    if let Some(threads) = facts.max_threads {
        let _ = write!(text, " threads {threads}");
    }
    text.push('\n');
    for param in facts.params {
        let _ = write!(text, "param {} align {}", param.size, param.align);
        if let Some(mem) = &param.mem {
            let _ = write!(text, " {}", word(MEMORY_TYPES, mem));
        }
        if param.is_pointer {
            text.push_str(" pointer");
        }
        if param.is_restrict {
            text.push_str(" restrict");
        }
        text.push('\n');
    }
    for symbol in facts.symbols {
        write_symbol(&mut text, symbol);
    }
    text.push_str(&body.text());
    text
}

fn write_symbol(text: &mut String, symbol: &SymbolData) {
    let (name, space) = (symbol.name.escape_default(), word(SPACES, &symbol.space));
    let _ = write!(
        text,
        "symbol \"{name}\" {space} {} align {}",
        symbol.size, symbol.align
    );
    let mut symbol = symbol.clone();
    for (word, flag) in FLAGS {
        if *flag(&mut symbol) {
            let _ = write!(text, " {word}");
        }
    }
    if let Some(init) = &symbol.init {
        let bytes: Vec<String> = init.iter().map(u8::to_string).collect();
        let _ = write!(text, " bytes {} {}", init.len(), bytes.join(" "));
    }
    for address in &symbol.addresses {
        let _ = write!(text, " address {address}");
    }
    text.push('\n');
}

/// What is wrong is told with its line, from 1 on.
pub(crate) fn read(text: &str) -> Result<Read, (usize, String)> {
    let mut reader = Reader::new(text);
    let mut kernel = Read::default();
    for (at, line) in text.lines().enumerate() {
        let found = match line.split(' ').next() {
            Some("kernel") => read_kernel(line, &mut kernel),
            Some("param") => read_param(line).map(|param| kernel.params.push(param)),
            Some("symbol") => read_symbol(line).map(|symbol| kernel.symbols.push(symbol)),
            _ => reader.line(line),
        };
        found.map_err(|message| (at + 1, message))?;
    }
    kernel.body = reader.finish();
    Ok(kernel)
}

fn read_kernel(line: &str, kernel: &mut Read) -> Result<(), String> {
    let mut cursor = Cursor::new(line)?;
    cursor.word()?;
    kernel.name = cursor.text()?;
    while !cursor.is_end() {
        match cursor.word()?.as_str() {
            "registers" => kernel.registers = cursor.number()?,
            "threads" => kernel.max_threads = Some(cursor.number()?),
            other => return Err(format!("a kernel has no `{other}`")),
        }
    }
    Ok(())
}

/// The size and the alignment.
fn read_size(cursor: &mut Cursor) -> Result<(u64, u64), String> {
    let size = cursor.number()?;
    match cursor.word()?.as_str() {
        "align" => Ok((size, cursor.number()?)),
        other => Err(format!("`align` is missing where `{other}` stands")),
    }
}

fn read_param(line: &str) -> Result<KernelParam, String> {
    let mut cursor = Cursor::new(line)?;
    cursor.word()?;
    let (size, align) = read_size(&mut cursor)?;
    let mut param = KernelParam {
        size,
        align,
        mem: None,
        is_pointer: false,
        is_restrict: false,
    };
    while !cursor.is_end() {
        match cursor.word()?.as_str() {
            "pointer" => param.is_pointer = true,
            "restrict" => param.is_restrict = true,
            other => match named(MEMORY_TYPES, other) {
                Some(mem) => param.mem = Some(mem),
                None => return Err(format!("a parameter has no `{other}`")),
            },
        }
    }
    Ok(param)
}

fn read_symbol(line: &str) -> Result<SymbolData, String> {
    let mut cursor = Cursor::new(line)?;
    cursor.word()?;
    let name = cursor.text()?;
    let space = named(SPACES, &cursor.word()?).ok_or("a variable lies in no such space")?;
    let (size, align) = read_size(&mut cursor)?;
    let mut symbol = SymbolData {
        name,
        space,
        size,
        align,
        init: None,
        is_extern: false,
        is_managed: false,
        is_handed_over: false,
        is_constexpr: false,
        addresses: Vec::new(),
    };
    while !cursor.is_end() {
        let word = cursor.word()?;
        let flag = FLAGS.iter().find(|(flag, _)| *flag == word);
        match (flag, word.as_str()) {
            (Some((_, flag)), _) => *flag(&mut symbol) = true,
            (None, "address") => symbol.addresses.push(cursor.number()?),
            (None, "bytes") => {
                let count: usize = cursor.number()?;
                let bytes: Result<Vec<u8>, String> = (0..count).map(|_| cursor.number()).collect();
                symbol.init = Some(bytes?);
            }
            (None, other) => return Err(format!("a variable has no `{other}`")),
        }
    }
    Ok(symbol)
}
