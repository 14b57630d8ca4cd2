"""A tournament as a pure state machine: all follows from its plan, its results and its rulings."""
