"""The mark of a programming language: two or three letters, as they stand beside the name of a bot."""

from __future__ import annotations

from typing import NamedTuple

_KNOWN = {
    "c": ("C", "C"), "c++": ("C++", "C++"), "cpp": ("C++", "C++"), "c#": ("C#", "C#"), "csharp": ("C#", "C#"),
    "clojure": ("Clj", "Clojure"), "dart": ("Da", "Dart"), "elixir": ("Ex", "Elixir"),
    "erlang": ("Erl", "Erlang"), "f#": ("F#", "F#"), "go": ("Go", "Go"), "golang": ("Go", "Go"),
    "haskell": ("Hs", "Haskell"), "java": ("Jv", "Java"), "javascript": ("JS", "JavaScript"),
    "js": ("JS", "JavaScript"), "julia": ("Jl", "Julia"), "kotlin": ("Kt", "Kotlin"), "lua": ("Lua", "Lua"),
    "node": ("JS", "JavaScript"), "ocaml": ("ML", "OCaml"), "perl": ("Pl", "Perl"), "php": ("PHP", "PHP"),
    "python": ("Py", "Python"), "python3": ("Py", "Python"), "r": ("R", "R"), "ruby": ("Rb", "Ruby"),
    "rust": ("Rs", "Rust"), "scala": ("Sc", "Scala"), "swift": ("Sw", "Swift"), "ts": ("TS", "TypeScript"),
    "typescript": ("TS", "TypeScript"), "zig": ("Zig", "Zig"),
}  # fmt: skip


class Mark(NamedTuple):
    """The mark of a language: its letters, and its full name."""

    letters: str
    title: str


def mark_of(language: str) -> Mark | None:
    """The mark of a language as an author has named it; None if it has neither letter nor digit."""
    if known := _KNOWN.get(language.casefold()):
        return Mark(*known)
    letters = "".join(filter(str.isalnum, language))[:2]
    return Mark(letters.title(), language) if letters else None
