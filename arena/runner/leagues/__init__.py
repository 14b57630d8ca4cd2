"""Evaluates a league file: standings, comparisons, verification, export and import."""
