//! The expressions of inline values and held statements: arithmetic, comparisons, and functions that a
//! [`Source`] answers. They are evaluated as they are read.

use super::problem::ValueError;
use super::source::Source;

type Result<T> = std::result::Result<T, ValueError>;

/// Parentheses within parentheses, and signs before signs.
const DEEPEST: usize = 32;

/// The functions whose arguments are expressions.
const ARITHMETIC: [&str; 3] = ["min(A, B, …)", "max(A, B, …)", "abs(A)"];

/// The value of an expression.
pub(crate) fn value(text: &str, source: &dyn Source) -> Result<f64> {
    let mut reader = Reader::new(text, source);
    let value = reader.sum()?;
    reader.end()?;
    finite(value)
}

/// A chain of comparisons, `a < b <= c`, and whether all of them hold.
#[derive(Debug, PartialEq)]
pub(crate) struct Chain {
    /// Whether each neighbouring pair is as it says.
    pub(crate) holds: bool,
    /// The values with the signs between them.
    pub(crate) values: String,
}

/// Evaluates a chain of comparisons.
pub(crate) fn chain(text: &str, source: &dyn Source) -> Result<Chain> {
    let mut reader = Reader::new(text, source);
    let mut left = finite(reader.sum()?)?;
    let mut chain = Chain {
        holds: true,
        values: shown(left),
    };
    let mut sign = reader
        .comparison()
        .ok_or_else(|| reader.wanted("a comparison such as `<`"))?;
    loop {
        let right = finite(reader.sum()?)?;
        chain.holds &= sign.holds(left, right);
        chain
            .values
            .push_str(&format!(" {} {}", sign.text(), shown(right)));
        left = right;
        match reader.comparison() {
            Some(next) => sign = next,
            None => break,
        }
    }
    reader.end()?;
    Ok(chain)
}

/// A value as a message shows it: with six digits, more than any sentence rests on.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value}");
    }
    let digits = 5 - (value.abs().log10().floor() as i64).clamp(-9, 5);
    let text = format!("{value:.*}", digits.unsigned_abs() as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn finite(value: f64) -> Result<f64> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ValueError::NotFinite)
    }
}

/// A sign between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// What begins like another comes after it.
    const ALL: [Comparison; 6] = [
        Comparison::LessOrEqual,
        Comparison::GreaterOrEqual,
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::Greater,
    ];

    fn text(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
        }
    }

    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
        }
    }
}

/// An expression as it is read: `rest` is what is still to come.
struct Reader<'a> {
    rest: &'a str,
    source: &'a dyn Source,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, source: &'a dyn Source) -> Self {
        Reader {
            rest: text.trim(),
            source,
            depth: 0,
        }
    }

    fn wanted(&self, wanted: &'static str) -> ValueError {
        let rest: String = self.rest.chars().take(30).collect();
        let rest = if rest.is_empty() {
            "nothing".to_owned()
        } else {
            rest
        };
        ValueError::Syntax { wanted, rest }
    }

    /// Goes past a text, if it comes next, and the spaces behind it.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    /// Goes past the characters that fit, and the spaces behind them, and gives the characters.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.wanted("an operator, or the end,"))
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        Comparison::ALL
            .into_iter()
            .find(|sign| self.take(sign.text()))
    }

    fn sum(&mut self) -> Result<f64> {
        let mut sum = self.product()?;
        loop {
            if self.take("+") {
                sum += self.product()?;
            } else if self.take("-") {
                sum -= self.product()?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<f64> {
        let mut product = self.factor()?;
        loop {
            if self.take("*") {
                product *= self.factor()?;
            } else if self.take("/") {
                product /= self.factor()?;
            } else {
                return Ok(product);
            }
        }
    }

    fn factor(&mut self) -> Result<f64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ValueError::TooDeep);
        }
        let value = self.unnested_factor();
        self.depth -= 1;
        value
    }

    fn unnested_factor(&mut self) -> Result<f64> {
        if self.take("-") {
            return Ok(-self.factor()?);
        }
        if self.take("(") {
            let value = self.sum()?;
            return if self.take(")") {
                Ok(value)
            } else {
                Err(self.wanted("`)`"))
            };
        }
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_lowercase() => self.call(),
            _ => Err(self.wanted("a number, a function or `(`")),
        }
    }

    fn number(&mut self) -> Result<f64> {
        let before = Reader { ..*self };
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        digits.parse().map_err(|_| before.wanted("a number"))
    }

    fn call(&mut self) -> Result<f64> {
        let name = self.take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !self.take("(") {
            return Err(self.wanted("`(` and the function's arguments"));
        }
        match name {
            "min" => Ok(self
                .expressions()?
                .into_iter()
                .fold(f64::INFINITY, f64::min)),
            "max" => Ok(self
                .expressions()?
                .into_iter()
                .fold(f64::NEG_INFINITY, f64::max)),
            "abs" => {
                let value = self.sum()?;
                if self.take(")") {
                    Ok(value.abs())
                } else {
                    Err(self.wanted("`)`"))
                }
            }
            _ => {
                let words = self.words()?;
                let answer = self.source.call(name, &words);
                Ok(answer.ok_or_else(|| self.unknown(name))??)
            }
        }
    }

    fn expressions(&mut self) -> Result<Vec<f64>> {
        let mut values = vec![self.sum()?];
        while self.take(",") {
            values.push(self.sum()?);
        }
        if self.take(")") {
            Ok(values)
        } else {
            Err(self.wanted("`,` or `)`"))
        }
    }

    /// The bare words of a call, to its end.
    fn words(&mut self) -> Result<Vec<&'a str>> {
        let mut words = Vec::new();
        if self.take(")") {
            return Ok(words);
        }
        loop {
            let word = self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
            if word.is_empty() {
                return Err(self.wanted("a word"));
            }
            words.push(word);
            if self.take(")") {
                return Ok(words);
            }
            if !self.take(",") {
                return Err(self.wanted("`,` or `)`"));
            }
        }
    }

    fn unknown(&self, name: &str) -> ValueError {
        let mut known = self.source.signatures();
        known.extend(ARITHMETIC.map(str::to_owned));
        ValueError::UnknownFunction {
            name: name.to_owned(),
            known: known.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::{NoSource, SourceError};
    use super::*;
    use proptest::prelude::*;

    /// `twice(N)` is twice a number; `broken()` has no answer.
    struct Twice;

    impl Source for Twice {
        fn signatures(&self) -> Vec<String> {
            vec!["twice(N)".to_owned()]
        }

        fn call(
            &self,
            function: &str,
            arguments: &[&str],
        ) -> Option<std::result::Result<f64, SourceError>> {
            match function {
                "twice" => Some(match arguments {
                    [n] => n
                        .parse::<f64>()
                        .map(|n| 2.0 * n)
                        .map_err(|_| SourceError(format!("`{n}` is no number"))),
                    _ => Err(SourceError("write `twice(N)`".to_owned())),
                }),
                _ => None,
            }
        }
    }

    #[test]
    fn arithmetic_is_as_in_school() {
        for (text, expected) in [
            ("1", 1.0),
            ("1.5", 1.5),
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("7 - 2 - 1", 4.0),
            ("12 / 2 / 3", 2.0),
            ("-2 * -3", 6.0),
            ("- (1 + 1)", -2.0),
            ("min(3, 1 + 1, 4)", 2.0),
            ("max(1, 2)", 2.0),
            ("abs(2 - 5)", 3.0),
            ("twice(4) / 2", 4.0),
            ("  twice( 4 )+1  ", 9.0),
        ] {
            assert_eq!(value(text, &Twice), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_told_with_what_is_wanted() {
        for (text, expected) in [
            (
                "",
                "a number, a function or `(` is wanted where it goes on with `nothing`",
            ),
            (
                "1 2",
                "an operator, or the end, is wanted where it goes on with `2`",
            ),
            ("(1", "`)` is wanted where it goes on with `nothing`"),
            (
                "1 +",
                "a number, a function or `(` is wanted where it goes on with `nothing`",
            ),
            ("1.2.3", "a number is wanted where it goes on with `1.2.3`"),
            (
                "twice",
                "`(` and the function's arguments is wanted where it goes on with `nothing`",
            ),
            (
                "twice(1;2)",
                "`,` or `)` is wanted where it goes on with `;2)`",
            ),
            ("twice(1,)", "a word is wanted where it goes on with `)`"),
            ("twice()", "write `twice(N)`"),
            ("twice(x)", "`x` is no number"),
            (
                "min()",
                "a number, a function or `(` is wanted where it goes on with `)`",
            ),
            (
                "1 / 0",
                "it gives no number: something is divided by zero, or too large",
            ),
            (
                "thrice(1)",
                "there is no function `thrice`; there are: twice(N), min(A, B, …), max(A, B, …), abs(A)",
            ),
        ] {
            assert_eq!(
                value(text, &Twice).expect_err(text).to_string(),
                expected,
                "{text}"
            );
        }
        assert_eq!(
            value(&"(".repeat(100_000), &NoSource),
            Err(ValueError::TooDeep)
        );
        assert_eq!(
            value(&"-".repeat(100_000), &NoSource),
            Err(ValueError::TooDeep)
        );
        assert_eq!(
            value(&format!("0{}", "+1".repeat(100_000)), &NoSource),
            Ok(100_000.0)
        );
    }

    #[test]
    fn a_chain_holds_if_each_pair_does() {
        for (text, holds, values) in [
            ("1 < 2", true, "1 < 2"),
            ("1 < 2 <= 2 < twice(2)", true, "1 < 2 <= 2 < 4"),
            ("2 >= 2 > 1 != 3", true, "2 >= 2 > 1 != 3"),
            ("1 / 3 == 0.5", false, "0.333333 == 0.5"),
            ("1 < 3 < 2", false, "1 < 3 < 2"),
            ("1234.5678 > 3", true, "1234.57 > 3"),
        ] {
            let chain = chain(text, &Twice).expect(text);
            assert_eq!(
                (chain.holds, chain.values.as_str()),
                (holds, values),
                "{text}"
            );
        }
        for text in ["1", "1 <", "< 1", "1 = 1", "1 < 2 3"] {
            assert!(chain(text, &Twice).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in any::<String>()) {
            let _ = value(&text, &Twice);
            let _ = chain(&text, &Twice);
        }

        #[test]
        fn no_likely_text_breaks_the_reader(text in "[-+*/()<>=!., 0-9twicemaxnb_%é]{0,60}") {
            let _ = value(&text, &Twice);
            let _ = chain(&text, &Twice);
        }

        #[test]
        fn what_is_written_is_what_is_read(a in 0u32..10_000, b in 1u32..10_000, c in 0u32..100) {
            let (x, y, z) = (f64::from(a), f64::from(b), f64::from(c));
            prop_assert_eq!(value(&format!("{a} - {b} * twice({c}) / {b}"), &Twice), Ok(x - y * (2.0 * z) / y));
            prop_assert_eq!(chain(&format!("{a} < {b}"), &Twice).map(|chain| chain.holds), Ok(a < b));
        }
    }
}
