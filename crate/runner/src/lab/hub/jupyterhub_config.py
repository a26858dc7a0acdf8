"""A JupyterHub for a workshop: the notebooks of this project for everybody in the system group `cornerturn`.

`cornerturn lab --hub` writes this file to target/hub, over what was there. Your own settings belong into
target/hub/local.py, which knows `c` and `LIMITS` as this file does and is never written.

As it stands, nobody outside this machine reaches it: it listens on the loopback address. Before it listens
elsewhere, give it a certificate (in local.py, c.JupyterHub.bind_url, ssl_key, ssl_cert), or put a web server with
TLS in front of it: passwords pass through it.
"""

import importlib.util
import json
import os
import pathlib
import subprocess

HUB = pathlib.Path(__file__).resolve().parent
# Where this project and its Rust are: written by `cornerturn lab --hub`.
PATHS = json.loads((HUB / "paths.json").read_text("utf-8"))
VENV = pathlib.Path(PATHS["environment"])

# Kernels start from what was compiled for them. With another Rust they would compile it all, each for itself.
rust = subprocess.run([PATHS["rust"] + "/bin/rustc", "--version"], capture_output=True, text=True)
prepared = pathlib.Path(PATHS["root"]) / "target/evcxr/lab-prepared/prepared"
if not prepared.is_file() or prepared.read_text("utf-8").splitlines()[:2] != [rust.stdout.strip(), PATHS["rust"]]:
    raise SystemExit("the notebooks are prepared for another Rust, or not at all: run `cargo lab --hub` again")

# What one participant may use: memory in GiB, cores, processes and threads, seconds of a core for a process.
LIMITS = {"memory_gib": 4, "cores": 1, "processes": 512, "cpu_seconds": 1800}

# The state is the hub's alone: who holds the cookie secret is everybody.
STATE = HUB / "state"
STATE.mkdir(mode=0o700, exist_ok=True)
c.JupyterHub.db_url = f"sqlite:///{STATE}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.ConfigurableHTTPProxy.command = [str(HUB / "node_modules/.bin/configurable-http-proxy")]
c.JupyterHub.bind_url = "http://127.0.0.1:8000"

# Participants are users of this machine with a password, in this group. Nobody else gets in.
c.LocalAuthenticator.allowed_groups = {"cornerturn"}

# Each server starts as its participant, through a program that sets the limits and lays out the notebooks.
c.Spawner.cmd = [str(VENV / "bin/python3"), str(HUB / "server.py")]
c.Spawner.notebook_dir = "~/corner-turn"
c.Spawner.default_url = "/lab/tree/notebooks/exercises"
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120
# A room that opens its notebooks at the same moment on few cores needs longer than Jupyter's minute.
c.Spawner.args = ["--MappingKernelManager.kernel_info_timeout=300"]
c.Spawner.environment = {
    "PATH": os.pathsep.join([PATHS["rust"] + "/bin", str(VENV / "bin"), "/usr/local/bin", "/usr/bin", "/bin"]),
    # Everything that cells need has been fetched and compiled; it is read, never written.
    "CARGO_HOME": PATHS["cargo"],
    "CARGO_NET_OFFLINE": "true",
    "CORNERTURN_HOME": PATHS["root"],
}

if (HUB / "local.py").is_file():
    exec(compile((HUB / "local.py").read_text("utf-8"), str(HUB / "local.py"), "exec"))

c.Spawner.environment["CORNERTURN_LIMITS"] = json.dumps(LIMITS)
# With systemd, and its spawner installed beside JupyterHub, the system holds all of a participant's processes
# together to memory and cores. Without, memory is limited for each process, and the choice of cores could be undone.
if os.path.isdir("/run/systemd/system") and importlib.util.find_spec("systemdspawner"):
    c.JupyterHub.spawner_class = "systemdspawner.SystemdSpawner"
    c.SystemdSpawner.mem_limit = f"{LIMITS['memory_gib']}G"
    c.SystemdSpawner.cpu_limit = float(LIMITS["cores"])
    c.SystemdSpawner.isolate_tmp = True
else:
    c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
