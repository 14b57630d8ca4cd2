"""A program without gRPC plays by lines of JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bot.lines import Program
from arena.v1 import bot_pb2
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
        pytest.param("action = 99", "illegal_action", marks=pytest.mark.campaign),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_told_so(tmp_path, choice, told):
    found = checks(tmp_path, choice, code=1)
    assert told in found["plays hyrule"]["came"]


def answers_of(program: str, requests: int = 1) -> list[list[int]]:
    """The actions in the answers of a program that is only asked for them."""
    running = Program([sys.executable, "-c", program])
    return [[each.action for each in running.answer(bot_pb2.PlayRequest())] for _ in range(requests)]


@pytest.mark.parametrize(
    "written",
    [
        b'\xef\xbb\xbf{"decisions": [{"action": 7}]}',
        b' \t{"decisions": [{"action": 7}]}\r',
        b'\xef\xbb\xbf  {"decisions": [{"action": 7}]}  ',
        b'\n \n\xef\xbb\xbf\n{"decisions": [{"action": 7}]}',
    ],
)
def test_marks_and_blanks_around_an_answer_do_not_matter(written, capfd):
    line = written + b"\n"
    assert answers_of(f"import os; input(); os.write(1, {line!r}); input()") == [[7]]
    assert "no answer" not in capfd.readouterr().err


def test_what_is_no_answer_is_in_the_log_with_one_note(capfd):
    noise = "thinking\n" * 3 + "\ufeffmore\n"
    told = f"import sys\nfor line in sys.stdin: print({noise!r} + '{{}}', flush=True)"
    assert answers_of(told, 3) == [[]] * 3
    log = capfd.readouterr().err
    assert log.count("thinking") == 9
    note = "[this line is no answer, because it does not begin with {; this is said once]"
    assert log.splitlines()[:3] == ["thinking", note, "thinking"]
    assert log.count("said once") == 1


def test_unknown_fields_are_skipped_with_a_note(capfd):
    answer = json.dumps({"decisions": [{"action": 7, "why": "luck"}], "time": {"ms": [5]}})
    told = f"import sys\nfor line in sys.stdin: print({answer!r}, flush=True)"
    assert answers_of(told, 3) == [[7]] * 3
    assert (
        capfd.readouterr().err
        == "[an answer has an unknown field, which is skipped: why; this is said once]\n"
    )
