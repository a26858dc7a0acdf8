//! The name that was probably meant where an unknown one stands.

/// The nearest of these names, unless all are far.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
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
            let apart = match other.to_ascii_lowercase() == lower {
                true => 0,
                false => distance(name, other),
            };
            (apart, other)
        });
    let (apart, found) =
        scored.min_by_key(|(apart, other)| (*apart, other.len().abs_diff(name.len()), *other))?;
    (apart <= most).then(|| found.to_string())
}

/// Letters to insert, remove, replace, or swap with their neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
