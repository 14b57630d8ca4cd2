"""Where bots dial in: the door that lets in who shows a token, and the lobby behind it."""
