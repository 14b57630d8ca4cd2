"""What was decided about a tournament, in the words of a sentence without its end."""

from __future__ import annotations

from collections import Counter

from arena.report.layout import counted
from arena.tournament.decisions import Admit, Annul, Contain, Extend


def alteration_text(decision: Admit | Extend | Annul | Contain) -> str:
    """Who came late, what was made longer, how much was annulled, or how bots were contained."""
    match decision:
        case Admit():
            return f"{decision.name} came late"
        case Extend():
            more = [counted(decision.cycles, "more cycle")] if decision.cycles else []
            if decision.boards:
                since = f" from round {decision.round + 1} on" if decision.round else ""
                more.append(f"{counted(decision.boards, 'more board')} a match{since}")
            return f"stage {decision.stage + 1} has {' and '.join(more)}"
        case Annul():
            return f"{counted(len(decision.boards), 'board')} void and played again"
        case Contain():
            levels = Counter(filter(None, decision.levels))
            told = ", ".join(f"{counted(count, 'bot')} at level {level}" for level, count in levels.items())
            less = f", as far as the machine could, which lacked {', '.join(decision.lacking)}"
            return f"contained: {told}{less if decision.lacking else ''}"
