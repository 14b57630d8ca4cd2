"""Benchmarks of the arena on this machine: bare gRPC, the referee end to end, the rules, `verify`."""
