//! The fields of a structure as a source declares them, for an argument that fits it. A light reading of plain declarations, not a parser of C++: of what is more than that nothing is known.

use cornerturn_base::element::ElementType;
use cornerturn_base::signature;

/// Structures within structures, and elements of an array in one, that are written out.
const MOST_DEPTH: usize = 4;
const MOST_ELEMENTS: usize = 64;

/// The text of an argument for a structure of that name: each number 1, a whole one the count, and for a pointer a buffer
/// of so many elements. `None` where it is not declared plainly.
pub(super) fn suggested(source: &str, name: &str, count: u64, elements: u64) -> Option<String> {
    let source = signature::without_comments(source);
    let size = Size { count, elements };
    structure(&source, name, size, 0)
}

#[derive(Clone, Copy)]
struct Size {
    count: u64,
    elements: u64,
}

fn structure(source: &str, name: &str, size: Size, depth: usize) -> Option<String> {
    if depth > MOST_DEPTH {
        return None;
    }
    let mut fields = Vec::new();
    for declaration in body(source, name)?.split(';') {
        let declaration = declaration.trim();
        if !declaration.is_empty() {
            field(source, declaration, size, depth, &mut fields)?;
        }
    }
    (!fields.is_empty()).then(|| format!("struct{{{}}}", fields.join(",")))
}

/// What stands between the braces of a structure that holds nothing but fields.
fn body<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    for (at, word) in source.match_indices("struct") {
        let (before, behind) = (&source[..at], &source[at + word.len()..]);
        if before.ends_with(is_word) {
            continue;
        }
        let Some((head, rest)) = behind.split_once('{') else {
            continue;
        };
        let Some((body, rest)) = rest.split_once('}') else {
            continue;
        };
        let tail = rest.split(';').next().unwrap_or_default();
        // `typedef struct { … } name;` has its name behind.
        let is_named = head.trim() == name || head.trim().is_empty() && tail.trim() == name;
        if is_named {
            return (!body.contains(['{', '(', ':', '<'])).then_some(body);
        }
    }
    None
}

/// Adds the texts of what one declaration declares.
fn field(
    source: &str,
    declaration: &str,
    size: Size,
    depth: usize,
    fields: &mut Vec<String>,
) -> Option<()> {
    let declaration = declaration.split('=').next()?.trim();
    let first = declaration.split(',').next()?;
    let name = first.split('[').next()?.trim_end();
    let (last, sign) = name.char_indices().rfind(|(_, sign)| !is_word(*sign))?;
    let start = last + sign.len_utf8();
    let is_qualifier = |word: &&str| !matches!(*word, "const" | "volatile" | "__restrict__");
    let head = &declaration[..start];
    let words: Vec<&str> = head
        .split(['*', ' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
        .filter(is_qualifier)
        .collect();
    let ty = words.join(" ");
    for name in declaration[start..].split(',') {
        let is_pointer = head.contains('*') || name.contains('*');
        let text = match is_pointer {
            true => pointer(&ty, size),
            false => value(source, &ty, size, depth)?,
        };
        let length = match name.split_once('[') {
            None => 1,
            Some((_, length)) => length.trim().strip_suffix(']')?.trim().parse().ok()?,
        };
        if length > MOST_ELEMENTS {
            return None;
        }
        fields.extend(std::iter::repeat_n(text, length));
    }
    Some(())
}

fn pointer(ty: &str, size: Size) -> String {
    // Of a type that is not ours nobody knows how large it is: bytes enough for most.
    let (element, lanes) = signature::lanes(ty).unwrap_or((ElementType::F32, 4));
    format!("{element}[{}]=iota", size.elements * lanes as u64)
}

fn value(source: &str, ty: &str, size: Size, depth: usize) -> Option<String> {
    match signature::lanes(ty) {
        Some((element, 1)) if element.is_float() || element.bytes() == 1 => {
            Some(format!("{element}=1"))
        }
        Some((element, 1)) => Some(format!("{element}={}", size.count)),
        Some((element, lanes)) => {
            let lanes = vec![format!("{element}=1"); lanes];
            Some(format!("struct{{{}}}", lanes.join(",")))
        }
        None if matches!(ty, "char" | "bool") => Some("u8=1".to_string()),
        None => structure(
            source,
            ty.strip_prefix("struct ").unwrap_or(ty),
            size,
            depth + 1,
        ),
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_fields_are_read() {
        let source = "struct Pair { float by; int n; }; // struct Pair { int no; };\n\
            typedef struct { const float* __restrict__ in; double sums[2]; char flag, other; } Task;\n\
            struct Both { Pair one; float4 four = {}; unsigned *rows, columns; };\n\
            struct Hidden { Hidden(int) {} int n; };";
        let suggested = |name: &str| suggested(source, name, 7, 64);
        assert_eq!(suggested("Pair").unwrap(), "struct{f32=1,i32=7}");
        assert_eq!(
            suggested("Task").unwrap(),
            "struct{f32[64]=iota,f64=1,f64=1,u8=1,u8=1}"
        );
        assert_eq!(suggested("Both"), None);
        assert_eq!(suggested("Hidden"), None);
        assert_eq!(suggested("None"), None);
    }

    #[test]
    fn one_within_another_is_written_out_and_no_circle_is() {
        let source = "struct A { int n; short no; }; struct P { float x, y; float4 v; }; struct Q { P p[2]; uint8_t b; };\n\
            struct R { R r; };";
        let suggested = |name: &str| suggested(source, name, 7, 64);
        let point = "struct{f32=1,f32=1,struct{f32=1,f32=1,f32=1,f32=1}}";
        assert_eq!(
            suggested("Q").unwrap(),
            format!("struct{{{point},{point},u8=1}}")
        );
        assert_eq!(suggested("A"), None);
        assert_eq!(suggested("R"), None);
    }
}
