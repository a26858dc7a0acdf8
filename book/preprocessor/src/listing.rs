//! How much of a kernel's file a page shows at once: all of a short one, else the function that is launched. How it is written into the page is `page`'s.

use std::ops::Range;

/// A file of so many lines is read at once.
const SHORT_FILE: usize = 40;
/// Of a longer one the function is shown, if it has no more lines than this.
const LONGEST_CORE: usize = 60;

/// What of a file stands open on the page.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    Whole,
    /// These lines, from 0; the file is folded below.
    Core(Range<usize>),
    /// None of it.
    Folded,
}

/// What stands open of a file whose function of this name is launched; without a name it is the only one.
pub fn shown(source: &str, entry: Option<&str>) -> Shown {
    let lines: Vec<&str> = source.lines().collect();
    if lines.len() <= SHORT_FILE {
        return Shown::Whole;
    }
    match core(&lines, entry) {
        Some(core) if core.len() <= LONGEST_CORE => Shown::Core(core),
        _ => Shown::Folded,
    }
}

/// The lines of a function: from `__global__`, or what stands right above it without an empty line, to the brace in the
/// first column. `None` where a macro makes the function, so that its name stands nowhere before a parenthesis.
fn core(lines: &[&str], entry: Option<&str>) -> Option<Range<usize>> {
    let name = match entry {
        None => lines.len().checked_sub(1)?,
        Some(entry) => {
            let named = format!("{entry}(");
            let is_name = |line: &&str| line.contains(&named) && !line.starts_with("//");
            lines.iter().position(is_name)?
        }
    };
    let above = lines.get(..=name)?;
    let global = above.iter().rposition(|line| line.contains("__global__"))?;
    let start = lines
        .get(..global)?
        .iter()
        .rposition(|line| line.trim().is_empty());
    let end = global
        + lines
            .get(global..)?
            .iter()
            .position(|line| line.starts_with('}'))?;
    Some(start.map_or(0, |empty| empty + 1)..end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a helper, an empty line, a comment and a kernel of so many lines.
    fn file(helper_lines: usize, kernel_lines: usize) -> String {
        let helper = "// helper\n".repeat(helper_lines);
        let body = "    x;\n".repeat(kernel_lines - 3);
        format!(
            "{helper}\n// The kernel.\nextern \"C\" __global__ void\nturn(float* out)\n{{\n{body}}}\n\n// end\n"
        )
    }

    #[test]
    fn a_short_file_is_shown_whole() {
        assert_eq!(shown(&file(5, 20), Some("turn")), Shown::Whole);
    }

    #[test]
    fn of_a_longer_one_the_function_is_shown_with_its_comment() {
        assert_eq!(shown(&file(30, 20), Some("turn")), Shown::Core(31..53));
        assert_eq!(shown(&file(30, 20), None), Shown::Core(31..53));
    }

    #[test]
    fn a_long_function_is_folded_and_so_is_one_that_is_not_found() {
        assert_eq!(shown(&file(5, 90), Some("turn")), Shown::Folded);
        assert_eq!(shown(&file(30, 20), Some("other")), Shown::Folded);
        assert_eq!(shown(&"turn(\n".repeat(50), Some("turn")), Shown::Folded);
    }
}
