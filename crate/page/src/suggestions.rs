//! The verb `suggest`: a launch that fits a kernel, read from the program around it where that says one, and guessed where it does not.

use crate::launches::{Found, dimensions, kernel, product};
use crate::pasted::{self, Number, Passed, Pasted};
use crate::problem::Problem;
use crate::request::Request;
use cornerturn::Kernel;
use cornerturn::raw::{self, Spec};
use serde_json::{Value, json};

/// What is suggested as dynamic shared memory: a number of eight bytes for each thread, as far as every GPU has it.
const BYTES_A_THREAD: u64 = 8;
const MOST_SHARED: u64 = 48 << 10;

/// The most bytes of a buffer that a program asks for and a page fills.
const MOST_BYTES: u64 = 64 << 20;

/// Bytes of dynamic shared memory that may do for a block.
pub(crate) fn shared(block: [u32; 3]) -> u64 {
    product(block)
        .saturating_mul(BYTES_A_THREAD)
        .min(MOST_SHARED)
}

/// Answers the verb: arguments, and with them the grid, the block and the shared memory that the program launches it with,
/// unless the request `keeps_launch`. `taken` and `left` name what of the program was taken over and what was not.
pub(crate) fn suggest(request: &Request) -> Result<Value, Problem> {
    let source = request.text("source")?;
    let launches = pasted::launches(source);
    let named = request.optional_text("entry")?;
    // Of several kernels the one that the program launches.
    let (found, is_chosen) = match (kernel(source, named)?, launches.first()) {
        (Found::Entries(_), Some(first)) if named.is_none() => {
            (kernel(source, Some(&first.kernel))?, true)
        }
        (found, _) => (found, false),
    };
    let kernel = match found {
        Found::Kernel(kernel) => kernel,
        Found::Entries(entries) => return Ok(json!({ "entries": entries })),
    };
    let entry = kernel.entry();
    let of_kernel = |pasted: &&Pasted| pasted.kernel == source_name(entry);
    let pasted = launches.iter().find(of_kernel);
    let is_kept = request.flag("keeps_launch", false)?;
    let shape = |own: Option<[u32; 3]>, name| match own.filter(|_| !is_kept) {
        Some(own) => Ok(own),
        None => dimensions(request, name),
    };
    let grid = shape(pasted.and_then(|pasted| pasted.grid), "grid")?;
    let block = shape(pasted.and_then(|pasted| pasted.block), "block")?;
    let threads = product(grid).saturating_mul(product(block));
    let mut suggestion = Suggestion {
        arguments: raw::suggest(&kernel, threads),
        taken: Vec::new(),
        left: Vec::new(),
    };
    if let Some(pasted) = pasted {
        suggestion.take(pasted, &kernel, is_kept);
    }
    let bytes = match pasted.and_then(|pasted| pasted.shared) {
        Some(bytes) => bytes.into(),
        None if raw::needs_shared(&kernel, kernel.module()?) => shared(block),
        None => 0,
    };
    Ok(json!({
        "entry": entry,
        "is_chosen": is_chosen,
        "arguments": suggestion.arguments,
        "grid": grid,
        "block": block,
        "shared": bytes,
        "taken": suggestion.taken,
        "left": suggestion.left,
        "launches": launches.iter().filter(of_kernel).count(),
    }))
}

/// The name of a kernel in its source; of what is within a namespace, as PTX has it.
pub(crate) fn source_name(entry: &str) -> &str {
    let name = entry.strip_prefix("_Z").and_then(|name| {
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let (length, name) = name.split_at(digits);
        name.get(..length.parse().ok()?)
    });
    name.unwrap_or(entry)
}

struct Suggestion {
    arguments: Vec<String>,
    taken: Vec<String>,
    left: Vec<String>,
}

impl Suggestion {
    /// Takes over what the program says of the launch.
    fn take(&mut self, pasted: &Pasted, kernel: &Kernel, is_kept: bool) {
        self.left.clone_from(&pasted.left);
        let shapes = [("grid", pasted.grid), ("block", pasted.block)];
        for (name, shape) in shapes {
            if let Some([x, y, z]) = shape.filter(|_| !is_kept) {
                let sizes = match (y, z) {
                    (1, 1) => x.to_string(),
                    (_, 1) => format!("{x},{y}"),
                    _ => format!("{x},{y},{z}"),
                };
                self.taken.push(format!("{name} {sizes}"));
            }
        }
        if let Some(bytes) = pasted.shared {
            self.taken.push(format!("{bytes} bytes of shared memory"));
        }
        if pasted.arguments.len() != self.arguments.len() {
            return;
        }
        for (at, passed) in pasted.arguments.iter().enumerate() {
            let name = name_of(kernel, at);
            let text = &mut self.arguments[at];
            let (fitted, what) = match passed {
                Passed::Bytes(bytes) => (with_bytes(text, *bytes), "the length of "),
                Passed::Number(number) => (with_number(text, *number), ""),
                Passed::Other => continue,
            };
            match fitted {
                Some(fitted) => {
                    *text = fitted;
                    self.taken.push(format!("{what}`{name}`"));
                }
                None => self.left.push(format!("{what}`{name}`")),
            }
        }
    }
}

/// The name of a parameter in the source.
pub(crate) fn name_of(kernel: &Kernel, at: usize) -> String {
    let declared = kernel.declared().and_then(|declared| declared.get(at));
    declared.map_or_else(
        || format!("argument {at}"),
        |declared| declared.name.clone(),
    )
}

/// The text of a buffer with another length, in bytes.
fn with_bytes(text: &str, bytes: u64) -> Option<String> {
    let (element, rest) = text.split_once('[')?;
    let (_, fill) = rest.split_once(']')?;
    let Ok(Spec::Buffer { element: known, .. }) = text.parse::<Spec>() else {
        return None;
    };
    let length = bytes / known.bytes() as u64;
    (length > 0 && bytes <= MOST_BYTES).then(|| format!("{element}[{length}]{fill}"))
}

/// The text of a number with another value.
fn with_number(text: &str, number: Number) -> Option<String> {
    let (element, _) = text
        .split_once('=')
        .filter(|(head, _)| !head.contains(['[', '{', ':']))?;
    let value = match (element.starts_with('f'), number) {
        (true, number) => number.real().to_string(),
        (false, number) => number.whole()?.to_string(),
    };
    let fitted = format!("{element}={value}");
    fitted.parse::<Spec>().is_ok().then_some(fitted)
}
