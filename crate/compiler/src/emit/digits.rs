//! Numbers as digits, quickly.

/// Appends a number. Most of PTX is numbers of registers and lines, for which `write!` takes several times as long.
pub(super) fn push_number(text: &mut String, number: u32) {
    let is_long = number >= 10_000;
    if is_long {
        push_number(text, number / 10_000);
    }
    for place in [1000, 100, 10, 1] {
        if is_long || number >= place || place == 1 {
            text.push(char::from(b'0' + (number / place % 10) as u8));
        }
    }
}
