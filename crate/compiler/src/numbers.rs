//! Numbers, characters and texts as sources spell them.

/// A whole number as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) value: u64,
    pub(crate) is_decimal: bool,
    pub(crate) is_unsigned: bool,
    pub(crate) is_long: bool,
}

/// A number with a point or an exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Floating {
    /// Rounded to a float already where the suffix says so.
    pub(crate) value: f64,
    pub(crate) is_single: bool,
}

pub(crate) fn is_floating(text: &str) -> bool {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    match is_hex {
        true => text.contains(['p', 'P']),
        false => text.contains(['.', 'e', 'E']),
    }
}

/// The word for what a number is by how it is written.
pub(crate) fn type_word(text: &str) -> &'static str {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let is_floating = !is_hexadecimal && text.contains(['.', 'e', 'E']);
    let ends_with = |letters: &[char]| text.ends_with(letters);
    match () {
        () if is_floating && ends_with(&['f', 'F']) => "float",
        () if is_floating => "double",
        () if ends_with(&['u', 'U']) => "unsigned",
        () if ends_with(&['l', 'L']) => "long",
        () => "int",
    }
}

/// Reads a whole number.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn integer(text: &str) -> Result<Integer, String> {
    let plain = text.replace('\'', "");
    let lower = plain.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] if lower.as_bytes()[1].is_ascii_digit() => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" | "z" => (false, true),
        "ul" | "ull" | "lu" | "llu" | "uz" | "zu" => (true, true),
        _ => return Err(format!("`{suffix}` is no suffix of a whole number")),
    };
    match u64::from_str_radix(digits, radix) {
        Ok(value) => Ok(Integer {
            value,
            is_decimal: radix == 10,
            is_unsigned,
            is_long,
        }),
        Err(_) => Err(format!(
            "`{text}` does not fit into 64 bits, or has no digits"
        )),
    }
}

/// Reads a number with a point or an exponent.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn floating(text: &str) -> Result<Floating, String> {
    let plain = text.replace('\'', "");
    if plain.starts_with("0x") || plain.starts_with("0X") {
        return hexadecimal(&plain);
    }
    let is_single = plain.ends_with(['f', 'F']);
    let digits = plain.trim_end_matches(['f', 'F', 'l', 'L']);
    let value = match is_single {
        true => digits.parse::<f32>().map(f64::from).ok(),
        false => digits.parse::<f64>().ok(),
    };
    match value {
        Some(value) => Ok(Floating { value, is_single }),
        None => Err(format!("`{text}` is no number")),
    }
}

fn hexadecimal(text: &str) -> Result<Floating, String> {
    let wrong = || format!("`{text}` is no hexadecimal floating-point number");
    let lower = text[2..].to_ascii_lowercase();
    let (mantissa, exponent) = lower.split_once('p').ok_or_else(wrong)?;
    let is_single = exponent.ends_with('f');
    let exponent: i32 = exponent
        .trim_end_matches(['f', 'l'])
        .parse()
        .map_err(|_| wrong())?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() > 15 {
        return Err(wrong());
    }
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).map_err(|_| wrong())?;
    let value = bits as f64 * 2f64.powi(exponent.clamp(-2000, 2000) - 4 * fraction.len() as i32);
    let value = if is_single {
        f64::from(value as f32)
    } else {
        value
    };
    Ok(Floating { value, is_single })
}

/// The bytes of a quoted text, escapes resolved.
pub(crate) fn unquote(text: &str) -> Vec<u8> {
    if let Some(raw) = text.strip_prefix("R\"") {
        let open = raw.find('(').unwrap_or(0);
        let end = raw.len().saturating_sub(open + 2);
        return raw.get(open + 1..end).unwrap_or("").bytes().collect();
    }
    let inner = text.get(1..).unwrap_or("");
    let inner = inner.strip_suffix(['"', '\'']).unwrap_or(inner);
    let mut bytes = Vec::new();
    let mut chars = inner.bytes().peekable();
    while let Some(byte) = chars.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match chars.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'x') => {
                let mut value = 0_u32;
                while let Some(digit) = chars.peek().and_then(|c| char::from(*c).to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    chars.next();
                }
                bytes.push(value as u8);
            }
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                while let Some(digit) = chars.peek().and_then(|c| char::from(*c).to_digit(8)) {
                    value = value.wrapping_mul(8).wrapping_add(digit);
                    chars.next();
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    bytes
}
