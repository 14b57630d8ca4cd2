"""Bots at tables: who keeps them there, and which game begins when."""
