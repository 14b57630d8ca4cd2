"""Where the tables stand: the room itself, run in this process or in processes of their own."""
