"""Measuring the arena on the machine it runs on: bare gRPC, the referee end to end, the rules, `verify`."""
