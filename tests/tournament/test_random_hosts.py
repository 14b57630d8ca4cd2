"""Whatever a host asks for, in whatever order games end: live, stored, shown and verified agree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.league.store import League
from tests.examples import tried
from tests.tournament.random_host import start
from tests.view.every_view import look_at_everything

_STEPS = 20
_FEW = 7


def play(path: Path, seed: str, looks: int, verifications: int, steps: int = _STEPS) -> None:
    """Plays a random tournament after so many steps to its end, and looks at its views and verifies it at so
    many of its moments."""
    rng = random.Random(seed)
    moments = [*range(steps + 2)]
    to_look, to_verify = rng.sample(moments, looks), rng.sample(moments, verifications)
    with League.create_or_open(path) as league:
        host = start(league, rng)
        try:
            for moment in moments:
                if moment < steps:
                    host.step()
                elif moment == steps:
                    host.play_on()
                    assert host.course.over
                elif not host.course.may_go_on:
                    league.finish_tournament(host.number)
                host.check()
                if moment in to_verify:
                    host.verify()
                if moment in to_look:
                    look_at_everything(path)
            host.verify()
        except Exception as failure:
            failure.add_note(f"random host {seed!r} did {host.history}")
            raise


@pytest.mark.parametrize("part", range(4))
def test_live_stored_and_verified_agree_at_every_step(tmp_path: Path, part: int) -> None:
    for number in range(tried(100)):
        steps = _FEW if number % 4 else _STEPS
        play(tmp_path / f"{number}.league", f"{part}/{number}", looks=0, verifications=2, steps=steps)


@pytest.mark.campaign  # `tests/view/test_every_view.py` has less of it for every day
def test_what_people_see_is_right_at_every_step(tmp_path: Path) -> None:
    for number in range(tried(12)):
        play(tmp_path / f"{number}.league", f"seen/{number}", looks=2, verifications=0)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(4))
def test_the_same_at_every_step_of_many_more(tmp_path: Path, part: int) -> None:
    for number in range(tried(40, deep=2_500)):
        looks = _STEPS + 2 if number % 20 == 0 else 0
        play(tmp_path / "some.league", f"more {part}/{number}", looks, verifications=_STEPS + 2)
        (tmp_path / "some.league").unlink()
