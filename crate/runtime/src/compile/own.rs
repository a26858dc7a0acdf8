//! Our own compiler of CUDA C++, for machines without NVIDIA's. How it compiles is package `cornerturn-compiler`'s.

use super::{Compiled, CompilerInfo, CompilerKind, SourceFile, elsewhere, how_to_get_nvrtc};
use cornerturn_base::error::{Error, Result};
use cornerturn_base::message::messages;
use cornerturn_compiler::{Diagnostics, Options};
use std::result;

/// Which it is.
pub(super) fn info(why: &'static str) -> CompilerInfo {
    CompilerInfo {
        kind: CompilerKind::CornerTurn,
        version: env!("CARGO_PKG_VERSION").to_string(),
        why,
    }
}

/// What our own compiler makes of a source, wherever it is: its PTX, or its messages as data.
///
/// # Errors
/// [`Error::NoCompiler`] where it is elsewhere and not there yet.
pub fn translate(
    source: &str,
    name: &str,
    options: &Options,
) -> Result<result::Result<cornerturn_compiler::Compiled, Diagnostics>> {
    elsewhere::compile(source, name, options).unwrap_or_else(|| here(source, name, options))
}

/// A page's module holds none: most of what is clicked runs without.
#[cfg(target_family = "wasm")]
fn here(
    _source: &str,
    _name: &str,
    _options: &Options,
) -> Result<result::Result<cornerturn_compiler::Compiled, Diagnostics>> {
    Err(elsewhere::not_there())
}

#[cfg(not(target_family = "wasm"))]
fn here(
    source: &str,
    name: &str,
    options: &Options,
) -> Result<result::Result<cornerturn_compiler::Compiled, Diagnostics>> {
    Ok(cornerturn_compiler::compile(source, name, options))
}

/// Compiles CUDA C++ to PTX of the lowest version that its instructions need.
pub(super) fn compile(
    source: &str,
    name: &str,
    options: &Options,
    why: &'static str,
) -> Result<Compiled> {
    told(translate(source, name, options)?, source, why)
}

/// The same of a user's file, which may include others.
pub(super) fn compile_file(
    source: &str,
    file: &SourceFile,
    options: &Options,
    why: &'static str,
) -> Result<Compiled> {
    let made = cornerturn_compiler::compile_with(source, &file.name(), options, file);
    told(made, source, why)
}

fn told(
    made: result::Result<cornerturn_compiler::Compiled, Diagnostics>,
    source: &str,
    why: &'static str,
) -> Result<Compiled> {
    match made {
        Ok(compiled) => Ok(Compiled {
            ptx: compiled.ptx,
            log: compiled.warnings.trim().to_string(),
            messages: messages(&compiled.list, source),
            compiler: info(why),
        }),
        Err(refused) => {
            let log = refused.to_string().trim_end().to_string();
            let messages = messages(&refused.list, source);
            Err(match refused.is_gap() {
                true => Error::CompilerGap {
                    log,
                    fix: how_to_get_nvrtc(),
                    messages,
                },
                false => Error::Compile { log, messages },
            })
        }
    }
}
