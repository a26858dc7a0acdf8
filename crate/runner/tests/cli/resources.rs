//! What the machine does not have, or not enough of: memory, processes, places to write to. Told with exit status 4.

use crate::support::Scratch;
use std::process::{Command, Output};

/// out[i] = in[i] for the threads of the grid, after as many turns of a loop as `turns` says.
const TURNS: &str = "\
.version 7.0
.target sm_75
.address_size 64
.visible .entry turns(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
AGAIN:
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.write("turns.ptx", TURNS);
    scratch
}

/// What a shell says of a script in which `$cornerturn` is the binary.
fn shell(scratch: &Scratch, script: &str) -> Output {
    Command::new("sh")
        .args(["-c", script])
        .current_dir(scratch.path())
        .env("cornerturn", env!("CARGO_BIN_EXE_cornerturn"))
        .env("CORNERTURN_DEVICE", "emulator")
        .output()
        .unwrap()
}

/// The sentence on stderr of what ended with 4.
#[track_caller]
fn lacks(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(
        stderr.starts_with("error: ") && !stderr.contains("panicked"),
        "{stderr}"
    );
    stderr
}

#[test]
fn a_budget_ends_an_endless_loop_and_lets_a_long_one_end() {
    let scratch = scratch("budget");
    let run = |added: &str| {
        let words = format!(
            "launch turns.ptx --entry turns --grid 1 --block 32 --no-check --arg u32[32]=zero {added}"
        );
        scratch.run(&words.split(' ').collect::<Vec<_>>())
    };
    let short = run("--arg u32=1000 --budget 300");
    short.fails(
        1,
        &["endless loop", "budget of 300 instructions", "--budget"],
    );
    assert_eq!(run("--arg u32=1000 --budget 4000").status, 0);
    // A block of one warp may be long without the option: 3 × 2^25 instructions, which take a second or two.
    assert_eq!(run("--arg u32=33554432").status, 0);
    let long = run("--arg u32=33554432 --budget 67108864");
    long.fails(1, &["budget of 67108864 instructions", "--budget"]);
    for wrong in ["0", "-1", "x", "1e9"] {
        let outcome = run(&format!("--arg u32=1 --budget {wrong}"));
        assert_eq!(outcome.status, 2, "{outcome:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_compared_with_what_is_free_before_a_launch() {
    let scratch = scratch("memory");
    let launch = "exec \"$cornerturn\" launch turns.ptx --entry turns --grid 1 --block 32 --no-check --arg u32=1";
    let too_much = shell(
        &scratch,
        &launch.replace("--arg", "--arg u32[68719476736]=zero --arg"),
    );
    let text = lacks(&too_much);
    assert!(
        text.contains("needs 274877906944 bytes") && text.contains(" are free"),
        "{text}"
    );
    // A limit of the process counts as well: 1 GiB in a space of 700 MB.
    let launch =
        "launch turns.ptx --entry turns --grid 1 --block 32 --arg u32[268435456]=zero --arg u32=1";
    for check in ["", "--no-check"] {
        let limited = shell(
            &scratch,
            &format!("ulimit -v 700000; exec \"$cornerturn\" {launch} {check}"),
        );
        let text = lacks(&limited);
        assert!(
            text.contains("needs ") && text.contains(" are free"),
            "{text}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_matrix_larger_than_memory_is_refused_at_once() {
    let scratch = scratch("huge");
    let output = shell(
        &scratch,
        "exec \"$cornerturn\" run padded --rows 1048576 --columns 1048576",
    );
    let text = lacks(&output);
    assert!(text.contains("needs 8796093022208 bytes"), "{text}");
}

/// With two gigabytes to live in, every work of as many items as there are 32-bit numbers says what it lacks.
#[cfg(target_os = "linux")]
#[test]
fn a_work_larger_than_memory_is_refused_before_it_is_made() {
    let scratch = scratch("huge-works");
    let listed = scratch.run(&["list", "--json"]).json();
    let run = |id: &str, options: &str| {
        let script =
            format!("ulimit -v 2000000; exec \"$cornerturn\" run {id} --device emulator {options}");
        shell(&scratch, &script)
    };
    let text = lacks(&run("strided", "--items 4000000000 --parameter 1024"));
    assert!(
        text.contains("the work `gather` on 4000000000 items needs 41000000000000 bytes"),
        "{text}"
    );
    let works = listed.as_array().unwrap().iter();
    let works = works.filter_map(|entry| Some((entry["id"].as_str()?, entry["work"].as_str()?)));
    let works: Vec<_> = works.collect();
    assert!(works.len() > 50, "only {} works", works.len());
    for (id, kind) in works {
        // Their arrays are as large as their parameter, and long walks are allowed.
        if [
            "chain",
            "walk",
            "walk_in",
            "chase",
            "chase_pages",
            "chase_lines",
        ]
        .contains(&kind)
        {
            continue;
        }
        let output = run(id, "--items 4294967295");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(
            code == Some(4) || code == Some(2),
            "{id}: {code:?} {stderr}"
        );
        assert!(stderr.starts_with("error: "), "{id}: {stderr}");
    }
}

/// A command line that runs what follows without the privileges for which limits and permissions do not hold.
#[cfg(target_os = "linux")]
const UNPRIVILEGED: &str = "\
    if test \"$(id -u)\" = 0; then plain='setpriv --reuid 65534 --regid 65534 --clear-groups'; fi; \
    cp \"$cornerturn\" ./own && chmod 755 . ./own;";

#[cfg(target_os = "linux")]
#[test]
fn one_process_is_enough_for_a_launch() {
    let scratch = scratch("processes");
    let launch = "launch turns.ptx --entry turns --grid 512 --block 32 --arg u32[32]=zero --arg u32=9 --json";
    let output = shell(
        &scratch,
        &format!("{UNPRIVILEGED} exec $plain prlimit --nproc=1 ./own {launch}"),
    );
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn kernels_in_a_folder_that_cannot_be_written_are_a_lack() {
    let target = cornerturn::paths::root().unwrap().join("target");
    let tools = ["cuda", "cuda-12.1", "cuda-headers", "cuda-machine-code"];
    if !tools
        .iter()
        .all(|tool| target.join(tool).join(".installed").exists())
    {
        eprintln!(
            "skipped: the compilers are not installed; `cargo cornerturn kernels --check` installs them"
        );
        return;
    }
    let scratch = scratch("unwritable");
    scratch.project();
    std::fs::create_dir(scratch.path().join("target")).unwrap();
    for tool in tools {
        let link = scratch.path().join("target").join(tool);
        std::os::unix::fs::symlink(target.join(tool), link).unwrap();
    }
    let script =
        format!("{UNPRIVILEGED} chmod 555 target; exec $plain env CORNERTURN_HOME=. ./own kernels");
    let text = lacks(&shell(&scratch, &script));
    assert!(
        text.contains("cannot write ") && text.contains("target/kernels.partial-"),
        "{text}"
    );
}
