"""Bots that do everything wrong, one way at a time, for tests of the referee."""
