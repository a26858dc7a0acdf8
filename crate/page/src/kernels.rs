//! The verb `kernel`: what the registry says of a kernel, its source, and the sizes that it takes.

use crate::first;
use crate::problem::Problem;
use crate::request::Request;
use crate::state;
use crate::work::{Entry, Size};
use serde_json::{Value, json};

pub(crate) fn describe(request: &Request) -> Result<Value, Problem> {
    let registry = state::registry()?;
    let entry = Entry::find(&registry, request.text("id")?)?;
    let code = entry.code();
    let (element, operation, tile, block) = match &entry {
        Entry::Matrix(entry) => (
            entry.element.to_string(),
            entry.operation.to_string(),
            json!(entry.tile),
            json!(entry.block),
        ),
        Entry::Array(entry) => (
            String::new(),
            entry.work.name().to_string(),
            json!([entry.items_per_block.unwrap_or(entry.block)]),
            json!([entry.block]),
        ),
        Entry::Product(entry) => (
            entry.input.to_string(),
            "product".to_string(),
            json!(entry.tile),
            json!(entry.block),
        ),
    };
    let sizes = match state::unedited(&registry, code) {
        Ok(kernel) => first::sizes(&entry, &kernel),
        // What is wrong with it is told when it is run.
        Err(_) => entry.sizes(1.0),
    };
    Ok(json!({
        "id": code.id,
        "title": code.id.replace('_', " "),
        "file": code.file.to_string_lossy().replace('\\', "/"),
        "entry": code.entry,
        "element": element,
        "operation": operation,
        "source": registry.source(code)?,
        "work": entry.work_name(),
        "sizes": sizes.iter().map(Size::as_json).collect::<Vec<_>>(),
        "tile": tile,
        "block": block,
    }))
}
