"""Plays what is due: joins bots, tables, pairings and the league file."""
