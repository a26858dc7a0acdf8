"""Runs notebooks through the Jupyter protocol, as JupyterLab does, and prints what each cell gave.

A cell that ends with an error, or that writes to stderr, has failed, and one tagged `raises-exception` must fail. With a plan, the
notebook is edited first, as a reader would: a JSON object of

  about    one sentence
  cell     id of a cell; of the notebooks in a folder, the first that has it is run
  replace  list of {cell, old, new}: `old` must occur in that cell
  insert   list of {after, id, source, fails, prints}: a new code cell; `fails`: it must compile, and fail
           with this text; `prints`: its stdout holds this text

Several notebooks run in one kernel, one after another. Prints one JSON object a line for each and ends
with 0 if every cell ended as it must, 1 if not, 2 for bad usage.
"""

import argparse
import json
import pathlib
import queue
import re
import sys
import tempfile
import time

import jupyter_client.manager
import nbformat

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LAST_WORD = "cornerturn: that was all"
QUIET_SECONDS = 0.05
# After a cell of such a state the kernel takes no others.
ENDED = ("timeout", "dead")


class Usage(Exception):
    """The arguments, the plan and the notebook do not fit together."""


def main():
    parser = argparse.ArgumentParser(description="Runs notebooks through the Jupyter protocol.")
    parser.add_argument(
        "notebooks", type=pathlib.Path, nargs="+", help="notebooks, or with a plan a folder of them"
    )
    parser.add_argument("--kernel", default="rust", help="name of the kernel")
    parser.add_argument("--plan", type=pathlib.Path, help="JSON file of edits and expectations")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that a cell may take")
    arguments = parser.parse_args()
    try:
        plan = json.loads(arguments.plan.read_text("utf-8")) if arguments.plan else {}
        notebooks = []
        for path in arguments.notebooks:
            path = find(path, plan)
            notebooks.append((path, planned(nbformat.read(path, as_version=4).cells, plan)))
    except (OSError, ValueError, Usage) as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if run_all(notebooks, arguments) else 0


def run_all(notebooks, arguments):
    """Runs the notebooks in one kernel, or in another where that ended. Gives the number of problems."""
    kernel, problems = None, 0
    try:
        for path, cells in notebooks:
            if not cells:
                # There is only text in it.
                print(json.dumps({"notebook": path.name, "seconds": 0, "cells": [], "problems": []}), flush=True)
                continue
            started = time.monotonic()
            report = {"notebook": path.name, "kernel_start_seconds": None}
            if kernel is None:
                kernel = Kernel(arguments.kernel, path.parent)
                report["kernel_start_seconds"] = time.monotonic() - started
            else:
                # As in a new kernel, but for what takes long to start.
                execute(kernel.client, ":clear", arguments.timeout, {})
            report |= run(kernel, cells, arguments.timeout)
            report["seconds"] = time.monotonic() - started
            problems += len(report["problems"])
            print(json.dumps(report), flush=True)
            if any(cell["status"] in ENDED for cell in report["cells"]):
                kernel.close()
                kernel = None
    finally:
        if kernel is not None:
            kernel.close()
    return problems


def find(path, plan):
    """The notebook at a path, or in a folder the first that the plan is for."""
    if not path.is_dir():
        return path
    for candidate in sorted(path.glob("*.ipynb")):
        cells = nbformat.read(candidate, as_version=4).cells
        if any(cell.get("id") == plan.get("cell") for cell in cells):
            return candidate
    raise Usage(f"no notebook in {path} has a cell {plan.get('cell')!r}")


def planned(cells, plan):
    """The code cells as they will run: id, source, whether and how each must fail, what it prints."""
    code = []
    for cell in cells:
        if cell.cell_type == "code" and cell.source.strip():
            fails = "" if "raises-exception" in cell.metadata.get("tags", []) else None
            code.append({"id": cell.id, "source": cell.source, "fails": fails, "prints": None})

    def place(name):
        for index, cell in enumerate(code):
            if cell["id"] == name:
                return index
        raise Usage(f"the plan names a cell {name!r}, and the notebook has none")

    for edit in plan.get("replace", []):
        cell = code[place(edit["cell"])]
        if edit["old"] not in cell["source"]:
            raise Usage(f"the plan replaces {edit['old']!r}, which is not in {edit['cell']!r}")
        cell["source"] = cell["source"].replace(edit["old"], edit["new"])
    for new in plan.get("insert", []):
        cell = {key: new.get(key) for key in ("id", "source", "fails", "prints")}
        if isinstance(cell["source"], list):
            cell["source"] = "\n".join(cell["source"])
        code.insert(place(new["after"]) + 1, cell)
    return code


class Kernel:
    """A kernel that runs in a folder, and the way to it."""

    def __init__(self, name, folder):
        # What the kernel itself prints, apart from its cells, is told if it dies.
        self.log = tempfile.TemporaryFile()
        self.manager, self.client = jupyter_client.manager.start_new_kernel(
            startup_timeout=120,
            kernel_name=name,
            cwd=str(folder.resolve()),
            stdout=self.log,
            stderr=self.log,
        )

    def last_words(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")[-2000:]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.log.close()


def run(kernel, cells, timeout):
    """Runs the cells; stops at one after which the kernel is of no more use."""
    report = {"cells": [], "problems": []}
    results = {}
    for number, cell in enumerate(cells, 1):
        result = execute(kernel.client, cell["source"], timeout, results)
        result.update(id=cell["id"], number=number)
        report["cells"].append(result)
        if result["status"] == "dead":
            result["error"] += kernel.last_words()
        if result["status"] in ENDED:
            break
    else:
        last_word(kernel.client, timeout, results)
    for cell, result in zip(cells, report["cells"]):
        problem = judge(cell, result)
        if problem:
            report["problems"].append(f"cell {result['number']} ({cell['id']}): {problem}")
    return report


def execute(client, source, timeout, results):
    """Runs one cell. What comes late for an earlier cell is added to that cell's result."""
    started = time.monotonic()
    message = client.execute(source, allow_stdin=False)
    result = {"status": None, "error": "", "stdout": "", "stderr": "", "outputs": {}}
    results[message] = result
    idle = False
    while not idle:
        left = started + timeout - time.monotonic()
        if left <= 0:
            result["status"] = "timeout"
            break
        if not client.is_alive():
            result["status"] = "dead"
            break
        idle = take(client, min(left, 1), results) == (message, "idle")
    result["seconds"] = time.monotonic() - started
    # stderr comes by a way of its own, perhaps a moment after the rest.
    while idle and take(client, QUIET_SECONDS, results) is not None:
        pass
    if result["status"] is None:
        try:
            reply = client.get_shell_msg(timeout=max(1, started + timeout - time.monotonic()))
            while reply["parent_header"].get("msg_id") != message:
                reply = client.get_shell_msg(timeout=10)
            result["status"] = reply["content"]["status"]
        except queue.Empty:
            result["status"] = "timeout"
    return result


def take(client, seconds, results):
    """Takes one message of the kernel to its cell. The cell's and its state if it tells a state."""
    try:
        message = client.get_iopub_msg(timeout=seconds)
    except queue.Empty:
        return None
    parent = message["parent_header"].get("msg_id")
    kind, content = message["header"]["msg_type"], message["content"]
    result = results.get(parent)
    if result is None:
        return (None, None)
    if kind == "status":
        return (parent, content["execution_state"])
    if kind == "clear_output":
        # As JupyterLab does: at once, or when something else comes.
        result["clears"] = content["wait"]
        if not content["wait"]:
            clear(result)
    elif result.pop("clears", False):
        clear(result)
    if kind == "stream":
        result[content["name"]] += content["text"]
    elif kind in ("execute_result", "display_data"):
        result["outputs"].update(content["data"])
    elif kind == "error":
        text = "\n".join([content["evalue"], *content["traceback"]]) + "\n"
        result["error"] += COLOUR.sub("", text)
    return (parent, None)


def clear(result):
    """Takes away what a cell has shown: a word of what it waits for is none of its outputs."""
    result.pop("clears", None)
    result.update(error="", stdout="", stderr="", outputs={})


def last_word(client, timeout, results):
    """Has the kernel write to stderr: whatever any cell wrote there has come when this has."""
    word = {"status": None, "error": "", "stdout": "", "stderr": "", "outputs": {}}
    results[client.execute(f'eprintln!("{LAST_WORD}");', allow_stdin=False)] = word
    limit = time.monotonic() + timeout
    while time.monotonic() < limit and LAST_WORD not in word["stderr"]:
        take(client, 1, results)
        # It may have been counted to a cell before: then it is not that cell's.
        for result in results.values():
            if result is not word and LAST_WORD in result["stderr"]:
                result["stderr"] = result["stderr"].replace(LAST_WORD + "\n", "")
                return


def judge(cell, result):
    """What is wrong with how a cell ended, if anything."""
    if result["status"] == "timeout":
        return f"it was still running after {result['seconds']:.0f} s"
    if result["status"] == "dead":
        return f"the kernel died: {result['error']}"
    said = (result["error"] + result["stderr"]).strip()
    failed = result["status"] != "ok" or said != ""
    if cell["fails"] is None and failed:
        return f"it failed: {said}"
    if cell["fails"] is not None and not failed:
        return "it must fail, and did not"
    # Source that does not compile is quoted in the error: that must not pass for the failure meant.
    if cell["fails"] and cell["fails"] not in result["stderr"]:
        return f"it must fail as it runs and say {cell['fails']!r}: {said}"
    if cell["prints"] and cell["prints"] not in result["stdout"]:
        return f"it does not print {cell['prints']!r}: {result['stdout']}"
    return None


if __name__ == "__main__":
    sys.exit(main())
