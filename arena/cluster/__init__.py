"""Plays a tournament's games on the workers of a dask cluster.

`batches` cuts games into batches, and `workers` has dask run them: dask places, steals and retries them.
At a worker `worker_sitting` plays a batch by the same `Sitting` as the referee. Only the referee's machine
writes the league. dask itself is known to `client`, `workers`, `worker` and `local`.
"""
