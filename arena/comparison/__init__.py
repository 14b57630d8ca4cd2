"""Which of two bots is better: questions asked of boards in their order, and answered when that is sure."""
