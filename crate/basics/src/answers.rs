//! When two answers to a question are the same. What is asked is the chapters'.

/// How far apart two numbers may lie, as a part of the larger one: who writes 0.083 means a twelfth.
const ROUNDING: f64 = 0.005;

/// Whether an answer is the one that was decided: the same words in whatever case, or numbers within half a per cent.
pub fn same_answer(given: &str, decided: &str) -> bool {
    let (given, decided) = (given.trim(), decided.trim());
    match (given.parse::<f64>(), decided.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= ROUNDING * a.abs().max(b.abs()),
        _ => !given.is_empty() && given.to_lowercase() == decided.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::same_answer;

    #[test]
    fn rounded_numbers_and_words_in_any_case_are_the_same() {
        for (given, decided) in [
            ("8", "8"),
            (" 8.0 ", "8"),
            ("0.083", "0.08333333333333333"),
            ("Waiting", "waiting"),
            ("0", "0"),
        ] {
            assert!(same_answer(given, decided), "{given} and {decided}");
        }
        for (given, decided) in [
            ("", ""),
            ("8", "9"),
            ("0.08", "0.08333333333333333"),
            ("0", "1"),
            ("-4", "4"),
            ("eight", "8"),
            ("NaN", "NaN"),
        ] {
            assert!(!same_answer(given, decided), "{given} and {decided}");
        }
    }
}
