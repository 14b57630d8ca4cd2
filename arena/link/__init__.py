"""The only place that knows gRPC, protobuf and bot processes."""
