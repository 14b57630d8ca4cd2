"""Compares bots: tests which of two is better, board after board, and stops when the answer is sure."""
