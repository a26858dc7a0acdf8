//! What a statement of CUDA C++ says by its text: whether it takes members of structures, and which arrays it indexes.
//!
//! No compiler's view of the program: a statement goes from its line to the next semicolon or brace.

use crate::advice::local_arrays::indexed;

/// Lines of a statement that are looked at.
const MOST_LINES: usize = 6;

/// The lines of the statement that begins at a line, from 1, without comments to the line's end.
fn statement(text: &str, line: u32) -> Vec<&str> {
    let mut lines = Vec::new();
    let first = (line as usize).saturating_sub(1);
    for each in text.lines().skip(first).take(MOST_LINES) {
        let code = each.split("//").next().unwrap_or_default();
        lines.push(code);
        if code.contains([';', '{', '}']) {
            break;
        }
    }
    lines
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The name that a text ends with; nothing if it ends with something else.
fn last_name(text: &str) -> &str {
    let name = text.trim_end_matches(is_letter).len();
    &text[name..]
}

/// Whether a statement takes a member of an element of an array, of what a pointer points to, or of a reference:
/// `a[i].x`, `p->x`, and `r.x` where the file has `&r`.
pub(super) fn takes_member(text: &str, line: u32) -> bool {
    let is_member = |before: &str, after: &str| {
        let is_name = after.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let owner = last_name(before);
        let is_reference = || {
            let declared = [format!("&{owner}"), format!("& {owner}")];
            let starts_name = owner.starts_with(|first: char| first.is_alphabetic());
            starts_name && declared.iter().any(|words| has_word(text, words))
        };
        is_name && (before.ends_with(']') || is_reference())
    };
    statement(text, line).iter().any(|code| {
        let mut points = code.match_indices('.');
        let arrow = code.contains("->");
        arrow || points.any(|(at, _)| is_member(&code[..at], &code[at + 1..]))
    })
}

/// Whether a text has these words, with no letter behind them.
fn has_word(text: &str, words: &str) -> bool {
    let mut found = text.match_indices(words);
    found.any(|(at, _)| !text[at + words.len()..].starts_with(is_letter))
}

/// Types of CUDA that are structures which no one instruction loads.
const THREE_FOLD: [&str; 5] = ["float3", "double3", "int3", "uint3", "uchar3"];

/// Whether a file declares structures, or names CUDA's of three members.
pub(super) fn has_structures(text: &str) -> bool {
    let declares = ["struct", "class", "union"].iter();
    declares.chain(&THREE_FOLD).any(|word| has_word(text, word))
}

/// The names that a statement indexes, as often as it does.
pub(super) fn arrays_of(text: &str, line: u32) -> Vec<&str> {
    let lines = statement(text, line);
    lines
        .into_iter()
        .flat_map(indexed)
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
struct Star { float3 at; float mass; };
__global__ void k(const Star *stars, const Star& first, float *out, Work w) {
    out[threadIdx.x] = 2.0f * w.scale; // stars[0].mass
    out[1] = stars[threadIdx.x].mass;
    Star *mine = stars + 1; out[2] = mine->mass;
    out[3] = first.mass +
        out[4];
    out[2 * blockIdx.x] = stars[3].at
        .x;
}
";

    #[test]
    fn members_are_told_from_built_in_names_numbers_and_comments() {
        let members: Vec<bool> = (3..=9).map(|line| takes_member(SOURCE, line)).collect();
        assert_eq!(members, [false, true, true, true, false, true, false]);
        assert!(!takes_member(SOURCE, 0) && !takes_member(SOURCE, 99));
        assert!(!takes_member("ä.é[1]. ; ].", 1));
    }

    #[test]
    fn arrays_of_a_statement_are_those_of_all_its_lines() {
        assert_eq!(arrays_of(SOURCE, 6), ["out", "out"]);
        assert_eq!(arrays_of(SOURCE, 4), ["out", "stars"]);
        assert_eq!(arrays_of(SOURCE, 99), [""; 0]);
    }

    #[test]
    fn structures_are_whole_words() {
        assert!(has_structures(SOURCE));
        assert!(has_structures("const float3* p"));
        assert!(!has_structures(
            "float structure; float32_t classes[2]; float3d x;"
        ));
    }
}
