//! A question of a chapter: the code that decides it, the choices with what is said of each, and the cells that it becomes.
//! How it looks on a page is `question_page`'s.

use crate::literal::raw_string;
use crate::markdown::{Prose, plain};
use cornerturn_basics::same_answer;

/// The key of what is said of any number that no other choice names.
pub(crate) const ELSE: &str = "else";

/// A question: a fence `rust question ID`, and the list of choices behind it.
#[derive(Clone, Debug)]
pub struct QuestionItem {
    /// Its id, which is also the variable in a notebook.
    pub id: String,
    /// Whether a number is asked for; else one of the choices.
    pub computes: bool,
    /// The code that decides: a block of Rust whose value is a choice's key.
    pub code: String,
    /// The line of the file that holds the code's first line, from 1.
    pub line: usize,
    /// The choices in their order; of a number, the right one and the usual slips.
    pub choices: Vec<Choice>,
}

/// A choice, written as ``- `KEY` label`` with lines of a quotation below it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What the code gives if this is right.
    pub key: String,
    /// What a reader sees of it.
    pub label: Prose,
    /// Why it is right, or what is wrong with it.
    pub why: Prose,
}

impl QuestionItem {
    /// The choice that was decided: the one of the key that the code printed.
    pub(crate) fn decided(&self, printed: &str) -> Option<&Choice> {
        let mut choices = self.choices.iter().filter(|choice| choice.key != ELSE);
        choices.find(|choice| same_answer(&choice.key, printed))
    }

    /// The keys of which one must be decided.
    pub(crate) fn keys(&self) -> Vec<String> {
        let keys = self.choices.iter().map(|choice| choice.key.clone());
        keys.filter(|key| key != ELSE).collect()
    }

    /// The cell that decides, and says nothing yet.
    pub fn deciding_source(&self) -> String {
        let id = &self.id;
        let mut source = format!(
            "// Decides `{id}`, and says nothing yet: your answer goes into the next cell.\n\
             let {id}: Question = {{\n    let decided = {{\n"
        );
        for line in self.code.lines() {
            source.push_str(format!("        {line}").trim_end());
            source.push('\n');
        }
        source.push_str("    };\n    Question::decided_by(decided)\n");
        for choice in &self.choices {
            let words = [&choice.label, &choice.why].map(|prose| raw_string(&plain(&prose.text)));
            let [label, why] = words;
            let key = raw_string(&choice.key);
            let line = match choice.key == ELSE {
                true => format!("        .otherwise({why})\n"),
                false => format!("        .choice({key}, {label}, {why})\n"),
            };
            source.push_str(&line);
        }
        source.push_str("};\n");
        source
    }

    /// The cell that a reader changes.
    pub fn answer_source(&self) -> String {
        format!("{}.answer(\"\")\n", self.id)
    }

    /// The cell as a page runs it: it prints what was decided.
    pub fn page_source(&self) -> String {
        format!(
            "{}println!(\"{{}}\", {}.decided());\n",
            self.deciding_source(),
            self.id
        )
    }

    /// The choices as a notebook lists them: without what is said of them.
    pub(crate) fn listed(&self) -> String {
        if self.computes {
            return format!(
                "Compute the number, and answer with `{}.answer(…)`.\n",
                self.id
            );
        }
        let mut text = String::new();
        for Choice { key, label, .. } in &self.choices {
            let words: Vec<&str> = label.text.split_whitespace().collect();
            let label = words.join(" ");
            text.push_str(&match label.is_empty() {
                true => format!("- `{key}`\n"),
                false => format!("- `{key}`: {label}\n"),
            });
        }
        text
    }
}

/// Reads the list of choices; `line` is the one of the file in which it begins, from 1.
///
/// # Errors
///
/// The line that is not as it must be, and what is wrong.
pub(crate) fn choices(list: &str, line: usize) -> Result<Vec<Choice>, (usize, String)> {
    let mut choices: Vec<Choice> = Vec::new();
    for (line, written) in (line..).zip(list.lines()) {
        if let Some(rest) = written.strip_prefix("- `") {
            let Some((key, label)) = rest.split_once('`') else {
                return Err((
                    line,
                    "the key of this choice is not closed by a backtick".to_owned(),
                ));
            };
            let prose = |text: &str| Prose {
                text: text.trim().to_owned(),
                line,
            };
            choices.push(Choice {
                key: key.to_owned(),
                label: prose(label),
                why: prose(""),
            });
            continue;
        }
        let inner = written.trim();
        match (choices.last_mut(), inner.strip_prefix('>')) {
            (_, None) if inner.is_empty() => {}
            (Some(choice), Some(why)) => add_line(&mut choice.why, why, line),
            (Some(choice), None) if choice.why.text.is_empty() => {
                choice.label.text.push('\n');
                choice.label.text.push_str(inner);
            }
            _ => {
                let problem = "a choice is written as ``- `KEY` label``, and lines that begin with `>` say why";
                return Err((line, problem.to_owned()));
            }
        }
    }
    Ok(choices)
}

fn add_line(prose: &mut Prose, text: &str, line: usize) {
    if prose.text.is_empty() {
        prose.line = line;
    }
    prose.text.push_str(text.strip_prefix(' ').unwrap_or(text));
    prose.text.push('\n');
}

/// What is wrong with a question, if anything is.
pub(crate) fn problem(question: &QuestionItem) -> Option<String> {
    let keys = question.keys();
    let has_else = keys.len() < question.choices.len();
    if keys.len() < 2 {
        return Some("a question needs two choices at least".to_owned());
    }
    if has_else != question.computes {
        let problem = "a choice `else` says what is wrong with any other number: a question with the mark `compute` \
                       needs one, and no other may have one";
        return Some(problem.to_owned());
    }
    let repeated =
        (1..keys.len()).find(|&at| keys[..at].iter().any(|key| same_answer(key, &keys[at])));
    if let Some(at) = repeated {
        return Some(format!("two choices are `{}`", keys[at]));
    }
    let bare = question
        .choices
        .iter()
        .find(|choice| choice.why.text.trim().is_empty());
    bare.map(|choice| {
        format!(
            "the choice `{}` does not say why: add a line `  > …` below it",
            choice.key
        )
    })
}
