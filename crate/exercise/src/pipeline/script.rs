//! A pipeline as its file says it, read line by line: streams, events, and what the host calls for each part. Doing it is `run`'s.

use super::words::{Token, tokens};
use std::fmt;

/// The legacy default stream's name, which nobody declares.
pub(super) const DEFAULT: &str = "default";
/// The name of what is waited for as a whole.
const DEVICE: &str = "device";
/// The most calls for a part, and the most names of either kind.
const MOST_CALLS: usize = 24;
const MOST_NAMES: usize = 16;
/// The largest number that a line may name.
const MOST_PART: usize = 1000;

/// What is wrong with a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) reason: String,
}

/// A pipeline.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The non-blocking streams, by name.
    pub(super) streams: Vec<String>,
    pub(super) events: Vec<String>,
    /// What the host calls for each part, in order.
    pub(super) calls: Vec<Call>,
    /// The line from which on they stand.
    body: Option<usize>,
}

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Its line, from 1.
    pub(super) line: usize,
    /// For which parts it is made; for all where nothing is said.
    pub(super) when: Option<When>,
    /// On which stream; `None` for the whole device.
    pub(super) on: Option<On>,
    pub(super) verb: Verb,
}

/// A stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// The legacy default stream.
    Default,
    /// The declared one of this index.
    Own(usize),
}

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// The part's numbers are copied to its place.
    Write,
    /// The kernel works on its place.
    Launch,
    /// Its place is copied back.
    Read,
    Record(Mark),
    Wait(Mark),
    /// The host waits.
    Synchronize,
}

/// An event: one for all parts, or that of the part so many before the one in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) event: usize,
    pub(super) back: Option<usize>,
}

/// For which parts a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    From(usize),
    Before(usize),
    At(usize),
}

impl When {
    pub(super) fn holds(self, part: usize) -> bool {
        match self {
            Self::From(first) => part >= first,
            Self::Before(end) => part < end,
            Self::At(only) => part == only,
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (streams, events) = (self.streams.len(), self.events.len());
        write!(
            f,
            "streams: {streams}, events: {events}, calls for a part: {}",
            self.calls.len()
        )
    }
}

impl Script {
    /// Reads a file.
    pub(super) fn read(text: &str) -> Result<Self, Malformed> {
        let mut script = Self::default();
        let mut last = 1;
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            last = line;
            script
                .line(line, text)
                .map_err(|reason| Malformed { line, reason })?;
        }
        let fail = |reason: &str| {
            let (line, reason) = (last, reason.to_string());
            Err(Malformed { line, reason })
        };
        match script.body {
            None => fail(
                "there is no line `for each part:`, behind which stands what the host calls for each of them",
            ),
            Some(_) if script.calls.is_empty() => {
                fail("nothing is called behind `for each part:`, such as `up.write(part)`")
            }
            Some(_) => Ok(script),
        }
    }

    fn line(&mut self, line: usize, text: &str) -> Result<(), String> {
        let tokens = tokens(text)?;
        let mut rest = Rest(&tokens);
        match rest.0 {
            [] => Ok(()),
            [Token::Word("streams"), ..] => self.declare(rest.0, |script| &mut script.streams),
            [Token::Word("events"), ..] => self.declare(rest.0, |script| &mut script.events),
            [Token::Word("for"), ..] => {
                let is_it = rest.takes(&[
                    Token::Word("for"),
                    Token::Word("each"),
                    Token::Word("part"),
                    Token::Sign(":"),
                ]);
                if !is_it || !rest.0.is_empty() {
                    return Err(
                        "the line is `for each part:`; what is called for each stands below it"
                            .to_string(),
                    );
                }
                match self.body.replace(line) {
                    None => Ok(()),
                    Some(first) => Err(format!(
                        "`for each part:` stands on line {first} already; there is one of it"
                    )),
                }
            }
            _ => self.call(line, rest),
        }
    }

    /// `streams up, down`: new names of one kind.
    fn declare(
        &mut self,
        tokens: &[Token],
        of: fn(&mut Self) -> &mut Vec<String>,
    ) -> Result<(), String> {
        if let Some(line) = self.body {
            return Err(format!(
                "streams and events are named above `for each part:`, which is line {line}"
            ));
        }
        let example = "names stand side by side with commas: `streams up, down`";
        let (names, commas): (Vec<_>, Vec<_>) = tokens
            .iter()
            .skip(1)
            .enumerate()
            .partition(|(i, _)| i % 2 == 0);
        if names.len() != commas.len() + 1 || commas.iter().any(|(_, t)| **t != Token::Sign(",")) {
            return Err(example.to_string());
        }
        for (_, token) in names {
            let Token::Word(name) = token else {
                return Err(format!("`{token}` is no name; {example}"));
            };
            let taken = self
                .streams
                .iter()
                .chain(&self.events)
                .any(|known| known == name);
            if taken || [DEFAULT, DEVICE, "part", "if"].contains(name) {
                return Err(format!(
                    "`{name}` is the name of something already; take another one"
                ));
            }
            let names = of(self);
            if names.len() == MOST_NAMES {
                return Err(format!("more than {MOST_NAMES} of them are too many"));
            }
            names.push((*name).to_string());
        }
        Ok(())
    }

    /// `if part >= 3: up.wait(away[part - 3])`, or without the condition.
    fn call(&mut self, line: usize, mut rest: Rest) -> Result<(), String> {
        let when = rest.condition()?;
        let [
            Token::Word(object),
            Token::Sign("."),
            Token::Word(verb),
            Token::Sign("("),
            ..,
        ] = rest.0
        else {
            let there = rest.0.first();
            return Err(match there {
                None => "what is to be done stands on the line of its condition: `if part >= 3: up.wait(there)`"
                    .to_string(),
                Some(token) => format!(
                    "`{token}` begins nothing that is known; a call is written `up.write(part)`, with a stream before the point"
                ),
            });
        };
        rest.0 = &rest.0[4..];
        if self.body.is_none() {
            return Err("calls stand below the line `for each part:`".to_string());
        }
        let on = self.stream(object)?;
        let verb = self.verb(object, verb, &mut rest)?;
        if on.is_none() && verb != Verb::Synchronize {
            return Err(format!(
                "`{DEVICE}` has `synchronize()` only; everything else is called on a stream"
            ));
        }
        if !rest.takes(&[Token::Sign(")")]) {
            return Err("there should be a `)` behind that, and nothing else between".to_string());
        }
        rest.takes(&[Token::Sign(";")]);
        if let Some(token) = rest.0.first() {
            return Err(format!("`{token}` is too much; a line has one call"));
        }
        if self.calls.len() == MOST_CALLS {
            return Err(format!(
                "more than {MOST_CALLS} calls for a part are too many"
            ));
        }
        self.calls.push(Call {
            line,
            when,
            on,
            verb,
        });
        Ok(())
    }

    fn stream(&self, name: &str) -> Result<Option<On>, String> {
        if name == DEFAULT || name == DEVICE {
            return Ok((name == DEFAULT).then_some(On::Default));
        }
        let found = self.streams.iter().position(|stream| stream == name);
        found.map(|index| Some(On::Own(index))).ok_or_else(|| {
            format!(
                "there is no stream `{name}`; there are: {}, and `{DEFAULT}`",
                listed(&self.streams)
            )
        })
    }

    fn verb(&self, object: &str, verb: &str, rest: &mut Rest) -> Result<Verb, String> {
        let verb = match verb {
            "write" | "launch" | "read" if !rest.takes(&[Token::Word("part")]) => {
                return Err(format!(
                    "`{verb}` is called for the part in hand: `{object}.{verb}(part)`"
                ));
            }
            "write" => Verb::Write,
            "launch" => Verb::Launch,
            "read" => Verb::Read,
            "record" => Verb::Record(self.mark(rest)?),
            "wait" => Verb::Wait(self.mark(rest)?),
            "synchronize" => Verb::Synchronize,
            _ => {
                return Err(format!(
                    "nobody knows how to `{verb}`; there are: write, launch, read, record, wait, synchronize"
                ));
            }
        };
        Ok(verb)
    }

    /// `away`, `away[part]` or `away[part - 3]`.
    fn mark(&self, rest: &mut Rest) -> Result<Mark, String> {
        let Some((Token::Word(name), after)) = rest.0.split_first() else {
            return Err(
                "an event's name stands between the brackets: `up.record(there)`".to_string(),
            );
        };
        let Some(event) = self.events.iter().position(|event| event == name) else {
            return Err(format!(
                "there is no event `{name}`; there are: {}. A new one is named above, in the line `events …`",
                listed(&self.events)
            ));
        };
        rest.0 = after;
        if !rest.takes(&[Token::Sign("[")]) {
            return Ok(Mark { event, back: None });
        }
        let wrong = format!(
            "an event is meant by `{name}`, by `{name}[part]`, or by `{name}[part - 1]` and so on"
        );
        if !rest.takes(&[Token::Word("part")]) {
            return Err(wrong);
        }
        let back = match rest.takes(&[Token::Sign("-")]) {
            true => rest.number()?,
            false => 0,
        };
        match rest.takes(&[Token::Sign("]")]) {
            true => Ok(Mark {
                event,
                back: Some(back),
            }),
            false => Err(wrong),
        }
    }
}

/// What of a line has not been read yet.
struct Rest<'t>(&'t [Token<'t>]);

impl Rest<'_> {
    /// Goes on behind these, if they come next.
    fn takes(&mut self, wanted: &[Token]) -> bool {
        let are_next = self.0.starts_with(wanted);
        if are_next {
            self.0 = &self.0[wanted.len()..];
        }
        are_next
    }

    /// `if part >= 3:`, where it stands here.
    fn condition(&mut self) -> Result<Option<When>, String> {
        if !self.takes(&[Token::Word("if")]) {
            return Ok(None);
        }
        let wrong = "a condition is written `if part >= 3:`; there are `>=`, `<` and `==`";
        let [Token::Word("part"), Token::Sign(sign), ..] = self.0 else {
            return Err(wrong.to_string());
        };
        let when = match *sign {
            ">=" => When::From,
            "<" => When::Before,
            "==" => When::At,
            _ => return Err(wrong.to_string()),
        };
        self.0 = &self.0[2..];
        let number = self.number()?;
        match self.takes(&[Token::Sign(":")]) {
            true => Ok(Some(when(number))),
            false => Err(wrong.to_string()),
        }
    }

    fn number(&mut self) -> Result<usize, String> {
        let Some((Token::Word(digits), rest)) = self.0.split_first() else {
            return Err("a number should stand here, such as 3".to_string());
        };
        self.0 = rest;
        let number = digits.parse().ok().filter(|number| *number <= MOST_PART);
        number.ok_or_else(|| format!("`{digits}` is no number from 0 to {MOST_PART}"))
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_string(),
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests;
