//! A list of values that is short as a rule: nearly every instruction has three arguments at most, and those need no memory
//! of their own.

use super::Value;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// As many as fit where a vector's length and place would be.
const FEW: usize = 3;

/// The arguments or the results of an instruction. Used as a slice.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    /// So many of these.
    Few(u8, [Value; FEW]),
    Many(Vec<Value>),
}

impl Values {
    /// So many values from one on.
    #[inline]
    pub(crate) fn following(first: u32, count: usize) -> Self {
        match count {
            0 => Values::default(),
            1 => Values::Few(1, [Value(first), Value(0), Value(0)]),
            _ => (first..).take(count).map(Value).collect(),
        }
    }

    /// The same values, each as another.
    #[inline]
    pub(crate) fn map(&self, by: impl Fn(Value) -> Value) -> Self {
        match self {
            Values::Few(count, values) => {
                let mut values = *values;
                let used = &mut values[..usize::from(*count)];
                used.iter_mut().for_each(|value| *value = by(*value));
                Values::Few(*count, values)
            }
            Values::Many(values) => Values::Many(values.iter().map(|value| by(*value)).collect()),
        }
    }

    /// Keeps those for which it is asked, in their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        *self = self.iter().copied().filter(|value| keep(value)).collect();
    }
}

impl Default for Values {
    fn default() -> Self {
        Values::Few(0, [Value(0); FEW])
    }
}

impl Deref for Values {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match self {
            Values::Few(count, values) => &values[..usize::from(*count)],
            Values::Many(values) => values,
        }
    }
}

impl DerefMut for Values {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        match self {
            Values::Few(count, values) => &mut values[..usize::from(*count)],
            Values::Many(values) => values,
        }
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut values = values.into_iter();
        let mut few = [Value(0); FEW];
        let mut count = 0;
        while let Some(value) = values.next() {
            if count == FEW {
                let mut many = few.to_vec();
                many.push(value);
                many.extend(values);
                return Values::Many(many);
            }
            few[count] = value;
            count += 1;
        }
        Values::Few(count as u8, few)
    }
}

impl From<&[Value]> for Values {
    fn from(values: &[Value]) -> Self {
        let mut few = [Value(0); FEW];
        match values {
            [] => {}
            [a] => few[0] = *a,
            [a, b] => few[..2].copy_from_slice(&[*a, *b]),
            [a, b, c] => few = [*a, *b, *c],
            _ => return Values::Many(values.to_vec()),
        }
        Values::Few(values.len() as u8, few)
    }
}

impl<const COUNT: usize> From<[Value; COUNT]> for Values {
    fn from(values: [Value; COUNT]) -> Self {
        Values::from(&values[..])
    }
}

impl From<Vec<Value>> for Values {
    fn from(values: Vec<Value>) -> Self {
        match values.len() {
            0..=FEW => Values::from(&values[..]),
            _ => Values::Many(values),
        }
    }
}

impl<'a> IntoIterator for &'a Values {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Values {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Values {}

impl Hash for Values {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}
