"""The files of a tournament: those that people write, and the league file with all that reads it back.

`tournament_file` and `comparison_file` read what people write. `store` is the league file. `stored` makes
plans, courses and results of it again. `summary` and `compared` compute its figures, `verification` checks
each step of it, and `interchange` exports and imports it.
"""
