"""Containment: what a bot on this machine can reach, limited by what Linux offers to every user."""
