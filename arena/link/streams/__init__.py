"""Streams of play, whoever dialled: a bot's end of them is elsewhere, the referee's thread is here."""
