"""Plays a tournament's games on the workers of a dask cluster.

`batches` cuts games into batches, and `workers` submits them to dask, which places and retries them.
At a worker, `worker_sitting` plays a batch with the same `Sitting` class as the referee. Only the referee's
machine writes the league. Only `client`, `workers`, `worker` and `local` import dask.
"""
