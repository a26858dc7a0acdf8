"""Tries through the Jupyter protocol what a reader does besides running cells: interrupts them, has several run at once,
asks what a name means. Prints one JSON object, as execute.py does for a notebook, and ends with 0 if all is well."""

import argparse
import json
import pathlib
import sys
import time

from execute import Kernel, execute, take

SETUP = """:dep cornerturn = { path = "../crate" }
use cornerturn::prelude::*;
let device = Device::emulator();
let task = Task::transpose(&device, 64, 96)?;
let kept = 42;"""

# Each warp is well below the emulator's budget, all of them take minutes.
LONG = '''let long = Kernel::cuda(r#"
extern "C" __global__ void takes_long(const float* in, float* out, unsigned rows, unsigned columns)
{ for (volatile int i = 0; i < 1000000; i = i + 1) { } }
"#)?;'''

PRINTS = '''let talks = Kernel::cuda(r#"
extern "C" __global__ void talks(const float* in, float* out, unsigned rows, unsigned columns)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < size_t(rows) * columns) out[i % columns * rows + i / columns] = in[i];
    if (i == 33) printf("thirty-three\\n");
}
"#)?;
let talked = task.run(&talks, 64 * 96 / 128, 128)?;
talked'''

# On a busy machine; on a quiet one an interrupt takes half a second at most.
INTERRUPT_SECONDS = 5


class Trial:
    def __init__(self, kernel, timeout):
        self.client, self.timeout = kernel.client, timeout
        self.cells, self.problems, self.manager = [], [], kernel.manager

    def run(self, name, source):
        result = execute(self.client, source, self.timeout, {})
        result.update(id=name, number=len(self.cells) + 1)
        self.cells.append(result)
        return result

    def must(self, holds, what):
        if not holds:
            self.problems.append(what)

    def reply(self, message):
        while True:
            reply = self.client.get_shell_msg(timeout=self.timeout)
            if reply["parent_header"].get("msg_id") == message:
                return reply["content"]

    def ask(self, channel, kind, content):
        """Sends a request as it stands, and gives the reply's content."""
        request = self.client.session.msg(kind, content)
        channel.send(request)
        limit = time.monotonic() + self.timeout
        while time.monotonic() < limit:
            reply = channel.get_msg(timeout=self.timeout)
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                return reply["content"]
        raise TimeoutError(kind)

    def interrupted(self, name, source, by_shell=False):
        """Runs a cell that has no end, and interrupts it. Its result, and the seconds that it took to end then."""
        results = {}
        message = self.client.execute(source, allow_stdin=False)
        results[message] = result = {"stdout": "", "stderr": "", "error": "", "outputs": {}}
        limit = time.monotonic() + self.timeout
        while "begun" not in result["stdout"] and time.monotonic() < limit:
            take(self.client, 0.1, results)
        time.sleep(1)
        start = time.monotonic()
        if by_shell:
            # As VS Code does.
            self.client.shell_channel.send(self.client.session.msg("interrupt_request", {}))
        else:
            self.manager.interrupt_kernel()
        status = self.reply(message)["status"]
        seconds = time.monotonic() - start
        while take(self.client, 0.3, results) is not None:
            pass
        result.update(id=name, number=len(self.cells) + 1, status=status, seconds=seconds)
        self.cells.append(result)
        self.must(status == "error" and "Interrupted" in result["error"], f"{name}: {result}")
        self.must(seconds < INTERRUPT_SECONDS, f"{name}: it took {seconds:.1f} s to stop")
        return result


def stopping(trial):
    """A cell that fails ends the run of those behind it, and of no others."""
    trial.run("setup", SETUP)
    first = trial.client.execute('std::thread::sleep(std::time::Duration::from_millis(500)); Err::<(), _>(anyhow::anyhow!("on purpose"))?;')
    behind = [trial.client.execute("println!(\"never\");") for _ in range(2)]
    statuses = [trial.reply(message)["status"] for message in [first, *behind]]
    trial.must(statuses == ["error", "aborted", "aborted"], f"a failed cell and those behind it: {statuses}")
    panics = trial.run("panic", 'panic!("on purpose");')
    trial.must(panics["status"] == "error" and "on purpose" in panics["stderr"], f"a panic: {panics}")
    after = trial.run("after", 'println!("{kept}");')
    trial.must(after["stdout"] == "42\n", f"a cell after a failed one: {after}")


def interrupting(trial):
    """An interrupt ends an emulated kernel and keeps variables; it ends anything else with them, and says so."""
    trial.run("long", LONG)
    stopped = trial.interrupted(
        "kernel-interrupted", 'println!("begun"); let run = task.run(&long, 5000, 32)?;'
    )
    trial.must("are kept" in stopped["error"], f"variables are kept, it should say: {stopped['error']}")
    after = trial.run("after-kernel", 'println!("{kept}");')
    trial.must(after["stdout"] == "42\n", f"a variable after an interrupt: {after}")
    killed = trial.interrupted("cell-interrupted", 'println!("begun"); loop {}', by_shell=True)
    trial.must("Run All Above" in killed["error"], f"what to run again, it should say: {killed['error']}")
    again = trial.run("again", SETUP)
    trial.must(again["status"] == "ok", f"the first cell after an interrupt: {again}")


def asking(trial):
    """Public names come first, with what they mean."""
    start = time.monotonic()
    code = "let run = task."
    names = trial.reply(trial.client.complete(code, len(code)))["matches"]
    trial.cells.append({"id": "completion", "number": 0, "status": "ok", "error": "", "stdout": "", "stderr": "",
                        "outputs": {}, "seconds": time.monotonic() - start})
    plain = [name.split("(")[0] for name in names]
    public = ["run", "check", "count", "trace", "verify", "shape", "device", "bytes_moved"]
    trial.must(all(name in plain for name in public), f"not all public methods are offered: {plain}")
    trial.must("core" not in plain, f"a private field is offered: {plain}")
    trial.must(set(plain[:10]) & set(public), f"others come before public methods: {plain}")
    for code, at, word in [
        ("let run = task.run(&padded, ", len("let run = task.run(&padded, "), "Poisons the output"),
        ("let run = task.run(", len("let run = task.ru"), "Poisons the output"),
        ("Task::transpose", len("Task::trans"), "Transposes a float32 matrix"),
    ]:
        shown = trial.reply(trial.client.inspect(code, at))
        text = shown.get("data", {}).get("text/plain", "")
        trial.must(word in text, f"{code!r} at {at} is not explained: {shown}")


def printing(trial):
    """What a kernel prints is shown with its run."""
    talks = trial.run("printf", PRINTS)
    shown = json.dumps(talks["outputs"])
    trial.must("thirty-three" in shown, f"what a kernel printed is not shown: {talks}")


def typing(trial):
    """Variables get their types from the standard library, however little of its source the kernel reads."""
    trial.run("types", """
use std::collections::HashMap;
let map: HashMap<_, _> = [("a", 1u32), ("b", 2)].into_iter().collect();
let sum = map.values().sum::<u32>();
let bytes = sum.to_le_bytes();
let (sender, receiver) = std::sync::mpsc::channel::<u8>();
let shared = std::sync::Arc::new(std::sync::Mutex::new(vec![bytes]));
""")
    typed = trial.run("typed", 'sender.send(7)?; println!("{sum} {bytes:?} {} {}", receiver.recv()?, shared.lock().unwrap().len());')
    trial.must(typed["stdout"] == "3 [3, 0, 0, 0] 7 1\n", f"variables whose types are inferred: {typed}")


def answering(trial):
    """Each request is answered that a client may send, on the channel on which it came."""
    client = trial.client
    shell, control = client.shell_channel, client.control_channel
    for channel, kind, content, status in [
        (shell, "kernel_info_request", {}, "ok"),
        (control, "kernel_info_request", {}, "ok"),
        (shell, "comm_info_request", {"target_name": ""}, "ok"),
        (shell, "history_request", {"hist_access_type": "tail", "n": 1, "output": False, "raw": True}, "ok"),
        (shell, "is_complete_request", {"code": "1"}, "complete"),
        (shell, "interrupt_request", {}, "ok"),
        (control, "interrupt_request", {}, "ok"),
        (control, "debug_request", {"type": "request", "seq": 1, "command": "debugInfo"}, "error"),
        (shell, "nonsense_request", {}, "error"),
    ]:
        reply = trial.ask(channel, kind, content)
        trial.must(reply.get("status") == status, f"the answer to {kind}: {reply}")
    counts = [trial.ask(shell, "execute_request", {"code": "1", "silent": silent}).get("execution_count")
              for silent in (False, True)]
    trial.must(counts[0] == counts[1], f"a silent request counts as a cell: {counts}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="the folder of the notebooks")
    parser.add_argument("--kernel", default="rust")
    parser.add_argument("--timeout", type=float, default=600)
    arguments = parser.parse_args()
    started = time.monotonic()
    kernel = Kernel(arguments.kernel, arguments.folder)
    report = {"notebook": "the kernel's behaviour", "kernel_start_seconds": time.monotonic() - started}
    trial = Trial(kernel, arguments.timeout)
    try:
        for part in (stopping, asking, printing, typing, answering, interrupting):
            part(trial)
    finally:
        kernel.close()
    report |= {"seconds": time.monotonic() - started, "cells": trial.cells, "problems": trial.problems}
    print(json.dumps(report))
    return 1 if trial.problems else 0


if __name__ == "__main__":
    sys.exit(main())
