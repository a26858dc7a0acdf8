"""A workshop for hundreds: each participant's server is a pod of the image that `Containerfile` beside this file makes.

For a JupyterHub that runs on Kubernetes with the stock KubeSpawner. With *Zero to JupyterHub*, give the file to the
chart as `hub.extraConfig`; its own `singleuser.image` must then be left out. The hub must be of the image's version of
JupyterHub: `target/lab/venv/bin/jupyterhub --version` in the image.
"""

import os

c.JupyterHub.spawner_class = "kubespawner.KubeSpawner"
c.KubeSpawner.image = os.environ.get("CORNERTURN_IMAGE", "corner-turn:latest")
c.KubeSpawner.image_pull_policy = "IfNotPresent"
c.KubeSpawner.cmd = ["python3", "/srv/corner-turn/target/hub/server.py"]
# A node on which many start at once is slow.
c.KubeSpawner.args = ["--MappingKernelManager.kernel_info_timeout=300"]
c.KubeSpawner.start_timeout = 300
c.KubeSpawner.http_timeout = 120
c.KubeSpawner.notebook_dir = "~/corner-turn"
c.KubeSpawner.default_url = "/lab/tree/notebooks/exercises"

# All that a participant runs, together: a kernel with rust-analyzer takes 1 GiB, rustc half of one.
c.KubeSpawner.mem_guarantee = "2G"
c.KubeSpawner.mem_limit = "4G"
c.KubeSpawner.cpu_guarantee = 0.25
c.KubeSpawner.cpu_limit = 2
# What participants write is theirs and stays: each open notebook compiles in a folder of its own.
c.KubeSpawner.storage_pvc_ensure = True
c.KubeSpawner.pvc_name_template = "corner-turn-{user_server}"
c.KubeSpawner.storage_capacity = "4Gi"
c.KubeSpawner.storage_access_modes = ["ReadWriteOnce"]
c.KubeSpawner.volumes = [{"name": "home", "persistentVolumeClaim": {"claimName": "corner-turn-{user_server}"}}]
c.KubeSpawner.volume_mounts = [{"name": "home", "mountPath": "/home/participant"}]

# Nobody is root, becomes it, or speaks to the cluster.
c.KubeSpawner.uid = 1000
c.KubeSpawner.gid = 1000
c.KubeSpawner.fs_gid = 1000
c.KubeSpawner.allow_privilege_escalation = False
c.KubeSpawner.container_security_context = {"capabilities": {"drop": ["ALL"]}}
c.KubeSpawner.automount_service_account_token = False

# Limits for the hub itself: how many servers may start at a time, and when an idle one is ended.
c.JupyterHub.concurrent_spawn_limit = 20
