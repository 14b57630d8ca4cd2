"""A tournament while it is played, and the host who steers it."""
