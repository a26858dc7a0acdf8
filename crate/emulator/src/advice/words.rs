//! The sentences of advice: what, how much, and what to do instead.

use crate::advice::kind::{Advice, AdviceKind};
use crate::advice::pattern::LanePattern;
use crate::advice::table::{LineAccess, LineBranch, Operation, fields_beside};
use crate::counters::SECTOR_BYTES;
use crate::report::{SourceLine, Space};

/// A number with a space between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number of few digits: one after the point, where there is something.
fn few(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// `line 7`, or the line of the PTX.
fn place(source: Option<&SourceLine>, ptx_line: u32) -> String {
    match source {
        Some(line) => format!("line {}", line.line),
        None => format!("PTX line {ptx_line}"),
    }
}

/// `at most 3.2 times fewer sectors in all`
fn gain(advice: &Advice) -> String {
    format!(
        "at most {} times fewer {} in all",
        few(advice.at_most()),
        advice.unit
    )
}

fn each(taken: u64, requests: u64) -> String {
    few(taken as f64 / requests.max(1) as f64)
}

fn verb(row: &LineAccess) -> &'static str {
    match row.operation {
        Operation::Store | Operation::CopyTo => "store",
        Operation::Load => "load",
        Operation::CopyFrom => "copy",
        Operation::Atomic => "atomic",
        Operation::BulkReduction => "reduction",
    }
}

/// Of an access that takes more sectors, wavefronts or addresses than it has to.
pub(super) fn of_access(advice: &Advice, row: &LineAccess, all: &[LineAccess]) -> String {
    let at = place(row.source.as_ref(), row.ptx_line);
    let pattern = row.pattern().unwrap_or(LanePattern::Scattered);
    let (taken, fewest) = (
        each(advice.taken, advice.requests),
        each(advice.fewest, advice.requests),
    );
    let verb = verb(row);
    let share = percent(advice.taken, advice.whole);
    let gain = gain(advice);
    let sectors = format!(
        "each {verb} of a warp touches {taken} sectors where {fewest} would do, {share} of the launch's: {gain}"
    );
    match advice.kind {
        AdviceKind::Offset => format!(
            "{at}: lanes lie side by side, but the warp begins {} bytes into a sector: {sectors}. Begin rows and pieces at a multiple of 32 bytes",
            start(row, pattern)
        ),
        AdviceKind::Structure => format!(
            "{at}: {}: {sectors}. Load a structure whole, as a vector, or keep each field in an array of its own",
            structures(row, pattern, all)
        ),
        AdviceKind::Stride => format!(
            "{at}: {}: {sectors}. Let neighbouring threads take neighbouring elements, if need be through shared memory",
            apart(row, pattern)
        ),
        AdviceKind::Scattered => format!(
            "{at}: the lanes' addresses are scattered: {sectors}. Sort what is accessed, or gather it in shared memory"
        ),
        AdviceKind::BankConflict => bank_conflict(advice, row, pattern),
        AdviceKind::Constant => format!(
            "{at}: each load of constants asks for {taken} addresses, which are served one after the other; one for all lanes is what constant memory is for: {gain}. Put a table that each lane indexes by itself in global or shared memory"
        ),
        _ => atomic(advice, row),
    }
}

/// How lanes lie that are not all side by side.
fn apart(row: &LineAccess, pattern: LanePattern) -> String {
    let width = i64::from(row.access_bytes);
    match pattern {
        LanePattern::Stride { bytes, run } if run < 32 && bytes.abs() <= width => {
            let piece = u64::from(run.saturating_sub(1)) * bytes.unsigned_abs()
                + u64::from(row.access_bytes);
            format!(
                "lanes lie together in pieces of {run}, {piece} bytes, and the pieces lie apart"
            )
        }
        LanePattern::Same => "all lanes want one address".to_string(),
        pattern => format!("neighbouring lanes are {} bytes apart", distance(pattern)),
    }
}

/// Bytes from lane to lane.
fn distance(pattern: LanePattern) -> u64 {
    match pattern {
        LanePattern::Stride { bytes, .. } => bytes.unsigned_abs(),
        LanePattern::Same | LanePattern::Scattered => 0,
    }
}

/// Bytes of a sector before the first lane.
fn start(row: &LineAccess, pattern: LanePattern) -> u64 {
    let begin = match pattern {
        LanePattern::Stride { bytes, .. } => row.begin(bytes),
        LanePattern::Same | LanePattern::Scattered => None,
    };
    begin.unwrap_or(0) % SECTOR_BYTES
}

/// How lanes take parts of structures.
fn structures(row: &LineAccess, pattern: LanePattern, all: &[LineAccess]) -> String {
    let stride = distance(pattern);
    let mut places: Vec<String> = (fields_beside(row, all).iter())
        .map(|other| place(other.source.as_ref(), other.ptx_line))
        .collect();
    places.dedup();
    let (take, more) = match places.len() {
        0 | 1 => ("takes", 0),
        count => ("take", count.saturating_sub(3)),
    };
    places.truncate(3);
    let mut lines = places.join(" and ");
    if more > 0 {
        lines.push_str(&format!(" and {more} more"));
    }
    match (places.is_empty(), row.fields) {
        (false, _) => format!(
            "lanes are {stride} bytes apart, and {lines} {take} other parts of the same {stride} bytes"
        ),
        (true, 0) => {
            format!("lanes are {stride} bytes apart, each at one part of a structure of its own")
        }
        (true, _) => format!(
            "lanes are {stride} bytes apart, and the line takes the parts of these {stride} bytes one by one"
        ),
    }
}

fn bank_conflict(advice: &Advice, row: &LineAccess, pattern: LanePattern) -> String {
    let at = place(row.source.as_ref(), row.ptx_line);
    let (taken, fewest) = (
        each(advice.taken, advice.requests),
        each(advice.fewest, advice.requests),
    );
    let how = match pattern {
        LanePattern::Stride { bytes, .. } if bytes.unsigned_abs() > u64::from(row.access_bytes) => {
            format!("lanes {} bytes apart share banks", bytes.unsigned_abs())
        }
        LanePattern::Stride { run, .. } if run < 32 => {
            format!("pieces of {run} lanes share banks")
        }
        _ => "lanes share banks".to_string(),
    };
    let wide = match row.access_bytes {
        8 => " (8 bytes a lane pass in two halves of the warp)",
        16 => " (16 bytes a lane pass in four quarters of the warp)",
        _ => "",
    };
    format!(
        "{at}: {how} of shared memory: each {} of a warp takes {taken} wavefronts where {fewest} would do{wide}, {} of the launch's: {}. Make the rows of the array longer by one element, or swizzle its columns",
        verb(row),
        percent(advice.taken, advice.whole),
        gain(advice)
    )
}

fn atomic(advice: &Advice, row: &LineAccess) -> String {
    let at = place(row.source.as_ref(), row.ptx_line);
    let (each, gain) = (each(advice.taken, advice.requests), gain(advice));
    let spread = match row.places() {
        1 => format!("all {} of the launch go to one address", grouped(row.lanes)),
        places => format!(
            "{} of the launch go to at most {} addresses",
            grouped(row.lanes),
            grouped(places)
        ),
    };
    let meeting = few(row.meeting());
    let meet = match (row.space, advice.taken <= row.addresses) {
        (Space::Shared, _) => format!(
            "{meeting} lanes of a warp meet at an address of shared memory and take turns, {each} wavefronts for each atomic of a warp"
        ),
        // What goes to one address is added up within the warp by the assembler or by L2.
        (_, true) => format!(
            "{meeting} lanes of a warp meet at an address of global memory, which takes one warp after the other"
        ),
        (_, false) => format!(
            "atomics meet at addresses of global memory and take turns, {each} for each atomic of a warp"
        ),
    };
    format!(
        "{at}: {meet}; {spread}: {gain}. Add up within the warp, or the block, before one lane adds to memory"
    )
}

/// Of an array of a thread in local memory.
pub(super) fn of_local(advice: &Advice, row: &LineAccess) -> String {
    let at = place(row.source.as_ref(), row.ptx_line);
    let array = match &row.array {
        Some(name) if name.contains(',') => format!("the arrays {name} lie"),
        Some(name) => format!("the array {name} lies"),
        None => "an array of the thread, or a variable whose address is taken, lies".to_string(),
    };
    format!(
        "{at}: {array} in local memory, which is memory of the device, since an index is not known when it is compiled: {} of the launch's sectors, {}. Unroll the loop, so that each index is a constant and the elements are registers, or keep them in shared memory",
        percent(advice.taken, advice.whole),
        gain(advice)
    )
}

/// Of a bulk copy that reduces what changes nothing.
pub(super) fn of_reduction(advice: &Advice, row: &LineAccess) -> String {
    let at = place(row.source.as_ref(), row.ptx_line);
    format!(
        "{at}: each bulk reduction changes {} bytes of global memory, an atomic for each element, and {} of its sectors hold nothing that changes anything, such as zeros that are added: {} of the launch's sectors, {}. Reduce only what the block has",
        each(row.bytes, row.requests),
        percent(advice.taken - advice.fewest.min(advice.taken), advice.taken),
        percent(advice.taken, advice.whole),
        gain(advice)
    )
}

/// Of branches that part the lanes of warps.
pub(super) fn of_branch(
    advice: &Advice,
    branch: &LineBranch,
    worst: &LineBranch,
    average: f64,
) -> String {
    let at = place(branch.source.as_ref(), branch.ptx_line);
    let worst_at = place(worst.source.as_ref(), worst.ptx_line);
    let idle = match worst_at == at {
        true => String::new(),
        false => format!(", {} in {worst_at}", few(worst.lanes_active)),
    };
    format!(
        "{at}: the branch parts the lanes of {} of the warps that come to it: {} of 32 lanes are active on average{idle}; {}. Let whole warps go one way: branch by warp, or sort the work",
        percent(branch.split, branch.branches),
        few(average),
        gain(advice)
    )
}

/// Of blocks that are no whole warps.
pub(super) fn of_block(advice: &Advice, lanes: f64) -> String {
    format!(
        "blocks are no whole warps: {} of 32 lanes have a thread on average; {}. Give a block a multiple of 32 threads",
        few(lanes),
        gain(advice)
    )
}
