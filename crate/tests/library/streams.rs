//! Streams, events and graphs: what they compute, which races between operations are found and which are none, and what may not be done. The rules on random programs are tried in the emulator's own tests.

use super::devices;
use cornerturn::emulator::streams::Unordered;
use cornerturn::{
    Buffer, DeedKind, Device, Error, Event, Graph, Kernel, LaunchOptions, Pinned, Result, Stream,
    StreamCopy, TimelineUnit, args, works,
};

/// `out[i] = 2 in[i] + 1` for `count` elements from `first` on.
const TWICE: &str = ".version 8.0\n.target sm_75\n.address_size 64\n\
    .visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 first, .param .u32 count)\n{\n\
    .reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n\
    ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n\
    ld.param.u32 %r1, [first];\nld.param.u32 %r2, [count];\n\
    mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\n\
    mad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.u32 %p1, %r6, %r2;\n@%p1 bra $done;\n\
    add.u32 %r6, %r6, %r1;\nmul.wide.u32 %rd3, %r6, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n\
    ld.global.u32 %r7, [%rd4];\nshl.b32 %r7, %r7, 1;\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd5], %r7;\n\
    $done: ret;\n}\n";

fn twice() -> Kernel {
    Kernel::ptx(TWICE, "twice").unwrap()
}

/// Not a multiple of a warp, nor of the parts.
const LENGTH: usize = 1003;

fn doubled(elements: &[u32]) -> Vec<u32> {
    elements
        .iter()
        .map(|x| x.wrapping_mul(2).wrapping_add(1))
        .collect()
}

/// The races of an error that is one.
fn races<T: std::fmt::Debug>(result: Result<T>) -> Vec<Unordered> {
    match result.unwrap_err() {
        Error::Unordered { races } => races,
        other => panic!("{other}"),
    }
}

/// Runs all of it; the race that stops it, in words.
fn race_of(result: Result<()>) -> Option<String> {
    match result {
        Ok(()) => None,
        Err(error @ Error::Unordered { .. }) => Some(error.to_string()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn parts_on_several_streams_give_what_one_stream_gives() {
    let x: Vec<u32> = works::distinct(LENGTH);
    for device in devices() {
        let input = device.poisoned::<u32>("input", LENGTH).unwrap();
        let output = device.poisoned::<u32>("output", LENGTH).unwrap();
        let streams = ["a", "b", "c", "d"].map(|name| device.nonblocking_stream(name).unwrap());
        let part = LENGTH.div_ceil(streams.len());
        let mut copies = Vec::new();
        for (at, (stream, elements)) in streams.iter().zip(x.chunks(part)).enumerate() {
            let (first, count) = (at * part, elements.len());
            let source = device.pinned("source", elements).unwrap();
            let target = device.pinned("target", elements).unwrap();
            let sent = stream.start_write_at(&input, first, source).unwrap();
            let arguments = args![input, output, first, count];
            stream.launch(&twice(), 2, 256, arguments).unwrap();
            copies.push((sent, stream.start_read_at(&output, first, target).unwrap()));
        }
        let mut result = Vec::new();
        for (sent, got) in copies {
            sent.wait().unwrap();
            result.extend(got.wait().unwrap().iter().copied());
        }
        assert_eq!(result, doubled(&x));
        // The host has waited for every copy, and so for every kernel.
        assert_eq!(output.read().unwrap(), result);
    }
}

/// What a pipeline of three streams is made of. Each event can be left out, or be the wrong one.
struct Pipeline {
    up: Stream,
    compute: Stream,
    down: Stream,
    input: Buffer<u32>,
    output: Buffer<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slip {
    None,
    /// This wait is missing.
    Missing(usize),
    /// The event of this wait is recorded before what it is for.
    Early(usize),
    /// Another stream waits.
    Elsewhere(usize),
}

/// The waits: the kernel for the copy up, the copy down for the kernel, the next copy up for the kernel, and the next
/// kernel for the copy down.
const WAITS: usize = 4;

impl Pipeline {
    fn new(device: &Device) -> Self {
        let stream = |name| device.nonblocking_stream(name).unwrap();
        Self {
            up: stream("up"),
            compute: stream("compute"),
            down: stream("down"),
            input: device.poisoned("input", LENGTH).unwrap(),
            output: device.poisoned("output", LENGTH).unwrap(),
        }
    }

    /// Does it for several arrays; what comes back.
    fn run(&self, arrays: &[Vec<u32>], slip: Slip) -> Result<Vec<Vec<u32>>> {
        let device = self.up.device();
        let event = |name: &str| device.event(name);
        let (there, done, back) = (event("there")?, event("done")?, event("back")?);
        let (mut sources, mut results): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
        for (round, elements) in arrays.iter().enumerate() {
            let pinned = |name: &str| device.pinned(name, elements);
            self.step(slip, 0, (&self.up, &self.compute, &there), || {
                sources.push(self.up.start_write(&self.input, pinned("source")?)?);
                Ok(())
            })?;
            if round > 0 && !matches!(slip, Slip::Missing(3) | Slip::Elsewhere(3)) {
                self.compute.wait(&back)?;
            }
            if round > 0 && slip == Slip::Elsewhere(3) {
                self.up.wait(&back)?;
            }
            self.step(slip, 1, (&self.compute, &self.down, &done), || {
                self.compute
                    .launch(&twice(), 4, 256, args![self.input, self.output, 0, LENGTH])
                    .map(drop)
            })?;
            match slip {
                Slip::Missing(2) => {}
                Slip::Elsewhere(2) => self.down.wait(&done)?,
                Slip::Early(2) => self.up.wait(&there)?,
                _ => self.up.wait(&done)?,
            }
            if slip == Slip::Early(3) {
                self.down.record(&back)?;
            }
            results.push(self.down.start_read(&self.output, pinned("result")?)?);
            if slip != Slip::Early(3) {
                self.down.record(&back)?;
            }
        }
        sources
            .into_iter()
            .try_for_each(|copy| copy.wait().map(drop))?;
        let results = results
            .into_iter()
            .map(|copy| copy.wait().map(Pinned::into_vec));
        results.collect()
    }

    /// Something on one stream for which another one waits, or should.
    fn step(
        &self,
        slip: Slip,
        wait: usize,
        (from, to, event): (&Stream, &Stream, &Event),
        queue: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if slip == Slip::Early(wait) {
            from.record(event)?;
        }
        queue()?;
        if slip != Slip::Early(wait) {
            from.record(event)?;
        }
        match slip {
            Slip::Missing(missing) if missing == wait => Ok(()),
            Slip::Elsewhere(elsewhere) if elsewhere == wait => from.wait(event),
            _ => to.wait(event),
        }
    }
}

#[test]
fn a_pipeline_with_all_its_events_is_right_and_has_no_race() {
    let arrays: Vec<Vec<u32>> = (0..3)
        .map(|k| works::distinct(LENGTH + k)[k..].to_vec())
        .collect();
    for device in devices() {
        let results = Pipeline::new(&device).run(&arrays, Slip::None).unwrap();
        for (elements, result) in arrays.iter().zip(&results) {
            assert_eq!(*result, doubled(elements));
        }
    }
}

#[test]
fn each_event_that_is_missing_or_wrong_is_a_race_between_two_that_are_named() {
    let arrays: Vec<Vec<u32>> = (0..2)
        .map(|k| works::distinct(LENGTH + k)[k..].to_vec())
        .collect();
    let pairs = [
        (
            "the copy of `source` to `input` on stream `up`",
            "kernel `twice` on stream `compute`",
            "`input`",
        ),
        (
            "kernel `twice` on stream `compute`",
            "the copy of `output` to `result` on stream `down`",
            "`output`",
        ),
        (
            "kernel `twice` on stream `compute`",
            "the copy of `source` to `input` on stream `up`",
            "`input`",
        ),
        (
            "the copy of `output` to `result` on stream `down`",
            "kernel `twice` on stream `compute`",
            "`output`",
        ),
    ];
    for (wait, (first, second, buffer)) in pairs.into_iter().enumerate() {
        assert!(wait < WAITS);
        for slip in [
            Slip::Missing(wait),
            Slip::Early(wait),
            Slip::Elsewhere(wait),
        ] {
            let result = Pipeline::new(&Device::emulator()).run(&arrays, slip);
            let text = race_of(result.map(drop)).unwrap_or_else(|| panic!("{slip:?}: no race"));
            let bytes = format!("bytes 0..{} of {buffer}", 4 * LENGTH);
            for part in [
                first,
                second,
                bytes.as_str(),
                "streams.rs:",
                "Record an event on",
            ] {
                assert!(text.contains(part), "{slip:?}: {part}: {text}");
            }
        }
    }
}

#[test]
fn streams_may_share_what_they_only_read_and_what_lies_side_by_side() {
    let device = Device::emulator();
    let input = device
        .upload("input", &works::distinct::<u32>(LENGTH))
        .unwrap();
    let output = device.poisoned::<u32>("output", LENGTH).unwrap();
    let (a, b) = (
        device.nonblocking_stream("a").unwrap(),
        device.nonblocking_stream("b").unwrap(),
    );
    a.launch(&twice(), 2, 256, args![input, output, 0, 301])
        .unwrap();
    b.launch(&twice(), 4, 256, args![input, output, 301, LENGTH - 301])
        .unwrap();
    // Who only reads what they read may do so at any time.
    input.read().unwrap();
    // Bytes at odd places.
    let bytes = device.poisoned::<u8>("bytes", 101).unwrap();
    let pinned = |count: usize| device.pinned("part", &vec![7_u8; count]).unwrap();
    let first = a.start_write_at(&bytes, 0, pinned(33)).unwrap();
    let rest = b.start_write_at(&bytes, 33, pinned(68)).unwrap();
    // One byte too many is one too many.
    let over = races(a.start_write_at(&bytes, 32, pinned(2)));
    assert_eq!((over.len(), over[0].bytes.clone()), (1, 33..34));
    drop((first, rest));
    device.synchronize().unwrap();
    // One element further, and the two meet in it.
    a.launch(&twice(), 2, 256, args![input, output, 0, 302])
        .unwrap();
    let met = races(b.launch(&twice(), 4, 256, args![input, output, 301, LENGTH - 301]));
    assert_eq!((met.len(), met[0].bytes.clone()), (1, 4 * 301..4 * 302));
    assert!(met[0].first.writes && met[0].second.writes);
}

#[test]
fn the_host_must_wait_for_a_non_blocking_stream_before_it_reads() {
    let x: Vec<u32> = works::distinct(LENGTH);
    let device = Device::emulator();
    let input = device.upload("input", &x).unwrap();
    let output = device.poisoned::<u32>("output", LENGTH).unwrap();
    let (free, bound) = (
        device.nonblocking_stream("free").unwrap(),
        device.stream("bound").unwrap(),
    );
    let arguments = args![input, output, 0, LENGTH];
    free.launch(&twice(), 4, 256, arguments).unwrap();
    let found = races(output.read());
    assert!(
        found[0].to_string().contains("`free` is non-blocking"),
        "{}",
        found[0]
    );
    assert!(
        found[0]
            .to_string()
            .contains("the host's read on the default stream"),
        "{}",
        found[0]
    );
    free.synchronize().unwrap();
    assert_eq!(output.read().unwrap(), doubled(&x));
    // The host's read is on the default stream, which waits for blocking streams.
    bound.launch(&twice(), 4, 256, arguments).unwrap();
    assert_eq!(output.read().unwrap(), doubled(&x));
    // A copy to the device may go on when its call returns: a non-blocking stream does not wait for it, others do.
    input.write(&x).unwrap();
    bound.launch(&twice(), 4, 256, arguments).unwrap();
    device.synchronize().unwrap();
    input.write(&x).unwrap();
    let found = races(free.launch(&twice(), 4, 256, arguments));
    assert_eq!((found.len(), found[0].buffer.as_str()), (1, "input"));
    // Unless the stream is younger than the copy.
    device.synchronize().unwrap();
    input.write(&x).unwrap();
    let young = device.nonblocking_stream("young").unwrap();
    young.launch(&twice(), 4, 256, arguments).unwrap();
    // What the host reaches by itself it must wait for, whatever the stream.
    device.synchronize().unwrap();
    let mapped = device.mapped("mapped", &x).unwrap();
    bound
        .launch(&twice(), 4, 256, args![input, mapped, 0, LENGTH])
        .unwrap();
    let found = races(mapped.read());
    assert!(
        found[0]
            .to_string()
            .contains("Wait for `bound` on the host"),
        "{}",
        found[0]
    );
    bound.synchronize().unwrap();
    assert_eq!(mapped.read().unwrap(), doubled(&x));
    // A buffer that is gone takes its bytes with it, and a launch that the host waits for is ordered as a read is.
    free.fill_byte(&output, 3).unwrap();
    drop(output);
    let output = device.poisoned::<u32>("another", LENGTH).unwrap();
    free.fill_byte(&input, 3).unwrap();
    let found = races(device.launch(&twice(), 4, 256, args![input, output, 0, LENGTH]));
    assert_eq!(found[0].first.deed.what, "the fill of `input`");
}

#[test]
fn the_default_stream_stands_between_blocking_streams() {
    let device = Device::emulator();
    let x = device.upload("x", &works::distinct::<u32>(LENGTH)).unwrap();
    let y = device.poisoned::<u32>("y", LENGTH).unwrap();
    let z = device.poisoned::<u32>("z", LENGTH).unwrap();
    let (a, b) = (device.stream("a").unwrap(), device.stream("b").unwrap());
    let free = device.nonblocking_stream("free").unwrap();
    let default = device.default_stream();
    // a, then the default stream, then b: nothing is missing.
    a.copy(&x, &y).unwrap();
    default.copy(&y, &z).unwrap();
    b.fill_byte(&z, 1).unwrap();
    // An action there that touches nothing orders a and b as well: the trap, and why a program seems right.
    a.fill_byte(&y, 2).unwrap();
    default.record(&device.event("e").unwrap()).unwrap();
    b.fill_byte(&y, 3).unwrap();
    // Without it they race.
    let found = races(a.fill_byte(&y, 4));
    assert_eq!(
        (found[0].first.deed.what.as_str(), found[0].bytes.clone()),
        ("the fill of `y`", 0..4 * LENGTH as u64)
    );
    device.synchronize().unwrap();
    // Non-blocking streams stand outside.
    free.fill_byte(&z, 5).unwrap();
    assert!(
        races(default.fill_byte(&z, 6))[0]
            .to_string()
            .contains("`free` is non-blocking")
    );
    device.synchronize().unwrap();
    default.fill_byte(&z, 7).unwrap();
    let found = races(free.fill_byte(&z, 8));
    assert!(
        found[0]
            .to_string()
            .contains("does not wait for the default stream"),
        "{}",
        found[0]
    );
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    for device in devices() {
        let other = Device::emulator();
        let buffer = device.poisoned::<u32>("buffer", 5).unwrap();
        let (a, b) = (device.stream("a").unwrap(), device.stream("b").unwrap());
        let (event, theirs) = (device.event("e").unwrap(), other.event("theirs").unwrap());
        let far = other.stream("far").unwrap();
        let says = |result: Result<()>, text: &str| {
            let error = result.unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
            assert_eq!(error.exit_code(), 2, "{error}");
        };
        says(a.wait(&event), "event `e` was never recorded");
        says(event.synchronize(), "event `e` was never recorded");
        says(
            a.record(&theirs),
            "event `theirs` is of another device than stream `a`",
        );
        says(
            a.wait(&theirs),
            "event `theirs` is of another device than stream `a`",
        );
        says(
            far.fill_byte(&buffer, 1),
            "lives on another device than stream `far`",
        );
        let launched = far.launch(&twice(), 1, 32, args![buffer, buffer, 0, 5]);
        says(launched.map(drop), "it lives on another device");
        let pinned = |count: usize| device.pinned("p", &vec![1_u32; count]).unwrap();
        says(
            a.start_write(&buffer, pinned(6)).map(drop),
            "holds 5 elements, and 6 were given",
        );
        says(
            a.start_read_at(&buffer, 3, pinned(3)).map(drop),
            "bytes 12..24 are past its end",
        );
        says(
            a.start_read_at(&buffer, usize::MAX, pinned(3)).map(drop),
            "past its end",
        );
        says(a.copy(&buffer, &buffer), "is copied to itself");
        a.record(&event).unwrap();
        if !device.is_cuda() {
            let error = event.elapsed_ms_since(&event).unwrap_err();
            assert!(matches!(error, Error::NoClock), "{error}");
        }

        says(
            device.default_stream().capture("g").map(drop),
            "default stream cannot be captured",
        );
        let capture = a.capture("g").unwrap();
        says(
            a.capture("h").map(drop),
            "stream `a` is captured for graph `g`",
        );
        says(
            a.synchronize(),
            "stream `a` is captured for graph `g` and cannot be waited for",
        );
        says(
            a.wait(&event),
            "was recorded before graph `g` began to be captured",
        );
        says(
            capture.end().map(drop),
            "nothing was queued while it was captured",
        );
        // The stream is free again, and does what it is given.
        a.fill_byte(&buffer, 9).unwrap();
        a.synchronize().unwrap();
        assert_eq!(buffer.read().unwrap(), [0x0909_0909; 5]);

        let inside = device.event("inside").unwrap();
        let capture = a.capture("g").unwrap();
        a.record(&inside).unwrap();
        b.wait(&inside).unwrap();
        b.fill_byte(&buffer, 1).unwrap();
        says(inside.synchronize(), "in the capture of graph `g` only");
        says(
            device.default_stream().wait(&inside),
            "default stream cannot be captured",
        );
        says(
            capture.end().map(drop),
            "the fill of `buffer` on stream `b` is not waited for",
        );
        says(b.wait(&inside), "the capture of graph `g`, which is over");

        let capture = a.capture("g").unwrap();
        a.fill_byte(&buffer, 1).unwrap();
        let graph = capture.end().unwrap();
        let capture = b.capture("h").unwrap();
        says(
            graph.launch(&b),
            "cannot be launched on stream `b` while that is captured for graph `h`",
        );
        drop(capture);
        says(
            graph.launch(&far),
            "graph `g` is of another device than stream `far`",
        );
        graph.launch(&b).unwrap();
        // What is read waits for `b`, which is blocking.
        assert_eq!(buffer.read().unwrap(), [0x0101_0101; 5]);
    }
}

#[test]
fn a_graph_does_at_each_launch_what_was_captured() {
    let x: Vec<u32> = works::distinct(LENGTH);
    for device in devices() {
        let buffers = ["x", "y", "z"].map(|name| device.poisoned::<u32>(name, LENGTH).unwrap());
        let [from, left, right] = &buffers;
        let (a, b) = (device.stream("a").unwrap(), device.stream("b").unwrap());
        let (fork, join) = (device.event("fork").unwrap(), device.event("join").unwrap());
        let pinned = |name| device.pinned(name, &x).unwrap();
        let capture = a.capture("diamond").unwrap();
        let mut source = a.start_write(from, pinned("source")).unwrap();
        a.record(&fork).unwrap();
        b.wait(&fork).unwrap();
        a.launch(&twice(), 4, 256, args![from, left, 0, LENGTH])
            .unwrap();
        b.copy(from, right).unwrap();
        b.record(&join).unwrap();
        a.wait(&join).unwrap();
        a.launch(&twice(), 4, 256, args![right, right, 0, 7])
            .unwrap();
        let mut result = a.start_read(left, pinned("result")).unwrap();
        let graph = capture.end().unwrap();
        assert_eq!(graph.len(), 5);
        // Nothing was done yet.
        assert_ne!(left.read().unwrap(), doubled(&x));
        for round in 0..3_u32 {
            let now: Vec<u32> = x.iter().map(|x| x ^ round).collect();
            source
                .with(|elements| elements.copy_from_slice(&now))
                .unwrap();
            graph.launch(&b).unwrap();
            assert_eq!(
                result.with(|elements| elements.to_vec()).unwrap(),
                doubled(&now)
            );
            let right = right.read().unwrap();
            assert_eq!((&right[..7], &right[7..]), (&doubled(&now)[..7], &now[7..]));
        }
        let refused = source
            .with(|_| graph.launch(&b))
            .unwrap()
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("while `with` looks at the memory of the copy of `source`"),
            "{refused}"
        );
        drop(graph);
        assert_eq!(source.wait().unwrap()[0], x[0] ^ 2);
        drop(result);
    }
}

#[test]
fn a_race_in_a_graph_is_found_at_its_launch() {
    let device = Device::emulator();
    let x = device.upload("x", &works::distinct::<u32>(LENGTH)).unwrap();
    let y = device.poisoned::<u32>("y", LENGTH).unwrap();
    let (a, b) = (
        device.stream("a").unwrap(),
        device.nonblocking_stream("b").unwrap(),
    );
    let (fork, join) = (device.event("fork").unwrap(), device.event("join").unwrap());
    let capture = a.capture("g").unwrap();
    a.record(&fork).unwrap();
    a.copy(&x, &y).unwrap();
    b.wait(&fork).unwrap();
    b.launch(&twice(), 4, 256, args![y, y, 100, 50]).unwrap();
    b.record(&join).unwrap();
    a.wait(&join).unwrap();
    let graph = capture.end().unwrap();
    let found = races(graph.launch(&b));
    assert_eq!((found.len(), found[0].bytes.clone()), (1, 400..600));
    let text = found[0].to_string();
    assert!(
        text.contains("the copy of `x` to `y` of graph `g`")
            && text.contains("Both are in one graph"),
        "{text}"
    );
    // Around it, the graph's operations are those of the stream that it is launched on.
    device.synchronize().unwrap();
    let other = device.nonblocking_stream("other").unwrap();
    other.fill_byte(&x, 1).unwrap();
    let found = races(graph.launch(&a));
    assert!(
        found
            .iter()
            .any(|race| race.first.deed.what == "the fill of `x`"),
        "{found:?}"
    );
}

#[test]
fn a_timeline_on_the_emulator_is_an_order_and_no_time() {
    let device = Device::emulator();
    let pipeline = Pipeline::new(&device);
    let arrays: Vec<Vec<u32>> = (0..3).map(|_| works::distinct(LENGTH)).collect();
    let watch = device.watch_streams().unwrap();
    assert!(device.watch_streams().is_err());
    pipeline.run(&arrays, Slip::None).unwrap();
    let timeline = watch.end().unwrap();
    assert_eq!(timeline.unit, TimelineUnit::Steps);
    // One input and one output: only the next copy up may go on beside the copy down.
    let bars = timeline
        .bars
        .iter()
        .map(|bar| (bar.stream.as_str(), bar.start, bar.end));
    let expected = [
        ("up", 0.0, 1.0),
        ("compute", 1.0, 2.0),
        ("down", 2.0, 3.0),
        ("up", 2.0, 3.0),
        ("compute", 3.0, 4.0),
        ("down", 4.0, 5.0),
        ("up", 4.0, 5.0),
        ("compute", 5.0, 6.0),
        ("down", 6.0, 7.0),
    ];
    assert_eq!(bars.collect::<Vec<_>>(), expected);
    assert_eq!(timeline.bars[0].kind, DeedKind::ToDevice);
    // Nothing is watched any more.
    drop(device.watch_streams().unwrap());
    pipeline.up.fill_byte(&pipeline.input, 1).unwrap();
    assert!(
        device
            .watch_streams()
            .unwrap()
            .end()
            .unwrap()
            .bars
            .is_empty()
    );
}

#[test]
fn handles_go_from_thread_to_thread() {
    fn shared<T: Send + Sync>() {}
    shared::<Stream>();
    shared::<Event>();
    shared::<Graph>();
    shared::<StreamCopy<u32>>();
}

#[test]
fn nothing_is_looked_for_without_streams_and_kernels_are_checked_on_them_too() {
    let device = Device::emulator();
    let small = device.poisoned::<u32>("small", 10).unwrap();
    let stream = device.stream("a").unwrap();
    let error = stream
        .launch(&twice(), 1, 32, args![small, small, 0, 11])
        .unwrap_err();
    assert!(matches!(error, Error::Kernel { .. }), "{error}");
    let report = stream
        .launch(&twice(), 1, 32, args![small, small, 0, 10])
        .unwrap();
    assert_eq!(report.counters.unwrap().global_load_requests, 1);
    drop(stream);
    let report = device
        .launch_with(
            &twice(),
            1,
            32,
            args![small, small, 0, 10],
            &LaunchOptions::checked(),
        )
        .unwrap();
    assert_eq!(report.counters.unwrap().global_store_requests, 1);
}
