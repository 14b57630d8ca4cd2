"""The native engine as a stranger installs it."""

from __future__ import annotations

from importlib.metadata import version

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


def test_it_installs_plays_a_night_as_python_does_and_verifies_it(installed_engine, tmp_path):
    (tmp_path / "night.toml").write_text(NIGHT.format(bots=installed_engine.folder / "bots"))
    engine = f"native engine {version('bot-arena')}"
    assert f"({engine})" in installed_engine.run([installed_engine.arena, "--version"])
    for name, surroundings in (("native", {}), ("python", {"ARENA_ENGINE": "python"})):
        words = ("run", "night.toml", "--seed", "s", "--league", f"{name}.league")
        installed_engine.run([installed_engine.arena, *words], tmp_path, **surroundings)
        for options, rules in (([], engine), (["--python"], "rules in Python")):
            said = installed_engine.run(
                [installed_engine.arena, "verify", f"{name}.league", *options], tmp_path
            )
            assert f": all is well\nreplayed by the {rules}\n" in said
    native, python = (records_in(tmp_path / f"{name}.league") for name in ("native", "python"))
    assert native
    assert native == python
