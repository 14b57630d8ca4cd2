"""Pairing: the formats of a stage, as pure functions of entrants and results."""
