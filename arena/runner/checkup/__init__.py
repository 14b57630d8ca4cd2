"""Checking a bot before league night: one bot against the house, point by point."""
