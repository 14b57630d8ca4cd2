"""Rooms: the running tables and the bots that play at them, in this process or in worker processes."""
