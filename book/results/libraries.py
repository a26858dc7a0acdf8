"""Times products of matrices by cuBLAS (which PyTorch calls), Triton and CUTLASS, and prints a record.

    python3 book/results/libraries.py COMMIT [CUTLASS.so] > book/results/h200/libraries.json

Measured as `cornerturn record products` does it: launches follow one another on the same matrices, warm, between CUDA
events; whoever is compared takes turns in shuffled rounds. Factors hold numbers between -1 and 1 in all the bits of
their type. Triton's and CUTLASS's kernels come in several tiles each; a short trial at each shape chooses one, as the
libraries' users do, and the record names it. Every result is held against a product in float64.

CUTLASS.so is compiled from cutlass.cu beside this, whose head says how; without it CUTLASS is left out. Triton's kernels
are in kernels/triton. With the environment variable PTX set to a folder, their PTX is written there, without the
sections of the debugger, which name folders of this machine.
"""

import ctypes
import datetime
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "kernels" / "triton"))
import products  # noqa: E402

# m, n, k. Shapes without a factor of 8 are asked for in float32 only: tensor cores are fed 16 bytes at a time.
SQUARES = [(side, side, side) for side in (1024, 2048, 4096, 8192)]
ODD = [(1000, 1002, 1003), (777, 1531, 3001)]
ROUNDS, TURN = 6, 8
# The names of number types in records: of A and B, of C; what PyTorch makes of them.
TYPES = {"f32": ("f32", torch.float32), "tf32": ("f32", torch.float32), "bf16": ("bf16", torch.bfloat16)}
# The largest error, as a share of the sum of the products' sizes, that is no mistake: of rounding the factors, the
# result, or long sums.
MOST_ERROR = {"f32": 1e-5, "tf32": 2e-3, "bf16": 6e-3}


class Cutlass:
    """The library that cutlass.cu makes."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.version.restype = ctypes.c_char_p
        self.name = "CUTLASS " + self.library.version().decode()

    def ways(self, numbers, a, b, c):
        if numbers == "tf32":
            return []
        count = getattr(self.library, f"count_{numbers}")()
        return [(f"tile {which}", self.way(numbers, which, a, b, c)) for which in range(count)]

    def way(self, numbers, which, a, b, c):
        product = getattr(self.library, f"product_{numbers}")
        (m, k), n = a.shape, b.shape[1]
        pointers = [ctypes.c_void_p(x.data_ptr()) for x in (a, b, c)]

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            status = product(which, *pointers, m, n, k, stream)
            if status:
                raise RuntimeError(f"CUTLASS's tile {which} for {numbers}: {status}")

        return call


def samples_us(call, count):
    """The durations of launches that are all queued before the first of them begins, after one that is not timed."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    torch.cuda._sleep(1_000_000)
    call()
    for start, end in events:
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [round(start.elapsed_time(end) * 1e3, 3) for start, end in events]


def fastest(ways):
    """The way of least time in a short trial; those that do not fit on the GPU are left out."""
    tried = []
    for name, call in ways:
        try:
            call()
            torch.cuda.synchronize()
        except (RuntimeError, triton.runtime.errors.OutOfResources) as error:
            print(f"  {name}: {str(error)[:120]}", file=sys.stderr)
            continue
        tried.append((min(samples_us(call, 3)), name, call))
    return min(tried, key=lambda way: way[0])[1:]


def worst_error(a, b, c):
    """The largest error of C, as a share of the sum of the sizes of the products that are added up."""
    worst = 0.0
    for rows in range(0, a.shape[0], 2048):
        part = a[rows : rows + 2048].double()
        right, sizes = part @ b.double(), part.abs() @ b.double().abs()
        worst = max(worst, ((c[rows : rows + 2048].double() - right).abs() / sizes).max().item())
    return worst


def random_factor(rows, columns, kind, generator):
    values = torch.rand(rows, columns, dtype=torch.float64, device="cuda", generator=generator) * 2 - 1
    return values.to(kind)


def candidates(numbers, a, b, c, cutlass):
    yield "cublas_gemm", cublas_name(), lambda: torch.mm(a, b, out=c)
    for kernel, ways in products.ways(numbers, a, b, c, TensorDescriptor).items():
        name, call = fastest(ways)
        yield kernel, f"Triton {triton.__version__}, {name}", call
    if cutlass:
        ways = cutlass.ways(numbers, a, b, c)
        if ways:
            name, call = fastest(ways)
            yield "cutlass_gemm", f"{cutlass.name}, {name}", call


def cublas_name():
    version = ctypes.c_int()
    numbers = []
    library = ctypes.CDLL("libcublas.so.13")
    for which in range(3):
        library.cublasGetProperty(which, ctypes.byref(version))
        numbers.append(str(version.value))
    return f"cuBLAS {'.'.join(numbers)} through PyTorch {torch.__version__}"


def measure(numbers, shape, cutlass, generator):
    output, kind = TYPES[numbers]
    torch.backends.cuda.matmul.allow_tf32 = numbers == "tf32"
    m, n, k = shape
    a, b = random_factor(m, k, kind, generator), random_factor(k, n, kind, generator)
    c = torch.empty(m, n, dtype=kind, device="cuda")
    found = []
    for kernel, library, call in candidates(numbers, a, b, c, cutlass):
        c.fill_(float("nan"))
        call()
        error = worst_error(a, b, c)
        if not error <= MOST_ERROR[numbers]:
            sys.exit(f"{kernel} ({library}) at {shape} of {numbers} is wrong by {error}")
        print(f"{numbers} {shape} {kernel}: {library}, error {error:.1e}", file=sys.stderr)
        found.append((call, {
            "kernel": kernel if kernel == "cublas_gemm" else f"{kernel}_{numbers}", "shape": [m, n, k], "layout": "nn", "input": numbers, "output": output,
            "accumulate": "f32", "mode": "warm", "source_sha256": "", "ptx_sha256": "", "library": library,
            "grid": None, "block": None, "registers_per_thread": None, "worst_error": error, "samples_us": [],
        }))
    for _ in range(ROUNDS):
        random.shuffle(found)
        for call, point in found:
            point["samples_us"] += samples_us(call, TURN)
    return sorted((point for _, point in found), key=lambda point: point["kernel"])


def nvidia_smi(*what):
    query = ["nvidia-smi", "--id=0", "--format=csv,noheader,nounits", "--query-gpu=" + ",".join(what)]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip().split(", ")


def device():
    facts = torch.cuda.get_device_properties(0)
    driver, sm, memory, capped = nvidia_smi("driver_version", "clocks.sm", "clocks.mem", "clocks_event_reasons.sw_power_cap")
    is_h200 = facts.name == "NVIDIA H200"
    return {
        "name": facts.name, "slug": facts.name.lower().removeprefix("nvidia ").replace(" ", "-"),
        "compute_capability": f"{facts.major}.{facts.minor}", "multiprocessors": facts.multi_processor_count,
        "memory_bytes": facts.total_memory, "l2_bytes": facts.L2_cache_size,
        "peak_gb_per_s": 4800.0 if is_h200 else 0.0,
        "peak_source": "NVIDIA H200 datasheet" if is_h200 else "", "driver": driver,
        "cuda_version": torch.version.cuda,
        "clocks": {
            "sm_mhz": int(sm), "memory_mhz": int(memory),
            "throttle_reasons": ["software power cap"] if capped == "Active" else [],
        },
    }


def keep_ptx(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, ptx in products.compiled.items():
        ptx = re.sub(r'(\.file\s+\d+ ").*/', r"\1", ptx.split("\t.section\t.debug")[0])
        (folder / f"{name}.ptx").write_text(ptx)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    cutlass = Cutlass(sys.argv[2]) if len(sys.argv) == 3 else None
    generator = torch.Generator("cuda").manual_seed(1)
    random.seed(1)
    asked = [(numbers, shape) for numbers in TYPES for shape in SQUARES + (ODD if numbers == "f32" else [])]
    measured = [point for numbers, shape in asked for point in measure(numbers, shape, cutlass, generator)]
    head = {
        "schema": 1, "experiment": "libraries", "device": device(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": sys.argv[1], "tool": f"libraries.py with PyTorch {torch.__version__}, Triton {triton.__version__}",
    }
    # One measurement a line, as in the other records.
    lines = ",\n".join(json.dumps(point, separators=(",", ":")) for point in measured)
    print(json.dumps(head)[:-1] + ', "measurements": [\n' + lines + "\n]}")
    if "PTX" in os.environ:
        keep_ptx(os.environ["PTX"])


main()
