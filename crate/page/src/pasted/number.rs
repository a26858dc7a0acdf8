//! Numbers in the host's part of a program: what an expression of plain constants comes to. Not a parser of C++: what it does not know has no value.

use std::collections::BTreeMap;

/// A number as C++ has it: whole numbers divide as such.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    pub(crate) fn whole(self) -> Option<i64> {
        match self {
            Self::Whole(number) => Some(number),
            // A rounded quotient, as `ceil(n / 256.0)` is.
            Self::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                Some(number as i64)
            }
            Self::Real(_) => None,
        }
    }

    pub(crate) fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

/// The constants that a program gives names to.
pub(crate) type Constants = BTreeMap<String, Number>;

/// What an expression comes to, if it is made of these constants and of numbers.
pub(crate) fn value(text: &str, constants: &Constants) -> Option<Number> {
    let mut reader = Reader {
        rest: text.trim(),
        constants,
        depth: 0,
    };
    let number = reader.shifted()?;
    reader.rest.trim().is_empty().then_some(number)
}

/// Brackets within brackets that are looked into.
const MOST_DEPTH: usize = 40;

struct Reader<'t> {
    rest: &'t str,
    constants: &'t Constants,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let found = rest.strip_prefix(sign);
        self.rest = found.unwrap_or(rest);
        found.is_some()
    }

    fn shifted(&mut self) -> Option<Number> {
        let mut left = self.sum()?;
        loop {
            let is_left = self.takes("<<");
            if !is_left && !self.takes(">>") {
                return Some(left);
            }
            let (number, by) = (left.whole()?, u32::try_from(self.sum()?.whole()?).ok()?);
            left = Number::Whole(match is_left {
                true => number.checked_mul(1_i64.checked_shl(by).filter(|_| by < 63)?)?,
                false => number.checked_shr(by)?,
            });
        }
    }

    fn sum(&mut self) -> Option<Number> {
        let mut left = self.product()?;
        loop {
            let sign = ["+", "-"].into_iter().find(|sign| self.takes(sign));
            let Some(sign) = sign else { return Some(left) };
            left = combined(left, sign, self.product()?)?;
        }
    }

    fn product(&mut self) -> Option<Number> {
        let mut left = self.single()?;
        loop {
            let sign = ["*", "/", "%"].into_iter().find(|sign| self.takes(sign));
            let Some(sign) = sign else { return Some(left) };
            left = combined(left, sign, self.single()?)?;
        }
    }

    fn single(&mut self) -> Option<Number> {
        self.depth += 1;
        let found = (self.depth < MOST_DEPTH).then(|| self.single_within())?;
        self.depth -= 1;
        found
    }

    fn single_within(&mut self) -> Option<Number> {
        if self.takes("-") {
            return match self.single()? {
                Number::Whole(number) => number.checked_neg().map(Number::Whole),
                Number::Real(number) => Some(Number::Real(-number)),
            };
        }
        if self.takes("+") {
            return self.single();
        }
        if self.takes("(") {
            return self.in_brackets();
        }
        match self.rest.chars().next()? {
            '0'..='9' | '.' => self.literal(),
            _ => self.named(),
        }
    }

    /// Behind an opening bracket: a type that something is converted to, or an expression.
    fn in_brackets(&mut self) -> Option<Number> {
        if let Some((inner, rest)) = self.rest.split_once(')')
            && bytes_of(inner).is_some()
            && !self.constants.contains_key(inner.trim())
        {
            self.rest = rest;
            let number = self.single()?;
            return converted(inner, number);
        }
        let number = self.shifted()?;
        self.takes(")").then_some(number)
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest.trim_start();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word
    }

    fn literal(&mut self) -> Option<Number> {
        let rest = self.rest;
        // The sign of an exponent belongs to its number.
        let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
        let mut before = ' ';
        let end = rest.find(|c: char| {
            let is_sign = !is_hex && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
            before = c;
            !(c.is_ascii_alphanumeric() || c == '.' || c == '\'' || is_sign)
        });
        let (text, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        let text = text.replace('\'', "");
        if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            let digits = hex.trim_end_matches(['u', 'U', 'l', 'L']);
            return i64::from_str_radix(digits, 16).ok().map(Number::Whole);
        }
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.parse() {
            Ok(number) => Some(Number::Whole(number)),
            Err(_) => text
                .trim_end_matches(['f', 'F'])
                .parse()
                .ok()
                .map(Number::Real),
        }
    }

    /// A constant, a size, or one of the few functions that a launch is computed with.
    fn named(&mut self) -> Option<Number> {
        let word = self.word();
        let word = word.strip_prefix("std::").unwrap_or(word);
        if word == "static_cast" {
            let (ty, rest) = self.rest.trim_start().strip_prefix('<')?.split_once('>')?;
            self.rest = rest;
            let number = self.takes("(").then(|| self.in_brackets())??;
            return converted(ty, number);
        }
        if word == "sizeof" {
            let (ty, rest) = self.rest.trim_start().strip_prefix('(')?.split_once(')')?;
            self.rest = rest;
            return bytes_of(ty).map(|bytes| Number::Whole(bytes as i64));
        }
        if !self.takes("(") {
            return self.constants.get(word).copied();
        }
        let first = self.shifted()?;
        let second = match self.takes(",") {
            true => Some(self.shifted()?),
            false => None,
        };
        if !self.takes(")") {
            return None;
        }
        match (word, second) {
            ("ceil" | "ceilf", None) => Some(Number::Real(first.real().ceil())),
            ("min", Some(second)) => Some(if second.real() < first.real() {
                second
            } else {
                first
            }),
            ("max", Some(second)) => Some(if second.real() > first.real() {
                second
            } else {
                first
            }),
            _ => None,
        }
    }
}

/// A number as this type has it.
fn converted(ty: &str, number: Number) -> Option<Number> {
    match ty.contains("float") || ty.contains("double") {
        true => Some(Number::Real(number.real())),
        false if number.real().abs() < 9e15 => Some(match number {
            Number::Whole(_) => number,
            Number::Real(real) => Number::Whole(real as i64),
        }),
        false => None,
    }
}

fn combined(left: Number, sign: &str, right: Number) -> Option<Number> {
    let (Number::Whole(a), Number::Whole(b)) = (left, right) else {
        let (a, b) = (left.real(), right.real());
        return Some(Number::Real(match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            _ => return None,
        }));
    };
    Some(Number::Whole(match sign {
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        _ => a.checked_rem(b)?,
    }))
}

/// The bytes of a type of C++ or CUDA.
pub(crate) fn bytes_of(ty: &str) -> Option<usize> {
    if ty.contains('*') {
        return Some(8);
    }
    let is_said = |word: &&str| !matches!(*word, "const" | "signed" | "int");
    let words: Vec<&str> = ty.split_whitespace().filter(is_said).collect();
    Some(match words.join(" ").trim_start_matches("std::") {
        "" if ty.contains("int") => 4,
        "char" | "unsigned char" | "bool" | "uint8_t" | "int8_t" => 1,
        "short" | "unsigned short" | "half" | "__half" | "__nv_bfloat16" | "uint16_t"
        | "int16_t" => 2,
        "float" | "unsigned" | "uint32_t" | "int32_t" | "uint" | "char4" | "uchar4" | "half2" => 4,
        "double" | "long" | "long long" | "unsigned long" | "unsigned long long" | "size_t"
        | "uint64_t" | "int64_t" | "float2" | "int2" | "uint2" => 8,
        "float3" | "int3" | "uint3" => 12,
        "float4" | "int4" | "uint4" | "double2" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_launches_are_worked_out() {
        let constants = Constants::from([
            ("N".to_owned(), Number::Whole(1000)),
            ("block.x".to_owned(), Number::Whole(128)),
        ]);
        let whole = |text: &str| value(text, &constants).and_then(Number::whole);
        for (text, expected) in [
            ("(N + 255) / 256", 4),
            ("N * sizeof(float) + 0x10", 4016),
            ("(N + block.x - 1) / block.x", 8),
            ("ceil(N / 256.0)", 4),
            ("(int)ceil((float)N / 300)", 4),
            ("1 << 10 >> 1", 512),
            ("std::min(N, 7) * 3 % 5", 1),
            ("static_cast<int>(N) - -1", 1001),
            ("1'000u", 1000),
            ("sizeof(unsigned long long) * 2", 16),
            ("1e3", 1000),
        ] {
            assert_eq!(whole(text), Some(expected), "{text}");
        }
        assert_eq!(value("2.5f * 2", &constants), Some(Number::Real(5.0)));
        for text in [
            "",
            "M",
            "N +",
            "(N",
            "N / 0",
            "1 << 70",
            "f(N)",
            "N N",
            "9223372036854775807 + 1",
            "sizeof(N)",
        ] {
            assert_eq!(value(text, &constants), None, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000), &constants), None);
    }
}
