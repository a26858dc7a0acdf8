"""Starts a participant's server, as that participant: sets limits that cannot be raised again, lays out the
notebooks, and becomes jupyterhub-singleuser. Written to target/hub by `cornerturn lab --hub`."""

import json
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(os.environ["CORNERTURN_HOME"])
GIB = 1 << 30


def limit():
    if "CORNERTURN_LIMITS" not in os.environ:
        # In a container the cluster limits all of it together.
        return
    limits = json.loads(os.environ["CORNERTURN_LIMITS"])
    hard = {
        resource.RLIMIT_AS: limits["memory_gib"] * GIB,
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_FSIZE: limits["memory_gib"] * GIB,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in hard.items():
        resource.setrlimit(name, (value, value))
    cores = sorted(os.sched_getaffinity(0))
    count = min(limits["cores"], len(cores))
    first = os.getuid() * count % len(cores)
    os.sched_setaffinity(0, {cores[(first + i) % len(cores)] for i in range(count)})


def lay_out(folder):
    """Brings the notebooks, beside what a participant has changed, never over it."""
    program = ROOT / "target/lab/bin/cornerturn"
    subprocess.run([program, "lab", "--copies", folder / "notebooks"], check=True)
    # The notebooks name these from where they are.
    for name in ("crate", "book", "kernels"):
        link = folder / name
        if not link.is_symlink() and not link.exists():
            link.symlink_to(ROOT / name)


def main():
    os.umask(0o077)
    limit()
    folder = pathlib.Path.home() / "corner-turn"
    folder.mkdir(mode=0o700, exist_ok=True)
    lay_out(folder)
    # Each participant's cells are compiled in a folder of their own.
    os.environ["CORNERTURN_CELLS"] = str(folder / ".cells")
    os.chdir(folder)
    program = str(pathlib.Path(sys.executable).parent / "jupyterhub-singleuser")
    os.execv(program, [program, *sys.argv[1:]])


main()
