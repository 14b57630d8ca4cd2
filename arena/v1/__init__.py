"""Protobuf modules generated from `proto/arena/v1`. Never edited; a test regenerates and compares."""
