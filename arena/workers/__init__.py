"""The pool of helper processes, and how each of them is started, watched and ended."""
