#!/usr/bin/env python3
"""Runs the fixtures of pass/ on a GPU by NVRTC's PTX and by our compiler's, and notes where they write the same.

    hardware.py prepare CORNERTURN FOLDER    on any machine: our PTX, the arguments, and what the emulator makes of it
    hardware.py run CORNERTURN FOLDER CSV    on the machine with the GPU: one line for each fixture

CORNERTURN is the project's binary; the commit is what CORNERTURN_COMMIT says. Fixtures that take structs by value are left out, since `launch` cannot give these."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PASS = pathlib.Path(__file__).parent / "pass"
WORDS = 65536
NUMBERS = {"f32": "f32=0.5", "f64": "f64=0.5"}


def digest(program, ptx, job, device):
    """Of all arrays after a launch; what went wrong where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        dumps = [f"{folder}/{at}" for at in job["arrays"]]
        dumping = [word for at, path in zip(job["arrays"], dumps) for word in ("--dump", f"{at}:{path}")]
        command = [program, "launch", ptx, *job["arguments"], "--device", device, "--json", *dumping]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return "no answer within 20 s"
        if done.returncode != 0:
            return (done.stdout + done.stderr)[-300:]
        return hashlib.sha256(b"".join(pathlib.Path(path).read_bytes() for path in dumps)).hexdigest()


def job_of(source, ptx):
    """The words of `launch` for a fixture; None where there are none."""
    block = re.search(r"^//# block (\S+)(?: (\S+))?", source, re.M)
    block = ",".join(part for part in block.groups() if part) if block else "32"
    arguments, arrays = ["--entry", "test", "--grid", "1", "--block", block, "--shared", "4096"], []
    head = re.search(r"\.entry test\((.*?)\)", ptx, re.S)[1]
    for at, line in enumerate(line for line in head.split("\n") if ".param" in line):
        kind = re.search(r"\.param\s+\.(\w+)", line)[1]
        if "[" in line and "align" in line:
            return None
        if kind in ("u64", "b64"):
            arguments += ["--arg", f"u32[{WORDS}]=random:{7 + at}"]
            arrays.append(at)
        elif kind in NUMBERS or kind.endswith("32"):
            arguments += ["--arg", NUMBERS.get(kind, "i32=32")]
        else:
            return None
    return {"arguments": arguments, "arrays": arrays}


def prepare(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {}
    for source in sorted(PASS.glob("*.cu")):
        target = re.search(r"^\.target sm_(\w+)", source.with_suffix(".ptx").read_text(), re.M)[1]
        ours = folder / f"{source.stem}.ptx"
        command = [program, "compile", source, "--compiler", "cornerturn", "--arch", f"compute_{target}", "--out", ours]
        subprocess.run(command, check=True, capture_output=True)
        if job := job_of(source.read_text(), ours.read_text()):
            jobs[source.stem] = job | {"emulated": digest(program, ours, job, "emulator")}
    (folder / "jobs.json").write_text(json.dumps(jobs))
    print(f"{len(jobs)} fixtures")


def run(program, folder, csv):
    says, lines = ["no", "yes"], []
    for name, job in json.loads((folder / "jobs.json").read_text()).items():
        ours, theirs = (digest(program, ptx, job, "cuda") for ptx in (folder / f"{name}.ptx", PASS / f"{name}.ptx"))
        lines.append(f"{name},{says[ours == theirs and len(ours) == 64]},{says[ours == job['emulated']]}")
        if len(ours) != 64:
            print(name, ours)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    commit = os.environ["CORNERTURN_COMMIT"]
    head = f"# What the fixtures of crate/compiler/tests/pass write by our compiler's PTX; {gpu.stdout.strip()}, {datetime.date.today()}, commit {commit}"
    csv.write_text("\n".join([head, "fixture,as by NVRTC's PTX,as in the emulator", *lines]) + "\n")


if __name__ == "__main__":
    verb, program, folder, *rest = sys.argv[1:]
    match verb:
        case "prepare":
            prepare(program, pathlib.Path(folder))
        case "run":
            run(program, pathlib.Path(folder), pathlib.Path(rest[0]))
