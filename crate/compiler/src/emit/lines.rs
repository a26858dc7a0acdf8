//! `.loc` directives, and the table of the names of inlined functions that they need.

use super::digits::push_number;
use crate::hash::HashMap;
use crate::ir::Loc;
use crate::lower::Location;
use std::fmt::Write;
use std::rc::Rc;

pub(super) struct LineTable<'a> {
    locations: &'a [Location],
    names: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, u32>,
    last: Option<Loc>,
}

impl<'a> LineTable<'a> {
    pub(super) fn new(locations: &'a [Location]) -> Self {
        Self {
            locations,
            names: Vec::new(),
            numbers: HashMap::default(),
            last: None,
        }
    }

    /// From now on the place is not known.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    pub(super) fn of(&self, loc: Loc) -> Option<&'a Location> {
        self.locations.get(loc.0 as usize)
    }

    /// Says where what follows comes from, unless that was said.
    pub(super) fn say(&mut self, text: &mut String, loc: Loc) {
        if self.last == Some(loc) {
            return;
        }
        let Some(location) = self.of(loc) else { return };
        let before = self.last;
        if let Some((_, call)) = &location.inlined {
            let said = before
                .and_then(|before| self.of(before))
                .and_then(|other| other.inlined.as_ref());
            if said != location.inlined.as_ref() && before != Some(*call) {
                self.say(text, *call);
            }
        }
        self.last = Some(loc);
        text.push_str("\t.loc\t");
        push_place(text, location);
        if let Some((name, call)) = &location.inlined {
            let number = self.number(name);
            if let Some(call) = self.of(*call) {
                text.push_str(", function_name $L__info_string");
                push_number(text, number);
                text.push_str(", inlined_at ");
                push_place(text, call);
            }
        }
        text.push('\n');
    }

    fn number(&mut self, name: &Rc<str>) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name.clone(), number);
        number
    }

    pub(super) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The names, where there are any.
    pub(super) fn strings(&self, text: &mut String) {
        if self.names.is_empty() {
            return;
        }
        text.push_str("\t.section\t.debug_str\n\t{\n");
        for (number, name) in self.names.iter().enumerate() {
            let bytes: Vec<String> = name.bytes().map(|byte| byte.to_string()).collect();
            let _ = writeln!(
                text,
                "$L__info_string{number}:\n.b8 {},0\n",
                bytes.join(",")
            );
        }
        text.push_str("\t}\n");
    }
}

fn push_place(text: &mut String, location: &Location) {
    // PTX counts files from 1.
    push_number(text, location.file + 1);
    text.push(' ');
    push_number(text, location.line);
    text.push(' ');
    push_number(text, location.column);
}
