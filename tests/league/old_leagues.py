"""The recorded leagues and exports of earlier versions."""

from __future__ import annotations

from pathlib import Path

from arena.league.store import League
from arena.league.verification import Verification

FOLDER = Path(__file__).parents[1] / "golden" / "leagues"
HEADS = {
    "schema-1": "07870b06750efdcfa0709f8e9cfa523c5ad5ffc6b604db9e8c908b723126514b",
    "schema-2": "85fa72756301cc08336fada59eae8ff8bce8fc2999f674189c3af10e1bedf821",
}
EXPORTS = {"schema-1": "export-1", "schema-2": "export-2"}


def head(league: League) -> str:
    verification = Verification(league)
    assert [problem for problem in verification.problems() if problem] == []
    return verification.verified.head.hex()
