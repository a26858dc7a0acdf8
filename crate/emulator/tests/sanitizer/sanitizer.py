#!/usr/bin/env python3
"""Runs the planted mistakes and their corrected twins on an NVIDIA GPU under compute-sanitizer.

    sanitizer.py FAIL_FOLDER SCRATCH OUTPUT.csv LOGS.txt DEADLINE_S [NAME...]

FAIL_FOLDER holds the CUDA C++ with its descriptions and the PTX (`crate/emulator/tests/fail`). Needs nvcc, ptxas and
compute-sanitizer on the PATH, and launch.cpp beside this file. Each mistake runs in a process of its own, once with
each of the tools and once without any; the corrected twins of a file run one after the other in one process. What has
not begun after DEADLINE_S seconds is left out.
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
# In place of an exit status.
TIMED_OUT, NOT_RUN, NOT_ASSEMBLED = 124, 125, 126
# A report's first line as the tools of CUDA 13 write it, and the name in the table.
HEADLINES = [
    (r"Invalid __(\w+)__ \w+ of size", r"invalid \1 access"),
    (r"Address 0x\w+ is misaligned", "misaligned"),
    (r"Uninitialized __(\w+)__ memory read", r"uninitialized \1 read"),
    (r"(?:Error|Warning): (?:Potential )?(?:Race|RAW|WAR|WAW)", "race"),
    (r"Barrier error detected\. (.*?)\.?$", r"barrier: \1"),
    (r"Device assert", "assert"),
    (r"(?:Program hit|Launch|launch) .*", "error of the driver"),
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
    """(theme, mistake or None for all twins of a theme, tool, words of the launches); what may hang comes last."""
    jobs, twins = [], {}
    for theme, name, launch, fixed in mistakes(folder):
        if wanted and name not in wanted:
            continue
        tools = TOOLS[:2] if theme == "loops" else TOOLS
        jobs += [(theme, name, tool, command(name, launch)) for tool in tools]
        twin = command(name, fixed)
        twins[theme] = twins[theme] + ["--"] + twin if theme in twins else twin
    jobs += [(theme, None, tool, words) for theme, words in twins.items() for tool in TOOLS]
    jobs.sort(key=lambda job: job[0] in HANGING_THEMES and job[1] is not None)
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


def write(output, results):
    device = answer("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    tool, compiler = answer("compute-sanitizer", "--version"), answer("nvcc", "--version")
    with output.open("w", newline="") as file:
        file.write(f"# {device}; compute-sanitizer {tool}; nvcc {compiler}; {datetime.date.today()}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["theme", "mistake", "tool", "outcome", "reports", "lines"])
        for (theme, name, tool, _), status, log in results:
            if name is None and tool == "none":
                # One row for each twin, with what the GPU computed.
                for line in log.splitlines():
                    rows.writerow([theme, line.split(" ")[0] + " corrected", tool, line.partition(" ")[2], "", ""])
                continue
            kinds, lines = reports(log, theme)
            name = name or "all corrected"
            rows.writerow([theme, name, tool, outcome(status, log), "; ".join(kinds), " ".join(map(str, lines))])


def main():
    folder, scratch, output, logs = map(pathlib.Path, sys.argv[1:5])
    end = time.monotonic() + float(sys.argv[5])
    scratch.mkdir(parents=True, exist_ok=True)
    program = scratch / "launch"
    source = pathlib.Path(__file__).with_name("launch.cpp")
    subprocess.run(["nvcc", "-O1", "-o", program, source, "-lcuda"], check=True)
    complaints = assemble(folder, scratch)
    def work(job):
        theme, name, tool, words = job
        module = theme if name else theme + ".fixed"
        if complaints[module]:
            return job, NOT_ASSEMBLED, complaints[module]
        if time.monotonic() > end:
            return job, NOT_RUN, ""
        words = [str(program), str(scratch / (module + ".cubin")), str(int(tool == "initcheck")), *words]
        if tool != "none":
            words = ["compute-sanitizer", "--tool", tool, "--print-limit", "8", *words]
        hangs = name and theme in HANGING_THEMES
        return job, *run(words, HANGING_TIMEOUT_S if hangs else TIMEOUT_S)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(work, jobs_of(folder, set(sys.argv[6:]))))
    results.sort(key=lambda result: (result[0][0], result[0][1] or "~", TOOLS.index(result[0][2])))
    write(output, results)
    with logs.open("w") as file:
        for (theme, name, tool, _), status, log in results:
            file.write(f"##### {theme} {name} {tool} {status}\n{log}\n")


if __name__ == "__main__":
    main()
