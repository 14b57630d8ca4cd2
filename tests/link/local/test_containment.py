"""The sandbox holds real bots that try everything, as root and as a user."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trio

from arena.link.local.build import build
from arena.link.local.containment import cgroup, kernel, namespaces
from arena.link.local.containment.readable import readable, told
from arena.link.local.process import running_bot
from arena.link.local.sandbox import Level, Needs, Sandbox
from tests.bots_for_tests import bot_folder, manifest
from tests.installed import require
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(
    kernel.landlock_abi() < 6, reason="this kernel does not have all restrictions (Linux 6.12 has)"
)

LEVELS = [
    Level.BASIC,
    pytest.param(
        Level.STRICT,
        marks=pytest.mark.skipif(
            bool(namespaces.missing()) and "CI" not in os.environ, reason=", ".join(namespaces.missing())
        ),
    ),
]
ROOT = Path(__file__).parents[3]
USER = 65534

# Runs a command as an ordinary user that may still find this Python, wherever it is installed; but where it
# is to be in namespaces, for bubblewrap refuses to run with capabilities.
AS_USER = """
    import ctypes, os, struct, sys
    libc = ctypes.CDLL(None)
    assert libc.prctl(8, 1, 0, 0, 0) == 0  # keep capabilities
    os.setgroups([]); os.setresgid({user}, {user}, {user}); os.setresuid({user}, {user}, {user})
    kept = {kept}  # CAP_DAC_READ_SEARCH, or none
    assert libc.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", kept, kept, kept, 0, 0, 0)) == 0
    assert not kept or libc.prctl(47, 2, 2, 0, 0) == 0
    os.execv(sys.argv[1], sys.argv[1:])
"""


def python_bot(folder: Path, program: str, *arguments: str) -> Path:
    place = bot_folder(folder, "bot", [sys.executable, "program.py", *arguments])
    (place / "program.py").write_text(textwrap.dedent(program))
    return place


def printed(level: Level, as_user: bool, *program: str) -> str:
    """The output of a bot, the probe or a program."""
    command = [sys.executable, "-m", "tests.link.local.probing", level, *program]
    if as_user:
        if level is Level.STRICT and not in_everybodys_reach(Path(sys.executable)):
            pytest.skip("an ordinary user does not find this Python")
        kept = 0 if in_everybodys_reach(Path(sys.executable)) else 4
        command = [sys.executable, "-c", textwrap.dedent(AS_USER.format(user=USER, kept=kept)), *command]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def probed(level: Level, as_user: bool) -> set[str]:
    """The attempts of a bot that succeeded."""
    could, _, after = printed(level, as_user).partition("\n")
    assert level is Level.NONE or after == "its supervisor could not be stopped\n"
    return set(json.loads(could))


def in_everybodys_reach(path: Path) -> bool:
    """Whether anybody may pass all folders on the way to a file."""
    return all(parent.stat().st_mode & 1 for parent in path.resolve().parents)


KINDS = [
    pytest.param(False, id="this user"),
    pytest.param(
        True,
        id="an ordinary user",
        marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user"),
    ),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("as_user", KINDS)
def test_a_bot_in_a_sandbox_can_do_nothing_of_what_it_should_not(as_user, level):
    own = {"write in /tmp"} if level is Level.STRICT else set()  # which is in its own memory
    assert probed(level, as_user) == own


@pytest.mark.parametrize("as_user", KINDS)
def test_without_a_sandbox_the_probe_can_do_much(as_user):
    could = probed(Level.NONE, as_user)
    assert {
        "read the secret file", "stop another", "dial TCP", "write outside", "make a session of its own",
        "leave its process group",
        "lock a file", "lock a record", "lock a record of an open file", "lease a file", "watch a folder",
        "watch a file", "watch outside", "hear messages of other programs",
        "ask for the sockets of this machine", "ask for its addresses",
        "enlarge a pipe", "enlarge a socket", "keep memory in a pipe", "pass an open file",
        "keep a page of a file in a pipe", "keep a page of a file in a socket",
        "keep a page of a pipe in another",
        "filter its own system calls", "filter a socket", "make a queue of files to read",
        "make a named pipe",
        "make a set of rules", "start a thread with open files of its own", "make a key",
        "give a thread open files of its own",
        "make a rule for its memory", "change what its programs are",
        "hide from its supervisor",
    } <= could  # fmt: skip


REACHES = """
    import pathlib, sys
    for path in sys.argv[1:]:
        try:
            with open(path + "/note", "a+") as note:
                note.write("x")
            print("writes", path, flush=True)
        except OSError:
            pass
        try:
            pathlib.Path(path, "bin", "run").read_text()
            print("reads", path, flush=True)
        except OSError:
            pass
"""


def test_this_python_is_readable_behind_whatever_links_it_lies(tmp_path, monkeypatch):
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(link))
    assert {str(link), os.readlink(link)} <= set(readable(["./program"], tmp_path / "bot"))


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_opens_no_way_out_by_links_and_paths_of_its_own(tmp_path, level):
    other = tmp_path / "other"
    (other / "bin").mkdir(parents=True)
    (other / "bin" / "run").write_text("#!/bin/sh\n")
    (other / "bin" / "run").chmod(0o755)
    paths = ["cache", "link", "missing", "../other", ".", "../other/bin/run", "./tool"]
    folder = python_bot(tmp_path, REACHES, *paths)
    (folder / "cache").mkdir()
    (folder / "link").symlink_to(other)
    (folder / "tool").symlink_to(other / "bin" / "run")
    needs = Needs(writable=("cache", "link", "missing"))

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=Sandbox(level, needs)) as bot:
            with trio.fail_after(PATIENCE):
                return await bot.wait()

    assert trio.run(main) == 0
    assert (tmp_path / "log").read_text().splitlines() == ["writes cache"]


LOCKS = """
    import fcntl, os
    with open(os.environ["HOME"] + "/file", "w+") as file:
        for lock in (fcntl.flock, fcntl.lockf):
            try:
                lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                print("locked", flush=True)
            except OSError as error:
                print(error.strerror, flush=True)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_locks_files_where_it_asks_and_may(tmp_path, level):
    folder = python_bot(tmp_path, LOCKS)

    async def main(locks):
        sandbox = Sandbox(level, Needs(locks=locks))
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=sandbox) as bot:
            with trio.fail_after(PATIENCE):
                return await bot.wait()

    assert [trio.run(main, locks) for locks in (False, True)] == [0, 0]
    assert (tmp_path / "log").read_text().splitlines() == 2 * ["No locks available"] + 2 * ["locked"]


JAVA = """
    class Keeps {
        public static void main(String[] arguments) throws Exception {
            java.io.File.createTempFile("kept", null);
            String home = System.getenv("HOME");
            System.out.println(home.equals(System.getProperty("java.io.tmpdir")));
            System.out.println(home.equals(System.getProperty("user.home")));
        }
    }
"""


@pytest.mark.parametrize("level", LEVELS)
def test_java_keeps_its_files_where_a_bot_may(tmp_path, level):
    require("java")
    folder = bot_folder(tmp_path, "bot", ["java", "Keeps.java"])
    (folder / "Keeps.java").write_text(JAVA)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=Sandbox(level)) as bot:
            with trio.fail_after(PATIENCE):
                return await bot.wait()

    assert trio.run(main) == 0, (tmp_path / "log").read_text()
    assert (tmp_path / "log").read_text().splitlines()[-2:] == ["true", "true"]


HOGS = {
    "memory at once": "bytearray(2 << 30)",
    "memory bit by bit": "kept = []\nwhile True: kept.append(bytearray(10 << 20))",
    "shared memory out of its tables": """
        import mmap, time
        kept = []
        for _ in range(20):
            kept.append(mmap.mmap(-1, 50 << 20))
            kept[-1].write(bytes(50 << 20))
            kept[-1].madvise(mmap.MADV_DONTNEED)
        time.sleep(1000)
    """,
    "shared memory": """
        import mmap
        kept = []
        while True:
            kept.append(mmap.mmap(-1, 100 << 20))
            kept[-1].write(bytes(100 << 20))
    """,
    "a big file": "import os\nopen(os.environ['HOME'] + '/big', 'wb').write(bytes(500 << 20))",
    "many files": """
        import os
        for number in range(1000):
            open(os.path.join(os.environ["HOME"], str(number)), "wb").write(bytes(10 << 20))
    """,
    "empty files": """
        import os, time
        for number in range(200_000):
            open(os.path.join(os.environ["HOME"], str(number)), "w").close()
        time.sleep(1000)
    """,
    "files without a name": """
        import os
        kept = []
        while True:
            path = os.path.join(os.environ["HOME"], "gone")
            kept.append(open(path, "wb"))
            os.unlink(path)
            kept[-1].write(bytes(10 << 20))
            kept[-1].flush()
    """,
    "processes": """
        import os, time
        for _ in range(400):
            if os.fork() == 0:
                time.sleep(1000)
        time.sleep(1000)
    """,
    "processes of processes": """
        import os, time
        while True:
            if os.fork() == 0:
                os.setpgid(0, 0)
            time.sleep(0.05)
    """,
    "folders with long names": """
        import os, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        for _ in range(20):
            os.mkdir("x" * 250)
            os.chdir("x" * 250)
        for number in range(100):
            open(str(number), "wb").write(bytes(10 << 20))
        time.sleep(1000)
    """,
    "folders that nobody may look into": """
        import os, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        os.mkdir("closed", 0o300)
        for number in range(100):
            open(f"closed/{number}", "wb").write(bytes(10 << 20))
        time.sleep(1000)
    """,
    "folders in folders": """
        import os, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        for _ in range(3000):
            os.mkdir("x", 0o300)
            os.chdir("x")
        time.sleep(1000)
    """,
    "files that are mapped": """
        import ctypes, os, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        for _ in range(100):
            with open("gone", "w+b", buffering=0) as file:
                file.write(bytes(10 << 20))
                size, start = ctypes.c_size_t(10 << 20), ctypes.c_size_t(0)
                ctypes.CDLL(None).mmap(None, size, 1, 2, file.fileno(), start)
            os.unlink("gone")
        time.sleep(1000)
    """,
    "files under way": """
        import os, socket, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        one, other = socket.socketpair()
        for _ in range(100):
            with open("gone", "wb") as file:
                file.write(bytes(10 << 20))
                file.flush()
                socket.send_fds(one, [b"x"], [file.fileno()])
            os.unlink("gone")
        time.sleep(1000)
    """,
    "files in a socket that moves": """
        import os, socket, time
        os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
        pairs = [socket.socketpair() for _ in range(20)]
        inner, end = socket.socketpair()
        for _ in range(60):
            with open("gone", "wb") as file:
                file.write(bytes(10 << 20))
                file.flush()
                socket.send_fds(inner, [b"x"], [file.fileno()])
            os.unlink("gone")
        end = end.detach()
        while True:
            for one, other in pairs:
                socket.send_fds(one, [b"x"], [end])
                os.close(end)
                time.sleep(0.01)
                end = socket.recv_fds(other, 1, 1)[1][0]
    """,
    "sockets of children": """
        import os, socket, time
        for _ in range(8):
            if os.fork() == 0:
                kept = []
                for _ in range(200):
                    kept += socket.socketpair()
                    kept[-1].setblocking(False)
                    try:
                        while True:
                            kept[-1].send(bytes(1 << 16))
                    except BlockingIOError:
                        pass
                time.sleep(1000)
        time.sleep(1000)
    """,
    "pipes of children": """
        import os, time
        for _ in range(20):
            if os.fork() == 0:
                for _ in range(240):
                    os.set_blocking(pipe := os.pipe()[1], False)
                    try:
                        os.write(pipe, bytes(1 << 16))
                    except BlockingIOError:
                        pass
                time.sleep(1000)
        time.sleep(1000)
    """,
    "tables of its memory": """
        import mmap, time
        size = 200 << 30
        kept = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | 0x4000, prot=mmap.PROT_READ)
        for place in range(0, size, 2 << 20):
            kept[place]
        time.sleep(1000)
    """,
    "threads": """
        import threading, time
        threading.stack_size(1 << 15)
        for _ in range(2000):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        time.sleep(1000)
    """,
}


ENDS = (
    "[the bot was ended: it ", "MemoryError", "File too large", "can't start new thread",
    "No space left on device", "Resource temporarily unavailable", "Too many references",
)  # fmt: skip


@pytest.mark.parametrize("as_user", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("hog", HOGS)
def test_a_bot_that_uses_too_much_is_ended_and_nothing_is_left(hog, level, as_user):
    code, _, said = printed(level, as_user, textwrap.dedent(HOGS[hog])).partition("\n")
    assert int(code) != 0
    assert any(reason in said for reason in ENDS), said


@pytest.mark.parametrize("as_user", KINDS)
def test_a_bot_cannot_take_all_threads_of_its_user(as_user):
    program = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])"
    code, said = map(int, printed(Level.BASIC, as_user, program).split())
    assert code == 0
    threads = sum(1 for _ in Path("/proc").glob("[0-9]*/task/*"))
    assert 0 < said < 2 * threads + 4000


HIDES = """
import os
os.chdir(os.path.dirname(os.environ["ARENA_LISTEN"][5:]))
with open(os.open("hidden", os.O_CREAT | os.O_WRONLY, 0o111), "wb") as file:
    file.write(open("/bin/sleep", "rb").read())
os.execv("hidden", ["hidden", "1000"])
"""


@pytest.mark.skipif(
    os.geteuid() != 0 or not in_everybodys_reach(Path(sys.executable)),
    reason="there is no ordinary user here that may read no more than others",
)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_hides_what_it_has_open_from_its_own_user_is_ended(level):
    assert "it hides what it has open" in printed(level, True, HIDES)


BUILDS = """
    import pathlib, socket, sys
    could = []
    for path in map(pathlib.Path, sys.argv[1:]):
        for action in (lambda: path.joinpath("secret").read_text(), path.joinpath("planted").touch):
            try:
                could.append(f"{path} {action()}")
            except OSError:
                pass
    socket.socket().close()  # it has the network
    pathlib.Path("could").write_text(" ".join(could))
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_build_reaches_its_own_folder_alone(tmp_path, monkeypatch, level):
    home, other = tmp_path / "home", tmp_path / "other"
    for folder in (home, other):
        folder.mkdir()
        (folder / "secret").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    bot = python_bot(tmp_path, BUILDS)
    with (bot / "bot.toml").open("a") as file:
        command = [sys.executable, "program.py", str(home), str(other)]
        file.write(f"[build]\ncommand = {json.dumps(command)}\n")
    said: list[str] = []
    assert trio.run(build, manifest(bot), said.append, Sandbox(level)) is not None, said
    assert "secret" not in (bot / "could").read_text()
    assert sorted(os.listdir(home)) == [".cache", "secret"]
    assert os.listdir(other) == ["secret"]


def test_namespaces_are_missing_where_proc_cannot_be_mounted():
    """So it is in a container that covers parts of /proc."""
    if namespaces.missing() or os.geteuid() != 0:
        assert "CI" not in os.environ, namespaces.missing()
        pytest.skip("only root can cover a part of /proc")
    ask = "from arena.link.local.containment import namespaces; print(namespaces.missing())"
    python = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", ask]
    for cover, found in ((["true"], "()\n"), (["mount", "-t", "tmpfs", "none", "/proc/tty"], "mount proc")):
        script = 'cover=$1; shift; $cover && exec "$@"'
        ran = subprocess.run(
            ["unshare", "--mount", "sh", "-c", script, "sh", " ".join(cover), *python],
            cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert found in ran.stdout, ran.stderr


def test_an_isolated_bot_has_a_system_of_its_own(tmp_path):
    if namespaces.missing():
        assert "CI" not in os.environ, namespaces.missing()
        pytest.skip(", ".join(namespaces.missing()))
    folder = python_bot(
        tmp_path,
        """
        import os
        print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[-1] < 10)
        print(os.path.exists("/var"), os.path.exists("/etc/shadow"), os.environ["HOME"])
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        print(*(int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")))
        print([line.split(":")[0].strip() for line in open("/proc/net/dev")][2:])
        """,
    )

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=Sandbox(Level.STRICT)) as bot:
            with trio.fail_after(PATIENCE):
                return await bot.wait()

    assert trio.run(main) == 0, (tmp_path / "log").read_text()
    assert (tmp_path / "log").read_text().splitlines() == [
        "True", "False False /tmp", "0 0 0 0", "['lo']",
    ]  # fmt: skip


def test_what_is_written_into_a_control_group():
    limits = cgroup.Limits(memory=1 << 30, processes=40, processors=2)
    assert limits.version_2() == {
        "memory.max": "1073741824",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "40",
        "cpu.max": "200000 100000",
    }
    usual = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "200000"}
    assert limits.version_1("cpu") == usual


def test_secrets_of_the_host_are_told_to_no_bot_and_no_build():
    variables = {"LANG": "C", "ARENA_LISTEN": "unix:/x", "ARENA_TOKEN": "the bot's own"}
    secret = {"ARENA_AUTHOR_TOKEN": "x", "ARENA_API_KEY": "x", "PYTHON_SECRET": "x", "PIP_PASSWORD": "x"}
    for network, building in ((False, False), (True, False), (True, True)):
        found = told(variables | secret, network, building)
        assert variables.items() <= found.items()
        assert not secret.keys() & found.keys()


def test_a_control_group_limits_all_and_goes_with_it(tmp_path):
    places = cgroup.places()
    if places is None:
        pytest.skip("no control group can be made here")
    group = cgroup.Group(places, cgroup.Limits(64 << 20, 100, 1))
    program = (  # the child holds its memory until the parent has taken its own, or was killed for it
        "import os; reads, writes = os.pipe(); child = os.fork(); "
        "child or os.close(writes); kept = bytearray(40 << 20); "
        "(os.close(writes), os.wait()) if child else os.read(reads, 1)"
    )
    hog = subprocess.run(
        [sys.executable, "-c", program], preexec_fn=group.join, capture_output=True, timeout=PATIENCE
    )
    assert hog.returncode != 0 or group.ran_out() == "memory"
    assert group.ran_out() == "memory"
    group.end()
    assert not [
        folder for parent in places.folders.values() for folder in parent.glob(f"arena-{os.getpid()}")
    ]


DIALS = """
    import os, pathlib, socket, sys, urllib.request
    port, path, registry = sys.argv[1:]
    could = []
    os.environ |= {"no_proxy": "", "NO_PROXY": ""}
    for address in ("127.0.0.1", socket.gethostname(), "0.0.0.0", "::1", "::ffff:127.0.0.1"):
        try:
            socket.create_connection((address, int(port))).close()
            could.append("dial " + address)
        except OSError:
            pass
    try:
        with socket.socket(socket.AF_UNIX) as service:
            service.connect(path)
            could.append("dial a Unix socket")
    except OSError:
        pass
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"http": "http://127.0.0.1:3128", "https": "http://127.0.0.1:3128"})
    )
    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.255.255.53", "2130706433"):
        for scheme in ("http", "https"):
            try:
                opener.open(f"{scheme}://{host}:{port}/")
                could.append(f"fetch {scheme}://{host}")
            except OSError as error:
                if "403" not in str(error) and "502" not in str(error):
                    could.append(f"reach {scheme}://{host}")
    if registry != "-":
        could.append(opener.open(registry).read().decode())
    pathlib.Path("could").write_text("\\n".join(could))
"""
"""Tries services of this machine and its networks, and a registry."""


@pytest.fixture
def served():
    """The port of a service of this machine."""

    class Service(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{self.path} of {self.headers['Host']}".encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_address[1]
        server.shutdown()


def what_a_build_could(folder: Path, level: Level, *arguments: object) -> list[str]:
    folder.mkdir()
    bot = python_bot(folder, DIALS)
    with socket.socket(socket.AF_UNIX) as service, (bot / "bot.toml").open("a") as file:
        service.bind(str(folder / "service"))
        (folder / "service").chmod(0o777)
        service.listen()
        command = [sys.executable, "program.py", *map(str, arguments)]
        command.insert(3, str(folder / "service"))
        file.write(f"[build]\ncommand = {json.dumps(command)}\n")
        file.flush()
        said: list[str] = []
        trio.run(build, manifest(bot), said.append, Sandbox(level))
        assert len(said) == 2, said
    return (bot / "could").read_text().splitlines()


@pytest.mark.parametrize("level", LEVELS)
def test_a_build_dials_no_service_of_this_machine_but_a_registry_that_is_configured(
    tmp_path, monkeypatch, level, served
):
    assert what_a_build_could(tmp_path / "none", level, served, "-") == []
    monkeypatch.setenv("PIP_INDEX_URL", f"http://localhost:{served}/simple/")
    index = f"http://localhost:{served}/simple/index"
    answer = f"/simple/index of localhost:{served}"
    could = what_a_build_could(tmp_path / "registry", level, served, index)
    assert could == ["fetch http://localhost", "reach https://localhost", answer]


@pytest.mark.parametrize("level", LEVELS)
def test_a_build_goes_by_the_proxy_of_the_host(tmp_path, monkeypatch, level, served):
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{served}")
    could = what_a_build_could(tmp_path / "proxy", level, served, "http://no-such-host.example/index")
    assert could[-1] == "http://no-such-host.example/index of no-such-host.example"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_build_of_an_ordinary_user_leaves_the_network(tmp_path):
    """Root has its network apart without a user namespace, and others with one."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from arena.link.local.containment import build_proxy; "
        "build_proxy.main('try'); print(len(open('/proc/net/route').readlines()))"
    )
    python = [sys.executable, "-c", program, str(ROOT)]
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(AS_USER.format(user=USER, kept=4)), *python],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("1\n", "")  # no route but the table's head
