"""Runs the kernels of approximations.cu on a GPU and writes approximations.txt: approximations.py FOLDER (for what comes out).

A line is an instruction, the first input, the step to the next, how many inputs, and hashes: that of so many inputs, of so
many after them, and so on.
"""
import datetime, pathlib, re, subprocess, sys

import cupy
import numpy

here, folder = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
source = here / "approximations.cu"
subprocess.check_call(["nvcc", "-O3", "-arch=sm_90", "-cubin", source, "-o", folder / "approximations.cubin"])
module = cupy.RawModule(path=str(folder / "approximations.cubin"))
device = subprocess.check_output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], text=True)
name, driver = device.splitlines()[0].split(", ")
PIECE = 1 << 25


def line(instruction, kernel, first, step, count, pieces):
    sums = cupy.zeros(pieces, cupy.uint64)
    for piece in range(pieces):
        start = numpy.uint32((first + piece * step * count) % (1 << 32))
        kernel((264,), (1024,), (start, numpy.uint32(step), numpy.uint32(count), sums[piece:]))
    hashes = " ".join(f"{int(value):016x}" for value in sums.get())
    return f"{instruction} {first:#x} {step} {count} {hashes}"


lines = [f"# {name}, driver {driver}, {datetime.date.today()}; written by approximations.py, which says what the columns are"]
for kind, entry, instruction in re.findall(r'^(SINGLE|UPPER|HALF|HALVES|PAIR|DOUBLE)\((\w+), "(.*)"\)', source.read_text(), re.M):
    kernel = module.get_function(entry)
    if kind == "HALF":
        lines.append(line(instruction, kernel, 0, 1, 1 << 16, 1))
        continue
    lines.append(line(instruction, kernel, 0, 4099, 1 << 20, 1))
    pieces = {"SINGLE": 128, "UPPER": 128, "HALVES": 0, "PAIR": 8, "DOUBLE": 8}[kind]
    for at in range(0, pieces, 8):
        lines.append(line(instruction, kernel, at * PIECE, 1, PIECE, 8))
(folder / "approximations.txt").write_text("\n".join(lines) + "\n")
