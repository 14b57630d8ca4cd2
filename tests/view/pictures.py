"""Makes the pictures of README.md again: `python -m tests.view.pictures [LEAGUE]`.

Without a league it plays the league night first. The pictures go to docs/pictures/.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from rich.console import Console

from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, good_bot
from tests.referee.nights import wait_for
from tests.view.browser import chromium, tab
from tests.view.served import served

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
MOMENT = "/games/1.2.2/kleftis/1.1?at=40"
SLOW = FIRST.replace("        return", "        time.sleep(0.3)\n        return").replace(
    "from arena", "import time\nfrom arena", 1
)
RUNNING = """
name = "League night"
boards = 1
concurrency = 10
[clock]
bank = "1h"
"""


def terminal(league: Path) -> None:
    """The first table and the last one of `arena standings`."""
    lines = arena("standings", league.name, cwd=league.parent).stdout.splitlines()
    typed = f"$ arena standings {league.name}"
    shown = [typed, *part(lines, "League night", ""), "", *part(lines, "Stage 1", "pl:"), "", "[...]", ""]
    shown += part(lines, "Final ranking", "95%:")
    console = Console(record=True, width=80, file=io.StringIO())
    console.print("\n".join(shown), markup=False, highlight=False)
    picture = console.export_svg(title="arena", unique_id="terminal")
    picture = re.sub(r"@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)  # no picture fetches fonts
    (FOLDER / "terminal.svg").write_text(picture, "utf-8")


def part(lines: list[str], first: str, last: str) -> list[str]:
    """The lines from one that begins with `first` up to one that begins with `last`."""
    begin = next(at for at, line in enumerate(lines) if line.startswith(first))
    end = next(at for at in range(begin, len(lines)) if lines[at].startswith(last))
    return lines[begin : end + 1]


def page(league: Path) -> None:
    """A moment of a replay."""
    with chromium() as browser, served(league) as server, tab(browser, 1280, 720) as view:
        view.goto(server.url + MOMENT)
        view.wait_for_load_state("networkidle")
        keep(view.screenshot(), "page.png")


def wall() -> None:
    """Running tables, of bots that take their time."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        bots = [good_bot(folder, each, SLOW) for each in ("lynx", "heron", "badger", "otter")]
        file = folder / "night.toml"
        file.write_text(RUNNING + "".join(f'[[entrant]]\nbot = "{bot}"\n' for bot in bots))
        league = folder / "night.league"
        night = subprocess.Popen([*ARENA, "run", file, "--league", league], stdout=subprocess.DEVNULL)
        try:
            wait_for(league.exists)
            with served(league) as server, tab(browser, 1200, 800, reduced_motion="reduce") as view:
                view.goto(f"{server.url}/tables")
                view.locator(".mini:nth-child(6) .acts").wait_for()
                view.wait_for_timeout(20_000)  # the games become interesting
                box = view.locator(".wall").bounding_box()
                last = view.locator(".mini:nth-child(6)").bounding_box()
                assert box is not None
                assert last is not None
                height = last["y"] + last["height"] - box["y"]
                keep(view.screenshot(clip={**box, "height": height}), "tables.png")
        finally:
            night.terminate()
            night.wait()


def keep(shot: bytes, name: str) -> None:
    """Stores a screenshot with few colours."""
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        league = Path(folder) / "league-night.league"
        if sys.argv[1:]:
            league = Path(sys.argv[1]).resolve()
        else:
            file = ROOT / "tournaments" / "league-night.toml"
            arena("run", file, "--seed", "README", "--league", league, cwd=ROOT)
        terminal(league)
        page(league)
    wall()
