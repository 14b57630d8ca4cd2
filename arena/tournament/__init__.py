"""A tournament as a machine: decisions and results go in, everything else follows. No I/O, no clock."""
