//! Files, names and texts that somebody made to do harm, or that happen to: devices, links, control characters, endless text.

use crate::support::{Outcome, Scratch};
use serde_json::Value;
use std::fs;

/// Writes nine values from 0 on, past the end of a smaller buffer; its file's name and what it prints would clear a
/// terminal.
const RUDE: &str = "\
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 taken) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[12] = {27, 91, 50, 74, 13, 194, 155, 51, 49, 109, 10, 0};
.visible .entry rude(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<6>;
    .loc 1 7 0
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, text;
    cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, 0;
    {
    .param .b64 first;
    st.param.b64 [first], %rd2;
    .param .b64 second;
    st.param.b64 [second], %rd3;
    .param .b32 taken;
    call.uni (taken), vprintf, (first, second);
    }
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    st.global.u32 [%rd5], %r1;
    ret;
}
.file 1 \"\x1b[2Jrude.cu\"
";

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.write("rude.ptx", RUDE);
    scratch
}

fn rude(scratch: &Scratch, added: &[&str]) -> Outcome {
    let mut words: Vec<&str> = "launch rude.ptx --entry rude --grid 1 --block 9 --arg u32[9]=zero"
        .split(' ')
        .collect();
    words.extend(added);
    scratch.run(&words)
}

/// What a terminal would obey.
fn control_characters(text: &str) -> Vec<char> {
    let harmless = ['\n', '\t'];
    text.chars()
        .filter(|c| c.is_control() && !harmless.contains(c))
        .collect()
}

#[cfg(unix)]
#[test]
fn a_dump_goes_where_links_lead_and_into_what_is_no_file() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let scratch = scratch("dump-links");
    let path = |name: &str| scratch.path().join(name);
    scratch.write(
        "old.bin",
        "something longer than what is dumped to the same place",
    );
    symlink("old.bin", path("link.bin")).unwrap();
    let outcome = rude(&scratch, &["--dump", "0:link.bin", "--dump", "0:/dev/null"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let expected: Vec<u8> = (0..9_u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(scratch.read("old.bin"), expected);
    assert!(path("link.bin").symlink_metadata().unwrap().is_symlink());
    let null = fs::symlink_metadata("/dev/null").unwrap().file_type();
    assert!(null.is_char_device());
    assert_eq!(scratch.files(), ["link.bin", "old.bin", "rude.ptx"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_dump_goes_into_a_pipe_or_after_what_is_on_stdout() {
    let scratch = scratch("dump-pipe");
    let program = env!("CARGO_BIN_EXE_cornerturn");
    let launch = "launch rude.ptx --entry rude --grid 1 --block 9 --arg u32[9]=zero --json";
    let script = format!(
        "mkfifo pipe && {{ cat pipe > got.bin & }} && '{program}' {launch} --dump 0:pipe > out.json && wait && \
         printf before > both && '{program}' {launch} --dump 0:/dev/stdout >> both && test -p pipe"
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(scratch.path())
        .env("CORNERTURN_DEVICE", "emulator")
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(scratch.read("got.bin").len(), 36);
    let both = scratch.read("both");
    assert!(both.starts_with(b"before\0\0\0\0\x01\0\0\0"));
    let json: Value = serde_json::from_slice(&both[6 + 36..]).unwrap();
    assert_eq!(json["kernel"], "rude");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_input() {
    let scratch = scratch("devices");
    for device in ["/dev/zero", "/dev/null"] {
        let words = format!("launch {device} --entry x --grid 1 --block 1");
        let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
        outcome.fails(2, &[device, "device"]);
        let fill = format!("u32[9]=file:{device}");
        rude(&scratch, &["--arg", &fill]).fails(2, &["takes 1 argument,"]);
        let words = format!("launch rude.ptx --entry rude --grid 1 --block 9 --arg {fill}");
        let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
        outcome.fails(2, &[device, "is no file"]);
    }
    // Nobody will ever write to it.
    let made = std::process::Command::new("mkfifo")
        .arg(scratch.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let words = "launch rude.ptx --entry rude --grid 1 --block 9 --arg u32[9]=file:pipe";
    let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
    outcome.fails(2, &["pipe", "is no file"]);
    let huge = fs::File::create(scratch.path().join("huge.ptx")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let outcome = scratch.run(&[
        "launch", "huge.ptx", "--entry", "x", "--grid", "1", "--block", "1",
    ]);
    outcome.fails(2, &["huge.ptx", "256 MiB"]);
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    let scratch = scratch("control");
    let outcome = rude(&scratch, &[]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(
        outcome.stdout.contains(r"\u{1b}[2J\u{d}\u{9b}31m"),
        "{outcome:?}"
    );
    let words = "launch rude.ptx --entry rude --grid 1 --block 9 --arg u32[4]=zero";
    let found = scratch.run(&words.split(' ').collect::<Vec<_>>());
    found.fails(1, &["out of bounds", r"\u{1b}[2Jrude.cu:7"]);
    let as_json = rude(&scratch, &["--json"]);
    let usage = rude(&scratch, &["--grid", "\u{1b}[2J\u{9b}\u{202e}"]);
    assert_eq!(usage.status, 2);
    for outcome in [outcome, found, as_json.clone(), usage] {
        for text in [&outcome.stdout, &outcome.stderr] {
            assert!(control_characters(text).is_empty(), "{outcome:?}");
        }
    }
    let text = "\u{1b}[2J\r\u{9b}31m";
    assert_eq!(as_json.json()["output"], format!("{text}\n").repeat(9));
    assert_eq!(as_json.json()["printed"][8]["text"], text);
}

#[test]
fn names_of_any_length_are_told_in_few_words() {
    let scratch = scratch("long");
    let long = "x".repeat(1 << 20);
    scratch.write(
        "opcode.ptx",
        RUDE.replace("mov.u32", &format!("mov.{long}")),
    );
    scratch.write("entry.ptx", RUDE.replace("rude(", &format!("{long}(")));
    scratch.write("file.ptx", RUDE.replace("rude.cu", &long));
    for file in ["opcode.ptx", "entry.ptx", "file.ptx"] {
        let words = format!("launch {file} --entry rude --grid 1 --block 9 --arg u32[4]=zero");
        let outcome = scratch.run(&words.split(' ').collect::<Vec<_>>());
        assert_ne!(outcome.status, 0);
        let text = &outcome.stderr;
        assert!(
            text.starts_with("error: ") && text.contains("x…"),
            "{}",
            text.len()
        );
        assert!(text.len() < 4000, "{} bytes", text.len());
    }
    let long = "y".repeat(100_000);
    for words in [["launch", &long], ["run", &long], [&long, "--json"]] {
        let outcome = scratch.run(&words);
        assert_eq!(outcome.status, 2);
        assert!(outcome.stderr.len() < 4000 && outcome.stdout.len() < 4000);
    }
}

#[test]
fn what_fails_with_json_is_one_object() {
    let scratch = scratch("json-errors");
    let nowhere = [("CORNERTURN_HOME", "/nowhere")];
    for words in [
        "list --json",
        "run padded --json",
        "bench nothing --json",
        "tune --json",
        "exercise list --json",
        "exercise check --json padding",
    ] {
        let outcome = scratch.run_with(&words.split(' ').collect::<Vec<_>>(), &nowhere);
        let error = &outcome.json()["error"];
        assert_eq!(error["exit_status"], outcome.status, "{words}: {outcome:?}");
        assert_eq!(error["kind"], "usage", "{words}: {outcome:?}");
        let message = error["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && outcome.stderr.contains(message),
            "{outcome:?}"
        );
    }
    let missing = scratch.run(&[
        "launch",
        "missing.ptx",
        "--entry",
        "x",
        "--grid",
        "1",
        "--block",
        "1",
        "--json",
    ]);
    missing.fails(2, &["missing.ptx"]);
    assert_eq!(missing.json()["error"]["exit_status"], 2);
    let unsupported = RUDE.replace("mov.u32 %r1, %tid.x;", "tcgen05.fence::before_thread_sync;");
    scratch.write("new.ptx", unsupported);
    let outcome = scratch.run(&[
        "launch",
        "new.ptx",
        "--entry",
        "rude",
        "--grid",
        "1",
        "--block",
        "1",
        "--arg",
        "u32[4]=zero",
        "--json",
    ]);
    outcome.fails(3, &["tcgen05"]);
    assert_eq!(outcome.json()["error"]["kind"], "unsupported");
    // A finding is told in the result, and there is one object.
    let found = rude(&scratch, &["--json", "--block", "10"]);
    assert_eq!(found.status, 2, "given twice: {found:?}");
    assert_eq!(found.json()["error"]["exit_status"], 2);
}

#[test]
fn a_binary_reads_the_clone_that_it_is_started_in() {
    let scratch = Scratch::new("clone");
    let project = scratch.project().to_string();
    let registry = scratch.path().join("kernels/kernels.toml");
    let text = fs::read_to_string(&registry).unwrap();
    let marked = text.replacen("id = \"naive_read\"", "id = \"of_this_clone\"", 1);
    assert_ne!(marked, text);
    fs::write(&registry, &marked).unwrap();
    let inside = scratch.path().join("kernels/transpose");
    let list = |folder: &std::path::Path, home: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cornerturn"));
        command
            .arg("list")
            .current_dir(folder)
            .env_remove("CORNERTURN_HOME");
        if let Some(home) = home {
            command.env("CORNERTURN_HOME", home);
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(list(&inside, None).contains("of_this_clone"));
    let elsewhere = std::env::temp_dir();
    assert!(!list(&elsewhere, None).contains("of_this_clone"));
    assert!(list(&elsewhere, Some(&project)).contains("of_this_clone"));
    let built = cornerturn::paths::root().unwrap();
    assert!(!list(&inside, built.to_str()).contains("of_this_clone"));
}
