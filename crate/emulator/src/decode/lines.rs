//! From `.loc` to lines of CUDA C++: of the places of an inlined instruction, the one that is the programmer's own.
//!
//! PTX ISA section "Debugging Directives: .loc".

use std::collections::HashMap;

use crate::parse::ast::{Located, Position};
use crate::program::Place;

/// Most functions inlined into each other that are followed; functions may be inlined into themselves.
const MOST_INLINED: usize = 64;

/// The source files of a module by the number of their `.file`: place in the module's list, and name.
pub(crate) type SourceFiles<'a> = HashMap<u64, (u32, &'a str)>;

/// Where the instructions being decoded come from.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    files: &'a SourceFiles<'a>,
    /// Where the function of a position is inlined, as the last `.loc` of that position has it.
    inlined_at: HashMap<Position, Position>,
    /// The folder of the file that the function being decoded is written in.
    folder: Option<&'a str>,
    here: Place,
}

impl<'a> Lines<'a> {
    pub(super) fn new(files: &'a SourceFiles<'a>) -> Self {
        Self {
            files,
            inlined_at: HashMap::new(),
            folder: None,
            here: Place::UNKNOWN,
        }
    }

    /// An entry, or a function that is called, starts.
    pub(super) fn start_function(&mut self) {
        self.folder = None;
        self.here = Place::UNKNOWN;
    }

    /// The place of the instructions that follow.
    pub(super) fn here(&self) -> Place {
        self.here
    }

    /// Goes back to a place that was the instructions' before.
    pub(super) fn return_to(&mut self, place: Place) {
        self.here = place;
    }

    /// A `.loc`. Line 0 marks what belongs to no line: what came before holds on.
    pub(super) fn enter(&mut self, Located { at, inlined_at }: Located) {
        match inlined_at {
            Some(call) => self.inlined_at.insert(at, call),
            None => self.inlined_at.remove(&at),
        };
        if at.line == 0 {
            return;
        }
        let mut chain = vec![at];
        while let Some(call) = chain.last().and_then(|last| self.inlined_at.get(last)) {
            if chain.len() > MOST_INLINED {
                break;
            }
            chain.push(*call);
        }
        let outermost = *chain.last().unwrap_or(&at);
        let entry = *self
            .folder
            .get_or_insert_with(|| folder(name(self.files, outermost)));
        let own = chain
            .iter()
            .position(|position| is_own(name(self.files, *position), entry));
        let shown = chain[own.unwrap_or(chain.len() - 1)];
        let line = |position: Position| (self.number(position), position.line);
        let (file, number) = line(shown);
        self.here = Place {
            ptx_line: 0,
            file,
            line: number,
            inlined_from: (shown != at).then(|| line(at)),
            inlined_into: (shown == at && line(outermost) != line(at)).then(|| line(outermost)),
        };
    }

    fn number(&self, position: Position) -> u32 {
        self.files
            .get(&position.file)
            .map_or(u32::MAX, |(number, _)| *number)
    }
}

fn name<'a>(files: &SourceFiles<'a>, position: Position) -> &'a str {
    files.get(&position.file).map_or("", |(_, name)| *name)
}

fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a file is the programmer's own and no header of the toolkit: it lies beside the kernel's. Where names have
/// no folders, headers are told by their ending.
fn is_own(name: &str, entry_folder: &str) -> bool {
    let is_header = name.ends_with(".h") || name.ends_with(".hpp");
    folder(name) == entry_folder && !(entry_folder.is_empty() && is_header)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source file, as its place in the module's list, and a line.
    type Line = (u32, u32);

    fn position(file: u64, line: u32, column: u64) -> Position {
        Position { file, line, column }
    }

    /// Goes through `.loc`s, each a position and where it is inlined, and returns the last place.
    fn last(
        files: [&'static str; 3],
        locations: &[(Position, Option<Position>)],
    ) -> (Line, Option<Line>, Option<Line>) {
        let files = (1..).zip((0..).zip(files)).collect();
        let mut lines = Lines::new(&files);
        for (at, inlined_at) in locations.iter().copied() {
            lines.enter(Located { at, inlined_at });
        }
        let here = lines.here();
        ((here.file, here.line), here.inlined_from, here.inlined_into)
    }

    const TOOLKIT: [&str; 3] = ["/home/k.cu", "/cuda/include/cg.h", "/cuda/include/warp.hpp"];

    #[test]
    fn the_line_of_a_header_is_that_of_the_call() {
        let (kernel, helper) = (position(1, 9, 7), position(2, 841, 9));
        let chain = [
            (kernel, None),
            (helper, Some(kernel)),
            (position(3, 97, 13), Some(helper)),
        ];
        assert_eq!(last(TOOLKIT, &chain), ((0, 9), Some((2, 97)), None));
        // The helper is inlined elsewhere since.
        let other = [(helper, Some(position(1, 20, 3))), chain[2]];
        let all = [&chain[..], &other].concat();
        assert_eq!(last(TOOLKIT, &all), ((0, 20), Some((2, 97)), None));
    }

    #[test]
    fn a_function_of_the_kernels_own_file_keeps_its_line() {
        let (kernel, own) = (position(1, 30, 1), position(1, 4, 9));
        let chain = [(own, Some(kernel)), (position(2, 107, 3), Some(own))];
        assert_eq!(last(TOOLKIT, &chain[..1]), ((0, 4), None, Some((0, 30))));
        assert_eq!(last(TOOLKIT, &chain), ((0, 4), Some((1, 107)), None));
    }

    #[test]
    fn a_header_without_a_folder_is_told_by_its_ending() {
        let names = ["k.cu", "tile.cuh", "cuda_fp16.hpp"];
        let call = position(1, 8, 1);
        let own = [(position(2, 3, 1), Some(call))];
        assert_eq!(last(names, &own), ((1, 3), None, Some((0, 8))));
        let header = [(position(3, 3, 1), Some(call))];
        assert_eq!(last(names, &header), ((0, 8), Some((2, 3)), None));
    }

    #[test]
    fn a_function_inlined_into_itself_ends() {
        let at = position(2, 5, 5);
        assert_eq!(last(TOOLKIT, &[(at, Some(at))]), ((1, 5), None, None));
    }
}
