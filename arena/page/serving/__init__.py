"""The page's web server: addresses, replays, the host's forms, people's seats."""
