"""Kits: finds the example bots and the protocol files, and copies them for new authors.

In an installed arena they are package data beside this module; in its source
tree they are the top folders `bots/` and `proto/`, which exist only once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.containment.readable import package_folder
from arena.link.local.containment.readable import proto_folder as proto_folder
from arena.link.local.ignored import NEVER, IgnoreList
from arena.names import did_you_mean, name_problem

_PROTO = "proto"
_WORKFLOW = "arena-submit.yml"
_AUTHOR = '"the arena"'  # of the examples, as bot.toml and the source have it

WORKFLOW = Path(".github", "workflows", _WORKFLOW)
"""The workflow in a new bot's folder with which GitHub submits it; it does nothing until it is set up."""


class KitError(ValueError):
    """A bot cannot be written as asked; the text says in one sentence why."""


class Kit(NamedTuple):
    """The example bot of a language, from which new bots are made.

    Attributes:
        language: the language as `arena init-bot` takes it.
        title: the language as people write it.
        needs: the toolchain to install to build and run the bot.
        folder: the example's folder in `kits_folder()`.
        source: the file in it whose source has the bot's name, once, and its author.
        strategy: the file in it that chooses the actions.
        proto: whether the bot is built from the .proto files.
        head: what a tournament file says for such a bot, before its entrants.
    """

    language: str
    title: str
    needs: str
    folder: str
    source: str
    strategy: str
    proto: bool = True
    head: str = ""


KITS: dict[str, Kit] = {
    kit.language: kit
    for kit in (
        Kit(
            "python",
            "Python",
            "the Python that runs the arena",
            "first-python",
            "first_bot.py",
            "first_bot.py",
            proto=False,
        ),
        Kit("go", "Go", "Go 1.26 or newer", "gopher-go", "main.go", "strategy/strategy.go"),
        Kit(
            "rust", "Rust", "Rust 1.88 or newer, with cargo", "crab-rust", "src/runtime.rs", "src/strategy.rs"
        ),
        Kit(
            "java",
            "Java",
            "a JDK, 17 or newer, and Maven",
            "duke-java",
            "src/main/java/duke/runtime/Main.java",
            "src/main/java/duke/Strategy.java",
        ),
        Kit(
            "typescript",
            "TypeScript",
            "Node.js 20 or newer, with npm",
            "owl-typescript",
            "src/strategy.ts",
            "src/strategy.ts",
        ),
        Kit(
            "cpp",
            "C++",
            "a C++20 compiler, CMake, gRPC and the protobuf compiler",
            "falcon-cpp",
            "src/main.cpp",
            "src/strategy.cpp",
        ),
        Kit(
            "llm",
            "Python for a language model",
            "the address of a model",
            "llm-python",
            "llm/bot.py",
            "llm/prompt.py",
            proto=False,
            head='[clock]\nbank = "10m"\nmove = "30s"\n[allow]\nnetwork = true\n',
        ),
    )
}
"""The kits by language."""


def kits_folder() -> Path:
    """The folder that holds the example bots."""
    return proto_folder().with_name("bots")


def missing_part(error: OSError) -> str | None:
    """What to do about a file of the arena itself that is missing, in a sentence; None for another error."""
    lost = error.filename if isinstance(error, FileNotFoundError) else None
    for own in (package_folder(), kits_folder(), proto_folder()):
        if isinstance(lost, str) and Path(lost).is_relative_to(own):
            return _incomplete(Path(lost))
    return None


def _require(*parts: Path) -> None:
    """Raises KitError if a part of the arena itself is missing."""
    for part in parts:
        if not part.exists():
            raise KitError(_incomplete(part))


def _incomplete(lost: Path) -> str:
    return f"this installation of the arena is not complete, {lost} is missing: install the arena again"


def _require_name(name: str) -> None:
    problem = name_problem(name)
    if problem is not None:
        raise KitError(f"{name!r} cannot be the name of a bot: it {problem}; give another with --name")


def find_kit(language: str) -> Kit:
    """The kit of a language, named as in `KITS` or by its title. Raises KitError for another."""
    for kit in KITS.values():
        if language.casefold() in (kit.language, kit.title.casefold()):
            return kit
    raise KitError(f"there is no example bot in {language!r}; {did_you_mean(language.casefold(), KITS)}")


def write_bot(kit: Kit, folder: Path, name: str, llms_txt: str) -> None:
    """Writes a copy of an example bot with a new name, the protocol files, a workflow, texts for models.

    The texts are `llms-full.txt`, and `llms.txt`, which says what each file is (https://llmstxt.org).

    The new bot names no author.

    Args:
        kit: the example.
        folder: where to write; it must not exist, or be empty.
        name: the new bot's name, 1 to 40 printable characters.
        llms_txt: the whole text for assistants.

    Raises KitError if that cannot be done.
    """
    _require_name(name)
    example = kits_folder() / kit.folder
    _require(example, kits_folder() / _WORKFLOW, *_proto_parts())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise KitError(f"{folder} is not empty; give a folder that does not exist yet")
        copy_example(example, folder)
        _copy(kits_folder() / _WORKFLOW, folder / WORKFLOW)
        _rename(folder, kit, name)
        (folder / "llms-full.txt").write_text(llms_txt, "utf-8")
        (folder / "llms.txt").write_text(_links(kit, name), "utf-8")
    except OSError as error:
        raise KitError(f"{folder} cannot be written: {error.strerror or error}") from None


def _links(kit: Kit, name: str) -> str:
    """The text of `llms.txt`."""
    files = {
        "README.md": "how to build, test and run the bot",
        kit.strategy: "chooses the actions; the rest need not change",
        "bot.toml": "how the arena builds and starts the bot",
        "llms-full.txt": "all about bots: commands, guide, reference, rules of the games, protocol",
    }
    lines = [f"- [{path}]({path}): {what}" for path, what in files.items()]
    return "\n".join(
        (
            f"# {name}",
            "",
            f"> A bot in {kit.title} for the bot arena, a referee that lets bots play card games.",
            "",
            "## Files",
            "",
            *lines,
            "",
        )
    )


def copy_example(example: Path, folder: Path) -> None:
    """Copies an example bot, and the protocol files if it is built from them. Raises OSError."""
    for path in kit_files(example):
        _copy(example / path, folder / path)
    if read_bot_manifest(example).build:
        _copy_proto(folder)


_BOT_TOML = """\
name = {name}

# How the arena builds the bot, if it is built, and the files on which that depends.
# [build]
# command = ["make"]
# sources = ["src/**", "proto/**"]

# The program serves arena.v1.Bot at the address in the environment variable ARENA_LISTEN.
[run]
command = ["./bot"]
"""


def write_proto(folder: Path, name: str) -> None:
    """Writes the protocol files into `proto/` in a folder, and a bot.toml to complete if there is none.

    Args:
        folder: the bot's folder.
        name: the bot's name.

    Raises KitError if that cannot be done.
    """
    _require_name(name)
    _require(*_proto_parts())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _copy_proto(folder)
        if not os.path.lexists(folder / "bot.toml"):
            text = _BOT_TOML.format(name=json.dumps(name, ensure_ascii=False))
            (folder / "bot.toml").write_text(text, "utf-8")
    except FileExistsError:
        raise KitError(f"{folder / _PROTO} is there already; remove it to have it written anew") from None
    except OSError as error:
        raise KitError(f"{folder} cannot be written: {error.strerror or error}") from None


def _proto_parts() -> list[Path]:
    """The folders of the protocol that an author needs."""
    return [proto_folder() / part for part in ("arena", "vectors")]


def _copy_proto(folder: Path) -> None:
    for part in _proto_parts():
        shutil.copytree(part, folder / _PROTO / part.name, copy_function=_copy)


def _copy(source: str | Path, target: str | Path) -> None:
    """Copies a file with its permission to be executed, but not a read-only mode."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    if os.access(source, os.X_OK):
        Path(target).chmod(0o755)


def kit_files(example: Path) -> Iterator[PurePosixPath]:
    """The files of an example bot, relative to its folder, without its build's files.

    These are the files that its `.gitignore` names. The link `proto` is left out too.
    """
    ignore = example / ".gitignore"
    lines = ignore.read_text("utf-8").splitlines() if ignore.exists() else []
    ignored = IgnoreList([*NEVER, f"/{_PROTO}/", *lines])
    for place, folders, files in os.walk(example):
        inside = PurePosixPath(os.path.relpath(place, example))
        folders[:] = sorted(
            name for name in folders if not ignored.leaves_out(str(inside / name), is_folder=True)
        )
        names = (inside / name for name in sorted(files))
        yield from (name for name in names if not ignored.leaves_out(str(name), is_folder=False))


def _rename(folder: Path, kit: Kit, name: str) -> None:
    """Replaces the example's name by the new one: in bot.toml, one line of source, the README.

    The example's author goes: the new bot is somebody else's.
    """
    _replace(folder / "bot.toml", f"author = {_AUTHOR}\n", "")
    _replace(folder / kit.source, _AUTHOR, '""')
    old = read_bot_manifest(folder).name
    quoted = json.dumps(name, ensure_ascii=False)  # all these languages read it alike
    _replace(folder / "bot.toml", f'name = "{old}"', f"name = {quoted}")
    _replace(folder / kit.source, f'"{old}"', quoted)
    readme = folder / "README.md"
    _replace(readme, f"# {old}\n", f"# {name}\n")
    text = re.sub(rf"(\.\./)?bots/{kit.folder}", lambda _: folder.name, readme.read_text("utf-8"))
    readme.write_text(text, "utf-8")


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{path} says {old!r} {text.count(old)} times"
    path.write_text(text.replace(old, new), "utf-8")
