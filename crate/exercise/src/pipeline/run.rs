//! One run of a pipeline on the emulator: its calls for one part after the other, on streams of a new device, and what comes back. What is made of it is `pipeline`'s.

use super::script::{Call, DEFAULT, Mark, On, Script, Verb};
use super::{Load, capture, line};
use crate::data::Exercise;
use crate::grading::{Failure, Stop};
use crate::sketch::Sketch;
use cornerturn_base::error::{Error, Result};
use cornerturn_base::html::counted;
use cornerturn_base::place::Direction;
use cornerturn_base::shape::Dim3;
use cornerturn_emulator::streams::{Deed, Unordered};
use cornerturn_measure::works;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::buffer::Buffer;
use cornerturn_runtime::device::Device;
use cornerturn_runtime::kernel::Kernel;
use cornerturn_runtime::stream::{Event, Stream, StreamCopy, Timeline};
use std::collections::BTreeMap;

/// Steps of the generator that the kernel takes each number through.
const ROUNDS: u32 = 20;

/// What is run.
pub(super) struct Run<'a> {
    pub(super) script: &'a Script,
    pub(super) kernel: &'a Kernel,
    pub(super) places: usize,
    /// The stream from which the calls are captured, where they are.
    pub(super) captured: Option<&'a str>,
    pub(super) block: [u32; 2],
    /// The grid for so many numbers.
    pub(super) grid: &'a dyn Fn(usize) -> Dim3,
}

/// A run that was right.
pub(super) struct Done {
    /// Operations of which each must wait for the one before, the most that there are.
    pub(super) steps: u32,
    pub(super) timeline: Timeline,
    /// The part of each of the timeline's operations.
    pub(super) parts: Vec<usize>,
}

/// Why a run is not right.
pub(super) enum Wrong {
    Failed {
        claim: &'static str,
        reason: String,
        /// The line that shows it, from 1; 0 where none does.
        line: usize,
    },
    Error(Error),
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Wrong {
    pub(super) fn at<T>(line: usize, claim: &'static str, reason: String) -> Result<T, Self> {
        Err(Self::Failed {
            claim,
            reason,
            line,
        })
    }

    pub(super) fn stop(self, exercise: &Exercise, source: &str, load: Load) -> Stop {
        match self {
            Self::Error(error) => Stop::Error(error),
            Self::Failed {
                claim,
                reason,
                line: at,
            } => {
                let failure = Failure::new(format!("{claim}, on {load}"), reason).with(Sketch {
                    text: line(exercise, source, at),
                    picture: None,
                });
                Stop::Failed(Box::new(failure))
            }
        }
    }
}

/// A run that goes on.
struct Going<'a> {
    run: &'a Run<'a>,
    parts: &'a [Vec<u32>],
    device: Device,
    streams: Vec<Stream>,
    /// Those that were recorded: of one for all parts, `None` stands in the place of the part.
    events: BTreeMap<(usize, Option<usize>), Event>,
    places: Vec<Buffer<u32>>,
    /// Copies to the GPU, which hold their memory.
    sent: Vec<StreamCopy<u32>>,
    /// The copy back of each part, with its line.
    back: Vec<Option<(StreamCopy<u32>, usize)>>,
    /// Operations in the order in which they were queued: the part of each, and what it is called.
    queued: Vec<(usize, String)>,
}

impl Run<'_> {
    /// Makes the calls for all parts.
    pub(super) fn done(&self, parts: &[Vec<u32>]) -> Result<Done, Wrong> {
        let device = Device::emulator();
        let most = parts.iter().map(Vec::len).max().unwrap_or(1);
        let places = (0..self.places).map(|at| device.poisoned(&format!("place {at}"), most));
        let streams = self.script.streams.iter();
        let mut going = Going {
            run: self,
            parts,
            streams: streams
                .map(|name| device.nonblocking_stream(name))
                .collect::<Result<_>>()?,
            events: BTreeMap::new(),
            places: places.collect::<Result<_>>()?,
            sent: Vec::new(),
            back: parts.iter().map(|_| None).collect(),
            queued: Vec::new(),
            device: device.clone(),
        };
        let watch = device.watch_streams()?;
        match self.captured {
            None => going.calls()?,
            Some(origin) => {
                let capture = capture::begin(self.script, &going.streams, origin)?;
                going.calls()?;
                let graph = capture::end(capture, origin, going.queued.len())?;
                let stream = going.device.nonblocking_stream("launched")?;
                going.checked(0, graph.launch(&stream))?;
            }
        }
        let timeline = watch.end()?;
        let last = timeline.bars.iter().map(|bar| bar.end);
        let steps = last.fold(0.0, f64::max) as u32;
        let queued = std::mem::take(&mut going.queued);
        going.compare()?;
        Ok(Done {
            steps,
            timeline,
            parts: queued.into_iter().map(|(part, _)| part).collect(),
        })
    }
}

impl Going<'_> {
    /// All calls for all parts.
    fn calls(&mut self) -> Result<(), Wrong> {
        for part in 0..self.parts.len() {
            for call in &self.run.script.calls {
                if !call.when.is_none_or(|when| when.holds(part)) {
                    continue;
                }
                let called = self.call(call, part);
                called.map_err(|wrong| match self.run.captured {
                    Some(_) => capture::refused(wrong, call),
                    None => wrong,
                })?;
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &Call, part: usize) -> Result<(), Wrong> {
        let stream = match call.on {
            None if self.run.captured.is_some() => {
                let reason = "the host waits for the device, and nothing is done before the graph is launched; CUDA refuses it while \
                              a stream is captured";
                return Wrong::at(call.line, capture::CAPTURED, reason.to_string());
            }
            None => {
                self.device.synchronize()?;
                return Ok(());
            }
            Some(On::Default) => self.device.default_stream(),
            Some(On::Own(index)) => self.streams[index].clone(),
        };
        let done = match call.verb {
            Verb::Record(mark) => return self.record(&stream, call, mark, part),
            Verb::Wait(mark) => return self.wait(&stream, call, mark, part),
            Verb::Synchronize => stream.synchronize(),
            Verb::Write => self.write(&stream, call, part),
            Verb::Launch => self.launch(&stream, call, part),
            Verb::Read if self.back[part].is_some() => {
                let reason = format!("line {} copies part {part} back a second time", call.line);
                return Wrong::at(call.line, "every part comes back once", reason);
            }
            Verb::Read => self.read(&stream, call, part),
        };
        self.checked(call.line, done)
    }

    /// What was done on this line, a race or a faulty kernel as what is wrong.
    fn checked(&self, line: usize, done: Result<()>) -> Result<(), Wrong> {
        match done {
            Err(Error::Unordered { races }) => {
                Wrong::at(line, "no race between operations", self.told(&races))
            }
            Err(error @ Error::Kernel { .. }) => {
                Wrong::at(line, "the kernel runs to its end", error.to_string())
            }
            done => Ok(done?),
        }
    }

    /// The race with the operation that was queued last: what waits for it waits for the others, too, if they are in order.
    fn told(&self, races: &[Unordered]) -> String {
        let queued = |race: &&Unordered| {
            let what = &race.first.deed.what;
            self.queued.iter().position(|(_, queued)| queued == what)
        };
        let last = races.iter().max_by_key(queued);
        let mut told = last.map_or(String::new(), ToString::to_string);
        if races.len() > 1 {
            let others = races.len() as u64 - 1;
            let others = counted(others, "other race is", "other races are");
            told.push_str(&format!("\n{others} not shown"));
        }
        told
    }

    fn write(&mut self, stream: &Stream, call: &Call, part: usize) -> Result<()> {
        let from = self
            .device
            .pinned(&format!("part {part}"), &self.parts[part])?;
        let deed = self.deed("the copy to the GPU of", part, call);
        let place = &self.places[part % self.places.len()];
        let copy = stream.start_copy_as(deed, Direction::ToDevice, place, 0, from)?;
        self.sent.push(copy);
        Ok(())
    }

    fn launch(&mut self, stream: &Stream, call: &Call, part: usize) -> Result<()> {
        let numbers = self.parts[part].len();
        let (grid, block) = ((self.run.grid)(numbers), Dim3::from(self.run.block));
        let place = &self.places[part % self.places.len()];
        let values = [0, numbers as u32, ROUNDS];
        let values = values.iter().map(Argument::from);
        let arguments: Vec<Argument> = [Argument::from(place)].into_iter().chain(values).collect();
        let deed = self.deed("the kernel on", part, call);
        stream
            .launch_as(deed, self.run.kernel, grid, block, &arguments)
            .map(drop)
    }

    fn read(&mut self, stream: &Stream, call: &Call, part: usize) -> Result<()> {
        let poison = vec![u32::MAX; self.parts[part].len()];
        let to = self.device.pinned(&format!("result {part}"), &poison)?;
        let deed = self.deed("the copy back of", part, call);
        let place = &self.places[part % self.places.len()];
        let copy = stream.start_copy_as(deed, Direction::ToHost, place, 0, to)?;
        self.back[part] = Some((copy, call.line));
        Ok(())
    }

    /// An operation, as findings call it.
    fn deed(&mut self, what: &str, part: usize, call: &Call) -> Deed {
        let what = format!("{what} part {part} (line {})", call.line);
        self.queued.push((part, what.clone()));
        Deed { what, place: None }
    }

    fn record(
        &mut self,
        stream: &Stream,
        call: &Call,
        mark: Mark,
        part: usize,
    ) -> Result<(), Wrong> {
        let of = self.part_of(call, mark, part)?;
        let event = match self.events.get(&(mark.event, of)) {
            Some(event) => event.clone(),
            None => self.device.event(&self.name(mark, of))?,
        };
        stream.record(&event)?;
        self.events.insert((mark.event, of), event);
        Ok(())
    }

    fn wait(&self, stream: &Stream, call: &Call, mark: Mark, part: usize) -> Result<(), Wrong> {
        let of = self.part_of(call, mark, part)?;
        let Some(event) = self.events.get(&(mark.event, of)) else {
            let (name, stream) = (self.name(mark, of), self.stream_name(call));
            let reason = format!(
                "line {} lets `{stream}` wait for `{name}`, for part {part}, and nobody has recorded that by then; on a GPU \
                 this wait would wait for nothing",
                call.line
            );
            return Wrong::at(call.line, RECORDED, reason);
        };
        Ok(stream.wait(event)?)
    }

    /// The part whose event is meant; `None` where there is one event for all.
    fn part_of(&self, call: &Call, mark: Mark, part: usize) -> Result<Option<usize>, Wrong> {
        let Some(back) = mark.back else {
            return Ok(None);
        };
        if let Some(of) = part.checked_sub(back) {
            return Ok(Some(of));
        }
        let name = &self.run.script.events[mark.event];
        let reason = format!(
            "line {}: for part {part}, `{name}[part - {back}]` is of a part before the first; say from which part on this is \
             called: `if part >= {back}: …`",
            call.line
        );
        Wrong::at(call.line, RECORDED, reason)
    }

    /// The event as the file calls it, with its part: `away[4]`.
    fn name(&self, mark: Mark, of: Option<usize>) -> String {
        let name = &self.run.script.events[mark.event];
        of.map_or(name.clone(), |part| format!("{name}[{part}]"))
    }

    fn stream_name(&self, call: &Call) -> &str {
        match call.on {
            Some(On::Own(index)) => &self.run.script.streams[index],
            _ => DEFAULT,
        }
    }

    /// Holds what has come back against what each part must become.
    fn compare(self) -> Result<(), Wrong> {
        let claim = "every number comes back, and is right";
        let wanted: Vec<Vec<u32>> = self
            .parts
            .iter()
            .map(|part| works::polished(part, ROUNDS as usize))
            .collect();
        for (part, copy) in self.back.into_iter().enumerate() {
            let Some((copy, line)) = copy else {
                return Wrong::at(0, claim, format!("no `read` has copied part {part} back"));
            };
            let found = copy.wait()?;
            let pairs = wanted[part].iter().zip(found.iter());
            let wrong = pairs
                .enumerate()
                .find(|(_, (wanted, found))| wanted != found);
            if let Some((at, (should, is))) = wrong {
                let guess = guessed(*is, part, at, self.parts, &wanted);
                let reason =
                    format!("part {part}, number {at}, should be {should} and is {is}{guess}");
                return Wrong::at(line, claim, reason);
            }
        }
        Ok(())
    }
}

/// What is asked of every wait.
const RECORDED: &str = "every event is recorded before something waits for it";

/// What a wrong number is likely to be, as the end of a sentence.
fn guessed(is: u32, part: usize, at: usize, parts: &[Vec<u32>], wanted: &[Vec<u32>]) -> String {
    let holds = |numbers: &Vec<u32>| numbers.get(at) == Some(&is);
    if holds(&parts[part]) {
        return ": it is as it was sent, so the kernel has not worked on it by then".to_string();
    }
    match wanted.iter().position(holds) {
        Some(other) => format!(": that is what part {other} becomes"),
        None => ": it is neither what was sent nor what another part becomes".to_string(),
    }
}
