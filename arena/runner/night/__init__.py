"""A tournament while it is played: its bots, its control socket, and what the host asks of it."""
