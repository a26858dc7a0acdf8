//! The names that a cell makes, by its text: what is gone after it has failed. It reads, and compiles nothing.

/// The names that the cell's own `let`s make, in their order, each once.
pub fn names(code: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // What is indented lies in a block, and is gone with it.
    for line in code.lines() {
        let Some(rest) = line.strip_prefix("let ") else {
            continue;
        };
        let end = pattern_end(rest);
        for word in rest[..end].split(|c: char| !c.is_alphanumeric() && c != '_') {
            let is_name = word
                .chars()
                .next()
                .is_some_and(|c| c.is_lowercase() || c == '_');
            let is_new = !names.iter().any(|known| known == word);
            if is_name && is_new && !matches!(word, "mut" | "ref" | "_") {
                names.push(word.to_owned());
            }
        }
    }
    names
}

/// Where the pattern of a `let` ends: at its type or at its value.
fn pattern_end(rest: &str) -> usize {
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' | '=' | ';' if depth == 0 => return at,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_cells_own_lets() {
        let code = "let task = Task::new();\nlet mut run: Run = task.run()?;\nlet (a, Some(b)) = pair else { return };\n\
                    {\n    let inner = 1;\n}\nlet task = 2;\nlet _ = run;\nletter = 3;";
        assert_eq!(names(code), ["task", "run", "a", "b"]);
        assert!(names("").is_empty());
        assert_eq!(names("let x"), ["x"]);
    }
}
