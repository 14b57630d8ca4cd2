"""A program without gRPC plays by lines of JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.arena_command import arena
from tests.bots_for_tests import bot_folder

PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    decisions = []
    for turn in request["turns"]:
        CHOICE
        decisions.append({"table": turn["table"], "turn": turn["turn"], "action": action})
    print(json.dumps({"decisions": decisions}), flush=True)
"""


def checks(folder: Path, choice: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """What check-bot says of a program that chooses like this, by the names of the checks."""
    bot = bot_folder(folder, "bot", ["python", "-m", "arena.bot.lines", "--", sys.executable, "program.py"])
    (bot / "program.py").write_text(PROGRAM.replace("CHOICE", choice))
    done = arena("check-bot", bot, "--quick", "--game", "hyrule", "--json", cwd=folder, code=code)
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_a_program_plays_serves_joins_and_may_print(tmp_path):
    found = checks(tmp_path, 'print("thinking"); action = len(turn["hyrule"]["legalActions"]) - 1')
    assert {check["status"] for check in found.values()} <= {"passed", "skipped"}
    assert found["joins"]["status"] == "passed"


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("sys.exit(3)", "crash: broke off the stream: UNKNOWN: ProgramFailed: the program ended with exit"),
        ('print("{1}", flush=True); action = 0', "the program wrote b'{1}\\n', which is no answer"),
        ("action = 99", "illegal_action"),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_told_so(tmp_path, choice, told):
    found = checks(tmp_path, choice, code=1)
    assert told in found["plays hyrule"]["came"]
