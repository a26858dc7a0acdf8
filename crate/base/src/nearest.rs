//! The name that was probably meant where a command, a cell or a list names none: the one place that guesses. How far apart words are is told by the compiler's `nearest`.

/// The first name that begins with what was written, else the nearest, unless all are far.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let wanted = name.to_ascii_lowercase();
    let mut longer = known.clone();
    let longer = longer.find(|known| wanted.len() > 1 && known.starts_with(&wanted));
    match longer {
        Some(longer) => Some(longer.to_string()),
        None => cornerturn_compiler::nearest(name, known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_and_a_beginning_are_understood_and_another_word_is_not() {
        let known = ["padded", "padding_32", "naive", "tiled"];
        let meant = |name: &str| nearest(name, known.into_iter());
        assert_eq!(meant("paded").as_deref(), Some("padded"));
        assert_eq!(meant("PADDED").as_deref(), Some("padded"));
        assert_eq!(meant("paddign_32").as_deref(), Some("padding_32"));
        assert_eq!(meant("til").as_deref(), Some("tiled"));
        assert_eq!(meant("gemm"), None);
        assert_eq!(meant(""), None);
    }
}
