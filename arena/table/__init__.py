"""One running game without I/O: its deal, clocks, faults and record."""
