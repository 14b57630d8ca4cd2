"""Bots that the referee builds, starts and ends on this machine."""
