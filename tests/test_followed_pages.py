"""README.md, bots/README.md and the pages of docs/ are followed to the letter, as a stranger does it.

The stranger clones the arena into an empty folder and installs it there by the line of the README. Then each
page is followed from top to bottom, in a clone of its own: what its blocks of shell commands say is typed,
and a block of Python or TOML is written to the file that the paragraph before it names last. What is not
typed as it stands is listed here, and nothing else:

* `ELSEWHERE`: what needs another machine, a place that only the reader knows, or a tournament that is
  being played, is left out. So is what runs all these tests, and what tests/hosting/test_followed.py types.
* `SHORTER`: what takes long is given options with which it plays less.
* What goes on until Ctrl-C is ended by it as soon as its page is served, or it listens.
* Where a tournament waits for a guest, one comes: `greedy-python`.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.link.local.bot_manifest import read_bot_manifest
from tests.docs import DOCS, ROOT, text_of
from tests.installed import Installed, cloned, require

PATIENCE = 1800.0  # for a statement: a league night, or a bot that is built, on a machine however busy
ELSEWHERE = (
    r"python3 -m venv ",  # `installed` has done so, as .ci/readme does
    r"git clone ",
    r"10\.0\.0\.1|localhost:8786|dask scheduler|kubectl|HOST:PORT|export DASK",
    r"arena (host|club) ",
    r"--with bots/hawk-rust",  # tests/bots/test_hawk.py has it built
    r"pip install \./engine",  # `installed_engine` does so
)
FAST = ["docs/analysing.md"]  # followed last, with the native engine, for the rules in Python take minutes
SHORTER = {
    r"arena analyse ": "--worlds 8",
    r"arena compare ": "--boards 2",
    r"arena check-bot ": "--quick",
    r"arena bench": "--quick",
}
UNTIL_CTRL_C = r"arena serve |--serve"
LEFT = {r"arena play ": 130, r"arena resume ": 2}  # nobody is there to play, and nothing was stopped

_FILE = re.compile(r"`([\w./-]+\.(?:py|toml))`")
_OWN_BOT = re.compile(r"arena check-bot (my-\w+)")
_GUEST = re.compile(r"ARENA_TOKEN=(\S+) arena join (\S+)\n")


def blocks(page: str) -> Iterator[tuple[str, str, str]]:
    """The blocks of a page: the language, the text, and the paragraph before it."""
    for before, language, text in re.findall(
        r"((?:[^\n]+\n)*)\n*^```(sh|python|toml)\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL
    ):
        yield language, text, before


def statements(block: str) -> Iterator[str]:
    """The statements of a block, of one or more lines each."""
    statement = ""
    for line in block.splitlines(keepends=True):
        statement += line
        if subprocess.run(["bash", "-n", "-c", statement], capture_output=True).returncode == 0:
            yield statement.strip()
            statement = ""
    assert not statement, f"this is no statement: {statement}"


def test_the_statements_of_a_block():
    block = "a 'b\nc'  # d\nwhile x; do\n  y\ndone\nz\n"
    assert [*statements(block)] == ["a 'b\nc'  # d", "while x; do\n  y\ndone", "z"]


def test_the_blocks_of_a_page_and_the_files_they_are_written_to():
    named = {
        _FILE.findall(before)[-1]
        for kind, _, before in blocks("README.md")
        if kind != "sh" and _FILE.findall(before)
    }
    assert named == {"my-bot/bot.py", "my-bot/bot.toml", "friday.toml"}


PYTHON_BOTS = [
    path.parent.name
    for path in sorted(ROOT.glob("bots/*/bot.toml"))
    if read_bot_manifest(path.parent).language == "python"
]


@pytest.mark.parametrize("bot", PYTHON_BOTS)  # for the others see tests/bots/test_languages.py, test_hawk.py
def test_every_python_example_of_the_clone_passes_the_checkup(bot, installed, tmp_path):
    Stranger(installed, installed.folder, tmp_path).type(f"arena check-bot bots/{bot}")


@pytest.mark.parametrize(
    "page", ["README.md", "bots/README.md", *(page for page in DOCS if page not in FAST), *FAST]
)
def test_a_page_can_be_followed(page, installed: Installed, tmp_path, request):
    here = [(kind, text, before) for kind, text, before in blocks(page) if kind != "sh" or typed(text)]
    if not any(kind == "sh" for kind, _, _ in here):
        return
    if any("arena init-bot go " in text for _, text, _ in here):
        require("go")
    if page in FAST:
        request.getfixturevalue("installed_engine")
    stranger = Stranger(
        installed, installed.folder if page == "README.md" else cloned(tmp_path / "arena"), tmp_path
    )
    for kind, text, before in here:
        if kind == "sh":
            for statement in typed(text):
                stranger.type(statement)
        elif names := _FILE.findall(before):
            file = stranger.folder / names[-1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")


def typed(block: str) -> list[str]:
    """What of a block is typed."""
    return [each for each in statements(block) if not any(re.search(left, each) for left in ELSEWHERE)]


class Stranger:
    """Somebody with a terminal in a folder.

    Attributes:
        folder: where they are.
    """

    def __init__(self, installed: Installed, folder: Path, notes: Path) -> None:
        self.folder = folder
        self._installed = installed
        self._notes = notes  # where it is kept which folder that is

    def type(self, statement: str) -> None:
        """Runs a statement; it has to succeed."""
        for pattern, options in SHORTER.items():
            if re.search(pattern, statement):
                command, comment, rest = statement.partition("  #")
                statement = f"{command} {options}{comment}{rest}"
        where = self._notes / "folder"
        ends = re.search(UNTIL_CTRL_C, statement)
        codes = {0} | {code for pattern, code in LEFT.items() if re.search(pattern, statement)}
        said = ""
        with contextlib.ExitStack() as going:
            types = ["bash", "-euo", "pipefail", "-c", f"trap 'pwd > {where}' EXIT\n{statement}"]
            shared = [self._installed.sharing(self.folder / bot) for bot in _OWN_BOT.findall(statement)]
            process = going.enter_context(self._started(types, **(shared[0] if shared else {})))
            late = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
            late.start()
            going.callback(late.cancel)
            assert process.stdout is not None
            for line in process.stdout:
                said += line
                if guest := _GUEST.search(line):
                    token, address = guest.groups()
                    joins = [self._installed.arena, "join", address, str(ROOT / "bots" / "greedy-python")]
                    going.enter_context(self._started(joins, ARENA_TOKEN=token))
                if ends and (page := re.search(r"http://\S+", line)):
                    urllib.request.urlopen(page[0], timeout=PATIENCE).close()
                    os.killpg(process.pid, signal.SIGINT)
                    codes.add(130)
                    ends = None
            code = process.wait()
        assert code in codes, f"$ {statement}\n{said}\nended with code {code}"
        assert "Traceback" not in said, said
        self.folder = Path(where.read_text("utf-8").rstrip("\n"))

    @contextlib.contextmanager
    def _started(self, command: list[str], **told: str) -> Iterator[subprocess.Popen[str]]:
        """A process, of which nothing is left afterwards."""
        with subprocess.Popen(
            command, cwd=self.folder, env=self._installed.surroundings | told, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
