"""The referee's end of a bot's stream: dialling, reading, writing, floods, and calls into trio's thread."""
