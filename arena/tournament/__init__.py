"""A tournament as a machine: rulings and results go in, everything else follows. No I/O, no clock."""
