//! The text of `printf` as C defines it, from a format and the block of arguments that device code passes.

/// Where a format's arguments and strings come from.
pub(crate) trait Arguments {
    /// The next 4 or 8 bytes, aligned to their size, for a conversion such as `d`; `*` for a width.
    fn next(&mut self, bytes: u64, conversion: u8) -> u64;
    /// The characters of a string, without the null byte; none if the address is no good.
    fn text(&self, address: u64) -> Option<Vec<u8>>;
}

/// The longest field, so that a hostile width does not fill memory.
const MOST_FIELD: usize = 1 << 12;

/// The longest text of one `printf`.
const MOST_TEXT: usize = 1 << 16;

/// One conversion: `%-8.3f`.
#[derive(Debug, Clone, Default, PartialEq)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of an integer argument's type, 1 to 8.
    bytes: u32,
    kind: u8,
}

/// Appends the text of a format and returns how many arguments it took.
pub(crate) fn print(format: &[u8], arguments: &mut impl Arguments, into: &mut Vec<u8>) -> u32 {
    let mut taken = 0;
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        if into.len() > MOST_TEXT {
            return taken;
        }
        into.extend_from_slice(&rest[..at]);
        let after = &rest[at + 1..];
        match Conversion::parse(after, arguments, &mut taken) {
            Some((conversion, length)) => {
                conversion.print(arguments, &mut taken, into);
                rest = &after[length..];
            }
            None => {
                into.push(b'%');
                rest = after;
            }
        }
    }
    into.extend_from_slice(rest);
    taken
}

impl Conversion {
    /// The conversion after a `%`, and its length in the format.
    fn parse(
        format: &[u8],
        arguments: &mut impl Arguments,
        taken: &mut u32,
    ) -> Option<(Self, usize)> {
        // Looked over first: an unknown conversion takes no arguments.
        let end = format
            .iter()
            .position(|byte| b"diuoxXcspfFeEgGaA%".contains(byte))?;
        if !format[..end]
            .iter()
            .all(|byte| b"-+ #0123456789.*hljztL".contains(byte))
        {
            return None;
        }
        let mut conversion = Self {
            bytes: 4,
            kind: format[end],
            ..Self::default()
        };
        let mut at = 0;
        while at < end && b"-+ #0".contains(&format[at]) {
            match format[at] {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternative = true,
                _ => conversion.zeros = true,
            }
            at += 1;
        }
        let mut number = |at: &mut usize| -> Option<i64> {
            if *at < end && format[*at] == b'*' {
                *at += 1;
                *taken += 1;
                return Some(i64::from(arguments.next(4, b'*') as i32));
            }
            let start = *at;
            while *at < end && format[*at].is_ascii_digit() {
                *at += 1;
            }
            let digits = std::str::from_utf8(&format[start..*at]).unwrap_or("");
            (*at > start).then(|| digits.parse().unwrap_or(i64::MAX))
        };
        if let Some(width) = number(&mut at) {
            conversion.left |= width < 0;
            conversion.width = bounded(width.unsigned_abs());
        }
        if at < end && format[at] == b'.' {
            at += 1;
            let precision = number(&mut at).unwrap_or(0);
            conversion.precision = u64::try_from(precision).ok().map(bounded);
        }
        conversion.bytes = match &format[at..end] {
            b"hh" => 1,
            b"h" => 2,
            b"l" | b"ll" | b"z" | b"j" | b"t" => 8,
            _ => 4,
        };
        Some((conversion, end + 1))
    }

    fn print(&self, arguments: &mut impl Arguments, taken: &mut u32, into: &mut Vec<u8>) {
        if self.kind == b'%' {
            return into.push(b'%');
        }
        *taken += 1;
        let mut integer = || arguments.next(if self.bytes == 8 { 8 } else { 4 }, self.kind);
        match self.kind {
            b'd' | b'i' => {
                let shift = 64 - 8 * self.bytes;
                let value = ((integer() << shift) as i64) >> shift;
                let digits = self.at_least(value.unsigned_abs().to_string());
                self.number(self.sign(value < 0), "", &digits, into);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let shift = 64 - 8 * self.bytes;
                self.unsigned(integer() << shift >> shift, into);
            }
            b'c' => {
                let byte = arguments.next(4, self.kind) as u8;
                self.field(&[byte], into);
            }
            b's' => {
                let address = arguments.next(8, self.kind);
                let mut text = match address {
                    0 => b"(null)".to_vec(),
                    _ => arguments
                        .text(address)
                        .unwrap_or_else(|| b"(invalid)".to_vec()),
                };
                text.truncate(self.precision.unwrap_or(usize::MAX));
                self.field(&text, into);
            }
            b'p' => match arguments.next(8, self.kind) {
                0 => self.field(b"(nil)", into),
                address => self.field(format!("{address:#x}").as_bytes(), into),
            },
            _ => self.float(f64::from_bits(arguments.next(8, self.kind)), into),
        }
    }

    fn unsigned(&self, value: u64, into: &mut Vec<u8>) {
        let (prefix, digits) = match self.kind {
            b'o' => ("", format!("{value:o}")),
            b'x' => ("0x", format!("{value:x}")),
            b'X' => ("0X", format!("{value:X}")),
            _ => ("", value.to_string()),
        };
        let mut digits = self.at_least(digits);
        if self.kind == b'o' && self.alternative && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let prefix = if self.alternative && value != 0 {
            prefix
        } else {
            ""
        };
        self.number("", prefix, &digits, into);
    }

    /// Digits with the zeros that the precision asks for.
    fn at_least(&self, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn float(&self, value: f64, into: &mut Vec<u8>) {
        let upper = self.kind.is_ascii_uppercase();
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        if !magnitude.is_finite() {
            let word = if magnitude.is_nan() { "nan" } else { "inf" };
            let word = if upper {
                word.to_ascii_uppercase()
            } else {
                word.to_string()
            };
            return self.field(format!("{sign}{word}").as_bytes(), into);
        }
        let (prefix, digits) = match self.kind.to_ascii_lowercase() {
            b'e' => ("", self.exponential(magnitude, self.precision.unwrap_or(6))),
            b'g' => ("", self.general(magnitude)),
            b'a' => ("0x", self.hexadecimal(magnitude)),
            _ => ("", self.fixed(magnitude, self.precision.unwrap_or(6))),
        };
        if upper {
            self.number(
                sign,
                &prefix.to_ascii_uppercase(),
                &digits.to_ascii_uppercase(),
                into,
            );
        } else {
            self.number(sign, prefix, &digits, into);
        }
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if precision == 0 && self.alternative {
            "."
        } else {
            ""
        };
        format!("{value:.precision$}{point}")
    }

    fn exponential(&self, value: f64, precision: usize) -> String {
        let text = format!("{value:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let point = if precision == 0 && self.alternative {
            "."
        } else {
            ""
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.abs())
    }

    fn general(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6).max(1);
        let rounded = format!("{value:.*e}", precision - 1);
        let exponent: i32 = rounded
            .split_once('e')
            .and_then(|(_, exponent)| exponent.parse().ok())
            .unwrap_or(0);
        let fixed = exponent >= -4 && i64::from(exponent) < precision as i64;
        let text = if fixed {
            self.fixed(value, (precision as i32 - 1 - exponent) as usize)
        } else {
            self.exponential(value, precision - 1)
        };
        if self.alternative || !text.contains('.') {
            return text;
        }
        let (digits, exponent) = match text.split_once('e') {
            Some((digits, exponent)) => (digits, format!("e{exponent}")),
            None => (text.as_str(), String::new()),
        };
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        format!("{digits}{exponent}")
    }

    /// Without its `0x`.
    fn hexadecimal(&self, value: f64) -> String {
        let bits = value.to_bits();
        let mut exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
        let mut mantissa = bits & ((1 << 52) - 1);
        if exponent == -1023 {
            exponent = if mantissa == 0 { 0 } else { -1022 };
        } else {
            mantissa |= 1 << 52;
        }
        let mut places = self.precision.unwrap_or(13).min(13);
        if self.precision.is_none() {
            while places > 0 && (mantissa >> (52 - 4 * places)) << (52 - 4 * places) == mantissa {
                places -= 1;
            }
            let exact = (mantissa >> (52 - 4 * places)) << (52 - 4 * places) == mantissa;
            places += usize::from(!exact);
        }
        let dropped = 52 - 4 * places as u32;
        let (half, rest) = ((1u64 << dropped) >> 1, mantissa & ((1 << dropped) - 1));
        let mut kept = mantissa >> dropped;
        if dropped > 0 && (rest > half || (rest == half && kept & 1 == 1)) {
            kept += 1;
        }
        let whole = kept >> (4 * places);
        let fraction = kept & ((1u64 << (4 * places)) - 1);
        let zeros = self.precision.unwrap_or(0).saturating_sub(13);
        let mut digits = if places > 0 {
            format!(".{fraction:0places$x}")
        } else {
            String::new()
        };
        if digits.is_empty() && (self.alternative || zeros > 0) {
            digits.push('.');
        }
        digits.extend(std::iter::repeat_n('0', zeros));
        format!("{whole}{digits}p{exponent:+}")
    }

    /// A number in its field; zeros go between sign and digits.
    fn number(&self, sign: &str, prefix: &str, digits: &str, into: &mut Vec<u8>) {
        let length = sign.len() + prefix.len() + digits.len();
        let integer = b"diuoxX".contains(&self.kind);
        let zeros = if self.zeros && !self.left && !(integer && self.precision.is_some()) {
            self.width.saturating_sub(length)
        } else {
            0
        };
        let text = format!("{sign}{prefix}{}{digits}", "0".repeat(zeros));
        self.field(text.as_bytes(), into);
    }

    fn field(&self, text: &[u8], into: &mut Vec<u8>) {
        let blanks = self.width.saturating_sub(text.len());
        if !self.left {
            into.extend(std::iter::repeat_n(b' ', blanks));
        }
        into.extend_from_slice(text);
        if self.left {
            into.extend(std::iter::repeat_n(b' ', blanks));
        }
    }
}

fn bounded(value: u64) -> usize {
    value.min(MOST_FIELD as u64) as usize
}
