"""The seat of a person, on the page and in the terminal, and that of an assistant."""
