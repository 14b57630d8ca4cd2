"""What goes over the wire and into files as bytes: protobuf's messages and the values that they stand for."""
