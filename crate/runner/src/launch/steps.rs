//! The steps of one warp that `launch --steps` prints behind all else, or gives as data: which one, and where they come from.

use cornerturn::emulator::{Access, Step, Steps};
use cornerturn::plot::{StepView, WarpSteps};
use cornerturn::raw::RawReport;
use cornerturn::{Kernel, TraceRequest};
use serde_json::{Value, json};

/// The most steps that are printed.
const MOST_STEPS: usize = 2000;

/// A warp to follow.
#[derive(Debug, Clone)]
pub struct Followed {
    block: [u32; 3],
    warp: u32,
}

/// Reads `X[,Y[,Z]][:WARP]`.
pub fn parse(text: &str) -> Result<Followed, String> {
    let (block, warp) = text.split_once(':').unwrap_or((text, "0"));
    let numbers: Result<Vec<u32>, _> = block.split(',').map(str::parse).collect();
    let warp = warp.parse();
    match (numbers.as_deref(), warp) {
        (Ok(numbers @ ([_] | [_, _] | [_, _, _])), Ok(warp)) => {
            let mut block = [0; 3];
            block[..numbers.len()].copy_from_slice(numbers);
            Ok(Followed { block, warp })
        }
        _ => Err(format!(
            "`{text}` names no warp: one to three numbers of a block, and a warp behind a colon, such as 1,0:3"
        )),
    }
}

impl Followed {
    /// What the emulator is asked to record.
    pub fn request(&self) -> TraceRequest {
        TraceRequest::steps(self.block, self.warp, MOST_STEPS)
    }

    /// The recorded steps with their texts; nothing where the warp has none.
    fn walk(&self, kernel: &Kernel, report: &RawReport) -> Option<WarpSteps> {
        let steps = report.trace.as_ref().and_then(|trace| trace.steps.as_ref());
        let is_own = |steps: &&Steps| steps.steps.iter().any(|step| step.warp == self.warp);
        let steps = steps.filter(is_own)?.clone();
        Some(WarpSteps::new(steps, kernel.ptx_text(), kernel.source()))
    }

    /// The warp's steps in words.
    pub fn text(&self, kernel: &Kernel, report: &RawReport) -> String {
        let ([x, y, z], warp) = (self.block, self.warp);
        let Some(steps) = self.walk(kernel, report) else {
            return format!(
                "\nwarp {warp} of block ({x}, {y}, {z}) has no steps: the launch has no such warp, or ended before it began"
            );
        };
        format!(
            "\nsteps of warp {warp} of block ({x}, {y}, {z})\n{}",
            steps.to_text()
        )
    }

    /// The warp's steps as data; null where it has none.
    pub fn json(&self, kernel: &Kernel, report: &RawReport) -> Value {
        let Some(walk) = self.walk(kernel, report) else {
            return Value::Null;
        };
        let step = |(at, step)| walk.view(at).map(|view| one_step(&view, step));
        let steps: Vec<Value> = walk.shown().enumerate().filter_map(step).collect();
        json!({
            "block": self.block,
            "warp": self.warp,
            "is_cut": walk.steps().is_cut,
            "steps": steps,
        })
    }
}

/// One step: where, which lanes, what they write and access.
fn one_step(view: &StepView, step: &Step) -> Value {
    let values = view
        .rows
        .iter()
        .filter(|row| row.is_new && row.what != "access");
    let values: Vec<Value> = values
        .map(|row| json!({ "name": row.name, "what": row.what, "lanes": row.cells }))
        .collect();
    let source = step.source.as_ref();
    json!({
        "number": view.number,
        "warp": step.warp,
        "ptx_line": step.ptx_line,
        "file": source.map(|source| &source.file),
        "line": source.map(|source| source.line),
        "instruction": view.instruction,
        "active": step.active,
        "mask": step.mask,
        "values": values,
        "accesses": step.accesses.iter().map(access).collect::<Vec<_>>(),
        "event": view.event,
        "waiting": (!view.waiting.is_empty()).then_some(&view.waiting),
    })
}

fn access(access: &Access) -> Value {
    json!({
        "space": access.space.name(),
        "access": if access.is_store { "store" } else { "load" },
        "access_bytes": access.access_bytes,
        "addresses": access.addresses,
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_warp_is_named_by_its_block() {
        let followed = parse("1,0:3").unwrap();
        assert_eq!((followed.block, followed.warp), ([1, 0, 0], 3));
        assert_eq!(parse("2").unwrap().warp, 0);
        for wrong in ["", "1,2,3,4", "1:", ":1", "a", "1:-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
