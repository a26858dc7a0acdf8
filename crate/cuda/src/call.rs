//! What a program does wrong with the API, and what is worth a word: noted once for each place.

use cornerturn_emulator::streams::Unordered;

use crate::driver::Driver;
use crate::memory::{Allocation, what};
use crate::place;
use crate::record::Note;
use crate::status::{Error, Status};

impl Driver {
    /// Notes a mistake of the host program as a finding, and gives the error that the call returns.
    pub fn misuse(&self, kind: &'static str, status: Status, message: String) -> Error {
        self.note_finding(kind, &message);
        Error::new(status, message)
    }

    /// Notes a finding of the host program, at the place of the call.
    pub fn note_finding(&self, kind: &str, message: &str) {
        self.record().note(true, Note::here(kind, message));
    }

    /// Notes a remark, at the place of the call.
    pub fn note_remark(&self, kind: &str, message: &str) {
        self.record().note(false, Note::here(kind, message));
    }

    /// Notes a finding or remark at a place of its own.
    pub fn note_at(&self, is_finding: bool, note: Note) {
        self.record().note(is_finding, note);
    }

    pub(crate) fn note_races(&self, races: &[Unordered]) {
        for race in races {
            self.note_finding("race", &format!("race between operations: {race}"));
        }
    }

    pub(crate) fn note_leak(&self, allocation: &Allocation) {
        let message = format!(
            "`{}`, {} bytes of {}, is never freed",
            allocation.name,
            allocation.bytes,
            what(allocation.kind)
        );
        let place = allocation.place.clone().or_else(place::here);
        self.record().note(false, Note::new("leak", message, place));
    }

    pub(crate) fn note_times(&self) {
        let message = "times of events are no GPU's: each operation counts as what an H200 takes at least for its bytes";
        let note = Note::new("time", message.to_string(), None);
        self.record().note(false, note);
    }
}
