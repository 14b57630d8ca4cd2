"""The same tournament on other machines: games travel to them in batches, and what was played comes back.

The engine is dask.distributed, which `engine` knows, and those who knock at it (`reach`)
and start it (`local`). What is played where is decided in `allocation`, which is pure; a
worker plays by the same sitting as the referee does (`house`). Only the referee's machine
writes the league.
"""
