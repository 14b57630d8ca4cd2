"""A sitting: keeps bots connected, begins the games that are due, and gives out the finished games."""
