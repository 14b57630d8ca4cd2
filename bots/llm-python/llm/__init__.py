"""A bot that lets a language model choose."""
