"""Starts the bot: `python -m llm` in the bot's folder."""

from arena.bot import serve
from llm.bot import LanguageModel

serve(LanguageModel)
