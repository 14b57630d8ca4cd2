"""The referee's end of a bot's stream: dialling, reading, writing, floods, and the way into trio's thread."""
