//! Which arrays of a thread a line of CUDA C++ indexes, by its text: PTX has one memory for all of them and no names.
//!
//! No compiler's view of the program: an array is what is declared as `type name[…]` without `__shared__`, `__constant__`
//! or `extern` anywhere in the file, whatever its scope.

/// The arrays of a thread that a line indexes, from 1: `a` or `a, b`.
pub(super) fn arrays_at(text: &str, line: u32) -> Option<String> {
    let declared: Vec<&str> = text.lines().flat_map(declared_in).collect();
    let line = text.lines().nth((line as usize).checked_sub(1)?)?;
    let mut found: Vec<&str> = Vec::new();
    for (name, _) in indexed(line) {
        if declared.contains(&name) && !found.contains(&name) {
            found.push(name);
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}

/// The names of a line that a bracket follows, and where each begins.
pub(super) fn indexed(line: &str) -> impl Iterator<Item = (&str, usize)> {
    line.match_indices('[').filter_map(|(at, _)| {
        let before = line[..at].trim_end();
        let name = before
            .rfind(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .map_or(0, |last| last + letter_bytes(before, last));
        let word = &before[name..];
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        is_name.then_some((word, name))
    })
}

fn letter_bytes(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The arrays of a thread that a line declares.
fn declared_in(line: &str) -> impl Iterator<Item = &str> {
    let elsewhere = ["__shared__", "__constant__", "extern", "__device__"];
    let is_thread = !elsewhere.iter().any(|word| line.contains(word));
    // What stands before the name is a type's last letter, or the comma after another declarator.
    let follows_type = |start: usize| {
        let before = line[..start].trim_end();
        let has_gap = before.len() < start;
        let word = before
            .rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .next()
            .unwrap_or_default();
        let is_type = !word.is_empty() && !["return", "else", "case"].contains(&word);
        has_gap && (is_type || before.ends_with([',', '>']))
    };
    indexed(line)
        .filter(move |(_, start)| is_thread && follows_type(*start))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::arrays_at;

    const SOURCE: &str = "\
__global__ void k(const float* in, float *out, int n) {
    float window[8], sums[4];
    __shared__ float tile[32];
    std::array<int, 3> order[2];
    for (int i = 0; i < n; ++i) { window[i & 7] = in[i]; tile[i] = 0; }
    out[0] = window[n & 7] + sums[n & 3] + order[n & 1][0];
    return out[1];
}
";

    #[test]
    fn arrays_of_a_thread_are_named_and_no_others() {
        assert_eq!(arrays_at(SOURCE, 5).as_deref(), Some("window"));
        assert_eq!(arrays_at(SOURCE, 6).as_deref(), Some("window, sums, order"));
        assert_eq!(arrays_at(SOURCE, 7), None);
        assert_eq!(arrays_at(SOURCE, 0), None);
        assert_eq!(arrays_at(SOURCE, 99), None);
        assert_eq!(arrays_at("ä[1] = é[2]; [", 1), None);
    }
}
