//! The name that was probably meant where an unknown one stands.

/// The nearest of these names, unless all are far.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = match name.len() {
        0..=2 => return None,
        3..=4 => 1,
        5..=8 => 2,
        9..=64 => 3,
        _ => return None,
    };
    let lower = name.to_ascii_lowercase();
    let scored = known
        .filter(|other| *other != name && other.len().abs_diff(name.len()) <= most)
        .map(|other| {
            // Letters to insert, remove, replace, or swap with their neighbours.
            let apart = match other.to_ascii_lowercase() == lower {
                true => 0,
                false => strsim::osa_distance(name, other),
            };
            (apart, other)
        });
    let (apart, found) =
        scored.min_by_key(|(apart, other)| (*apart, other.len().abs_diff(name.len()), *other))?;
    (apart <= most).then(|| found.to_string())
}
