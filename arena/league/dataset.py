"""The finished tournaments of a league as Parquet files, which DuckDB, Polars and pandas read.

`README.md` beside them, the data card, says what each column is; it is written from the tables here.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from arena.games import GAMES
from arena.league.public import LEFT_OUT
from arena.league.store import League, StoredTournament, UnknownTournament
from arena.league.stored import plan_of, record_of, stored_effects
from arena.link.wire.messages import decode_times
from arena.results import FAULT_REASONS, GameResult, StoredGame, seat_scores
from arena.table.record import Record, first_position, replay

_ROWS = 50_000  # rows of a table that are written together

_CARD = """\
# The finished tournaments of {league}

`arena export LEAGUE --parquet FOLDER` wrote these files, and DuckDB, Polars and pandas read them. Games with
faults and annulled games are there too: leave out what does not count for your question.{left_out}

```sql
-- how well each bot plays each game: for DuckDB, in this folder
SELECT name, rules, count(*) AS games, avg(score) AS score
FROM 'seats.parquet'
JOIN 'games.parquet' USING (game)
JOIN 'entrants.parquet' USING (tournament, entrant)
WHERE NOT annulled
GROUP BY name, rules
ORDER BY rules, score DESC;
```

Games with the same `cards` and `rules` hang together. If you take them as independent, a mean over games
seems more exact than it is: take the board as the unit.

The deals follow from the `key` of their tournament, which was secret until its end. Its `commitment` was
published before the first game. docs/fair-deals.md of the arena says how to check them, and
`arena verify LEAGUE` plays all records again.
"""

_PUBLIC = f"""

They are for everybody, and leave out {LEFT_OUT}."""


class Column(NamedTuple):
    """A column: its type, what it is, for people, and whether everybody may have it."""

    kind: Any
    about: str
    public: bool = True


_TOURNAMENT = Column(pa.int32(), "the number of the tournament in the league, from 1")
_GAME = Column(pa.int64(), "the number of the game in the league, from 1")
_MOMENT = pa.timestamp("us", tz="UTC")

TABLES: Mapping[str, Mapping[str, Column]] = {
    "tournaments": {
        "tournament": _TOURNAMENT,
        "name": Column(pa.string(), "its name"),
        "started": Column(_MOMENT, "when it began"),
        "finished": Column(_MOMENT, "when it ended"),
        "commitment": Column(pa.string(), "the SHA-256 of its key, published before the first game"),
        "key": Column(
            pa.string(), "the key from which its deals follow, in hexadecimal (docs/fair-deals.md)"
        ),
        "plan": Column(pa.string(), "its games, options, clocks and stages, as JSON"),
    },
    "entrants": {
        "tournament": _TOURNAMENT,
        "entrant": Column(pa.int32(), "the number of the entrant in the tournament, from 0"),
        "name": Column(pa.string(), "its name"),
        "version": Column(pa.string(), "what its bot says of its version"),
        "author": Column(pa.string(), "what its bot says of its author"),
        "language": Column(pa.string(), "the language of its bot; empty if that is not known"),
    },
    "games": {
        "tournament": _TOURNAMENT,
        "game": _GAME,
        "key": Column(pa.string(), "its name in the tournament, such as 1.3.2/nyuri/1.2"),
        "stage": Column(pa.int32(), "the stage, from 1"),
        "round": Column(pa.int32(), "the round in the stage, from 1"),
        "match": Column(pa.int32(), "the match in the round, from 1"),
        "rules": Column(pa.string(), "which game it is, such as nyuri"),
        "board": Column(pa.int32(), "the board in the match, from 1"),
        "rotation": Column(pa.int32(), "by how many seats the entrants are moved round, from 1"),
        "cards": Column(pa.string(), "games with the same text and rules have the same cards"),
        "seats": Column(pa.int32(), "how many seats it has"),
        "starter": Column(pa.int32(), "the seat that starts, from 0"),
        "actions": Column(pa.int32(), "how many actions it has, with those without a choice"),
        "reason": Column(pa.string(), "why it ended"),
        "annulled": Column(pa.bool_(), "whether the host annulled it, so that it does not count"),
        "recorded": Column(_MOMENT, "when it was stored"),
    },
    "seats": {
        "game": _GAME,
        "seat": Column(pa.int32(), "the seat, from 0"),
        "entrant": Column(pa.int32(), "the number of the entrant that sits there"),
        "place": Column(pa.int32(), "its place in the game, from 1; equals share the best one"),
        "points": Column(pa.int32(), "its points by the rules of the game"),
        "score": Column(pa.float64(), "the share of opponents that it beats, ties half: from 0 to 1"),
        "forfeit": Column(pa.bool_(), "whether it forfeited the game"),
        **{
            reason: Column(
                pa.int32(), f"how many faults of the kind {reason.replace('_', ' ')} it was charged with"
            )
            for reason in FAULT_REASONS
        },
        "decisions": Column(pa.int32(), "how many turns it answered"),
        "time": Column(pa.int64(), "how long it thought in all, in microseconds", public=False),
    },
    "decisions": {
        "game": _GAME,
        "step": Column(
            pa.int32(), "the number of the action in the game, from 1; those without a choice are left out"
        ),
        "seat": Column(pa.int32(), "the seat that chose, from 0"),
        "choices": Column(pa.int32(), "how many legal actions it had"),
        "action": Column(pa.int32(), "the index of the action that it chose, from 0"),
        "text": Column(pa.string(), "the action in words"),
        "time": Column(pa.int64(), "how long it took, in microseconds", public=False),
    },
    "faults": {
        "game": _GAME,
        "step": Column(pa.int32(), "the number of the action that came next, from 1"),
        "seat": Column(pa.int32(), "the seat that was charged, from 0"),
        "reason": Column(pa.string(), "the kind of the fault"),
        "message": Column(pa.string(), "the fault in words", public=False),
    },
}
"""The files without `.parquet`, and their columns."""


def write_dataset(
    league: League,
    folder: Path,
    tournament: int | None,
    on_game: Callable[[int], None] = lambda games: None,
    *,
    only_public: bool = False,
) -> int:
    """Writes the finished tournaments of a league, or one of them, to a new folder; returns how many games.

    Args:
        league: the league.
        folder: the folder, which is made, whole or not at all.
        tournament: the number of the only tournament; None for all.
        on_game: called with the number of games so far.
        only_public: whether it is for everybody (`Column.public`).

    Raises UnknownTournament, also for a tournament that is not finished; OSError if the folder is there
    already or cannot be written; BrokenRecord.
    """
    chosen = league.tournaments() if tournament is None else [league.tournament(tournament)]
    finished = [each for each in chosen if each.finished is not None]
    if tournament is not None and not finished:
        raise UnknownTournament(f"tournament {tournament} is not finished, so its key is still secret")
    folder.mkdir()
    try:
        games = 0
        with _Files(folder, only_public) as files:
            for each in finished:
                games = _write_tournament(league, each, files, games, on_game)
        (folder / "README.md").write_text(
            data_card(league.path.name, files.rows, only_public=only_public), "utf-8"
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return games


def columns_of(table: str, only_public: bool) -> Iterator[tuple[str, Column]]:
    """The columns of a table; with `only_public` those that everybody may have."""
    return ((name, each) for name, each in TABLES[table].items() if each.public or not only_public)


def data_card(league: str, rows: Mapping[str, int], *, only_public: bool = False) -> str:
    """What a dataset holds, in Markdown.

    Args:
        league: the name of the league file.
        rows: the number of rows of each table.
        only_public: whether it is for everybody.
    """
    lines = _CARD.format(league=league, left_out=_PUBLIC if only_public else "").splitlines()
    for name in TABLES:
        lines += [
            "",
            f"## {name}.parquet: {rows[name]} rows",
            "",
            "| column | type | what it is |",
            "|---|---|---|",
        ]
        columns = columns_of(name, only_public)
        lines += [f"| {column} | {each.kind} | {each.about} |" for column, each in columns]
    return "\n".join(lines) + "\n"


class _Files:
    """The files of a dataset, to which rows are added.

    Args:
        folder: the folder.
        only_public: whether they have only what everybody may have.

    Attributes:
        rows: how many rows each has.
    """

    def __init__(self, folder: Path, only_public: bool) -> None:
        self._schemas = {
            name: pa.schema([(column, each.kind) for column, each in columns_of(name, only_public)])
            for name in TABLES
        }
        self._writers = {
            name: pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd")
            for name, schema in self._schemas.items()
        }
        self._waiting: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
        self.rows = dict.fromkeys(TABLES, 0)

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            for name in TABLES:
                self._flush(name)
        finally:
            for writer in self._writers.values():
                writer.close()

    def add(self, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Adds rows to a table: the values of its columns, in order."""
        waiting = self._waiting[name]
        waiting += rows
        if len(waiting) >= _ROWS:
            self._flush(name)

    def _flush(self, name: str) -> None:
        waiting, self._waiting[name] = self._waiting[name], []
        self.rows[name] += len(waiting)
        schema = self._schemas[name]
        places = {column: at for at, column in enumerate(TABLES[name])}
        arrays = [pa.array([row[places[each.name]] for row in waiting], each.type) for each in schema]
        self._writers[name].write_table(pa.table(arrays, schema=schema))


def _write_tournament(
    league: League, stored: StoredTournament, files: _Files, games: int, on_game: Callable[[int], None]
) -> int:
    plan, void = plan_of(stored), stored_effects(league, stored.id).void
    files.add(
        "tournaments",
        [
            (
                stored.id,
                stored.name,
                stored.started,
                stored.finished,
                stored.key_commitment,
                stored.key.hex() if stored.key else None,
                stored.plan,
            )
        ],
    )
    files.add(
        "entrants",
        [
            (stored.id, number, each.name, each.version, each.author, face.language)
            for number, (each, face) in enumerate(zip(stored.entrants, stored.faces, strict=True))
        ],
    )
    for number, result in league.games(stored.id):
        game = league.game(number)
        record, key = record_of(game), result.key
        where = (key.stage + 1, key.round + 1, key.match + 1, key.game, key.board + 1, key.rotation + 1)
        about = (plan.board_name(key), record.seats, record.starter, len(record.actions), result.reason)
        files.add("games", [(stored.id, number, str(key), *where, *about, void.has_game(key), game.moment)])
        files.add("seats", _seats(number, result))
        files.add("decisions", _decisions(number, record, game))
        files.add(
            "faults",
            [(number, step + 1, seat, fault.reason, fault.message) for seat, step, fault in record.faults],
        )
        games += 1
        on_game(games)
    return games


def _seats(number: int, result: GameResult) -> Iterable[tuple[Any, ...]]:
    scores = seat_scores([seat.place for seat in result.seats])
    for at, (seat, score) in enumerate(zip(result.seats, scores, strict=True)):
        what = (seat.entrant, seat.place, seat.points, float(score), seat.forfeit)
        yield (number, at, *what, *seat.faults, seat.decisions, seat.time)


def _decisions(number: int, record: Record, game: StoredGame) -> Iterable[tuple[Any, ...]]:
    times, words = decode_times(game.times), GAMES[record.game].words
    for at, step in enumerate(replay(record, first_position(record))):
        if step.choices > 1:
            what = (step.seat, step.choices, record.actions[at], words(step.action, step.events))
            yield (number, at + 1, *what, times[at] // 1000)
