//! The lowest PTX version that a text needs.

/// What needs a version, by how it is spelled. From the PTX ISA's notes on each instruction.
const NEEDS: [(&str, (u32, u32)); 39] = [
    ("function_name", (7, 0)),
    ("cp.async.ca", (7, 0)),
    ("cp.async.cg", (7, 0)),
    ("cp.async.wait", (7, 0)),
    ("cp.async.commit", (7, 0)),
    ("redux.sync", (7, 0)),
    ("mbarrier.", (7, 0)),
    ("test_wait.parity", (7, 1)),
    ("ldmatrix", (6, 5)),
    ("mma.sync.aligned.m16n8k", (7, 0)),
    ("mma.sync.aligned.m8n8k16", (6, 5)),
    ("createpolicy", (7, 4)),
    ("cache_hint", (7, 4)),
    ("L1::", (7, 4)),
    ("L2::", (7, 4)),
    ("discard", (7, 4)),
    ("applypriority", (7, 4)),
    ("fma.rn.relu", (7, 0)),
    ("tanh.approx", (7, 0)),
    ("bf16", (7, 0)),
    ("griddepcontrol", (7, 8)),
    ("mapa", (7, 8)),
    ("cluster", (7, 8)),
    ("::cta", (7, 8)),
    ("try_wait", (7, 8)),
    ("stmatrix", (7, 8)),
    ("movmatrix", (7, 8)),
    ("cp.async.bulk", (8, 0)),
    ("cp.reduce", (8, 0)),
    ("fence.proxy.async", (8, 0)),
    ("expect_tx", (8, 0)),
    ("wgmma", (8, 0)),
    ("setmaxnreg", (8, 0)),
    ("elect.sync", (8, 0)),
    ("arrive.release", (8, 0)),
    ("arrive.relaxed", (8, 0)),
    ("wait.acquire", (8, 0)),
    ("add.v2.f32", (8, 1)),
    ("add.v4.f32", (8, 1)),
];

pub(super) fn lowest(text: &str, target: &str) -> (u32, u32) {
    let number: u32 = target
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap_or(75);
    let base = match number {
        _ if target.ends_with('a') => (8, 0),
        0..=75 => (6, 3),
        80 => (7, 0),
        86 => (7, 1),
        87 => (7, 4),
        _ => (7, 8),
    };
    // The text may be long: it is searched only for what would need more than is known already.
    let more = |known, (words, version): &(&str, (u32, u32))| match *version > known {
        true if text.contains(words) => *version,
        _ => known,
    };
    NEEDS.iter().rev().fold(base, more)
}
