"""One running game: its deal, its clock, its faults and its record, without any I/O."""
