"""Analysis: what each decision of a finished game was worth, as far as the seat that made it could know.

A record goes in, findings come out; nothing here does I/O. `docs/analysing.md` says what the numbers mean.
"""
