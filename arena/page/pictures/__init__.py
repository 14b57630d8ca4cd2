"""What lies on a table, as plain data for a browser: replays and running games."""
