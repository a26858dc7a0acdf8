//! What a launch wrote: the first values of each buffer that it has changed.

use cornerturn::raw::{self, Position, RawBuffer};
use serde_json::Value;
use std::collections::HashMap;

/// Values that are shown of a buffer.
const MOST: usize = 8;

/// What the buffers held before the launch.
pub struct Outputs(HashMap<Position, Vec<u8>>);

impl Outputs {
    /// Keeps what the buffers hold.
    pub fn before(buffers: &HashMap<Position, RawBuffer>) -> anyhow::Result<Self> {
        let mut before = HashMap::new();
        for (position, buffer) in buffers {
            before.insert(position.clone(), raw::contents(buffer)?);
        }
        Ok(Self(before))
    }

    /// A line for each buffer that holds something else now, in the order of the arguments.
    pub fn changed(self, buffers: &HashMap<Position, RawBuffer>) -> anyhow::Result<String> {
        let mut buffers: Vec<_> = buffers.iter().collect();
        buffers.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0));
        let mut text = String::new();
        for (position, buffer) in buffers {
            if self.0.get(position) == Some(&raw::contents(buffer)?) {
                continue;
            }
            let values = raw::first_values(buffer, MOST)?;
            let shown: Vec<String> = values.iter().map(value).collect();
            let more = match buffer.len() > values.len() {
                true => " …",
                false => "",
            };
            text.push_str(&format!(
                "argument {position}, {}[{}]: {}{more}\n",
                buffer.element().name(),
                buffer.len(),
                shown.join(" ")
            ));
        }
        Ok(text)
    }
}

/// A number as JSON has it, and what JSON has not without its quotation marks.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
