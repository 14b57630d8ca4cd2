"""The page's data: a reader of the league, the running tables, and events that tell browsers the news."""
