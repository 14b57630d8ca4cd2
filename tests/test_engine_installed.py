"""The native engine as a stranger installs it."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.installed import require
from tests.native import records_in

NIGHT = """name = "night"
boards = 2
[[stage]]
format = "round-robin"
seats = 3
[[entrant]]
bot = "{bots}/greedy-python"
[[entrant]]
bot = "{bots}/random-python"
[[entrant]]
bot = "{bots}/thoughtful-python"
"""


@pytest.fixture
def with_engine(installed):
    """The installed arena, meanwhile with the engine."""
    require("rust")
    pip = [installed.venv / "bin" / "python", "-m", "pip"]
    shared = installed.sharing(installed.folder / "bots" / "hawk-rust")
    installed.run([*pip, "install", "--quiet", "./engine"], **shared)
    yield installed
    installed.run([*pip, "uninstall", "--quiet", "--yes", "bot-arena-engine"])


def test_it_installs_plays_a_night_as_python_does_and_verifies_it(with_engine, tmp_path):
    (tmp_path / "night.toml").write_text(NIGHT.format(bots=with_engine.folder / "bots"))
    engine = f"native engine {version('bot-arena')}"
    assert f"({engine})" in with_engine.run([with_engine.arena, "--version"])
    for name, surroundings in (("native", {}), ("python", {"ARENA_ENGINE": "python"})):
        words = ("run", "night.toml", "--seed", "s", "--league", f"{name}.league")
        with_engine.run([with_engine.arena, *words], tmp_path, **surroundings)
        for options, rules in (([], engine), (["--python"], "rules in Python")):
            said = with_engine.run([with_engine.arena, "verify", f"{name}.league", *options], tmp_path)
            assert f": all is well\nreplayed by the {rules}\n" in said
    native, python = (records_in(tmp_path / f"{name}.league") for name in ("native", "python"))
    assert native
    assert native == python
