//! The table of intrinsics: CUDA's functions that are a piece of PTX, special registers, and what lowering makes besides. Each row says
//! what it is in PTX and what passes ask of it; no pass looks into the PTX.

use super::{Effect, Space};
use std::rc::Rc;

/// A row. `%0`, `%1` … in its PTX are operands, results first; `$0`, `$1` … the parts that an instruction says itself; `@` is the space
/// of the first argument.
#[derive(Debug)]
pub(crate) struct Intrinsic {
    pub(crate) name: &'static str,
    /// Types of the result and the arguments: v nothing, i int, u unsigned, l long long, L unsigned long long, f float, d double, p any
    /// pointer. Empty where they hang on the parts.
    pub(crate) types: &'static str,
    pub(crate) ptx: &'static str,
    pub(crate) effect: Effect,
    pub(crate) kind: Kind,
    pub(crate) cost: InstructionCost,
    /// The most that its result is, as an unsigned number.
    pub(crate) max: Option<u64>,
    /// Whether its result is less than the number of the block's threads.
    pub(crate) is_of_block: bool,
    /// Whether its result says that the argument lies in this space.
    pub(crate) asks: Option<Space>,
    /// Whether its first argument is an address, in a space that is found out.
    pub(crate) is_in_a_space: bool,
    /// Whether it calls a function, and how that is declared where it is none of the module.
    pub(crate) calls: Option<&'static str>,
}

/// What a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A function of this name in CUDA C++.
    Function,
    /// A register that is there without being kept.
    Register,
    /// What lowering makes of several functions, or of none.
    Family,
}

/// What it is to LLVM, which decides by that what to run for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstructionCost {
    /// So many instructions.
    Instructions(usize),
    /// A call, as functions are to NVIDIA's compiler yet, or what takes long.
    Long,
}

const fn row(
    kind: Kind,
    name: &'static str,
    types: &'static str,
    effect: Effect,
    ptx: &'static str,
) -> Intrinsic {
    Intrinsic {
        name,
        types,
        ptx,
        effect,
        kind,
        cost: InstructionCost::Long,
        max: None,
        is_of_block: false,
        asks: None,
        is_in_a_space: false,
        calls: None,
    }
}

const fn function(
    name: &'static str,
    types: &'static str,
    effect: Effect,
    ptx: &'static str,
) -> Intrinsic {
    row(Kind::Function, name, types, effect, ptx)
}

const fn register(name: &'static str, ptx: &'static str) -> Intrinsic {
    row(Kind::Register, name, "u", Effect::Pure, ptx)
}

const fn family(name: &'static str, effect: Effect, ptx: &'static str) -> Intrinsic {
    row(Kind::Family, name, "", effect, ptx)
}

impl Intrinsic {
    const fn quick(self, instructions: usize) -> Self {
        let cost = InstructionCost::Instructions(instructions);
        Self { cost, ..self }
    }

    const fn at_most(self, max: u64) -> Self {
        let max = Some(max);
        Self { max, ..self }
    }

    const fn of_block(self) -> Self {
        let is_of_block = true;
        Self {
            is_of_block,
            ..self
        }
    }

    const fn asks(self, space: Space) -> Self {
        let asks = Some(space);
        Self { asks, ..self }
    }

    const fn in_a_space(self) -> Self {
        let is_in_a_space = true;
        Self {
            is_in_a_space,
            ..self
        }
    }

    const fn calls(self, declaration: &'static str) -> Self {
        let calls = Some(declaration);
        Self { calls, ..self }
    }

    /// The most that its result is, in blocks of so many threads at most, if that is known.
    pub(crate) fn most(&self, threads: Option<u64>) -> Option<u64> {
        let of_block = threads.filter(|_| self.is_of_block);
        let of_block = of_block.map_or(u64::MAX, |threads| threads.saturating_sub(1));
        self.max.map(|max| max.min(of_block))
    }
}

/// The table. The most that special registers hold is from CUDA's limits of a block (CUDA C++ Programming Guide, Compute Capabilities).
/// `tanhf` and `roundf` take the same steps as NVRTC makes of them, so that results are the same to the bit.
#[rustfmt::skip]
pub(crate) static TABLE: &[Intrinsic] = &[
    // Special registers.
    register("threadIdx.x", "mov.u32 %0, %tid.x;").at_most(1023).of_block(),
    register("threadIdx.y", "mov.u32 %0, %tid.y;").at_most(1023).of_block(),
    register("threadIdx.z", "mov.u32 %0, %tid.z;").at_most(63).of_block(),
    register("blockIdx.x", "mov.u32 %0, %ctaid.x;"),
    register("blockIdx.y", "mov.u32 %0, %ctaid.y;"),
    register("blockIdx.z", "mov.u32 %0, %ctaid.z;"),
    register("blockDim.x", "mov.u32 %0, %ntid.x;").at_most(1024),
    register("blockDim.y", "mov.u32 %0, %ntid.y;").at_most(1024),
    register("blockDim.z", "mov.u32 %0, %ntid.z;").at_most(64),
    register("gridDim.x", "mov.u32 %0, %nctaid.x;"),
    register("gridDim.y", "mov.u32 %0, %nctaid.y;"),
    register("gridDim.z", "mov.u32 %0, %nctaid.z;"),
    register("laneid", "mov.u32 %0, %laneid;").at_most(31),

    // What lowering makes of several functions, or of none.
    family("prmt", Effect::Pure, "prmt.b32 %0, %1, %2, %3;").quick(1),
    // The upper half of a product: of which numbers.
    family("mul.hi", Effect::Pure, "mul.hi.$0 \t%0, %1, %2;"),
    // Derived from a name: what is converted to what, and how it is rounded.
    family("cvt", Effect::Pure, "cvt.$0 %0, %1;"),
    // Operation, rounding and type, operands.
    family("rounded", Effect::Pure, "$0 %0, $1;"),
    // Of the parts of a word. The assembler takes no number in the place of the last operand.
    family("parts", Effect::Pure, "{ .reg .b32 c; mov.b32 c, 0; v$0 %0, %1, %2, c; }"),
    // Over the threads of a warp.
    family("shfl.sync", Effect::Memory, "shfl.sync.$0.b32 %0, %1, %2, %3, %4;"),
    family("match.any", Effect::Memory, "match.any.sync.$0 %0, %2, %1;"),
    family("match.all", Effect::Memory, "{ .reg .pred p; match.all.sync.$0 %0|p, %3, %2; selp.u32 %1, 1, 0, p; }"),
    family("redux.sync", Effect::Memory, "redux.sync.$0 %0, %2, %1;"),
    // Scope, operation and type, operands; the space of the address is found out.
    family("atom", Effect::Memory, "atom@$0.$1 %0, [%1], $2;").in_a_space(),
    // What is fetched or stored, and where.
    family("tex", Effect::Volatile, "$0 {%0, %1, %2, %3}, $1;"),
    family("suld", Effect::Volatile, "suld.$0 {$1}, $2;"),
    family("sust", Effect::Memory, "sust.$0 $1, {$2};"),
    // Functions of CUDA's runtime, as compilers call them.
    family("malloc", Effect::Memory, "{ .param .b64 size; .param .b64 found; st.param.b64 [size], %1; call.uni (found), malloc, (size); ld.param.b64 %0, [found]; }")
        .calls(".extern .func (.param .b64 found) malloc (.param .b64 size);\n"),
    family("free", Effect::Memory, "{ .param .b64 from; st.param.b64 [from], %0; call.uni free, (from); }")
        .calls(".extern .func free (.param .b64 from);\n"),
    family("vprintf", Effect::Memory, "{ .param .b64 format; .param .b64 list; .param .b32 written; st.param.b64 [format], %1; st.param.b64 [list], %2; call.uni (written), vprintf, (format, list); ld.param.b32 %0, [written]; }")
        .calls(".extern .func (.param .b32 written) vprintf (.param .b64 format, .param .b64 list);\n"),
    family("__assertfail", Effect::Memory, "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %0; st.param.b64 [b], %1; st.param.b32 [c], %2; st.param.b64 [d], %3; st.param.b64 [e], %4; call.uni __assertfail, (a, b, c, d, e); }")
        .calls(".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"),
    // Of the module's own functions: a call, and the result that one hands back.
    family("call", Effect::Memory, "$0").calls(""),
    family("return", Effect::Memory, "st.param.$0, %0;"),
    // A call as NVIDIA's compiler has it, behind which nothing that was read is known, and no instruction here.
    family("forget", Effect::Memory, ""),

    // Functions.
    function("llabs", "ll", Effect::Pure, "abs.s64 %0, %1;").quick(1),
    function("labs", "ll", Effect::Pure, "abs.s64 %0, %1;").quick(1),
    function("__syncthreads", "v", Effect::Memory, "bar.sync 0;"),
    function("__syncwarp", "vu", Effect::Memory, "bar.warp.sync %0;"),
    function("__syncthreads_count", "ii", Effect::Memory, "{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"),
    function("__syncthreads_and", "ii", Effect::Memory, "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }"),
    function("__syncthreads_or", "ii", Effect::Memory, "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"),
    function("__threadfence", "v", Effect::Memory, "membar.gl;"),
    function("__threadfence_block", "v", Effect::Memory, "membar.cta;"),
    function("__threadfence_system", "v", Effect::Memory, "membar.sys;"),
    function("__threadfence_cluster", "v", Effect::Memory, "fence.sc.cluster;"),
    function("__barrier_sync", "vu", Effect::Memory, "barrier.sync %0;"),
    function("__barrier_sync_count", "vuu", Effect::Memory, "barrier.sync %0, %1;"),
    function("__cluster_barrier_arrive", "v", Effect::Memory, "barrier.cluster.arrive;"),
    function("__cluster_barrier_arrive_relaxed", "v", Effect::Memory, "barrier.cluster.arrive.relaxed;"),
    function("__cluster_barrier_wait", "v", Effect::Memory, "barrier.cluster.wait;"),
    function("__ballot_sync", "uui", Effect::Memory, "{ .reg .pred p; setp.ne.s32 p, %2, 0; vote.sync.ballot.b32 %0, p, %1; }"),
    function("__any_sync", "iui", Effect::Memory, "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.any.pred q, p, %1; selp.u32 %0, 1, 0, q; }"),
    function("__all_sync", "iui", Effect::Memory, "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.all.pred q, p, %1; selp.u32 %0, 1, 0, q; }"),
    function("__uni_sync", "iui", Effect::Memory, "{ .reg .pred p, q; setp.ne.s32 p, %2, 0; vote.sync.uni.pred q, p, %1; selp.u32 %0, 1, 0, q; }"),
    function("__activemask", "u", Effect::Memory, "activemask.b32 %0;"),
    function("__reduce_and_sync", "uuu", Effect::Memory, "redux.sync.and.b32 %0, %2, %1;"),
    function("__reduce_or_sync", "uuu", Effect::Memory, "redux.sync.or.b32 %0, %2, %1;"),
    function("__reduce_xor_sync", "uuu", Effect::Memory, "redux.sync.xor.b32 %0, %2, %1;"),
    function("__popc", "iu", Effect::Pure, "popc.b32 %0, %1;").quick(1),
    function("__popcll", "iL", Effect::Pure, "popc.b64 %0, %1;").quick(1),
    function("__clz", "iu", Effect::Pure, "clz.b32 %0, %1;").quick(1),
    function("__clzll", "iL", Effect::Pure, "clz.b64 %0, %1;").quick(1),
    function("__brev", "uu", Effect::Pure, "brev.b32 %0, %1;").quick(1),
    function("__brevll", "LL", Effect::Pure, "brev.b64 %0, %1;").quick(1),
    function("__ffs", "iu", Effect::Pure, "{ .reg .b32 t; brev.b32 t, %1; bfind.shiftamt.u32 t, t; add.s32 %0, t, 1; }").quick(3),
    function("__ffsll", "iL", Effect::Pure, "{ .reg .b64 t; .reg .b32 s; brev.b64 t, %1; bfind.shiftamt.u64 s, t; add.s32 %0, s, 1; }"),
    function("__funnelshift_l", "uuuu", Effect::Pure, "shf.l.wrap.b32 %0, %1, %2, %3;"),
    function("__funnelshift_r", "uuuu", Effect::Pure, "shf.r.wrap.b32 %0, %1, %2, %3;"),
    function("__funnelshift_lc", "uuuu", Effect::Pure, "shf.l.clamp.b32 %0, %1, %2, %3;"),
    function("__funnelshift_rc", "uuuu", Effect::Pure, "shf.r.clamp.b32 %0, %1, %2, %3;"),
    function("__umulhi", "uuu", Effect::Pure, "mul.hi.u32 %0, %1, %2;"),
    function("__mulhi", "iii", Effect::Pure, "mul.hi.s32 %0, %1, %2;"),
    function("__umul64hi", "LLL", Effect::Pure, "mul.hi.u64 %0, %1, %2;"),
    function("__mul64hi", "lll", Effect::Pure, "mul.hi.s64 %0, %1, %2;"),
    function("__umul24", "uuu", Effect::Pure, "mul24.lo.u32 %0, %1, %2;"),
    function("__mul24", "iii", Effect::Pure, "mul24.lo.s32 %0, %1, %2;"),
    function("__sad", "uiiu", Effect::Pure, "sad.s32 %0, %1, %2, %3;"),
    function("__usad", "uuuu", Effect::Pure, "sad.u32 %0, %1, %2, %3;"),
    function("exp2f", "ff", Effect::Pure, "ex2.approx.f32 %0, %1;"),
    function("__exp2f", "ff", Effect::Pure, "ex2.approx.f32 %0, %1;"),
    function("__ex2_ftz", "ff", Effect::Pure, "ex2.approx.ftz.f32 %0, %1;"),
    function("__lg2_ftz", "ff", Effect::Pure, "lg2.approx.ftz.f32 %0, %1;"),
    function("__sqrt_ftz", "ff", Effect::Pure, "sqrt.approx.ftz.f32 %0, %1;"),
    function("__rcp_ftz", "ff", Effect::Pure, "rcp.approx.ftz.f32 %0, %1;"),
    function("__rsqrt_ftz", "ff", Effect::Pure, "rsqrt.approx.ftz.f32 %0, %1;"),
    function("__div_ftz", "fff", Effect::Pure, "div.approx.ftz.f32 %0, %1, %2;"),
    function("__drcp_ftz", "dd", Effect::Pure, "rcp.approx.ftz.f64 %0, %1;"),
    function("__drsqrt_ftz", "dd", Effect::Pure, "rsqrt.approx.ftz.f64 %0, %1;"),
    function("__drsqrt", "dd", Effect::Pure, "rsqrt.approx.f64 %0, %1;"),
    function("__sinf", "ff", Effect::Pure, "sin.approx.f32 %0, %1;"),
    function("__cosf", "ff", Effect::Pure, "cos.approx.f32 %0, %1;"),
    function("__tanhf", "ff", Effect::Pure, "tanh.approx.f32 %0, %1;"),
    function("__tanf", "ff", Effect::Pure, "{ .reg .f32 s, c; sin.approx.f32 s, %1; cos.approx.f32 c, %1; div.approx.f32 %0, s, c; }"),
    function("__log2f", "ff", Effect::Pure, "lg2.approx.f32 %0, %1;"),
    function("__expf", "ff", Effect::Pure, "{ .reg .f32 t; mul.f32 t, %1, 0f3FB8AA3B; ex2.approx.f32 %0, t; }"),
    function("__exp10f", "ff", Effect::Pure, "{ .reg .f32 t; mul.f32 t, %1, 0f40549A78; ex2.approx.f32 %0, t; }"),
    function("__fdividef", "fff", Effect::Pure, "div.approx.f32 %0, %1, %2;"),
    function("rsqrtf", "ff", Effect::Pure, "rsqrt.approx.f32 %0, %1;"),
    function("copysign", "ddd", Effect::Pure, "copysign.f64 %0, %2, %1;").quick(1),
    function("__saturatef", "ff", Effect::Pure, "cvt.sat.f32.f32 %0, %1;"),
    function("floorf", "ff", Effect::Pure, "cvt.rmi.f32.f32 %0, %1;"),
    function("ceilf", "ff", Effect::Pure, "cvt.rpi.f32.f32 %0, %1;"),
    function("truncf", "ff", Effect::Pure, "cvt.rzi.f32.f32 %0, %1;"),
    function("rintf", "ff", Effect::Pure, "cvt.rni.f32.f32 %0, %1;"),
    function("nearbyintf", "ff", Effect::Pure, "cvt.rni.f32.f32 %0, %1;"),
    function("llrintf", "lf", Effect::Pure, "cvt.rni.s64.f32 %0, %1;"),
    function("lrint", "ld", Effect::Pure, "cvt.rni.s64.f64 %0, %1;"),
    function("llrint", "ld", Effect::Pure, "cvt.rni.s64.f64 %0, %1;"),
    function("fdividef", "fff", Effect::Pure, "div.rn.f32 %0, %1, %2;"),
    function("fdivide", "ddd", Effect::Pure, "div.rn.f64 %0, %1, %2;"),
    function("floor", "dd", Effect::Pure, "cvt.rmi.f64.f64 %0, %1;"),
    function("ceil", "dd", Effect::Pure, "cvt.rpi.f64.f64 %0, %1;"),
    function("trunc", "dd", Effect::Pure, "cvt.rzi.f64.f64 %0, %1;"),
    function("nearbyint", "dd", Effect::Pure, "cvt.rni.f64.f64 %0, %1;"),
    function("rint", "dd", Effect::Pure, "cvt.rni.f64.f64 %0, %1;"),
    function("lrintf", "lf", Effect::Pure, "cvt.rni.s64.f32 %0, %1;"),
    function("__double2hiint", "id", Effect::Pure, "{ .reg .b32 t; mov.b64 {t, %0}, %1; }"),
    function("__double2loint", "id", Effect::Pure, "{ .reg .b32 t; mov.b64 {%0, t}, %1; }"),
    function("__hiloint2double", "dii", Effect::Pure, "mov.b64 %0, {%2, %1};"),
    function("__nanosleep", "vu", Effect::Volatile, "nanosleep.u32 %0;"),
    function("__trap", "v", Effect::Volatile, "trap;"),
    function("__brkpt", "v", Effect::Volatile, "brkpt;"),
    function("clock64", "l", Effect::Volatile, "mov.u64 %0, %clock64;"),
    function("clock", "l", Effect::Volatile, "{ .reg .b32 t; mov.u32 t, %clock; cvt.s64.s32 %0, t; }"),
    function("cudaGridDependencySynchronize", "v", Effect::Memory, "griddepcontrol.wait;"),
    function("cudaTriggerProgrammaticLaunchCompletion", "v", Effect::Volatile, "griddepcontrol.launch_dependents;"),
    function("__pipeline_commit", "v", Effect::Memory, "cp.async.commit_group;"),
    function("__isGlobal", "ip", Effect::Pure, "{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }").asks(Space::Global),
    function("__isShared", "ip", Effect::Pure, "{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }").asks(Space::Shared),
    function("__isConstant", "ip", Effect::Pure, "{ .reg .pred p; isspacep.const p, %1; selp.u32 %0, 1, 0, p; }").asks(Space::Constant),
    function("__isLocal", "ip", Effect::Pure, "{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }").asks(Space::Local),
    function("tanhf", "ff", Effect::Pure, "{ .reg .f32 v<23>; .reg .pred q<3>; abs.f32 v2, %1; mul.f32 v3, v2, 0f4038AA3B; ex2.approx.ftz.f32 v4, v3; add.f32 v5, v4, 0f3F800000; rcp.approx.ftz.f32 v7, v5; fma.rn.f32 v9, v7, 0fC0000000, 0f3F800000; setp.ge.f32 q1, v2, 0f41102CB4; selp.f32 v10, 0f3F800000, v9, q1; copysign.f32 v11, %1, v10; mul.f32 v12, %1, %1; fma.rn.f32 v15, 0f3C80F082, v12, 0fBD563CAE; fma.rn.f32 v17, v15, v12, 0f3E085941; fma.rn.f32 v19, v17, v12, 0fBEAAA9ED; fma.rn.f32 v21, v19, v12, 0f00000000; fma.rn.f32 v22, v21, %1, %1; setp.ge.f32 q2, v2, 0f3F19999A; selp.f32 %0, v11, v22, q2; }"),
    function("roundf", "ff", Effect::Pure, "{ .reg .f32 v<5>; copysign.f32 v3, %1, 0f3F000000; add.rz.f32 v4, %1, v3; cvt.rzi.f32.f32 %0, v4; }"),
    function("__powf", "fff", Effect::Pure, "{ .reg .f32 v<5>; lg2.approx.f32 v3, %1; mul.f32 v4, %2, v3; ex2.approx.f32 %0, v4; }"),
    function("copysignf", "fff", Effect::Pure, "{ copysign.f32 %0, %2, %1; }").quick(1),
];

/// The number of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Id(u16);

impl Id {
    /// The row of this name, for a constant: a name that no row has does not compile.
    pub(crate) const fn of(name: &str) -> Self {
        let mut at = 0;
        // Behind the last row, the constant does not compile.
        while !is_same(TABLE[at].name, name) {
            at += 1;
        }
        Self(at as u16)
    }

    /// The row of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = TABLE.iter().position(|row| row.name == name)?;
        Some(Self(at as u16))
    }

    /// The function of this name.
    pub(crate) fn function(name: &str) -> Option<Self> {
        let is_it = |row: &Intrinsic| row.name == name && row.kind == Kind::Function;
        let at = TABLE.iter().position(is_it)?;
        Some(Self(at as u16))
    }

    pub(crate) fn row(self) -> &'static Intrinsic {
        &TABLE[self.number()]
    }

    /// Which row of the table it is.
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The names of functions in the table.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    let functions = TABLE.iter().filter(|row| row.kind == Kind::Function);
    functions.map(|row| row.name)
}

/// A row as the operation of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    pub(crate) id: Id,
    /// That of the first argument, where the row is in a space: `Generic` until it is known.
    pub(crate) space: Space,
    /// What the row leaves open.
    pub(crate) parts: Option<Rc<[String]>>,
}

impl Call {
    /// A row that leaves nothing open.
    pub(crate) fn plain(id: Id) -> Self {
        let (space, parts) = (Space::Generic, None);
        Self { id, space, parts }
    }

    pub(crate) fn new<const N: usize>(id: Id, parts: [String; N]) -> Self {
        let (space, parts) = (Space::Generic, Some(Rc::new(parts) as Rc<[String]>));
        Self { id, space, parts }
    }

    pub(crate) fn row(&self) -> &'static Intrinsic {
        self.id.row()
    }

    /// Its PTX, with `%0`, `%1` … for the operands.
    pub(crate) fn ptx(&self) -> String {
        let mut text = String::with_capacity(self.row().ptx.len());
        let mut chars = self.row().ptx.chars();
        while let Some(c) = chars.next() {
            match c {
                '$' => {
                    let number = chars.next().and_then(|digit| digit.to_digit(10));
                    let part = number.and_then(|number| self.part(number as usize));
                    text.push_str(part.map_or("", |part| part));
                }
                '@' => text.push_str(match self.space {
                    Space::Global => ".global",
                    Space::Shared => ".shared",
                    _ => "",
                }),
                c => text.push(c),
            }
        }
        text
    }

    fn part(&self, number: usize) -> Option<&String> {
        self.parts.as_ref()?.get(number)
    }

    /// What it accesses, where it is an atomic whose space is known.
    pub(crate) fn accesses(&self) -> Option<Space> {
        let is_known = self.row().is_in_a_space && self.space != Space::Generic;
        is_known.then_some(self.space)
    }
}

/// A piece of PTX with its operands in the place of `%0`, `%1` …
pub(crate) fn with_operands(ptx: &str, mut operand: impl FnMut(usize, &mut String)) -> String {
    let mut text = String::with_capacity(2 * ptx.len());
    let mut rest = ptx;
    while let Some(start) = rest.find('%') {
        text.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        match digits.parse() {
            Ok(number) => operand(number, &mut text),
            // A special register.
            Err(_) => text.push('%'),
        }
        rest = &rest[digits.len()..];
    }
    text.push_str(rest);
    text
}
