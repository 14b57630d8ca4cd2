"""Starts the bot: `python -m thoughtful` in the bot's folder."""

from arena.bot import serve
from thoughtful.bot import Thoughtful

serve(Thoughtful)
