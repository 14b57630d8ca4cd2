"""A tournament as a pure state machine: rulings and results go in, everything else follows."""
