#!/usr/bin/env python3
"""Runs the fixtures of pass/ on a GPU by NVRTC's PTX and by our compiler's, and notes where they write the same.

    hardware.py prepare CORNERTURN FOLDER    on any machine: our PTX, the arguments, and what the emulator makes of it
    hardware.py run CORNERTURN FOLDER CSV    on the machine with the GPU: one line for each fixture

CORNERTURN is the project's binary; the commit is what CORNERTURN_COMMIT says. Numbers are small, as the tests' own are: they are bounds of loops
and places in arrays."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
from random import Random

PASS = pathlib.Path(__file__).parent / "pass"
BYTES = 1 << 18
SCALARS = {"f32": "f32=0.5", "f64": "f64=0.5"}
LISTS = {"double": "d", "float": "f", "half": "e", "int": "i"}


def with_files(folder, argument):
    """A word of `launch`, its file in the folder; there is one for each kind of numbers and each place of a parameter."""
    value, _, name = argument.partition("=file:")
    if not name:
        return argument
    file = folder / name
    if not file.exists():
        file.write_bytes(numbers(name[0], int(name[1:])))
    return f"{value}=file:{file}"


def digest(program, folder, ptx, job, device):
    """Of all arrays after a launch; what went wrong where it failed."""
    with tempfile.TemporaryDirectory() as scratch:
        dumps = [f"{scratch}/{at}" for at in job["arrays"]]
        dumping = [word for at, path in zip(job["arrays"], dumps) for word in ("--dump", f"{at}:{path}")]
        arguments = [with_files(folder, word) for word in job["arguments"]]
        command = [program, "launch", ptx, *arguments, "--device", device, "--json", *dumping]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return "no answer within 20 s"
        if done.returncode != 0:
            return (done.stdout + done.stderr)[-300:]
        return hashlib.sha256(b"".join(pathlib.Path(path).read_bytes() for path in dumps)).hexdigest()


def numbers(kind, seed):
    """The bytes of an array: floats between -2 and 2, whole numbers from 1 to 997, or below 31 where they are keys."""
    random = Random(seed)
    if kind in "dfe":
        values = (random.uniform(-2, 2) for _ in range(BYTES // struct.calcsize(kind)))
    else:
        values = (random.randrange(31) if kind == "k" else random.randint(1, 997) for _ in range(BYTES // 4))
    return array(values, "i" if kind == "k" else kind)


def array(values, kind):
    values = list(values)
    return struct.pack(f"<{len(values)}{kind}", *values)


def parameters(source):
    """Of `test`: each one's words, the last its name."""
    plain = " ".join(line.split("//")[0] for line in source.split("\n"))
    head = re.search(r"__global__[^{;]*?\btest\s*\((.*?)\)\s*\{", plain)
    return [one.replace("*", " ").split() or [""] for one in head[1].split(",")] if head else []


def job_of(source, ptx):
    """The words of `launch` for a fixture."""
    block = re.search(r"^//# block (\S+)(?: (\S+))?", source, re.M)
    block = ",".join(part for part in block.groups() if part) if block else "32"
    arguments, arrays = ["--entry", "test", "--grid", "1", "--block", block, "--shared", "4096"], []
    head, words = re.search(r"\.entry test\((.*?)\)", ptx, re.S)[1], parameters(source)
    for at, line in enumerate(line for line in head.split("\n") if ".param" in line):
        kind, bytes = re.search(r"\.param(?: \.align \d+)?\s+\.(\w+)(?:.*\[(\d+)\])?", line).groups()
        spelt = " ".join(words[at]) if at < len(words) else ""
        if bytes:
            arguments += ["--arg", "bytes=" + numbers("f", at)[: int(bytes)].hex()]
        elif kind in ("u64", "b64"):
            letter = next((LISTS[name] for name in LISTS if name in spelt), "i")
            letter = "k" if spelt.endswith("keys") else letter
            arguments += ["--arg", f"u32[{BYTES // 4}]=file:{letter}{at}"]
            arrays.append(at)
        else:
            arguments += ["--arg", SCALARS.get(kind, "i32=32")]
    return {"arguments": arguments, "arrays": arrays}


def prepare(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    jobs = {}
    for source in sorted(PASS.glob("*.cu")):
        target = re.search(r"^\.target sm_(\w+)", source.with_suffix(".ptx").read_text(), re.M)[1]
        ours = folder / f"{source.stem}.ptx"
        command = [program, "compile", source, "--compiler", "cornerturn", "--arch", f"compute_{target}", "--out", ours]
        subprocess.run(command, check=True, capture_output=True)
        job = job_of(source.read_text(), ours.read_text())
        jobs[source.stem] = job | {"emulated": digest(program, folder, ours, job, "emulator")}
    (folder / "jobs.json").write_text(json.dumps(jobs))
    print(f"{len(jobs)} fixtures")


def run(program, folder, csv):
    says, lines = ["no", "yes"], []
    for name, job in json.loads((folder / "jobs.json").read_text()).items():
        ours, theirs = (digest(program, folder, ptx, job, "cuda") for ptx in (folder / f"{name}.ptx", PASS / f"{name}.ptx"))
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
