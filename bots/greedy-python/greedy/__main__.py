"""Starts the bot: `python -m greedy` in the bot's folder."""

from arena.bot import serve
from greedy.bot import Greedy

serve(Greedy)
