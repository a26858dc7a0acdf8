//! Our own compiler where it is another module than this library, as in a page: it is asked through what the program around this library gave. Where it is part of the program, `own` calls it.

use cornerturn_base::error::{Error, Result};
use cornerturn_compiler::{Compiled, Diagnostics, Options, exchange};
use std::cell::Cell;
use std::result;

/// Takes a request of [`exchange`] to the compiler and brings its answer; `None` while the compiler is not there.
pub type Ask = fn(&[u8]) -> Option<Vec<u8>>;

thread_local! {
    static ASK: Cell<Option<Ask>> = const { Cell::new(None) };
}

/// From now on what this thread compiles with our own compiler is asked of it in this way.
pub fn ask_elsewhere(ask: Option<Ask>) {
    ASK.set(ask);
}

/// What the compiler says that is elsewhere; `None` where there is no such.
pub(super) fn compile(
    source: &str,
    name: &str,
    options: &Options,
) -> Option<Result<result::Result<Compiled, Diagnostics>>> {
    let ask = ASK.get()?;
    let answer = ask(&exchange::request(source, name, options));
    let said = answer.and_then(|answer| exchange::result(&answer));
    Some(said.ok_or_else(not_there))
}

/// It is not there, or answers nonsense.
pub(super) fn not_there() -> Error {
    Error::NoCompiler("this needs the project's own compiler, and it is not loaded".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Compiler, CompilerKind};

    const SOURCE: &str = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }";

    #[test]
    fn it_is_asked_where_it_is_and_missed_where_it_is_not() {
        let compiler = Compiler::of(CompilerKind::CornerTurn).unwrap();
        let here = compiler.compile_live(SOURCE, "k.cu").unwrap();
        ask_elsewhere(Some(|request| Some(exchange::answer(request))));
        let there = compiler.compile_live(SOURCE, "k.cu").unwrap();
        assert_eq!(there.ptx, here.ptx);
        let wrong = compiler.compile_live(&SOURCE.replace("threadIdx", "threadidx"), "k.cu");
        assert!(wrong.unwrap_err().to_string().contains("did you mean"));
        for absent in [(|_| None) as Ask, |_| Some(vec![1, 2, 3])] {
            ask_elsewhere(Some(absent));
            let missed = compiler.compile_live(SOURCE, "k.cu").unwrap_err();
            assert!(missed.to_string().contains("not loaded"), "{missed}");
        }
        ask_elsewhere(None);
    }
}
