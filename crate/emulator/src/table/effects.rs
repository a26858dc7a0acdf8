//! What each instruction does to memory, and where that is counted. The rows are the table's, how counters count `counters`'.

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEffect {
    /// The memory that it reads; empty if none.
    pub reads: &'static str,
    /// The memory that it writes.
    pub writes: &'static str,
    /// The memory that it changes by an operation on what is there.
    pub reduces: &'static str,
    /// Where that is counted.
    pub counted: &'static str,
}

const fn effect(
    reads: &'static str,
    writes: &'static str,
    reduces: &'static str,
    counted: &'static str,
) -> MemoryEffect {
    MemoryEffect {
        reads,
        writes,
        reduces,
        counted,
    }
}

const LSU: &str = "requests, and sectors or wavefronts, under the profiler's names";
const COPY: &str = "as a load of global memory, and under the profiler's `ldgsts`";
const BULK: &str = "requests, bytes and sectors of its site, `ptx__bulk_…`";
const SENT: &str = "requests and bytes of its site, `ptx__async_stores.sum`";
const OBJECT: &str = "nowhere: it is the mbarrier's own word, and exercises with bounds allow none";
const HINT: &str = "nowhere: it moves no data to where a kernel could read it";

/// By how a pattern begins; the first that fits counts.
const EFFECTS: [(&str, MemoryEffect); 42] = [
    ("ld.", effect("any", "", "", LSU)),
    ("ldu.", effect("global", "", "", LSU)),
    ("st.async", effect("", "shared", "", SENT)),
    ("st.", effect("", "any", "", LSU)),
    ("red.async", effect("", "", "shared", SENT)),
    ("red.", effect("", "", "global, shared", LSU)),
    ("atom.", effect("global, shared", "", "global, shared", LSU)),
    ("cp.async.{ca|cg}", effect("global", "shared", "", COPY)),
    ("cp.async.bulk.prefetch", effect("", "", "", HINT)),
    (
        "cp.async.bulk.shared::cluster.shared::cta",
        effect("shared", "shared", "", BULK),
    ),
    (
        "cp.async.bulk.{shared",
        effect("global", "shared", "", BULK),
    ),
    ("cp.async.bulk.global", effect("shared", "global", "", BULK)),
    (
        "cp.async.bulk.tensor.{1d|2d|3d|4d|5d}:dim.{shared",
        effect("global", "shared", "", BULK),
    ),
    (
        "cp.async.bulk.tensor.{1d|2d|3d|4d|5d}:dim.global",
        effect("shared", "global", "", BULK),
    ),
    (
        "cp.reduce.async.bulk.",
        effect("shared", "", "global", BULK),
    ),
    ("prefetch", effect("", "", "", HINT)),
    ("discard.", effect("", "", "", HINT)),
    ("applypriority.", effect("", "", "", HINT)),
    (
        "tex.",
        effect("texture", "", "", "requests and sectors of textures"),
    ),
    (
        "tld4.",
        effect("texture", "", "", "requests and sectors of textures"),
    ),
    (
        "suld.",
        effect("surface", "", "", "requests of its site; no counter"),
    ),
    (
        "sust.",
        effect("", "surface", "", "requests of its site; no counter"),
    ),
    ("wmma.load", effect("global, shared", "", "", LSU)),
    ("wmma.store", effect("", "global, shared", "", LSU)),
    ("ldmatrix.", effect("shared", "", "", LSU)),
    ("stmatrix.", effect("", "shared", "", LSU)),
    (
        "wgmma.mma_async",
        effect("shared", "", "", "wavefronts, under the profiler's `gmma`"),
    ),
    ("mbarrier.init", effect("", "shared", "", OBJECT)),
    ("mbarrier.inval", effect("", "shared", "", OBJECT)),
    (
        "mbarrier.{expect_tx|complete_tx}",
        effect("", "", "shared", OBJECT),
    ),
    (
        "mbarrier.{arrive|arrive_drop}",
        effect("shared", "", "shared", OBJECT),
    ),
    (
        "mbarrier.{test_wait|try_wait}",
        effect("shared", "", "", OBJECT),
    ),
    ("cp.async.mbarrier.arrive", effect("", "", "shared", OBJECT)),
    (
        "call.",
        effect(
            "local",
            "",
            "",
            "the frame of a call is counted nowhere, what the function does is",
        ),
    ),
    // What follows touches no memory, though it may order accesses or wait for them.
    ("cp.async.", NOTHING),
    ("{bar|barrier}", NOTHING),
    ("bar.warp", NOTHING),
    ("barrier.cluster", NOTHING),
    ("membar.", NOTHING),
    ("fence.", NOTHING),
    ("wgmma.", NOTHING),
    ("txq.", NOTHING),
];

const NOTHING: MemoryEffect = effect("", "", "", "");

/// How the patterns begin of instructions that are decoded by a function of their own and touch neither memory nor its order.
#[cfg(test)]
const REGISTERS: [&str; 44] = [
    "add.",
    "addc.",
    "sub.",
    "subc.",
    "mad.",
    "madc.",
    "mad.{lo",
    "testp.",
    "set.",
    "setp.",
    "not.",
    "lop3.",
    "mov.",
    "shfl.",
    "isspacep.",
    "cvta.",
    "cvt.",
    "mapa.",
    "getctarank.",
    "bra.",
    "brx.",
    "ret.",
    "exit",
    "vote.",
    "match.",
    "activemask.",
    "redux.",
    "elect.",
    "griddepcontrol.",
    "{vadd2",
    "{vadd4",
    "alloca.",
    "{stacksave",
    "wmma.mma",
    "mma.",
    "movmatrix.",
    "trap",
    "brkpt",
    "createpolicy.",
    "setmaxnreg.",
    "nanosleep.",
    "pmevent.",
    "selp.",
    "prmt.",
];

/// What the instructions of a pattern do to memory; `None` if nothing.
pub(super) fn of(pattern: &str) -> Option<MemoryEffect> {
    let found = EFFECTS.iter().find(|(start, _)| pattern.starts_with(start));
    found
        .map(|(_, effect)| *effect)
        .filter(|effect| *effect != NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::lower::Lowering;
    use crate::table::ROWS;

    #[test]
    fn every_instruction_that_is_no_computation_of_its_sources_is_said_to_touch_memory_or_not() {
        let is_known = |pattern: &str| {
            let mut starts = EFFECTS.iter().map(|(start, _)| start).chain(&REGISTERS);
            starts.any(|start| pattern.starts_with(start))
        };
        let built = ROWS
            .iter()
            .filter(|row| matches!(row.lowering, Lowering::Built(_)));
        let unknown: Vec<&str> = built
            .map(|row| row.pattern)
            .filter(|pattern| !is_known(pattern))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let unused: Vec<&str> = (EFFECTS.iter().map(|(start, _)| *start))
            .filter(|start| !ROWS.iter().any(|row| row.pattern.starts_with(start)))
            .collect();
        assert!(unused.is_empty(), "{unused:?}");
    }
}
