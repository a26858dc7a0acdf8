//! What of a source only the host uses: functions and variables that nothing puts on the device, and what needs the host's libraries.

pub(super) mod library;

use crate::hash::HashSet;
use crate::lex::{Kind, Token};
use crate::source::{Sources, Span};
use library::Library;

/// Words that put what they stand before on the device, or make it known while compiling.
const OF_DEVICE: [&str; 8] = [
    "__device__",
    "__global__",
    "__constant__",
    "__shared__",
    "__managed__",
    "__grid_constant__",
    "constexpr",
    "consteval",
];

/// What stands before brackets that are no list of parameters.
const ATTRIBUTES: [&str; 12] = [
    "__attribute__",
    "__declspec",
    "alignas",
    "__align__",
    "__launch_bounds__",
    "__cluster_dims__",
    "__maxnreg__",
    "decltype",
    "noexcept",
    "explicit",
    "sizeof",
    "requires",
];

/// What only the host uses.
pub(super) struct Host {
    /// Its places, each in one file.
    pub(super) spans: Vec<Span>,
    /// The functions in them.
    pub(super) names: Vec<String>,
    /// The words `constexpr` of functions that nothing else puts on the device: NVIDIA's compiler wants that said.
    pub(super) constants: Vec<Span>,
}

pub(super) fn host(tokens: &[Token], sources: &Sources) -> Host {
    let mut scan = Scan {
        tokens,
        at: 0,
        depth: 0,
        spans: Vec::new(),
        names: Vec::new(),
        constants: Vec::new(),
        of_device: HashSet::default(),
        declared: HashSet::default(),
        library: Library::new(tokens),
    };
    while !scan.is_end() {
        scan.scope(false);
    }
    // Of what a macro makes, or an included file begins, some may be for the device.
    let is_in_one = |span: &Span| sources.file_at(span.start) == sources.file_at(span.end);
    let (spans, names) = (scan.spans, scan.names);
    // A word that a macro makes is not there to stand before.
    let is_written = |span: &Span| {
        let range = span.start as usize..span.end as usize;
        sources.text().get(range) == Some("constexpr")
    };
    Host {
        constants: scan.constants.into_iter().filter(is_written).collect(),
        spans: spans.into_iter().filter(is_in_one).collect(),
        names,
    }
}

/// A declaration, by its tokens.
#[derive(Default)]
struct Declaration {
    /// Behind its last token.
    end: usize,
    /// The braces of a function or a type, from the one to behind the other.
    body: Option<(usize, usize)>,
    /// Where its list of parameters opens.
    list: Option<usize>,
    is_type: bool,
}

struct Scan<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    spans: Vec<Span>,
    names: Vec<String>,
    constants: Vec<Span>,
    /// Functions that were declared for the device.
    of_device: HashSet<&'a str>,
    /// Those of them that had no body yet.
    declared: HashSet<&'a str>,
    library: Library<'a>,
}

impl<'a> Scan<'a> {
    fn token(&self, at: usize) -> &'a Token {
        &self.tokens[at.min(self.tokens.len() - 1)]
    }

    fn is_end(&self) -> bool {
        self.token(self.at).kind == Kind::End
    }

    /// Everything up to the brace that closes what is open, which is taken.
    fn scope(&mut self, in_struct: bool) {
        self.depth += 1;
        while !self.is_end() {
            let next = self.token(self.at + 1);
            let at = self.at;
            match &*self.token(at).text {
                "}" => {
                    self.at += 1;
                    break;
                }
                ";" => self.at += 1,
                _ if self.token(at).kind == Kind::Pragma => {
                    self.pass(|t| t.kind == Kind::PragmaEnd)
                }
                "public" | "private" | "protected" if in_struct => self.at += 2,
                "inline" if next.is("namespace") => self.at += 1,
                "namespace" if !self.token(at + 2).is("=") => {
                    self.pass(|token| token.is("{") || token.is(";"));
                    self.inner();
                }
                "extern" if next.kind == Kind::Text && self.token(at + 2).is("{") => {
                    self.at += 3;
                    self.inner();
                }
                _ => self.declaration(in_struct),
            }
            // Nothing is looked at twice, whatever stands there.
            self.at = self.at.max(at + 1);
        }
        self.depth -= 1;
    }

    fn inner(&mut self) {
        match self.depth < crate::limits::SYNTAX_DEPTH {
            true => self.scope(false),
            false => self.at = self.tokens.len() - 1,
        }
    }

    /// Behind the next token that is such a one.
    fn pass(&mut self, is_one: impl Fn(&Token) -> bool) {
        while !self.is_end() {
            self.at += 1;
            if is_one(self.token(self.at - 1)) {
                return;
            }
        }
    }

    fn declaration(&mut self, in_struct: bool) {
        let start = self.at;
        let found = self.extent(start);
        self.at = found.end;
        let head_end = found.body.map_or(found.end, |(open, _)| open);
        let (tokens, first) = (self.tokens, self.token(start));
        let head = &tokens[start..head_end.max(start)];
        let has = |word: &str| head.iter().any(|token| token.is(word));
        let is_of_device = OF_DEVICE.iter().any(|word| has(word));
        let whole = start..found.end;
        if found.is_type {
            return self.type_definition(start, &found);
        }
        let is_name_of_type = ["using", "typedef", "namespace"]
            .iter()
            .any(|word| first.is(word));
        if let Some(list) = found.list.filter(|_| !is_name_of_type) {
            let name = self.name_before(list);
            let is_constant = OF_DEVICE[..6].iter().all(|word| !has(word)) && is_of_device;
            if is_constant && self.library.is_in(&tokens[whole.clone()]) {
                self.names.push(name.to_string());
                self.leave_out(whole);
                return;
            }
            let word = head.iter().find(|token| token.is("constexpr"));
            self.constants
                .extend(word.filter(|_| is_constant).map(|token| token.span));
            if is_of_device {
                self.of_device.insert(name);
                if found.body.is_none() {
                    self.declared.insert(name);
                }
                return;
            }
            // An instance, a member, and what was declared before are what their declarations say.
            let is_instance = first.is("template") && !self.token(start + 1).is("<");
            let is_member = head
                .windows(2)
                .any(|two| two[0].is("::") && *two[1].text == *name);
            let is_again = (is_instance || is_member) && self.of_device.contains(name);
            let is_made = has("default") || has("delete");
            let is_again = is_again || self.declared.contains(name);
            if !is_made && (!is_again || self.library.is_in(head)) {
                self.names.push(name.to_string());
                self.leave_out(whole);
            }
            return;
        }
        if self.library.is_in(&tokens[whole.clone()]) {
            if is_name_of_type {
                let named = match first.is("typedef") {
                    true => tokens[whole.clone()]
                        .iter()
                        .rev()
                        .find(|t| t.kind == Kind::Name),
                    false => tokens.get(start + 1),
                };
                self.library.leave_out(named);
            }
            // A field of the host's type tells of its struct, which is left out as a whole.
            if !in_struct {
                self.leave_out(whole);
            }
            return;
        }
        let is_other = is_name_of_type
            || first.is("static_assert")
            || first.is("enum")
            || first.is("template");
        let is_constant = has("const") && !has("*");
        if !(in_struct || is_other || is_of_device || is_constant || found.body.is_some()) {
            let is_declaration_of_type = ["struct", "class", "union"]
                .iter()
                .any(|word| first.is(word))
                && whole.len() <= 3;
            if !is_declaration_of_type {
                self.leave_out(whole);
            }
        }
    }

    /// A struct: as a whole, if it has what only the host's libraries have, else the functions in it that are the host's.
    fn type_definition(&mut self, start: usize, found: &Declaration) {
        let Some((open, close)) = found.body else {
            return;
        };
        let (spans, names) = (self.spans.len(), self.names.len());
        self.at = open + 1;
        if self.depth < crate::limits::SYNTAX_DEPTH {
            self.scope(true);
        }
        self.at = found.end;
        let is_left_out = |token: &&Token| {
            let covers = |span: &Span| span.start <= token.span.start && token.span.end <= span.end;
            self.spans[spans..].iter().any(covers)
        };
        let tokens = self.tokens;
        let kept = tokens[start..close]
            .iter()
            .filter(|token| !is_left_out(token));
        let kept: Vec<Token> = kept.cloned().collect();
        if self.library.is_in(&kept) {
            self.spans.truncate(spans);
            self.names.truncate(names);
            let name = tokens[start..open]
                .iter()
                .find(|token| token.kind == Kind::Name && !library::is_word_of_types(&token.text));
            self.library.leave_out(name);
            self.leave_out(start..found.end);
        }
    }

    fn leave_out(&mut self, range: std::ops::Range<usize>) {
        let (first, last) = (range.start, range.end.saturating_sub(1));
        let (first, last) = (self.token(first).span, self.token(last).span);
        if first.is_header() || last.is_header() || last.end < first.start {
            return;
        }
        self.spans.push(first.to(last));
    }

    /// The name of a function whose list opens here: of `k<float>(` it is `k`, of `A::f(` it is `f`.
    fn name_before(&self, list: usize) -> &'a str {
        let mut at = list.saturating_sub(1);
        if self.token(at).is(">") {
            while at > 0 && !self.token(at).is("<") {
                at -= 1;
            }
            at = at.saturating_sub(1);
        }
        &self.token(at).text
    }

    /// How far a declaration goes, and what it is.
    fn extent(&self, start: usize) -> Declaration {
        let mut found = Declaration::default();
        let mut at = start;
        let (mut has_value, mut has_colon, mut names_type) = (false, false, false);
        if self.token(at).is("template") && self.token(at + 1).is("<") {
            at = self.behind_angles(at + 1);
        }
        loop {
            let token = self.token(at);
            let before = self.token(at.saturating_sub(1));
            let text = if token.kind == Kind::Text {
                ""
            } else {
                &*token.text
            };
            at = match text {
                _ if token.kind == Kind::End => {
                    found.end = self.tokens.len() - 1;
                    return found;
                }
                ";" => {
                    found.end = at + 1;
                    return found;
                }
                "}" => {
                    found.end = at;
                    return found;
                }
                "struct" | "class" | "union" | "enum" if found.list.is_none() => {
                    names_type = true;
                    at + 1
                }
                "operator" if self.token(at + 1).is("(") => at + 3,
                "(" => {
                    let is_attribute = ATTRIBUTES.iter().any(|word| before.is(word));
                    if !is_attribute && !has_value && found.list.is_none() {
                        found.list = Some(at);
                    }
                    self.behind(at, "(", ")")
                }
                "[" => self.behind(at, "[", "]"),
                "{" => {
                    let end = self.behind(at, "{", "}");
                    let next = self.token(end);
                    let is_member_init = has_colon && (next.is(",") || next.is("{"));
                    match found.list {
                        _ if has_value || found.body.is_some() => end,
                        Some(_) if is_member_init => end,
                        Some(_) => {
                            found.body = Some((at, end));
                            found.end = end;
                            return found;
                        }
                        None => {
                            found.body = names_type.then_some((at, end));
                            found.is_type = names_type;
                            end
                        }
                    }
                }
                "=" => {
                    has_value = true;
                    at + 1
                }
                ":" => {
                    has_colon = true;
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    /// Behind the bracket that closes the one at a place; at the end where none does.
    fn behind(&self, at: usize, open: &str, close: &str) -> usize {
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(at) {
            depth += usize::from(token.is(open));
            if token.is(close) {
                depth -= 1;
                if depth == 0 {
                    return number + 1;
                }
            }
        }
        self.tokens.len() - 1
    }

    fn behind_angles(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut place = at;
        while self.token(place).kind != Kind::End {
            match &*self.token(place).text {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                "(" => place = self.behind(place, "(", ")") - 1,
                _ => {}
            }
            place += 1;
            if depth == 0 {
                break;
            }
        }
        place
    }
}
