//! The verbs `steps` and `step`: one warp of a run or a launch followed step by step, and what stands at one of its steps. It is run again for that; what steps are is the library's.

use crate::problem::Problem;
use crate::request::Request;
use crate::{launches, pictures, run, state};
use cornerturn::emulator::{StepKind, Steps, StepsRequest};
use cornerturn::launch::LaunchOptions;
use cornerturn::plot::{StepView, Target, WarpSteps};
use cornerturn::{Dim3, Kernel, TraceRequest, raw};
use serde_json::{Value, json};
use std::rc::Rc;

/// The most steps of one answer: in memory some megabytes.
const MOST_STEPS: usize = 4096;
/// How often recording goes on behind the last step, to find the one that is asked for.
const MOST_PARTS: usize = 8;

/// What is followed.
enum Followed {
    Run(Box<run::Prepared>),
    Launch(Box<launches::Prepared>),
}

impl Followed {
    fn new(request: &Request) -> Result<Self, Problem> {
        match request.text("verb")? {
            "run" => Ok(Self::Run(Box::new(run::prepare(request)?))),
            "launch" => match launches::prepare(request)? {
                Ok(prepared) => Ok(Self::Launch(Box::new(prepared))),
                Err(entries) => Err(Problem::request(format!(
                    "the source has several kernels: name one of {}",
                    entries.join(", ")
                ))),
            },
            other => Err(Problem::request(format!(
                "a `run` or a `launch` can be followed step by step, and `{other}` is neither"
            ))),
        }
    }

    /// The grid and the block.
    fn shape(&self) -> Result<(Dim3, Dim3), Problem> {
        Ok(match self {
            Self::Run(prepared) => prepared.asked.launch_shape()?,
            Self::Launch(prepared) => (prepared.launch.grid, prepared.launch.block),
        })
    }

    fn kernel(&self) -> &Kernel {
        match self {
            Self::Run(prepared) => &prepared.kernel,
            Self::Launch(prepared) => &prepared.launch.kernel,
        }
    }

    /// Runs it from its beginning.
    fn record(&mut self, request: StepsRequest) -> Result<Option<Steps>, Problem> {
        let trace = TraceRequest {
            steps: Some(request),
            ..TraceRequest::default()
        };
        let trace = match self {
            Self::Run(prepared) => {
                let options = LaunchOptions::traced(trace);
                prepared.asked.emulate(&prepared.kernel, &options)?.trace
            }
            Self::Launch(prepared) => {
                prepared.launch.trace = Some(trace);
                prepared.launch.check = false;
                raw::run(&prepared.device, &prepared.launch)?.trace
            }
        };
        Ok(trace.and_then(|trace| trace.steps))
    }
}

/// Which warp is followed, and where it is opened.
struct Place {
    block: [u32; 3],
    warp: u32,
    target: Target,
    /// Said where it is not the one that was asked for.
    note: Option<String>,
}

impl Place {
    fn of(request: &Request, (grid, block): (Dim3, Dim3)) -> Result<Self, Problem> {
        let (grid, threads) = (grid.array(), block.array());
        let inside = |at: &[u32; 3], all: &[u32; 3]| at.iter().zip(all).all(|(at, all)| at < all);
        let asked: [u32; 3] = request.optional("block")?.unwrap_or_default();
        let thread: Option<[u32; 3]> = request.optional("thread")?;
        let linear = thread
            .filter(|thread| inside(thread, &threads))
            .map(|[x, y, z]| x + threads[0] * (y + threads[1] * z));
        let warps = block.count().div_ceil(32);
        let warp: u32 = request.optional("warp")?.unwrap_or(0);
        let warp = linear.map_or(warp, |thread| thread / 32);
        let is_there = inside(&asked, &grid) && u64::from(warp) < warps;
        let [x, y, z] = asked;
        Ok(Self {
            block: if is_there { asked } else { [0; 3] },
            warp: if is_there { warp } else { 0 },
            target: Target {
                line: request.optional("line")?,
                lane: linear.map(|thread| thread % 32).filter(|_| is_there),
                address: request.optional("address")?,
            },
            note: (!is_there).then(|| {
                format!("This launch has no warp {warp} in block ({x}, {y}, {z}): what is shown is its first warp.")
            }),
        })
    }
}

/// Opens a warp of a run or launch, given as `of`.
pub(crate) fn open(request: &Request) -> Result<Value, Problem> {
    let of = request.inner("of")?;
    let mut followed = Followed::new(&of)?;
    let shape = followed.shape()?;
    let place = Place::of(request, shape)?;
    let (mut skipped, mut parts): (u64, usize) = (request.optional("skipped")?.unwrap_or(0), 1);
    let walk = loop {
        let asked = StepsRequest {
            block: place.block,
            warp: place.warp,
            skipped,
            most: MOST_STEPS,
        };
        let steps = followed.record(asked)?.unwrap_or_default();
        let kernel = followed.kernel();
        let walk = WarpSteps::new(steps, kernel.ptx_text(), kernel.source());
        let is_found = place.target.line.is_none() || walk.find(&place.target).is_some();
        if is_found || !walk.steps().is_cut || parts >= MOST_PARTS {
            break walk;
        }
        (skipped, parts) = (next(&walk), parts + 1);
        // A launch has left its buffers changed.
        followed = Followed::new(&of)?;
    };
    if !walk.has_own() {
        let [x, y, z] = place.block;
        return Err(Problem::request(format!(
            "warp {} of block ({x}, {y}, {z}) has no steps to show: the launch ended before it began",
            place.warp
        )));
    }
    let at = walk.find(&place.target).unwrap_or_else(|| walk.first());
    let walk = Rc::new(walk);
    state::keep_steps(request.optional_text("id")?.unwrap_or_default(), &walk);
    Ok(opened(&walk, &place, shape, at))
}

/// How many instructions of the warp there are up to the last step.
fn next(walk: &WarpSteps) -> u64 {
    walk.number(walk.count())
}

fn opened(walk: &WarpSteps, place: &Place, (grid, block): (Dim3, Dim3), at: usize) -> Value {
    let lines: Vec<u32> = (walk.shown())
        .map(|step| walk.line(step).unwrap_or(0))
        .collect();
    // A letter each: b for a barrier, o for another warp's, a dot for the rest.
    let marks: String = (walk.shown())
        .map(|step| match (walk.is_own(step), step.kind) {
            (false, _) => 'o',
            (true, StepKind::Barrier(_) | StepKind::Released(_)) => 'b',
            (true, _) => '.',
        })
        .collect();
    json!({
        "grid": grid.array(),
        "threads": block.array(),
        "block": place.block,
        "warp": place.warp,
        "warps": block.count().div_ceil(32),
        "note": place.note,
        "skipped": walk.steps().skipped,
        "next": next(walk),
        "is_cut": walk.steps().is_cut,
        "lines": lines,
        "marks": marks,
        "code": walk.code().join("\n"),
        "variables": walk.variables(),
        "step": walk.view(at).map(|view| shown(walk, &view)),
    })
}

/// What stands at step `at` of the warp that was opened last.
pub(crate) fn step(request: &Request) -> Result<Value, Problem> {
    let at: usize = request.optional("at")?.unwrap_or(0);
    let id = request.optional_text("id")?.unwrap_or_default();
    let walk = state::kept_steps(id);
    let walk =
        walk.ok_or_else(|| Problem::request("these steps are not open: ask for `steps` first"))?;
    let view = walk.view(at);
    Ok(view.map_or(Value::Null, |view| shown(&walk, &view)))
}

fn shown(walk: &WarpSteps, view: &StepView) -> Value {
    let rows: Vec<Value> = (view.rows.iter())
        .map(|row| {
            json!({
                "name": row.name,
                "what": row.what,
                "is_new": row.is_new,
                "cells": row.cells,
                "crowded": row.crowded,
                "words": row.words,
            })
        })
        .collect();
    let picture = (view.access.as_ref()).filter(|(access, _)| pictures::is_drawn(access.space));
    json!({
        "at": view.at,
        "number": view.number,
        "warp": view.warp,
        "line": view.line,
        "elsewhere": view.elsewhere,
        "instruction": view.instruction,
        "active": view.active,
        "mask": view.mask,
        "lanes": view.lanes,
        "event": view.event,
        "rows": rows,
        "access": view.access.as_ref().map(|(_, words)| words),
        "waiting": view.waiting,
        "words": walk.words(view),
        "picture": picture.map(|(access, _)| pictures::drawing("What it accesses", access)),
    })
}
