#!/usr/bin/env python3
"""Runs the planted mistakes and their corrected twins on an NVIDIA GPU under compute-sanitizer.

    sanitizer.py run FAIL_FOLDER SCRATCH LOG DEADLINE_S [NAME...]
    sanitizer.py table OUTPUT.csv LOG...

FAIL_FOLDER holds the CUDA C++ with its descriptions and the PTX (`crate/emulator/tests/fail`). Needs nvcc, ptxas and
compute-sanitizer on the PATH, and launch.cpp beside this file. Each mistake runs in a process of its own, once with
each of the tools and once without any; the corrected twins of a file run one after the other in one process. What has
not begun after DEADLINE_S seconds is left out. With names, of the mistakes only these run. A table is made of one or more
logs; what a later log holds stands for what an earlier one held.
"""

import concurrent.futures
import csv
import datetime
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

TOOLS = ["none", "memcheck", "racecheck", "initcheck", "synccheck"]
WORKERS = 16
TIMEOUT_S = 20
# These never end, or wait at a barrier for ever, and no tool says so: less time, and after all others.
HANGING_TIMEOUT_S = 10
HANGING_THEMES = ["loops", "barriers"]
# In place of a name: all corrected twins of a theme.
TWINS = "corrected"
# In place of an exit status.
TIMED_OUT, NOT_RUN, NOT_ASSEMBLED = 124, 125, 126
# A report's first line as the tools of CUDA 13 write it, and the name in the table.
HEADLINES = [
    (r"Invalid __(\w+)__ \w+ of size", r"invalid \1 access"),
    (r"Access to 0x\w+ is misaligned", "misaligned"),
    (r"Uninitialized __(\w+)__ memory read", r"uninitialized \1 read"),
    (r"(?:Error|Warning): (?:Potential )?(?:Race|RAW|WAR|WAW)", "race"),
    (r"Uninitialized access to .* cudaMemcpy source", "unwritten output"),
    (r"Barrier error detected\. (.*?)\.?$", r"barrier: \1"),
    (r"Warp assert", "assert"),
    (r"Trace/breakpoint trap", "trap"),
    (r"Program hit \w+ .* call to (?:cuLaunchKernel|cuFuncSetAttribute)", "refused launch"),
]


def field(text, key):
    found = re.search(rf"^//# {key} (.*)$", text, re.M)
    return found and found.group(1)


def mistakes(folder):
    """(theme, name, launch of the mistake, launch of the twin)"""
    for path in sorted(folder.glob("*.cu")):
        for text in re.split(r"^(?=//# mistake )", path.read_text(), flags=re.M)[1:]:
            launch = field(text, "launch")
            yield path.stem, field(text, "mistake").split(":")[0], launch, field(text, "fixed") or launch


def command(name, launch):
    """The words by which launch.cpp knows a launch."""
    words = launch.split(" ")
    options = {"--grid": "1", "--block": "1", "--shared": "0"}
    specs = []
    for option, value in zip(words[::2], words[1::2]):
        if option == "--arg":
            specs.append(value)
        else:
            options[option] = value
    return [name, options["--grid"], options["--block"], options["--shared"], *specs]


def run(words, timeout):
    """Exit status and output."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return TIMED_OUT, process.communicate()[0]


def reports(log, theme):
    """Kinds of report, and lines of the theme's CUDA C++ that they name."""
    kinds, lines = [], []
    for line in log.splitlines():
        if not line.startswith("========="):
            continue
        for pattern, name in HEADLINES:
            found = re.search(pattern, line)
            if found:
                kind = found.expand(name)
                if kind not in kinds:
                    kinds.append(kind)
                break
        lines += [int(number) for number in re.findall(rf"{theme}\.cu:(\d+)", line)]
    return kinds, sorted(set(lines))


def jobs_of(folder, wanted):
    """(theme, mistake or TWINS, tool, words of the launches); what may hang comes last."""
    jobs, twins = [], {}
    for theme, name, launch, fixed in mistakes(folder):
        tools = TOOLS[:2] if theme == "loops" else TOOLS
        if not wanted or name in wanted:
            jobs += [(theme, name, tool, command(name, launch)) for tool in tools]
        twin = command(name, fixed)
        twins[theme] = twins[theme] + ["--"] + twin if theme in twins else twin
    jobs += [(theme, TWINS, tool, words) for theme, words in twins.items() for tool in TOOLS]
    jobs.sort(key=lambda job: job[0] in HANGING_THEMES and job[1] != TWINS)
    return jobs


def assemble(folder, scratch):
    """The complaint of ptxas for each PTX file, None where there is none."""
    complaints = {}
    for ptx in sorted(folder.glob("*.ptx")):
        words = ["ptxas", "-arch=sm_90", "-lineinfo", "-o", scratch / (ptx.stem + ".cubin"), ptx]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        complaints[ptx.stem] = None if result.returncode == 0 else result.stdout
    return complaints


def outcome(status, log):
    """What the program itself said in the end."""
    if status == TIMED_OUT:
        return "stopped after the time limit"
    if status == NOT_RUN:
        return "not run"
    if status == NOT_ASSEMBLED:
        return "refused by ptxas"
    own = [line for line in log.splitlines() if line and not line.startswith("=========")]
    return own[-1] if own else f"exit status {status}"


def answer(*words):
    lines = subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout.strip().splitlines()
    return lines[-1] if lines else "?"


def provenance():
    device = answer("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    tool, compiler = answer("compute-sanitizer", "--version"), answer("nvcc", "--version")
    return f"{device}; compute-sanitizer {tool}; nvcc {compiler}; {datetime.date.today()}"


def read(log):
    """The first line, and (theme, name, tool) -> (status, output)."""
    first, *parts = log.read_text().split("\n##### ")
    results = {}
    for part in parts:
        head, _, output = part.partition("\n")
        theme, name, tool, status = head.split(" ")
        if int(status) != NOT_RUN:
            results[theme, name, tool] = int(status), output
    return first, results


def table(output, logs):
    first, results = "", {}
    for log in logs:
        first, more = read(log)
        results.update(more)
    with output.open("w", newline="") as file:
        file.write(f"# {first}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["theme", "kernel", "corrected", "tool", "outcome", "reports", "lines"])
        for (theme, name, tool), (status, log) in sorted(results.items(), key=lambda item: item[0]):
            if name == TWINS and tool == "none":
                # What the GPU computed, for each.
                for line in log.splitlines():
                    rows.writerow([theme, line.split(" ")[0], 1, tool, line.partition(" ")[2], "", ""])
                continue
            kinds, lines = reports(log, theme)
            said = "" if name == TWINS else outcome(status, log)
            rows.writerow([theme, name, int(name == TWINS), tool, said, "; ".join(kinds), " ".join(map(str, lines))])


def run_all(folder, scratch, log, deadline_s, wanted):
    end = time.monotonic() + deadline_s
    scratch.mkdir(parents=True, exist_ok=True)
    program = scratch / "launch"
    source = pathlib.Path(__file__).with_name("launch.cpp")
    subprocess.run(["nvcc", "-O1", "-o", program, source, "-lcuda"], check=True)
    complaints = assemble(folder, scratch)
    def work(job):
        theme, name, tool, words = job
        module = theme if name != TWINS else theme + ".fixed"
        if complaints[module]:
            return job, NOT_ASSEMBLED, complaints[module]
        if time.monotonic() > end:
            return job, NOT_RUN, ""
        words = [str(program), str(scratch / (module + ".cubin")), str(int(tool == "initcheck")), *words]
        if tool != "none":
            words = ["compute-sanitizer", "--tool", tool, "--print-limit", "8", *words]
        hangs = name != TWINS and theme in HANGING_THEMES
        return job, *run(words, HANGING_TIMEOUT_S if hangs else TIMEOUT_S)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(work, jobs_of(folder, wanted)))
    with log.open("w") as file:
        file.write(provenance())
        for (theme, name, tool, _), status, output in results:
            file.write(f"\n##### {theme} {name} {tool} {status}\n{output}")


def main():
    verb, *rest = sys.argv[1:]
    if verb == "run":
        folder, scratch, log = map(pathlib.Path, rest[:3])
        run_all(folder, scratch, log, float(rest[3]), set(rest[4:]))
    else:
        output, *logs = map(pathlib.Path, rest)
        table(output, logs)


if __name__ == "__main__":
    main()
