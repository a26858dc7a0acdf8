//! The functions of a file as calls find them, and what caller and callee must agree on.

use std::collections::HashMap;

use crate::error::LoadError;
use crate::parse::ast::{File, Function, Initial, Operand, Statement, Variable};
use crate::program::call::Signature;
use crate::program::space::{FUNCTION_BYTES, FUNCTIONS};

/// The functions of a file, as calls find them.
#[derive(Debug, Default)]
pub(crate) struct Functions<'a> {
    pub(crate) by_name: HashMap<&'a str, &'a Function<'a>>,
    /// Addresses that pointers to functions hold.
    pub(crate) addresses: HashMap<&'a str, u64>,
    /// Functions that a pointer may point to.
    taken: Vec<&'a Function<'a>>,
    /// Those of them that have a body, by what callers must agree on.
    by_signature: HashMap<Signature, Vec<&'a Function<'a>>>,
}

impl<'a> Functions<'a> {
    pub(crate) fn new(file: &'a File<'a>) -> Self {
        let mut functions = Self::default();
        for function in &file.functions {
            let known = functions.by_name.entry(function.name).or_insert(function);
            if known.body.is_none() {
                *known = function;
            }
        }
        for (alias, name) in &file.aliases {
            if let Some(function) = functions.by_name.get(name).copied() {
                functions.by_name.insert(alias, function);
            }
        }
        let mut taken = Vec::new();
        for variable in &file.variables {
            for initial in &variable.initial {
                if let Initial::Address { name, .. } = initial {
                    taken.push(*name);
                }
            }
        }
        for function in &file.functions {
            names_taken(function.body.as_deref().unwrap_or_default(), &mut taken);
        }
        for name in taken {
            functions.take_address(name);
        }
        for function in &functions.taken {
            if function.body.is_some() {
                let signature = signature(&function.returns, &function.params);
                let alike = functions.by_signature.entry(signature).or_default();
                alike.push(function);
            }
        }
        functions
    }

    /// The functions that a pointer of this signature may point to.
    pub(crate) fn like(&self, signature: &Signature) -> &[&'a Function<'a>] {
        self.by_signature.get(signature).map_or(&[], Vec::as_slice)
    }

    fn take_address(&mut self, name: &'a str) {
        let Some(function) = self.by_name.get(name).copied() else {
            return;
        };
        if self.addresses.contains_key(name) || function.is_entry {
            return;
        }
        // An alias has the address of what it names.
        let known = self.addresses.get(function.name).copied();
        let address = known.unwrap_or(FUNCTIONS + FUNCTION_BYTES * self.taken.len() as u64);
        self.addresses.insert(name, address);
        if known.is_none() {
            self.addresses.insert(function.name, address);
            self.taken.push(function);
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Function<'a>> {
        self.by_name.get(name).copied()
    }

    /// How many functions have an address.
    pub(crate) fn pointed_to(&self) -> u64 {
        self.taken.len() as u64
    }

    /// What a pointer to the function holds.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        self.addresses.get(name).copied()
    }
}

/// Names that stand where a function's address may be meant.
fn names_taken<'a>(statements: &'a [Statement<'a>], into: &mut Vec<&'a str>) {
    for statement in statements {
        match statement {
            Statement::Scope(inner) => names_taken(inner, into),
            Statement::Instruction(instruction) if !instruction.opcode.starts_with("call") => {
                for operand in &instruction.operands {
                    if let Operand::Name(name) = operand {
                        into.push(name);
                    }
                }
            }
            Statement::Callees { functions, .. } => into.extend(functions),
            _ => {}
        }
    }
}

pub(crate) fn sizes(variables: &[Variable]) -> Vec<u64> {
    variables.iter().map(Variable::bytes).collect()
}

/// What caller and callee must agree on.
pub(crate) fn signature(returns: &[Variable], params: &[Variable]) -> Signature {
    Signature {
        params: sizes(params),
        returns: sizes(returns),
    }
}

/// What an indirect call says of its targets.
#[derive(Debug, Clone)]
pub(crate) enum Callees<'a> {
    /// `.callprototype`
    Like(Signature),
    /// `.calltargets`
    Among(Vec<&'a str>),
}

/// An error if something in the function's head is not supported.
pub(super) fn supported(function: &Function) -> Result<(), LoadError> {
    match &function.unsupported {
        Some(gap) => Err(gap.clone()),
        None => Ok(()),
    }
}
