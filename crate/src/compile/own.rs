//! Our own compiler of CUDA C++, for machines without NVIDIA's. How it compiles is package `cornerturn-compiler`'s.

use super::{Compiled, CompilerInfo, CompilerKind, how_to_get_nvrtc};
use crate::error::{Error, Result};
use cornerturn_compiler::Options;

/// Which it is.
pub(super) fn info(why: &'static str) -> CompilerInfo {
    CompilerInfo {
        kind: CompilerKind::CornerTurn,
        version: env!("CARGO_PKG_VERSION").to_string(),
        why,
    }
}

/// Compiles CUDA C++ to PTX of the lowest version that its instructions need.
pub(super) fn compile(
    source: &str,
    name: &str,
    arch: &str,
    defines: &[(String, String)],
    why: &'static str,
) -> Result<Compiled> {
    let options = Options {
        arch: arch.to_string(),
        defines: defines.to_vec(),
    };
    match cornerturn_compiler::compile(source, name, &options) {
        Ok(compiled) => Ok(Compiled {
            ptx: compiled.ptx,
            log: compiled.warnings.trim().to_string(),
            compiler: info(why),
        }),
        Err(refused) => {
            let log = refused.to_string().trim_end().to_string();
            Err(match refused.is_gap() {
                true => Error::CompilerGap {
                    log,
                    fix: how_to_get_nvrtc().to_string(),
                },
                false => Error::Compile { log },
            })
        }
    }
}
