//! Numbers as digits, quickly.

/// The numbers below a hundred, with two digits each.
const PAIRS: &str = "\
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748\
    49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697\
    9899";

/// Appends a number. Most of PTX is numbers of registers and lines, for which `write!` takes several times as long.
pub(super) fn push_number(text: &mut String, number: u32) {
    let (rest, last) = (number / 100, number % 100);
    if rest > 0 {
        push_number(text, rest);
    } else if last < 10 {
        text.push(char::from(b'0' + last as u8));
        return;
    }
    let at = 2 * last as usize;
    text.push_str(&PAIRS[at..at + 2]);
}
