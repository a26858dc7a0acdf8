//! Programmatic dependent launches and timed sequences, as the driver sees them.

use super::{inside, padded};
use cornerturn::prelude::*;
use cornerturn::{Error, ErrorKind};
use std::path::Path;

/// The log's lines since the last time, without addresses.
fn calls(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    std::fs::write(log, "").unwrap();
    let is_own = |words: &[&str]| words.len() == 2 && words[0] == "padded";
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        match is_own(&words) {
            true => words[0].to_string(),
            false => line.to_string(),
        }
    };
    text.lines().map(line).collect()
}

#[test]
fn a_programmatic_launch_says_so_in_streams_and_graphs() {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programmatic.log");
    let variables = [("FAKE_LOG", log.to_str().unwrap()), ("FAKE_MAJOR", "9")];
    let name = "launches::a_programmatic_launch_says_so_in_streams_and_graphs";
    if !inside(name, false, &variables) {
        return;
    }
    let device = Device::cuda().unwrap();
    let x = device.upload("x", &[1.5_f32; 35]).unwrap();
    let y = device.poisoned::<f32>("y", 35).unwrap();
    let stream = device.nonblocking_stream("s").unwrap();
    calls(&log);
    let arguments = args![x, y, 5, 7];
    let early = padded().programmatic();
    stream.launch(&padded(), 1, (32, 8), arguments).unwrap();
    stream.launch(&early, 1, (32, 8), arguments).unwrap();
    let expected = ["padded on 100", "attribute 6 1", "padded on 100"];
    assert_eq!(calls(&log), expected);
    let capture = stream.capture("twice").unwrap();
    stream.launch(&padded(), 1, (32, 8), arguments).unwrap();
    stream.launch(&early, 1, (32, 8), arguments).unwrap();
    let graph = capture.end().unwrap();
    let captured = [
        &["begin capture on 100"][..],
        &expected,
        &["end capture on 100", "instantiate"],
    ];
    assert_eq!(calls(&log), captured.concat());
    graph.launch(&stream).unwrap();
}

#[test]
fn an_older_gpu_refuses_a_programmatic_launch() {
    let name = "launches::an_older_gpu_refuses_a_programmatic_launch";
    if !inside(name, false, &[("FAKE_MAJOR", "8")]) {
        return;
    }
    let device = Device::cuda().unwrap();
    let x = device.upload("x", &[1.5_f32; 35]).unwrap();
    let y = device.poisoned::<f32>("y", 35).unwrap();
    let stream = device.stream("s").unwrap();
    let early = padded().programmatic();
    let error = stream
        .launch(&early, 1, (32, 8), args![x, y, 5, 7])
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadUse, "{error}");
    let words = "programmatic dependent launches need a GPU of compute capability 9.0 (Hopper) or later, and this one has 8.6";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_sequence_is_timed_with_nothing_between_its_calls() {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sequence.log");
    let variables = [
        ("FAKE_LOG", log.to_str().unwrap()),
        ("FAKE_MAJOR", "9"),
        ("FAKE_MS", "0.25"),
    ];
    let name = "launches::a_sequence_is_timed_with_nothing_between_its_calls";
    if !inside(name, false, &variables) {
        return;
    }
    let device = Device::cuda().unwrap();
    let x = device.upload("x", &[1.5_f32; 35]).unwrap();
    let y = device.poisoned::<f32>("y", 35).unwrap();
    let arguments = args![x, y, 5, 7];
    let sequence = || {
        LaunchSequence::new(&device)
            .unwrap()
            .then(&padded(), 1, (32, 8), arguments)
            .unwrap()
            .then(&padded().programmatic(), 1, (32, 8), arguments)
            .unwrap()
    };
    let ordinary = sequence();
    ordinary.run().unwrap();
    calls(&log);
    let twice = ["padded", "attribute 6 1", "padded"].repeat(2);
    for clock in [LaunchClock::Calls, LaunchClock::Done] {
        let samples = ordinary.time(clock, 2, 3).unwrap();
        assert!(samples.len() == 3 && samples.iter().all(|us| *us > 0.0));
        let found = calls(&log);
        // What streams are at is waited for first.
        assert_eq!(found[found.len() - 18..], twice.repeat(3), "{found:?}");
        assert!(
            found[..found.len() - 18]
                .iter()
                .all(|call| !call.contains("padded"))
        );
    }
    let error = ordinary.time(LaunchClock::Queued, 1, 1).unwrap_err();
    assert!(error.to_string().contains("say by `behind`"), "{error}");
    let behind = sequence().behind(&padded(), 1, (32, 8), arguments).unwrap();
    calls(&log);
    assert_eq!(behind.time(LaunchClock::Queued, 2, 1).unwrap(), [250.0]);
    let found = calls(&log);
    let expected = [&["padded", "event"][..], &twice, &["event"]].concat();
    assert_eq!(found[found.len() - expected.len()..], expected);
    let graph = behind.captured().unwrap();
    calls(&log);
    assert_eq!(graph.time(LaunchClock::Queued, 2, 1).unwrap(), [250.0]);
    let found = calls(&log);
    let expected = ["padded", "event", "graph on 1", "graph on 1", "event"];
    assert_eq!(found[found.len() - expected.len()..], expected);
    let full = graph.then(&padded(), 1, (32, 8), arguments).unwrap_err();
    assert!(matches!(full, Error::Usage(_)), "{full}");
}
