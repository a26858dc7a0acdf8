//! What the host's part of a pasted program says of a launch: grid, block, lengths of buffers and numbers, as far as they are plain constants. What is not plain is named. The kernel itself is the compiler's.

mod number;

pub(crate) use number::Number;
use number::{Constants, value};
use std::collections::BTreeMap;

/// The launch of a kernel as a program has it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pasted {
    /// The kernel's name in the source.
    pub(crate) kernel: String,
    pub(crate) grid: Option<[u32; 3]>,
    pub(crate) block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub(crate) shared: Option<u32>,
    pub(crate) arguments: Vec<Passed>,
    /// What is given and not plain, as it is written.
    pub(crate) left: Vec<String>,
}

/// What the program passes for one parameter.
#[derive(Debug, PartialEq)]
pub(crate) enum Passed {
    /// A buffer of so many bytes.
    Bytes(u64),
    Number(Number),
    /// What it is nobody knows.
    Other,
}

/// What the program gives names to, up to a place in it.
#[derive(Default)]
struct Known {
    numbers: Constants,
    dimensions: BTreeMap<String, [u32; 3]>,
    /// Bytes that pointers were given.
    bytes: BTreeMap<String, u64>,
}

/// The launches of a program, each with what is known where it stands.
pub(crate) fn launches(source: &str) -> Vec<Pasted> {
    let text = plain(source);
    let mut known = Known::default();
    let mut found = Vec::new();
    for statement in statements(&text) {
        match statement.split_once("<<<") {
            Some((before, behind)) => found.extend(launch(before, behind, &known)),
            None => known.note(statement),
        }
    }
    found
}

/// The source without its comments and what stands in its texts.
fn plain(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        let (before, there) = rest.split_at(at);
        text.push_str(before);
        let end = match there.as_bytes() {
            [b'/', b'/', ..] => there.find('\n').unwrap_or(there.len()),
            [b'/', b'*', ..] => there.find("*/").map_or(there.len(), |end| end + 2),
            [b'"', ..] => end_of_text(there),
            [b'\'', _, b'\'', ..] => 3,
            // A sign between digits, or a division.
            [sign, ..] => {
                text.push(*sign as char);
                1
            }
            [] => break,
        };
        rest = &there[end..];
    }
    text.push_str(rest);
    text
}

/// Where a text ends that begins with its quotation mark.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// The statements of a text, directives of the preprocessor among them.
fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, sign) in text.char_indices() {
        let so_far = text[start..at].trim_start();
        let is_directive = so_far.starts_with('#');
        let ends = match sign {
            '\n' => is_directive,
            // The braces of a list belong to its statement.
            '{' | '}' => !is_directive && !is_list(so_far),
            ';' => !is_directive,
            _ => false,
        };
        if ends {
            found.push(so_far.trim_end());
            start = at + 1;
        }
    }
    found.push(text[start..].trim());
    found
}

fn is_list(statement: &str) -> bool {
    statement.starts_with("dim3")
        || statement.starts_with("const dim3")
        || statement.contains("<<<")
}

impl Known {
    /// Takes what a statement gives a name to.
    fn note(&mut self, statement: &str) {
        if let Some(definition) = statement.strip_prefix("#define ") {
            let (name, text) = definition
                .trim()
                .split_once(char::is_whitespace)
                .unwrap_or_default();
            return self.name(name, text);
        }
        for call in ["cudaMalloc(", "cudaMallocManaged("] {
            if let Some((_, behind)) = statement.split_once(call) {
                return self.allocated(behind);
            }
        }
        let statement = statement.strip_prefix("const ").unwrap_or(statement);
        if let Some(declared) = statement.strip_prefix("dim3 ") {
            return split(declared).into_iter().for_each(|one| self.shape(one));
        }
        let mut parts = split(statement).into_iter();
        let declares = |head: &str| {
            head.chars()
                .all(|c| c.is_alphanumeric() || "_: <>".contains(c))
        };
        let Some((head, text)) = parts.next().and_then(|first| first.split_once('=')) else {
            return;
        };
        if declares(head) {
            let name = head.split_whitespace().next_back().unwrap_or_default();
            self.name(name, text);
            for (name, text) in parts.filter_map(|part| part.split_once('=')) {
                self.name(name.trim(), text);
            }
        }
    }

    fn name(&mut self, name: &str, text: &str) {
        match value(text, &self.numbers) {
            Some(number) => {
                self.numbers.insert(name.to_owned(), number);
            }
            // What it was before it is no more.
            None => {
                self.numbers.remove(name);
            }
        }
    }

    /// `&name, bytes)` of an allocation.
    fn allocated(&mut self, behind: &str) {
        let inside = within(behind);
        let [to, bytes, ..] = split(inside)[..] else {
            return;
        };
        let bytes = value(bytes, &self.numbers).and_then(Number::whole);
        if let Some(bytes) = bytes.and_then(|bytes| u64::try_from(bytes).ok()) {
            self.bytes.insert(last_name(to).to_owned(), bytes);
        }
    }

    /// `name(16, 16)`, `name{16, 16}` or `name = dim3(16, 16)`.
    fn shape(&mut self, text: &str) {
        let end = text.find(['(', '{', '=']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let name = name.trim();
        match self.three(rest.trim_start_matches('=')) {
            Some(three) => {
                for (axis, size) in ["x", "y", "z"].iter().zip(three) {
                    let size = Number::Whole(size.into());
                    self.numbers.insert(format!("{name}.{axis}"), size);
                }
                self.dimensions.insert(name.to_owned(), three);
            }
            None => {
                self.dimensions.remove(name);
            }
        }
    }

    /// The three numbers of a grid or a block.
    fn three(&self, text: &str) -> Option<[u32; 3]> {
        let text = text.trim();
        if let Some(three) = self.dimensions.get(text) {
            return Some(*three);
        }
        let list = text.strip_prefix("dim3").unwrap_or(text).trim_start();
        let has_list = list.len() < text.len() || list.starts_with('{');
        let inside = match list.starts_with(['(', '{']) {
            true if has_list || split(within(&list[1..])).len() > 1 => within(&list[1..]),
            _ => text,
        };
        let mut three = [1; 3];
        let parts = split(inside);
        if parts.len() > three.len() {
            return None;
        }
        for (size, part) in three.iter_mut().zip(parts) {
            let number = value(part, &self.numbers)?.whole()?;
            *size = u32::try_from(number).ok().filter(|number| *number > 0)?;
        }
        Some(three)
    }
}

/// A launch, from what stands before and behind its `<<<`.
fn launch(before: &str, behind: &str, known: &Known) -> Option<Pasted> {
    let (shape, rest) = behind.split_once(">>>")?;
    let head = before.trim_end();
    let head = match head.ends_with('>') {
        true => head.rsplit_once('<').map_or("", |(head, _)| head),
        false => head,
    };
    let shapes = split(shape);
    let mut pasted = Pasted {
        kernel: last_name(head).to_owned(),
        ..Pasted::default()
    };
    let mut left = Vec::new();
    let mut three = |what: &str, at: usize| {
        let text = shapes.get(at)?;
        let found = known.three(text);
        if found.is_none() {
            left.push(format!("{what} `{text}`"));
        }
        found
    };
    pasted.grid = three("the grid", 0);
    pasted.block = three("the block", 1);
    pasted.left = left;
    if let Some(text) = shapes.get(2) {
        let bytes = value(text, &known.numbers).and_then(Number::whole);
        pasted.shared = bytes.and_then(|bytes| u32::try_from(bytes).ok());
        if pasted.shared.is_none() {
            pasted.left.push(format!("the shared memory `{text}`"));
        }
    }
    for text in split(within(rest.trim_start().strip_prefix('(')?)) {
        let passed = passed(text, known);
        if passed == Passed::Other {
            pasted.left.push(format!("the argument `{text}`"));
        }
        pasted.arguments.push(passed);
    }
    Some(pasted)
}

fn passed(text: &str, known: &Known) -> Passed {
    if let Some(number) = value(text, &known.numbers) {
        return Passed::Number(number);
    }
    let is_plain = text
        .chars()
        .all(|c| c.is_alphanumeric() || "_ ()*&".contains(c));
    match known.bytes.get(last_name(text)).filter(|_| is_plain) {
        Some(bytes) => Passed::Bytes(*bytes),
        None => Passed::Other,
    }
}

/// The text up to the bracket that closes what was opened before it.
fn within(text: &str) -> &str {
    let mut depth = 0;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' if depth == 0 => return &text[..at],
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The parts between the commas that stand in no bracket, each without the space around it.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The last name in a text.
fn last_name(text: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.trim_end_matches(|c| !is_word(c));
    text.rsplit(|c| !is_word(c)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = r#"
        #include <cstdio>
        #define TILE 16
        __global__ void turn(const float* in, float* out, int rows, int columns, float by) { int n = 3; }
        int main(int argc, char** argv) {
            const int rows = 500, columns = 1 << 8; // rows = 7;
            int n = rows * columns;
            size_t bytes = n * sizeof(float);
            float *d_in, *d_out;
            CHECK(cudaMalloc((void**)&d_in, bytes));
            cudaMalloc(&d_out, rows * columns * sizeof(float));
            dim3 block(TILE, TILE), unused;
            dim3 grid((columns + block.x - 1) / block.x, (rows + TILE - 1) / TILE);
            printf("grid = 7; turn<<<1, 2>>>(x)");
            turn<float><<<grid, block, 2 * TILE * sizeof(int)>>>(d_in, d_out, rows, columns, scale());
            other<<<dim3(4), {8, 2}, shared_bytes()>>>(h_in.data());
            third<<<blocks(n), 1024>>>();
        }"#;

    #[test]
    fn launches_are_read_from_a_program() {
        let [turn, other, third] = &launches(PROGRAM)[..] else {
            panic!("{:?}", launches(PROGRAM));
        };
        assert_eq!((turn.kernel.as_str(), turn.shared), ("turn", Some(128)));
        assert_eq!(
            (turn.grid, turn.block),
            (Some([16, 32, 1]), Some([16, 16, 1]))
        );
        let number = |number| Passed::Number(Number::Whole(number));
        let expected = [
            Passed::Bytes(512_000),
            Passed::Bytes(512_000),
            number(500),
            number(256),
            Passed::Other,
        ];
        assert_eq!(turn.arguments, expected);
        assert_eq!(turn.left, ["the argument `scale()`"]);
        assert_eq!(
            (other.grid, other.block),
            (Some([4, 1, 1]), Some([8, 2, 1]))
        );
        assert_eq!(
            other.left,
            [
                "the shared memory `shared_bytes()`",
                "the argument `h_in.data()`"
            ]
        );
        assert_eq!((third.grid, third.block), (None, Some([1024, 1, 1])));
        assert_eq!(third.left, ["the grid `blocks(n)`"]);
    }

    #[test]
    fn what_is_no_program_has_no_launch() {
        for text in [
            "",
            "k<<<",
            "k<<<1>>>",
            "<<<1,2>>>(",
            "/* k<<<1, 2>>>() */",
            "dim3 a(((;",
            "\"",
            "é<<<é>>>(é)",
        ] {
            assert!(launches(text).len() <= 1, "{text}");
        }
        assert_eq!(
            launches("int n = 5; n = f(); k<<<n, 32>>>(n);")[0].grid,
            None
        );
    }
}
