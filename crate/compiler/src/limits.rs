//! The bounds that keep any source from using up time, memory or stack. Each is far above what kernels need.

/// Bytes of a source.
pub const SOURCE_BYTES: usize = 1 << 20;
/// The same with the files that it includes.
pub const INCLUDED_BYTES: usize = 4 << 20;
/// Files that include each other.
pub const INCLUDE_DEPTH: usize = 60;
/// Tokens after the preprocessor, which hostile macros would make endless.
pub const TOKENS: usize = 300_000;
/// Macro expansions inside arguments of macros.
pub const MACRO_DEPTH: usize = 40;
/// `#if` inside `#if`.
pub const CONDITION_DEPTH: usize = 64;
/// Syntax inside syntax: brackets, blocks, operators, types.
pub const SYNTAX_DEPTH: usize = 90;
/// Calls inside calls, all of which are inlined, with the syntax that they stand in.
pub const LOWERING_DEPTH: usize = 330;
/// Calls inside calls.
pub const CALL_DEPTH: usize = 48;
/// Elements of a pack of parameters.
pub const PACK: usize = 256;
/// Instructions that are run while compiling, for all constants of a source.
pub const EVALUATED: usize = 1 << 21;
/// Structs that one inherits from, directly and by others.
pub const BASES: usize = 256;
/// Functions that call themselves.
pub const FUNCTIONS: usize = 200;
/// Structs that are laid out because another needs them, within each other.
pub const STRUCT_DEPTH: usize = 100;
/// Structs made of templates.
pub const STRUCTS: usize = 2_000;
/// Zeros of an object that are written out in a kernel that is read for its mistakes only. Where a constant needs more of
/// them, there is something to say of it, and it is read as if it were wanted.
pub const DIAGNOSED_ZEROS: usize = 16;
/// Elements of an array, of which its list says nothing, that begin there: the others begin as these do.
pub const DIAGNOSED_BEGINNINGS: u64 = 2;
/// Instructions of a kernel before it is optimised.
pub const INSTRUCTIONS: usize = 800_000;
/// Scalars that a local object may have to be copied or set one by one.
pub const PARTS: usize = 4_096;
/// Iterations of a loop that is unrolled because the source asks for it.
pub const ASKED_UNROLL: u64 = 4_096;
/// Instructions that a loop may become which is unrolled without being asked for while it is lowered.
pub const FREE_UNROLL: u64 = 300;
/// The same with loops in it whose length is not known.
pub const NEST_UNROLL: u64 = 530;
/// The same of a loop that counts elements of a local object: some 3000 when simplified, as NVIDIA's compiler has it.
pub const OBJECT_UNROLL: u64 = 4_000;
/// Bytes of shared memory that a kernel may declare; more is given by its launch.
pub const SHARED_BYTES: u64 = 48 << 10;
/// Bytes of one object.
pub const OBJECT_BYTES: u64 = 1 << 32;
/// Errors that are told before the compiler gives up.
pub const MOST_ERRORS: usize = 20;
/// Expressions that are looked at, each as often as its function is inlined and its loop unrolled.
pub const WORK: usize = 4_000_000;
