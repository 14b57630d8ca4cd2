"""Standings from the results of games: tables, crosstables, ratings and the final ranking.

They are pure functions of results: no standings are stored, they are always computed.
"""
