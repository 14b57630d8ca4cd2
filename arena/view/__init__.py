"""The league-night page: a process of its own that shows a league file in browsers."""
