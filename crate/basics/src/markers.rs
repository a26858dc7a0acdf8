//! One CUDA C++ file cut by its marker lines into a starter, a solution and other answers, right and wrong. Which answers an exercise has is its list's.

/// The part of a choice that the participant begins with.
pub const STARTER: &str = "starter";
/// The part of a choice that is right.
pub const SOLUTION: &str = "solution";

/// What a marker line starts with, after blank space.
const MARK: &str = "//@";
/// The name that closes a choice.
const END: &str = "end";

/// What is wrong with the markers of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A file as text that all variants share and choices between parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Shared(String),
    /// The parts of a choice by name, in the file's order.
    Choice(Vec<(String, String)>),
}

impl Pieces {
    /// Reads a file. `others` are the ids of its other answers, the only names beside starter and solution.
    ///
    /// # Errors
    /// [`Malformed`], with the line, for markers that do not fit each other or name none of these.
    pub fn read(text: &str, others: &[&str]) -> Result<Self, Malformed> {
        let mut pieces = Vec::new();
        let mut shared = String::new();
        // The open choice and the line that opened it.
        let mut open: Option<(usize, Vec<(String, String)>)> = None;
        let mut lines = 0;
        for (index, text) in text.split_inclusive('\n').enumerate() {
            let line = index + 1;
            lines = line;
            let fail = |reason: String| Err(Malformed { line, reason });
            let Some(name) = text.trim().strip_prefix(MARK).map(str::trim) else {
                match open.as_mut().and_then(|(_, parts)| parts.last_mut()) {
                    Some((_, part)) => part.push_str(text),
                    None => shared.push_str(text),
                }
                continue;
            };
            if name == END {
                let Some((at, parts)) = open.take() else {
                    return fail(format!("`{MARK} {END}` closes no choice"));
                };
                check_choice(at, &parts)?;
                pieces.push(Piece::Choice(parts));
                continue;
            }
            if name != STARTER && name != SOLUTION && !others.contains(&name) {
                return fail(unknown(name, others));
            }
            let (_, parts) = open.get_or_insert_with(|| {
                pieces.push(Piece::Shared(std::mem::take(&mut shared)));
                (line, Vec::new())
            });
            if parts.iter().any(|(other, _)| other == name) {
                return fail(format!(
                    "the choice has a part `{name}` already; a choice ends with `{MARK} {END}`, and none lies inside \
                     another"
                ));
            }
            parts.push((name.to_string(), String::new()));
        }
        if let Some((at, _)) = open {
            return Err(Malformed {
                line: at,
                reason: format!(
                    "the choice that opens here is still open at the end, line {lines}; close it with `{MARK} {END}`"
                ),
            });
        }
        pieces.push(Piece::Shared(shared));
        let pieces = Self(pieces);
        match others.iter().find(|name| !pieces.names(name)) {
            None => Ok(pieces),
            Some(name) => Err(Malformed {
                line: lines.max(1),
                reason: format!(
                    "no choice has a part `{name}`, so that this answer would be the solution"
                ),
            }),
        }
    }

    /// The file of one variant. An answer that a choice does not name takes the solution's part.
    pub fn variant(&self, name: &str) -> String {
        let part = |parts: &[(String, String)], name: &str| {
            let found = parts.iter().find(|(other, _)| other == name);
            found.map(|(_, text)| text.clone())
        };
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Shared(text) => text.clone(),
            Piece::Choice(parts) => part(parts, name)
                .or_else(|| part(parts, SOLUTION))
                .unwrap_or_default(),
        });
        pieces.collect()
    }

    /// Whether some choice has a part of this name.
    fn names(&self, name: &str) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Shared(_) => false,
            Piece::Choice(parts) => parts.iter().any(|(other, _)| other == name),
        })
    }
}

fn check_choice(line: usize, parts: &[(String, String)]) -> Result<(), Malformed> {
    for needed in [STARTER, SOLUTION] {
        if !parts.iter().any(|(name, _)| name == needed) {
            return Err(Malformed {
                line,
                reason: format!("the choice that opens here has no part `{needed}`"),
            });
        }
    }
    Ok(())
}

fn unknown(name: &str, others: &[&str]) -> String {
    let known: Vec<String> = [STARTER, SOLUTION, END]
        .iter()
        .chain(others)
        .map(|name| format!("`{name}`"))
        .collect();
    format!(
        "`{MARK} {name}` is no marker of this file; there are: {}",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "one\n  //@ starter\n// TODO\n//@ solution\ntwo\n//@wrong\nthree\n//@ end\nfour\n\
        //@ starter\n//@ solution\nfive\n//@ end\n";

    #[test]
    fn each_variant_takes_its_own_parts() {
        let pieces = Pieces::read(FILE, &["wrong"]).unwrap();
        assert_eq!(pieces.variant(STARTER), "one\n// TODO\nfour\n");
        assert_eq!(pieces.variant(SOLUTION), "one\ntwo\nfour\nfive\n");
        assert_eq!(pieces.variant("wrong"), "one\nthree\nfour\nfive\n");
    }

    #[test]
    fn what_is_malformed_is_told_with_its_line() {
        let starter = "//@ starter\n";
        for (text, line, words) in [
            ("a\n//@ end\n".to_string(), 2, "closes no choice"),
            (
                format!("a\n{starter}b\n"),
                2,
                "still open at the end, line 3",
            ),
            (
                format!("{starter}//@ solutoin\n//@ end"),
                2,
                "`//@ solutoin` is no marker",
            ),
            (
                format!("{starter}{starter}//@ end"),
                2,
                "has a part `starter` already",
            ),
            (format!("x\n{starter}//@ end"), 2, "has no part `solution`"),
            (
                "//@ solution\n//@ end".to_string(),
                1,
                "has no part `starter`",
            ),
            ("//@\n".to_string(), 1, "is no marker"),
            (
                format!("{starter}//@ solution\n//@ end\n"),
                3,
                "no choice has a part `wrong`",
            ),
            (String::new(), 1, "no choice has a part `wrong`"),
        ] {
            let malformed = Pieces::read(&text, &["wrong"]).unwrap_err();
            assert_eq!(malformed.line, line, "{text:?}: {malformed:?}");
            assert!(malformed.reason.contains(words), "{text:?}: {malformed:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(//@ ?(starter|solution|wrong|end|x)?\r?\n|.|\n){0,30}") {
            if let Ok(pieces) = Pieces::read(&text, &["wrong"]) {
                for name in [STARTER, SOLUTION, "wrong"] {
                    let variant = pieces.variant(name);
                    prop_assert!(variant.len() <= text.len());
                    prop_assert!(!variant.lines().any(|line| line.trim().starts_with(MARK)));
                }
            }
        }
    }
}
