"""Friendly games of a person with bots: the game, its page, and the process that is their referee."""
