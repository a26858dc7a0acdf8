//! PTX text to its syntax tree. What the names and opcodes mean is the decoder's affair.

pub(crate) mod ast;
mod constant;
mod debug;
mod function;
mod grammar;
mod lexer;
mod operand;
mod parser;
mod statement;
mod variable;

pub(crate) use grammar::parse;
