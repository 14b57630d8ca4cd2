"""What lies on a table, as plain data for whoever draws it: no rules are needed to draw it.

A picture is a flat mapping from the names of places to what lies there, so that
the change from one position to the next is the places that differ. Every
number that follows from the cards - what a pile is worth, a score, what fits -
is in it. Cards are their numbers, `null` stands for cards that are not seen.
"""
