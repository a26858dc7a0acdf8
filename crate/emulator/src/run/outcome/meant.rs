//! What an address was meant for: the buffer or the shared variable that it lies in or has just missed.

use crate::decode::DecodedEntry;
use crate::memory::Buffer;
use crate::report::BufferInfo;
use crate::run::preset::LaunchShape;
use crate::run::shared;

/// An address less than this far from a buffer was meant for it.
const NEAR_BYTES: u64 = 1 << 36;

/// An index this little below 0 was meant for the buffer's start.
const MOST_BELOW: u64 = 1 << 16;

/// The variable in shared memory that an address lies in, or all of the block's shared memory.
pub(super) fn shared_variable(
    entry: &DecodedEntry,
    shape: &LaunchShape,
    address: u64,
) -> BufferInfo {
    let program = &entry.program;
    let info = |(number, (name, _, bytes)): (usize, &(String, u64, u64))| BufferInfo {
        name: plain_name(name).to_string(),
        base: shared::start(program, shape, number),
        bytes: *bytes as usize,
    };
    let variables: Vec<BufferInfo> = (program.shared_variables.iter().enumerate())
        .map(info)
        .collect();
    let holds =
        |variable: &&BufferInfo| address.wrapping_sub(variable.base) < variable.bytes as u64;
    if let Some(variable) = variables.iter().find(holds) {
        return variable.clone();
    }
    let dynamic = shape.dynamic_shared_bytes;
    let dynamic_start = shared::start(program, shape, variables.len());
    if dynamic > 0 && (shape.shared_gap == 0 || variables.is_empty()) {
        let all = shared::bytes(program, shape) as usize;
        return bank("shared memory of the block", all);
    }
    if dynamic > 0 && address as i64 >= dynamic_start as i64 {
        return BufferInfo {
            base: dynamic_start,
            ..bank("dynamic shared memory", dynamic as usize)
        };
    }
    // The nearest one, past whose end or before whose start it is.
    let distance = |variable: &&BufferInfo| {
        let (at, start) = (address as i64, variable.base as i64);
        let past = at.saturating_sub(start + variable.bytes as i64);
        past.max(start.saturating_sub(at))
    };
    let missed = variables.iter().min_by_key(distance);
    match missed {
        Some(variable) if variable.bytes > 0 => variable.clone(),
        _ => bank(
            "shared memory of the block",
            shared::bytes(program, shape) as usize,
        ),
    }
}

/// The name that a variable of a function has in CUDA C++: the last part of `_ZZ4kernE4tile`.
pub(super) fn plain_name(name: &str) -> &str {
    if !name.starts_with("_Z") {
        return name;
    }
    // `_0` and so on tells apart variables of one name.
    let trimmed = name.trim_end_matches(|mark: char| mark.is_ascii_digit());
    let whole = trimmed.strip_suffix('_').unwrap_or(name);
    (1..whole.len())
        .filter(|at| whole.is_char_boundary(*at))
        .find_map(|at| {
            let (head, tail) = whole.split_at(whole.len() - at);
            let length = tail.len().to_string();
            let is_name = !tail.starts_with(|mark: char| mark.is_ascii_digit());
            (is_name && head.ends_with(&length)).then_some(tail)
        })
        .unwrap_or(name)
}

pub(super) fn bank(name: &str, bytes: usize) -> BufferInfo {
    BufferInfo {
        name: name.to_string(),
        base: 0,
        bytes,
    }
}

/// The buffer that an access of so many bytes was meant for: the one that an index just below 0 has missed because it
/// has 32 bits and no sign, else the nearest one.
pub(super) fn meant(buffers: &[&Buffer], address: u64, access_bytes: u64) -> Option<BufferInfo> {
    let wrapped = |buffer: &&&Buffer| {
        let from_wrap = (access_bytes << 32).wrapping_sub(address.wrapping_sub(buffer.base));
        from_wrap.wrapping_sub(1) < MOST_BELOW * access_bytes
    };
    let distance = |buffer: &Buffer| {
        let end = buffer.base + buffer.bytes as u64;
        if address < buffer.base {
            buffer.base - address
        } else {
            (address + 1).saturating_sub(end)
        }
    };
    let nearest = buffers.iter().min_by_key(|buffer| distance(buffer))?;
    let near = distance(nearest);
    let meant = if near > access_bytes << 24 {
        buffers.iter().find(wrapped).unwrap_or(nearest)
    } else {
        nearest
    };
    (near < NEAR_BYTES).then(|| meant.info())
}
