//! Functions and entries: name, parameters, directives of launches. What stands in their bodies is in `statement`.

use crate::error::LoadError;
use crate::parse::ast::{Function, Variable};
use crate::parse::lexer::TokenKind;
use crate::parse::parser::Parser;
use crate::parse::variable::Linking;
use crate::report::Space;

impl<'a> Parser<'a> {
    pub(super) fn function(&mut self, is_entry: bool) -> Result<Function<'a>, LoadError> {
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
}
