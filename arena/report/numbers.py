"""How numbers are written, everywhere the same."""

from __future__ import annotations

from fractions import Fraction

from arena.standings.values import Rating, Share


def percent(score: Fraction | None) -> str:
    """A score from 0 to 1 in percent with one decimal; `-` for none."""
    return "-" if score is None else f"{float(score) * 100:.1f}"


def whole_percent(score: Fraction | None) -> str:
    """The same without decimals, for a crosstable."""
    return "-" if score is None else f"{float(score) * 100:.0f}"


def points(score: Fraction | None) -> str:
    """Season points with two decimals; `-` for none."""
    return "-" if score is None else f"{float(score):.2f}"


def short(value: Fraction) -> str:
    """A fraction as a number with at most two decimals."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def rating_text(rating: Rating) -> str:
    """The estimate, rounded; `-` for none."""
    return "-" if rating.rating is None else f"{rating.rating:.0f}"


def interval(rating: Rating) -> str:
    """The interval's ends, rounded, or the bound in place of a rating; `-` for none."""
    if rating.low is not None and rating.high is not None:
        return f"{rating.low:.0f}..{rating.high:.0f}"
    bound = rating.low if rating.bound == "above" else rating.high
    return "-" if bound is None else f"{rating.bound} {bound:.0f}"


def share_text(share: Share) -> str:
    """A score in percent with one decimal; `-` for none."""
    return "-" if share.score is None else f"{share.score * 100:.1f}"


def share_interval(share: Share) -> str:
    """Its interval in percent; `-` for none."""
    if share.low is None or share.high is None:
        return "-"
    return f"{share.low * 100:.1f}..{share.high * 100:.1f}"
