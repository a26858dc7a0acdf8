//! The page's compiler, a module of its own beside the page's engine: asked in the form of `cornerturn_compiler::exchange`. What it is asked for is the engine's; how it compiles, package `cornerturn-compiler`'s.

#[path = "../../src/room.rs"]
mod room;

/// The answer to one request.
fn answered(request: &[u8]) -> Vec<u8> {
    cornerturn_compiler::exchange::answer(request)
}
