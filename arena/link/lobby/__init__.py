"""The server that guests dial: the door, which checks TLS and tokens, and the lobby behind it."""
