//! What registers and values are called. PTX has no names of variables: a variable is what a line of the source assigns by
//! name, and its value what that line last computed of its type. What is assigned in other ways has no name here.

use super::values::Kind;
use super::{Step, WarpSteps};
use std::collections::BTreeMap;

/// The registers that an instruction's text writes, and its opcode: `mad.lo.s32 %r1, %r2, 4, %r3;`.
pub(super) fn results(instruction: &str) -> (&str, Vec<&str>) {
    let text = instruction.trim_end_matches(';');
    // Behind a guard and a label.
    let text = text
        .rsplit_once(": ")
        .map_or(text, |(_, rest)| rest)
        .trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest),
        None => text,
    };
    let (opcode, operands) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text, ""));
    let operands = operands.trim_start();
    let first = match operands.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default(),
        None => operands.split(',').next().unwrap_or_default(),
    };
    let names = first.split([',', '|']).map(str::trim);
    (opcode, names.filter(|name| !name.is_empty()).collect())
}

/// The registers that a step writes: name, kind, and their values.
pub(super) fn written<'w>(
    walk: &'w WarpSteps,
    step: &'w Step,
) -> Vec<(&'w str, Kind, &'w [u64; 32])> {
    let (opcode, names) = results(walk.instruction(step.ptx_line));
    let Some(unnamed) = step.written.len().checked_sub(names.len()) else {
        return Vec::new();
    };
    let written = step.written.iter().skip(unnamed);
    let fitting = |kind: Kind, bits: u32| match (kind, bits) {
        (_, 1) => Kind::Predicate,
        (Kind::Predicate, _) => Kind::Unsigned(bits),
        (Kind::Double, 32) => Kind::Bits(32),
        (kind, _) => kind,
    };
    (names.into_iter().zip(written))
        .map(|(name, written)| {
            (
                name,
                fitting(Kind::of(opcode, name), written.bits),
                &written.values,
            )
        })
        .collect()
}

/// The values of a variable from a step on.
#[derive(Debug, Clone)]
struct Value {
    /// The step after which they hold.
    since: usize,
    kind: Kind,
    values: [Option<u64>; 32],
}

/// The variables of a walk with their values, by when they were assigned.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    order: Vec<String>,
    values: BTreeMap<String, Vec<Value>>,
}

/// The most values that are kept of all variables together.
const MOST_VALUES: usize = 1 << 15;

impl Variables {
    pub(super) fn of(walk: &WarpSteps) -> Self {
        let mut found = Self::default();
        let Some((lines, _)) = &walk.source else {
            return found;
        };
        let assigned: Vec<Option<(&str, Kind)>> = (lines.iter())
            .map(|line| assigned(line).and_then(|name| Some((name, declared(lines, name)?))))
            .collect();
        let mut kept = 0;
        let mut before: Option<u32> = None;
        for (at, step) in walk.steps.steps.iter().enumerate() {
            if !walk.is_own(step) {
                continue;
            }
            let line = walk.line(step);
            let is_same_visit = std::mem::replace(&mut before, line) == line;
            let target = line.and_then(|line| {
                assigned
                    .get((line as usize).checked_sub(1)?)
                    .copied()
                    .flatten()
            });
            let Some((name, kind)) = target.filter(|_| kept < MOST_VALUES) else {
                continue;
            };
            let written = written(walk, step);
            let Some((_, own, values)) =
                written.into_iter().rfind(|(_, own, _)| is_like(*own, kind))
            else {
                continue;
            };
            kept += 1;
            found.assign(name, (at, is_same_visit), (own, step.mask), values);
        }
        found
    }

    fn assign(
        &mut self,
        name: &str,
        (at, is_same_visit): (usize, bool),
        (kind, mask): (Kind, u32),
        values: &[u64; 32],
    ) {
        if !self.values.contains_key(name) {
            self.order.push(name.to_owned());
        }
        let known = self.values.entry(name.to_owned()).or_default();
        let mut all = known.last().map_or([None; 32], |value| value.values);
        for (lane, value) in all
            .iter_mut()
            .enumerate()
            .filter(|(lane, _)| mask >> lane & 1 != 0)
        {
            *value = Some(values[lane]);
        }
        // Of what a line computes on the way, only the last is the variable's.
        if is_same_visit && known.last().is_some_and(|value| value.kind == kind) {
            known.pop();
        }
        known.push(Value {
            since: at,
            kind,
            values: all,
        });
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.order.iter().map(String::as_str).collect()
    }

    /// The values at a step: those of the last assignment that was done by then.
    pub(super) fn at(&self, name: &str, step: usize) -> Option<(bool, [Option<String>; 32])> {
        let values = self.values.get(name)?;
        let value = values.iter().rfind(|value| value.since <= step)?;
        let shown = value
            .values
            .map(|bits| bits.map(|bits| value.kind.show(bits)));
        Some((value.since == step, shown))
    }
}

/// Whether what an instruction writes may be a variable of this kind.
fn is_like(own: Kind, wanted: Kind) -> bool {
    use Kind::{Double, Signed, Single, Unsigned};
    match (own, wanted) {
        (Single, Single) | (Double, Double) => true,
        (Signed(own) | Unsigned(own), Signed(wanted) | Unsigned(wanted)) => own == wanted,
        _ => false,
    }
}

/// The variable that a line of C++ assigns: none where it assigns several, or an element of something.
fn assigned(line: &str) -> Option<&str> {
    let line = line.split("//").next().unwrap_or_default();
    let mut found: Option<&str> = None;
    let bytes = line.as_bytes();
    for (at, _) in line.match_indices('=') {
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let is_shift = at >= 2 && matches!(&line.as_bytes()[at - 2..at], b"<<" | b">>");
        let compares = matches!(before, b'=' | b'!') || matches!(before, b'<' | b'>') && !is_shift;
        if compares || bytes.get(at + 1) == Some(&b'=') {
            continue;
        }
        let head = line[..at].trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
        let name = last_word(head.trim_end())?;
        if found.is_some_and(|other| other != name) {
            return None;
        }
        found = Some(name);
    }
    for sign in ["++", "--"] {
        for (at, _) in line.match_indices(sign) {
            let name = last_word(line[..at].trim_end()).or_else(|| first_word(&line[at + 2..]));
            if found.is_some_and(|other| Some(other) != name) {
                return None;
            }
            found = name;
        }
    }
    found
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The name with which a text ends, if that is not a member's.
fn last_word(text: &str) -> Option<&str> {
    let start = text.rfind(|letter| !is_letter(letter)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    let name = &text[start..];
    let is_member = text[..start].ends_with(['.', '>']) && !text[..start].ends_with("> ");
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (is_name && !is_member).then_some(name)
}

fn first_word(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.find(|letter| !is_letter(letter)).unwrap_or(text.len());
    Some(&text[..end]).filter(|name| !name.is_empty())
}

/// How the lines declare a variable: none where they do not, in different ways, or as what has no number of its own.
fn declared(lines: &[String], name: &str) -> Option<Kind> {
    let mut found = None;
    for line in lines {
        for (at, _) in line.match_indices(name) {
            let ends = line[at + name.len()..]
                .chars()
                .next()
                .is_none_or(|next| !is_letter(next));
            let before = &line[..at];
            let Some(kind) = Some(before)
                .filter(|_| ends && !before.ends_with(is_letter))
                .and_then(type_of)
            else {
                continue;
            };
            if found.is_some_and(|other| other != kind) {
                return None;
            }
            found = Some(kind);
        }
    }
    found
}

/// The type with which a text ends, as before the name in a declaration.
fn type_of(before: &str) -> Option<Kind> {
    let text = before.trim_end();
    if text.ends_with('*') && text.len() < before.len() + 1 {
        let word = last_word(text.trim_end_matches(['*', ' ']))?;
        return kind_named(word).map(|_| Kind::Unsigned(64));
    }
    match text.len() < before.len() {
        true => kind_named(last_word(text)?),
        false => None,
    }
}

fn kind_named(word: &str) -> Option<Kind> {
    Some(match word {
        "float" => Kind::Single,
        "double" => Kind::Double,
        "int" | "int32_t" => Kind::Signed(32),
        "unsigned" | "uint32_t" => Kind::Unsigned(32),
        "long" | "int64_t" | "ptrdiff_t" => Kind::Signed(64),
        "size_t" | "uint64_t" => Kind::Unsigned(64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Kind, assigned, declared, results};

    #[test]
    fn a_line_names_the_variable_that_it_assigns() {
        for (line, name) in [
            ("    const float x = a[i] * 2; // y = 3", Some("x")),
            ("    for (int i = 0; i < n; i += 4) {", Some("i")),
            ("    if (a <= b && c == d) sum += v;", Some("sum")),
            ("    if (p) s += v; else s -= v;", Some("s")),
            ("    mask >>= 1;", Some("mask")),
            ("    tile[y][x] = in[i];", None),
            ("    int a = 1, b = 2;", None),
            ("    point.x = 3;", None),
            ("    if (a == b) return;", None),
            ("    k++;", Some("k")),
            ("    ++k;", Some("k")),
            ("ä = ö", Some("ä")),
        ] {
            assert_eq!(assigned(line), name, "{line}");
        }
    }

    #[test]
    fn a_declaration_says_the_type() {
        let lines: Vec<String> = [
            "void k(const float* in, int n)",
            "float sum = 0;",
            "unsigned long long t = n;",
            "auto z = sum * in[n];",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(declared(&lines, "sum"), Some(Kind::Single));
        assert_eq!(declared(&lines, "n"), Some(Kind::Signed(32)));
        assert_eq!(declared(&lines, "in"), Some(Kind::Unsigned(64)));
        assert_eq!(declared(&lines, "t"), Some(Kind::Signed(64)));
        assert_eq!(declared(&lines, "z"), None);
    }

    #[test]
    fn an_instruction_names_what_it_writes() {
        let [one, several, guarded] = [
            "mad.lo.s32 %r1, %r2, 4, %r3;",
            "ld.global.v2.f32 {%f1, %f2}, [%rd1];",
            "@!%p1 setp.lt.s32 %p2|%p3, %r1, 4;",
        ]
        .map(results);
        assert_eq!(one, ("mad.lo.s32", vec!["%r1"]));
        assert_eq!(several, ("ld.global.v2.f32", vec!["%f1", "%f2"]));
        assert_eq!(guarded, ("setp.lt.s32", vec!["%p2", "%p3"]));
        assert_eq!(Kind::of("mul.wide.s32", "%rd1"), Kind::Signed(64));
        assert_eq!(Kind::of("cvt.f32.s32", "%f1"), Kind::Single);
        assert_eq!(Kind::of("mov.b32", "%f1"), Kind::Single);
        assert_eq!(Kind::Single.show(u64::from(1.5f32.to_bits())), "1.5");
        assert_eq!(Kind::Signed(32).show(0xffff_ffff), "-1");
    }
}
