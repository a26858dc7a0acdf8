//! The lowest PTX version that a text needs. What it is for is said by whoever writes or loads the text.

/// What needs a version, by how it is spelled. From the PTX ISA's notes on each instruction.
const NEEDS: [(&str, (u32, u32)); 54] = [
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
    (".noftz.v", (8, 1)),
    ("st.async", (8, 1)),
    ("red.async", (8, 1)),
    ("multimem", (8, 1)),
    ("tensormap.", (8, 3)),
    (".b128", (8, 3)),
    ("used_bytes_mask", (8, 3)),
    ("e4m3.f32", (8, 4)),
    ("e5m2.f32", (8, 4)),
    ("shared::cta.global", (8, 6)),
    ("e2m3x2", (8, 6)),
    ("e3m2x2", (8, 6)),
    ("e2m1x2", (8, 6)),
    (".f32x2", (8, 6)),
    ("clusterlaunchcontrol", (8, 6)),
];

/// The lowest version of the PTX language that has all of a text's instructions, for a target such as `sm_75`. What is not
/// known here is taken for old: the driver tells of the others.
pub fn lowest_version(text: &str, target: &str) -> (u32, u32) {
    let number: u32 = target
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap_or(75);
    let is_family = target.ends_with('f');
    let base = match number {
        ..=75 => (6, 3),
        76..=80 => (7, 0),
        81..=86 => (7, 1),
        87..=88 => (7, 4),
        90 if target.ends_with('a') => (8, 0),
        89..=90 => (7, 8),
        91..=100 if !is_family => (8, 6),
        91..=103 => (8, 8),
        104..=110 => (9, 0),
        111..=120 if !is_family => (8, 7),
        _ => (8, 8),
    };
    // The text may be long: it is searched only for what would need more than is known already.
    let more = |known, (words, version): &(&str, (u32, u32))| match *version > known {
        true if text.contains(words) => *version,
        _ => known,
    };
    NEEDS.iter().rev().fold(base, more)
}
