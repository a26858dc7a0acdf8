//! Functions and variables of the host, as whole programs have them: found by what they lack, and passed over, since what they use is not known here. That a kernel may not call them is told where it does.

use super::Parser;
use super::types::Specifiers;
use crate::diagnostics::Res;
use crate::lex::{Kind, Token};
use crate::source::Span;
use crate::syntax::{Item, Name, Runs, StructSyntax};

/// Words that no function of the host has before its name.
const NOT_OF_HOST: [&str; 5] = [
    "constexpr",
    "namespace",
    "static_assert",
    "typedef",
    "using",
];

/// Names that only the host's libraries have, as they stand in types.
const OF_LIBRARIES: [&str; 20] = [
    "FILE",
    "cublasHandle_t",
    "cudaDeviceProp",
    "cudaGraphExec_t",
    "cudaGraph_t",
    "curandGenerator_t",
    "function",
    "ifstream",
    "map",
    "mutex",
    "ofstream",
    "ostream",
    "shared_ptr",
    "std",
    "string",
    "thread",
    "thrust",
    "unique_ptr",
    "unordered_map",
    "vector",
];

fn is_of_library(token: &Token) -> bool {
    token.kind == Kind::Name && OF_LIBRARIES.contains(&&*token.text)
}

/// Words that stand before a variable's type.
const BEFORE_TYPES: [&str; 5] = ["static", "const", "extern", "inline", "thread_local"];

/// Whether a word is an attribute of what kernels use, misspelt perhaps.
fn is_attribute(word: &str) -> bool {
    word.starts_with('_') && word != "__host__"
}

impl Parser<'_> {
    /// A declaration; a function of the host that cannot be read is passed over without a word.
    pub(super) fn declaration_or_host(
        &mut self,
        items: &mut Vec<Item>,
        read: impl FnOnce(&mut Self, &mut Vec<Item>) -> Res<()>,
    ) -> Res<()> {
        let (start, told, scopes) = (self.at, self.sink.told(), self.types.len());
        let told_of_end = self.told_of_end;
        let (errors, before) = (self.sink.errors(), items.len());
        let result = read(self, items);
        if result.is_ok() && self.sink.errors() == errors {
            return result;
        }
        let function = self.host_function(start);
        let end = match (&result, &function) {
            (Ok(()), _) => None,
            (Err(_), Some((_, end))) => Some(*end),
            (Err(_), None) => self.host_variable_or_struct(start),
        };
        let end = match end {
            Some(end) => {
                self.sink.forget(told);
                end
            }
            None if self.is_program => match self.end_of_host(start) {
                Some(end) => {
                    items.truncate(before);
                    let words = self.words_of(start, end);
                    self.sink.put_aside(told, words);
                    end
                }
                None => return result,
            },
            None => return result,
        };
        items.extend(function.map(|(name, _)| Item::OfHost(name)));
        self.go_on_behind(end, scopes, told_of_end);
        self.note_launches(start, end);
        Ok(())
    }

    /// Goes on behind something of the host, as if nothing of it had been read.
    fn go_on_behind(&mut self, end: usize, scopes: usize, told_of_end: bool) {
        self.told_of_end = told_of_end;
        self.types.truncate(scopes);
        (self.in_template, self.in_half) = (false, false);
        self.at = end;
    }

    /// The end of a declaration of a whole program that may be the host's: nothing in it says that kernels use it.
    fn end_of_host(&self, start: usize) -> Option<usize> {
        let mut at = start;
        let (mut has_list, mut has_value) = (false, false);
        loop {
            let token = &self.tokens[at];
            at = match &*token.text {
                _ if token.kind == Kind::End => return None,
                ";" => break,
                "{" => {
                    let end = self.behind_brackets(at, "{", "}")?;
                    if has_list && !has_value {
                        at = end - 1;
                        break;
                    }
                    end
                }
                "(" => {
                    let before = at.checked_sub(1).map(|before| &self.tokens[before]);
                    has_list |= !before
                        .is_some_and(|before| before.is("__attribute__") || before.is("alignas"));
                    self.behind_brackets(at, "(", ")")?
                }
                ")" | "}" => return None,
                "=" => {
                    has_value = true;
                    at + 1
                }
                _ => at + 1,
            };
        }
        let mut all = self.tokens[start..at].iter();
        (!all.any(|token| self.is_for_kernels(token))).then_some(at + 1)
    }

    /// Whether a word says that kernels use what it stands in, or is such a word with a slip.
    fn is_for_kernels(&self, token: &Token) -> bool {
        token.kind == Kind::Name && super::type_slips::is_near_attribute(&token.text)
    }

    /// The words of a declaration that are in no brackets, among them those that it declares.
    fn words_of(&self, start: usize, end: usize) -> Vec<Name> {
        let (mut words, mut depth) = (Vec::new(), 0_usize);
        for token in &self.tokens[start..end] {
            match &*token.text {
                "(" | "{" => depth += 1,
                ")" | "}" => depth = depth.saturating_sub(1),
                _ if depth == 0 && token.kind == Kind::Name && !super::is_keyword(&token.text) => {
                    words.push(token.text.clone());
                }
                _ => {}
            }
        }
        words
    }

    /// Whether the source launches kernels or has a `main`.
    pub(super) fn has_code_of_host(tokens: &[Token]) -> bool {
        tokens.windows(2).any(|two| {
            let is_launch =
                two[0].is("<<") && two[1].is("<") && two[0].span.end == two[1].span.start;
            let is_main = two[0].is("main") && two[1].is("(");
            is_launch || is_main
        })
    }

    /// A member; a function of the host that takes or gives what only the host's library has is passed over without a word.
    pub(super) fn member_or_host(&mut self, into: &mut StructSyntax) -> Res<()> {
        let (start, told, scopes) = (self.at, self.sink.told(), self.types.len());
        let (errors, told_of_end) = (self.sink.errors(), self.told_of_end);
        let (functions, fields) = (into.functions.len(), into.fields.len());
        let result = self.member(into);
        if self.is_program
            && (result.is_err() || self.sink.errors() > errors)
            && let Some(end) = self.end_of_member_of_host(start)
        {
            into.functions.truncate(functions);
            into.fields.truncate(fields);
            let words = self.words_of(start, end);
            self.sink.put_aside(told, words);
            self.go_on_behind(end, scopes, told_of_end);
            return Ok(());
        }
        let host = result.err().and_then(|_| self.host_function(start));
        let has_library = |end: usize| self.tokens[start..end].iter().any(is_of_library);
        let Some((_, end)) = host.filter(|(_, end)| has_library(*end)) else {
            return result;
        };
        self.sink.forget(told);
        self.types.truncate(scopes);
        (self.in_template, self.in_half) = (false, false);
        self.at = end;
        Ok(())
    }

    /// The end of a member function of a whole program that may be the host's, or that kernels cannot call either, since it
    /// takes or gives what the host's libraries have.
    fn end_of_member_of_host(&self, start: usize) -> Option<usize> {
        let of_host = self.end_of_host(start);
        if let Some(end) = of_host.filter(|end| self.is_function(start, *end)) {
            return Some(end);
        }
        let mut head = start;
        while !self.tokens[head].is("{") {
            let token = &self.tokens[head];
            if token.is(";") || token.is("}") || token.kind == Kind::End {
                return None;
            }
            head += 1;
        }
        let has_library = self.tokens[start..head].iter().any(is_of_library);
        let end = self.behind_brackets(head, "{", "}")?;
        (has_library && self.is_function(start, end)).then_some(end)
    }

    /// Whether what stands between two tokens is a function: its parameters come before any value, any body and its end.
    fn is_function(&self, start: usize, end: usize) -> bool {
        let mut tokens = self.tokens[start..end].iter();
        let first = tokens.find(|token| ["(", "{", "=", ";"].iter().any(|mark| token.is(mark)));
        first.is_some_and(|first| first.is("("))
            || self.tokens[start..end]
                .iter()
                .any(|token| token.is("operator"))
    }

    /// The end of a variable whose type is of the host's libraries, such as `static std::vector<float> all;`, or of a struct
    /// that has such members and no function for kernels; nothing where something else begins at a place.
    fn host_variable_or_struct(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while BEFORE_TYPES.iter().any(|word| self.tokens[at].is(word)) {
            at += 1;
        }
        if self.tokens[at].is("template") {
            at = self.behind_brackets(at, "<", ">")?;
        }
        let begins = &self.tokens[at];
        let is_struct = ["struct", "class"].iter().any(|word| begins.is(word));
        if !is_struct && !is_of_library(begins) {
            return None;
        }
        while !self.tokens[at].is(";") {
            at = match &*self.tokens[at].text {
                "{" => self.behind_brackets(at, "{", "}")?,
                "(" => self.behind_brackets(at, "(", ")")?,
                "}" => return None,
                _ if self.tokens[at].kind == Kind::End => return None,
                _ => at + 1,
            };
        }
        let all = &self.tokens[start..at];
        let is_for_kernels = |token: &Token| is_attribute(&token.text);
        let is_of_host = all.iter().any(is_of_library) && !all.iter().any(is_for_kernels);
        is_of_host.then_some(at + 1)
    }

    /// The name of a function of the host, or of its declaration, that begins at a place, and where it ends; nothing where
    /// something else stands there.
    fn host_function(&self, start: usize) -> Option<(Name, usize)> {
        let mut at = start;
        while !self.tokens[at].is("(") {
            let token = &self.tokens[at];
            let ends = ["{", "}", ";", "="].iter().any(|mark| token.is(mark));
            let is_other = NOT_OF_HOST.contains(&&*token.text) || is_attribute(&token.text);
            if ends || is_other || token.kind == Kind::End {
                return None;
            }
            at += 1;
        }
        let name = &self.tokens[at.checked_sub(1).filter(|before| *before > start)?];
        let behind = self.behind_brackets(at, "(", ")")?;
        let end = match &*self.tokens[behind].text {
            "{" => self.behind_brackets(behind, "{", "}")?,
            ";" => behind + 1,
            _ => return None,
        };
        let is_operator = || {
            self.tokens[start..at]
                .iter()
                .any(|token| token.is("operator"))
        };
        (name.kind == Kind::Name || is_operator()).then(|| (name.text.clone(), end))
    }

    /// The token behind the bracket that closes the one at a place; nothing where the source ends before.
    pub(super) fn behind_brackets(&self, from: usize, open: &str, close: &str) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(from) {
            depth += usize::from(token.is(open));
            if token.is(close) {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        None
    }

    /// Whether what these words begin is a function that no kernel may call.
    pub(super) fn is_of_host(specifiers: &Specifiers) -> bool {
        matches!(specifiers.runs, Runs::Host | Runs::Anywhere) && !specifiers.is_constexpr
    }

    /// The body of a function of the host, passed over; the first that launches a kernel is told of.
    pub(super) fn pass_over_body(&mut self, name: &str, span: Span) -> Res<()> {
        let Some(end) = self.behind_brackets(self.at, "{", "}") else {
            // What is missing is told as it is of every function.
            return self.block().map(drop);
        };
        let is_launch = |two: &[Token]| {
            two[0].is("<<") && two[1].is("<") && two[0].span.end == two[1].span.start
        };
        let launches = self.tokens[self.at..end].windows(2).any(is_launch);
        if launches {
            let list = self.list_before(self.at);
            self.note_launches(list, end);
        }
        if launches && !std::mem::replace(&mut self.has_told_of_host, true) {
            self.sink.warn(
                span,
                format!("`{name}` launches kernels: that is code of the host, which is not compiled here"),
                "grid, block and arguments are given beside the source",
            );
        }
        self.at = end;
        Ok(())
    }

    /// Where the list of parameters opens behind which a body stands.
    fn list_before(&self, body: usize) -> usize {
        let mut depth = 0_usize;
        for at in (0..body).rev() {
            let token = &self.tokens[at];
            depth += usize::from(token.is(")"));
            depth = depth.saturating_sub(usize::from(token.is("(")));
            match depth {
                0 if token.is("(") => return at,
                0 if [";", "{", "}"].iter().any(|mark| token.is(mark)) => return body,
                _ => {}
            }
        }
        body
    }
}
