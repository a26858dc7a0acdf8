//! PTX text to its syntax tree. What the names and opcodes mean is the decoder's affair.

pub(crate) mod ast;
mod constant;
mod grammar;
mod lexer;
mod operand;
mod variable;

pub(crate) use grammar::parse;
