"""The process that dials in for a person: what it tells the page, and when it gives a turn up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from arena.cli.page_seat import PersonsChair, main
from arena.store import League


class Pipe:
    """Keeps what the page is told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def tell(self, **news: Any) -> None:
        self.told.append(news)


def turn_of(number: int, time_left: float) -> Any:
    return SimpleNamespace(number=number, time_left=time_left, actions=["draw", "leave", "place"])


def test_a_choice_is_for_its_turn_alone():
    pipe = Pipe()
    chair = PersonsChair(pipe)  # type: ignore[arg-type]  # all that it uses
    for choice in ((6, 1), (7, 3), (7, -1), (7, 2)):
        chair.indices.put(choice)
    assert str(chair.chosen(turn_of(7, 60))) == "place"
    assert pipe.told == []


def test_a_turn_whose_time_is_over_is_given_up_and_said():
    pipe = Pipe()
    chair = PersonsChair(pipe)  # type: ignore[arg-type]  # all that it uses
    assert chair.chosen(turn_of(3, -0.2)) is None
    assert pipe.told == [{"kind": "late", "turn": 3}]


def test_where_nobody_waits_for_guests_that_is_said(tmp_path, monkeypatch, capfdbinary):
    League.create_or_open(tmp_path / "night.league").close()
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=SimpleNamespace(readline=lambda: b'{"token": "x"}\n'))
    )
    main(str(tmp_path / "night.league"))
    assert b"no tournament here waits for guests" in capfdbinary.readouterr().out
