"""Compiles `causes.cu`, runs it, asks the profiler about the kernels of which it knows more, and prints a record.

    python3 book/results/causes.py COMMIT > book/results/h200/causes.json

It needs nvcc and ncu. The PTX whose compilation by the driver is timed is that of the book's kernels.
"""

import csv
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "book" / "results" / "causes.cu"
PTX = ["transpose/naive_read.ptx", "transpose/limit.ptx", "gemm/ring.ptx"]
# Lanes active of 32 tell whether a branch diverged; bytes of DRAM what L2 fetched. The end of the name, and the unit.
METRICS = {
    "smsp__thread_inst_executed_per_inst_executed.ratio": ("lanes", "lanes"),
    "dram__bytes_read.sum": ("dram_read", "bytes"),
    "lts__t_sectors_op_read.sum": ("l2_read", "sectors"),
}


def profiled(program):
    """What the profiler counts of each launch, in the order in which the program makes them."""
    command = ["ncu", "--csv", "--print-units", "base", "--cache-control", "all", "-k", "regex:arms|strided"]
    command += ["--metrics", ",".join(METRICS), program, "-", "-"]
    told = subprocess.run(command, env={**os.environ, "SAMPLES": "1"}, capture_output=True, text=True, check=True)
    lines = told.stdout[told.stdout.index('"ID"'):]
    launches = {}
    for row in csv.DictReader(io.StringIO(lines)):
        name = row["Kernel Name"].split("(")[0].removeprefix("void ")
        launches.setdefault(int(row["ID"]), [name, {}])[1][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [launches[id] for id in sorted(launches)]


def main(commit):
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "causes")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-o", program, str(SOURCE), "-lcuda"], check=True)
        digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
        paths = [str(ROOT / "kernels" / path) for path in PTX]
        told = subprocess.run([program, commit, digest, *paths], env={**os.environ, "CUDA_CACHE_DISABLE": "1"},
                              capture_output=True, text=True, check=True)
        record = json.loads(told.stdout)
        # Each measurement has as many launches as turns, one after another; all count the same.
        names = [m["name"] for m in record["measurements"] if m["name"].startswith("arms_") or "_stride_" in m["name"]]
        launches = profiled(program)
        turns = len(launches) // len(names)
        for at, name in enumerate(names):
            for metric, (end, unit) in METRICS.items():
                samples = [launch[1][metric] for launch in launches[at * turns:(at + 1) * turns]]
                record["measurements"].append({"name": f"{name}_{end}", "unit": unit, "samples": samples})
    lines = ",\n".join(json.dumps(m, separators=(",", ":")) for m in record.pop("measurements"))
    print(json.dumps(record)[:-1] + ', "measurements": [\n' + lines + "\n]}")


main(sys.argv[1])
