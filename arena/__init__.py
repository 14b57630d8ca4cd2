"""The bot arena: a referee and tournament manager for bots that play card games."""
