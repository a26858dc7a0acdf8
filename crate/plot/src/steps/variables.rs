//! What variables of the source hold. PTX has no names of them, so that few have a value here: what a line assigns by name,
//! `T name = …`, as the register of that type which the line leaves and does not use itself; a sum of floats, `name += …`, as
//! what the line adds last. Counters of loops, which compilers replace by others, have none.

use super::names::{results, written};
use super::values::Kind;
use super::{Step, WarpSteps};
use std::collections::{BTreeMap, BTreeSet};

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
        let assigned: Vec<Option<(Assigned, Kind)>> = (lines.iter())
            .map(|line| {
                assigned(line).and_then(|found| Some((found, declared(lines, found.name)?)))
            })
            .collect();
        let used = used_by_lines(walk);
        let mut kept = 0;
        let mut before: Option<u32> = None;
        for (at, step) in walk.steps.steps.iter().enumerate() {
            if !walk.is_own(step) || kept == MOST_VALUES {
                continue;
            }
            let line = walk.line(step);
            let is_same_visit = std::mem::replace(&mut before, line) == line;
            let number = line.and_then(|line| (line as usize).checked_sub(1));
            let target = number.and_then(|number| *assigned.get(number)?);
            if let Some((target, kind)) = target
                && let Some((own, values)) =
                    left(walk, step, (target, kind), used.get(&line.unwrap_or(0)))
            {
                kept += 1;
                found.assign(target.name, (at, is_same_visit), (own, step.mask), values);
            }
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

/// What a step of a line writes that may be the variable which the line assigns; the line uses these registers itself.
fn left<'w>(
    walk: &'w WarpSteps,
    step: &'w Step,
    (target, kind): (Assigned, Kind),
    used: Option<&BTreeSet<&str>>,
) -> Option<(Kind, &'w [u64; 32])> {
    let is_left = |register: &str, own: Kind| match target.is_sum {
        true => {
            matches!(own, Kind::Single | Kind::Double) && is_sum(walk.instruction(step.ptx_line))
        }
        false => !used.is_some_and(|used| used.contains(register)),
    };
    let mut written = written(walk, step).into_iter();
    let found = written.rfind(|(register, own, _)| is_like(*own, kind) && is_left(register, *own));
    found.map(|(_, own, values)| (own, values))
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

/// The registers that the instructions of each line use.
fn used_by_lines(walk: &WarpSteps) -> BTreeMap<u32, BTreeSet<&str>> {
    let mut used: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for step in walk.steps.steps.iter().filter(|step| walk.is_own(step)) {
        let Some(line) = walk.line(step).filter(|_| seen.insert(step.ptx_line)) else {
            continue;
        };
        let text = walk.instruction(step.ptx_line);
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '%' | '_' | '$' | '.');
        let words = text
            .split(|letter| !is_name(letter))
            .filter(|word| word.starts_with('%'));
        let results = if step.written.is_empty() {
            0
        } else {
            results(text).1.len()
        };
        let guards = usize::from(text.starts_with('@'));
        let sources = words
            .enumerate()
            .filter(|(at, _)| *at < guards || *at >= guards + results);
        used.entry(line)
            .or_default()
            .extend(sources.map(|(_, word)| word));
    }
    used
}

/// Whether an instruction adds: what a sum is made by, and not what is added.
fn is_sum(instruction: &str) -> bool {
    let root = results(instruction).0.split('.').next().unwrap_or_default();
    matches!(root, "add" | "sub" | "fma" | "mad" | "selp")
}

/// What a line of C++ assigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Assigned<'l> {
    name: &'l str,
    /// By `+=` or `-=`.
    is_sum: bool,
}

/// The variable that a line assigns: none where it assigns several, or an element of something, or heads a loop.
fn assigned(line: &str) -> Option<Assigned<'_>> {
    let line = line.split("//").next().unwrap_or_default();
    let is_loop = first_word(line).is_some_and(|word| matches!(word, "for" | "while"));
    if is_loop || line.contains("++") || line.contains("--") {
        return None;
    }
    let mut found = None;
    let bytes = line.as_bytes();
    for (at, _) in line.match_indices('=') {
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        // The second sign of a comparison stands behind the first.
        if matches!(before, b'=' | b'!' | b'<' | b'>')
            && !line[..at].ends_with("<<")
            && !line[..at].ends_with(">>")
        {
            continue;
        }
        if bytes.get(at + 1) == Some(&b'=') {
            continue;
        }
        let is_sum = matches!(before, b'+' | b'-');
        if matches!(
            before,
            b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>'
        ) {
            return None;
        }
        let head = line[..at].trim_end_matches(['+', '-']).trim_end();
        let assigned = Assigned {
            name: last_word(head)?,
            is_sum,
        };
        if found.is_some_and(|other| other != assigned) {
            return None;
        }
        found = Some(assigned);
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
    use super::{Kind, assigned, declared};

    #[test]
    fn a_line_names_the_variable_that_it_assigns() {
        for (line, name) in [
            ("    const float x = a[i] * 2; // y = 3", Some("x")),
            ("    if (a <= b && c == d) v = w >> 2;", Some("v")),
            ("ä = ö", Some("ä")),
            ("    for (int i = 0; i < n; i += 4) {", None),
            ("    mask >>= 1;", None),
            ("    tile[y][x] = in[i];", None),
            ("    int a = 1, b = 2;", None),
            ("    point.x = 3;", None),
            ("    if (a == b) return;", None),
            ("    k++;", None),
        ] {
            let found = assigned(line).filter(|found| !found.is_sum);
            assert_eq!(found.map(|found| found.name), name, "{line}");
        }
        let sum = assigned("    if (p) s += v; else s -= v;").unwrap();
        assert_eq!((sum.name, sum.is_sum), ("s", true));
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
}
