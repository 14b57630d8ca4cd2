"""A bot that takes what looks best right now, by one simple idea per game."""
