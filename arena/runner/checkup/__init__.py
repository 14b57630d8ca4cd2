"""`arena check-bot`: one bot plays against the referee's own players, and is checked point by point."""
