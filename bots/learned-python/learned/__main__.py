"""Starts the bot: `python -m learned` in the bot's folder."""

from arena.bot import serve
from learned.bot import Learned

serve(Learned)
