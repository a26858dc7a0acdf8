//! Where variables lie in a block's shared memory. A checked launch leaves gaps between them, in which nothing may be accessed; the program's own addresses have none.

use std::ops::Range;

use crate::program::{Program, RESERVED_SHARED};
use crate::run::limits::MOST_SHARED_BYTES;
use crate::run::preset::LaunchShape;

/// Bytes between two variables, the first that will do: multiples of what all banks together hold, so that every access
/// takes as many wavefronts as without. The swizzles of tensor copies repeat after the first.
const GAPS: [u32; 2] = [1024, 128];

/// The gap of a checked launch: 0 if a GPU's shared memory has no room for gaps, or variables are aligned to more.
pub(super) fn gap(program: &Program, dynamic_bytes: u32) -> u32 {
    let fits = |gap: &u32| {
        let end = end(program, dynamic_bytes, *gap);
        gap.is_multiple_of(program.shared_align.max(1)) && end <= MOST_SHARED_BYTES
    };
    GAPS.into_iter().find(fits).unwrap_or(0)
}

/// The end of a block's shared memory.
pub(super) fn bytes(program: &Program, shape: &LaunchShape) -> u32 {
    end(program, shape.dynamic_shared_bytes, shape.shared_gap) as u32
}

fn end(program: &Program, dynamic_bytes: u32, gap: u32) -> u64 {
    let variables = program.shared_variables.len() as u64;
    let gap = u64::from(gap);
    match dynamic_bytes {
        0 => u64::from(program.static_shared_bytes) + variables.saturating_sub(1) * gap,
        dynamic => u64::from(program.dynamic_shared_offset) + variables * gap + u64::from(dynamic),
    }
}

/// First byte of a variable; of dynamic shared memory if there are no more.
pub(super) fn start(program: &Program, shape: &LaunchShape, variable: usize) -> u64 {
    let packed = program
        .shared_variables
        .get(variable)
        .map_or(u64::from(program.dynamic_shared_offset), |(_, at, _)| *at);
    packed + variable as u64 * u64::from(shape.shared_gap)
}

/// What lies between variables, if the launch leaves gaps.
pub(super) fn gaps(program: &Program, shape: &LaunchShape) -> Vec<Range<u64>> {
    if shape.shared_gap == 0 {
        return Vec::new();
    }
    let all = u64::from(bytes(program, shape));
    let variables = program.shared_variables.iter().enumerate();
    variables
        .map(|(number, (_, _, bytes))| {
            start(program, shape, number) + bytes..start(program, shape, number + 1).min(all)
        })
        .filter(|gap| !gap.is_empty())
        .collect()
}

/// The part that a block does not find unwritten: what CUDA keeps for itself.
pub(super) fn given(program: &Program, shape: &LaunchShape) -> Range<usize> {
    let variables = &program.shared_variables;
    let reserved = variables
        .iter()
        .position(|(name, ..)| name == RESERVED_SHARED);
    reserved.map_or(0..0, |number| {
        let first = start(program, shape, number) as usize;
        first..first + variables[number].2 as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let variable = |name: &str, at: u64, bytes: u64| (name.to_string(), at, bytes);
        Program {
            shared_variables: vec![variable("a", 0, 100), variable("b", 104, 8)],
            static_shared_bytes: 112,
            dynamic_shared_offset: 112,
            shared_align: 8,
            ..Program::default()
        }
    }

    fn shape(dynamic_shared_bytes: u32, shared_gap: u32) -> LaunchShape {
        LaunchShape {
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            is_clustered: false,
            is_cooperative: false,
            dynamic_shared_bytes,
            shared_gap,
        }
    }

    #[test]
    fn gaps_lie_between_variables_and_before_dynamic_memory() {
        let program = program();
        let shape = shape(64, gap(&program, 64));
        assert_eq!(start(&program, &shape, 1), 1128);
        assert_eq!(gaps(&program, &shape), [100..1128, 1136..2160]);
        assert_eq!(bytes(&program, &shape), 2224);
    }

    #[test]
    fn behind_the_last_variable_is_no_gap() {
        let program = program();
        let shape = shape(0, 128);
        let only = gaps(&program, &shape);
        assert_eq!((only.len(), only[0].clone()), (1, 100..232));
        assert_eq!(bytes(&program, &shape), 240);
    }

    #[test]
    fn where_memory_is_short_gaps_are_small_or_none() {
        let program = program();
        let most = MOST_SHARED_BYTES as u32;
        assert_eq!(gap(&program, most - 112 - 2048), 1024);
        assert_eq!(gap(&program, most - 112 - 2047), 128);
        assert_eq!(gap(&program, most - 112), 0);
        let aligned = Program {
            shared_align: 2048,
            ..program
        };
        assert_eq!(gap(&aligned, 0), 0);
    }
}
