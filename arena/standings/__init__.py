"""Counting: from the results of games to tables, crosstables, ratings and the final ranking.

Pure functions of results; a standing is never stored as truth.
"""
