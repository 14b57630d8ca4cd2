"""How the bot reads answers, and how it plays without a model: `python -m unittest` in this folder."""

import unittest

from llm.bot import LanguageModel
from llm.chat import Settings, number_in

from arena.bot import simulate


class Answers(unittest.TestCase):
    def test_the_last_number_counts_if_there_is_such_an_action(self) -> None:
        for text, number in (("3", 3), ("Action 3.", 3), ("not 2 but 3", 3), ("<think>9 or 2?</think>3", 3)):
            assert number_in(text, 4) == number
        for text in ("", "none", "4", "-3", "3.5", "steal 8♦ or 1 0 4", "<think>3"):
            assert number_in(text, 4) is None


class WithoutAModel(unittest.TestCase):
    def test_every_turn_is_played_by_the_fallback(self) -> None:
        class Alone(LanguageModel):
            model = Settings("http://127.0.0.1:1/v1", "none", "", {})

        record = simulate("hyrule", [Alone, Alone], "board 1")
        assert not record.faults
        assert Alone.costs_of_all.fallbacks > 0


if __name__ == "__main__":
    unittest.main()
