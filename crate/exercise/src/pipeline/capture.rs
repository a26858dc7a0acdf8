//! The calls of a pipeline captured into one graph. What they are is `script`'s; launching the graph is `run`'s.

use super::run::Wrong;
use super::script::{Call, Script};
use cornerturn_base::error::Error;
use cornerturn_runtime::stream::{Capture, Graph, Stream};

/// What is asked of all calls.
pub(super) const CAPTURED: &str = "all calls can be captured into one graph";

/// Begins to capture what the stream of this name is given, and with it what waits for it.
pub(super) fn begin(script: &Script, streams: &[Stream], origin: &str) -> Result<Capture, Wrong> {
    let mut named = script.streams.iter().zip(streams);
    match named.find(|(name, _)| *name == origin) {
        Some((_, stream)) => Ok(stream.capture("graph")?),
        None => Wrong::at(
            0,
            CAPTURED,
            format!("there is no stream `{origin}`, and the capture begins on that"),
        ),
    }
}

/// What a call cannot do while others are captured; another error stays one.
pub(super) fn refused(wrong: Wrong, call: &Call) -> Wrong {
    match wrong {
        Wrong::Error(Error::Usage(reason)) => Wrong::Failed {
            claim: CAPTURED,
            reason,
            line: call.line,
        },
        wrong => wrong,
    }
}

/// The graph of all that was queued.
pub(super) fn end(capture: Capture, origin: &str, queued: usize) -> Result<Graph, Wrong> {
    let graph = match capture.end() {
        Err(Error::Usage(reason)) => return Wrong::at(0, CAPTURED, reason),
        graph => graph?,
    };
    if graph.len() == queued {
        return Ok(graph);
    }
    let reason = format!(
        "{} of {queued} operations are in the graph; the others were done while it was captured, on streams that had not waited \
         for an event of `{origin}`, or of a stream that had",
        graph.len()
    );
    Wrong::at(0, CAPTURED, reason)
}
