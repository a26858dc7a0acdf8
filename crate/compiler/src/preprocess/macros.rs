//! Macros: their definitions and their expansion, by C++'s rules of rescanning.

use crate::diagnostics::{Res, Sink};
use crate::hash::HashMap;
use crate::lex::{self, Kind, Token};
use crate::limits::{MACRO_DEPTH, TOKENS};
use crate::source::Span;
use std::rc::Rc;

#[derive(Debug, Clone)]
struct Macro {
    /// None: not called with arguments.
    parameters: Option<Vec<Rc<str>>>,
    is_variadic: bool,
    body: Rc<[Token]>,
}

#[derive(Debug, Default)]
pub(super) struct Macros {
    defined: HashMap<Rc<str>, Macro>,
    /// Tokens that expansions gave so far.
    made: usize,
    /// How often something was defined or undefined.
    changes: usize,
    /// How often `__COUNTER__` was asked for.
    counted: usize,
}

/// Macros whose value hangs on where they stand.
const OF_PLACE: [&str; 4] = ["__LINE__", "__FILE__", "__BASE_FILE__", "__COUNTER__"];

/// Tokens that are still to be looked at; `of` is the macro that they come from, which is not expanded in them.
struct Frame {
    tokens: Rc<[Token]>,
    at: usize,
    of: Option<Rc<str>>,
}

impl Macros {
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.defined.contains_key(name) || OF_PLACE.contains(&name) || name == "__has_include"
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.changes += usize::from(self.defined.remove(name).is_some());
    }

    /// How often a macro was defined or undefined until now.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// What `__LINE__` and the like stand for at their place, which is that of the outermost macro.
    fn of_place(&mut self, token: &Token, sink: &Sink) -> Option<Token> {
        let name = &*token.text;
        if !name.starts_with("__") || !OF_PLACE.contains(&name) || self.defined.contains_key(name) {
            return None;
        }
        let at = token.span.start;
        let (kind, text) = match name {
            "__LINE__" => (Kind::Number, sink.sources.line(at).to_string()),
            "__COUNTER__" => {
                self.counted += 1;
                (Kind::Number, (self.counted - 1).to_string())
            }
            "__FILE__" => (
                Kind::Text,
                in_quotes(sink.sources.name(sink.sources.file_at(at))),
            ),
            _ => (Kind::Text, in_quotes(sink.sources.name(0))),
        };
        Some(Token {
            kind,
            text: text.into(),
            ..token.clone()
        })
    }

    pub(super) fn define_text(&mut self, name: &str, value: &str, sink: &mut Sink) {
        let mut body = lex::lex(value, sink);
        body.pop();
        for token in &mut body {
            token.span = Span::default();
            token.starts_line = false;
        }
        let is_variadic = false;
        let body = body.into();
        self.defined.insert(
            name.into(),
            Macro {
                parameters: None,
                is_variadic,
                body,
            },
        );
    }

    /// A macro that puts its one argument and these letters together.
    pub(super) fn define_typed(&mut self, name: &str, behind: &str, sink: &mut Sink) {
        let text = match behind {
            "" => "#define N(c) c".to_string(),
            _ => format!("#define N(c) c ## {behind}"),
        };
        let mut line = lex::lex(&text, sink);
        line.pop();
        line[2].text = name.into();
        for token in &mut line {
            token.span = Span::default();
            token.starts_line = false;
        }
        // It is a definition, and so is taken.
        let _ = self.define(&line[2..], Span::default(), sink);
    }

    /// What stands behind `#define`.
    pub(super) fn define(&mut self, line: &[Token], span: Span, sink: &mut Sink) -> Res<()> {
        let Some(name) = line.first().filter(|token| token.kind == Kind::Name) else {
            return Err(sink.error_help(
                span,
                "`#define` needs a name",
                "write `#define NAME value`",
            ));
        };
        let mut rest = &line[1..];
        let (mut parameters, mut is_variadic) = (None, false);
        if rest
            .first()
            .is_some_and(|token| token.is("(") && !token.after_space)
        {
            let Some(close) = rest.iter().position(|token| token.is(")")) else {
                return Err(sink.error_help(
                    span,
                    "the parameters of this macro do not end",
                    "close them with `)`",
                ));
            };
            let mut names = Vec::new();
            let mut has_own_name = false;
            for (number, token) in rest[1..close].iter().enumerate() {
                let before = rest.get(number);
                match token.kind {
                    Kind::Name => names.push(token.text.clone()),
                    _ if &*token.text == "..." => {
                        is_variadic = true;
                        has_own_name = before.is_some_and(|before| before.kind == Kind::Name);
                    }
                    _ if &*token.text == "," => {}
                    _ => return Err(sink.error(token.span, "a macro's parameters are names")),
                }
            }
            if is_variadic && !has_own_name {
                names.push("__VA_ARGS__".into());
            }
            parameters = Some(names);
            rest = &rest[close + 1..];
        }
        if parameters.is_none() {
            warn_of_marks(rest, sink);
        }
        let body = rest.into();
        self.changes += 1;
        self.defined.insert(
            name.text.clone(),
            Macro {
                parameters,
                is_variadic,
                body,
            },
        );
        Ok(())
    }

    /// Appends what these tokens expand to.
    pub(super) fn expand(
        &mut self,
        tokens: &[Token],
        out: &mut Vec<Token>,
        sink: &mut Sink,
    ) -> Res<()> {
        self.expand_at(tokens, out, sink, 0)
    }

    fn expand_at(
        &mut self,
        tokens: &[Token],
        out: &mut Vec<Token>,
        sink: &mut Sink,
        depth: usize,
    ) -> Res<()> {
        let frame = |tokens, of| Frame { tokens, at: 0, of };
        let mut frames = vec![frame(tokens.into(), None)];
        while let Some(top) = frames.last_mut() {
            let Some(token) = top.tokens.get(top.at).cloned() else {
                frames.pop();
                continue;
            };
            top.at += 1;
            self.made += 1;
            if self.made > 4 * TOKENS || depth > MACRO_DEPTH {
                return Err(sink.error(
                    token.span,
                    "the macros in this source expand without end, or nearly so",
                ));
            }
            let disabled = frames
                .iter()
                .any(|frame| frame.of.as_ref() == Some(&token.text));
            if let Some(made) = self.of_place(&token, sink) {
                out.push(made);
                continue;
            }
            let known = self.defined.get(&token.text);
            let Some(found) = known
                .filter(|_| token.kind == Kind::Name && !disabled)
                .cloned()
            else {
                out.push(token);
                continue;
            };
            let body = match &found.parameters {
                None => self.substitute(&found, &[], token.span, sink, depth)?,
                Some(_) if !next_is_open(&frames) => {
                    out.push(token);
                    continue;
                }
                Some(parameters) => {
                    let arguments = take_arguments(
                        &mut frames,
                        parameters.len(),
                        found.is_variadic,
                        token.span,
                        sink,
                    )?;
                    self.substitute(&found, &arguments, token.span, sink, depth)?
                }
            };
            frames.push(frame(body.into(), Some(token.text)));
        }
        Ok(())
    }

    /// A macro's body with its arguments in it, all at the place of its use.
    fn substitute(
        &mut self,
        of: &Macro,
        arguments: &[Vec<Token>],
        span: Span,
        sink: &mut Sink,
        depth: usize,
    ) -> Res<Vec<Token>> {
        let none = Vec::new();
        let parameters = of.parameters.as_ref().unwrap_or(&none);
        let argument = |token: &Token| {
            parameters
                .iter()
                .position(|name| *name == token.text && token.kind == Kind::Name)
        };
        let mut out: Vec<Token> = Vec::new();
        let mut at = 0;
        while at < of.body.len() {
            let token = &of.body[at];
            let next_is_paste = of.body.get(at + 1).is_some_and(|next| next.is("##"));
            if token.is("##") && at > 0 && at + 1 < of.body.len() {
                let next = &of.body[at + 1];
                let right = match argument(next) {
                    Some(number) => arguments[number].clone(),
                    None => vec![next.clone()],
                };
                // GNU's way to leave out a comma before no arguments.
                if out.last().is_some_and(|left| left.is(","))
                    && of.is_variadic
                    && parameters.last() == Some(&next.text)
                {
                    match right.is_empty() {
                        true => drop(out.pop()),
                        false => self.expand_at(&right, &mut out, sink, depth + 1)?,
                    }
                    at += 2;
                    continue;
                }
                paste(&mut out, right, span, sink)?;
                at += 2;
                continue;
            }
            match argument(token) {
                Some(number) if next_is_paste => out.extend(arguments[number].iter().cloned()),
                Some(number) => self.expand_at(&arguments[number], &mut out, sink, depth + 1)?,
                None if token.is("#") && of.parameters.is_some() => {
                    let Some(number) = of.body.get(at + 1).and_then(argument) else {
                        return Err(sink.error(span, "`#` in a macro stands before a parameter"));
                    };
                    out.push(quoted(&arguments[number], token));
                    at += 1;
                }
                None => out.push(token.clone()),
            }
            at += 1;
        }
        for token in &mut out {
            token.span = span;
            token.starts_line = false;
        }
        Ok(out)
    }
}

fn next_is_open(frames: &[Frame]) -> bool {
    let next = frames
        .iter()
        .rev()
        .find_map(|frame| frame.tokens.get(frame.at));
    next.is_some_and(|token| token.is("("))
}

fn next(frames: &mut [Frame]) -> Option<Token> {
    for frame in frames.iter_mut().rev() {
        if let Some(token) = frame.tokens.get(frame.at) {
            frame.at += 1;
            return Some(token.clone());
        }
    }
    None
}

fn take_arguments(
    frames: &mut [Frame],
    wanted: usize,
    is_variadic: bool,
    span: Span,
    sink: &mut Sink,
) -> Res<Vec<Vec<Token>>> {
    next(frames);
    let mut arguments = vec![Vec::new()];
    let mut depth = 0_usize;
    loop {
        let Some(token) = next(frames) else {
            return Err(sink.error_help(
                span,
                "the arguments of this macro do not end",
                "close them with `)`",
            ));
        };
        match &*token.text {
            "(" => depth += 1,
            ")" if depth == 0 => break,
            ")" => depth -= 1,
            "," if depth == 0 && !(is_variadic && arguments.len() == wanted) => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        let last = arguments.len() - 1;
        arguments[last].push(token);
    }
    if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() {
        arguments.clear();
    }
    if is_variadic && arguments.len() + 1 == wanted {
        arguments.push(Vec::new());
    }
    if arguments.len() != wanted {
        let message = format!(
            "this macro takes {wanted} arguments, not {}",
            arguments.len()
        );
        return Err(sink.error(span, message));
    }
    Ok(arguments)
}

/// Joins the last token with the first of the others.
fn paste(out: &mut Vec<Token>, right: Vec<Token>, span: Span, sink: &mut Sink) -> Res<()> {
    let mut right = right.into_iter();
    let (Some(left), Some(first)) = (out.pop(), right.next()) else {
        return Ok(());
    };
    let joined = format!("{}{}", left.text, first.text);
    let mut tokens = lex::lex(&joined, sink);
    if tokens.len() != 2 {
        return Err(sink.error(
            span,
            format!("`##` makes `{joined}`, which is not one token"),
        ));
    }
    out.push(Token {
        after_space: left.after_space,
        ..tokens.swap_remove(0)
    });
    out.extend(right);
    Ok(())
}

/// What stands between quotation marks for this text.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn quoted(tokens: &[Token], at: &Token) -> Token {
    let mut text = String::from("\"");
    for (number, token) in tokens.iter().enumerate() {
        if number > 0 && token.after_space {
            text.push(' ');
        }
        text.push_str(&escaped(&token.text));
    }
    text.push('"');
    Token {
        kind: Kind::Text,
        text: text.into(),
        ..at.clone()
    }
}

/// Tells of `=` before a macro's number, and of `;` behind it: they become part of what it stands for.
fn warn_of_marks(body: &[Token], sink: &mut Sink) {
    let (mark, help) = match body {
        [mark, value] if mark.is("=") && value.kind == Kind::Number => {
            (mark, "write `#define NAME value`, without `=`")
        }
        [value, mark] if value.kind == Kind::Number && mark.is(";") => {
            (mark, "remove it: what is defined ends with its line")
        }
        _ => return,
    };
    let message = format!(
        "this `{}` becomes part of what the macro stands for",
        mark.text
    );
    sink.warn(mark.span, message, help);
}
