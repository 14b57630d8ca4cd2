"""What the page knows of a league and of its running tables, and how it tells browsers what is new."""
