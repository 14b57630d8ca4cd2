"""Extensions of the pages: they fill what the page's own templates leave open; these know none of them."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from jinja2.nodes import Name

import arena.view
from arena.hosting.pages.mounted import extension as standing_extension
from arena.hosting.place import Place
from arena.seat.seats import EXTENSION as SEAT
from arena.steer.host import extension
from arena.view.views.view import rendered

TEMPLATES = sorted((Path(arena.view.__file__).parent / "templates").iterdir())
STANDING = standing_extension(Place(Path()))
EXTENSIONS = (STANDING, SEAT, extension(possible=True))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_of_the_page_asks_what_is_mounted_beside_it(template):
    text = template.read_text("utf-8")
    asked = {each.name for each in jinja2.Environment().parse(text).find_all(Name)}
    assert asked.isdisjoint(name for each in EXTENSIONS for name in each.values)
    addresses = [address for each in EXTENSIONS for address in each.unlisted]
    assert not [address for address in addresses if f'"{address}' in text]


def test_a_template_of_an_extension_stands_in_the_place_of_another_and_may_extend_it():
    values = {"site_name": "A league", "brand": "", "snapshot": None, "origin": "http://x", "games": ()}
    plain, standing = rendered("llms.txt", values), rendered("llms.txt", values, [STANDING.package])
    (more,) = set(standing.splitlines(True)) - set(plain.splitlines(True))
    assert more.startswith("- [What the host offers](http://x/environment): ")
    assert standing.replace(more, "") == plain
