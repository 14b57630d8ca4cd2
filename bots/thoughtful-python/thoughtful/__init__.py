"""A bot that remembers what it has seen and weighs what it has not: quick odds, no search."""
