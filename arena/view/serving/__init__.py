"""The page's web server: addresses, replays, and running tables."""
