"""Plays games, matches and whole tournaments: joins bots, tables, pairings, standings and the league file."""
