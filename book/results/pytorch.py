"""Times PyTorch's transpose, `x.t().contiguous()`, as `cornerturn record` times kernels, and prints a record.

    python3 book/results/pytorch.py COMMIT > book/results/h200/pytorch.json

Each sample is one call between two CUDA events. Before each, a buffer of four times the L2 cache is written, so that
every byte comes from memory; the events and the call are queued while that write runs, so that no time of the host
lies between them. `dst.copy_(src)` of one contiguous tensor to another is the driver's device-to-device copy, and is
recorded as that. The result is compared with a transpose made by indexing.
"""

import datetime
import json
import subprocess
import sys
import time

import torch

SHAPES = {
    torch.float32: [(2048, 2048), (4096, 4096), (8192, 2048), (4097, 4095), (1000, 30000), (16384, 16384), (32768, 32768)],
    torch.float64: [(2048, 2048), (4096, 4096), (4097, 4095), (16384, 16384)],
}
NAMES = {torch.float32: "f32", torch.float64: "f64"}
# The same rule as the crate's `TimingOptions`.
SPREAD, LEAST, MOST, LONGEST_S, WARM_UP = 0.005, 30, 1000, 0.5, 3


def quantile(ordered, part):
    at = part * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def samples_us(call, flush):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    samples, begun = [], None
    for turn in range(WARM_UP + MOST):
        flush.zero_()
        start.record()
        call()
        end.record()
        end.synchronize()
        if turn < WARM_UP:
            continue
        begun = begun or time.monotonic()
        samples.append(round(start.elapsed_time(end) * 1e3, 3))
        if len(samples) >= LEAST:
            ordered = sorted(samples)
            half = (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / 2
            if half <= SPREAD * quantile(ordered, 0.5):
                break
        if time.monotonic() - begun > LONGEST_S:
            break
    return samples


def measurement(kernel, operation, x, samples):
    return {
        "kernel": kernel, "operation": operation, "element": NAMES[x.dtype],
        "rows": x.shape[0], "columns": x.shape[1], "mode": "cold",
        "bytes_moved": 2 * x.numel() * x.element_size(),
        "source_sha256": "", "ptx_sha256": "", "grid": None, "block": None,
        "library": f"PyTorch {torch.__version__}", "samples_us": samples,
    }


def measurements(flush):
    for dtype, shapes in SHAPES.items():
        for rows, columns in shapes:
            x = torch.randn(rows, columns, dtype=dtype, device="cuda")
            y = torch.empty_like(x)
            yield measurement("driver_copy", "copy", x, samples_us(lambda: y.copy_(x), flush))
            del y
            transposed = x.t().contiguous()
            column = columns // 2
            if not (transposed[column] == x[:, column]).all() or not torch.equal(transposed.t(), x):
                sys.exit(f"{rows} x {columns} of {dtype}: not the transpose")
            del transposed
            yield measurement("torch_contiguous", "transpose", x, samples_us(lambda: x.t().contiguous(), flush))
            del x
            torch.cuda.empty_cache()


def nvidia_smi(*what):
    query = ["nvidia-smi", "--id=0", "--format=csv,noheader,nounits", "--query-gpu=" + ",".join(what)]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip().split(", ")


def device():
    facts = torch.cuda.get_device_properties(0)
    driver, sm, memory = nvidia_smi("driver_version", "clocks.sm", "clocks.mem")
    is_h200 = facts.name == "NVIDIA H200"
    return {
        "name": facts.name, "slug": facts.name.lower().removeprefix("nvidia ").replace(" ", "-"),
        "compute_capability": f"{facts.major}.{facts.minor}", "multiprocessors": facts.multi_processor_count,
        "memory_bytes": facts.total_memory, "l2_bytes": facts.L2_cache_size,
        "peak_gb_per_s": 4800.0 if is_h200 else 0.0,
        "peak_source": "NVIDIA H200 datasheet" if is_h200 else "", "driver": driver,
        "cuda_version": torch.version.cuda,
        "clocks": {"sm_mhz": int(sm), "memory_mhz": int(memory), "throttle_reasons": []},
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    flush = torch.empty(max(4 * l2, 128 << 20), dtype=torch.uint8, device="cuda")
    measured = list(measurements(flush))
    head = {
        "schema": 1, "experiment": "pytorch", "device": device(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": sys.argv[1], "tool": f"pytorch.py with PyTorch {torch.__version__}",
    }
    # One measurement a line, as in the other records.
    lines = ",\n".join(json.dumps(m, separators=(",", ":")) for m in measured)
    print(json.dumps(head)[:-1] + ', "measurements": [\n' + lines + "\n]}")


main()
