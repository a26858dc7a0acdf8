//! Addresses among the first values of what lies in the module: which variable each leads to.

use super::evaluate::{OBJECT, OF_MODULE};
use super::{Lower, SymbolData};
use crate::ir::Symbol;
use crate::types::{Kind, Type};

/// A variable of the module, and how many bytes behind its beginning.
pub(crate) fn leads_to(bytes: &[u8], at: u64) -> Option<(Symbol, u64)> {
    let at = usize::try_from(at).ok()?;
    let word = bytes.get(at..at.checked_add(8)?)?;
    let bits = u64::from_le_bytes(word.try_into().ok()?);
    if bits & OF_MODULE == 0 {
        return None;
    }
    let number = u32::try_from((bits & !OF_MODULE) >> OBJECT).ok()?;
    Some((Symbol(number), bits & ((1 << OBJECT) - 1)))
}

/// The variables that the first values of others lead to.
pub(crate) fn led_to(symbols: &[SymbolData]) -> impl Iterator<Item = Symbol> {
    symbols.iter().flat_map(|symbol| {
        let bytes = symbol.init.as_deref().unwrap_or(&[]);
        let each = symbol.addresses.iter();
        each.filter_map(move |at| leads_to(bytes, *at).map(|(symbol, _)| symbol))
    })
}

impl Lower<'_> {
    /// Where in an object's bytes addresses lie that lead to something.
    pub(super) fn addresses_in(&self, ty: &Type, bytes: &[u8]) -> Vec<u64> {
        let mut found = Vec::new();
        if self.holds_address(ty) {
            self.find_addresses(ty, 0, bytes, &mut found);
        }
        found
    }

    fn find_addresses(&self, ty: &Type, at: u64, bytes: &[u8], found: &mut Vec<u64>) {
        match &ty.kind {
            Kind::Pointer(_) | Kind::Reference(_) => {
                found.extend(leads_to(bytes, at).map(|_| at));
            }
            Kind::Array(of, count) if self.holds_address(of) => {
                let size = self.structs.size(of);
                for number in 0..*count {
                    self.find_addresses(of, at + number * size, bytes, found);
                }
            }
            Kind::Struct(id) => {
                for field in &self.structs.get(*id).fields {
                    self.find_addresses(&field.ty, at + field.offset, bytes, found);
                }
            }
            _ => {}
        }
    }
}
