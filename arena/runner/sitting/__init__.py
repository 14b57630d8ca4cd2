"""A sitting: bots are kept at tables, games that are due begin, and what was played comes out."""
