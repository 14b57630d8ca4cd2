"""The emblems of bots."""

from __future__ import annotations

import re
from importlib import resources

from hypothesis import given
from hypothesis import strategies as st

from arena.face import COLOUR_NAMES, Face, in_blocks
from arena.league.store import League
from arena.view.pictures.emblem import COLOURS, Emblem, emblem_of, emblems_of
from arena.view.pictures.language import mark_of
from tests.view.served import HOSTILE, begin, served


def rows(name: str) -> list[str]:
    """The pattern of a name's emblem, a text for each row."""
    squares = emblem_of(name).squares
    return ["".join("#" if (column, row) in squares else "." for column in range(5)) for row in range(5)]


@given(st.text())
def test_an_emblem_is_symmetrical_and_neither_empty_nor_full(name):
    assert 0 <= emblem_of(name).hue < len(COLOURS)
    assert [row[::-1] for row in rows(name)] == rows(name)
    assert 6 <= "".join(rows(name)).count("#") <= 20


def test_an_emblem_never_changes():
    """Emblems are known from earlier nights, so a name keeps its own for good."""
    assert emblem_of("greedy").hue == 7
    assert rows("greedy") == [".....", "##.##", "#...#", ".....", "#####"]
    assert emblem_of("greedy").path == "M0 1h2v1h-2zM3 1h2v1h-2zM0 2h1v1h-1zM4 2h1v1h-1zM0 4h5v1h-5z"


def test_names_have_different_patterns():
    """Not by the hue alone: 200 bots of a league night have at least 190 patterns."""
    assert len({emblem_of(f"bot {number}").path for number in range(200)}) > 190


SPADE = "..#..\n.###.\n#####\n..#..\n.###."


def test_an_emblem_of_the_authors_own():
    assert len(COLOUR_NAMES) == len(COLOURS)
    drawn = emblem_of("greedy", f"{SPADE}\npurple")
    assert (drawn.hue, drawn.path) == (10, "M2 0h1v1h-1zM1 1h3v1h-3zM0 2h5v1h-5zM2 3h1v1h-1zM1 4h3v1h-3z")
    assert emblem_of("greedy", SPADE).hue == emblem_of("greedy").hue
    assert in_blocks(SPADE) == " ▄█▄ \n▀▀█▀▀\n ▀▀▀ "


DRAWN = st.text("#.", min_size=25, max_size=25).map(lambda text: "\n".join(re.findall(".{5}", text)))


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["", " v1", " v2"])), unique=True), DRAWN
)
def test_the_emblems_of_a_tournament_are_different_but_for_the_versions_of_a_bot(bots, drawn):
    """The first one is as it is drawn, and a bot that comes later changes none."""
    named = [(name + version, f"{drawn}\nteal") for name, version in bots]
    found = emblems_of(named)
    assert found[:1] == [emblem_of(*each) for each in named[:1]]
    assert all(emblems_of(named[:count]) == found[:count] for count in range(len(named)))
    owners: dict[Emblem, set[str]] = {}
    for (name, _), emblem in zip(bots, found, strict=True):
        owners.setdefault(emblem, set()).add(name)
    assert all(len(each) == 1 for each in owners.values())
    if "#" in drawn:
        assert len(owners) == len({name for name, _ in bots})


def test_a_tournament_of_copies_has_as_many_emblems():
    copies = emblems_of((f"copy {number}", f"{SPADE}\nteal") for number in range(48))
    assert len(set(copies)) == 48
    assert {each.hue for each in copies} == {*range(len(COLOURS))}
    assert len(emblems_of((f"copy {number}", f"{SPADE}\nteal") for number in range(60))) == 60


def test_a_language_has_a_mark():
    assert mark_of("C++") == mark_of("cpp") == ("C++", "C++")
    assert mark_of("typescript") == ("TS", "TypeScript")
    assert mark_of("<b>rainfuck") == ("Br", "<b>rainfuck")
    assert mark_of("") is mark_of("?!") is None


def test_the_page_shows_the_authors_emblem_and_the_language_everywhere(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        for face in (Face("go", f"{SPADE}\npurple"), Face(HOSTILE[:40])):
            number, _ = begin(league, "name = 'night'\n", ("greedy", "other"))
            league.keep_faces(number, {0: face})
    path_of, made = emblem_of("greedy", SPADE).path, emblem_of("greedy").path
    with served(path) as page:
        for view in ("bots", "bots/1", "standings"):
            text = page.get(f"/nights/1/{view}")
            assert f'hue-10" viewBox="-1 -1 7 7" aria-hidden="true"><path d="{path_of}"' in text
            assert made not in text
            assert re.search(r'<abbr class="mark[^>]*title="Go">Go</abbr>', text)
        text = page.get("/bots/1")
        assert made in text
        assert 'title="&lt;script&gt;' in text
        assert 'title="<script>' not in text


def test_the_page_has_the_same_hues():
    style = (resources.files("arena.view") / "assets" / "page.css").read_text("utf-8")
    assert re.findall(r"\.hue-(\d+) \{ --hue: light-dark\((#\w+),", style) == [
        (str(number), colour) for number, colour in enumerate(COLOURS)
    ]
