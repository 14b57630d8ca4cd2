"""Runs a tournament: its bots, its games, its control socket and the host's requests."""
