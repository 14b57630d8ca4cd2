"""A person's seat on the page: what the page keeps of it, and the processes that play for the person."""
