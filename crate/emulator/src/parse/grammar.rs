//! The parser: directives, functions, statements. Operands and variables have files of their own.

use crate::error::LoadError;
use crate::parse::ast::{
    File, Function, Guard, Instruction, Located, Operand, Position, Registers, Statement, Type,
    Variable,
};
use crate::parse::constant::WARP_SIZE;
use crate::parse::lexer::{Lexer, Token, TokenKind};
use crate::parse::variable::OPAQUE;
use crate::report::Space;

/// The longest text taken, in bytes.
const MOST_TEXT_BYTES: usize = 16 << 20;

/// The deepest nesting of braces taken.
const MOST_DEPTH: u32 = 128;

/// Parses a whole PTX file.
pub(crate) fn parse(text: &str) -> Result<File<'_>, LoadError> {
    if text.len() > MOST_TEXT_BYTES {
        let (value, most) = (text.len() as u64, MOST_TEXT_BYTES as u64);
        return Err(LoadError::OverOurLimit {
            what: "the PTX text, in bytes,".to_string(),
            value,
            most,
            line: 1,
        });
    }
    let mut parser = Parser::new(text)?;
    parser.file()
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    depth: u32,
}

/// `.visible`, `.extern` and the like, before a declaration.
#[derive(Default, Clone, Copy)]
pub(super) struct Linking {
    pub(super) is_extern: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, LoadError> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            depth: 0,
        })
    }

    // ---- tokens ----

    pub(super) fn advance(&mut self) -> Result<Token<'a>, LoadError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn wrong<T>(&self, expected: &str) -> Result<T, LoadError> {
        let message = format!("expected {expected}, found {}", self.token.kind.shown());
        Err(LoadError::Syntax {
            line: self.token.line,
            column: self.token.column,
            message,
        })
    }

    pub(super) fn unsupported<T>(&self, instruction: &str) -> Result<T, LoadError> {
        Err(self.gap(instruction))
    }

    pub(super) fn gap(&self, instruction: &str) -> LoadError {
        LoadError::Unsupported {
            instruction: instruction.to_string(),
            line: self.token.line,
        }
    }

    pub(super) fn at_mark(&self, mark: char) -> bool {
        self.token.kind == TokenKind::Mark(mark)
    }

    /// The mark that follows the next one, which is `mark`, without a blank between them.
    pub(super) fn mark_behind(&self, mark: char) -> Option<char> {
        let next = self.lexer.ahead();
        (self.at_mark(mark) && next.is_some_and(|next| next.is_ascii_punctuation()))
            .then_some(next)
            .flatten()
    }

    pub(super) fn take_mark(&mut self, mark: char) -> Result<bool, LoadError> {
        let found = self.at_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<(), LoadError> {
        if self.take_mark(mark)? {
            Ok(())
        } else {
            self.wrong(&format!("`{mark}`"))
        }
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, LoadError> {
        match self.token.kind {
            TokenKind::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.wrong(expected),
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<bool, LoadError> {
        let found = self.token.kind == TokenKind::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn int(&mut self, expected: &str) -> Result<u64, LoadError> {
        let value = match self.token.kind {
            TokenKind::Int(value) => value,
            TokenKind::Word("WARP_SZ") => WARP_SIZE,
            _ => return self.wrong(expected),
        };
        self.advance()?;
        Ok(value)
    }

    /// Refuses nesting so deep that it would use up the stack.
    pub(super) fn deeper(&mut self) -> Result<(), LoadError> {
        self.depth += 1;
        if self.depth <= MOST_DEPTH {
            return Ok(());
        }
        Err(LoadError::OverOurLimit {
            what: "the nesting of brackets".to_string(),
            value: u64::from(self.depth),
            most: u64::from(MOST_DEPTH),
            line: self.token.line,
        })
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    // ---- the file ----

    fn file(&mut self) -> Result<File<'a>, LoadError> {
        let mut file = File::default();
        self.header()?;
        let mut linking = Linking::default();
        loop {
            let directive = match self.token.kind {
                TokenKind::Word(word) if word.starts_with('.') => word,
                TokenKind::Mark(';') => {
                    self.advance()?;
                    continue;
                }
                TokenKind::End => return Ok(file),
                _ => return self.wrong("a directive such as `.entry`"),
            };
            match directive {
                ".visible" | ".weak" | ".extern" | ".common" => {
                    self.advance()?;
                    linking.is_extern |= directive == ".extern";
                    continue;
                }
                ".entry" | ".func" => {
                    self.advance()?;
                    file.functions.push(self.function(directive == ".entry")?);
                }
                ".global" | ".const" | ".shared" | ".local" | ".param" => {
                    let mut variables = self.variables(linking)?;
                    file.variables.append(&mut variables);
                }
                ".file" => file.files.push(self.source_file()?),
                ".target" | ".version" | ".address_size" => {
                    return self.wrong("each header directive once, in order");
                }
                ".pragma" => self.skip_to_semicolon()?,
                ".alias" => {
                    self.advance()?;
                    let alias = self.word("the name of a function")?;
                    self.mark(',')?;
                    file.aliases
                        .push((alias, self.word("the name of a function")?));
                    self.mark(';')?;
                }
                ".section" => self.section()?,
                ".loc" => {
                    self.location()?;
                }
                ".tex" => {
                    let gap = self.gap(directive);
                    self.advance()?;
                    let variable = self.declared(Space::Global, linking)?;
                    self.mark(';')?;
                    file.variables.push(Variable {
                        gap: Some(gap),
                        ..variable
                    });
                }
                _ if OPAQUE.contains(&directive) => {
                    let variable = self.opaque(Space::Global)?;
                    self.mark(';')?;
                    file.variables.push(variable);
                }
                _ => return self.wrong("a directive such as `.entry`"),
            }
            linking = Linking::default();
        }
    }

    /// `.version`, `.target`, `.address_size`: PTX ISA section "PTX Module Directives".
    fn header(&mut self) -> Result<(), LoadError> {
        if !self.take_word(".version")? {
            return self.wrong("`.version`, with which PTX begins");
        }
        match self.token.kind {
            TokenKind::Double(_) => self.advance()?,
            _ => return self.wrong("a version such as 8.0"),
        };
        if !self.take_word(".target")? {
            return self.wrong("`.target`");
        }
        loop {
            self.word("an architecture such as sm_75")?;
            if !self.take_mark(',')? {
                break;
            }
        }
        if self.take_word(".address_size")? && self.int("64")? != 64 {
            return self.unsupported(".address_size other than 64");
        }
        Ok(())
    }

    fn source_file(&mut self) -> Result<(u64, &'a str), LoadError> {
        self.advance()?;
        let number = self.int("the number of a source file")?;
        let name = match self.token.kind {
            TokenKind::Text(name) => name,
            _ => return self.wrong("the name of a source file"),
        };
        self.advance()?;
        while self.take_mark(',')? {
            self.int("a number")?;
        }
        Ok((number, name))
    }

    fn section(&mut self) -> Result<(), LoadError> {
        self.advance()?;
        while !self.at_mark('{') {
            if self.token.kind == TokenKind::End {
                return self.wrong("the body of a `.section`");
            }
            self.advance()?;
        }
        let mut open = 0u32;
        loop {
            match self.token.kind {
                TokenKind::Mark('{') => open += 1,
                TokenKind::Mark('}') => open -= 1,
                TokenKind::End => return self.wrong("`}` at the end of a `.section`"),
                _ => {}
            }
            self.advance()?;
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn skip_to_semicolon(&mut self) -> Result<(), LoadError> {
        while !self.at_mark(';') {
            if self.token.kind == TokenKind::End {
                return self.wrong("`;`");
            }
            self.advance()?;
        }
        self.mark(';')
    }

    // ---- functions ----

    fn function(&mut self, is_entry: bool) -> Result<Function<'a>, LoadError> {
        let line = self.token.line;
        let mut function = Function {
            name: "",
            is_entry,
            returns: Vec::new(),
            params: Vec::new(),
            max_threads: None,
            required: None,
            cluster: None,
            most_cluster: None,
            needs_cluster: false,
            body: None,
            line,
            unsupported: None,
        };
        if !is_entry && self.at_mark('(') {
            function.returns = self.params(&mut function.unsupported)?;
        }
        function.name = self.word("the name of a function")?;
        if self.at_mark('(') {
            function.params = self.params(&mut function.unsupported)?;
        }
        loop {
            match self.token.kind {
                TokenKind::Mark(';') => {
                    self.advance()?;
                    return Ok(function);
                }
                TokenKind::Mark('{') => {
                    function.body = Some(self.body()?);
                    return Ok(function);
                }
                TokenKind::Word(directive) => self.tuning(directive, &mut function)?,
                _ => return self.wrong("`{` and the function's body"),
            }
        }
    }

    /// PTX ISA section "Performance-Tuning Directives".
    fn tuning(&mut self, directive: &str, function: &mut Function<'a>) -> Result<(), LoadError> {
        match directive {
            ".maxntid" | ".reqntid" => {
                self.advance()?;
                let mut sizes = vec![self.int("a number of threads")?];
                while self.take_mark(',')? {
                    sizes.push(self.int("a number of threads")?);
                }
                let threads = sizes.iter().fold(1u64, |all, one| all.saturating_mul(*one));
                if directive == ".reqntid" {
                    let size = |at: usize| sizes.get(at).map_or(1, |size| *size);
                    let size = |at: usize| u32::try_from(size(at)).unwrap_or(u32::MAX);
                    function.required = Some([size(0), size(1), size(2)]);
                }
                function.max_threads = Some(u32::try_from(threads).unwrap_or(u32::MAX));
            }
            ".minnctapersm" | ".maxnctapersm" | ".maxnreg" => {
                self.advance()?;
                self.int("a number")?;
            }
            ".noreturn" => {
                self.advance()?;
            }
            ".maxclusterrank" | ".explicitcluster" | ".blocksareclusters"
            | ".reqnctapercluster" => self.cluster(directive, function)?,
            ".pragma" => self.skip_to_semicolon()?,
            ".abi_preserve" => {
                let gap = self.gap(directive);
                function.unsupported.get_or_insert(gap);
                self.advance()?;
                self.int("a number")?;
            }
            _ => return self.wrong("`{` and the function's body"),
        }
        Ok(())
    }

    /// PTX ISA section "Cluster Dimension Directives".
    fn cluster(&mut self, directive: &str, function: &mut Function<'a>) -> Result<(), LoadError> {
        if directive == ".blocksareclusters" {
            let gap = self.gap(directive);
            function.unsupported.get_or_insert(gap);
        }
        self.advance()?;
        match directive {
            ".explicitcluster" => function.needs_cluster = true,
            ".maxclusterrank" => {
                let most = self.int("a number of blocks")?;
                function.most_cluster = Some(u32::try_from(most).unwrap_or(u32::MAX));
            }
            ".reqnctapercluster" => {
                let mut sizes = vec![self.int("a number of blocks")?];
                while self.take_mark(',')? {
                    sizes.push(self.int("a number of blocks")?);
                }
                let size = |at: usize| sizes.get(at).map_or(1, |size| *size);
                let size = |at: usize| u32::try_from(size(at)).unwrap_or(u32::MAX);
                function.cluster = Some([size(0), size(1), size(2)]);
            }
            _ => {}
        }
        Ok(())
    }

    fn params(
        &mut self,
        unsupported: &mut Option<LoadError>,
    ) -> Result<Vec<Variable<'a>>, LoadError> {
        self.mark('(')?;
        let (mut params, mut is_first) = (Vec::new(), true);
        while !self.at_mark(')') {
            if is_first {
                is_first = false;
            } else {
                self.mark(',')?;
            }
            if self.token.kind == TokenKind::Word(".reg") {
                unsupported.get_or_insert(self.gap("`.reg` parameters of a function"));
                while !matches!(self.token.kind, TokenKind::Mark(',' | ')') | TokenKind::End) {
                    self.advance()?;
                }
                continue;
            }
            let Some(Space::Param) = self.space()? else {
                return self.wrong("`.param`");
            };
            let param = self.declared(Space::Param, Linking::default())?;
            if let Some(gap) = &param.gap {
                unsupported.get_or_insert(gap.clone());
            }
            params.push(param);
        }
        self.mark(')')?;
        Ok(params)
    }

    // ---- statements ----

    fn body(&mut self) -> Result<Vec<Statement<'a>>, LoadError> {
        self.deeper()?;
        self.mark('{')?;
        let mut statements = Vec::new();
        while !self.at_mark('}') {
            match self.statement(&mut statements) {
                Err(gap @ LoadError::Unsupported { .. }) => {
                    statements.push(Statement::Unsupported(gap));
                    self.skip_to_semicolon()?;
                }
                other => other?,
            }
        }
        self.mark('}')?;
        self.shallower();
        Ok(statements)
    }

    fn statement(&mut self, into: &mut Vec<Statement<'a>>) -> Result<(), LoadError> {
        match self.token.kind {
            TokenKind::Mark('{') => into.push(Statement::Scope(self.body()?)),
            TokenKind::Mark(';') => {
                self.advance()?;
            }
            TokenKind::Mark('@') => into.push(Statement::Instruction(self.guarded()?)),
            TokenKind::Word(word) if word.starts_with('.') => self.directive(word, into)?,
            TokenKind::Word(word) => {
                let Token { line, column, .. } = self.advance()?;
                if self.take_mark(':')? {
                    self.label(word, line, into)?;
                } else {
                    into.push(Statement::Instruction(
                        self.instruction(None, word, line, column)?,
                    ));
                }
            }
            TokenKind::End => return self.wrong("`}` at the end of the function"),
            _ => return self.wrong("an instruction"),
        }
        Ok(())
    }

    fn label(
        &mut self,
        label: &'a str,
        line: u32,
        into: &mut Vec<Statement<'a>>,
    ) -> Result<(), LoadError> {
        if self.take_word(".branchtargets")? {
            let mut targets = vec![self.word("a label")?];
            while self.take_mark(',')? {
                targets.push(self.word("a label")?);
            }
            self.mark(';')?;
            into.push(Statement::Targets {
                label,
                targets,
                line,
            });
        } else if self.take_word(".calltargets")? {
            let mut functions = vec![self.word("a function")?];
            while self.take_mark(',')? {
                functions.push(self.word("a function")?);
            }
            self.mark(';')?;
            into.push(Statement::Callees {
                label,
                functions,
                line,
            });
        } else if self.take_word(".callprototype")? {
            let prototype = self.function(false)?;
            into.extend(prototype.unsupported.map(Statement::Unsupported));
            into.push(Statement::Prototype {
                label,
                returns: prototype.returns,
                params: prototype.params,
                line,
            });
        } else {
            into.push(Statement::Label(label, line));
        }
        Ok(())
    }

    fn directive(
        &mut self,
        directive: &'a str,
        into: &mut Vec<Statement<'a>>,
    ) -> Result<(), LoadError> {
        match directive {
            ".reg" => self.registers(into)?,
            ".loc" => {
                let located = self.location()?;
                into.push(Statement::Location(located));
            }
            ".pragma" => self.skip_to_semicolon()?,
            ".section" => self.section()?,
            ".file" => {
                self.source_file()?;
            }
            ".extern" | ".visible" | ".weak" => {
                self.advance()?;
                let linking = Linking {
                    is_extern: directive == ".extern",
                };
                into.extend(
                    self.variables(linking)?
                        .into_iter()
                        .map(Statement::Variable),
                );
            }
            ".local" | ".shared" | ".global" | ".const" | ".param" => {
                into.extend(
                    self.variables(Linking::default())?
                        .into_iter()
                        .map(Statement::Variable),
                );
            }
            _ => return self.wrong("an instruction or a declaration"),
        }
        Ok(())
    }

    /// `.loc file line column [, function_name label, inlined_at file line column]`
    fn location(&mut self) -> Result<Located, LoadError> {
        self.advance()?;
        let at = self.position()?;
        let mut inlined_at = None;
        while self.take_mark(',')? {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("a label")?;
                    if self.take_mark('+')? {
                        self.int("an offset")?;
                    }
                }
                _ => inlined_at = Some(self.position()?),
            }
        }
        Ok(Located { at, inlined_at })
    }

    /// The number of a source file, a line and a column.
    fn position(&mut self) -> Result<Position, LoadError> {
        let file = self.int("the number of a source file")?;
        let line = self.int("a line")?;
        let column = self.int("a column")?;
        Ok(Position {
            file,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column,
        })
    }

    fn registers(&mut self, into: &mut Vec<Statement<'a>>) -> Result<(), LoadError> {
        self.advance()?;
        let word = self.word("a register type")?;
        if matches!(word, ".v2" | ".v4") {
            return self.unsupported("vector registers");
        }
        let Some(ty) = word.strip_prefix('.').and_then(Type::named) else {
            return self.unsupported(&format!(".reg {word}"));
        };
        loop {
            let line = self.token.line;
            let name = self.word("the name of a register")?;
            let count = if self.take_mark('<')? {
                let count = self.int("a number of registers")?;
                self.mark('>')?;
                Some(count)
            } else {
                None
            };
            into.push(Statement::Registers(Registers {
                ty,
                name,
                count,
                line,
            }));
            if !self.take_mark(',')? {
                break;
            }
        }
        self.mark(';')
    }

    fn guarded(&mut self) -> Result<Instruction<'a>, LoadError> {
        self.mark('@')?;
        let negated = self.take_mark('!')?;
        let name = self.word("a predicate")?;
        let Token { line, column, .. } = self.token;
        let opcode = self.word("an instruction")?;
        self.instruction(Some(Guard { name, negated }), opcode, line, column)
    }

    fn instruction(
        &mut self,
        guard: Option<Guard<'a>>,
        opcode: &'a str,
        line: u32,
        column: u32,
    ) -> Result<Instruction<'a>, LoadError> {
        let mut operands = Vec::new();
        while !self.at_mark(';') {
            if !operands.is_empty() {
                self.mark(',')?;
            }
            let operand = self.operand()?;
            let is_literal = matches!(
                operand,
                Operand::Int(_) | Operand::Single(_) | Operand::Double(_)
            );
            operands.push(if is_literal && opcode.starts_with("call") {
                Operand::List(vec![operand])
            } else {
                operand
            });
        }
        self.mark(';')?;
        Ok(Instruction {
            guard,
            opcode,
            operands,
            line,
            column,
        })
    }
}
