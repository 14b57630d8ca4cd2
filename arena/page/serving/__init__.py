"""The page's web server: addresses, replays, the host's forms, and people's seats."""
