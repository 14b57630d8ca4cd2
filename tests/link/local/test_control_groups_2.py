"""Control groups of version 2, in a small Linux of their own: the machine that tests may have version 1 only.

It is the kernel of the Debian package user-mode-linux, a program like any other; without it this is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from arena.link.local.containment import cgroup
from tests.patience import PATIENCE

KERNEL = shutil.which("linux.uml") or os.environ.get("LINUX_UML", "")
PYTHON = "/usr/bin/python3"

# The first process: one slice is handed on, and it runs in a scope of that, as systemd has it for a user's.
FIRST = """#!/bin/sh
PATH=/usr/bin:/bin:/usr/sbin:/sbin
mount -t proc proc /proc
mount -t tmpfs run /run
cp {folder}/cgroup.py {folder}/trial.py /run
mount -t sysfs sys /sys
mount -t cgroup2 none /sys/fs/cgroup
echo "+memory +pids +cpu" > /sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/user/scope
echo "+memory +pids +cpu" > /sys/fs/cgroup/user/cgroup.subtree_control
echo $$ > /sys/fs/cgroup/user/scope/cgroup.procs
{python} /run/trial.py
setpriv --reuid 65534 --clear-groups {python} /run/trial.py
cd /sys/fs/cgroup/user
chown 65534 . cgroup.procs cgroup.subtree_control scope scope/cgroup.procs
setpriv --reuid 65534 --clear-groups {python} /run/trial.py
mkdir /sys/fs/cgroup/unit
cd /sys/fs/cgroup/unit
chown 65534 . cgroup.procs cgroup.subtree_control
echo $$ > cgroup.procs
setpriv --reuid 65534 --clear-groups {python} /run/trial.py own
cd /
echo $$ > /sys/fs/cgroup/cgroup.procs
sh -c 'echo $$ > /sys/fs/cgroup/user/scope/cgroup.procs; exec unshare --cgroup --mount sh -c "
    umount /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; {python} /run/trial.py own"'
{python} /run/trial.py own
halt -f
"""

# As root, as a user to whom nothing is handed on, as one to whom it is, and where only the own group is.
TRIAL = """
import json, os, subprocess, sys
sys.path.insert(0, "/run")
import cgroup

HOG = (  # the child holds its memory until the parent has taken its own, or was killed for it
    "import os; reads, writes = os.pipe(); child = os.fork(); "
    "child or os.close(writes); kept = bytearray(40 << 20); "
    "(os.close(writes), os.wait()) if child else os.read(reads, 1)"
)
MANY = (
    "import os\\nfor n in range(100):\\n"
    "  try: os.fork() or os.read(os.pipe()[0], 1)\\n"
    "  except OSError: print(n, flush=True)"
)

def told(**what):
    print("TOLD", json.dumps(what), flush=True)

if "own" in sys.argv:
    assert cgroup.places() is None
    cgroup.become_parent()
    cgroup.become_parent()
places = cgroup.places()
if places is None:
    told(places=None)
    sys.exit()
folder = next(iter(places.folders.values())) / f"arena-{os.getpid()}"
(folder.parent / "arena-999999").mkdir()  # as who was killed leaves it

def run(program, limits):
    group = cgroup.Group(places, limits)
    command = [sys.executable, "-c", program]
    return group, subprocess.Popen(command, preexec_fn=group.join, stdout=subprocess.PIPE)

group, hog = run(HOG, cgroup.Limits(64 << 20, 100, 1))
hog.wait()
memory = group.ran_out()
group.end()
group, many = run(MANY, cgroup.Limits(512 << 20, 10, 2))
most = int(many.stdout.readline())
processor = (folder / "cpu.max").read_text().split()
group.end()
told(places=str(places), memory=memory, most=most, processor=processor, ended=many.wait(), left=[
    each.name for each in folder.parent.glob("arena-*")
])
"""


@pytest.mark.skipif(not KERNEL, reason="the package user-mode-linux is missing here: no linux.uml")
def test_version_2_limits_all_and_goes_with_it_as_root_and_where_it_is_handed_on(tmp_path):
    shutil.copy(cgroup.__file__, tmp_path)
    (tmp_path / "trial.py").write_text(TRIAL)
    first = tmp_path / "first"
    first.write_text(FIRST.format(folder=tmp_path, python=PYTHON))
    first.chmod(0o755)
    system = ["mem=512M", "rootfstype=hostfs", "rw", f"init={first}"]
    done = subprocess.run(
        [KERNEL, *system, "con=null", "con0=fd:0,fd:1", "quiet"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    told = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    had = {
        "places": "cgroup v2", "memory": "memory", "most": told[0]["most"], "processor": ["200000", "100000"],
        "ended": -9, "left": [],
    }  # fmt: skip
    # In a unit of systemd, in a container, and in the group of the whole machine, which stays as it is.
    own = [had, had, {"places": None}]
    assert told == [had, {"places": None}, had, *own], done.stdout
    assert told[0]["most"] < 10
