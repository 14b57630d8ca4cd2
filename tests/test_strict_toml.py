"""TOML files are read in a time that grows in proportion to their length."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.strict_toml import WrongFile, parse, show

LONG = ".".join("a" * 30)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"[{LONG}]",
        f"[[ {LONG} ]]",
        " . ".join(["'a'", '"b"'] * 15) + " = 1",
        f"x = {{ {LONG} = 1 }}",
        f'x = {{ s = """b"""", {LONG} = 1, t = """"c""" }}',
        f"x = {{ s = '''b'''', {LONG} = 1, t = ''''c''' }}",
        f'x = "\\"" # "\n{LONG} = 1',
        f'x = """\\"""" # """\n{LONG} = 1',
    ],
)
def test_a_key_of_many_parts_is_refused(text: str) -> None:
    assert tomllib.loads(text)
    with pytest.raises(WrongFile, match="has more than 20 parts"):
        parse(text, Path("bot.toml"), WrongFile)


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{LONG}"',
        f"x = '{LONG}'",
        f'x = """\n{LONG}"{LONG}\\"{LONG}"""',
        f"x = '''\n{LONG}'{LONG}'''",
        f"# {LONG}",
        ".".join("a" * 20) + " = 1",
        f'x = ["a", "{LONG}", 1.5, 2026-12-01T19:00:00.5]',
    ],
)
def test_texts_and_comments_may_hold_as_many_dots_as_they_like(text: str) -> None:
    assert parse(text, Path("bot.toml"), WrongFile).values() == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * (1 << 20),
        '"' * (1 << 20),
        '"""' + '\\"""' * (1 << 18),
        "a" + " " * (1 << 20),
        "a." * 15 + "a" * 99,
    ],
)
def test_what_is_no_toml_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(WrongFile, match="not valid TOML"):
        parse(text, Path("bot.toml"), WrongFile)


def test_a_number_that_python_does_not_write_is_shown_all_the_same() -> None:
    assert show(1 << 20_000) == "a number of thousands of digits"


@pytest.mark.parametrize(
    ("text", "size"), [("512MiB", 512 << 20), ("2 GiB", 2 << 30), ("3MB", 3_000_000), ("1GB", 10**9)]
)
def test_sizes(text: str, size: int) -> None:
    top = parse(f'memory = "{text}"', Path("bot.toml"), WrongFile)
    assert top.size("memory", 5) == size
    assert top.size("disk", 5) == 5


@pytest.mark.parametrize(
    "text", ["", "512", "MiB", "-1MiB", "1.5GiB", "1KiB", "1  MiB", "12345678MiB", "1MiB\\n"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    top = parse(f'memory = "{text}"', Path("bot.toml"), WrongFile)
    with pytest.raises(WrongFile, match='memory must be a size such as "512MiB"'):
        top.size("memory", 5)
